"""DataFrame <-> EncodedTable, column by column.

``numerical.py`` and ``categorical.py`` say how numbers and categories are written. Missing cells
have a code in every column in which training data had one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.attributes import with_attributes
from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.checks import check_names, check_training_table
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.echoes import Echo, echoed, source_digits
from sdv_tabdar.core.codecs.gaps import grids_of, places_of
from sdv_tabdar.core.codecs.level_places import NO_ORDERS, Orders
from sdv_tabdar.core.codecs.near import with_bins_alone
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.relations import Relations
from sdv_tabdar.core.codecs.stored import StoredTable, Table
from sdv_tabdar.core.codecs.value_places import on_grid
from sdv_tabdar.core.codecs.values import Floats, as_floats, frame_of
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.schema import ColumnKind, Cross, Dependency, Joint, TableSchema, Zeros
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula, Gap

CODECS: Mapping[ColumnKind, type[Codec]] = {
    ColumnKind.NUMERICAL: NumericalCodec,
    ColumnKind.CATEGORICAL: CategoricalCodec,
}
"""The codec of each kind of column."""

_STATE_VERSION = 4
_FORMER_VERSIONS = (2, 3)  # bins without steps, and columns without cycles

Restrictions = Mapping[str, Sequence[Restriction | None]]
"""For columns, what each row's cell may be; None = anything."""


