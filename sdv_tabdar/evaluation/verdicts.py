"""Verdicts that several metrics share: a score in multiples of its floor, or below real rows.

The limits are rules of thumb for readers, not tests; the numbers stand next to them.
"""

from __future__ import annotations

import math

from sdv_tabdar.evaluation.metric import Mood, Reading, Verdict

_FEW = 0.001  # of the rows, which few readers would come upon


def times_floor(reading: Reading) -> Verdict | None:
    """An error in multiples of its floor."""
    return multiple(reading, 'the floor', fair=1.5, poor=3.0)


def below_real(reading: Reading) -> Verdict | None:
    """How far a score, of which more is better, is below that of real rows."""
    if not math.isfinite(reading.floor):
        return None
    below = reading.floor - reading.value
    if below <= 0.002:
        return Verdict('as good as real rows', 'good')
    mood: Mood = 'good' if below <= 0.01 else 'fair' if below <= 0.05 else 'poor'
    return Verdict(f'{below:.3f} below real rows', mood)


def impossible_rows(reading: Reading) -> Verdict:
    """How many rows cannot exist."""
    if reading.value == 0:
        return Verdict('no such row', 'good')
    if reading.value <= max(_FEW, reading.floor):  # a floor of NaN is no number to compare with
        return Verdict('hardly any row', 'good')
    return Verdict('rows that cannot exist', 'fair' if reading.value <= 10 * _FEW else 'poor')


def multiple(reading: Reading, what: str, *, fair: float, poor: float) -> Verdict | None:
    """An error in multiples of something.

    Args:
        reading: The error and its floor.
        what: What the floor is called.
        fair: The multiple above which it is only fair.
        poor: The multiple above which it is poor.
    """
    if not reading.floor > 0:
        return None
    ratio = reading.value / reading.floor
    if ratio <= 1.02:
        return Verdict(f'at {what}', 'good', beyond=ratio < 0.9)
    mood: Mood = 'good' if ratio <= fair else 'fair' if ratio <= poor else 'poor'
    return Verdict(f'{ratio:.2g} times {what}', mood)
