"""Very large and very small numbers in units in which they can be measured.

Trees and other classifiers hold numbers in 32 bits, in which 1e-50 is 0, and squares of 1e200 are
too large for 64, those of 1e-200 too small. No score but an error in the units of its column
depends on units, so that such a column gets others.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes

LARGEST = 2.0**64
"""Columns up to this stay as they are: whole numbers of 64 bits and dates in nanoseconds do."""
SMALLEST = 1 / LARGEST
"""Columns without a number of this size get a unit, too."""
LEAST_POWER = -300
"""Of units: smaller powers of ten are no floats, or not with all their digits."""


def in_units(
    frames: Mapping[str, pd.DataFrame], columns: ColumnTypes
) -> tuple[dict[str, pd.DataFrame], dict[str, float]]:
    """Canonical frames without numbers beyond `LARGEST`, or columns that are below `SMALLEST`.

    The unit of a large column is a power of ten like its median size in the first frame. What is
    larger still counts as `LARGEST` units, so that one huge number does not make the others alike.
    That of a small column is a power of ten like the largest number of all frames.

    Args:
        frames: Canonical frames by name, the first of which decides on large units.
        columns: The measured columns.

    Returns:
        The frames, and the units of those columns that have another than 1.
    """
    found = dict(frames)
    units: dict[str, float] = {}
    for column in columns.numbers:
        largest = max(_largest(frame[column]) for frame in frames.values())
        if largest == 0 or SMALLEST <= largest <= LARGEST:
            continue
        if largest > LARGEST:
            unit = _unit(next(iter(frames.values()))[column])
        else:
            unit = 10.0 ** max(np.floor(np.log10(largest)), LEAST_POWER)
        if unit != 1:
            units[column] = unit
        for name, frame in found.items():
            found[name] = frame.copy(deep=False)
            found[name][column] = (frame[column] / unit).clip(-LARGEST, LARGEST)
    return found, units


def _largest(values: pd.Series) -> float:
    """The largest size of a number, 0 if there is none."""
    return float(values.abs().max()) if values.notna().any() else 0.0


def _unit(values: pd.Series) -> float:
    """A power of ten near the middle size of numbers, 1 where that is not beyond `LARGEST`."""
    sizes = values[values.notna() & (values != 0)].abs()
    if not len(sizes):
        return 1.0
    # Of logarithms, as the mean of the two in the middle may be too large itself.
    power = float(np.median(np.log10(sizes)))
    return 10.0 ** np.floor(power) if power > np.log10(LARGEST) else 1.0
