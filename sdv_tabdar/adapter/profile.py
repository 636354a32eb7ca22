"""What was seen in each column of the training table, and comparisons in its terms."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.clocks import FAR_DATE, Way
from sdv_tabdar.adapter.date_steps import unit_name
from sdv_tabdar.adapter.dates import dates_at, nanosecond_counts, zone_of
from sdv_tabdar.adapter.formats import ColumnFormat
from sdv_tabdar.adapter.values import is_missing, item, level_key, shown
from sdv_tabdar.core.codecs.clock_times import are_clock_times
from sdv_tabdar.core.codecs.values import level_order

_SHOWN = 10  # levels named in an error message


class Role(enum.Enum):
    """How the values of a column are compared."""

    NUMBER = 'number'
    DATE = 'date'
    DISCRETE = 'discrete'
    GENERATED = 'generated'  # keys, personal data: made anew, not learnt


@dataclasses.dataclass(frozen=True)
class ColumnProfile:
    """What training saw of one column.

    Attributes:
        column: The column's form.
        role: How its values are compared.
        dtype: Dtype of its plain form.
        low: Least number, or date in nanoseconds; NaN if there was none.
        high: Greatest number, or date in nanoseconds; NaN if there was none.
        has_missing: Whether any cell was missing.
        has_values: Whether any cell was not.
        levels: Key to plain value of each level of a discrete column, sorted by these values.
        unit: Numbers are multiples of this; 0 if they are not rounded.
        date_unit: Dates are multiples of this, in nanoseconds; 0 if they are not rounded.
        local_unit: Dates are multiples of this on the clocks of their time zone, in nanoseconds; 0
            if ``date_unit``, which is in UTC, is as coarse.
        is_clock: Whether the model reads its numbers as clock times, written hhmm.
        extrapolates: Whether members of sets may lie outside ``[low, high]``.
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
    date_unit: float = 0.0
    local_unit: float = 0.0
    is_clock: bool = False

    @classmethod
    def learn(
        cls,
        values: pd.Series,
        column: ColumnFormat,
        role: Role,
        *,
        rounds: bool,
        extrapolates: bool,
    ) -> ColumnProfile:
        """Look at a training column in plain form."""
        missing = values.isna()
        low = high = math.nan
        unit = 0.0
        levels: dict[Hashable, Any] = {}
        if role in (Role.NUMBER, Role.DATE) and not missing.all():
            counts = values if role is Role.NUMBER else column.dates.nanoseconds(values)
            low, high = float(counts.min()), float(counts.max())
        if role is Role.NUMBER:
            whole = pd.api.types.is_integer_dtype(values.dtype)
            digits = 0 if whole else private_names.rounding_digits(values) if rounds else None
            unit = 0.0 if digits is None else 10.0**-digits
        if role is Role.DISCRETE:
            found = [item(level) for level in _distinct(values[~missing].tolist())]
            levels = {level_key(level): level for level in sorted(found, key=_order)}
        date_unit = column.dates.unit(values) if role is Role.DATE else 0.0
        local_unit = column.dates.local_unit(values) if role is Role.DATE else 0.0
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
            date_unit=date_unit,
            local_unit=local_unit if local_unit > date_unit else 0.0,
        )

    def to_state(self) -> dict[str, Any]:
        """The profile as plain objects, to be saved; without the column's form."""
        names = [field.name for field in dataclasses.fields(self) if field.name != 'column']
        state = {name: getattr(self, name) for name in names}
        return {**state, 'role': self.role.value, 'levels': list(self.levels.values())}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], column: ColumnFormat) -> ColumnProfile:
        """The profile that :meth:`to_state` wrote."""
        levels = {level_key(level): level for level in state['levels']}
        return cls(column, **{**state, 'role': Role(state['role']), 'levels': levels})

    @property
    def holds_whole_numbers(self) -> bool:
        """Whether the user's column can only hold whole numbers, or has held nothing else."""
        kind = self.column.value_type
        is_whole = kind is not None and issubclass(kind, (int, np.integer))
        return is_whole or bool(pd.api.types.is_integer_dtype(self.column.dtype))

    @property
    def holds_truth_values(self) -> bool:
        """Whether all levels are True or False, so that 1 and 0 can mean nothing else."""
        return bool(self.levels) and all(isinstance(level, bool) for level in self.levels.values())

    @property
    def has_boolean_dtype(self) -> bool:
        """Whether the user's column holds truth values and nothing else, whatever it stands for."""
        dtype = self.column.dtype
        is_boolean = bool(pd.api.types.is_bool_dtype(dtype))
        return is_boolean and not isinstance(dtype, pd.CategoricalDtype)

    @property
    def limits_of_dtype(self) -> tuple[float, float]:
        """Least and greatest number that the dtype of the user's column holds.

        Those of whole numbers are ints, as a float64 rounds 2**63 - 1 to 2**63.
        """
        dtype = getattr(self.column.dtype, 'numpy_dtype', self.column.dtype)
        if not isinstance(dtype, np.dtype) or dtype.kind not in 'iu':
            return -math.inf, math.inf
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)

    @functools.cached_property
    def categories(self) -> list[Any] | None:
        """The values of a column that pandas has as categories; dates in whole nanoseconds."""
        if not isinstance(self.column.dtype, pd.CategoricalDtype):
            return None
        values = pd.Series(self.column.dtype.categories)
        if self.role is Role.DATE:
            return self.column.dates.counts(self.column.plain(values))
        return [item(value) for value in values.tolist()]

    def categories_within(self, low: Any, high: Any) -> list[Any] | None:
        """Those of :attr:`categories` in a range; None where there are none."""
        if self.categories is None:
            return None
        return [value for value in self.categories if is_inside(value, low, high)]

    def is_no_category(self, plain: Any) -> bool:
        """Whether a plain number or date is none of :attr:`categories`, where there are such."""
        if self.categories is None or self.role is Role.DISCRETE:
            return False
        if self.role is Role.DATE:
            (plain,) = self.column.dates.counts(pd.Series([plain]))
        return float(plain) not in map(float, self.categories)  # Decimal numbers equal no floats

    def has_seen(self, values: pd.Series) -> npt.NDArray[np.bool_]:
        """Which plain values training has seen, numbers and dates within the ends of their range.

        Of clock times no others; of missing values it says nothing.
        """
        if self.role is Role.DISCRETE:
            return np.array([key in self.levels for key in self.comparable(values)], dtype=bool)
        numbers = self.comparable(values)
        inside = numbers.between(self.low, self.high).to_numpy()
        return inside & are_clock_times(numbers.to_numpy()) if self.is_clock else inside

    def nearest(self, values: pd.Series) -> pd.Series:
        """Plain numbers or dates, and in place of those beyond its range the end next to them.

        Dates in another form than pandas' are left as they are.
        """
        low: Any = self.low
        high: Any = self.high
        if self.role is Role.DATE:
            if not pd.api.types.is_datetime64_any_dtype(values.dtype):
                return values
            zone = zone_of(values)
            low, high = (pd.Timestamp(int(end), tz=zone) for end in (low, high))
        elif pd.api.types.is_integer_dtype(values.dtype):
            low, high = int(low), int(high)
        inside = self.has_seen(values) | values.isna().to_numpy()
        return values.where(inside, values.clip(low, high))

    def comparable(self, values: pd.Series) -> pd.Series:
        """Plain values as numbers, or nanoseconds, or keys of levels, for comparisons."""
        if self.role is Role.NUMBER:
            return values.astype(np.float64)
        if self.role is Role.DATE:
            return self.column.dates.nanoseconds(values)
        keys = [None if is_missing(value) else level_key(item(value)) for value in values.tolist()]
        return pd.Series(keys, index=values.index, dtype=object)

    def rounded(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Numbers, or dates in nanoseconds, as the column rounds them."""
        if self.role is Role.NUMBER:
            return np.round(numbers, round(-math.log10(self.unit))) if self.unit else numbers
        if self.local_unit:
            return self.dates_next_to(numbers, 'round')
        unit = self.date_unit
        return np.round(numbers / unit) * unit if unit else numbers

    def rounded_dates(self, dates: pd.Series) -> pd.Series:
        """Plain dates in the column's unit, which may be that of clocks in its time zone."""
        if self.local_unit:
            counts = nanosecond_counts(dates)
            return dates_at(self.column.dates.at_units(counts, self.local_unit, 'round'), dates)
        return dates.dt.round(pd.Timedelta(int(self.date_unit)))

    def dates_next_to(self, numbers: npt.NDArray[np.float64], way: Way) -> npt.NDArray[np.float64]:
        """Dates in the unit of clocks in the column's time zone, next to others, in nanoseconds.

        Args:
            numbers: Dates in nanoseconds; infinite and missing ones stay so.
            way: As in :func:`~sdv_tabdar.adapter.clocks.at_units`.
        """
        found = numbers.copy()
        near = np.abs(numbers) < FAR_DATE
        counts = np.round(numbers[near]).astype(np.int64)
        found[near] = self.column.dates.at_units(counts, self.local_unit, way)
        return found

    def date_next_to(self, count: int, way: Literal['ceil', 'floor']) -> int:
        """As :meth:`dates_next_to`, to the last digit; also of a column without a time zone."""
        if self.local_unit:
            counts = np.array([count], dtype=np.int64)
            return int(self.column.dates.at_units(counts, self.local_unit, way)[0])
        unit = int(self.date_unit) or 1
        return count // unit * unit if way == 'floor' else -(-count // unit) * unit

    def date_as_float(self, count: int, way: Literal['ceil', 'floor']) -> float:
        """An end of a range of dates as a float64, with the same dates of the column inside.

        The nearest one to the last moment of a day is the next day; it is the day itself then.

        Args:
            count: Nanoseconds.
            way: 'ceil' for the lower end, 'floor' for the upper one.
        """
        if self.date_unit or self.local_unit:
            outermost = self.date_next_to(count, way)
            if self.date_next_to(int(float(count)), way) != outermost:
                return float(outermost)
        return float(count)

    @property
    def date_unit_text(self) -> str:
        """The unit of the column's dates in words."""
        clocks = f' on the clocks of {self.column.dates.time_zone}' if self.local_unit else ''
        return f'whole {unit_name(int(self.local_unit or self.date_unit))}{clocks}'

    def plain_of(self, numbers: npt.NDArray[np.float64]) -> list[Any]:
        """The plain values that :meth:`comparable` gives numbers for; None for NaN."""
        if self.role is Role.NUMBER:
            whole = pd.api.types.is_integer_dtype(self.dtype)
            return [None if x != x else round(x) if whole else x for x in numbers.tolist()]
        form = self.column.dates
        dates = pd.Series(pd.to_datetime(numbers))
        if pd.api.types.is_datetime64_any_dtype(self.dtype):
            zone = getattr(self.dtype, 'tz', None)
            dates = dates if zone is None else dates.dt.tz_localize('UTC').dt.tz_convert(zone)
        elif form.text_format:
            texts = dates.dt.strftime(form.text_format)
            is_number = pd.api.types.is_numeric_dtype(self.dtype)
            dates = pd.to_numeric(texts) if is_number else texts
        elif pd.api.types.is_numeric_dtype(self.dtype):
            dates = pd.Series(numbers)
        return [None if is_missing(value) else value for value in dates.astype(object).tolist()]

    def typed(self, values: Sequence[Any], index: pd.Index) -> pd.Series:
        """Plain values as a column of the training column's plain dtype if they fit it."""
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        column = pd.Series(cells, index=index, dtype=object)
        if self.dtype == object:
            return column
        if self.role is Role.NUMBER and pd.api.types.is_integer_dtype(self.dtype):
            numbers = column.astype(np.float64)
            if (numbers % 1 != 0).any():
                return numbers
        if column.isna().any() and not pd.api.types.is_datetime64_any_dtype(self.dtype):
            return column.astype(np.float64 if self.role is Role.NUMBER else object)
        try:
            return column.astype(self.dtype)
        except (TypeError, ValueError, OverflowError):
            return column

    @property
    def allowed_text(self) -> str:
        """The values that a condition may ask for, in words."""
        if self.role is Role.GENERATED:
            return 'any single value, None, or NotNull()'
        parts = []
        if self.role is Role.DISCRETE:
            levels = list(self.levels.values())
            text = ', '.join(shown(level) for level in levels[:_SHOWN])
            more = len(levels) - _SHOWN
            parts += [text + (f' and {more} more' if more > 0 else '')] if levels else []
        elif self.has_values:
            parts.append(self._range_text())
        if self.has_missing:
            parts.append('missing (None)')
        return ', or '.join(parts) if parts else 'nothing'

    def _range_text(self) -> str:
        if self.role is Role.DATE:
            return f'dates{self.date_format_text} (training had {self.range_text})'
        whole = 'whole numbers' if self.holds_whole_numbers else 'finite numbers'
        return f'{whole} (training had {self.range_text})'

    @property
    def range_text(self) -> str:
        """The range of training in words: numbers, or dates in the column's time zone."""
        if self.role is not Role.DATE:
            what = 'clock times as hhmm, ' if self.is_clock else ''
            return f'{what}{self.low:.15g} to {self.high:.15g}'
        zone = self.column.dates.time_zone
        ends = [pd.Timestamp(int(end)) for end in (self.low, self.high)]
        if zone is not None:
            ends = [end.tz_localize('UTC').tz_convert(zone) for end in ends]
        return ' to '.join(map(self.column.dates.in_words, ends))

    @property
    def date_format_text(self) -> str:
        """The format of the column's dates in words; empty if there is none."""
        text_format = self.column.dates.text_format
        return f' in the format {text_format!r}' if text_format else ''


def is_inside(value: Any, low: Any, high: Any) -> bool:
    """Whether a value lies in a range, ends included; None leaves an end open."""
    return (low is None or low <= value) and (high is None or value <= high)


def role_of(sdtype: str | None, *, generated: bool) -> Role:
    """How a column of this sdtype is compared."""
    if generated:
        return Role.GENERATED
    return {'numerical': Role.NUMBER, 'datetime': Role.DATE}.get(str(sdtype), Role.DISCRETE)


def _order(level: Any) -> tuple[Any, ...]:
    """What levels are sorted by; those that cannot be hashed by their text."""
    return level_order(level if isinstance(level, Hashable) else repr(level))


def _distinct(values: list[Any]) -> list[Any]:
    """Each value once; unlike pandas.unique, for which True and 1 are the same."""
    try:
        return [value for _, value in dict.fromkeys(zip(map(type, values), values, strict=True))]
    except TypeError:  # one that cannot be hashed
        return values
