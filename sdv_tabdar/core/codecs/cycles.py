"""Where in periods the numbers of a column are: prices that end in .99, dates on working days.

Numbers are often dense or rare again and again at the same distance: last digits that people like,
minutes on which things begin, days of the week and hours of the day at which things happen. A
*cycle* cuts each period into cells of equal width and has the share of the numbers in each. It
stretches the numbers, so that a cell is as wide as its share: what is stretched is even within a
period, and a law of it (:mod:`~sdv_tabdar.core.codecs.density`) needs few words. Cells in which
there are no numbers have no width, and no number is drawn in them.

Cycles nest: the period of one is a cell of the next, as hours are of days. Months are periods whose
days are cells, if no number lies on the last three days of a long one, or none but for the shift of
a day that makes the last day of each month the first one of the next.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammaln

from sdv_tabdar.core.codecs.values import Floats

LEAST_DISTINCT = 5
"""Numbers that a cell has at least, if it has a share of its own."""

EXACT = float(2**53)
"""Whole numbers up to here are exact."""

MOST_CELLS = 100
"""Of a period."""

LONGEST_MONTH = 31
"""Days, of which it has a cell each."""

MONTH = LONGEST_MONTH * 86_400e9
"""Its length in nanoseconds."""

_LOOKED_AT = 50_000  # numbers at most
_FEW = 20  # distinct numbers, of which nothing is said
_TURNS = 10  # periods at least in which the middle half of the numbers lies
_MOST_EQUAL = 3  # times a number counts at most, in multiples of how often most of its cell do
_EVIDENCE = 10.0  # nats for a cycle at least, in all ...
_GAIN = 0.02  # ... and for each number
_EMPTY = 1e-6  # of a period, the width of all cells together that have no numbers
_INSIDE = 1e-3  # of a cell, how far behind its start lies what would be in an empty one before
_SECOND = 1e9  # nanoseconds
_NANOSECONDS = 1e15  # what numbers are at most, if they are not all nanoseconds since 1970
_UNITS = (86_400 * _SECOND, 3_600 * _SECOND, 60 * _SECOND, _SECOND)
_SHORTEST_MONTH = 28  # days
_PERIODS = (7, 24, 60, 60)  # how many of these units are the next one
_NAMES = ('week', 'day', 'hour', 'minute')  # of so many of these
_MOST_DIGITS = 6


@dataclasses.dataclass(frozen=True, eq=False)
class Cycle:
    """The shares of the cells of a period.

    Attributes:
        period: How long it is.
        start: Where one of them begins.
        shares: ``(M,)`` of the numbers in each of its cells, which are equally wide.
    """

    period: float
    start: float
    shares: Floats

    @functools.cached_property
    def _ends(self) -> Floats:
        """Where the cells ``(M + 1,)`` begin and end in a stretched period, from 0 to 1."""
        empty = self.shares == 0
        widths = np.where(empty, _EMPTY / max(empty.sum(), 1), self.shares)
        ends = np.concatenate([[0.0], np.cumsum(widths)])
        found: Floats = ends / ends[-1]
        return found

    def to_state(self) -> dict[str, Any]:
        """Plain values."""
        return {
            'period': self.period,
            'start': self.start,
            'shares': self.shares.tolist(),
            'monthly': isinstance(self, Months),
        }

    @staticmethod
    def from_state(state: Mapping[str, Any]) -> Cycle:
        """The cycle that :meth:`to_state` described."""
        kind = Months if state['monthly'] else Cycle
        return kind(state['period'], state['start'], np.array(state['shares'], dtype=np.float64))

    @property
    def exact_up_to(self) -> float:
        """Numbers up to here are told apart well enough for its cells."""
        return EXACT * self.period / len(self.shares)

    def learnt(self, values: Floats, rows: npt.NDArray[np.int64]) -> tuple[float, Cycle]:
        """How many nats bear out that there are such periods, and the shares of their cells.

        No nats if there are too few of them. Cells of few numbers have the same share, so that none
        tells of a single row.

        Args:
            values: ``(N,)`` distinct numbers.
            rows: ``(N,)`` how many rows have each.
        """
        own, number = self._placed(values)[1], len(self.shares)
        usual = pd.Series(rows).groupby(own).transform('median').to_numpy()
        counts = np.bincount(own, np.minimum(rows, _MOST_EQUAL * usual), minlength=number)
        rare = np.bincount(own, minlength=number) < LEAST_DISTINCT
        counts[rare] = counts[rare].sum() / max(rare.sum(), 1)
        total, known = counts.sum(), counts[counts > 0]
        gain = float((known * np.log(known * number / total)).sum())
        own_shares = number - int(rare.sum())
        price = _log_choices(number, own_shares) + own_shares * math.log(total) / 2
        if gain - price < _EVIDENCE or gain < _GAIN * total:
            return 0.0, self
        return gain - price, dataclasses.replace(self, shares=counts / total)

    def stretched(self, values: Floats) -> Floats:
        """Numbers ``(B,)`` where each cell is as wide as its share."""
        whole, cells, within = self._placed(values)
        ends = self._ends
        places = ends[cells] + within * (ends[cells + 1] - ends[cells])
        found: Floats = self.start + self.period * (whole + places)
        return found

    def restored(self, stretched: Floats) -> Floats:
        """The inverse of :meth:`stretched`."""
        turns = (stretched - self.start) / self.period
        whole = np.floor(turns)
        places, ends = turns - whole, self._ends
        cells = (np.searchsorted(ends, places, side='right') - 1).clip(0, len(self.shares) - 1)
        within = ((places - ends[cells]) / (ends[cells + 1] - ends[cells])).clip(0, 1)
        return self._joined(whole, (cells + within) / len(self.shares))

    def filled(self, values: Floats, *, down: bool = False) -> Floats:
        """Numbers ``(B,)`` moved up, or down, to the next cell with numbers, if theirs has none."""
        whole, cells, within = self._placed(values)
        some = np.flatnonzero(self.shares > 0)
        some = np.concatenate([some - len(self.shares), some, some + len(self.shares)])
        inside = 1 - _INSIDE if down else _INSIDE
        nearest = some[np.searchsorted(some, cells, side='right' if down else 'left') - int(down)]
        places = nearest + np.where(nearest == cells, within, inside)
        found = self._joined(whole, places / len(self.shares))
        return np.where(nearest == cells, values, found)

    def log_slope(self, values: Floats) -> Floats:
        """Log of d(stretched) / d(value) ``(B,)``."""
        _, cells, _ = self._placed(values)
        found: Floats = np.log(np.diff(self._ends)[cells] * len(self.shares))
        return found

    def _placed(self, values: Floats) -> tuple[Floats, npt.NDArray[np.int64], Floats]:
        """The periods of numbers, their cells, and the parts of these that are below them."""
        whole, turns = self._parted(values)
        places = turns * len(self.shares)
        cells = places.astype(np.int64).clip(max=len(self.shares) - 1)
        return whole, cells, places - cells

    def _parted(self, values: Floats) -> tuple[Floats, Floats]:
        """The periods of numbers, and how much of these is below them."""
        turns = (values - self.start) / self.period
        whole = np.floor(turns)
        return whole, turns - whole

    def _joined(self, whole: Floats, turns: Floats) -> Floats:
        """The inverse of :meth:`_parted`; parts may be those of other periods."""
        found: Floats = self.start + self.period * (whole + turns)
        return found


class Months(Cycle):
    """The shares of the days of a month; its period is the longest month, in nanoseconds."""

    def learnt(self, values: Floats, rows: npt.NDArray[np.int64]) -> tuple[float, Cycle]:
        """As for other periods; no nats if a number lies on a day that some months do not have."""
        if (self._placed(values)[1] >= _SHORTEST_MONTH).any():
            return 0.0, self
        return super().learnt(values, rows)

    def _parted(self, values: Floats) -> tuple[Floats, Floats]:
        days = (values - self.start) / _UNITS[0]
        months = np.floor(days).astype('datetime64[D]').astype('datetime64[M]')
        return months.astype(np.float64), (days - _first_days(months)) / LONGEST_MONTH

    def _joined(self, whole: Floats, turns: Floats) -> Floats:
        others = np.floor(turns)
        months = (whole + others).astype('datetime64[M]')
        first, last = _first_days(months), _first_days(months + 1)
        days = first + ((turns - others) * LONGEST_MONTH).clip(max=last - first - _INSIDE)
        found: Floats = self.start + _UNITS[0] * days
        return found


def _first_days(months: npt.NDArray[np.datetime64]) -> Floats:
    """Days from 1970 to the first day of months ``(B,)``."""
    return months.astype('datetime64[D]').astype(np.float64)


def stretched(cycles: Sequence[Cycle], values: Floats) -> Floats:
    """Numbers ``(B,)`` as all cycles stretch them, the shortest one first."""
    for cycle in cycles:
        values = cycle.stretched(values)
    return values


def restored(cycles: Sequence[Cycle], even: Floats, known: Floats, known_even: Floats) -> Floats:
    """The inverse of :func:`stretched`.

    Args:
        cycles: The cycles.
        even: ``(B,)`` stretched numbers.
        known: ``(N,)`` numbers that come back to the last bit, at least one.
        known_even: ``(N,)`` what cycles make of these, sorted.
    """
    found = even
    for cycle in reversed(cycles):
        found = cycle.restored(found)
    at = np.searchsorted(known_even, even).clip(max=len(known) - 1)
    return np.where(known_even[at] == even, known[at], found)


def filled(cycles: Sequence[Cycle], values: Floats, *, down: bool = False) -> Floats:
    """Numbers ``(B,)`` moved up, or down, to where there are numbers in all cycles.

    What has left a cell of a longer cycle on its way is moved once more.
    """
    for cycle in 2 * tuple(reversed(cycles)):
        values = cycle.filled(values, down=down)
    return values


def log_slope(cycles: Sequence[Cycle], values: Floats) -> Floats:
    """Log of d(stretched) / d(value) ``(B,)``."""
    total = np.zeros(len(values))
    for cycle in cycles:
        total += cycle.log_slope(values)
        values = cycle.stretched(values)
    return total


def written(cycle: Cycle) -> str:
    """A cycle in words: its period, and in how many of its parts there are numbers."""
    name = f'{cycle.period:.15g}'
    if isinstance(cycle, Months):
        name = 'month'
    for unit, number, text in zip(_UNITS, _PERIODS, _NAMES, strict=True):
        name = text if cycle.period == number * unit else name
    return f'each {name} ({np.count_nonzero(cycle.shares)} of {len(cycle.shares)} parts)'


def find_cycles(parts: Sequence[Floats], digits: int, most: float) -> tuple[Cycle, ...]:
    """The cycles of a column's numbers, the shortest one first.

    Args:
        parts: ``(N,)`` of them each, sorted; those that have no other law of their own.
        digits: Behind the point, at most.
        most: The largest amount of a number of the column.
    """
    is_date = most >= _NANOSECONDS
    if not (is_date or digits <= _MOST_DIGITS):
        return ()
    every = max(sum(map(len, parts)) // _LOOKED_AT, 1)
    values = np.concatenate([np.zeros(0), *(part[::every] for part in parts)])
    if not len(values):
        return ()
    distinct, counts = np.unique(values, return_counts=True)
    # An end that several rows share may stand for numbers beyond it.
    inner = slice(int(counts[0] > 1), len(counts) - int(counts[-1] > 1))
    distinct, counts = distinct[inner], counts[inner]
    if len(distinct) < _FEW:
        return ()
    low, high = np.quantile(values, [0.25, 0.75])
    best: tuple[float, tuple[Cycle, ...]] = (0.0, ())
    for candidates in _of_dates(distinct) if is_date else _of_digits(digits):
        found = [
            cycle.learnt(distinct, counts)
            for cycle in candidates
            if most < cycle.exact_up_to and high - low >= _TURNS * cycle.period
        ]
        nats = sum(gained for gained, _ in found)
        if nats > best[0]:
            best = nats, tuple(cycle for gained, cycle in found if gained)
    return best[1]


def _of_digits(digits: int) -> Iterator[list[Cycle]]:
    """Cycles of what numbers may end in, yet without shares: twice two digits, or one.

    Two and two are days and months in 20240131, or minutes and hours in 93000.
    """
    unit = 10.0**-digits
    two = np.zeros(MOST_CELLS)
    yield [Cycle(period * unit, -unit / 2, two) for period in (MOST_CELLS, MOST_CELLS**2)]
    yield [Cycle(10 * unit, -unit / 2, np.zeros(10))]


def _of_dates(values: Floats) -> Iterator[list[Cycle]]:
    """Cycles of dates in nanoseconds, likewise: minutes, hours, days, and weeks or months."""
    units = (place for place, unit in enumerate(_UNITS) if not (values % unit).any())
    finest = next(units, len(_UNITS) - 1)
    start, day = -_UNITS[finest] / 2, _UNITS[0]
    *shorter, week = (
        Cycle(_PERIODS[place] * _UNITS[place], start, np.zeros(_PERIODS[place]))
        for place in range(finest, -1, -1)
    )
    yield [*shorter, week]
    for shift in (0.0, day):
        month = Months(MONTH, start - shift, np.zeros(LONGEST_MONTH))
        yield [*shorter, month]


def _log_choices(number: int, chosen: int) -> float:
    """Log of how many ways there are to choose some of a number of things."""
    return float(gammaln(number + 1) - gammaln(chosen + 1) - gammaln(number - chosen + 1))
