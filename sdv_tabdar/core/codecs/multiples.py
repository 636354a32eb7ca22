"""What the numbers of a bin are multiples of.

People round: to hundreds where amounts are large, to the nearest ten where they are not, prices to
five cents. In a bin whose numbers all lie on such a grid, so do the drawn ones.
"""

from __future__ import annotations

import math

import numpy as np

from sdv_tabdar.core.codecs.values import Floats

MOST_DIGITS = 6
"""Decimals of a grid at most."""

_EXACT = float(2**53)  # whole numbers up to here are exact
_LEAST_DISTINCT = 4
_SLACK = 1e-9  # steps by which a multiple may miss the end of an interval
_EVIDENCE = 14.0  # nats against numbers of a finer grid that lie on a coarser one by chance


def decimals(values: Floats) -> int:
    """How many decimals some numbers have; one more than a grid may have if they have more."""
    for digits in range(MOST_DIGITS + 1):
        scaled = values * 10.0**digits
        if not (np.abs(scaled) < _EXACT).all():
            break
        if (np.rint(scaled) / 10.0**digits == values).all():
            return digits
    return MOST_DIGITS + 1


def common_step(values: Floats, digits: int) -> float:
    """The number of which all of some sorted numbers are multiples, or 0.

    Args:
        values: ``(N,)``, of one bin.
        digits: Decimals of the column, whose grid is none of its own.
    """
    distinct = np.unique(values)
    own = decimals(distinct)
    if len(distinct) < _LEAST_DISTINCT or own > MOST_DIGITS:
        return 0.0
    counts = np.rint(distinct * 10.0**own).astype(np.int64)
    common = math.gcd(*counts.tolist())
    times_finer = common * 10.0 ** (digits - own)
    return common / 10.0**own if len(distinct) * math.log(times_finer) > _EVIDENCE else 0.0


def nearest_multiples(values: Floats, step: float, low: float, high: float) -> Floats:
    """The multiples of ``step`` between two ends that are nearest to some numbers."""
    first, last = _between(np.array([low]), np.array([high]), step)
    found: Floats = np.rint(values / step).clip(first, last) * step
    return found if step == round(step) else np.round(found, MOST_DIGITS)


def around_multiples(lows: Floats, highs: Floats, step: float) -> tuple[Floats, Floats]:
    """Intervals that become the multiples of ``step`` in some others, once they are rounded.

    An interval without a multiple stays as it is.
    """
    first, last = _between(lows, highs, step)
    holds = first <= last
    return (
        np.where(holds, (first - 0.5) * step, lows),
        np.where(holds, (last + 0.5) * step, highs),
    )


def _between(lows: Floats, highs: Floats, step: float) -> tuple[Floats, Floats]:
    """The least and the greatest multiple in intervals, in steps."""
    return np.ceil(lows / step - _SLACK), np.floor(highs / step + _SLACK)
