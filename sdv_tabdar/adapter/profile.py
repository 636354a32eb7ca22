"""What was seen in each column of the training table, and the check of a condition against it.

A condition that the column can never meet is refused before anything is sampled, with the
column, the value and what is allowed.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.formats import (
    ColumnFormat,
    is_missing,
    parse_date,
    to_nanoseconds,
)
from sdv_tabdar.conditions import Between, NotNull, OneOf, PartialValue

_SHOWN = 10  # levels named in an error message


class Role(enum.Enum):
    """How the values of a column are compared."""

    NUMBER = 'number'
    DATE = 'date'
    DISCRETE = 'discrete'
    GENERATED = 'generated'  # keys, personal data: made anew, not learnt


@dataclasses.dataclass(frozen=True)
class Allowed:
    """What a cell may be: in a range, among values, or just not missing.

    Attributes:
        low: Least number, or date in nanoseconds; None for no bound.
        high: Greatest number, or date in nanoseconds; None for no bound.
        values: Allowed values in plain form, None among them for missing; None for any.
    """

    low: float | None = None
    high: float | None = None
    values: tuple[Hashable, ...] | None = None


@dataclasses.dataclass(frozen=True)
class ColumnFacts:
    """What training saw of one column.

    Attributes:
        column: The column's form.
        role: How its values are compared.
        dtype: Dtype of its plain form.
        low: Least number, or date in nanoseconds; NaN if there was none.
        high: Greatest number, or date in nanoseconds; NaN if there was none.
        has_missing: Whether any cell was missing.
        has_values: Whether any cell was not.
        levels: Key to plain value of each level of a discrete column.
        unit: Numbers are multiples of this; 0 if they are not rounded.
        extrapolates: Whether conditions may lie outside ``[low, high]``.
    """

    column: ColumnFormat
    role: Role
    dtype: Any
    low: float = math.nan
    high: float = math.nan
    has_missing: bool = False
    has_values: bool = True
    levels: Mapping[Hashable, Any] = dataclasses.field(default_factory=dict)
    unit: float = 0.0
    extrapolates: bool = False

    @classmethod
    def learn(
        cls,
        values: pd.Series,
        column: ColumnFormat,
        role: Role,
        *,
        rounds: bool,
        extrapolates: bool,
    ) -> ColumnFacts:
        """Look at a training column in plain form."""
        missing = values.isna()
        low = high = math.nan
        unit = 0.0
        levels: dict[Hashable, Any] = {}
        if role in (Role.NUMBER, Role.DATE) and not missing.all():
            counts = values if role is Role.NUMBER else to_nanoseconds(values, column)
            low, high = float(counts.min()), float(counts.max())
        if role is Role.NUMBER:
            whole = pd.api.types.is_integer_dtype(values.dtype)
            digits = 0 if whole else private_names.learn_rounding_digits(values) if rounds else None
            unit = 0.0 if digits is None else 10.0**-digits
        if role is Role.DISCRETE:
            for level in _distinct(values[~missing].tolist()):
                levels.setdefault(level_key(level), _item(level))
        return cls(
            column=column,
            role=role,
            dtype=values.dtype,
            low=low,
            high=high,
            has_missing=bool(missing.any()),
            has_values=not missing.all(),
            levels=levels,
            unit=unit,
            extrapolates=extrapolates,
        )

    def check(self, value: Any) -> Any:
        """The plain form of a value that a cell is conditioned on.

        Raises:
            ValueError: If the column cannot take it.
        """
        if is_missing(value):
            if not self.has_missing and self.role is not Role.GENERATED:
                self._refuse(value, 'the training data had no missing value in it')
            return None
        plain = _item(value)
        if self.role is Role.NUMBER:
            return self._checked_number(plain)
        if self.role is Role.DATE:
            return self._checked_date(plain)
        if self.role is Role.DISCRETE:
            if not isinstance(plain, Hashable) or level_key(plain) not in self.levels:
                self._refuse(value, 'the training data had no such value')
            return self.levels[level_key(plain)]
        return plain

    def check_all(self, values: Sequence[Any]) -> list[Any]:
        """As :meth:`check`, for many values.

        Raises:
            ValueError: If the column cannot take one of them.
        """
        if self.role is Role.DATE:
            together = self._checked_together(values)
            if together is not None:
                return together
        return [self.check(value) for value in values]

    def check_numbers(self, values: pd.Series) -> None:
        """Refuse infinite numbers.

        Raises:
            ValueError: If there is one.
        """
        infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
        if infinite.any():
            self._refuse(values.iloc[int(infinite.argmax())], 'numbers must be finite')

    def with_any_value(self) -> ColumnFacts:
        """The same column, with numbers and dates of any size allowed."""
        return dataclasses.replace(self, extrapolates=True)

    def check_partial(self, condition: PartialValue) -> Allowed:
        """What a cell may be under a condition that is not a value.

        Raises:
            ValueError: If the column can never meet it.
        """
        if self.role is Role.GENERATED:
            self._refuse(condition, 'its values are generated and not learnt; give a value')
        if not self.has_values:
            self._refuse(condition, 'the training data had only missing values in it')
        if isinstance(condition, NotNull):
            return Allowed()
        if isinstance(condition, OneOf):
            return Allowed(values=tuple(self.check(value) for value in condition.values))
        if self.role is Role.DISCRETE:
            return self._checked_levels(condition)
        low, high = (self._end(end, condition) for end in (condition.low, condition.high))
        if low is not None and high is not None and low > high:
            self._refuse(condition, 'it is empty: low must be at most high')
        if (low is not None and low > self.high) or (high is not None and high < self.low):
            # Not even where a given number may lie outside: the model puts no mass there.
            self._refuse(condition, 'it lies outside the range of the training data')
        low, high = _round_up(low, self.unit), _round_up(high, -self.unit)
        if low is not None and high is not None and low > high:
            self._refuse(condition, f'the column holds multiples of {self.unit:g}')
        return Allowed(low, high)

    def comparable(self, values: pd.Series) -> pd.Series:
        """Plain values as numbers, or nanoseconds, or keys of levels, for comparisons."""
        if self.role is Role.NUMBER:
            return values.astype(np.float64)
        if self.role is Role.DATE:
            return to_nanoseconds(values, self.column)
        keys = [None if is_missing(value) else level_key(_item(value)) for value in values.tolist()]
        return pd.Series(keys, index=values.index, dtype=object)

    def typed(self, values: Sequence[Any], index: pd.Index) -> pd.Series:
        """Plain values as a column of the training column's plain dtype if they fit it."""
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        column = pd.Series(cells, index=index, dtype=object)
        if self.dtype == object:
            return column
        if column.isna().any() and not pd.api.types.is_datetime64_any_dtype(self.dtype):
            return column.astype(np.float64 if self.role is Role.NUMBER else object)
        try:
            return column.astype(self.dtype)
        except (TypeError, ValueError):
            return column

    def is_allowed(self, values: pd.Series, allowed: Allowed) -> pd.Series:
        """Which plain values a condition admits."""
        missing = values.isna()
        if allowed.values is not None:
            members = self.comparable(pd.Series(list(allowed.values), dtype=object).dropna())
            among = self.comparable(values).isin(set(members)) & ~missing
            return among | missing if None in allowed.values else among
        inside = ~missing
        if allowed.low is not None:
            inside &= self.comparable(values) >= allowed.low
        if allowed.high is not None:
            inside &= self.comparable(values) <= allowed.high
        return inside

    def _checked_number(self, value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, numbers.Number):
            self._refuse(value, 'the column is numerical')
        number = float(value)  # type: ignore[arg-type]
        if not math.isfinite(number):
            self._refuse(value, 'numbers must be finite')
        is_whole = pd.api.types.is_integer_dtype(self.dtype)
        if is_whole and not number.is_integer():
            self._refuse(value, 'the column holds whole numbers')
        if not self.extrapolates and not self.low <= number <= self.high:
            self._refuse(value, 'it lies outside the range of the training data')
        return int(value) if is_whole else number  # type: ignore[call-overload]

    def _checked_date(self, value: Any) -> Any:
        try:
            plain = self._plain_date(value)
            count = to_nanoseconds(pd.Series([plain]), self.column).iloc[0]
        except (TypeError, ValueError, OverflowError):
            self._refuse(value, f'the column holds dates{self._format_text()}')
        if not self.extrapolates and not self.low <= count <= self.high:
            self._refuse(value, 'it lies outside the range of the training data')
        return plain

    def _plain_date(self, value: Any) -> Any:
        """A date in the plain form of the column.

        Raises:
            TypeError: If it is no date.
            ValueError: If the column's format does not read or cannot hold it.
        """
        if pd.api.types.is_numeric_dtype(self.dtype) and isinstance(value, numbers.Number):
            return value
        stamp = parse_date(value, self.column)
        if pd.api.types.is_datetime64_any_dtype(self.dtype):
            if stamp.tz is None and self.column.time_zone is not None:
                stamp = stamp.tz_localize(self.column.time_zone)
            zone = getattr(self.dtype, 'tz', None)
            stamp = stamp if stamp.tz is None else stamp.tz_convert('UTC')
            plain = stamp.tz_localize(None) if stamp.tz is not None and zone is None else stamp
            text = plain.strftime(self.column.date_format) if self.column.is_text else None
            if text is not None and parse_date(text, self.column) != plain:
                raise ValueError('The format of the column cannot hold this date.')
            return plain
        if isinstance(value, str):
            return value
        return (
            str(value) if not self.column.date_format else stamp.strftime(self.column.date_format)
        )

    def _checked_together(self, values: Sequence[Any]) -> list[Any] | None:
        """Plain form of many dates; None if one of them needs a look of its own."""
        kinds = {type(value) for value in values}
        is_plain = self.dtype == np.dtype('datetime64[ns]') and self.column.time_zone is None
        if not is_plain or kinds not in ({str}, {pd.Timestamp}):
            return None
        if kinds == {str} and not self.column.is_text:
            return None
        try:
            series = pd.Series(list(values), dtype=object)
            written = self.column.date_format if kinds == {str} else None
            dates = pd.to_datetime(series, format=written)
            counts = to_nanoseconds(dates, self.column)
        except (AttributeError, TypeError, ValueError):
            return None
        if kinds != {str} and self.column.is_text:
            return None
        inside = self.extrapolates or bool(counts.between(self.low, self.high).all())
        return dates.tolist() if inside else None

    def _end(self, end: Any, condition: Between) -> float | None:
        """One end of a range as a number or in nanoseconds."""
        if end is None:
            return None
        if self.role is Role.NUMBER:
            if isinstance(end, bool) or not isinstance(end, (numbers.Number, np.number)):
                self._refuse(condition, 'the column is numerical')
            return float(end)  # type: ignore[arg-type]
        plain = self.with_any_value().check(end)
        return float(to_nanoseconds(pd.Series([plain]), self.column).iloc[0])

    def _checked_levels(self, condition: Between) -> Allowed:
        """Levels of a discrete column of numbers within a range."""
        levels = list(self.levels.values())
        is_number = [isinstance(v, numbers.Number) and not isinstance(v, bool) for v in levels]
        ends = [end for end in (condition.low, condition.high) if end is not None]
        if not all(is_number) or any(not isinstance(end, numbers.Number) for end in ends):
            self._refuse(condition, 'its levels are no numbers; use OneOf')
        low = -math.inf if condition.low is None else condition.low
        high = math.inf if condition.high is None else condition.high
        inside = tuple(level for level in levels if low <= level <= high)
        if not inside:
            self._refuse(condition, 'no level lies there')
        return Allowed(values=inside)

    def _refuse(self, value: Any, reason: str) -> NoReturn:
        raise ValueError(
            f"Unable to sample any rows for the given conditions: column '{self.column.name}' "
            f'cannot be {_item(value)!r}, because {reason}. Allowed: {self._allowed_text()}.'
        )

    def _format_text(self) -> str:
        return f' in the format {self.column.date_format!r}' if self.column.date_format else ''

    def _allowed_text(self) -> str:
        if self.role is Role.GENERATED:
            return 'any single value'
        parts = []
        if self.role is Role.DISCRETE:
            levels = list(self.levels.values())
            text = ', '.join(repr(level) for level in levels[:_SHOWN])
            more = len(levels) - _SHOWN
            parts += [text + (f' and {more} more' if more > 0 else '')] if levels else []
        elif self.has_values:
            what = 'whole numbers ' if pd.api.types.is_integer_dtype(self.dtype) else ''
            if self.role is Role.NUMBER and self.extrapolates:
                parts.append(f'{what}of any size' if what else 'any finite number')
            elif self.role is Role.NUMBER:
                parts.append(f'{what}from {self.low:.15g} to {self.high:.15g}')
            else:
                low, high = (pd.Timestamp(int(end)) for end in (self.low, self.high))
                parts.append(f'dates from {low} to {high}{self._format_text()}')
        if self.has_missing:
            parts.append('missing (None)')
        hint = ''
        if self.role in (Role.NUMBER, Role.DATE) and not self.extrapolates:
            hint = '; fit with enforce_min_max_values=False to go beyond'
        return ', or '.join(parts) + hint if parts else 'nothing'


def level_key(value: Any) -> Hashable:
    """What tells levels apart: True is not 1, but 1 is 1.0."""
    if isinstance(value, bool):
        return ('bool', value)
    return value if isinstance(value, Hashable) else repr(value)


def _distinct(values: list[Any]) -> list[Any]:
    """Each value once; unlike pandas.unique, for which True and 1 are the same."""
    try:
        return [value for _, value in dict.fromkeys(zip(map(type, values), values, strict=True))]
    except TypeError:  # one that cannot be hashed
        return values


def role_of(sdtype: str | None, *, generated: bool) -> Role:
    """How a column of this sdtype is compared."""
    if generated:
        return Role.GENERATED
    return {'numerical': Role.NUMBER, 'datetime': Role.DATE}.get(str(sdtype), Role.DISCRETE)


def _round_up(value: float | None, unit: float) -> float | None:
    """The first multiple of ``unit`` from ``value`` on; downwards if ``unit`` is negative."""
    if value is None or not unit:
        return value
    return float(np.ceil(value / unit - 1e-9)) * unit


def _item(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return value.item() if isinstance(value, np.generic) else value
