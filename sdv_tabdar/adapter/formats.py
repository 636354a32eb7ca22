"""How a user's table is stored, and the plain form of it that SDV gets to see.

SDV restores the dtypes of NumPy's own columns. Nullable and Arrow dtypes, pandas categories,
Decimal numbers, Python dates, dates with a time zone or in another unit than nanoseconds and
column names that are not strings do not survive its pipeline, or only at times. So each column
is written in a plain form before SDV sees it (:meth:`TableFormat.plain`), and what SDV returns
is written back in the form that the user had (:meth:`TableFormat.restore`).
"""

from __future__ import annotations

import dataclasses
import decimal
import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.dates import DateForm
from sdv_tabdar.adapter.values import is_missing, mapped, plain_objects


@dataclasses.dataclass(frozen=True)
class ColumnFormat:
    """The form of one column.

    Attributes:
        name: The user's label of the column.
        key: SDV's label of it, always a string.
        sdtype: SDV's type of the column; None for a column the metadata does not have.
        dtype: The user's dtype.
        dates: How its dates are written; of no meaning in columns of another sdtype.
        value_type: Type of the values of an object column if they all share one, else None.
        decimals: Digits after the point of a column of Decimal numbers.
        null: What marks a missing cell in an object column.
    """

    name: Hashable
    key: str
    sdtype: str | None
    dtype: Any
    dates: DateForm = dataclasses.field(default_factory=DateForm)
    value_type: type | None = None
    decimals: int = 0
    null: Any = None

    @classmethod
    def learn(cls, values: pd.Series, sdtype: str | None, date_format: str | None) -> ColumnFormat:
        """Look at a column of the training table."""
        present = values.dropna()
        is_object = values.dtype == object
        types = {type(value) for value in present} if is_object else set()
        missing = values[values.isna()]
        return cls(
            name=values.name,
            key=str(values.name),
            sdtype=sdtype,
            dtype=values.dtype,
            dates=DateForm.learn(values, date_format) if sdtype == 'datetime' else DateForm(),
            value_type=next(iter(types)) if len(types) == 1 else None,
            decimals=_decimals(present) if types == {decimal.Decimal} else 0,
            null=missing.iloc[0] if is_object and len(missing) else None,
        )

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        return {**vars(self), 'dates': dict(vars(self.dates))}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ColumnFormat:
        """The form that :meth:`to_state` wrote."""
        return cls(**{**state, 'dates': DateForm(**state['dates'])})

    def plain(self, values: pd.Series) -> pd.Series:
        """The column in a form that SDV handles; the length and the index stay."""
        if self.sdtype == 'numerical':
            return _plain_numbers(values)
        if self.sdtype == 'datetime':
            return self.dates.plain(values)
        if isinstance(values.dtype, np.dtype) and values.dtype != object:
            return values
        return plain_objects(values)

    def restore(self, values: pd.Series) -> pd.Series:
        """The column in the user's form, as far as its values allow."""
        try:
            if self.sdtype == 'numerical':
                restored = self._restored_numbers(values)
            elif self.sdtype == 'datetime':
                restored = self.dates.restore(values, self.dtype, self.value_type)
            else:
                restored = values
            return self._cast(restored)
        except (TypeError, ValueError, OverflowError):
            # Generated values need not fit the dtype that the real ones had, and an integer
            # column has no place for a missing cell that a condition asked for.
            return values

    def _restored_numbers(self, values: pd.Series) -> pd.Series:
        if isinstance(self.dtype, pd.CategoricalDtype):
            return _nearest(values, self.dtype.categories)
        if self.value_type is decimal.Decimal:
            unit = decimal.Decimal(1).scaleb(-self.decimals)
            return mapped(values, lambda value: decimal.Decimal(str(value)).quantize(unit))
        if self.value_type is not None and issubclass(self.value_type, (int, np.integer)):
            return mapped(values, round)
        return values

    def _cast(self, values: pd.Series) -> pd.Series:
        if self.dtype == object:
            values = values.astype(object)
            if values.isna().any():
                # One missing cell among others: Series.where would turn None into NaN.
                cells = values.to_numpy(dtype=object, copy=True)
                cells[values.isna().to_numpy()] = self.null
                values = pd.Series(cells, index=values.index, name=values.name, dtype=object)
            return values
        if values.dtype == self.dtype or (self.dtype == bool and values.isna().any()):
            return values
        if isinstance(self.dtype, pd.CategoricalDtype):
            return values.astype(with_categories(self.dtype, values))
        if pd.api.types.is_integer_dtype(self.dtype) and pd.api.types.is_float_dtype(values):
            values = values.round()
        return values.astype(self.dtype)


