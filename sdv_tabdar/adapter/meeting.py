"""Which values of a column meet the restrictions of their rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import is_missing, level_key
from sdv_tabdar.core.restrictions import Interval, Members, Restriction


def which_meet(
    profile: ColumnProfile, values: pd.Series, restrictions: Sequence[Restriction | None]
) -> npt.NDArray[np.bool_]:
    """Which plain values meet the restriction of their row; None restricts nothing.

    The effort grows with the rows and not with the number of different restrictions.

    Args:
        profile: What training saw of the column.
        values: ``(B,)``.
        restrictions: One a row.
    """
    # By identity, which is cheaper than equality; equal ones may well occur twice.
    ids = np.fromiter(map(id, restrictions), dtype=np.int64, count=len(restrictions))
    _, first, of_row = np.unique(ids, return_index=True, return_inverse=True)
    distinct = [restrictions[row] for row in first.tolist()]
    missing = values.isna().to_numpy()
    lows = np.array([_end(entry, 'low', -math.inf) for entry in distinct])[of_row]
    highs = np.array([_end(entry, 'high', math.inf) for entry in distinct])[of_row]
    free = np.array([entry is None for entry in distinct], dtype=bool)[of_row]
    met = free | ~missing
    bounded = ~missing & ((lows > -math.inf) | (highs < math.inf))
    if bounded.any():
        numbers = profile.comparable(values[bounded]).to_numpy(dtype=np.float64)
        met[bounded] &= (lows[bounded] <= numbers) & (numbers <= highs[bounded])
    members = {
        place: _member_keys(profile, entry)
        for place, entry in enumerate(distinct)
        if isinstance(entry, Members)
    }
    listed = np.flatnonzero(np.isin(of_row, list(members)))
    keys = profile.comparable(values.iloc[listed]).tolist() if len(listed) else []
    for row, key in zip(listed, keys, strict=True):
        met[row] = (None if missing[row] else key) in members[of_row[row]]
    return met


def _member_keys(profile: ColumnProfile, members: Members) -> frozenset[Hashable]:
    """The values of a set as ``ColumnProfile.comparable`` has them, None for missing."""
    keys = (None if is_missing(value) else value for value in members.values)
    if profile.role is Role.DISCRETE:
        return frozenset(None if key is None else level_key(key) for key in keys)
    return frozenset(keys)


def _end(restriction: Restriction | None, name: str, open_end: float) -> float:
    """One end of an interval; ``open_end`` where there is none."""
    end = getattr(restriction, name) if isinstance(restriction, Interval) else None
    return open_end if end is None else end
