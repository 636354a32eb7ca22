"""Log-likelihoods by the number of orders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import likelihood_speed


def test_more_orders_take_longer_and_spread_less(
    ask_tiny: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likelihood_speed, 'MOST_ORDERS', 3)
    printed = ask_tiny('likelihood-speed', '--known-rows', 20, '--orders', 1, 4)
    assert '| one: 4 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'likelihood_speed.csv')
    assert rows['spread'][1] < rows['spread'][0]
    assert rows['rank'].between(-1, 1).all()
