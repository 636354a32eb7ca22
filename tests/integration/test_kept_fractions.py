"""Years and months with decimals between two dates are so in what comes out."""

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
YEAR, MONTH = 365.25, 30.4375
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'datetime'} for name in ('birth', 'enrolled', 'seen', 'last')},
    **{name: {'sdtype': 'numerical'} for name in ('age', 'months', 'years', 'dose')},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """Patients: their age with a digit, months until they were seen, years under observation."""
    random = np.random.default_rng(0)
    days = pd.to_timedelta(random.integers(0, 2_000, num_rows), 'D')
    frame = pd.DataFrame({'enrolled': pd.Timestamp('2010-01-01') + days})
    ages, waits, stays = random.normal(60, 10, num_rows), *random.gamma(2, 200, (2, num_rows))
    frame['birth'] = frame['enrolled'] - pd.to_timedelta((ages * YEAR).round(), 'D')
    frame['seen'] = frame['enrolled'] + pd.to_timedelta(waits.round(), 'D')
    frame['last'] = frame['enrolled'] + pd.to_timedelta(stays.round() + 1, 'D')
    frame['age'] = (days_between(frame, 'birth', 'enrolled') / YEAR).round(1)
    frame['months'] = (days_between(frame, 'enrolled', 'seen') / MONTH).round(1)
    frame['years'] = days_between(frame, 'enrolled', 'last') / YEAR
    frame['dose'] = random.gamma(4, 10, num_rows).round(1)
    return frame[[*COLUMNS]]


def days_between(rows: pd.DataFrame, first: str, last: str) -> pd.Series:
    return (rows[last] - rows[first]).dt.days


def broken(rows: pd.DataFrame) -> int:
    """In how many rows an age or a time is another one."""
    found = (days_between(rows, 'birth', 'enrolled') / YEAR - rows['age']).abs() > 0.0501
    found |= (days_between(rows, 'enrolled', 'seen') / MONTH - rows['months']).abs() > 0.0501
    found |= (days_between(rows, 'enrolled', 'last') / YEAR - rows['years']).abs() > 1e-5
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    assert broken(synthesizer.sample(600)) == 0


@pytest.mark.parametrize(
    'given',
    [
        {'age': 61.3},
        {'birth': pd.Timestamp('1950-02-28'), 'enrolled': pd.Timestamp('2011-03-01')},
        {'months': 7.1, 'enrolled': pd.Timestamp('2012-05-05')},
        {'years': Between(1.0, 2.0)},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('hidden', [['age', 'years'], ['birth'], ['seen', 'last']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str]) -> None:
    KEPT.check_gaps(synthesizer, hidden, 1)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert "'enrolled' - 'birth' in rounded years of 365.25 days" in str(found)
