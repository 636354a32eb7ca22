"""The table that SDV hands to the model: which columns are numbers, and how to hand rows back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import UnixTimestampEncoder

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.values import is_missing, plain_objects
from sdv_tabdar.core.codecs.values import frame_of
from sdv_tabdar.core.schema import ColumnKind

# Dates in nanoseconds are float64 here, which holds multiples of these exactly.
_DATE_UNITS = (86_400e9, 3_600e9, 60e9, 1e9)
_DISCRETE_SDTYPES = ('categorical', 'boolean', 'ordinal', 'id')


@dataclasses.dataclass(frozen=True)
class ProcessedFormat:
    """The columns of a processed table.

    Attributes:
        kinds: How the model is to read each column.
        dtypes: Dtype of each column.
        units: For columns of dates the unit that all training dates are multiples of.
    """

    kinds: Mapping[str, ColumnKind]
    dtypes: Mapping[str, Any]
    units: Mapping[str, float]

    @classmethod
    def learn(cls, processed: pd.DataFrame, synth: Any) -> ProcessedFormat:
        """Look at a processed training table."""
        outputs = private_names.outputs(synth)
        metadata = private_names.modified_columns(synth)
        kinds: dict[str, ColumnKind] = {}
        units: dict[str, float] = {}
        for name in processed.columns:
            field, transformer = outputs.get(name, (name, None))
            sdtype = metadata.get(str(field), {}).get('sdtype')
            kinds[name] = _kind(processed[name], transformer, sdtype)
            if isinstance(transformer, UnixTimestampEncoder) and name == field:
                units[name] = _date_unit(processed[name])
        return cls(kinds, dict(processed.dtypes), units)

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        kinds = {name: kind.value for name, kind in self.kinds.items()}
        return {'kinds': kinds, 'dtypes': dict(self.dtypes), 'units': dict(self.units)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ProcessedFormat:
        """The form that :meth:`to_state` wrote."""
        kinds = {name: ColumnKind(kind) for name, kind in state['kinds'].items()}
        return cls(kinds, state['dtypes'], state['units'])

    def to_model(self, processed: pd.DataFrame) -> pd.DataFrame:
        """Processed rows as the model wants them: RangeIndex, numbers as float64.

        Columns that are so already share the memory of ``processed``.
        """
        columns = {
            name: pd.to_numeric(processed[name]).to_numpy(dtype=np.float64, na_value=np.nan)
            if self.kinds[name] is ColumnKind.NUMERICAL
            else plain_objects(processed[name]).to_numpy()
            for name in processed.columns
        }
        return frame_of(columns, len(processed))

    def from_model(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of the model as SDV and RDT expect them."""
        processed = {}
        for name in rows.columns:
            values = rows[name]
            unit = self.units.get(name)
            if unit:
                # RDT cuts off what the date format cannot hold, where it should round.
                values = (values / unit).round() * unit
            processed[name] = _with_dtype(values, self.dtypes[name])
        return pd.DataFrame(processed, index=rows.index)


def _kind(values: pd.Series, transformer: Any, sdtype: str | None) -> ColumnKind:
    """How the model is to read a processed column."""
    is_number = pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool
    if not is_number:
        # An all-missing column of numbers may come as objects.
        is_number = bool(values.isna().all()) and sdtype == 'numerical'
    discrete: bool | None = sdtype in _DISCRETE_SDTYPES
    if transformer is not None:
        discrete = private_names.gives_categories(str(values.name), transformer)
    return ColumnKind.NUMERICAL if is_number and not discrete else ColumnKind.CATEGORICAL


def _date_unit(values: pd.Series) -> float:
    """The coarsest unit that all dates are multiples of; 0 if none of the units is."""
    present = values.dropna().to_numpy(dtype=np.float64)
    if not len(present):
        return 0.0
    return next((unit for unit in _DATE_UNITS if not np.any(present % unit)), 0.0)


def _with_dtype(values: pd.Series, dtype: Any) -> pd.Series:
    """Values in the training dtype if it is one of NumPy's and can hold them."""
    if values.dtype == dtype or not isinstance(dtype, np.dtype) or dtype.kind == 'O':
        return values
    if any(is_missing(value) for value in values) and dtype.kind != 'f':
        return values
    return values.astype(dtype)