class TableEncoder:
    """Fitted codecs of a table's columns.

    Attributes:
        codecs: One a column, in order.
        relations: What the table has shown of its columns together; each kind of them but crosses,
            zeros, joints, the copula and gaps, which are the schema's, is an attribute too.
        grids: On which the numbers of columns with gaps are, by their positions.
        schema: The codes of the columns, and which of them never meet.
    """

    def __init__(self, codecs: Sequence[Codec], relations: Relations) -> None:
        """Use :meth:`fit` to make one from data."""
        self.codecs, self.relations = tuple(codecs), relations
        self.echoes, self.inequalities = relations.echoes, relations.inequalities
        self.sums, self.dependencies = relations.sums, relations.dependencies
        self.products, self.rates = relations.products, relations.rates
        self.aggregates, self.bands = relations.aggregates, relations.bands
        self.calendar_parts, self.choices = relations.calendar_parts, relations.choices
        self.told_by_numbers = relations.told_by_numbers
        self.multiplied, self.keeps_values = relations.multiplied, relations.keeps_values
        self.grids = grids_of(relations.gaps)
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
            places_of(codecs, self.grids, self.echoes),
        )
        self._residual_of = {column: place for place, column in enumerate(self.schema.numerical)}
        self._digits = source_digits(self.echoes)

    @classmethod
    def fit(
        cls,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        config: ModelConfig,
        replaced: pd.DataFrame | None = None,
        orders: Orders = NO_ORDERS,
    ) -> TableEncoder:
        """Learn codes from a table.

        Args:
            frame: The training table.
            kinds: Kind of each of its columns.
            config: For ``max_atoms``, ``num_bins``, ``max_categories``, ``ordered_levels``,
                ``echoes``, ``inequalities``, ``sums`` and ``products``.
            replaced: As in ``TabDAR.fit``.
            orders: Likewise.

        Raises:
            ValueError: If the table has no rows or columns, a numerical column holds infinite
                values, a name occurs twice or a column has no kind.
            TypeError: If a numerical column holds something that is not a number, a value of a
                categorical one cannot be hashed or a column name is not a string.
        """
        check_training_table(frame, kinds)
        codecs = [
            CODECS[kinds[name]].fit(name, frame[name], config, orders.get(name, ()))
            for name in frame.columns
        ]
        codecs = with_bins_alone(frame, codecs, config)
        relations = Relations.find(frame, codecs, config, replaced)
        attributed = with_attributes(frame, codecs, config, relations, replaced)
        if attributed != codecs:  # what a range of such a number says follows from its atoms
            relations = Relations.find(frame, attributed, config, replaced)
        return cls(attributed, relations)

    def grown(
        self,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        config: ModelConfig,
        replaced: pd.DataFrame | None = None,
        orders: Orders = NO_ORDERS,
    ) -> TableEncoder:
        """The encoder to go on with when training goes on with a table of other rows.

        Args:
            frame: The table that training goes on with.
            kinds: Kind of each of its columns.
            config: As in :meth:`fit`.
            replaced: Likewise.
            orders: Likewise.

        Raises:
            ValueError: As :meth:`fit`, or if the columns or their kinds are others.
            TypeError: As :meth:`fit`.
        """
        check_training_table(frame, kinds)
        before = {codec.column.name: codec.column.kind for codec in self.codecs}
        now = {name: kinds[name] for name in frame.columns}
        if now != before:
            changed = sorted({name for name, _ in {*now.items()} ^ {*before.items()}})
            raise ValueError(
                f'Training cannot go on with this table: its columns {changed} are not those of '
                'the table before, or are of another kind. Fit it anew, without warm_start.'
            )
        names = [codec.column.name for codec in self.codecs]
        codecs = [
            codec.grown(frame[name], config, orders.get(name, ()))
            for name, codec in zip(names, self.codecs, strict=True)
        ]
        return TableEncoder(codecs, self.relations.kept(frame, codecs, replaced))

    def codes_in(self, before: TableEncoder) -> list[torch.Tensor]:
        """For each column the code ``(K,)`` that each of its codes had before; -1 for none.

        ``before`` is the encoder that this one has :meth:`grown` from.
        """
        pairs = zip(self.codecs, before.codecs, strict=True)
        found = [codec.codes_in(earlier) for codec, earlier in pairs]
        for echo, earlier in zip(self.echoes, before.echoes, strict=True):
            found[echo.position] = np.append(found[echo.position], earlier.code)
        return [torch.from_numpy(codes) for codes in found]

    def with_relations(
        self,
        crosses: Sequence[Cross],
        dependencies: Sequence[Dependency] = (),
        zeros: Sequence[Zeros] = (),
        joints: Sequence[Joint] = (),
        copula: Copula | None = None,
        gaps: Sequence[Gap] = (),
    ) -> TableEncoder:
        """The same codecs, with what the codes of the table have shown."""
        relations = dataclasses.replace(
            self.relations,
            crosses=tuple(crosses),
            dependencies=tuple(dependencies),
            zeros=tuple(zeros),
            joints=tuple(joints),
            copula=copula,
            gaps=tuple(gaps),
        )
        return TableEncoder(self.codecs, relations)

    def codec(self, column: str) -> Codec:
        """The codec of a column.

        Raises:
            ValueError: If there is no such column.
        """
        return self.codecs[self.schema.position(column)]

    def encode_all(self, frame: Table) -> EncodedTable:
        """Encode all cells of the training table; of one in files, to files."""
        if isinstance(frame, StoredTable):
            return frame.encoded(self.codecs, self.code_dtype, self.echoes)
        return self.encode(frame, np.ones(frame.shape, dtype=bool))

    def encode(self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_]) -> EncodedTable:
        """Encode the observed cells of a table; hidden ones get code 0.

        Args:
            frame: Any of the fitted columns; the others are hidden.
            observed: ``(B, len(frame.columns))``, True = the cell's value is to be encoded.

        Raises:
            ValueError: If an observed cell cannot be written in the fitted codes, a column is
                unknown or occurs twice.
        """
        check_names(frame)
        shape = (len(frame), len(self.codecs))
        codes = np.zeros(shape, dtype=self.code_dtype)
        residuals = np.zeros((len(frame), len(self._residual_of)), dtype=np.float32)
        known = self.by_position(frame, observed)
        for source, name in enumerate(frame.columns):
            position = self.schema.position(name)
            rows = _selector(observed[:, source])
            cells = frame[name][rows]
            if not len(cells):
                continue
            codes[rows, position], residual = self.codecs[position].encode(cells)
            if position in self._residual_of:
                residuals[rows, self._residual_of[position]] = residual
        for echo, same in self._echoed(frame, known).items():
            codes[same, echo.position] = echo.code
            residuals[same, self._residual_of[echo.position]] = 0
        return EncodedTable(
            torch.from_numpy(codes),
            torch.from_numpy(residuals),
            torch.from_numpy(known),
        )

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
        for position, grid in self.grids.items():  # as they will be written, so that gaps stay
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

    def restrict(self, restrictions: Restrictions) -> dict[int, list[Pieces | None]]:
        """Restrictions in codes and residuals, by the position of their column.

        Equal restrictions of a column become the same object.

        Raises:
            ValueError: If a column is unknown, or a restriction allows nothing that training
                contained.
        """
        pieces: dict[int, list[Pieces | None]] = {}
        for name, entries in restrictions.items():
            position = self.schema.position(name)
            codec = self.codecs[position]
            distinct = list(dict.fromkeys(entry for entry in entries if entry is not None))
            found: dict[Restriction | None, Pieces | None] = {None: None}
            found.update(zip(distinct, codec.restrict_each(distinct), strict=True))
            pieces[position] = [found[entry] for entry in entries]
        return pieces

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

    def log_volume(self, frame: pd.DataFrame, known: npt.NDArray[np.bool_]) -> Floats:
        """What turns log-likelihoods in codes and residuals into those in the frame's values.

        Args:
            frame: Any of the fitted columns.
            known: ``(B, C)``, cells that count; those of columns absent from ``frame`` do not.

        Returns:
            ``(B, C)`` in nats: :meth:`Codec.log_volume` of the cells that count, 0 for the others.
        """
        volumes = np.zeros(known.shape)
        for name in frame.columns:
            position = self.schema.position(name)
            rows = known[:, position]
            volumes[rows, position] = self.codecs[position].log_volume(frame[name][rows])
        for echo, same in self._echoed(frame, known).items():
            volumes[same, echo.position] = 0.0
        return volumes

    def excluded(
        self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Which observed cells have a number without probability, see ``TabDAR.excluded``."""
        positions = [self.schema.position(name) for name in frame.columns]
        found = np.isneginf(self.log_volume(frame, self.by_position(frame, observed)))
        return found[:, positions]

    def by_position(
        self, frame: pd.DataFrame, known: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Which cells of the whole table ``(B, C)`` are known, by those of a frame's columns.

        Args:
            frame: Any of the fitted columns.
            known: ``(B, len(frame.columns))``.
        """
        found = np.zeros((len(frame), len(self.codecs)), dtype=bool)
        found[:, [self.schema.position(name) for name in frame.columns]] = known
        return found

    def _echoed(
        self, frame: pd.DataFrame, known: npt.NDArray[np.bool_]
    ) -> dict[Echo, npt.NDArray[np.int64]]:
        """The rows in which both cells of an echo are known ``(B, C)`` and it holds."""
        names, found = self.schema.names, {}
        for echo in self.echoes:
            own, source = names[echo.position], names[echo.source]
            both = known[:, echo.position] & known[:, echo.source]
            if both.any():
                cells = (as_floats(frame[name][both]) for name in (own, source))
                rows = echoed(self.codecs[echo.position], echo, *cells)
                found[echo] = np.flatnonzero(both)[rows]
        return found

    def to_state(self) -> dict[str, Any]:
        """Everything fitted as plain values, arrays and the user's levels."""
        return {
            'version': _STATE_VERSION,
            'codecs': [codec.to_state() for codec in self.codecs],
            **self.relations.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TableEncoder:
        """The encoder that :meth:`to_state` described.

        Raises:
            ValueError: If another version of the format was written.
        """
        if state['version'] not in (*_FORMER_VERSIONS, _STATE_VERSION):
            raise ValueError(
                f'The columns of this model were saved in format {state["version"]}; this version '
                f'of sdv_tabdar reads formats {_FORMER_VERSIONS[0]} to {_STATE_VERSION}. Fit the '
                'model again, or install the version that saved it.'
            )
        kinds = [ColumnKind(codec['column']['kind']) for codec in state['codecs']]
        codecs = [
            CODECS[kind].from_state(codec)
            for kind, codec in zip(kinds, state['codecs'], strict=True)
        ]
        return cls(codecs, Relations.from_state(state))

    @property
    def calculated(self) -> frozenset[int]:
        """The positions of columns of sums, aggregates, products, rates and choices.

        But for levels.
        """
        summed = {place for one in self.sums for place in one.columns}
        summed |= {place for one in self.aggregates for place in one.columns}
        summed |= {place for one in self.choices for place in (one.result, *one.sources)}
        return frozenset(summed).union(
            place for one in self.multiplied for place in one.columns if place >= 0
        )

    @property
    def code_dtype(self) -> type[np.integer[Any]]:
        """The smallest integer type that holds every code."""
        most = max(column.num_codes for column in self.schema.columns)
        for dtype in (np.uint8, np.int16):
            if most <= np.iinfo(dtype).max + 1:
                return dtype
        return np.int32


def _uniforms(size: int, generator: torch.Generator) -> Floats:
    """Uniform numbers ``(size,)`` in [0, 1), float32 in float64."""
    drawn = torch.rand(size, generator=generator, device=generator.device)
    return drawn.cpu().numpy().astype(np.float64)


def _selector(rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | slice:
    """What picks these rows; all of them without a copy."""
    return slice(None) if rows.all() else rows
