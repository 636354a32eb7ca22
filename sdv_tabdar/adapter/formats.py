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
import decimal
import numbers
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

DATE_TYPES = (datetime.date, np.datetime64)  # datetime and Timestamp are dates as well


@dataclasses.dataclass(frozen=True)
class ColumnFormat:
    """The form of one column.

    Attributes:
        name: The user's label of the column.
        key: SDV's label of it, always a string.
        sdtype: SDV's type of the column; None for a column the metadata does not have.
        dtype: The user's dtype.
        date_format: Format of dates that are written as text or numbers, from the metadata.
        value_type: Type of the values of an object column if they all share one, else None.
        time_zone: Time zone of the dates, if they have one.
        decimals: Digits after the point of a column of Decimal numbers.
        is_text: Whether the dates are text that ``date_format`` reads and writes exactly.
        null: What marks a missing cell in an object column.
    """

    name: Hashable
    key: str
    sdtype: str | None
    dtype: Any
    date_format: str | None = None
    value_type: type | None = None
    time_zone: datetime.tzinfo | None = None
    decimals: int = 0
    is_text: bool = False
    null: Any = None

    @classmethod
    def learn(cls, values: pd.Series, sdtype: str | None, date_format: str | None) -> ColumnFormat:
        """Look at a column of the training table."""
        present = values.dropna()
        is_object = values.dtype == object
        types = {type(value) for value in present} if is_object else set()
        first = present.iloc[0] if len(present) else None
        time_zone = getattr(values.dtype, 'tz', None)
        if time_zone is None and isinstance(first, datetime.datetime):
            time_zone = first.tzinfo
        missing = values[values.isna()]
        return cls(
            name=values.name,
            key=str(values.name),
            sdtype=sdtype,
            dtype=values.dtype,
            date_format=date_format,
            value_type=next(iter(types)) if len(types) == 1 else None,
            time_zone=time_zone,
            decimals=_decimals(present) if types == {decimal.Decimal} else 0,
            is_text=sdtype == 'datetime' and _is_exact_text(present, date_format),
            null=missing.iloc[0] if is_object and len(missing) else None,
        )

    def plain(self, values: pd.Series) -> pd.Series:
        """The column in a form that SDV handles; the length and the index stay."""
        if self.sdtype == 'numerical':
            return _plain_numbers(values)
        if self.sdtype == 'datetime':
            return self._plain_dates(values)
        if isinstance(values.dtype, np.dtype) and values.dtype != object:
            return values
        return plain_objects(values)

    def restore(self, values: pd.Series) -> pd.Series:
        """The column in the user's form, as far as its values allow."""
        try:
            if self.sdtype == 'numerical':
                restored = self._restored_numbers(values)
            elif self.sdtype == 'datetime':
                restored = self._restored_dates(values)
            else:
                restored = values
            return self._cast(restored)
        except (TypeError, ValueError, OverflowError):
            # Generated values need not fit the dtype that the real ones had, and an integer
            # column has no place for a missing cell that a condition asked for.
            return values

    def _plain_dates(self, values: pd.Series) -> pd.Series:
        if isinstance(values.dtype, pd.PeriodDtype):
            values = values.dt.to_timestamp()
        if values.dtype == object or isinstance(values.dtype, pd.CategoricalDtype):
            values = plain_objects(values)
            present = values.dropna()
            is_dates = all(isinstance(value, DATE_TYPES) for value in present)
            if not len(present) or not (is_dates or self.is_text):
                return values
            try:
                values = _parsed(values, self)
            except ValueError:
                return values  # SDV's validation, or the check of known cells, names the value
        if pd.api.types.is_datetime64_any_dtype(values.dtype):
            keeps_zone = bool(self.date_format) and '%z' in str(self.date_format).lower()
            return _nanoseconds(values, self, keep_zone=keeps_zone)
        return values if isinstance(values.dtype, np.dtype) else plain_objects(values)

    def _restored_numbers(self, values: pd.Series) -> pd.Series:
        if isinstance(self.dtype, pd.CategoricalDtype):
            return _nearest(values, self.dtype.categories)
        if self.value_type is decimal.Decimal:
            unit = decimal.Decimal(1).scaleb(-self.decimals)
            return _mapped(values, lambda value: decimal.Decimal(str(value)).quantize(unit))
        if self.value_type is not None and issubclass(self.value_type, (int, np.integer)):
            return _mapped(values, round)
        return values

    def _restored_dates(self, values: pd.Series) -> pd.Series:
        if not pd.api.types.is_datetime64_any_dtype(values.dtype):
            return values
        if self.is_text:
            return plain_objects(values.dt.strftime(self.date_format))
        if self.time_zone is not None:
            if values.dt.tz is None:
                values = values.dt.tz_localize('UTC')
            values = values.dt.tz_convert(self.time_zone)
        if isinstance(self.dtype, pd.PeriodDtype):
            return values.dt.to_period(self.dtype.freq)
        if self.value_type is datetime.date:
            return _mapped(values, lambda value: value.date())
        if self.value_type is datetime.datetime:
            return _mapped(values, lambda value: value.to_pydatetime(warn=False))
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
        if values.dtype == self.dtype:
            return values
        if isinstance(self.dtype, pd.CategoricalDtype):
            new = pd.Index(values.dropna().unique()).difference(self.dtype.categories, sort=False)
            return values.astype(
                pd.CategoricalDtype([*self.dtype.categories, *new]) if len(new) else self.dtype
            )
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
    def learn(cls, frame: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> TableFormat:
        """Look at a training table.

        Args:
            frame: The user's table.
            columns: The metadata's description of each column.

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
        known = [key for key in columns if key in keys]
        return cls(tuple(formats), tuple(known + [key for key in keys if key not in columns]))

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


def parse_date(value: Any, column: ColumnFormat) -> pd.Timestamp:
    """A single date from text in the column's format, or from one of Python's or NumPy's types.

    Raises:
        TypeError: If it is neither.
        ValueError: If the text is no date in the format.
    """
    if isinstance(value, str):
        return pd.to_datetime(value, format=_readable(column.date_format))
    if isinstance(value, pd.Period):
        return value.to_timestamp()
    if isinstance(value, DATE_TYPES):
        return pd.Timestamp(value)
    raise TypeError(f'{value!r} is no date.')


def to_nanoseconds(values: pd.Series, column: ColumnFormat) -> pd.Series:
    """Dates in plain form as nanoseconds since 1970 (float64, NaN where missing).

    Raises:
        ValueError: If a value is not a date in the column's format.
    """
    dates = values
    if not pd.api.types.is_datetime64_any_dtype(values.dtype):
        if pd.api.types.is_numeric_dtype(values.dtype) and column.date_format is None:
            return values.astype(np.float64)
        dates = _parsed(values, column)
    if getattr(dates.dt, 'tz', None) is not None:
        dates = dates.dt.tz_convert('UTC').dt.tz_localize(None)
    stamps = dates.astype('datetime64[ns]')
    counts = stamps.astype(np.int64).astype(np.float64)
    return counts.where(stamps.notna())


def is_missing(value: object) -> bool:
    """Whether a single value is None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    missing = pd.isna(value)  # an array for a list
    return isinstance(missing, (bool, np.bool_)) and bool(missing)


def plain_objects(values: pd.Series) -> pd.Series:
    """Python objects, None where missing; the same series where it holds just these."""
    missing = values.isna().to_numpy()
    cells = values.to_numpy() if values.dtype == object else _one_object_a_value(values)
    foreign = np.fromiter((isinstance(cell, np.generic) for cell in cells), bool, len(cells))
    foreign[missing] = [cell is not None for cell in cells[missing]]
    if values.dtype == object and not foreign.any():
        return values
    cells = cells.copy()
    for place in np.flatnonzero(foreign & ~missing):
        cells[place] = cells[place].item()
    cells[missing] = None
    return pd.Series(cells, index=values.index, name=values.name, dtype=object)


def _index(columns: Iterable[Hashable]) -> pd.Index:
    return pd.Index(list(columns), tupleize_cols=False)


def _one_object_a_value(values: pd.Series) -> npt.NDArray[Any]:
    """Cells as objects, of which equal ones are the same object; None where missing."""
    try:
        codes, distinct = values.factorize()
    except (NotImplementedError, TypeError):  # lists and the like
        return values.astype(object).to_numpy()
    objects = np.empty(len(distinct) + 1, dtype=object)
    objects[:-1] = distinct.tolist()
    return objects[codes]  # the last one for the code of missing cells, -1


def _mapped(values: pd.Series, function: Callable[[Any], Any]) -> pd.Series:
    """``function`` of each value that is not missing, as objects."""
    cells = np.empty(len(values), dtype=object)
    for place, value in enumerate(values.tolist()):
        cells[place] = None if is_missing(value) else function(value)
    return pd.Series(cells, index=values.index, name=values.name, dtype=object)


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


def _readable(date_format: str | None) -> str | None:
    """The format as pandas reads it."""
    return None if date_format is None else date_format.replace('%-', '%').replace('%#', '%')


def _is_exact_text(present: pd.Series, date_format: str | None) -> bool:
    """Whether all dates are text that the format reads, and writes just so."""
    special = ('%z', '%Z', '%-', '%#')
    if not date_format or any(mark in date_format for mark in special) or not len(present):
        return False
    if not all(isinstance(value, str) for value in present):
        return False
    texts = pd.Series(present.astype(object).unique(), dtype=object)
    try:
        dates = pd.to_datetime(texts, format=date_format)
    except ValueError:
        return False
    return bool((dates.dt.strftime(date_format) == texts).all())


def _parsed(values: pd.Series, column: ColumnFormat) -> pd.Series:
    """Dates from text, numbers or Python's dates."""
    is_text = not len(values.dropna()) or not isinstance(values.dropna().iloc[0], DATE_TYPES)
    date_format = _readable(column.date_format) if is_text else None
    aware = column.time_zone is not None or '%z' in str(date_format).lower()
    if not is_text and not aware:
        aware = any(getattr(value, 'tzinfo', None) is not None for value in values.dropna())
    return pd.to_datetime(values, format=date_format, utc=aware)


def _nanoseconds(values: pd.Series, column: ColumnFormat, *, keep_zone: bool) -> pd.Series:
    """Dates in nanoseconds; in UTC, and without a time zone unless it is to be kept."""
    if getattr(values.dt, 'tz', None) is not None:
        values = values.dt.tz_convert('UTC')
        if not keep_zone:
            values = values.dt.tz_localize(None)
    zone = getattr(values.dt, 'tz', None)
    dtype: Any = 'datetime64[ns]' if zone is None else pd.DatetimeTZDtype('ns', zone)
    try:
        return values.astype(dtype)
    except pd.errors.OutOfBoundsDatetime:
        raise InvalidDataError(
            [
                f"Column '{column.name}' has dates from {values.min()} to {values.max()}. Dates "
                f'must lie between {pd.Timestamp.min:%Y-%m-%d} and {pd.Timestamp.max:%Y-%m-%d}.'
            ]
        ) from None


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
