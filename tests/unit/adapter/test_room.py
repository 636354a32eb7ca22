"""Where the cells of columns of numbers and dates may lie."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.room import last_number, next_number

from .conftest import profile_of

DAYS = pd.Series(pd.date_range('2020-02-01', '2020-12-30', tz='Europe/Berlin'), name='day')
WHOLE = pd.Series([10, 25, 30], name='x')


def _counts(*dates: str) -> np.ndarray:
    stamps = pd.to_datetime(list(dates), utc=True).as_unit('ns')
    return stamps.asi8.astype(np.float64)


@pytest.mark.parametrize('strict', [True, False])
def test_the_numbers_next_to_others(strict: bool) -> None:
    profile = profile_of(WHOLE, 'numerical')
    ends = np.array([12.0, 12.5, -np.inf, np.nan])
    above = next_number(profile, ends, strict=strict)
    below = last_number(profile, ends, strict=strict)
    np.testing.assert_array_equal(above, [13 if strict else 12, 13, -np.inf, np.nan])
    np.testing.assert_array_equal(below, [11 if strict else 12, 12, -np.inf, np.nan])


def test_the_midnights_of_a_time_zone_next_to_others() -> None:
    profile = profile_of(DAYS, 'datetime')
    midnight, noon = '2020-03-29 00:00+01:00', '2020-03-29 12:00+02:00'  # a day of 23 hours
    ends = np.append(_counts(midnight, noon), [np.inf, np.nan])
    before, after = '2020-03-28 00:00+01:00', '2020-03-30 00:00+02:00'

    for strict, above, below in (
        (False, (midnight, after), (midnight, midnight)),
        (True, (after, after), (before, midnight)),
    ):
        found = next_number(profile, ends, strict=strict)
        np.testing.assert_array_equal(found, np.append(_counts(*above), [np.inf, np.nan]))
        found = last_number(profile, ends, strict=strict)
        np.testing.assert_array_equal(found, np.append(_counts(*below), [np.inf, np.nan]))


def test_the_last_date_of_a_range_is_a_midnight_of_the_time_zone() -> None:
    profile = profile_of(DAYS, 'datetime')
    midnight, after = map(int, _counts('2020-03-29 00:00+01:00', '2020-03-30 00:00+02:00'))
    assert profile.date_next_to(midnight + 1, 'ceil') == after
    assert profile.date_next_to(after - 1, 'floor') == midnight
    assert profile.date_next_to(after, 'floor') == after
