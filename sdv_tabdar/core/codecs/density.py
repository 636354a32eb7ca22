"""The law of the numbers inside a bin: values that many rows share, and a histogram of the rest.

What few rows say is not to be believed to the last row, and what is even needs few words. So

- a value that clearly more rows have than its neighbours is a *spike*: it has its share of the
  rows for itself;
- all others are a histogram whose cells are halves of halves of the interval: the mean of all
  such histograms, each as probable as it makes the numbers (the optional Pólya tree of Wong and
  Ma 2010, doi:10.1214/09-AOS755, with every cell as likely to be cut as not). Its cells are narrow
  where numbers are many or change quickly, and no number of a single row is the edge of one.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from sdv_tabdar.core.codecs.values import Floats

LEAST_EQUAL = 5
"""Rows of a spike at least."""

_LEAST_CUT = 8  # rows of a cell that may be cut
_NEIGHBOURS = 16  # rows on either side, with which a spike is compared
_EVIDENCE = 4.0  # nats by which a spike must be more likely than an even law around it
_DEPTH = 60  # how often an interval is cut in two at most
_TAIL_DEPTH = 2  # and at least, where numbers become rare towards an end
_NARROW = 64  # steps in half a cell, below which it is cut between two of them
_EXACT = 2.0**50  # steps from 0, up to which half of one can be written
_SURE = 0.9  # a cell that is even with this probability is not cut
_LEAST_SHARE = 1e-9  # of the numbers, beyond the last spike
_PRIOR = 0.5  # rows that each half of a cell is given before any are counted


def law(
    values: Floats, low: float, high: float, *, most: int, is_tail: bool = False
) -> tuple[Floats, Floats]:
    """The distribution function of numbers in an interval, linear between knots.

    Args:
        values: ``(N,)`` sorted, between ``low`` and ``high``.
        low: Where the interval begins; less than ``high``.
        high: Where it ends.
        most: Spikes and cells that are cut have at least one in so many of the numbers.
        is_tail: Whether the numbers are an end of a column, whose law is not even, however few
            they are.

    Returns:
        Knots ``(K,)`` from ``low`` to ``high``, and the share of the numbers up to each, which
        increases from 0 to 1. Two equal knots are a spike.
    """
    distinct = np.unique(values)
    step = float(_gaps(distinct[:-1], distinct[1:]).min()) if len(distinct) > 1 else 0.0
    spikes, counts, others = _parted(values, low, high, step, len(values) // most)
    least = max(_LEAST_CUT, len(values) // most)
    forced = _TAIL_DEPTH if is_tail and len(others) >= _LEAST_CUT else 0
    edges, rows = _histogram(others, low, high, _Limits(least, step, forced))
    cells = np.cumsum(np.concatenate([[0.0], rows]))
    jumps = np.cumsum(np.concatenate([[0.0], counts]))
    knots = np.concatenate([edges, spikes, spikes])
    shares = np.interp(knots, edges, cells)
    shares[: len(edges)] += jumps[np.searchsorted(spikes, edges)]
    shares[len(edges) :] += np.concatenate([jumps[:-1], jumps[1:]])
    order = np.lexsort((shares, knots))
    knots, shares = knots[order], shares[order] / shares.max()
    kept = np.append(True, np.diff(shares) > 0)
    knots, shares = knots[kept], shares[kept]
    if knots[-1] < high:  # next to a spike it had a share that rounding took
        shares[-1] -= min(_LEAST_SHARE, (shares[-1] - shares[-2]) / 2)
        knots, shares = np.append(knots, high), np.append(shares, 1.0)
    return knots, shares


def _parted(
    values: Floats, low: float, high: float, step: float, least: int
) -> tuple[Floats, Floats, Floats]:
    """Spikes ``(S,)`` of at least so many rows, how many have each, and the other numbers."""
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
    counts = np.diff(starts, append=len(values))
    frequent = counts >= max(LEAST_EQUAL, least)
    starts, rows = starts[frequent], counts[frequent].astype(np.float64)
    expected = _expected(values, starts, counts[frequent], low, high, step)
    gain = rows * np.log(rows / expected) - rows + expected
    is_spike = (rows > expected) & (gain > _EVIDENCE)
    frequent[frequent] = is_spike
    return values[starts[is_spike]], rows[is_spike], values[~np.repeat(frequent, counts)]


def _expected(
    values: Floats,
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    low: float,
    high: float,
    step: float,
) -> Floats:
    """How many rows would have each of some values, if it were as frequent as its neighbours.

    A neighbour is as far away as the two values of the interval that are nearest to each other.
    """
    stops = starts + counts
    left = values[(starts - _NEIGHBOURS).clip(min=0)]
    right = values[(stops + _NEIGHBOURS - 1).clip(max=len(values) - 1)]
    first = np.searchsorted(values, left)  # of equal numbers all are neighbours
    last = np.searchsorted(values, right, side='right')
    gaps = _gaps(np.where(first < starts, left, low), np.where(last > stops, right, high))
    with np.errstate(over='ignore'):
        steps = gaps / step if step else np.full(len(starts), np.inf)
    others = (last - first - counts).clip(min=1)
    found: Floats = (others / steps.clip(min=1.0)).clip(min=1e-9)
    return found


def _gaps(lows: Floats, highs: Floats) -> Floats:
    """Differences ``(N,)`` of numbers, the largest float64 for those beyond it."""
    with np.errstate(over='ignore'):
        return np.minimum(highs - lows, np.finfo(np.float64).max)


@dataclasses.dataclass(frozen=True)
class _Limits:
    """How far an interval may be cut, and where.

    Attributes:
        least: How many numbers a cell that is cut must have.
        step: Distance of possible numbers, between which no cell lies; 0 if it is not known.
        forced: How often the interval is cut in any case.
    """

    least: int
    step: float
    forced: int

    def allow(self, values: Floats, low: float, high: float, depth: int) -> bool:
        """Whether a cell may be cut, which has been cut so often."""
        enough = len(values) >= self.least or depth < self.forced
        return enough and depth < _DEPTH and high / 2 - low / 2 >= self.step

    def middle(self, low: float, high: float) -> float:
        """Where a cell is cut: in the middle, and if it is narrow between two multiples."""
        middle = low / 2 + high / 2
        if not high / 2 - low / 2 < _NARROW * self.step or abs(middle) > _EXACT * self.step:
            return middle
        return (math.floor(middle / self.step) + 0.5) * self.step


@dataclasses.dataclass(frozen=True)
class _Cell:
    """A part of the interval.

    Attributes:
        evidence: Log of how much more likely its numbers are, over all ways to cut it, than if
            they were spread evenly.
        even: How probable it is that they are.
        middle: Where it is cut, if it is.
        share: The part of it below that.
        halves: What is below and above, if it is cut.
    """

    evidence: float = 0.0
    even: float = 1.0
    middle: float = 0.0
    share: float = 0.5
    halves: tuple[_Cell, _Cell] | None = None


def _histogram(values: Floats, low: float, high: float, limits: _Limits) -> tuple[Floats, Floats]:
    """Edges ``(E,)`` of the mean histogram, and rows ``(E - 1,)`` of its cells."""
    edges, rows = [low], []

    def write(cell: _Cell, values: Floats, end: float, spread: float, parted: float) -> None:
        """Write a cell with the rows that are spread evenly over it, and those that are not."""
        if cell.halves is None:
            edges.append(end)
            rows.append(spread + parted)
            return
        place = int(np.searchsorted(values, cell.middle))
        below = (place + _PRIOR) / (len(values) + 2 * _PRIOR)
        spread += cell.even * parted
        parted *= 1 - cell.even
        first, second = cell.halves
        write(first, values[:place], cell.middle, spread * cell.share, parted * below)
        write(second, values[place:], end, spread * (1 - cell.share), parted * (1 - below))

    whole = _cut(values, low, high, limits)
    write(whole, values, high, 0.0, max(float(len(values)), _PRIOR))
    return np.array(edges), np.array(rows)


def _cut(values: Floats, low: float, high: float, limits: _Limits, depth: int = 0) -> _Cell:
    """A cell of the sorted numbers between two ends, cut as often as these ask for."""
    middle, half = limits.middle(low, high), high / 2 - low / 2
    share = (middle / 2 - low / 2) / half if half else 0.0
    if not 0 < share < 1 or not limits.allow(values, low, high, depth):
        return _Cell()
    place = int(np.searchsorted(values, middle))
    left = _cut(values[:place], low, middle, limits, depth + 1)
    right = _cut(values[place:], middle, high, limits, depth + 1)
    counts = (place, len(values) - place)
    parted = float(betaln(counts[0] + _PRIOR, counts[1] + _PRIOR) - betaln(_PRIOR, _PRIOR))
    parted -= counts[0] * math.log(share) + counts[1] * math.log(1 - share)
    parted += left.evidence + right.evidence
    both = float(np.logaddexp(0.0, parted))
    even = 0.0 if depth < limits.forced else math.exp(-both)
    halves = (left, right) if even < _SURE else None
    return _Cell(both - math.log(2), even, middle, share, halves)
