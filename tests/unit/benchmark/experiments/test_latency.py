"""Calls for a few rows are timed one by one, by settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from .conftest import TINY


def test_each_call_is_timed(
    tmp_path: Path, on_one: Callable[..., str], called: list[dict[str, object]]
) -> None:
    printed = on_one('latency', '--settings', f'tiny:{TINY}', '--fit-seconds', 0.1, '--repeats', 3)
    assert '| one: tiny: sample(1) |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'latency.csv')
    assert len(rows) == 4
    assert rows['calls'].tolist() == [3] * 4
    assert (rows['late'] >= rows['median']).all()
    assert len(called) == 1
