"""Bins of a numerical column: how they are cut, and where in its bin a number lies."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.cycles import (
    Cycle,
    filled,
    find_cycles,
    log_slope,
    restored,
    stretched,
)
from sdv_tabdar.core.codecs.density import law
from sdv_tabdar.core.codecs.multiples import (
    around_multiples,
    common_step,
    decimals,
    nearest_multiples,
)
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.diffusion import SIGMA_DATA

_FEW_BINS = 16  # with fewer bins the outermost ones are not halved
_MIN_END_COUNT = 32  # least numbers in a half of an outermost bin
_FAR = 3  # widths of the rest of an outermost bin: a gap, beyond which numbers are far away
_LEAST_NEAR = 4  # numbers of that rest
_MOST_PARTS = 8192  # in which a column is cut, over all bins
_FINE = 32  # an interval that stands for a number is at most one in so many of a bin
_FEW = 5  # numbers at the end of a column, which say how far it may go
_BORDER = 0.1  # mass beyond the end of a bin that borders on another, in training rows
_OWN_END = 0.5  # and beyond the column's own


@dataclasses.dataclass(frozen=True, eq=False)
class Bin:
    """An interval of numbers, and the map between it and residuals.

    A number's *place* is its share of the bin's training numbers, in (0, 1); the residual is the
    normal score of the place, times ``SIGMA_DATA``. Between knots the map is linear in what cycles
    make of the numbers, in float64.

    Attributes:
        knots: ``(N,)`` where the law of the numbers changes (:mod:`.density`), sorted, from end to
            end of the bin: the column's own, or a number between two bins. Equal knots are a
            number that occurs often.
        places: ``(N,)`` the places of the knots.
        step: Of what all numbers of the bin are multiples but the column's own ends; 0 for none.
        cycles: Those of the column; none in a bin with a step.
    """

    knots: Floats
    places: Floats
    step: float = 0.0
    cycles: tuple[Cycle, ...] = ()

    @property
    def low(self) -> float:
        """Least number."""
        return float(self.knots[0])

    @property
    def high(self) -> float:
        """Greatest number."""
        return float(self.knots[-1])

    @functools.cached_property
    def _stretched(self) -> Floats:
        """What cycles make of the knots ``(N,)``."""
        return stretched(self.cycles, self.knots)

    def residuals(self, values: Floats) -> Floats:
        """Residuals ``(B,)`` of numbers; equal knots take the middle of their places."""
        left = np.searchsorted(self.knots, values, side='left')
        right = np.searchsorted(self.knots, values, side='right')
        last = len(self.knots) - 1
        middle = (self.places[left.clip(max=last)] + self.places[(right - 1).clip(min=0)]) / 2
        return _scores(np.where(left < right, middle, self._places(values)))

    def _places(self, values: Floats) -> Floats:
        """Places ``(B,)`` of numbers that are no knots."""
        return _interpolate(stretched(self.cycles, values), self._stretched, self.places)

    def values(self, residuals: Floats) -> Floats:
        """Numbers ``(B,)`` at residuals."""
        found = _interpolate(ndtr(residuals / SIGMA_DATA), self.places, self._stretched)
        if self.cycles:
            return self._filled(restored(self.cycles, found, self.knots, self._stretched))
        if not self.step:
            return found
        return nearest_multiples(found, self.step, self.low, self.high)

    def nearest(self, values: Floats) -> Floats:
        """The nearest numbers ``(B,)`` that its step, or its cycles, have."""
        if self.step:
            return nearest_multiples(values, self.step, self.low, self.high)
        above, below = self._filled(values), self._filled(values, down=True)
        return np.where(above - values <= values - below, above, below)

    def _filled(self, values: Floats, *, down: bool = False) -> Floats:
        """Numbers ``(B,)`` of the bin moved to where its cycles have some, if there are."""
        ends = np.array([self.low, self.high])
        low, high = filled(self.cycles, ends)[0], filled(self.cycles, ends, down=True)[1]
        return filled(self.cycles, values, down=down).clip(low, high) if low <= high else values

    def rounded_to(self, lows: Floats, highs: Floats) -> tuple[Floats, Floats]:
        """What becomes the numbers of intervals ``(N,)`` that a bin with a step has."""
        return around_multiples(lows, highs, self.step) if self.step else (lows, highs)

    def ends(self, values: Floats, *, is_low: bool) -> Floats:
        """Residuals ``(N,)`` at ends of intervals, lower or upper ones.

        If an end is a repeated knot, all of the knot is inside.
        """
        left = np.searchsorted(self.knots, values, side='left')
        right = np.searchsorted(self.knots, values, side='right')
        knots = (left if is_low else right - 1).clip(0, len(self.knots) - 1)
        return _scores(np.where(left < right, self.places[knots], self._places(values)))

    def log_slope(self, values: Floats, residuals: Floats) -> Floats:
        """Log of d(residual) / d(value) ``(B,)`` at numbers with these residuals.

        -inf outside the bin. Equal knots have a mass, which is spread from the knot before to the
        one after; where there is no other, it is a mass: 0 there.
        """
        inside = (values >= self.low) & (values <= self.high)
        _, first, counts = np.unique(self.knots, return_index=True, return_counts=True)
        if len(first) == 1:
            return np.where(inside, 0.0, -np.inf)
        distinct = self._stretched[first]
        most = len(distinct) - 1
        starts, stops = self.places[first], self.places[first + counts - 1]
        cells = np.log(starts[1:] - stops[:-1]) - _log_gaps(distinct[:-1], distinct[1:])
        knot = np.arange(len(distinct))
        before, after = (knot - 1).clip(min=0), (knot + 1).clip(max=most)
        below = np.where(before == knot, starts, stops[before])
        above = np.where(after == knot, stops, starts[after])
        masses = np.log(above - below) - _log_gaps(distinct[before], distinct[after])
        at = (np.searchsorted(self.knots[first], values, side='right') - 1).clip(min=0)
        is_mass = (self.knots[first][at] == values) & (counts[at] > 1)
        slope = np.where(is_mass, masses[at], cells[at.clip(max=most - 1)])
        normal = -((residuals / SIGMA_DATA) ** 2) / 2 - np.log(SIGMA_DATA * np.sqrt(2 * np.pi))
        slope = slope + log_slope(self.cycles, values)
        return np.where(inside, slope - normal, -np.inf)

    def spacing(self, number: float) -> float:
        """Width of an interval that may stand for a number inside the bin; 0 if there is one.

        It lies between two distinct knots, and is a small part of the bin.
        """
        distinct = np.unique(self.knots)
        if len(distinct) == 1:
            return 0.0
        above = int(np.searchsorted(distinct, number, side='right').clip(1, len(distinct) - 1))
        gap = float(distinct[above]) - float(distinct[above - 1])
        return min(gap, self.high / _FINE - self.low / _FINE)


def cut_into_bins(
    values: Floats, num_bins: int, limits: tuple[float, float] | None = None
) -> tuple[list[Bin], list[int]]:
    """Bins of about equal mass, smaller ones at both ends, and how many numbers each has.

    Args:
        values: Sorted training numbers.
        num_bins: How many bins of equal mass to make; equal numbers are never parted.
        limits: The ends of the column, which other numbers (atoms) may be. Then those of
            ``values`` are numbers of single rows like any other, and are not kept.
    """
    parts = _split_ends(_cut(values, num_bins))
    ends = itertools.pairwise(_borders(parts, limits)) if parts else []
    spans = [_Span(part, *span) for part, span in zip(parts, ends, strict=True)]
    digits = max(map(decimals, parts), default=0)
    steps = [common_step(span.inner, digits) for span in spans]
    uneven = [span.inner for span, step in zip(spans, steps, strict=True) if not step]
    most = max((abs(end) for span in spans for end in (span.low, span.high)), default=0.0)
    cycles = find_cycles(uneven, digits, most)
    finest = max(_MOST_PARTS // num_bins, 2)
    bins = [
        span.bin(finest, step, () if step else cycles, is_tail=number in (0, len(spans) - 1))
        for number, (span, step) in enumerate(zip(spans, steps, strict=True))
    ]
    return bins, [len(part) for part in parts]


def _cut(values: Floats, num_bins: int) -> list[Floats]:
    """Sorted values in at most ``num_bins`` parts of about equal size; equal ones together."""
    if not len(values):
        return []
    ends = values[(np.arange(1, num_bins) * len(values)) // num_bins]
    starts = np.searchsorted(values, np.unique(ends))
    return [part for part in np.split(values, starts) if len(part)]


def _split_ends(parts: list[Floats]) -> list[Floats]:
    """Halve the outermost parts of a column again and again, towards its ends.

    Bins of equal mass are widest where numbers are rare, so that most of what a tail depends on
    would be left to its residuals, of which training has few.
    """
    if len(parts) < _FEW_BINS:
        return parts
    low, high = _halved(parts[0]), _halved(-parts[-1][::-1])
    return low[::-1] + parts[1:-1] + [-part[::-1] for part in high]


def _halved(values: Floats) -> list[Floats]:
    """Sorted values as their upper half, the upper half of the rest, and so on.

    Of the last part, numbers that are far from the rest are a part of their own: the mean of a bin
    of both would lie in the gap between them.
    """
    parts = []
    halves = _cut(values, 2)
    while len(halves) == 2 and len(halves[0]) >= _MIN_END_COUNT:
        rest, upper = halves
        parts.append(upper)
        values, halves = rest, _cut(rest, 2)
    far = _num_far(values)
    return [*parts, values[far:], values[:far]] if far else [*parts, values]


def _num_far(values: Floats) -> int:
    """How many of sorted values at the start are far from all others."""
    nearest = values[1 : max(len(values) - _LEAST_NEAR + 1, 1)]
    with np.errstate(over='ignore'):
        gaps, widths = nearest - values[: len(nearest)], values[-1:] - nearest
    apart = np.flatnonzero((gaps / _FAR > widths) & (widths > 0))
    return int(apart[-1]) + 1 if len(apart) else 0


def _borders(parts: Sequence[Floats], limits: tuple[float, float] | None) -> list[float]:
    """Where the bins of the sorted parts of a column begin, and where the last one ends."""
    first, last = limits or (float(parts[0][0]), float(parts[-1][-1]))
    return [
        _end(parts[0], first),
        *(_between(left[-1], right[0]) for left, right in itertools.pairwise(parts)),
        -_end(-parts[-1][::-1], -last),
    ]


def _end(part: Floats, limit: float) -> float:
    """Where a column begins: with the least number of its bins, or a little below.

    Below it if the column itself begins at ``limit``, so that no number of a single row is kept.
    """
    least = float(part[0])
    if not limit < least:
        return least
    gap = float(part[min(_FEW, len(part) - 1)]) - least
    return _between(max(limit, least - gap) if gap > 0 else limit, least)


@dataclasses.dataclass(frozen=True, eq=False)
class _Span:
    """A part of a column that becomes a bin.

    Attributes:
        numbers: ``(N,)`` sorted.
        low: Where it begins.
        high: Where it ends.
    """

    numbers: Floats
    low: float
    high: float

    @property
    def _owned(self) -> tuple[bool, bool]:
        """Whether it begins, or ends, with a number: the column's own end."""
        return float(self.numbers[0]) == self.low, float(self.numbers[-1]) == self.high

    @property
    def inner(self) -> Floats:
        """The numbers but the column's own ends.

        These are of a single row, and say where the others can be, not how many are there.
        """
        starts, stops = self._owned
        return self.numbers[int(starts) : len(self.numbers) - int(stops)]

    def bin(self, most: int, step: float, cycles: tuple[Cycle, ...], *, is_tail: bool) -> Bin:
        """The bin of them, with a step and cycles; see :func:`.law` for the others."""
        low, high = self.low, self.high
        if not low < high:
            return Bin(np.array([low]), np.array([0.5]))
        first, last = (_OWN_END if own else _BORDER for own in self._owned)
        even = stretched(cycles, self.inner)
        ends = stretched(cycles, np.array([low, high])).tolist()
        knots, shares = law(even, *ends, most=most, is_tail=is_tail)
        places = (first + shares * (len(self.numbers) - first - last)) / len(self.numbers)
        if cycles:
            known = np.concatenate([[low], self.inner, [high]])
            known_even = np.concatenate([ends[:1], even, ends[1:]])
            knots = restored(cycles, knots, known, known_even).clip(low, high)
            knots = np.maximum.accumulate(knots)
        return Bin(knots, places, step, cycles)


