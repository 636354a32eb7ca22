"""Where the cells of columns of numbers and dates may lie, by what is known of them.

The columns of an Inequality or a Range leave each other room, or do not: :class:`Room`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.clocks import Way
from sdv_tabdar.adapter.draft import Draft, Flags, Floats, Integers
from sdv_tabdar.adapter.known import Task
from sdv_tabdar.adapter.private_names import OrderedColumns
from sdv_tabdar.adapter.profile import ColumnProfile
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.restrictions import Interval, Members

_NOISE = 1e-6  # of a unit: what floats add to multiples of it


@dataclasses.dataclass(frozen=True)
class Room:
    """Where the columns of one constraint may lie, the lowest first, ``(rows,)`` each.

    Attributes:
        profiles: What training saw of them.
        strict: Whether neighbours may not be equal.
        lows: Least number that each cell may be, by what is known of it alone.
        highs: Greatest number that each cell may be, likewise.
        given: Where a number is a given one, which is not rounded as the column's are.
        present: Which cells have or get a value.
    """

    profiles: list[ColumnProfile]
    strict: bool
    lows: list[Floats]
    highs: list[Floats]
    given: list[Flags]
    present: list[Flags]

    def tops(self) -> tuple[list[Floats], list[Integers]]:
        """The greatest number of each cell that leaves room above, and the column that limits it.

        A column is meant by its place; it is the cell's own where it sets the limit itself.
        """
        above = np.full(len(self.lows[0]), np.inf)
        limiting = np.full(len(above), len(self.profiles))
        tops: list[Floats] = []
        limits: list[Integers] = []
        for place in reversed(range(len(self.profiles))):
            own = self._until(place, self.highs[place], strict=False)
            below = self._until(place, above, strict=self.strict)
            tops.append(np.minimum(own, below))
            limits.append(np.where(below < own, limiting, place))
            above = np.where(self.present[place], tops[-1], above)
            limiting = np.where(self.present[place], limits[-1], limiting)
        return tops[::-1], limits[::-1]

    def _until(self, place: int, ends: Floats, *, strict: bool) -> Floats:
        """The last number of a column up to ``ends``, or below them."""
        exactly = np.nextafter(ends, -np.inf) if strict else ends
        rounded = last_number(self.profiles[place], ends, strict=strict)
        return np.where(self.given[place], exactly, rounded)

    def squeezed(self) -> tuple[Flags, Integers, Integers]:
        """The rows without room, and the places of two columns that leave each other none."""
        tops, limits = self.tops()
        wrong: Flags = np.stack(self.present) & (np.stack(self.lows) > np.stack(tops))
        wrong &= np.stack(limits) != np.arange(len(limits))[:, None]
        lower = wrong.argmax(axis=0)
        return np.asarray(wrong.any(axis=0)), lower, np.stack(limits)[lower, np.arange(len(lower))]


def rooms(draft: Draft) -> Iterator[tuple[Any, OrderedColumns, Room]]:
    """Each Inequality and Range with what it calls its columns, and where these may lie."""
    for constraint in private_names.order_constraints(draft.table.host):
        columns = private_names.ordered_columns(constraint)
        if all(name in draft.table.profiles for name in columns.names):
            text_format = private_names.compared_format(constraint)
            yield constraint, columns, room_of(draft, columns, text_format, drawn=True)


def rows_without_room(draft: Draft) -> Flags:
    """``(rows,)``, True = what is known leaves columns in order no room for others."""
    found = draft.none()
    for _, columns, room in rooms(draft):
        cells = [draft.exact.get(name, draft.none()) for name in columns.names]
        found |= room.squeezed()[0] & ~np.logical_and.reduce(cells)
    return found


def room_of(draft: Draft, columns: OrderedColumns, text_format: str | None, *, drawn: bool) -> Room:
    """Where the columns of an Inequality or a Range may lie by what is known.

    Args:
        draft: What is known.
        columns: What the constraint calls its columns.
        text_format: The format at whose precision SDV compares dates, if any.
        drawn: Whether cells that are yet to be drawn count, which stay in the training range.
    """
    names = columns.names
    ends = [(limits_of if drawn else bounds_of)(draft, name) for name in names]
    present = [_gets_value(draft, name) for name in names]
    if not drawn:
        present = [np.isfinite(lows) | np.isfinite(highs) for lows, highs in ends]
    given = [~np.isnan(draft.numbers(name)) | listed(draft, name) for name in names]
    if text_format is not None:
        ends = [
            (coarser_dates(lows, text_format), coarser_dates(highs, text_format))
            for lows, highs in ends
        ]
        given = [~draft.none() for _ in names]
    return Room(
        [draft.table.profiles[name] for name in names],
        columns.strict,
        [lows for lows, _ in ends],
        [highs for _, highs in ends],
        given,
        present,
    )


def limits_of(draft: Draft, name: str) -> tuple[Floats, Floats]:
    """As :func:`bounds_of`, and within the training range where a cell is to be drawn."""
    lows, highs = bounds_of(draft, name)
    profile = draft.table.profiles[name]
    if profile.extrapolates:
        return lows, highs
    drawn = np.isnan(draft.numbers(name))
    return (
        np.where(drawn, np.maximum(lows, profile.low), lows),
        np.where(drawn, np.minimum(highs, profile.high), highs),
    )


def _gets_value(draft: Draft, name: str) -> Flags:
    """The rows in which a column is sure to have a value that its limits hold for.

    For predictions these are the known cells: others need not be in order with them.
    """
    profile = draft.table.profiles[name]
    if draft.fill:
        drawn = draft.none() | profile.has_values
    elif draft.task is Task.SAMPLE:
        drawn = never_null(draft, name) | (not profile.has_missing)
    else:
        drawn = draft.none()
    known = draft.exact.get(name, draft.none())
    return (known | drawn) & ~known_null(draft, name)


def listed(draft: Draft, name: str) -> Flags:
    """The rows in which a column is one of a set."""
    entries = draft.partial.get(name, [None] * draft.num_rows)
    return np.array([isinstance(entry, Members) for entry in entries], dtype=bool)


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


def known_null(draft: Draft, name: str) -> Flags:
    """The rows in which a column is known to be missing."""
    if name not in draft.exact:
        return draft.none()
    return draft.exact[name] & draft.cells[name].isna().to_numpy()


def never_null(draft: Draft, name: str) -> Flags:
    """The rows in which a restriction rules out that a column is null."""
    entries = draft.partial.get(name, [None] * draft.num_rows)
    return np.array(
        [
            entry is not None
            and not (isinstance(entry, Members) and any(map(is_missing, entry.values)))
            for entry in entries
        ],
        dtype=bool,
    )


def next_number(profile: ColumnProfile, ends: Floats, *, strict: bool) -> Floats:
    """The first number of a column from ``ends`` on, or above them."""
    if profile.local_unit:
        return _next_on_clocks(profile, ends, 1, strict=strict)
    unit = profile.unit or profile.date_unit
    if not unit:
        return np.nextafter(ends, np.inf) if strict else ends
    places = np.floor(ends / unit + _NOISE) + 1 if strict else np.ceil(ends / unit - _NOISE)
    return profile.rounded(places * unit)


def last_number(profile: ColumnProfile, ends: Floats, *, strict: bool) -> Floats:
    """The last number of a column up to ``ends``, or below them."""
    if profile.local_unit:
        return _next_on_clocks(profile, ends, -1, strict=strict)
    return -next_number(profile, -ends, strict=strict)


def _next_on_clocks(
    profile: ColumnProfile, ends: Floats, direction: int, *, strict: bool
) -> Floats:
    """The first of a column's dates above ``ends``, or with -1 the last one below them.

    The dates are in a unit of clocks in a time zone; ``ends`` count as such unless ``strict``.
    """
    onward: Way = 'ceil' if direction > 0 else 'floor'
    back: Way = 'floor' if direction > 0 else 'ceil'
    noise = direction * _NOISE * profile.local_unit
    if not strict:
        return profile.dates_next_to(ends - noise, onward)
    passed = profile.dates_next_to(ends + noise, back)
    return profile.dates_next_to(passed + direction * profile.local_unit / 2, onward)


def coarser_dates(counts: Floats, text_format: str) -> Floats:
    """Dates in nanoseconds as a format writes them."""
    known = np.isfinite(counts)
    found = counts.copy()
    dates = pd.Series(pd.to_datetime(counts[known].astype(np.int64)))
    texts = dates.dt.strftime(text_format)
    coarse = pd.to_datetime(texts, format=text_format).astype('datetime64[ns]')
    found[known] = coarse.astype(np.int64).to_numpy(dtype=np.float64)
    return found
