"""What the numbers of a bin are multiples of.

People round: to hundreds where amounts are large, to the nearest ten where they are not. In a bin
whose numbers all lie on such a grid, so do the drawn ones.
"""

from __future__ import annotations

import math

import numpy as np

from sdv_tabdar.core.codecs.values import Floats

_EXACT = float(2**53)  # whole numbers up to here are exact
_LEAST_DISTINCT = 4
_EVIDENCE = 14.0  # nats against numbers of a finer grid that lie on a coarser one by chance


def are_whole(values: Floats) -> bool:
    """Whether all of some numbers are whole, and small enough to be exact."""
    return bool((np.abs(values) < _EXACT).all() and (values == np.rint(values)).all())


def common_step(values: Floats, *, is_whole: bool) -> float:
    """The whole number of which all of some sorted numbers are multiples, or 0.

    Args:
        values: ``(N,)``, of one bin.
        is_whole: Whether all numbers of the column are whole. If so, whole ones are no grid of
            their own.
    """
    distinct = np.unique(values)
    if len(distinct) < _LEAST_DISTINCT or not are_whole(distinct):
        return 0.0
    step = math.gcd(*distinct.astype(np.int64).tolist())
    times_finer = step if is_whole else 10 * step
    return float(step) if len(distinct) * math.log(times_finer) > _EVIDENCE else 0.0


def nearest_multiples(values: Floats, step: float, low: float, high: float) -> Floats:
    """The multiples of ``step`` between two ends that are nearest to some numbers."""
    found: Floats = np.rint(values / step).clip(math.ceil(low / step), math.floor(high / step))
    return found * step


def around_multiples(lows: Floats, highs: Floats, step: float) -> tuple[Floats, Floats]:
    """Intervals that become the multiples of ``step`` in some others, once they are rounded.

    An interval without a multiple stays as it is.
    """
    first, last = np.ceil(lows / step), np.floor(highs / step)
    holds = first <= last
    return (
        np.where(holds, (first - 0.5) * step, lows),
        np.where(holds, (last + 0.5) * step, highs),
    )
