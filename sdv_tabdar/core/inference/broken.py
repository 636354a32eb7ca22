"""Which finished rows break what holds in all training rows, though not all of it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.rates import rates_of
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.inference.summed import SummedColumns


def num_broken(encoder: TableEncoder, frame: pd.DataFrame, known: Marks) -> Codes:
    """How many relations each row ``(B,)`` breaks of which a cell at least was not given.

    Args:
        encoder: The codes, and which columns follow from which.
        frame: Finished rows, with all columns.
        known: ``(B, C)``, cells that were given.
    """
    found = np.zeros(len(frame), dtype=np.int64)
    for columns, broken in _relations(encoder, frame):
        found += broken & ~known[:, [*columns]].all(axis=1)
    return found


def _relations(encoder: TableEncoder, frame: pd.DataFrame) -> Iterator[tuple[Sequence[int], Marks]]:
    """The columns of each relation, and the rows ``(B,)`` that break it."""
    names = encoder.schema.names

    def numbers(position: int) -> Floats:
        """Those of a column, also if it has levels."""
        cells = frame[names[position]]
        return as_floats(pd.to_numeric(cells, errors='coerce'))

    for low, high in encoder.inequalities:
        yield (low, high), numbers(low) > numbers(high)
    for echo in encoder.echoes:
        own, source = numbers(echo.position), numbers(echo.source)
        if echo.always:
            both = ~(np.isnan(own) | np.isnan(source))
            yield (echo.position, echo.source), both & ~echo.line.holds(own, source)
    summed = SummedColumns(encoder)
    if encoder.sums:
        added = np.stack([numbers(position) for position in summed.columns], axis=1)
        added = summed.with_constants(added)
        for one, total in zip(encoder.sums, summed.balance.totals, strict=True):
            yield one.columns, summed.balance.gaps(added, total) != 0
    for product in encoder.multiplied:
        result, first, second = product.columns
        if second >= 0:
            factor = numbers(second)
        else:
            rate = encoder.rates[-1 - second]
            second = rate.level
            factor = rates_of(rate, encoder.codecs[second], frame[names[second]])
        broken = ~product.holds(numbers(result), numbers(first), factor)
        yield (result, first, second), broken
    for entry in encoder.dependencies:
        pair = entry.determinant, entry.dependent
        codes, follow = (encoder.codecs[at].encode(frame[names[at]])[0] for at in pair)
        wanted = np.array(entry.codes, dtype=np.int64)[codes]
        yield pair, (wanted >= 0) & (wanted != follow)
