"""Days between two dates are so in what comes out, and other dates stay near these.

A stay ends hours before the bill is written, whichever of its dates has given way to its nights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 1_200
DAY = pd.Timedelta(days=1)
DATES = ('referred', 'planned', 'admitted', 'discharged', 'billed')
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'datetime'} for name in DATES},
    **{name: {'sdtype': 'numerical'} for name in ('waited', 'nights', 'cost')},
}


def table(num_rows: int = N, seed: int = 0) -> pd.DataFrame:
    """Stays: the days waited for one are whole, its nights are counted, its bill comes soon."""
    random = np.random.default_rng(seed)
    days = pd.to_timedelta(random.integers(0, 900, num_rows), 'D')
    referred = pd.Series(pd.Timestamp('2021-01-01') + days)
    waited = random.geometric(0.3, num_rows) - 1
    planned = referred + pd.to_timedelta(waited, 'D')
    minutes = random.integers(6 * 60, 20 * 60, (2, num_rows))
    admitted = planned + pd.to_timedelta(random.integers(0, 3, num_rows), 'D')
    admitted += pd.to_timedelta(minutes[0], 'min')
    discharged = admitted.dt.normalize() + pd.to_timedelta(minutes[1], 'min')
    discharged += pd.to_timedelta(random.geometric(0.25, num_rows), 'D')
    frame = pd.DataFrame({'referred': referred, 'waited': waited, 'planned': planned})
    frame['admitted'], frame['discharged'] = admitted, discharged
    frame['nights'] = (discharged - admitted) // DAY
    frame['billed'] = discharged + pd.to_timedelta(random.integers(30, 600, num_rows), 'min')
    frame['cost'] = (frame['nights'] * random.gamma(9, 40, num_rows)).round(1)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows days or nights are others than those between the dates."""
    found = (rows['planned'] - rows['referred']) // DAY != rows['waited']
    found |= (rows['discharged'] - rows['admitted']) // DAY != rows['nights']
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


@pytest.fixture(scope='module')
def rows(synthesizer: TabDARSynthesizer) -> pd.DataFrame:
    return synthesizer.sample(1_000)


def test_drawn_rows_keep_them(rows: pd.DataFrame) -> None:
    assert broken(rows) == 0
    assert (rows['referred'] == rows['referred'].dt.normalize()).all()


def test_nights_and_days_waited_are_as_frequent_as_in_training(rows: pd.DataFrame) -> None:
    for name in ('waited', 'nights'):
        drawn, learnt = (cells[name].clip(upper=9) for cells in (rows, table()))
        shares = [cells.value_counts(normalize=True) for cells in (drawn, learnt)]
        assert shares[0].sub(shares[1], fill_value=0).abs().sum() / 2 < 0.16, name


def test_a_bill_comes_within_hours_of_the_end(rows: pd.DataFrame) -> None:
    minutes = (rows['billed'] - rows['discharged']) / pd.Timedelta(minutes=1)
    assert (minutes.between(29, 601)).mean() > 0.9


def test_the_time_of_day_stays_that_of_the_date(rows: pd.DataFrame) -> None:
    for name in ('admitted', 'discharged'):
        assert rows[name].dt.hour.between(6, 20).mean() > 0.97, name
    same = rows['admitted'].dt.minute == rows['discharged'].dt.minute
    assert same.mean() < 0.1


@pytest.mark.parametrize(
    'given',
    [
        {'nights': 3},
        {'admitted': pd.Timestamp('2022-03-04 09:30'), 'nights': 2},
        {'discharged': pd.Timestamp('2022-03-04 09:30'), 'nights': 2},
        {'planned': pd.Timestamp('2022-03-04'), 'waited': 5},
        {'referred': pd.Timestamp('2022-03-04'), 'planned': pd.Timestamp('2022-03-06')},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('hidden', [['nights'], ['discharged', 'billed'], ['planned', 'waited']])
@pytest.mark.parametrize('num_samples', [1, 5])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_a_table_in_parquet_has_them(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)
