"""Levels that follow from how two numbers compare in all rows, found before training.

A delivery after the promised day is late, costs above the revenue are a loss, and who has more
goals has won. The difference of two columns is in a range then (:mod:`.bands`), of which most often
one ends at 0. Either column by itself says little of it, and a network that draws both of them
nearly right does not know on which side of each other they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.bands import Band, Sources, bands_among, has_levels, one_of_each, there
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import Table, numbers_of, some_codes, some_numbers
from sdv_tabdar.core.codecs.values import Codes, Floats

_MOST_COLUMNS = 60  # of numbers, of which pairs are looked at
_MOST_RANGES = 5
_LOOKED_AT = 1000  # rows of a first look


def find_comparisons(
    frame: Table,
    codecs: Sequence[Codec],
    told: Collection[int] = (),
    replaced: pd.DataFrame | None = None,
) -> tuple[Band, ...]:
    """The levels of a training table that follow from the difference of two numbers in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        told: Positions of columns that follow from others in another way.
        replaced: As in ``TabDAR.fit``; such cells say nothing.

    Returns:
        One at most of a column: of several pairs that say it, of few ranges.
    """
    levels = [at for at, codec in enumerate(codecs) if has_levels(codec) and at not in told]
    pairs = _pairs(codecs) if levels else []
    likely = {*_likely(frame, codecs, levels, pairs, replaced)}
    found = bands_among(frame, codecs, likely, replaced)
    return one_of_each(found, lambda one: (not one.is_at_zero, len(one.codes), one.sources))


def _pairs(codecs: Sequence[Codec]) -> list[Sources]:
    """The pairs of columns of numbers that may be compared: of some numbers both have a part."""
    places = [at for at, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    return [
        (first, second)
        for first, second in itertools.combinations(places[:_MOST_COLUMNS], 2)
        if max(codecs[first].limits[0], codecs[second].limits[0])
        < min(codecs[first].limits[1], codecs[second].limits[1])
    ]


def _likely(
    frame: Table,
    codecs: Sequence[Codec],
    levels: Sequence[int],
    pairs: Sequence[Sources],
    replaced: pd.DataFrame | None,
) -> Iterator[tuple[int, Sources]]:
    """Columns of levels with the pairs of which some rows do not show that they say nothing."""
    if not pairs:
        return
    places = sorted({at for pair in pairs for at in pair})
    names, step = [codecs[at].column.name for at in places], max(len(frame) // _LOOKED_AT, 1)
    rows = some_numbers(numbers_of(frame, names, replaced), names, step)
    numbers = dict(zip(places, rows, strict=True))
    coded = some_codes(frame, [codecs[at] for at in levels], step, replaced)
    present = [there(codecs[at], codes) for at, codes in zip(levels, coded, strict=True)]
    codes = np.where(present, coded, -1)
    for first, second in pairs:
        for place in _in_ranges(numbers[first] - numbers[second], codes):
            if levels[place] not in (first, second):
                yield levels[place], (first, second)


def _in_ranges(numbers: Floats, codes: Codes) -> list[int]:
    """The columns of codes ``(C, B)``, -1 for none, of which numbers ``(B,)`` may have few ranges.

    A change beside a cell without a code is not counted; one between equal numbers contradicts it.
    """
    order = np.argsort(numbers)[: np.count_nonzero(~np.isnan(numbers))]
    before, after = codes[:, order[:-1]], codes[:, order[1:]]
    changes = (before != after) & (before >= 0) & (after >= 0)
    are_equal = numbers[order[:-1]] == numbers[order[1:]]
    counts = changes[:, ~are_equal].sum(axis=1)
    return np.flatnonzero((counts < _MOST_RANGES) & ~changes[:, are_equal].any(axis=1)).tolist()
