"""EncodedTable -> DataFrame, column by column: numbers and levels of codes and residuals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.echoes import source_digits
from sdv_tabdar.core.codecs.formulas import UNITS
from sdv_tabdar.core.codecs.gaps import grids_of, places_of
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.relations import Relations
from sdv_tabdar.core.codecs.value_places import NO_GRID, common_grid, on_grid
from sdv_tabdar.core.codecs.values import Floats, frame_of
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Grid

_STEPS = tuple(UNITS[unit] for unit in ('days', 'hours', 'minutes', 'seconds'))

Restrictions = Mapping[str, Sequence[Restriction | None]]
"""For columns, what each row's cell may be; None = anything."""


class TableDecoder:
    """Fitted codecs of a table's columns, and what these have shown together.

    Attributes:
        codecs: One a column, in order.
        relations: What the table has shown of its columns together; each kind of them but crosses,
            zeros, joints, the copula and gaps, which are the schema's, is an attribute too.
        grids: On which the numbers of columns with gaps are, and dates between which units are
            counted, by their positions.
        schema: The codes of the columns, and which of them never meet.
    """

    def __init__(self, codecs: Sequence[Codec], relations: Relations) -> None:
        """``TableEncoder.fit`` makes one from data."""
        self.codecs, self.relations = tuple(codecs), relations
        self.echoes, self.inequalities = relations.echoes, relations.inequalities
        self.sums, self.dependencies = relations.sums, relations.dependencies
        self.products, self.rates = relations.products, relations.rates
        self.aggregates, self.bands = relations.aggregates, relations.bands
        self.mostly = relations.mostly
        self.calendar_parts, self.choices = relations.calendar_parts, relations.choices
        self.told_by_numbers = relations.told_by_numbers
        self.multiplied, self.keeps_values = relations.multiplied, relations.keeps_values
        of_gaps = grids_of(relations.gaps)
        on_some = {at: grid for at, grid in of_gaps.items() if grid[0]}
        self.grids = {**of_gaps, **_grids_of_times(relations, codecs), **on_some}
        columns = [codec.column for codec in codecs]
        for echo in self.echoes:
            columns[echo.position] = echo.column(columns[echo.position])
        self.schema = TableSchema(
            tuple(columns),
            relations.crosses,
            relations.zeros,
            relations.dependencies,
            relations.joints,
            relations.copula,
            relations.gaps,
            places_of(codecs, of_gaps, self.echoes),
        )
        self._residual_of = {column: place for place, column in enumerate(self.schema.numerical)}
        self._digits = source_digits(self.echoes)

    def codec(self, column: str) -> Codec:
        """The codec of a column.

        Raises:
            ValueError: If there is no such column.
        """
        return self.codecs[self.schema.position(column)]

    def decode(self, table: EncodedTable, *, generator: torch.Generator) -> pd.DataFrame:
        """The table as a DataFrame with a RangeIndex; float64 and object columns.

        Args:
            table: Complete codes and residuals.
            generator: Chooses among levels that share a code.
        """
        codes = table.codes.cpu().numpy().astype(np.int64)
        residuals = table.residuals.cpu().numpy().astype(np.float64)
        zeros = np.zeros(len(codes))
        columns: dict[Hashable, npt.NDArray[Any]] = {}
        for position, codec in enumerate(self.codecs):
            place = self._residual_of.get(position)
            residual = zeros if place is None else residuals[:, place]
            uniforms = _uniforms(len(codes), generator) if codec.needs_uniforms else zeros
            decoded = codec.decode(codes[:, position], residual, uniforms)
            columns[codec.column.name] = self._rounded(position, decoded)
        for position, grid in self.grids.items():  # as they will be written, so that all holds
            name = self.schema.names[position]
            columns[name] = on_grid(columns[name], grid)
        for echo in self.echoes:
            own, source = (self.schema.names[place] for place in (echo.position, echo.source))
            rows = codes[:, echo.position] == echo.code
            columns[own][rows] = echo.line.of(columns[source][rows])
        return frame_of(columns, len(codes))

    def numbers(self, table: EncodedTable, position: int, known: Floats | None = None) -> Floats:
        """The numbers ``(B,)`` of one column of a table; NaN where missing.

        Args:
            table: The table.
            position: The column.
            known: ``(B, C)``, numbers that are known to more digits than residuals have; NaN for
                all other cells.
        """
        place = self._residual_of[position]
        codes = table.codes[:, position].cpu().numpy().astype(np.int64)
        residuals = table.residuals[:, place].cpu().numpy().astype(np.float64)
        decoded = self.codecs[position].decode(codes, residuals, np.zeros(len(codes)))
        found: Floats = self._rounded(position, decoded)
        for echo in self.echoes:
            rows = codes == echo.code
            if echo.position == position and rows.any():
                found[rows] = echo.line.of(self.numbers(table, echo.source, known)[rows])
        if known is None:
            return found
        exact = np.clip(known[:, position], *self.codecs[position].limits)
        return np.where(np.isnan(exact), found, exact)

    def _rounded(self, position: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Decoded cells, with the digits that they have where others of more are the same."""
        if position not in self._digits:
            return values
        low, high = self.codecs[position].limits
        rounded = np.round(values, self._digits[position]) + 0.0  # no -0
        return np.where((rounded >= low) & (rounded <= high), rounded, values)

    def enforce(
        self, frame: pd.DataFrame, restrictions: Restrictions, *, generator: torch.Generator
    ) -> None:
        """Change cells of a decoded table that decoding left outside their restriction.

        Args:
            frame: A decoded table ``(B, C)``; it is written into.
            restrictions: One entry a row for each column named.
            generator: Chooses among allowed levels that share a code.
        """
        for name, entries in restrictions.items():
            codec = self.codec(name)
            values = frame[name].to_numpy(copy=True)
            uniforms = _uniforms(len(values), generator)
            values = codec.enforce_each(values, entries, uniforms)
            frame[name] = pd.Series(values, index=frame.index, dtype=frame[name].dtype)


def _grids_of_times(relations: Relations, codecs: Sequence[Codec]) -> dict[int, Grid]:
    """The grids of dates between which units are counted, by their positions.

    Where whole units are exact, both dates are on one of these; else a date is on whole days,
    hours, minutes or seconds. The ends of a column are numbers of training, so that they hardly are
    on a grid by chance.
    """
    exact, others = dict[int, Grid](), dict[int, Grid]()
    for one in relations.between_dates:
        if not all(isinstance(codecs[at], NumericalCodec) for at in one.factors):
            continue  # levels that are numbers have no ends
        others |= {at: _coarsest_grid(codecs[at]) for at in one.factors}
        if one.formula.is_exact and one.digits[0] == 0:
            ends = [end for at in one.factors for end in codecs[at].limits]
            grid = common_grid(ends, one.formula.scale)
            exact |= {} if grid is None else dict.fromkeys(one.factors, grid)
    return others | exact


def _coarsest_grid(codec: Codec) -> Grid:
    """On which steps of a clock a date is."""
    grids = (common_grid(codec.limits, unit) for unit in _STEPS)
    return next((grid for grid in grids if grid is not None and not grid[1]), NO_GRID)


def _uniforms(size: int, generator: torch.Generator) -> Floats:
    """Uniform numbers ``(size,)`` in [0, 1), float32 in float64."""
    drawn = torch.rand(size, generator=generator, device=generator.device)
    return drawn.cpu().numpy().astype(np.float64)
