"""Dates that are so many months, or years, after another one in all rows: the end of a contract.

By how many a column says, or they are as many in all rows; and some days more or less, as a year
that begins on a day ends on the one before it. Months have different numbers of days, so that no
line and no number of days says it; where a month has no such day, its last one is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.fixed_spans import MONTH
from sdv_tabdar.core.codecs.spans import BY_CHANCE, MOST_DATES, SPANS, counts_among, moved, span
from sdv_tabdar.core.codecs.values import Floats

TERMS: Mapping[str, str] = {'months later': 'months to ends', 'years later': 'years to ends'}
"""By the names under which they are saved, the spans that count what lies between."""

_MOST_BESIDE = 31 * DAY
_UNEVEN = 6 * DAY  # by which as many months are longer or shorter

Term = tuple[int, int, int | None, str, float, float]
"""Places of the date, of that before it and of the column of numbers; the name; how many months or
years without such a column; and what is beside these, in nanoseconds."""


def later(name: str, first: Floats, numbers: Floats, beside: float) -> Floats:
    """The dates ``(B,)`` that are so many months or years after others."""
    return moved(TERMS[name], first, numbers) + beside


def earlier(name: str, last: Floats, numbers: Floats, beside: float) -> Floats:
    """The dates ``(B,)`` that others are so many months or years after."""
    return moved(TERMS[name], last - beside, -numbers)


def between(name: str, first: Floats, last: Floats, beside: float) -> Floats:
    """How many months or years ``(B,)`` lie between dates and others."""
    return span(TERMS[name], first, last - beside)


def written_term(name: str, sources: Sequence[str], months: Sequence[float], beside: float) -> str:
    """What a date is of columns of such names, for a person to read."""
    many = sources[1] if len(sources) > 1 else f'{months[0]:g}'
    days = round(beside / DAY)
    less = f' {"-" if days < 0 else "+"} {abs(days)} days' if days else ''
    return f'{many} {name.removesuffix(" later")} after {sources[0]}{less}'


def terms_among(dates: Floats, numbers: Floats, results: Sequence[int]) -> Iterator[Term]:
    """Dates ``(dates, rows)`` that are months or years after others of them.

    Args:
        dates: The dates; NaN where a cell is missing.
        numbers: Likewise, of columns that may say how many ``(columns, rows)``.
        results: Places of the dates that may be made of others.
    """
    counts = counts_among(numbers)
    for last in results:
        for first in range(min(len(dates), MOST_DATES)):
            if first == last:
                continue
            rows = np.flatnonzero(~np.isnan(dates[first] + dates[last]))
            if len(rows) < FEWEST_ROWS or not (dates[last] - dates[first])[rows].any():
                continue
            found = _term(dates[first, rows], dates[last, rows], numbers[:, rows], counts)
            if found is not None:
                yield (last, first, *found)
                break


def _term(
    first: Floats, last: Floats, numbers: Floats, counts: Sequence[int]
) -> tuple[int | None, str, float, float] | None:
    """How dates ``(rows,)`` follow from those before them; None if they do not."""
    apart = last - first
    for name, kind in TERMS.items():
        unit = SPANS[kind].months
        whole = np.full(len(first), float(np.rint(apart.mean() / (unit * MONTH))))
        tried = [(None, whole), *((at, numbers[at]) for at in counts)]
        for at, many in reversed(tried):
            there = ~np.isnan(many)
            if there.sum() < FEWEST_ROWS or not whole[0]:
                continue
            if np.ptp((apart - many * unit * MONTH)[there]) > _UNEVEN:
                continue
            beside = _beside(name, first[there], last[there], many[there])
            if beside is not None:
                return at, name, float(whole[0]), beside
    return None


def _beside(name: str, first: Floats, last: Floats, many: Floats) -> float | None:
    """What dates ``(rows,)`` have beside so many months or years; None if it is not one number.

    Nor if the dates, or the numbers, of other rows would nearly do as well.
    """
    beside = last - later(name, first, many, 0.0)
    half = len(first) // 2
    others = last - later(name, np.roll(first, half), many, 0.0)
    is_one = not np.ptp(beside) and abs(beside[0]) <= _MOST_BESIDE
    is_needed = (others != beside[0]).sum() >= BY_CHANCE
    if np.ptp(many):
        mixed = last - later(name, first, np.roll(many, half), 0.0)
        is_needed &= (mixed != beside[0]).sum() >= BY_CHANCE
    return float(beside[0]) if is_one and is_needed else None
