"""Rows under a condition beside the real rows that meet it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments.conditional_quality import condition_of


def test_rows_that_meet_a_condition_are_compared(
    prepared: Path, tmp_path: Path, ask_tiny: Callable[..., str]
) -> None:
    printed = ask_tiny('conditional-quality', '--condition', 'code=2', '--repeats', 2)
    assert '| one | code=2 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'conditional_quality.csv')
    train = load_dataset(prepared, 'one').train
    assert set(rows['rows']) == {(train['code'] == 2).sum()}
    assert rows[['conditional', 'unconditional']].notna().all(axis=None)
    assert len(rows) == 2


def test_conditions_are_read_and_checked(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    assert condition_of(dataset, ['code=2']) == {'code': 2}
    with pytest.raises(ValueError, match="Column 'code' of table 'one' never is '9'"):
        condition_of(dataset, ['code=9'])
    with pytest.raises(ValueError, match="has no column 'sex'"):
        condition_of(dataset, ['sex=f'])
    with pytest.raises(ValueError, match="must look like COLUMN=VALUE, but it is '=2'"):
        condition_of(dataset, ['=2'])
