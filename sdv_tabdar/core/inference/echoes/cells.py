"""Cells of an encoded table, written: as numbers in the codes of their column, or as echoes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.table import EncodedTable

Rows = npt.NDArray[np.int64]
"""Which rows of a table."""


def can_hold(encoder: TableEncoder, echo: Echo, numbers: Floats) -> Marks:
    """Of which numbers ``(B,)`` of its source, NaN for missing, a column can be the echo.

    What follows in all rows may lie beyond the column's range, if values need not be kept.
    """
    if echo.always and not encoder.keeps_values:
        return ~np.isnan(numbers)
    return echo.line.leads_into(numbers, *encoder.codecs[echo.position].limits)


def write_echoes(encoder: TableEncoder, table: EncodedTable, echo: Echo, rows: Rows) -> None:
    """Make cells of a column echoes."""
    write_code(encoder, table, echo.position, rows, echo.code)


def write_code(
    encoder: TableEncoder, table: EncodedTable, position: int, rows: Rows, code: int
) -> None:
    """Give cells of a column of numbers a code that has no residual."""
    index, place = torch.from_numpy(rows), encoder.schema.numerical.index(position)
    table.codes[index, position] = code
    table.residuals[index, place] = 0


def write_numbers(
    encoder: TableEncoder, table: EncodedTable, position: int, rows: Rows, values: Floats
) -> None:
    """Give the cells of a column in N rows numbers ``(N,)``, written in its own codes."""
    codec, index = encoder.codecs[position], torch.from_numpy(rows)
    place = encoder.schema.numerical.index(position)
    codes, residuals = codec.encode(pd.Series(values, name=codec.column.name))
    table.codes[index, position] = torch.from_numpy(codes).to(table.codes)
    table.residuals[index, place] = torch.from_numpy(residuals).to(table.residuals)
