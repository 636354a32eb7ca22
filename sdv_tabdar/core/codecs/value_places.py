"""Where numbers lie in the distribution of their column, as functions that are quick to ask.

The codec of a column of numbers says it exactly, number by number; here it is tabulated, for
networks that ask in every step (:mod:`sdv_tabdar.core.gaps`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.tied_columns import Grid, ValuePlaces

NO_GRID: Grid = (0.0, 0.0)
"""That of numbers which are on none."""

_PARTS = 8192  # in which a column without a grid is cut, over all bins
_MOST = 16_384  # numbers of a grid
_NEAR = 5e-6  # of a column, within which numbers are the same, and ...
_OFF = 0.02  # ... of a unit, by which they may be off the grid; both are noise of residuals ...
_ON_GRID = 0.995  # ... but for few
_DIGITS, _PLACES = 6, 4  # of a unit behind its first one, and of what is beside its multiples


def grid_of(numbers: Floats) -> Grid:
    """The grid on which the numbers ``(N,)`` of a column are; a unit of 0 if there is none."""
    ordered = np.unique(numbers)
    extent = float(ordered[-1] - ordered[0])
    steps = np.diff(ordered)
    steps = steps[steps > _NEAR * extent]
    if not len(steps) or not extent / steps.min() < _MOST:
        return NO_GRID
    unit = float(steps.sum() / np.round(steps / steps.min()).sum())
    unit = round(unit, _DIGITS - math.floor(math.log10(unit)))
    beside = (numbers - ordered[0]) / unit
    off = beside - np.round(beside)
    phase = round(float(ordered[0] / unit + np.median(off)) % 1, _PLACES) % 1
    return (unit, phase * unit) if (np.abs(off) < _OFF).mean() > _ON_GRID else NO_GRID


def on_grid(numbers: Floats, grid: Grid) -> Floats:
    """The nearest numbers ``(N,)`` that a grid has; all, if there is none."""
    unit, phase = grid
    return phase + unit * np.round((numbers - phase) / unit) if unit else numbers


def common_grid(numbers: Iterable[float], unit: float) -> Grid | None:
    """The grid of a unit on which some numbers are; None if they are on none."""
    phases = {number % unit for number in numbers}
    return (unit, phases.pop()) if len(phases) == 1 else None


def number_at(codec: NumericalCodec, share: float) -> float:
    """The number that such a share of a column is not above, to a bin."""
    numbers = np.array([*codec.atoms, *(part.high for part in codec.bins)])
    codes = [*range(len(codec.atoms)), *codec.column.bins]
    below = np.array([codec.column.uniform[code][1] for code in codes])
    order = numbers.argsort()
    place = int(np.searchsorted(below[order], share))
    return float(numbers[order[min(place, len(order) - 1)]])


def value_places(codec: NumericalCodec, grid: Grid) -> ValuePlaces:
    """Those of a column with more than one number.

    On a grid each number lies between marks, half way to its neighbours. Else marks are numbers.
    """
    low, high = codec.limits
    if grid[0] and (high - low) / grid[0] < _MOST + 1:
        numbers = np.arange(on_grid(np.array([low]), grid)[0], high + grid[0] / 2, grid[0])
        marks = np.concatenate([numbers - grid[0] / 2, numbers[-1:] + grid[0] / 2])
    else:
        count = max(_PARTS // max(len(codec.bins), 1), 2)
        inside = SIGMA_DATA * ndtri((np.arange(count) + 0.5) / count)
        parts = [codec.atoms, *(part.values(inside) for part in codec.bins)]
        marks = np.unique(np.concatenate([[low, high], *parts]))
        numbers = None
    return ValuePlaces(marks, _up_to_one(_shares_below(codec, marks)), numbers, codec.atoms)


def _up_to_one(shares: Floats) -> Floats:
    """Shares that begin at 0 and end at 1."""
    shares[0], shares[-1] = 0.0, 1.0
    return np.maximum.accumulate(shares)


def _shares_below(codec: NumericalCodec, numbers: Floats) -> Floats:
    """The shares ``(N,)`` of the column that are less than numbers."""
    column, found = codec.column, np.zeros(len(numbers))
    for code, atom in enumerate(codec.atoms):
        found[numbers > atom] = column.uniform[code][1]
    for code, part in zip(column.bins, codec.bins, strict=True):
        low, high = column.uniform[code]
        found[numbers >= part.high] = np.maximum(found[numbers >= part.high], high)
        inside = (numbers > part.low) & (numbers < part.high)
        places = ndtr(part.ends(numbers[inside], is_low=True) / SIGMA_DATA)
        found[inside] = low + (high - low) * places
    return found