@dataclasses.dataclass(frozen=True)
class TableFormat:
    """The form of a table.

    Attributes:
        columns: One entry for each column, in the user's order.
        order: SDV's labels in the order of the metadata, in which SDV wants the columns.
    """

    columns: tuple[ColumnFormat, ...]
    order: tuple[str, ...]

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        columns: Mapping[str, Mapping[str, Any]],
        compared: Iterable[tuple[str, str]] = (),
    ) -> TableFormat:
        """Look at a training table.

        Args:
            frame: The user's table.
            columns: The metadata's description of each column.
            compared: SDV's labels of columns that constraints compare as text.

        Raises:
            InvalidDataError: If two columns have the same name.
        """
        keys = [str(name) for name in frame.columns]
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        if repeated:
            raise InvalidDataError(
                [
                    f'The column names {repeated} occur more than once. Column names must be '
                    'unique, also when they are read as text.'
                ]
            )
        formats = []
        for name, key in zip(frame.columns, keys, strict=True):
            entry = columns.get(key, {})
            formats.append(
                ColumnFormat.learn(frame[name], entry.get('sdtype'), entry.get('datetime_format'))
            )
        text = {column.key: column.dates.text_format for column in formats if column.dates.is_text}
        kept = {
            key
            for low, high in compared
            for key in (low, high)
            if low in text and high in text and text[low] != text[high]
        }
        formats = [
            dataclasses.replace(column, dates=dataclasses.replace(column.dates, stays_text=True))
            if column.key in kept
            else column
            for column in formats
        ]
        known = [key for key in columns if key in keys]
        return cls(tuple(formats), tuple(known + [key for key in keys if key not in columns]))

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        return {'columns': [column.to_state() for column in self.columns], 'order': self.order}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TableFormat:
        """The form that :meth:`to_state` wrote."""
        columns = tuple(ColumnFormat.from_state(column) for column in state['columns'])
        return cls(columns, state['order'])

    @property
    def names(self) -> list[Hashable]:
        """The user's labels in the user's order."""
        return [column.name for column in self.columns]

    def plain(self, frame: pd.DataFrame, *, copy: bool = True) -> pd.DataFrame:
        """Any of the columns in plain form, SDV's labels and the metadata's order.

        Columns that the table does not have stay as they are.

        Args:
            frame: The user's table; it is left as it is.
            copy: False for columns that share the user's memory where they are plain already:
                for readers only.

        Raises:
            InvalidDataError: If dates are too far from 1970 for nanoseconds.
        """
        formats = {column.key: column for column in self.columns}
        plain = frame.copy(deep=False)
        plain.columns = pd.Index([str(name) for name in frame.columns])
        converted = {
            key: formats[key].plain(plain[key]) if key in formats else plain[key] for key in plain
        }
        order = [key for key in self.order if key in converted]
        order += [key for key in converted if key not in formats]
        return pd.DataFrame({key: converted[key] for key in order}, index=frame.index, copy=copy)

    def restore(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A table of SDV's in the user's form; applying it twice changes nothing more."""
        restored = {
            column.name: column.restore(frame[label])
            for column in self.columns
            for label in (column.key, column.name)
            if label in frame.columns
        }
        return pd.DataFrame(restored, index=frame.index, columns=_index(restored))

    def empty(self) -> pd.DataFrame:
        """A table without rows."""
        columns = {
            column.name: pd.Series([], dtype=column.dtype, name=column.name)
            for column in self.columns
        }
        return pd.DataFrame(columns, columns=_index(columns))


def with_categories(dtype: pd.CategoricalDtype, values: pd.Series) -> pd.CategoricalDtype:
    """The dtype, with those of the values as further categories that it has not."""
    new = pd.Index(values.dropna().unique()).difference(dtype.categories, sort=False)
    return pd.CategoricalDtype([*dtype.categories, *new]) if len(new) else dtype


def _index(columns: Iterable[Hashable]) -> pd.Index:
    return pd.Index(list(columns), tupleize_cols=False)


def _plain_numbers(values: pd.Series) -> pd.Series:
    if isinstance(values.dtype, np.dtype) and values.dtype != object:
        return values
    present = values.dropna()
    if any(isinstance(v, (bool, np.bool_)) or not isinstance(v, numbers.Number) for v in present):
        return plain_objects(values)  # SDV's validation names the values
    whole = all(isinstance(value, numbers.Integral) for value in present)
    if whole and len(present) == len(values) and len(values):
        try:
            return values.astype(np.int64)
        except (OverflowError, TypeError, ValueError):
            whole = False
    floats = np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=np.float64)
    return pd.Series(floats, index=values.index, name=values.name)


def _nearest(values: pd.Series, categories: pd.Index) -> pd.Series:
    """Each number's nearest category."""
    ordered = np.sort(categories.to_numpy(dtype=np.float64))
    known = values.notna().to_numpy()
    wanted = values[known].to_numpy(dtype=np.float64)
    above = np.searchsorted(ordered, wanted).clip(0, len(ordered) - 1)
    below = (above - 1).clip(0)
    nearer = np.abs(ordered[below] - wanted) < np.abs(ordered[above] - wanted)
    result = values.astype(np.float64).copy()
    result[known] = np.where(nearer, ordered[below], ordered[above])
    return result.astype(categories.dtype) if known.all() else result


def _decimals(values: pd.Series) -> int:
    """Most digits after the point."""
    exponents = [value.as_tuple().exponent for value in values if value.is_finite()]
    return max((-exponent for exponent in exponents), default=0)
