"""What relations must not make of a number (``TableEncoder.keeps_values``), and where they may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.restrictions import Restriction


def implied(encoder: TableEncoder, known: Marks) -> Marks:
    """Known cells ``(B, C)``, and those that are the last of a sum or a product of known ones.

    What they are follows from what was asked, so that they tell nothing of training rows.

    Args:
        encoder: The codes, and which columns are sums and products.
        known: ``(B, C)``, cells that were given.
    """
    found, relations = known.copy(), [one.columns for one in encoder.sums]
    relations += [one.columns for one in encoder.products]
    relations += [one.columns for one in encoder.rates]
    for _ in relations:
        before = found.copy()
        for columns in relations:
            is_last = (~found[:, columns]).sum(axis=1) == 1
            found[np.ix_(is_last, np.array(columns))] = True
        if np.array_equal(found, before):
            break
    return found


def contain(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    known: Marks,
    restrictions: Mapping[str, Sequence[Restriction | None]],
) -> None:
    """Move numbers that nobody has asked for to the nearest ones that their columns have.

    Args:
        encoder: The codes; nothing is moved if values need not be kept.
        frame: Any of the fitted columns; it is written into.
        known: ``(B, C)``, cells that were given.
        restrictions: By name, what each row's cell may be.
    """
    if not encoder.keeps_values:
        return
    stays = implied(encoder, known)
    for name, entries in restrictions.items():
        is_asked = np.array([entry is not None for entry in entries], dtype=bool)
        stays[is_asked, encoder.schema.position(name)] = True
    for position, codec in enumerate(encoder.codecs):
        if isinstance(codec, NumericalCodec) and codec.column.name in frame:
            numbers = frame[codec.column.name].to_numpy()
            found = np.where(stays[:, position], numbers, codec.contained(numbers))
            if not np.array_equal(found, numbers, equal_nan=True):
                frame[codec.column.name] = found
