"""Drawn numbers in the ranges that given levels say (``core/codecs/bands.py``).

Of a number that was drawn the level follows. Where the level was given, or asked for, the number
moves into the nearest of its ranges; of a difference one of its columns does, with the other one
as it is.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.bands import Band, in_units
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.told_levels import ToldLevels
from sdv_tabdar.core.restrictions import met_by

_FURTHER = 0.0, 1.0, 2.0, 4.0, 8.0, 16.0
"""Inside a range, in units of what rounding has done, a number is looked for that is in it."""


def lead_into_ranges(levels: ToldLevels, frame: pd.DataFrame) -> Marks:
    """Move numbers into the nearest range of the level asked for.

    Args:
        levels: What is known of the rows.
        frame: Decoded rows, which are written into.

    Returns:
        ``(B, C)``, numbers that were, or would have been, moved.
    """
    led = np.zeros(levels.known.shape, dtype=bool)
    for one in levels.encoder.bands:
        asked = levels.is_asked(one.position)
        for source in _movable(levels, one):
            rows = asked & ~levels.known[:, source]
            if rows.any():
                led[:, source] |= _lead(levels, frame, one, source, rows)
    return led


def _movable(levels: ToldLevels, one: Band) -> list[int]:
    """The columns of a band's numbers, first what no other column makes."""
    made = levels.encoder.relations.results
    return sorted(one.sources, key=lambda at: (at in made, one.sources.index(at)))


def _lead(levels: ToldLevels, frame: pd.DataFrame, one: Band, source: int, rows: Marks) -> Marks:
    """Move one column in some rows ``(B,)``; returns where it has, or had, what is asked."""
    numbers = {at: levels.numbers(frame, at) for at in one.sources}
    codes, before = levels.codes(frame, one), one.numbers(numbers.__getitem__)
    wished = one.moved(before, codes, _limits(levels, one))
    rows, holds = rows & ~np.isnan(wished), one.wanted(before) == codes
    found, entries = numbers[source].copy(), levels.entries(source)
    left = rows & ~holds
    for further in _FURTHER if len(one.sources) > 1 else _FURTHER[:1]:
        moved = _moved(levels, one, source, numbers, wished, further)
        fits = left & (one.wanted(one.numbers((numbers | {source: moved}).__getitem__)) == codes)
        places = np.flatnonzero(fits)
        fits[places] = met_by(entries, places, moved[places])
        found[fits] = moved[fits]
        left &= ~fits
    frame[levels.encoder.schema.names[source]] = found
    return rows & ~left


def _moved(
    levels: ToldLevels,
    one: Band,
    source: int,
    numbers: dict[int, Floats],
    wished: Floats,
    further: float,
) -> Floats:
    """What a column's numbers ``(B,)`` become so that those of the band become what is wished.

    Of a difference that is a number which the column may have, so much further inside.
    """
    if len(one.sources) == 1:
        return wished
    codec = levels.encoder.codecs[source]
    assert isinstance(codec, NumericalCodec)
    first, second = one.sources
    exact = numbers[second] + wished if source == first else numbers[first] - wished
    unit = one.units[one.sources.index(source)]
    near = in_units(codec.contained(exact), unit)
    return in_units(codec.contained(near + further * 2.0 * (exact - near)), unit)


def _limits(levels: ToldLevels, one: Band) -> tuple[float, float]:
    """Between which all numbers of a band are."""
    low, high = levels.encoder.codecs[one.sources[0]].limits
    for at in one.sources[1:]:
        least, most = levels.encoder.codecs[at].limits
        low, high = low - most, high - least
    return low, high
