"""Whole numbers that are the year of a date less another number in all rows: an age by its year.

A house is as old on its sale as the year of that one is more than the year it was built in, which
is a number and no date.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.spans import BY_CHANCE, MOST_DATES, Calendar, counts_among, moved
from sdv_tabdar.core.codecs.values import Floats

YEAR_LESS = 'year less'
"""The name under which it is saved."""


def year_of(dates: Floats) -> Floats:
    """The years ``(B,)`` of dates; NaN where one is missing."""
    return 1970 + np.floor(Calendar.of(dates).months / 12)


def in_year(dates: Floats, years: Floats) -> Floats:
    """Dates ``(B,)`` on the same day of other years."""
    return moved('years', dates, years - year_of(dates))


def years_among(
    dates: Floats, numbers: Floats, results: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Columns that are the year of a date less another one, the date's place and the other one.

    Not if the date, or the other number, of another row would nearly do as well.

    Args:
        dates: ``(dates, rows)``; NaN where a cell is missing.
        numbers: Likewise, of columns that may be the other one ``(columns, rows)``.
        results: Places of those that may be made.
    """
    whole = counts_among(numbers)
    years = [year_of(own) for own in dates[:MOST_DATES]] if len(whole) > 1 else []
    for own in whole:
        if own in results:
            found = (
                (at, other)
                for at, year in enumerate(years)
                for other in whole
                if other != own and _is_rest(numbers[own], year, numbers[other])
            )
            first = next(found, None)
            if first is not None:
                yield own, *first


def _is_rest(own: Floats, years: Floats, other: Floats) -> bool:
    rows = np.flatnonzero(~np.isnan(own + years + other))
    if len(rows) < FEWEST_ROWS or (own + other != years)[rows].any():
        return False
    own, years, other, half = own[rows], years[rows], other[rows], len(rows) // 2
    wrong = (np.roll(years, half) - other != own, years - np.roll(other, half) != own)
    return min(int(one.sum()) for one in wrong) >= BY_CHANCE
