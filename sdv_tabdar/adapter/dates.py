"""Dates: how a column writes them, and the nanoseconds that SDV and the model work with."""

from __future__ import annotations

import dataclasses
import datetime
import re
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.clocks import Counts, Way, at_units, on_clocks
from sdv_tabdar.adapter.date_steps import DAY, MICROSECOND, is_arrow_date
from sdv_tabdar.adapter.date_texts import (
    as_written,
    guessed_format,
    is_exact_text,
    readable,
    too_far,
)
from sdv_tabdar.adapter.values import mapped, plain_objects

# Nanoseconds of the units that dates come in, coarsest first.
_UNITS = (DAY, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3)
# What else pandas reads, it reads by guessing which number is the month.
_ISO_DATE = re.compile(r'\d{4}-\d{2}')
# Texts in formats with this order of numbers are no other dates by ISO 8601, also without signs.
_ISO_DIGITS = re.compile(r'\d{8}(?!\d)')
_ISO_ORDER = re.compile(r'%Y\W?%-?m\W?%-?d')
_HOLDING_TEXTS = (pd.CategoricalDtype, pd.StringDtype)
DATE_TYPES = (datetime.date, np.datetime64)  # datetime and Timestamp are dates as well


@dataclasses.dataclass(frozen=True)
class DateForm:
    """How the dates of one column are written.

    Attributes:
        text_format: Format of dates that are written as text or numbers, from the metadata; where
            these have none, that of texts, if one reads them all. Without leading zeros where all
            texts are without.
        is_text: Whether the dates are text that ``text_format`` reads and writes exactly.
        time_zone: Time zone of the dates, if they have one.
        has_nanoseconds: Whether some date is no whole number of microseconds.
        ends: Earliest and latest date in whole nanoseconds; None if there is none.
        stays_text: Whether SDV is to see text, because a constraint compares it with text in
            another format, at the coarser precision of the two.
    """

    text_format: str | None = None
    is_text: bool = False
    time_zone: datetime.tzinfo | None = None
    has_nanoseconds: bool = True
    ends: tuple[int, int] | None = None
    stays_text: bool = False

    @classmethod
    def learn(cls, values: pd.Series, text_format: str | None) -> DateForm:
        """Look at a column of dates of the training table.

        Raises:
            InvalidDataError: If some dates have a time zone and others have none, or dates are too
                far from 1970 for nanoseconds.
        """
        present = values.dropna()
        _check_zones(present)
        text_format = as_written(present, text_format or guessed_format(present))
        first = present.iloc[0] if len(present) else None
        if isinstance(first, datetime.datetime) and values.dtype == object:
            time_zone = first.tzinfo
        else:
            time_zone = _zone(values)
        form = cls(text_format, is_exact_text(present, text_format), time_zone)
        if form.is_text and '%f' not in str(text_format):
            return form  # whole seconds, which a float64 holds exactly
        plain = form.plain(present)
        if not len(present) or not _is_date_time(plain):
            return form
        counts = nanosecond_counts(plain)
        return dataclasses.replace(
            form,
            has_nanoseconds=bool(np.any(counts % MICROSECOND)),
            ends=(int(counts.min()), int(counts.max())),
        )

    @property
    def has_zone(self) -> bool:
        """Whether the column can hold dates with a time zone."""
        return self.time_zone is not None or '%z' in str(self.text_format).lower()

    @property
    def is_padded(self) -> bool:
        """Whether the format writes leading zeros, without which pandas reads none."""
        return self._readable_format == self.text_format

    @property
    def _readable_format(self) -> str | None:
        """The format as pandas reads it."""
        return None if self.text_format is None else readable(self.text_format)

    def plain(self, values: pd.Series) -> pd.Series:
        """A column of dates in a form that SDV handles.

        Raises:
            InvalidDataError: If dates are too far from 1970 for nanoseconds.
        """
        if isinstance(values.dtype, pd.PeriodDtype):
            values = _timestamps(values)
        elif is_arrow_date(values.dtype):
            values = values.astype('datetime64[s]')
        elif isinstance(values.dtype, pd.CategoricalDtype) and _zone(values) is not None:
            values = values.astype(values.dtype.categories.dtype)
        if values.dtype == object or isinstance(values.dtype, _HOLDING_TEXTS):
            values = plain_objects(values)
            present = values.dropna()
            is_dates = all(isinstance(value, DATE_TYPES) for value in present)
            if not len(present) or not (is_dates or self.is_text) or self.stays_text:
                return values
            try:
                values = self._parsed(values)
            except pd.errors.OutOfBoundsDatetime:
                raise too_far(present) from None
            except ValueError:
                return values  # SDV's validation, or the check of known cells, names the value
        if _is_date_time(values):
            keeps_zone = bool(self.text_format) and '%z' in str(self.text_format).lower()
            return _as_nanosecond_dates(values, keep_zone=keeps_zone)
        return values if isinstance(values.dtype, np.dtype) else plain_objects(values)

    def restore(self, values: pd.Series, dtype: Any, value_type: type | None) -> pd.Series:
        """Plain dates as the user writes them.

        Args:
            values: Plain dates; other values come back as they are.
            dtype: Dtype of the user's column.
            value_type: Type of the values of an object column if they all share one, else None.
        """
        if not _is_date_time(values):
            return values
        if self.is_text:
            return plain_objects(values.dt.strftime(self.text_format))
        if self.time_zone is not None:
            if values.dt.tz is None:
                values = values.dt.tz_localize('UTC')
            values = values.dt.tz_convert(self.time_zone)
        if isinstance(dtype, pd.PeriodDtype):
            return values.dt.to_period(dtype.freq)
        if is_arrow_date(dtype):
            return values.dt.normalize()
        if value_type is datetime.date:
            return mapped(values, lambda value: value.date())
        if value_type is datetime.datetime:
            return mapped(values, lambda value: value.to_pydatetime(warn=False))
        return values

    def as_learnt(self, values: pd.Series) -> pd.Series:
        """Plain dates without the error of the float64 that they were drawn as.

        A float64 holds a date of today to within 256 nanoseconds. In a column of whole
        microseconds a date that close to one is moved onto it, and a date beyond the range of
        training by no more than that is moved to its end.

        Args:
            values: Plain dates; other values come back as they are.
        """
        if values.dtype.kind != 'M' or self.ends is None:
            return values
        missing = values.isna().to_numpy()
        counts = np.where(missing, 0, nanosecond_counts(values))
        error = np.spacing(np.abs(counts).astype(np.float64)) / 2
        if not self.has_nanoseconds:
            whole = (counts + MICROSECOND // 2) // MICROSECOND * MICROSECOND
            counts = np.where(np.abs(whole - counts) <= error, whole, counts)
        low, high = self.ends
        counts = np.where((counts < low) & (low - counts <= error), low, counts)
        counts = np.where((counts > high) & (counts - high <= error), high, counts)
        return dates_at(np.where(missing, nanosecond_counts(values), counts), values)

    def in_utc(self, date: Any) -> pd.Timestamp:
        """A single date without a zone, in UTC; read in the column's zone if it has none itself.

        Raises:
            TypeError: If it is no date.
            ValueError: If it is text that is no date in the column's format.
        """
        stamp = self.parse(date)
        if stamp.tz is None:
            stamp = stamp.tz_localize(self.time_zone)
        return stamp.tz_convert('UTC').tz_localize(None)

    def parse(self, value: Any) -> pd.Timestamp:
        """A single date from text, or of one of Python's or NumPy's types.

        Text is read in the column's format. Where it has none, or one with year, month and day in
        this order, that of ISO 8601 is read as well; digits alone in columns of text only.

        Raises:
            TypeError: If it is neither.
            ValueError: If the text is no date in the format.
        """
        if isinstance(value, str):
            is_iso = not self.reads(value) and self._is_iso(value)
            if self.text_format is None and not is_iso:
                raise ValueError(f'{value!r} does not begin with a date such as 2020-12-31.')
            return pd.to_datetime(value, format='ISO8601' if is_iso else self._readable_format)
        if isinstance(value, pd.Period):
            return value.to_timestamp()
        if isinstance(value, DATE_TYPES):
            return pd.Timestamp(value)
        raise TypeError(f'{value!r} is no date.')

    def _is_iso(self, text: str) -> bool:
        """Whether a text begins as a date of ISO 8601 that could be no other in this column."""
        if self.text_format is None:
            return bool(_ISO_DATE.match(text))
        in_order = _ISO_ORDER.match(self.text_format)
        is_digits = self.is_text and _ISO_DIGITS.match(text)
        return bool(in_order and (_ISO_DATE.match(text) or is_digits))

    def in_words(self, date: pd.Timestamp) -> str:
        """A date as the column's format writes it, as far as that says which one it is."""
        text = date.strftime(self.text_format) if self.text_format else str(date)
        return text if self.reads(text) and self.parse(text) == date else str(date)

    def reads(self, text: str) -> bool:
        """Whether the column's format reads a text."""
        if self.text_format is None:
            return False
        try:
            pd.to_datetime(text, format=self._readable_format)
        except pd.errors.OutOfBoundsDatetime:
            return True
        except ValueError:
            return False
        return True

    def writes(self, dates: pd.Series) -> bool:
        """Whether text that the format has read is written by it to the last digit."""
        return not self.is_text or not np.any(nanosecond_counts(dates) % MICROSECOND)

    def nanoseconds(self, values: pd.Series) -> pd.Series:
        """Dates in plain form as nanoseconds since 1970 (float64, NaN where missing).

        Raises:
            ValueError: If a value is not a date in the column's format.
        """
        if self._are_numbers(values):
            return values.astype(np.float64)
        stamps = self._stamps(values)
        counts = stamps.astype(np.int64).astype(np.float64)
        return counts.where(stamps.notna())

    def counts(self, values: pd.Series) -> list[Any]:
        """As :meth:`nanoseconds`, to the last digit, of dates none of which is missing."""
        if self._are_numbers(values):
            return values.tolist()
        return self._stamps(values).astype(np.int64).tolist()

    def _are_numbers(self, values: pd.Series) -> bool:
        """Whether dates in plain form are numbers that no format reads."""
        return pd.api.types.is_numeric_dtype(values.dtype) and self.text_format is None

    def _stamps(self, values: pd.Series) -> pd.Series:
        """Dates in plain form as pandas' own, in UTC without a time zone."""
        dates = values if _is_date_time(values) else self._parsed(values)
        if getattr(dates.dt, 'tz', None) is not None:
            dates = dates.dt.tz_convert('UTC').dt.tz_localize(None)
        return dates.astype('datetime64[ns]')

    def unit(self, values: pd.Series) -> float:
        """The coarsest unit, in nanoseconds, that all dates are multiples of; 0 if there is none.

        Args:
            values: Dates in plain form; missing cells do not count.
        """
        present = values.dropna()
        if pd.api.types.is_datetime64_any_dtype(present.dtype):
            counts = present.to_numpy(dtype='datetime64[ns]').astype(np.int64)
        else:
            counts = self.nanoseconds(present).to_numpy().astype(np.int64)
        found = (unit for unit in _UNITS if not np.any(counts % unit))
        return float(next(found, 0)) if len(counts) else 0.0

    def local_unit(self, values: pd.Series) -> float:
        """As :meth:`unit`, on the clocks of the column's time zone; 0 if it has none.

        Args:
            values: Dates in plain form; missing cells do not count.
        """
        if self.time_zone is None or not _is_date_time(values):
            return 0.0
        return self.unit(on_clocks(self._stamps(values), self.time_zone))

    def at_units(self, counts: Counts, unit: float, way: Way) -> Counts:
        """As :func:`~sdv_tabdar.adapter.clocks.at_units`, in the column's time zone."""
        assert self.time_zone is not None, 'a unit of clocks comes with a time zone'
        return at_units(counts, int(unit), self.time_zone, way)

    def _parsed(self, values: pd.Series) -> pd.Series:
        """Dates from text, numbers or Python's dates."""
        present = values.dropna()
        is_text = not len(present) or not isinstance(present.iloc[0], DATE_TYPES)
        text_format = self._readable_format if is_text else None
        aware = self.time_zone is not None or '%z' in str(text_format).lower()
        if not is_text and not aware:
            aware = any(getattr(value, 'tzinfo', None) is not None for value in present)
        return pd.to_datetime(values, format=text_format, utc=aware)


def zone_of(values: pd.Series) -> datetime.tzinfo | None:
    """Time zone of a column of dates; None if it has none."""
    zone: datetime.tzinfo | None = getattr(values.dtype, 'tz', None)
    return zone


def nanosecond_counts(dates: pd.Series) -> Counts:
    """Whole nanoseconds since 1970; the least of all where missing."""
    return dates.to_numpy(dtype='datetime64[ns]').view(np.int64)


def dates_at(counts: Counts, like: pd.Series) -> pd.Series:
    """The dates of :func:`nanosecond_counts`, with index, name and time zone of a column."""
    dates = pd.Series(counts.view('datetime64[ns]'), index=like.index, name=like.name)
    zone = zone_of(like)
    return dates if zone is None else dates.dt.tz_localize('UTC').dt.tz_convert(zone)


def _is_date_time(values: pd.Series) -> bool:
    return bool(pd.api.types.is_datetime64_any_dtype(values.dtype))


def _zone(values: pd.Series) -> datetime.tzinfo | None:
    """The time zone of a column's dtype, or of its categories."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.categories.to_series()
    if not _is_date_time(values) or is_arrow_date(values.dtype):
        return None
    zone: datetime.tzinfo | None = values.dt.tz
    return zone


def _timestamps(periods: pd.Series) -> pd.Series:
    """The first moment of each period."""
    try:
        return periods.dt.to_timestamp()
    except pd.errors.OutOfBoundsDatetime:
        raise too_far(periods.dropna()) from None


def _as_nanosecond_dates(values: pd.Series, *, keep_zone: bool) -> pd.Series:
    """Dates in nanoseconds; in UTC, and without a time zone unless it is to be kept."""
    if _zone(values) is not None:
        values = values.dt.tz_convert('UTC')
        if not keep_zone:
            values = values.dt.tz_localize(None)
    zone = _zone(values)
    dtype: Any = 'datetime64[ns]' if zone is None else pd.DatetimeTZDtype('ns', zone)
    try:
        return values.astype(dtype)
    except pd.errors.OutOfBoundsDatetime:
        raise too_far(values.dropna()) from None


def _check_zones(present: pd.Series) -> None:
    """Refuse dates with a time zone beside dates without: which moment these are, nobody knows.

    Raises:
        InvalidDataError: If there are such.
    """
    cells = present
    if isinstance(present.dtype, pd.CategoricalDtype):
        cells = present.cat.categories.to_series()
    if cells.dtype != object:
        return
    examples: dict[bool, Any] = {}
    for cell in cells:
        if isinstance(cell, datetime.datetime):
            examples.setdefault(cell.tzinfo is not None, cell)
    if len(examples) == 2:
        raise InvalidDataError(
            [
                f"Column '{present.name}' has dates with a time zone, such as {examples[True]}, "
                f'and dates without one, such as {examples[False]}. All of them must have one, or '
                'none. Give the others their zone (tz_localize), or read all of them as UTC: '
                'pandas.to_datetime(column, utc=True).'
            ]
        )
