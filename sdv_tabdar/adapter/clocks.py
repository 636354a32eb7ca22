"""Dates on the clocks of a time zone, where days begin at midnight whatever UTC says."""

from __future__ import annotations

import datetime
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

FAR_DATE = 9_190_000_000_000_000_000  # nanoseconds: a year from the last date that pandas has

Counts = npt.NDArray[np.int64]
Way = Literal['round', 'ceil', 'floor']


def on_clocks(dates: pd.Series, zone: datetime.tzinfo) -> pd.Series:
    """What clocks show at dates that are in UTC and have no time zone."""
    return dates.dt.tz_localize('UTC').dt.tz_convert(zone).dt.tz_localize(None)


def at_units(counts: Counts, unit: int, zone: datetime.tzinfo, way: Way) -> Counts:
    """Dates next to others that are multiples of a unit on the clocks of a time zone.

    Where clocks are put on or back at just that moment, the first one after it is meant.

    Args:
        counts: Dates in nanoseconds since 1970; the least of all where missing. Those within a
            year of what nanoseconds can hold stay as they are.
        unit: In nanoseconds.
        zone: The time zone.
        way: Whether the nearest is wanted, the first from each date on or the last up to it.
    """
    near = np.abs(counts) < FAR_DATE
    step = pd.Timedelta(unit)
    clocks = on_clocks(pd.Series(counts[near].view('datetime64[ns]')), zone)
    shown = getattr(clocks.dt, way)(step)
    found = _first_moments(shown, zone)
    if way == 'ceil':  # of an hour that clocks show twice the first may be over
        found = np.where(found < counts[near], _first_moments(shown + step, zone), found)
    moved = counts.copy()
    moved[near] = found
    return moved


def _first_moments(clocks: pd.Series, zone: datetime.tzinfo) -> Counts:
    """When clocks first show something, or more, in nanoseconds since 1970."""
    first = np.ones(len(clocks), dtype=bool)
    dates = clocks.dt.tz_localize(zone, ambiguous=first, nonexistent='shift_forward')
    return dates.to_numpy(dtype='datetime64[ns]').view(np.int64)
