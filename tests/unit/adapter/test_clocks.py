"""Dates on the clocks of a time zone, also where these are put on or back."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.clocks import FAR_DATE, Counts, Way, at_units
from sdv_tabdar.adapter.dates import nanosecond_counts

DAY = pd.Timedelta(1, 'D').value
HAVANA = ZoneInfo('America/Havana')  # where clocks are put on and back at midnight


def _moved(dates: list[str], zone: str, way: Way) -> list[str]:
    """Dates of a zone, with their offsets to UTC, next to some."""
    counts = pd.to_datetime(pd.Series(dates), utc=True).to_numpy('datetime64[ns]').view(np.int64)
    found = pd.Series(at_units(counts, DAY, ZoneInfo(zone), way).view('datetime64[ns]'))
    return found.dt.tz_localize('UTC').dt.tz_convert(zone).map(str).tolist()


@pytest.mark.parametrize(
    ('way', 'expected'),
    [
        ('floor', ['2020-03-29 00:00:00+01:00', '2020-03-29 00:00:00+01:00']),
        ('ceil', ['2020-03-29 00:00:00+01:00', '2020-03-30 00:00:00+02:00']),
        ('round', ['2020-03-29 00:00:00+01:00', '2020-03-29 00:00:00+01:00']),
    ],
)
def test_days_begin_at_midnight_also_when_one_has_23_hours(way: Way, expected: list[str]) -> None:
    dates = ['2020-03-29 00:00+01:00', '2020-03-29 08:00+02:00']
    assert _moved(dates, 'Europe/Berlin', way) == expected


def test_a_day_without_a_midnight_begins_when_clocks_are_put_on() -> None:
    dates = ['2020-03-08 01:30-04:00', '2020-03-07 20:00-05:00']
    start = '2020-03-08 01:00:00-04:00'
    assert _moved(dates, 'America/Havana', 'floor')[0] == start
    assert _moved(dates, 'America/Havana', 'ceil')[1] == start
    assert _moved(dates, 'America/Havana', 'round') == [start, start]


def test_of_a_midnight_that_comes_twice_the_first_counts() -> None:
    first, second = '2020-11-01 00:00:00-04:00', '2020-11-01 00:00:00-05:00'
    assert _moved([first, second], 'America/Havana', 'floor') == [first, first]
    assert _moved([first, second], 'America/Havana', 'ceil') == [first, '2020-11-02 00:00:00-05:00']


@pytest.mark.parametrize('way', ['floor', 'ceil', 'round'])
def test_what_is_missing_or_too_far_stays(way: Way) -> None:
    missing = nanosecond_counts(pd.Series([pd.NaT]))
    counts: Counts = np.concatenate([missing, [FAR_DATE + 7, -FAR_DATE - 7]])
    assert at_units(counts, DAY, HAVANA, way).tolist() == counts.tolist()
