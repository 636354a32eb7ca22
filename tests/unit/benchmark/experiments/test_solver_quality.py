"""A model draws with each number of steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd


def test_each_number_of_steps_is_scored(tmp_path: Path, ask_tiny: Callable[..., str]) -> None:
    printed = ask_tiny('solver-quality', '--steps', 1, 3, '--repeats', 2)
    assert '| one: 3 steps |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'solver_quality.csv')
    assert rows['steps'].tolist() == ['3 steps'] * 2 + ['1 steps'] * 2
    assert rows[['ks', 'xgb_c2st', 'shape_error']].apply(lambda x: x.between(0, 1)).all(axis=None)
    assert (rows['rows_per_cpu_second'] > 0).all()
