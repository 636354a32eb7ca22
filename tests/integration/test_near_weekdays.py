"""Dates that follow another one within days do so too where its weekday has moved it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 1_000
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'datetime'} for name in ('booked', 'valued', 'paid')},
    **{name: {'sdtype': 'categorical'} for name in ('weekday', 'payday')},
    'amount': {'sdtype': 'numerical'},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """Bookings at some minute, with days on which they count and are paid."""
    random = np.random.default_rng(0)
    minutes = pd.to_timedelta(random.integers(0, 365 * 24 * 60, num_rows), 'min')
    frame = pd.DataFrame({'booked': pd.Timestamp('2023-01-01') + minutes})
    frame['weekday'] = frame['booked'].dt.day_name()
    days = random.integers(0, 3, (2, num_rows))
    frame['valued'] = frame['booked'].dt.normalize() + pd.to_timedelta(days[0], 'D')
    frame['paid'] = frame['valued'] + pd.to_timedelta(days[1], 'D')
    frame['payday'] = frame['paid'].dt.day_name()
    frame['amount'] = random.gamma(2, 50, num_rows).round(2)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a weekday is not that of its date."""
    found = rows['booked'].dt.day_name() != rows['weekday']
    return int((found | (rows['paid'].dt.day_name() != rows['payday'])).sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_weekdays_are_those_of_their_dates(synthesizer: TabDARSynthesizer) -> None:
    assert broken(synthesizer.sample(N)) == 0


def test_a_date_without_a_weekday_goes_with_the_one_that_has_moved(
    synthesizer: TabDARSynthesizer,
) -> None:
    rows = synthesizer.sample(N)
    days = (rows['valued'] - rows['booked'].dt.normalize()).dt.days
    assert days.between(0, 2).mean() > 0.8  # beside the day of payment, which has moved as well
    shares = days.value_counts(normalize=True)
    assert all(abs(shares[day] - 1 / 3) < 0.1 for day in range(3))


def test_one_with_a_weekday_of_its_own_stays_near(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(N)
    days = (rows['paid'] - rows['valued']).dt.days
    assert days.between(-3, 5).mean() > 0.9  # by three days at most from where it was
