"""Bins of a numerical column: how they are cut, and where in its bin a number lies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.diffusion import SIGMA_DATA

_FEW_BINS = 16  # with fewer bins the outermost ones are not halved
_MIN_END_COUNT = 32  # least numbers in a half of an outermost bin
_MAX_KNOTS = 1024  # quantiles kept of a column, over all bins
_VALUES_PER_KNOT = 8  # with fewer the density between two knots would be mostly noise
_BORDER = 0.1  # mass beyond the end of a bin that borders on another, in training rows


@dataclasses.dataclass(frozen=True, eq=False)
class Bin:
    """An interval of numbers, and the map between it and residuals.

    A number's *place* is its share of the bin's training numbers, in (0, 1); the residual is the
    normal score of the place, times ``SIGMA_DATA``. Between knots the map is linear, in float64.

    Attributes:
        knots: ``(N,)`` some of the bin's training values, sorted, and where it borders on another
            bin the middle between the two. Equal knots are a number that occurs often.
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

    Knots are training values of equally spaced ranks; towards the column's own ends also those
    of ranks 1, 2, 4, ..., without which a tail would be a single straight piece. Where two parts
    meet, the space between them belongs half to either.
    """
    part, is_first, is_last = parts[number], number == 0, number == len(parts) - 1
    ranks = _ranks(len(part), most, low_end=is_first, high_end=is_last)
    knots, places = part[ranks], (ranks + 0.5) / len(part)
    if not is_first:
        knots = np.append(_middle(parts[number - 1][-1], part[0]), knots)
        places = np.append(_BORDER / len(part), places)
    if not is_last:
        knots = np.append(knots, _middle(part[-1], parts[number + 1][0]))
        places = np.append(places, 1 - _BORDER / len(part))
    return Bin(knots, places)


def _ranks(size: int, most: int, *, low_end: bool, high_end: bool) -> npt.NDArray[np.int64]:
    """Ranks, from 0, of the values of a part that become knots."""
    number = min(max(size // _VALUES_PER_KNOT, 2), most, size)
    ranks = np.linspace(0, size - 1, number).round().astype(np.int64)
    doubling = 2 ** np.arange(max(size - 1, 1).bit_length()) - 1
    tails = [doubling] * low_end + [size - 1 - doubling] * high_end
    found = np.unique(np.concatenate([ranks, *tails]))
    return found[(found >= 0) & (found < size)]


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


def _middle(low: float, high: float) -> float:
    """The middle of two numbers, however large."""
    total = float(low) + float(high)
    return total / 2 if np.isfinite(total) else low / 2 + high / 2
