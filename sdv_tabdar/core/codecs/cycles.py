"""Where in periods the numbers of a column are: prices that end in .99, dates on working days.

Numbers are often dense or rare again and again at the same distance: last digits that people like,
minutes on which things begin, days of the week and hours of the day at which things happen. A
*cycle* cuts each period into cells of equal width and has the share of the numbers in each. It
stretches the numbers, so that a cell is as wide as its share: what is stretched is even within a
period, and a law of it (:mod:`~sdv_tabdar.core.codecs.density`) needs few words. Cells in which
there are no numbers have no width, and no number is drawn in them.

Cycles nest: the period of one is a cell of the next, as hours are of days.
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

_LOOKED_AT = 50_000  # numbers at most
_TURNS = 10  # periods at least in which the middle half of the numbers lies
_MOST_EQUAL = 3  # times a number counts at most, in multiples of how often most of its cell do
_EVIDENCE = 10.0  # nats for a cycle at least, in all ...
_GAIN = 0.02  # ... and for each number
_EMPTY = 1e-6  # of a period, the width of all cells together that have no numbers
_INSIDE = 1e-3  # of a cell, how far behind its start lies what would be in an empty one before
_SECOND = 1e9  # nanoseconds
_NANOSECONDS = 1e15  # what numbers are at most, if they are not all nanoseconds since 1970
_UNITS = (86_400 * _SECOND, 3_600 * _SECOND, 60 * _SECOND, _SECOND)
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
        return {'period': self.period, 'start': self.start, 'shares': self.shares.tolist()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Cycle:
        """The cycle that :meth:`to_state` described."""
        return cls(state['period'], state['start'], np.array(state['shares'], dtype=np.float64))

    @property
    def exact_up_to(self) -> float:
        """Numbers up to here are told apart well enough for its cells."""
        return EXACT * self.period / len(self.shares)

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
        found: Floats = self.start + self.period * (whole + (cells + within) / len(self.shares))
        return found

    def filled(self, values: Floats, *, down: bool = False) -> Floats:
        """Numbers ``(B,)`` moved up, or down, to the next cell with numbers, if theirs has none."""
        whole, cells, within = self._placed(values)
        some = np.flatnonzero(self.shares > 0)
        some = np.concatenate([some - len(self.shares), some, some + len(self.shares)])
        inside = 1 - _INSIDE if down else _INSIDE
        nearest = some[np.searchsorted(some, cells, side='right' if down else 'left') - int(down)]
        places = nearest + np.where(nearest == cells, within, inside)
        found: Floats = self.start + self.period * (whole + places / len(self.shares))
        return np.where(nearest == cells, values, found)

    def log_slope(self, values: Floats) -> Floats:
        """Log of d(stretched) / d(value) ``(B,)``."""
        _, cells, _ = self._placed(values)
        found: Floats = np.log(np.diff(self._ends)[cells] * len(self.shares))
        return found

    def _placed(self, values: Floats) -> tuple[Floats, npt.NDArray[np.int64], Floats]:
        """The periods of numbers, their cells, and the parts of these that are below them."""
        turns = (values - self.start) / self.period
        whole = np.floor(turns)
        places = (turns - whole) * len(self.shares)
        cells = places.astype(np.int64).clip(max=len(self.shares) - 1)
        return whole, cells, places - cells


def stretched(cycles: Sequence[Cycle], values: Floats) -> Floats:
    """Numbers ``(B,)`` as all cycles stretch them, the shortest one first."""
    for cycle in cycles:
        values = cycle.stretched(values)
    return values


def restored(cycles: Sequence[Cycle], values: Floats) -> Floats:
    """The inverse of :func:`stretched`."""
    for cycle in reversed(cycles):
        values = cycle.restored(values)
    return values


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
    for unit, number, text in zip(_UNITS, _PERIODS, _NAMES, strict=True):
        name = text if cycle.period == number * unit else name
    return f'each {name} ({np.count_nonzero(cycle.shares)} of {len(cycle.shares)} parts)'


def find_cycles(parts: Sequence[Floats], digits: int) -> tuple[Cycle, ...]:
    """The cycles of a column's numbers, the shortest one first.

    Args:
        parts: ``(N,)`` of them each, sorted; those that have no other law of their own.
        digits: Behind the point, at most.
    """
    most = max((float(np.abs(part[[0, -1]]).max()) for part in parts if len(part)), default=0.0)
    is_date = most >= _NANOSECONDS
    if most >= EXACT * _SECOND or not (is_date or digits <= _MOST_DIGITS):
        return ()
    every = max(sum(map(len, parts)) // _LOOKED_AT, 1)
    values = np.concatenate([np.zeros(0), *(part[::every] for part in parts)])
    if not len(values):
        return ()
    distinct, counts = np.unique(values, return_counts=True)
    # An end that several rows share may stand for numbers beyond it.
    inner = slice(int(counts[0] > 1), len(counts) - int(counts[-1] > 1))
    distinct, counts = distinct[inner], counts[inner]
    if len(distinct) < LEAST_DISTINCT:
        return ()
    low, high = np.quantile(values, [0.25, 0.75])
    for candidates in [_of_dates(distinct)] if is_date else _of_digits(digits):
        found = [
            _cycle(distinct, counts, unit, period, cells)
            for unit, period, cells in candidates
            if high - low >= _TURNS * period
        ]
        if any(found):
            return tuple(cycle for cycle in found if cycle is not None)
    return ()


def _of_digits(digits: int) -> Iterator[list[tuple[float, float, int]]]:
    """Unit, period and cells of what numbers may end in: twice two digits, or one.

    Two and two are days and months in 20240131, or minutes and hours in 93000.
    """
    unit, many = 10.0**-digits, MOST_CELLS
    yield [(unit, many * unit, many), (unit, many**2 * unit, many)]
    yield [(unit, 10 * unit, 10)]


def _of_dates(values: Floats) -> Iterator[tuple[float, float, int]]:
    """Unit, period and cells of minutes, hours, days and weeks, in nanoseconds."""
    units = (place for place, unit in enumerate(_UNITS) if not (values % unit).any())
    finest = next(units, len(_UNITS) - 1)
    for place in range(finest, -1, -1):
        yield _UNITS[finest], _PERIODS[place] * _UNITS[place], _PERIODS[place]


def _cycle(
    values: Floats, rows: npt.NDArray[np.int64], unit: float, period: float, cells: int
) -> Cycle | None:
    """The cycle of a period, if distinct numbers that so many rows have bear it out.

    Cells of few numbers have the same share, so that none tells of a single row.
    """
    start = -unit / 2  # a number is the middle of what is rounded to it
    turns = (values - start) / period
    own = ((turns - np.floor(turns)) * cells).astype(np.int64).clip(max=cells - 1)
    usual = pd.Series(rows).groupby(own).transform('median').to_numpy()
    counts = np.bincount(own, np.minimum(rows, _MOST_EQUAL * usual), minlength=cells)
    rare = np.bincount(own, minlength=cells) < LEAST_DISTINCT
    counts[rare] = counts[rare].sum() / max(rare.sum(), 1)
    total, known = counts.sum(), counts[counts > 0]
    gain = float((known * np.log(known * cells / total)).sum())
    own_shares = cells - int(rare.sum())
    price = _log_choices(cells, own_shares) + own_shares * math.log(total) / 2
    if gain - price < _EVIDENCE or gain < _GAIN * total:
        return None
    return Cycle(period, start, counts / total)


def _log_choices(number: int, chosen: int) -> float:
    """Log of how many ways there are to choose some of a number of things."""
    return float(gammaln(number + 1) - gammaln(chosen + 1) - gammaln(number - chosen + 1))
