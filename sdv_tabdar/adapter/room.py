"""Where the cells of columns of numbers and dates may lie, by what is known of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.draft import Draft, Floats
from sdv_tabdar.adapter.profile import ColumnProfile
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.restrictions import Interval, Members

_NOISE = 1e-6  # of a unit: what floats add to multiples of it


def bounds_of(draft: Draft, name: str) -> tuple[Floats, Floats]:
    """Least and greatest number that each row's cell may be; infinite where nothing is known."""
    values = draft.numbers(name)
    lows = np.where(np.isnan(values), -np.inf, values)
    highs = np.where(np.isnan(values), np.inf, values)
    for row, entry in enumerate(draft.partial.get(name, ())):
        if isinstance(entry, Interval):
            lows[row] = -np.inf if entry.low is None else entry.low
            highs[row] = np.inf if entry.high is None else entry.high
        elif isinstance(entry, Members) and not any(map(is_missing, entry.values)):
            lows[row], highs[row] = min(entry.values), max(entry.values)  # type: ignore[type-var]
    return lows, highs


def next_number(profile: ColumnProfile, ends: Floats, *, strict: bool) -> Floats:
    """The first number of a column from ``ends`` on, or above them."""
    unit = profile.unit or profile.date_unit
    if not unit:
        return np.nextafter(ends, np.inf) if strict else ends
    places = np.floor(ends / unit + _NOISE) + 1 if strict else np.ceil(ends / unit - _NOISE)
    return profile.rounded(places * unit)


def coarser_dates(counts: Floats, text_format: str) -> Floats:
    """Dates in nanoseconds as a format writes them."""
    known = np.isfinite(counts)
    found = counts.copy()
    dates = pd.Series(pd.to_datetime(counts[known].astype(np.int64)))
    texts = dates.dt.strftime(text_format)
    coarse = pd.to_datetime(texts, format=text_format).astype('datetime64[ns]')
    found[known] = coarse.astype(np.int64).to_numpy(dtype=np.float64)
    return found
