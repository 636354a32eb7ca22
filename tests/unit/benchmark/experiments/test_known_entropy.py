"""Likelihood under the model and under the truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from .conftest import TINY


def test_the_model_is_behind_the_truth(
    tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ['known-entropy', '--rows', 256, '--scored-rows', 256, '--tables', 'discrete']
    command(*asked, '--out', tmp_path, '--settings', TINY, '--epochs', 1)
    rows = pd.read_csv(tmp_path / 'known_entropy.csv')
    assert abs(rows['truth'][0] - rows['entropy'][0]) < 0.05
    assert rows['excess'][0] > 0
    assert rows['unlikely'][0] == 0
