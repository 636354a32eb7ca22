"""The table that SDV hands to the model: which columns are numbers, and how to hand rows back."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import UnixTimestampEncoder
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.presences import in_model
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.adapter.values import is_missing, plain_objects
from sdv_tabdar.core.codecs.values import frame_of
from sdv_tabdar.core.schema import ColumnKind

_DATE_UNITS = (86_400e9, 3_600e9, 60e9, 1e9, 1e6, 1e3)  # nanoseconds
_DISCRETE_SDTYPES = ('categorical', 'boolean', 'ordinal', 'id')


@dataclasses.dataclass(frozen=True)
class ProcessedFormat:
    """The columns of a processed table.

    Attributes:
        kinds: How the model is to read each column.
        dtypes: Dtype of each column.
        units: For columns of dates the unit that all training dates are multiples of.
        zones: Time zones of dates, in which they are: a day begins at midnight there.
        presences: By SDV's label of a column whose values are invented the one that says where it
            is missing, see ``presences.py``.
    """

    kinds: Mapping[str, ColumnKind]
    dtypes: Mapping[str, Any]
    units: Mapping[str, float]
    zones: Mapping[str, datetime.tzinfo] = dataclasses.field(default_factory=dict)
    presences: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        processed: pd.DataFrame,
        synth: Any,
        zones: Mapping[str, datetime.tzinfo],
        presences: Mapping[str, str],
    ) -> ProcessedFormat:
        """Look at a processed training table.

        Args:
            processed: The table.
            synth: The synthesizer, whose transformers made it.
            zones: Time zones of the user's columns, by SDV's label.
            presences: What columns may be called that say where others are missing.
        """
        outputs = private_names.outputs(synth)
        metadata = private_names.modified_columns(synth)
        kinds: dict[str, ColumnKind] = {}
        units: dict[str, float] = {}
        for name in processed.columns:
            field, transformer = outputs.get(name, (name, None))
            sdtype = metadata.get(str(field), {}).get('sdtype')
            kinds[name] = _kind(processed[name], transformer, sdtype)
            if isinstance(transformer, UnixTimestampEncoder) and name == field:
                units[name] = _date_unit(_local(processed[name], zones.get(name)))
        zones = {name: zone for name, zone in zones.items() if name in units}
        presences = {key: name for key, name in presences.items() if name in kinds}
        kinds |= dict.fromkeys(presences.values(), ColumnKind.CATEGORICAL)
        return cls(kinds, dict(processed.dtypes), units, zones, presences)

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        kinds = {name: kind.value for name, kind in self.kinds.items()}
        return {**vars(self), 'kinds': kinds}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ProcessedFormat:
        """The form that :meth:`to_state` wrote."""
        kinds = {name: ColumnKind(kind) for name, kind in state['kinds'].items()}
        return cls(**{**state, 'kinds': kinds})

    def to_model(self, processed: pd.DataFrame) -> pd.DataFrame:
        """Processed rows as the model wants them: RangeIndex, numbers as float64.

        Columns that are so already share the memory of ``processed``.
        """
        presences = {*self.presences.values()}
        columns = {
            name: in_model(processed[name]).to_numpy()
            if name in presences
            else pd.to_numeric(processed[name]).to_numpy(dtype=np.float64, na_value=np.nan)
            if self.kinds[name] is ColumnKind.NUMERICAL
            else plain_objects(processed[name]).to_numpy()
            for name in processed.columns
        }
        return frame_of(columns, len(processed))

    def from_model(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of the model as SDV and RDT expect them."""
        processed, presences = {}, {*self.presences.values()}
        for name in rows.columns:
            values = rows[name].isna() if name in presences else self.rounded(rows[name])
            processed[name] = _with_dtype(values, self.dtypes[name])
        return pd.DataFrame(processed, index=rows.index)

    def rounded(self, values: pd.Series) -> pd.Series:
        """Numbers of a column; dates as multiples of its unit, in its time zone."""
        unit, zone = self.units.get(str(values.name)), self.zones.get(str(values.name))
        if not unit:
            return values
        if zone is None:
            return (values / unit).round() * unit
        local = (_local(values, zone) / unit).round() * unit
        rounded = local - (_local(values, zone) - values)
        # The offset to UTC may change between the date and the midnight that it is rounded to.
        return local - (_local(rounded, zone) - rounded)


def declared_orders(synth: Any, form: TableFormat) -> dict[str, list[Any]]:
    """The levels of columns whose order a user has declared, by SDV's labels.

    Args:
        synth: The synthesizer, whose metadata have the levels of ordinal columns in their order.
        form: The user's table, whose categories may be ordered.
    """
    orders = {}
    for column in form.columns:
        order = private_names.level_order(synth, column.key) if column.sdtype == 'ordinal' else []
        if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
            order = column.dtype.categories.tolist()
        if order:
            orders[column.key] = plain_objects(pd.Series(order, dtype=object)).tolist()
    return orders


def check_processed(processed: pd.DataFrame, outputs: Mapping[str, tuple[Hashable, Any]]) -> None:
    """Refuse a processed table from which rows could not be turned back.

    Args:
        processed: What a user has made of the processed table.
        outputs: For each column of that table the one it comes from, and its transformer.

    Raises:
        InvalidDataError: If it has no rows or lacks a column, or if one that a transformer writes
            as numbers holds something else.
    """
    errors = [] if len(processed) else ['The processed table has no rows.']
    lacking = [name for name in outputs if name not in processed]
    if lacking:
        errors.append(f'The processed table lacks the columns {lacking}.')
    for name, (_, transformer) in outputs.items():
        if transformer is None or name in lacking:
            continue
        values = processed[name]
        is_number = pd.api.types.is_numeric_dtype(values.dtype) or values.isna().all()
        if not is_number and private_names.gives_categories(name, transformer) is False:
            errors.append(
                f"The processed column '{name}' holds {values.dtype}, and what its "
                f'{type(transformer).__name__} turns back are numbers.'
            )
    if errors:
        raise InvalidDataError([*errors, "Give what 'preprocess' returned, or rows of its kind."])


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


def _local(values: pd.Series, zone: datetime.tzinfo | None) -> pd.Series:
    """What clocks in a time zone show, as nanoseconds since 1970; UTC without a zone."""
    if zone is None:
        return values
    moments = pd.to_datetime(values, utc=True)
    offsets = moments.dt.tz_convert(zone).dt.tz_localize(None) - moments.dt.tz_localize(None)
    return values + offsets / pd.Timedelta(1, 'ns')


def _date_unit(values: pd.Series) -> float:
    """The coarsest unit that all dates are multiples of, as a float64 has them; 0 if none is."""
    present = values.dropna().to_numpy(dtype=np.float64)
    units = (unit for unit in _DATE_UNITS if np.all((present / unit).round() * unit == present))
    return next(units, 0.0) if len(present) else 0.0


def _with_dtype(values: pd.Series, dtype: Any) -> pd.Series:
    """Values in the training dtype if it is one of NumPy's and can hold them."""
    if values.dtype == dtype or not isinstance(dtype, np.dtype) or dtype.kind == 'O':
        return values
    if any(is_missing(value) for value in values) and dtype.kind != 'f':
        return values
    return values.astype(dtype)
