"""The known cells of one column, read from what the user wrote in them.

A value that training has not seen is known all the same: it is kept as it is, and marked, so that
the model is shown what comes closest.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.conditioning import plain_values, read_restrictions, refuse
from sdv_tabdar.adapter.dates import nanosecond_counts, zone_of
from sdv_tabdar.adapter.numeric import EXACT
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.conditions import PartialValue
from sdv_tabdar.core.restrictions import Restriction

Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class ReadCells:
    """The cells of one column.

    Attributes:
        values: Plain values, RangeIndex; of no meaning in cells with a restriction.
        missing: ``(rows,)``, True = the cell is missing.
        restrictions: For each row its restriction or None, in the terms of
            :meth:`ColumnProfile.comparable`; empty if there are none.
        unseen: ``(rows,)``, True = a value, not missing, that training has not seen.
    """

    values: pd.Series
    missing: Flags
    restrictions: Sequence[Restriction | None]
    unseen: Flags


def read_cells(profile: ColumnProfile, cells: pd.Series, *, conditions: bool) -> ReadCells:
    """Read the cells of a column.

    Args:
        profile: The column.
        cells: Its cells as the user has them.
        conditions: Whether they are conditions: these may be restrictions, and as the column is
            to have them they must fit its dtype.

    Raises:
        CellRefusedError: If a cell holds what is no value of the column, or a restriction that
            can never be met.
    """
    cells = cells.reset_index(drop=True)
    is_number = pd.api.types.is_numeric_dtype(cells.dtype) and cells.dtype != bool
    is_number &= not pd.api.types.is_complex_dtype(cells.dtype)
    if profile.role is Role.NUMBER and is_number:
        return _read_numbers(profile, cells, conditions=conditions)
    if profile.role is Role.DATE and _is_plain_date(profile, cells):
        values = profile.column.plain(cells)
        missing = values.isna().to_numpy()
        if conditions:
            wrong = ~missing & ~profile.column.can_hold(nanosecond_counts(values))
            if wrong.any():
                refuse(profile, cells.iloc[int(wrong.argmax())], profile.column.steps_text)
        return ReadCells(values, missing, (), ~missing & ~profile.has_seen(values))
    if profile.role is Role.GENERATED and not conditions:
        values = profile.column.plain(cells)
        return ReadCells(values, values.isna().to_numpy(), (), np.zeros(len(cells), dtype=bool))
    return _read_objects(profile, cells, conditions=conditions)


def _is_plain_date(profile: ColumnProfile, cells: pd.Series) -> bool:
    """Whether cells are dates as the column has them, of which none needs a look of its own."""
    form = profile.column.dates
    is_date = pd.api.types.is_datetime64_any_dtype(cells.dtype)
    same_zone = (zone_of(cells) is None) == (form.time_zone is None)
    is_same = pd.api.types.is_datetime64_any_dtype(profile.dtype) and not form.is_text
    return is_date and same_zone and is_same


def _read_numbers(profile: ColumnProfile, cells: pd.Series, *, conditions: bool) -> ReadCells:
    """Cells that are stored as numbers."""
    values = profile.column.plain(cells)
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    missing = np.isnan(numbers)
    _refuse_first(profile, cells, np.isinf(numbers), 'numbers must be finite')
    if conditions:
        if profile.holds_whole_numbers:
            reason = 'the column holds whole numbers'
            _refuse_first(profile, cells, ~missing & (numbers != np.round(numbers)), reason)
        outside = _beyond_dtype(profile, cells, numbers)
        _refuse_first(profile, cells, outside, f'{profile.column.dtype} cannot hold it')
        if (np.abs(numbers) <= EXACT).all():
            values = values.astype(profile.dtype)
        elif pd.api.types.is_integer_dtype(profile.dtype) and not missing.any():
            values = profile.typed([int(cell) for cell in cells.tolist()], cells.index)
    return ReadCells(values, missing, (), ~missing & ~profile.has_seen(values))


def _beyond_dtype(
    profile: ColumnProfile, cells: pd.Series, numbers: npt.NDArray[np.float64]
) -> Flags:
    """Which cells the dtype of the user's column cannot hold.

    Args:
        profile: The column.
        cells: Its cells.
        numbers: These as floats, NaN where missing.
    """
    low, high = profile.limits_of_dtype
    outside = (numbers < low) | (numbers > high)
    if high < math.inf:
        for place in np.flatnonzero(np.abs(numbers) >= EXACT).tolist():
            outside[place] = not low <= int(cells.iloc[place]) <= high
    return np.asarray(outside)


def _refuse_first(profile: ColumnProfile, cells: pd.Series, wrong: Flags, reason: str) -> None:
    if wrong.any():
        refuse(profile, cells.iloc[int(wrong.argmax())], reason)


def _read_objects(profile: ColumnProfile, cells: pd.Series, *, conditions: bool) -> ReadCells:
    """Cells of any type; each distinct value is read once."""
    listed, missing = cells.tolist(), cells.isna().to_numpy()
    distinct: dict[tuple[type, Hashable], Any] = {}
    keys: list[tuple[type, Hashable] | None] = []
    for value, is_null in zip(listed, missing.tolist(), strict=True):
        if is_null:
            keys.append(None)
            continue
        if not isinstance(value, Hashable):
            refuse(profile, value, 'it is a container')
        key = (type(value), value)
        keys.append(key)
        distinct.setdefault(key, value)
    partial = [key for key, value in distinct.items() if isinstance(value, PartialValue)]
    if partial and not conditions:
        refuse(profile, distinct[partial[0]], 'a known cell is a single value here')
    read = read_restrictions(profile, [distinct[key] for key in partial])
    restricted = dict(zip(partial, read, strict=True))
    exact = [key for key in distinct if key not in restricted]
    found = plain_values(profile, [distinct[key] for key in exact], fits_dtype=conditions)
    plain = dict(zip(exact, found, strict=True))
    values = profile.typed([plain.get(key) if key else None for key in keys], cells.index)
    unseen = np.zeros(len(cells), dtype=bool)
    if profile.role is not Role.GENERATED and exact:
        as_objects = object if profile.role is Role.DISCRETE else None
        seen = profile.has_seen(pd.Series(found, dtype=as_objects))
        new = {key for key, is_seen in zip(exact, seen.tolist(), strict=True) if not is_seen}
        if new:
            unseen = np.array([key in new for key in keys])
    restrictions = [restricted.get(key) if key else None for key in keys] if partial else ()
    return ReadCells(values, missing, restrictions, unseen)
