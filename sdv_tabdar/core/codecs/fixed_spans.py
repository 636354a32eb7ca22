"""Whole years, or months, from a date to one day that is the same in all rows, or from that day.

The ages in a table are those of the day on which it was written, which is no column of it. Each row
says between which two days that one lies, from one anniversary to the next; where all rows leave a
day, it is found by halving. Of years or months with decimals the rounding leaves some days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.lines import digits_of, slack_of
from sdv_tabdar.core.codecs.spans import (
    BY_CHANCE,
    FARTHEST,
    MOST_DATES,
    SPANS,
    Calendar,
    Span,
    counts_among,
)
from sdv_tabdar.core.codecs.values import Floats

MONTH = 30.436875 * DAY
"""The mean one, in nanoseconds."""

_ROOM = 1.5  # units by which rows may say the day otherwise, as months have different lengths


def fixed_spans_among(numbers: Floats, dates: Floats) -> Iterator[tuple[int, int, str, float]]:
    """Columns ``(columns, rows)`` that are the years or months between a date and a fixed day.

    Args:
        numbers: Of columns that may be; NaN where a cell is missing.
        dates: Likewise, of dates ``(dates, rows)``.

    Yields:
        The position of the column, that of the date, the name, and the day in nanoseconds; at most
        one for each column.
    """
    fixed = {name: one for name, one in SPANS.items() if one.fixed is not None}
    whole = {*counts_among(numbers)}
    for own in range(len(numbers)):
        digits = digits_of(numbers[own])
        found = (
            (place, name, day)
            for name, one in fixed.items()
            if digits is not None and (own in whole if one.unit is None else digits > 0)
            for place, column in enumerate(dates[:MOST_DATES])
            if (day := _day(one, numbers[own], column, digits)) is not None
        )
        first = next(found, None)
        if first is not None:
            yield own, *first


def _day(one: Span, own: Floats, dates: Floats, digits: int) -> float | None:
    """The day to which, or from which, dates ``(rows,)`` are numbers apart; None if there is none.

    Nor if they would nearly as often be with the dates of other rows.
    """
    rows = np.flatnonzero(~np.isnan(own + dates))
    if len(rows) < FEWEST_ROWS:
        return None
    own, dates = own[rows], dates[rows]
    sign = 1.0 if one.fixed == 1 else -1.0
    if one.unit is not None:
        return _day_of_parts(one, own, sign * dates, digits)
    said = dates + sign * own * one.months * MONTH
    room = _ROOM * one.months * MONTH
    low, high = said.min() - room, said.max() + room
    if high - low > 4 * room or max(abs(low), abs(high)) >= FARTHEST:
        return None
    calendar = Calendar.of(dates)

    def made(day: float, others: Calendar = calendar) -> Floats:
        ends = [others, Calendar.of(np.full(len(own), day * DAY))]
        return one.of(*(ends if one.fixed == 1 else reversed(ends)))

    ends = int(np.floor(low / DAY)), int(np.ceil(high / DAY))
    first = _least(lambda day: bool((sign * (made(day) - own) >= 0).all()), *ends)
    after = _least(lambda day: bool((sign * (made(day) - own) > 0).any()), *ends)
    if first >= after or (made(first) != own).any():
        return None
    day = _roundest(first, after - 1)
    others = Calendar.of(np.roll(dates, len(dates) // 2))
    return day * DAY if (made(day, others) != own).sum() >= BY_CHANCE else None


def _day_of_parts(one: Span, own: Floats, dates: Floats, digits: int) -> float | None:
    """The same of numbers with decimals; of dates with their sign."""
    assert one.unit is not None
    said, room = dates + own * one.unit, one.unit * slack_of(own, digits)
    sign, low, high = 1 if one.fixed == 1 else -1, (said - room).max(), (said + room).min()
    if low > high or max(abs(low), abs(high)) >= FARTHEST or not np.ptp(own):
        return None
    ends = sorted((sign * low / DAY, sign * high / DAY))
    first, last = int(np.ceil(ends[0])), int(np.floor(ends[1]))
    if first > last:
        return None
    day = float(_roundest(first, last)) * DAY
    others = np.abs(sign * day - np.roll(dates, len(dates) // 2) - own * one.unit) > room
    return day if others.sum() >= BY_CHANCE else None


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number between two of which something holds that holds of all above it."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _roundest(first: int, last: int) -> int:
    """Of some days since 1970 the one on which a month begins, or ends, or else that between."""
    days = np.arange(first, last + 1).astype('datetime64[D]')
    begins = days == days.astype('datetime64[M]')
    ends = days + 1 == (days + 1).astype('datetime64[M]')
    for chosen in (begins, ends):
        if chosen.any():
            return int(days[chosen.argmax()].astype(np.int64))
    return (first + last) // 2
