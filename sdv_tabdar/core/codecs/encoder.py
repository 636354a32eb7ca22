"""DataFrame <-> EncodedTable, column by column.

How numbers and categories are written is told in ``numerical.py`` and
``categorical.py``. Missing cells have a code wherever training data had one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.categorical import CategoricalCodec, fit_categorical
from sdv_tabdar.core.codecs.numerical import NumericalCodec, fit_numerical
from sdv_tabdar.core.codecs.values import SHOWN, Floats, as_floats, frame_of
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable

Codec = NumericalCodec | CategoricalCodec


class TableEncoder:
    """Fitted codecs of a table's columns."""

    def __init__(self, codecs: Sequence[Codec]) -> None:
        """Use :meth:`fit` to make one from data."""
        self.codecs = tuple(codecs)
        self.schema = TableSchema(tuple(codec.column for codec in codecs))

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, kinds: Mapping[Any, ColumnKind], config: ModelConfig
    ) -> TableEncoder:
        """Learn codes from a table.

        Args:
            frame: The training table.
            kinds: Kind of each of its columns.
            config: For ``max_atoms``, ``num_bins`` and ``max_categories``.

        Raises:
            ValueError: If the table has no rows or columns, a numerical column holds infinite
                values, a name occurs twice or a column has no kind.
            TypeError: If a numerical column holds something that is not a number, a value of a
                categorical one cannot be hashed or a column name is not a string.
        """
        if not len(frame) or not len(frame.columns):
            raise ValueError(
                f'The table to fit has {len(frame)} rows and {len(frame.columns)} columns; it '
                'needs at least one of each.'
            )
        _check_names(frame)
        absent = [name for name in frame.columns if not isinstance(kinds.get(name), ColumnKind)]
        if absent:
            raise ValueError(
                f'The columns {absent} have no kind. Give a ColumnKind for each column.'
            )
        return cls(
            [
                fit_numerical(name, as_floats(frame[name]), config)
                if kinds[name] is ColumnKind.NUMERICAL
                else fit_categorical(name, frame[name], config)
                for name in frame.columns
            ]
        )

    def encode(self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_]) -> EncodedTable:
        """Encode the observed cells of a table; hidden ones get code 0.

        Args:
            frame: Any of the fitted columns; the others are hidden.
            observed: ``(B, len(frame.columns))``, True = the cell's value is to be encoded.

        Raises:
            ValueError: If an observed cell cannot be written in the fitted codes, a column is
                unknown or occurs twice.
        """
        _check_names(frame)
        shape = (len(frame), len(self.codecs))
        codes = np.zeros(shape, dtype=self.code_dtype)
        numerical = self.schema.numerical
        residuals = np.zeros((len(frame), len(numerical)), dtype=np.float32)
        known = np.zeros(shape, dtype=bool)
        for source, name in enumerate(frame.columns):
            position = self.schema.position(name)
            known[:, position] = observed[:, source]
            rows = _selector(observed[:, source])
            codec, cells = self.codecs[position], frame[name][rows]
            if not len(cells):
                continue
            if isinstance(codec, NumericalCodec):
                values = as_floats(cells)
                _check_missing(codec.column, np.isnan(values))
                codes[rows, position], residual = codec.encode(values)
                residuals[rows, numerical.index(position)] = residual
            else:
                codes[rows, position] = codec.encode(cells)[0]
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
        numerical = self.schema.numerical
        columns: dict[Hashable, npt.NDArray[Any]] = {}
        for position, codec in enumerate(self.codecs):
            if isinstance(codec, NumericalCodec):
                residual = residuals[:, numerical.index(position)]
                columns[codec.column.name] = codec.decode(codes[:, position], residual)
            else:
                uniforms = np.zeros(len(codes))
                if codec.num_shared:
                    draw = torch.rand(len(codes), generator=generator, device=generator.device)
                    uniforms = draw.cpu().numpy().astype(np.float64)
                columns[codec.column.name] = codec.decode(codes[:, position], uniforms)
        return frame_of(columns, len(codes))

    def log_volume(self, frame: pd.DataFrame, known: npt.NDArray[np.bool_]) -> Floats:
        """What turns log-likelihoods in codes and residuals into those in the frame's values.

        Args:
            frame: Any of the fitted columns.
            known: ``(B, C)``, cells that count; those of columns absent from ``frame`` do not.

        Returns:
            ``(B,)`` in nats: the logs of d(residual) / d(value) of numbers and of the shares of
            levels within their codes, summed over the cells that count.
        """
        total = np.zeros(len(frame))
        for name in frame.columns:
            position = self.schema.position(name)
            rows, codec = known[:, position], self.codecs[position]
            if isinstance(codec, NumericalCodec):
                total[rows] += codec.log_slope(as_floats(frame[name][rows]))
            else:
                total[rows] += np.log(codec.code_shares()[codec.level_numbers(frame[name][rows])])
        return total

    @property
    def code_dtype(self) -> type[np.integer[Any]]:
        """The smallest integer type that holds every code."""
        most = max(codec.column.num_codes for codec in self.codecs)
        for dtype in (np.uint8, np.int16):
            if most <= np.iinfo(dtype).max + 1:
                return dtype
        return np.int32


def _selector(rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | slice:
    """What picks these rows; all of them without a copy."""
    return slice(None) if rows.all() else rows


def _check_names(frame: pd.DataFrame) -> None:
    strange = [name for name in frame.columns if not isinstance(name, str)]
    if strange:
        raise TypeError(
            f'Column names must be strings, however: {strange[:SHOWN]}. Rename the columns, for '
            'example with frame.rename(columns=str).'
        )
    twice = frame.columns[frame.columns.duplicated()].unique().tolist()
    if twice:
        raise ValueError(f'Column names must be unique, but these occur more than once: {twice}.')


def _check_missing(column: Column, missing: npt.NDArray[np.bool_]) -> None:
    if column.missing is None and missing.any():
        raise ValueError(
            f"Column '{column.name}' is given as missing in {int(missing.sum())} rows, but the "
            'training data had no missing value in it. Give a number, or leave the cell unknown.'
        )