def _scores(places: Floats) -> Floats:
    """Residuals at places in (0, 1)."""
    scores: Floats = SIGMA_DATA * ndtri(places)
    return scores


def _interpolate(x: Floats, xs: Floats, ys: Floats) -> Floats:
    """``np.interp``, also where the slope or a difference is beyond float64."""
    found: Floats = np.interp(x, xs, ys)
    beyond = ~np.isfinite(found)
    if beyond.any():
        right = np.searchsorted(xs, x[beyond], side='right').clip(1, len(xs) - 1)
        left = right - 1
        with np.errstate(over='ignore', invalid='ignore'):
            share = (x[beyond] - xs[left]) / (xs[right] - xs[left])
            halves = (x[beyond] / 2 - xs[left] / 2) / (xs[right] / 2 - xs[left] / 2)
            share = np.where(np.isfinite(xs[right] - xs[left]), share, halves)
        found[beyond] = ys[left] * (1 - share) + ys[right] * share
    return found


def _log_gaps(lows: Floats, highs: Floats) -> Floats:
    """Logs ``(N,)`` of the differences of numbers, also of those beyond float64."""
    with np.errstate(over='ignore'):
        gaps = highs - lows
    logs: Floats = np.log(np.where(np.isfinite(gaps), gaps, highs / 2 - lows / 2))
    return np.where(np.isfinite(gaps), logs, logs + np.log(2))


def _between(low: float, high: float) -> float:
    """A number near the middle of two, with few digits, which say little of either."""
    middle = _middle(low, high)
    gap = float(high) - float(low)
    if gap > 0 and math.isfinite(gap):
        digits = -math.floor(math.log10(gap))
        for more in range(2):
            found = round(middle, digits + more)
            if low < found < high:
                return found
    return middle


def _middle(low: float, high: float) -> float:
    """The middle of two numbers, however large."""
    total = float(low) + float(high)
    return total / 2 if np.isfinite(total) else low / 2 + high / 2
