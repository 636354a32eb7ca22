"""Bins of a numerical column: how they are cut, and where in its bin a number lies."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.diffusion import SIGMA_DATA

_FEW_BINS = 16  # with fewer bins the outermost ones are not halved
_MIN_END_COUNT = 32  # least numbers in a half of an outermost bin
_MAX_KNOTS = 1024  # quantiles kept of a column, over all bins
_VALUES_PER_KNOT = 8  # with fewer the density between two knots would be mostly noise
_LEAST_WINDOW = 5  # training values whose mean a knot is
_BORDER = 0.1  # mass beyond the end of a bin that borders on another, in training rows
_LARGE = 1e300  # numbers of which a few would add up beyond float64


@dataclasses.dataclass(frozen=True, eq=False)
class Bin:
    """An interval of numbers, and the map between it and residuals.

    A number's *place* is its share of the bin's training numbers, in (0, 1); the residual is the
    normal score of the place, times ``SIGMA_DATA``. Between knots the map is linear, in float64.

    Attributes:
        knots: ``(N,)`` means of neighbouring training values, sorted, and the ends of the bin:
            the column's own, or a number between two bins. Equal knots are a number that occurs
            often.
        places: ``(N,)`` the places of the knots.
    """

    knots: Floats
    places: Floats

    @property
    def low(self) -> float:
        """Least number."""
        return float(self.knots[0])

    @property
    def high(self) -> float:
        """Greatest number."""
        return float(self.knots[-1])

    def residuals(self, values: Floats) -> Floats:
        """Residuals ``(B,)`` of numbers; equal knots take the middle of their places."""
        left = np.searchsorted(self.knots, values, side='left')
        right = np.searchsorted(self.knots, values, side='right')
        last = len(self.knots) - 1
        middle = (self.places[left.clip(max=last)] + self.places[(right - 1).clip(min=0)]) / 2
        places = np.where(left < right, middle, _interpolate(values, self.knots, self.places))
        return _scores(places)

    def values(self, residuals: Floats) -> Floats:
        """Numbers ``(B,)`` at residuals."""
        return _interpolate(ndtr(residuals / SIGMA_DATA), self.places, self.knots)

    def ends(self, values: Floats, *, is_low: bool) -> Floats:
        """Residuals ``(N,)`` at ends of intervals, lower or upper ones.

        If an end is a repeated knot, all of the knot is inside.
        """
        left = np.searchsorted(self.knots, values, side='left')
        right = np.searchsorted(self.knots, values, side='right')
        knots = (left if is_low else right - 1).clip(0, len(self.knots) - 1)
        between = _interpolate(values, self.knots, self.places)
        return _scores(np.where(left < right, self.places[knots], between))

    def log_slope(self, values: Floats, residuals: Floats) -> Floats:
        """Log of d(residual) / d(value) ``(B,)`` at numbers with these residuals.

        -inf outside the bin. A bin of a single number has a mass instead: 0 there.
        """
        inside = (values >= self.low) & (values <= self.high)
        distinct, first, counts = np.unique(self.knots, return_index=True, return_counts=True)
        if len(distinct) == 1:
            return np.where(inside, 0.0, -np.inf)
        places = (self.places[first] + self.places[first + counts - 1]) / 2
        cell = np.searchsorted(distinct, values, side='right').clip(1, len(distinct) - 1)
        slope = (np.log(np.diff(places)) - _log_gaps(distinct))[cell - 1]
        normal = -((residuals / SIGMA_DATA) ** 2) / 2 - np.log(SIGMA_DATA * np.sqrt(2 * np.pi))
        return np.where(inside, slope - normal, -np.inf)

    def spacing(self, number: float) -> float:
        """Distance of the distinct knots around a number inside the bin; 0 if there is one."""
        distinct = np.unique(self.knots)
        if len(distinct) == 1:
            return 0.0
        above = int(np.searchsorted(distinct, number, side='right').clip(1, len(distinct) - 1))
        return float(distinct[above]) - float(distinct[above - 1])


def cut_into_bins(values: Floats, num_bins: int) -> tuple[list[Bin], list[int]]:
    """Bins of about equal mass, smaller ones at both ends, and how many numbers each has.

    Args:
        values: Sorted training numbers.
        num_bins: How many bins of equal mass to make; equal numbers are never parted.
    """
    parts = _split_ends(_cut(values, num_bins))
    most = max(_MAX_KNOTS // num_bins, 2)
    bins = [_bin(parts, number, most) for number in range(len(parts))]
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
    """Sorted values as their upper half, the upper half of the rest, and so on."""
    parts = []
    halves = _cut(values, 2)
    while len(halves) == 2 and len(halves[0]) >= _MIN_END_COUNT:
        rest, upper = halves
        parts.append(upper)
        values, halves = rest, _cut(rest, 2)
    return [*parts, values]


def _bin(parts: Sequence[Floats], number: int, most: int) -> Bin:
    """The bin of one of the sorted parts of a column, with about ``most`` knots at most.

    A knot is the mean of at least five neighbouring training values, so that no value of a single
    row is kept but the ends of the column. Only where all values of a wide window are the same
    does it stand for itself, and has its mass. Towards the column's own ends windows get wider
    with their distance to it, without which a tail would be a single straight piece. Where two
    parts meet, a short number between them belongs to both.
    """
    part, is_first, is_last = parts[number], number == 0, number == len(parts) - 1
    spacing = len(part) / min(max(len(part) // _VALUES_PER_KNOT, 1), most)
    low = _tail(part, spacing) if is_first else []
    high = _tail(part[::-1], spacing) if is_last and len(part) > 1 else []
    first, last = (sum(len(window) for _, window in tail) for tail in (low, high))
    found = [(place, _mean(window)) for place, window in low]
    if not is_first:
        found.append((_BORDER, _between(parts[number - 1][-1], part[0])))
    for start, stop in _windows(first, len(part) - last, most):
        window = part[start:stop]
        if window[0] == window[-1] and len(window) >= _VALUES_PER_KNOT:
            found += [(start + 0.5, float(window[0])), (stop - 0.5, float(window[0]))]
        else:
            found.append(((start + stop) / 2, _mean(window)))
    if not is_last:
        found.append((len(part) - _BORDER, _between(part[-1], parts[number + 1][0])))
    found += [(len(part) - place, _mean(window)) for place, window in high[::-1]]
    places, knots = np.array(found).T
    return Bin(knots, places / len(part))


def _windows(first: int, last: int, most: int) -> list[tuple[int, int]]:
    """Equally spaced windows of ranks in [first, last): where each starts and stops."""
    size = last - first
    if size < _LEAST_WINDOW:
        return []
    count = min(max(size // _VALUES_PER_KNOT, 1), most)
    edges = (first + np.linspace(0, size, count + 1)).round().astype(np.int64)
    starts, stops = edges[:-1], edges[1:]
    spare = (stops - starts - 2 * _VALUES_PER_KNOT).clip(min=0)
    return list(
        zip((starts + (spare + 1) // 2).tolist(), (stops - spare // 2).tolist(), strict=True)
    )


def _tail(values: Floats, spacing: float) -> list[tuple[float, Floats]]:
    """Windows at the end of a column, with their places in rows.

    They are the outermost number, then windows each twice as wide as the one before, until they
    would be as wide as the others. What rises ever steeper towards the end has its mean at the
    geometric mean of the places rather than at their own.

    Args:
        values: The values of the outermost part, the outermost first.
        spacing: Rows from one of the other knots to the next.
    """
    found = [(0.5, values[:1])]
    start, width = 1, _LEAST_WINDOW
    while start + width <= len(values) // 2 and width < max(spacing, 2 * _LEAST_WINDOW):
        places = np.arange(start, start + width) + 0.5
        found.append((float(np.exp(np.log(places).mean())), values[start : start + width]))
        start, width = start + width, 2 * width
    return found


def _mean(window: Floats) -> float:
    """The mean of numbers, between the least and the greatest however large they are."""
    found = float((window / len(window)).sum() if abs(window).max() > _LARGE else window.mean())
    return min(max(found, float(window.min())), float(window.max()))


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


def _log_gaps(numbers: Floats) -> Floats:
    """Logs ``(N - 1,)`` of the differences of increasing numbers, also of those beyond float64."""
    with np.errstate(over='ignore'):
        gaps = np.diff(numbers)
    logs: Floats = np.log(np.where(np.isfinite(gaps), gaps, np.diff(numbers / 2)))
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
