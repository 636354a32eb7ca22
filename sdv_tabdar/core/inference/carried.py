"""Dates that were drawn beside another one, and go with it where that gives way.

Who came on another day than had been drawn has left so many hours after that all the same. So a
date whose nearest one (:mod:`sdv_tabdar.core.codecs.gaps`) is moved, to so many days behind a third
one or to another weekday, moves by as many days, its time of day with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.inference.movable import Agrees
from sdv_tabdar.core.restrictions import Restriction, met_by


def carried(
    encoder: TableEncoder, moving: Collection[int], held: Collection[int]
) -> dict[int, int]:
    """Columns that go with others which may move, and with which one, by their positions.

    Args:
        encoder: What the table has shown of its columns.
        moving: Those that may move.
        held: Those that go with none, as something else holds them.
    """
    nearest, found = _nearest(encoder), {}
    for position in nearest.keys() - {*moving, *held}:
        seen = {position}
        source = nearest[position]
        while source not in {*moving, *held, *seen}:
            seen.add(source)
            source = nearest.get(source, position)
        if source in moving:
            found[position] = source
    return found


def _nearest(encoder: TableEncoder) -> dict[int, int]:
    """Beside which column each of those with gaps is, by their positions.

    That of the gap which says most, but for one that the copula ties to it more closely.
    """
    found: dict[int, int] = {}
    for gap in sorted(encoder.schema.gaps, key=lambda gap: -gap.gain):
        found.setdefault(gap.first, gap.second)
        found.setdefault(gap.second, gap.first)
    copula = encoder.schema.copula
    if copula is None:
        return found
    ties = np.abs(copula.correlations) - np.eye(len(copula.positions))
    for position, closest in zip(copula.positions, ties.argmax(axis=1).tolist(), strict=True):
        if found.get(position) in copula.positions:
            found[position] = copula.positions[closest]
    return found


def carry(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    steps: Mapping[int, Floats],
    free: Marks,
    restrictions: Mapping[str, Sequence[Restriction | None]],
    agrees: Agrees | None,
) -> None:
    """Move cells by as much as those have moved with which they go, where they may.

    Args:
        encoder: The columns.
        frame: Decoded rows, which are written into.
        steps: ``(B,)`` by the positions of columns, in nanoseconds.
        free: ``(B, C)``, the cells that may move.
        restrictions: By name, what each row's cell may be.
        agrees: Whether numbers of a column agree with known levels; None if all do.
    """
    for position, step in steps.items():
        name = encoder.schema.names[position]
        numbers = as_floats(frame[name])
        moved = numbers + step
        low, high = encoder.codecs[position].limits
        may = free[:, position] & (step != 0) & (moved >= low) & (moved <= high)
        rows = np.flatnonzero(may)
        may[rows] = met_by(restrictions.get(name), rows, moved[rows])
        rows = np.flatnonzero(may)
        if agrees is not None:
            may[rows] = agrees(position, rows, moved[rows])
        frame[name] = np.where(may, moved, numbers)
