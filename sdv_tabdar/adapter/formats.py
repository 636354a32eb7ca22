"""How a user's table is stored, and the plain form of it that SDV gets to see.

SDV restores the dtypes of NumPy's own columns. Nullable and Arrow dtypes, pandas categories,
Decimal numbers, Python dates, dates with a time zone or in another unit than nanoseconds and
column names that are not strings do not survive its pipeline, or only at times. So each column
is written in a plain form before SDV sees it (:meth:`TableFormat.plain`), and what SDV returns
is written back in the form that the user had (:meth:`TableFormat.restore`).
"""

from __future__ import annotations

import dataclasses
import datetime
import numbers
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.dates import DATE_TYPES, DateForm, date_step
from sdv_tabdar.adapter.numeric import NumberForm, is_arrow_decimal, nearest
from sdv_tabdar.adapter.values import plain_objects

_SINGLE = (str, numbers.Number, pd.Period, *DATE_TYPES)  # numbers and dates as a user gives them


@dataclasses.dataclass(frozen=True)
class ColumnFormat:
    """The form of one column.

    Attributes:
        name: The user's label of the column.
        key: SDV's label of it, always a string.
        sdtype: SDV's type of the column; None for a column the metadata does not have.
        dtype: The user's dtype.
        dates: How its dates are written; of no meaning in columns of another sdtype.
        number: How its numbers are held; of no meaning in columns of another sdtype but keys.
        value_type: Type of the values of an object column if they all share one, else None.
        null: What marks a missing cell in an object column.
    """

    name: Hashable
    key: str
    sdtype: str | None
    dtype: Any
    dates: DateForm = dataclasses.field(default_factory=DateForm)
    number: NumberForm = dataclasses.field(default_factory=NumberForm)
    value_type: type | None = None
    null: Any = None

    @classmethod
    def learn(
        cls,
        values: pd.Series,
        sdtype: str | None,
        date_format: str | None,
        *,
        is_key: bool = False,
    ) -> ColumnFormat:
        """Look at a column of the training table."""
        number = NumberForm()
        if sdtype == 'numerical':
            number = NumberForm.learn(values)
        elif sdtype == 'id' and is_key:
            number = NumberForm.of_keys(values)
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
            number=number,
            value_type=next(iter(types)) if len(types) == 1 else None,
            null=missing.iloc[0] if is_object and len(missing) else None,
        )

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        return {**vars(self), 'dates': dict(vars(self.dates)), 'number': dict(vars(self.number))}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ColumnFormat:
        """The form that :meth:`to_state` wrote."""
        dates, number = DateForm(**state['dates']), NumberForm(**state['number'])
        return cls(**{**state, 'dates': dates, 'number': number})

    @property
    def date_step(self) -> int:
        """The nanoseconds that all dates its dtype or type can hold are multiples of."""
        return date_step(self.dtype, self.value_type)

    def plain(self, values: pd.Series) -> pd.Series:
        """The column in a form that SDV handles; the length and the index stay.

        Raises:
            InvalidDataError: If a number or a date is too large for SDV.
        """
        if self.sdtype == 'numerical':
            return self.number.plain(values)
        if self.sdtype == 'datetime':
            return self.dates.plain(values)
        if self.sdtype == 'id':
            # SDV makes numbers for keys that are numbers, and text for keys that are objects.
            values = self.number.plain_keys(values) if self._is_number else _plain_keys(values)
        if values.dtype == np.float16:
            return values.astype(np.float64)  # pandas has no index of them
        if isinstance(values.dtype, np.dtype) and values.dtype != object:
            return values
        return plain_objects(values)

    def plain_entry(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """The metadata's description of the column, with the ends of its range in plain form."""
        ends = {end: entry[end] for end in ('range_min', 'range_max') if entry.get(end) is not None}
        if self.sdtype == 'numerical':
            return {**entry, **{k: self.number.plain_number(v) for k, v in ends.items()}}
        if self.sdtype == 'datetime' and ends and self.dates.time_zone is not None:
            plain = {key: str(self.dates.in_utc(end)) for key, end in ends.items()}
            return {key: v for key, v in {**entry, **plain}.items() if key != 'datetime_format'}
        return entry

    def restore(self, values: pd.Series, given: pd.Series | None = None) -> pd.Series:
        """The column in the user's form, as far as its values allow.

        Args:
            values: Plain values, or some that are in the user's form already.
            given: What the user conditioned the cells on, values or not; these cells are kept
                with all their digits.
        """
        try:
            if self.sdtype == 'numerical':
                restored = self.number.restore(values, as_objects=self.dtype == object)
            elif self.sdtype == 'datetime':
                restored = self.dates.restore(values, self.dtype, self.value_type)
            else:
                restored = self.number.restore_keys(values) if self._is_number else values
            if isinstance(self.dtype, pd.CategoricalDtype):
                restored = self._among_categories(restored, values, given)
            restored = self.cast(restored)
            return restored if given is None else self._with_given(restored, given)
        except (TypeError, ValueError, OverflowError):
            # Generated values need not fit the dtype that the real ones had, and an integer
            # column has no place for a missing cell that a condition asked for.
            return values

    @property
    def _is_number(self) -> bool:
        """Whether its values, also if they are keys, are held in a form of numbers."""
        return self.number.is_whole or self.number.is_decimal

    def _among_categories(
        self, restored: pd.Series, plain: pd.Series, given: pd.Series | None
    ) -> pd.Series:
        """Drawn numbers and dates as the nearest category; what is known stays."""
        is_date = self.sdtype == 'datetime'
        kinds = 'MO' if is_date else 'iuf'  # objects: dates as text that SDV reads without a format
        if not (is_date or self.sdtype == 'numerical') or plain.dtype.kind not in kinds:
            return restored
        if isinstance(plain.dtype, pd.CategoricalDtype):
            return restored  # in the user's form already
        categories = pd.Series(self.dtype.categories)
        choices, numbers = self.plain(categories), plain
        if is_date:
            choices, numbers = self.dates.nanoseconds(choices), self.dates.nanoseconds(plain)
        places = nearest(numbers, choices.to_numpy(dtype=np.float64))
        is_drawn = places >= 0
        if given is not None:
            is_single = np.array(
                [isinstance(value, _SINGLE) for value in given.tolist()], dtype=bool
            )
            is_drawn &= ~(is_single & given.notna().to_numpy())
        cells = restored.astype(object).to_numpy(copy=True)
        cells[is_drawn] = categories.astype(object).to_numpy()[places[is_drawn]]
        return pd.Series(cells, index=restored.index, name=restored.name, dtype=object)

    def _with_given(self, restored: pd.Series, given: pd.Series) -> pd.Series:
        """Known numbers with the digits that their plain form has not."""
        number = self.number
        if not (number.is_whole or number.is_decimal or number.is_mixed):
            return restored
        before = restored.tolist()
        cells = np.empty(len(before), dtype=object)
        cells[:] = [number.known(*pair) for pair in zip(before, given.tolist(), strict=True)]
        return self.cast(pd.Series(cells, index=restored.index, name=restored.name))

    def cast(self, values: pd.Series) -> pd.Series:
        """Values of the user's column in its dtype, with its mark of missing cells.

        Raises:
            TypeError, ValueError, OverflowError: If the dtype cannot hold them.
        """
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
        if isinstance(self.dtype, pd.ArrowDtype) and values.isna().all():
            values = values.astype(object)  # Arrow makes no null of a number
        with np.errstate(over='ignore'):
            cast = values.astype(self.dtype)
        if pd.api.types.is_float_dtype(self.dtype) and np.isinf(_floats(cast)).any():
            return values  # numbers that were generated or given, and do not fit
        return cast


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
        key_columns: Collection[str] = (),
    ) -> TableFormat:
        """Look at a training table.

        Args:
            frame: The user's table.
            columns: The metadata's description of each column.
            compared: SDV's labels of columns that constraints compare as text.
            key_columns: SDV's labels of the keys.

        Raises:
            InvalidDataError: If two columns have the same name.
        """
        keys = unique_names(frame)
        formats = []
        for name, key in zip(frame.columns, keys, strict=True):
            entry = columns.get(key, {})
            formats.append(
                ColumnFormat.learn(
                    frame[name].rename(name),  # of which levels of names make another type
                    entry.get('sdtype'),
                    entry.get('datetime_format'),
                    is_key=key in key_columns,
                )
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

    @property
    def zones(self) -> dict[str, datetime.tzinfo]:
        """Time zones of columns of dates, by SDV's label."""
        zones = {column.key: column.dates.time_zone for column in self.columns}
        return {key: zone for key, zone in zones.items() if zone is not None}

    def plain_entries(
        self, entries: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Mapping[str, Any]]:
        """The metadata's descriptions of those columns that are others for the plain table."""
        formats = {column.key: column for column in self.columns}
        plain = {
            key: formats[key].plain_entry(entry) for key, entry in entries.items() if key in formats
        }
        return {key: entry for key, entry in plain.items() if entry != entries[key]}

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

    def as_learnt(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Drawn rows in plain form, their dates without the error of a float64."""
        dates = {column.key: column.dates for column in self.columns if column.sdtype == 'datetime'}
        return frame.assign(
            **{key: form.as_learnt(frame[key]) for key, form in dates.items() if key in frame}
        )

    def restore(self, frame: pd.DataFrame, given: pd.DataFrame | None = None) -> pd.DataFrame:
        """A table of SDV's in the user's form; applying it twice changes nothing more.

        Args:
            frame: The table in plain form, or in the user's already.
            given: What the user conditioned its rows on, by SDV's labels.
        """
        given = pd.DataFrame() if given is None else given
        restored = {
            column.name: column.restore(frame[label], given.get(column.key))
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


def unique_names(frame: pd.DataFrame) -> list[str]:
    """The names of a table's columns as text.

    Raises:
        InvalidDataError: If two are the same.
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
    return keys


def with_categories(dtype: pd.CategoricalDtype, values: pd.Series) -> pd.CategoricalDtype:
    """The dtype, with those of the values as further categories that it has not."""
    new = pd.Index(values.dropna().unique()).difference(dtype.categories, sort=False)
    if not len(new):
        return dtype
    return pd.CategoricalDtype([*dtype.categories, *new], ordered=dtype.ordered)


def _floats(values: pd.Series) -> npt.NDArray[np.float64]:
    return values.to_numpy(dtype=np.float64, na_value=0.0)


def _plain_keys(values: pd.Series) -> pd.Series:
    """Keys without gaps that a nullable or Arrow dtype holds as numbers in NumPy's dtype.

    Decimal numbers become floats where these are as exact.
    """
    dtype = values.dtype
    if not hasattr(dtype, 'numpy_dtype') or values.isna().any():
        return values
    if is_arrow_decimal(dtype):
        floats = values.astype(np.float64)
        return floats if floats.astype(dtype).equals(values) else values
    is_number = pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_float_dtype(dtype)
    return values.astype(dtype.numpy_dtype) if is_number else values


def _index(columns: Iterable[Hashable]) -> pd.Index:
    return pd.Index(list(columns), tupleize_cols=False)
