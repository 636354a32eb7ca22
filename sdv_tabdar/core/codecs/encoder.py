"""DataFrame -> EncodedTable, column by column; ``decoder.py`` is the way back.

``numerical.py`` and ``categorical.py`` say how numbers and categories are written. Missing cells
have a code in every column in which training data had one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.attributes import with_attributes
from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.checks import check_names, check_training_table
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.decoder import Restrictions, TableDecoder
from sdv_tabdar.core.codecs.echoes import Echo, echoed
from sdv_tabdar.core.codecs.level_places import NO_ORDERS, Orders
from sdv_tabdar.core.codecs.near import with_bins_alone
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.relations import Relations
from sdv_tabdar.core.codecs.stored import StoredTable, Table
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.schema import ColumnKind, Cross, Dependency, Joint, Zeros
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula, Gap

CODECS: Mapping[ColumnKind, type[Codec]] = {
    ColumnKind.NUMERICAL: NumericalCodec,
    ColumnKind.CATEGORICAL: CategoricalCodec,
}
"""The codec of each kind of column."""

_STATE_VERSION = 4
_FORMER_VERSIONS = (2, 3)  # bins without steps, and columns without cycles


class TableEncoder(TableDecoder):
    """Fitted codecs of a table's columns, see :class:`TableDecoder`."""

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

    def with_held(self, places: Iterable[int]) -> TableEncoder:
        """The same, where those of its relations of most rows hold that have such places."""
        return TableEncoder(self.codecs, self.relations.with_held(places))

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


def _selector(rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | slice:
    """What picks these rows; all of them without a copy."""
    return slice(None) if rows.all() else rows
