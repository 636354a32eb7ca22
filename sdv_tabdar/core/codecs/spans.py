"""Whole years, or months, from one date to another in all rows: an age, a length of service.

They step on an anniversary, which no mean or line of two dates says. One of the two may be the same
day in all rows (:mod:`.fixed_spans`). Dates are nanoseconds since 1970; a time of day says nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.formulas import LONG_UNITS
from sdv_tabdar.core.codecs.values import Codes, Floats

_FIRST_ROWS = 100  # that are looked at before all
BY_CHANCE = 20  # rows that would contradict it if one of the dates were that of another row
_MOST = 10_000  # that a number of years or months is
MOST_DATES = 16  # columns between which they are looked for
FARTHEST = 9.2e18  # nanoseconds that a calendar is asked for


@dataclasses.dataclass(frozen=True)
class Span:
    """A way to count whole years or months.

    Attributes:
        words: What it is, before the names of the dates.
        months: Of one, about.
        of: The number ``(B,)`` between dates ``(B,)`` and others, on two calendars.
        fixed: Which of the two dates is the same day in all rows, and no column: 0 for the first
            one, 1 for the last one; None if both are columns.
        unit: Of one, in nanoseconds, where parts of one count as well; None for whole ones.
    """

    words: str
    months: int
    of: Callable[[Calendar, Calendar], Floats]
    fixed: int | None = None
    unit: float | None = None


@dataclasses.dataclass(frozen=True)
class Calendar:
    """The days of dates.

    Attributes:
        dates: ``(B,)`` in nanoseconds, NaN for none.
        months: ``(B,)`` since 1970.
        days: ``(B,)`` of the month, from 0.
        lengths: ``(B,)`` of the month, in days.
    """

    dates: Floats
    months: Floats
    days: Floats
    lengths: Floats

    @classmethod
    def of(cls, dates: Floats) -> Calendar:
        """That of dates ``(B,)``; NaN in all where there is none."""
        there = np.abs(dates) < FARTHEST
        days = np.floor(np.where(there, dates, 0.0) / DAY).astype(np.int64)
        months = days.view('datetime64[D]').astype('datetime64[M]').astype(np.int64)
        first, after = _first_days(months), _first_days(months + 1)
        numbers = np.stack([months, days - first, after - first]).astype(np.float64)
        numbers[:, ~there] = np.nan
        return cls(np.where(there, dates, np.nan), *numbers)


def _first_days(months: Codes) -> Codes:
    """The first days ``(B,)`` of months since 1970, as days since then."""
    return months.view('datetime64[M]').astype('datetime64[D]').astype(np.int64)


def _months(first: Calendar, last: Calendar) -> Floats:
    """Those that are over on the same day of a later month; 1 March follows 28 February."""
    return last.months - first.months - (last.days < first.days)


def _months_to_ends(first: Calendar, last: Calendar) -> Floats:
    """The same, of which one is over on the last day of a month that has no such day."""
    return last.months - first.months - (last.days < np.minimum(first.days, last.lengths - 1))


def _calendar_years(first: Calendar, last: Calendar) -> Floats:
    return np.floor(last.months / 12) - np.floor(first.months / 12)


def _days(first: Calendar, last: Calendar) -> Floats:
    return np.floor((last.dates - first.dates) / DAY)


BETWEEN = {
    'years': Span('the whole years', 12, lambda *dates: np.floor(_months(*dates) / 12)),
    'months': Span('the whole months', 1, _months),
    'years to ends': Span(
        'the whole years', 12, lambda *dates: np.floor(_months_to_ends(*dates) / 12)
    ),
    'months to ends': Span('the whole months', 1, _months_to_ends),
    'calendar years': Span('the calendar years', 12, _calendar_years),
    'calendar months': Span(
        'the calendar months', 1, lambda first, last: last.months - first.months
    ),
    'years of 365.25 days': Span(
        'the whole years of 365.25 days', 12, lambda *dates: np.floor(_days(*dates) / 365.25)
    ),
    'years of 365 days': Span(
        'the whole years of 365 days', 12, lambda *dates: np.floor(_days(*dates) / 365)
    ),
}


def _in_part(name: str, unit: float) -> Span:
    """How years or months are counted of which parts count as well."""
    months = 12 if name.startswith('years') else 1
    return Span(
        f'the {name}', months, lambda first, last: (last.dates - first.dates) / unit, unit=unit
    )


_COUNTED = BETWEEN | {f'{name} in part': _in_part(name, unit) for name, unit in LONG_UNITS.items()}

SPANS: Mapping[str, Span] = {
    **BETWEEN,
    **{f'{name} until': dataclasses.replace(one, fixed=1) for name, one in _COUNTED.items()},
    **{f'{name} since': dataclasses.replace(one, fixed=0) for name, one in _COUNTED.items()},
}
"""By the names under which they are saved; of two that say the same of a table the first one."""


def span(name: str, first: Floats, last: Floats) -> Floats:
    """The numbers ``(B,)`` from dates to others; NaN where one is missing."""
    return SPANS[name].of(Calendar.of(first), Calendar.of(last))


def span_of(name: str, sources: Floats, day: float) -> Floats:
    """The numbers ``(B,)`` of dates ``(B, sources)``, of which one may be the same day instead."""
    ends, fixed = [*sources.T], SPANS[name].fixed
    if fixed is not None:
        ends.insert(fixed, np.full(len(sources), day))
    return span(name, *ends)


def written_span(name: str, sources: Sequence[str], day: float) -> str:
    """What a column is of dates of such names, for a person to read."""
    ends, fixed = [*sources], SPANS[name].fixed
    if fixed is not None:
        ends.insert(fixed, str(np.datetime64(int(day), 'ns').astype('datetime64[D]')))
    return f'{SPANS[name].words} from {ends[0]} to {ends[1]}'


def moved(name: str, dates: Floats, numbers: Floats) -> Floats:
    """Dates ``(B,)`` so many later, on the same day of a month, or on its last one.

    Where parts count, by as many days.
    """
    unit = SPANS[name].unit
    if unit is not None:
        return dates + DAY * np.rint(numbers * unit / DAY)
    before = Calendar.of(dates)
    months = before.months + SPANS[name].months * numbers
    there = np.abs(months) < FARTHEST / DAY
    target = np.where(there, months, 0.0).astype(np.int64)
    first, after = _first_days(target), _first_days(target + 1)
    days = np.minimum(first + np.nan_to_num(before.days), after - 1.0)
    time = np.mod(before.dates, DAY)
    return np.where(there, days * DAY + time, np.nan)


def spans_among(numbers: Floats, dates: Floats) -> Iterator[tuple[int, int, int, str]]:
    """Columns ``(columns, rows)`` that are the years or months between two of others.

    Not if they would be nearly as often between dates of different rows.

    Args:
        numbers: Of columns that may be; NaN where a cell is missing.
        dates: Likewise, of dates ``(dates, rows)``.

    Yields:
        The position of the column, those of the first and of the last date, and the name; all
        that hold, in the order of :data:`SPANS`.
    """
    chosen = counts_among(numbers)
    pairs = list(itertools.permutations(range(min(len(dates), MOST_DATES)), 2)) if chosen else []
    calendars = [Calendar.of(own[:_FIRST_ROWS]) for own in dates[:MOST_DATES]] if pairs else []
    for name, one in BETWEEN.items():
        for first, last in pairs:
            made = one.of(calendars[first], calendars[last])
            is_off = (np.abs(numbers[chosen, :_FIRST_ROWS] - made) > 0).any(axis=1)
            for own in itertools.compress(chosen, np.atleast_1d(~is_off).tolist()):
                if _holds(one, numbers[own], dates[first], dates[last]):
                    yield own, first, last, name


def counts_among(numbers: Floats) -> list[int]:
    """Which columns ``(columns, rows)`` may be years or months: whole numbers, and not too many."""
    with np.errstate(invalid='ignore'):
        is_whole = ((np.abs(numbers) <= _MOST) & (numbers == np.rint(numbers))) | np.isnan(numbers)
    return np.flatnonzero(is_whole.all(axis=1)).tolist()


def _holds(one: Span, own: Floats, first: Floats, last: Floats) -> bool:
    """Whether numbers ``(rows,)`` are those between dates, and by both of them."""
    rows = np.flatnonzero(~np.isnan(own + first + last))
    if len(rows) < FEWEST_ROWS:
        return False
    own, half = own[rows], len(rows) // 2
    ends = Calendar.of(first[rows]), Calendar.of(last[rows])
    others = Calendar.of(np.roll(first[rows], half)), Calendar.of(np.roll(last[rows], half))
    wrong = [
        int((one.of(*pair) != own).sum())
        for pair in (ends, (others[0], ends[1]), (ends[0], others[1]))
    ]
    return wrong[0] == 0 and min(wrong[1:]) >= BY_CHANCE
