"""What is as old as the year of a date is more than another one is so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 500
COLUMNS: dict[str, dict[str, Any]] = {
    'sold': {'sdtype': 'datetime'},
    **{name: {'sdtype': 'numerical'} for name in ('built', 'age', 'price')},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """Houses: when they were sold, the year they were built in, and their age then."""
    random = np.random.default_rng(0)
    days = pd.to_timedelta(random.integers(0, 1_500, num_rows), 'D')
    frame = pd.DataFrame({'sold': pd.Timestamp('2012-01-01') + days})
    frame['built'] = random.integers(1900, 2012, num_rows)
    frame['age'] = frame['sold'].dt.year - frame['built']
    frame['price'] = random.gamma(5, 40, num_rows).round(2)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows the age is another one."""
    return int((rows['sold'].dt.year - rows['built'] != rows['age']).sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_it(synthesizer: TabDARSynthesizer) -> None:
    assert broken(synthesizer.sample(600)) == 0


@pytest.mark.parametrize(
    'given',
    [
        {'age': 30},
        {'built': 1950, 'age': 63},
        {'age': Between(10, 20)},
        {'sold': pd.Timestamp('2013-03-03'), 'age': 40},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('hidden', [['age'], ['built'], ['sold']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str]) -> None:
    KEPT.check_gaps(synthesizer, hidden, 1)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    assert "the year of 'sold' less" in str(KEPT.check_file(synthesizer, tmp_path))
