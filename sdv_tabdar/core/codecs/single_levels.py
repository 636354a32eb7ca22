"""Single levels of columns of few: in which rows they are, and where something holds in all.

What holds in no rows but those of a level (who has paid a loan has paid all of its rates) is found
by :mod:`.mostly` in samples of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.table_parts import Table, code_parts_of, some_codes
from sdv_tabdar.core.codecs.values import Codes

FEW = 10
"""Levels of a column of which single ones are looked at."""

_MOST_OF = 0.95  # of a level's rows, in which something holds that holds in it
_FEWEST_ROWS = 100  # of a level
_LEAST = 0.1  # of all rows, that a level has of which samples are looked at


def has_few(codec: Codec, most: int = FEW) -> bool:
    """Whether a column has a few levels, or numbers, and no bins."""
    return 1 < codec.column.num_codes <= most and not codec.column.bins


def rows_of_levels(frame: Table, codecs: Sequence[Codec], step: int) -> Iterator[Marks]:
    """Which of every so many rows ``(rows,)`` have a level that many have; of few levels first."""
    few = sorted(
        (codec for codec in codecs if has_few(codec)),
        key=lambda codec: codec.column.num_codes,
    )
    for codes in some_codes(frame, few, step, None) if few else ():
        for code, count in enumerate(np.bincount(codes).tolist()):
            if _LEAST * len(codes) <= count < len(codes):
                yield codes == code


def rows_of_holding_levels(
    frame: Table,
    codecs: Sequence[Codec],
    left_out: Collection[int],
    holds: Marks,
    known: Marks,
) -> Marks:
    """The rows ``(rows,)`` of levels in nearly all of which something holds, if there are any.

    Of the column whose levels of this kind have most rows.

    Args:
        frame: The table.
        codecs: One for each of its columns.
        left_out: Positions of columns whose levels are not looked at.
        holds: ``(rows,)``, where it holds, and ...
        known: ... where it may.
    """
    found = np.zeros(len(known), dtype=bool)
    for place, codec in enumerate(codecs):
        if place in left_out or not has_few(codec):
            continue
        codes = codes_of(frame, codec)
        size = codec.column.num_codes
        counts, holding = (np.bincount(codes[rows], minlength=size) for rows in (known, holds))
        chosen = (holding >= _MOST_OF * counts) & (holding >= _FEWEST_ROWS)
        rows = chosen[codes]
        if rows.sum() > found.sum():
            found = rows
    return found


def codes_of(frame: Table, codec: Codec) -> Codes:
    """The codes of a column in all rows."""
    parts = [part[codec.column.name] for part in code_parts_of(frame, [codec])]
    return np.concatenate(parts).astype(np.int64)
