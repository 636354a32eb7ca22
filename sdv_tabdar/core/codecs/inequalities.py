"""Numbers of which one is never more than another in its row, found before training.

A start is never after its end, a least never above a mean. Columns that are drawn one given the
others keep that nearly, and a reader of the rows sees each one that does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import Table, parts_of, some_numbers
from sdv_tabdar.core.codecs.values import Floats

_FEWEST_ROWS = 20  # with both numbers; fewer show nothing reliably
TELLING, BY_CHANCE = 0.02, 14
"""A share of the rows, and so many, that would be out of an order if cells were mixed."""

Inequality = tuple[int, int]
"""The positions of two columns, of which the first is never more than the second."""


def find_inequalities(frame: Table, codecs: Sequence[Codec]) -> tuple[Inequality, ...]:
    """The pairs of columns of a training table that are in order in all rows.

    A pair counts only where it says something: cells of different rows would often not be in order,
    or it follows from two that do: what is drawn between two numbers has to have room there.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.

    Returns:
        All pairs, also those that follow from two others.
    """
    positions = [place for place, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    numbers = some_numbers(frame, [codecs[place].column.name for place in positions])
    found = [
        (low, high)
        for low in range(len(positions))
        for high in range(len(positions))
        if low != high and _tells(numbers[low], numbers[high])
    ]
    pairs = _with_consequences(found)
    return kept_inequalities(
        frame, codecs, [(positions[low], positions[high]) for low, high in pairs]
    )


def kept_inequalities(
    frame: Table, codecs: Sequence[Codec], inequalities: Sequence[Inequality]
) -> tuple[Inequality, ...]:
    """Those of some pairs of columns that are in order in all rows of a table."""
    names = [codec.column.name for codec in codecs]
    left = list(inequalities)
    wanted = sorted({names[place] for pair in left for place in pair})
    for part in parts_of(frame, wanted) if left else ():
        left = [pair for pair in left if not (part[names[pair[0]]] > part[names[pair[1]]]).any()]
    return tuple(left)


def without_consequences(
    inequalities: Sequence[Inequality], follows: Sequence[tuple[int, int]] = ()
) -> list[Inequality]:
    """The pairs that do not follow from two others, for a person to read.

    Args:
        inequalities: Pairs of columns in order. Of columns that are equal in all rows each has its
            own, as one would follow from the other's, ...
        follows: ... but for those that are told to follow, and what they follow from.
    """
    every = set(inequalities)
    same = {own for own, source in follows if {(own, source), (source, own)} <= every}
    above: dict[int, set[int]] = {}
    for low, high in every:
        if (high, low) not in every:
            above.setdefault(low, set()).add(high)
    return [
        (low, high)
        for low, high in inequalities
        if not same & {low, high}
        and not any(high in above.get(middle, ()) for middle in above.get(low, ()))
    ]


def _with_consequences(inequalities: Sequence[Inequality]) -> list[Inequality]:
    """The pairs and all that follow from two of them."""
    every = dict.fromkeys(inequalities)
    for middle in sorted({place for pair in inequalities for place in pair}):
        lows = [low for low, high in every if high == middle]
        highs = [high for low, high in every if low == middle]
        every.update(dict.fromkeys((low, high) for low in lows for high in highs if low != high))
    return sorted(every)


def _tells(low: Floats, high: Floats) -> bool:
    """Whether some numbers are in order, and would not be if they were of different rows."""
    if (low > high).any():
        return False
    both = ~np.isnan(low + high)
    if both.sum() < _FEWEST_ROWS:
        return False
    failing = np.searchsorted(np.sort(high[both]), low[both]) / both.sum()
    return bool(failing.mean() >= TELLING and failing.sum() >= BY_CHANCE)
