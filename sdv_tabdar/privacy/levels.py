"""Levels of categorical columns that few rows share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.values import LevelIndex, level_order
from sdv_tabdar.privacy.stand_ins import Beside, Kept
from sdv_tabdar.privacy.threshold import Threshold, generator_of


class NothingKeptError(ValueError):
    """No level of a column is shared by enough rows."""


def protected_levels(
    values: pd.Series,
    threshold: Threshold,
    token: str | None,
    beside: Sequence[Beside] = (),
) -> pd.Series:
    """Levels of a column without those of too few rows.

    Args:
        values: ``(B,)``; missing cells stay missing.
        threshold: How many rows must share a level.
        token: What takes the place of rare levels in a column of text. In other columns, and if
            it is None, another level does, drawn in its share.
        beside: Other columns, with which such a level agrees if they follow from it.

    Returns:
        ``(B,)`` objects, None where missing.

    Raises:
        NothingKeptError: If there is nothing to draw from.
        TypeError: If a value cannot be hashed.
    """
    index, numbers = LevelIndex.of(values)
    levels: Sequence[Hashable] = index.levels
    counts = np.bincount(numbers, minlength=len(levels))
    places, generator = _ordered(levels, counts)
    is_rare = np.zeros(len(levels), dtype=bool)
    is_rare[places] = counts[places] < threshold.blurred(generator, len(places))
    rare = is_rare[numbers]
    cells = np.empty(len(levels) + 1, dtype=object)
    cells[:-1] = levels
    cells[-1] = token
    if rare.any():
        numbers = numbers.copy()
        if token is not None and all(isinstance(levels[place], str) for place in places):
            numbers[rare] = len(levels)
        else:
            kept = places[~is_rare[places]]
            if not len(kept):
                raise NothingKeptError(f'no value is shared by {threshold.rows} rows')
            levels_kept = Kept(numbers, kept, counts[kept])
            numbers[rare] = levels_kept.drawn(np.flatnonzero(rare), beside, generator)
    return pd.Series(cells[numbers], index=values.index, name=values.name, dtype=object)


def _ordered(
    levels: Sequence[Hashable], counts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], np.random.Generator]:
    """Places of the levels but missing, in the order of their values, and random numbers."""
    order = sorted(range(len(levels)), key=lambda place: level_order(levels[place]))
    places = np.array([place for place in order if levels[place] is not None], dtype=np.int64)
    text = '\n'.join(f'{levels[place]!r} {counts[place]}' for place in places)
    return places, generator_of(text.encode('utf-8', 'surrogatepass'))
