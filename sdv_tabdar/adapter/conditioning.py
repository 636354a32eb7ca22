"""Conditions as the user writes them, read for one column: plain values and restrictions.

What is no value of the column, and a restriction that the column can never meet, is refused before
anything is sampled, with the column, the value and what is allowed.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.date_texts import POSSIBLE
from sdv_tabdar.adapter.dates import DateForm, zone_of
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import is_missing, item, level_key, shown
from sdv_tabdar.conditions import Between, NotNull, OneOf, PartialValue
from sdv_tabdar.core.codecs.clock_times import NO_CLOCK_TIME, are_clock_times, has_clock_time
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

Ends = tuple[Any, Any]

_HALF = 0.499  # of a rounding unit: whatever is drawn inside rounds to a value in the range


class CellRefusedError(ValueError):
    """A known cell that its column cannot have; says so of the column, the value and the reason."""


def refuse(profile: ColumnProfile, value: Any, reason: str) -> NoReturn:
    """Refuse a value.

    Raises:
        CellRefusedError: Always.
    """
    raise CellRefusedError(refusal(profile, shown(item(value)), reason))


def refusal(profile: ColumnProfile, value: object, reason: str) -> str:
    """Why a column cannot have a value, and what it can have."""
    name = profile.column.name
    return f"column '{name}' cannot be {value}, because {reason}. Allowed: {profile.allowed_text}."


def plain_value(profile: ColumnProfile, value: Any, *, fits_dtype: bool = True) -> Any:
    """The plain form of a value of a column, whether or not training has seen it.

    Args:
        profile: The column.
        value: The value; not missing.
        fits_dtype: Whether the column's dtype must be able to hold it.

    Raises:
        CellRefusedError: If it is no value of the column.
    """
    plain = item(value)
    if isinstance(plain, type) and issubclass(plain, PartialValue):
        refuse(profile, value, f'it is a class; call it, as in {plain.__name__}(...)')
    if profile.role is Role.NUMBER:
        return _plain_number(profile, plain, fits_dtype=fits_dtype)
    if profile.role is Role.DATE:
        return _checked_date(profile, plain, fits_dtype=fits_dtype)
    if profile.role is Role.DISCRETE:
        if profile.holds_truth_values and isinstance(plain, (int, float)) and plain in (0, 1):
            plain = bool(plain)
        known = profile.levels.get(level_key(plain))
        is_boolean = profile.column.sdtype == 'boolean' or profile.has_boolean_dtype
        if known is None and is_boolean and not isinstance(plain, bool):
            refuse(profile, value, 'the column is boolean')
        return plain if known is None else known
    return plain


def plain_values(
    profile: ColumnProfile, values: Sequence[Any], *, fits_dtype: bool = True
) -> list[Any]:
    """As :func:`plain_value`, for many values.

    Raises:
        CellRefusedError: If one of them is no value of the column.
    """
    if profile.role is Role.DATE:
        together = _dates_together(profile, values)
        if together is not None:
            return together
    return [plain_value(profile, value, fits_dtype=fits_dtype) for value in values]


def read_restrictions(
    profile: ColumnProfile, conditions: Sequence[PartialValue]
) -> list[Restriction]:
    """Restrictions for conditions that are no single value.

    They are in the terms of :meth:`ColumnProfile.comparable`: numbers, dates in nanoseconds,
    plain levels.

    Raises:
        CellRefusedError: If the column can never meet one of them.
    """
    for condition in conditions:
        if profile.role is Role.GENERATED and not isinstance(condition, NotNull):
            refuse(profile, condition, 'its values are generated and not learnt; give a value')
        if not profile.has_values:
            refuse(profile, condition, 'the training data had only missing values in it')
    ranges = [condition for condition in conditions if isinstance(condition, Between)]
    ends = {} if profile.role is Role.DISCRETE else read_ends(profile, ranges)
    return [
        NotMissing(asked=condition)
        if isinstance(condition, NotNull)
        else _read_members(profile, condition)
        if isinstance(condition, OneOf)
        else _read_levels(profile, condition)
        if profile.role is Role.DISCRETE
        else _read_interval(profile, condition, ends[condition])
        for condition in conditions
    ]


def _read_members(profile: ColumnProfile, condition: OneOf) -> Members:
    given = [value for value in condition.values if not is_missing(value)]
    missing = [None] if len(given) < len(condition.values) else []
    if missing and not profile.has_missing:
        refuse(profile, None, 'the training data had no missing value in it')
    values = plain_values(profile, given)
    if values:
        _check_members(profile, given, values)
    if profile.role is not Role.DISCRETE and values:
        values = profile.comparable(_series(profile, values)).astype(float).tolist()
    return Members((*values, *missing), asked=condition)


def _check_members(profile: ColumnProfile, given: Sequence[Any], plain: Sequence[Any]) -> None:
    """Refuse members of a set that no draw can be, given and in plain form."""
    for value, member in zip(given, plain, strict=True):
        if profile.is_clock and not are_clock_times(np.array(member)):
            refuse(profile, value, 'it is no clock time, as hhmm')
    seen = profile.has_seen(_series(profile, plain))
    if not seen.all() and (profile.role is Role.DISCRETE or not profile.extrapolates):
        reason = 'it lies outside the range of the training data'
        if profile.role is Role.DISCRETE:
            reason = 'the training data had no such value'
        refuse(profile, given[int((~seen).argmax())], reason)
    for value, member in zip(given, plain, strict=True):
        if profile.is_no_category(member):
            refuse(profile, value, 'it is no category of the column')
    if profile.role is not Role.DATE:
        return
    counts = profile.column.dates.counts(_series(profile, plain))
    for value, count in zip(given, counts, strict=True):
        if _lies_between_dates(profile, count, count):
            refuse(profile, value, _unit_reason(profile))


def _series(profile: ColumnProfile, plain: Sequence[Any]) -> pd.Series:
    """Plain values, none of them missing, as a column."""
    return pd.Series(list(plain), dtype=object if profile.role is Role.DISCRETE else None)


def _read_levels(profile: ColumnProfile, condition: Between) -> Members:
    """Levels of a discrete column of numbers within a range."""
    levels = list(profile.levels.values())
    is_number = [isinstance(v, numbers.Number) and not isinstance(v, bool) for v in levels]
    ends = [end for end in (condition.low, condition.high) if end is not None]
    if not all(is_number) or any(not isinstance(end, numbers.Number) for end in ends):
        refuse(profile, condition, 'its levels are no numbers; use OneOf')
    low = -math.inf if condition.low is None else condition.low
    high = math.inf if condition.high is None else condition.high
    inside = tuple(level for level in levels if low <= level <= high)
    if not inside:
        refuse(profile, condition, 'no level lies there')
    return Members(inside, asked=condition)


def _read_interval(profile: ColumnProfile, condition: Between, ends: Ends) -> Interval:
    """The numbers that round to one in a range."""
    if None not in ends and ends[0] > ends[1]:
        coarse = profile.role is Role.DATE and profile.column.date_step > 1
        steps = f', and {profile.column.steps_text}' if coarse else ''
        refuse(profile, condition, f'it is empty: low must be at most high{steps}')
    low, high = map(_as_float, ends)
    if (low is not None and low > profile.high) or (high is not None and high < profile.low):
        # A single value may lie outside, as it is kept; for a range the model has nothing to draw.
        refuse(profile, condition, 'it lies outside the range of the training data')
    if profile.categories_within(*ends) == []:
        refuse(profile, condition, 'no category of the column lies there')
    if profile.role is Role.DATE and None not in ends and _lies_between_dates(profile, *ends):
        refuse(profile, condition, _unit_reason(profile))
    if profile.role is Role.DATE:
        low = None if low is None else profile.date_as_float(ends[0], 'ceil')
        high = None if high is None else profile.date_as_float(ends[1], 'floor')
    if profile.is_clock and None not in ends and not has_clock_time(low, high):
        refuse(profile, condition, NO_CLOCK_TIME)
    low, high = _round_up(low, profile.unit), _round_up(high, -profile.unit)
    if low is not None and high is not None and low > high:
        refuse(profile, condition, f'the column holds multiples of {profile.unit:g}')
    if profile.role is Role.NUMBER and profile.column.number.steps is not None:
        first, last = profile.column.number.places(*ends)
        if first is not None and last is not None and first > last:
            unit = float(1 / profile.column.number.steps)
            refuse(profile, condition, f'the column holds multiples of {unit:g}')
    slack = _HALF * profile.unit
    return Interval(
        None if low is None else low - slack,
        None if high is None else high + slack,
        asked=condition,
    )


def _lies_between_dates(profile: ColumnProfile, low: int, high: int) -> bool:
    """Whether a range has no date in the unit of the column, which drawn ones are in."""
    return profile.date_next_to(low, 'ceil') > profile.date_next_to(high, 'floor')


def _unit_reason(profile: ColumnProfile) -> str:
    return f'all dates of the training data are {profile.date_unit_text}'


def read_ends(profile: ColumnProfile, ranges: Sequence[Between]) -> dict[Between, Ends]:
    """The ends of ranges with all their digits.

    Args:
        profile: A column of numbers or dates.
        ranges: Ranges.

    Returns:
        For each its ends, as numbers, or in nanoseconds: the first and the last date of those
        that the column can hold. None where they are open.

    Raises:
        CellRefusedError: If an end is no value of the column.
    """
    if profile.role is Role.NUMBER:
        return {
            condition: (
                _number_of(profile, condition, condition.low),
                _number_of(profile, condition, condition.high),
            )
            for condition in ranges
        }
    given = [end for condition in ranges for end in (condition.low, condition.high)]
    closed = [end for end in given if end is not None]
    plain = plain_values(profile, closed, fits_dtype=False)
    counts = iter(profile.column.dates.counts(pd.Series(plain)) if plain else [])
    found = [None if end is None else next(counts) for end in given]
    step = profile.column.date_step
    if step > 1:
        found[::2] = [None if low is None else -(-low // step) * step for low in found[::2]]
        found[1::2] = [None if high is None else high // step * step for high in found[1::2]]
    return dict(zip(ranges, zip(found[::2], found[1::2], strict=True), strict=True))


def _number_of(profile: ColumnProfile, condition: Between, end: Any) -> Any:
    if end is None:
        return None
    if isinstance(end, bool) or not isinstance(end, (numbers.Number, np.number)):
        refuse(profile, condition, 'the column is numerical')
    form = profile.column.number
    return item(end) if form.short is None else form.plain_number(_as_float(end))


def _as_float(end: Any) -> Any:
    """An end of a range as the model has it; infinite beyond the floats."""
    try:
        return None if end is None else float(end)
    except OverflowError:
        return math.inf if end > 0 else -math.inf


def _plain_number(profile: ColumnProfile, value: Any, *, fits_dtype: bool) -> int | float:
    if isinstance(value, (bool, complex)) or not isinstance(value, numbers.Number):
        refuse(profile, value, 'the column is numerical')
    number = profile.column.number.plain_number(float(value))  # type: ignore[arg-type]
    if not math.isfinite(number):
        refuse(profile, value, 'numbers must be finite')
    if fits_dtype:
        if profile.holds_whole_numbers and value != int(value):  # type: ignore[call-overload]
            refuse(profile, value, 'the column holds whole numbers')
        low, high = profile.limits_of_dtype
        if not low <= value <= high:  # type: ignore[operator]
            refuse(profile, value, f'{profile.column.dtype} cannot hold it')
    is_whole = pd.api.types.is_integer_dtype(profile.dtype) and number.is_integer()
    return int(value) if is_whole else number  # type: ignore[call-overload]


def _holds_numbers(profile: ColumnProfile) -> bool:
    """Whether dates are written as numbers, such as 20201231, also beside gaps."""
    dtypes = profile.dtype, profile.column.dtype
    return any(pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes)


def _checked_date(profile: ColumnProfile, value: Any, *, fits_dtype: bool) -> Any:
    form = profile.column.dates
    reason = f'the column holds dates{profile.date_format_text}'
    if _holds_numbers(profile) and isinstance(value, numbers.Number):
        is_date = form.text_format is None or form.reads(f'{value:.15g}')
        if isinstance(value, bool) or not is_date:
            refuse(profile, value, reason)
        return value
    too_far = f'dates must lie {POSSIBLE}'
    try:
        stamp = form.parse(value)
    except pd.errors.OutOfBoundsDatetime:
        refuse(profile, value, too_far)
    except (TypeError, ValueError, OverflowError):
        if isinstance(value, str) and form.text_format is None:
            reason += (
                ', and its metadata no datetime_format: text must then begin like 2020-12-31 '
                '(ISO 8601)'
            )
        refuse(profile, value, reason)
    if stamp.tz is not None and not form.has_zone:
        refuse(profile, value, 'it has a time zone, and the column has none')
    try:
        plain = _plain_date(profile, value, stamp, fits_dtype=fits_dtype)
        (count,) = form.counts(pd.Series([plain]))
    except pd.errors.OutOfBoundsDatetime:
        refuse(profile, value, too_far)
    except (TypeError, ValueError, OverflowError):
        refuse(profile, value, reason)
    if fits_dtype and not profile.column.can_hold(np.array([count], dtype=np.int64))[0]:
        refuse(profile, value, profile.column.steps_text)
    return plain


def _plain_date(
    profile: ColumnProfile, value: Any, stamp: pd.Timestamp, *, fits_dtype: bool
) -> Any:
    """A date in the plain form of the column.

    Raises:
        ValueError: If the column's format cannot hold it.
    """
    form = profile.column.dates
    if pd.api.types.is_datetime64_any_dtype(profile.dtype):
        if stamp.tz is None and form.time_zone is not None:
            stamp = stamp.tz_localize(form.time_zone)
        zone = getattr(profile.dtype, 'tz', None)
        stamp = stamp if stamp.tz is None else stamp.tz_convert('UTC')
        plain = stamp.tz_localize(None) if stamp.tz is not None and zone is None else stamp
        if form.is_text and fits_dtype:
            _written(form, plain)
        return plain
    if isinstance(value, str) and (form.text_format is None or form.reads(value)):
        if form.text_format and stamp.nanosecond:
            raise ValueError('The format of the column writes no nanoseconds.')
        return value
    return _written(form, stamp) if form.text_format else str(value)


def _written(form: DateForm, stamp: pd.Timestamp) -> str:
    """A date in the format of a column.

    Raises:
        ValueError: If the format cannot hold it.
    """
    text: str = stamp.strftime(form.text_format)
    if form.parse(text) != stamp:
        raise ValueError('The format of the column cannot hold this date.')
    return text


def _dates_together(profile: ColumnProfile, values: Sequence[Any]) -> list[Any] | None:
    """Plain form of many dates; None if one of them needs a look of its own."""
    form = profile.column.dates
    kinds = {type(value) for value in values}
    is_plain = profile.dtype == np.dtype('datetime64[ns]') and form.time_zone is None
    is_plain &= form.is_text or profile.column.date_step == 1
    if not is_plain or kinds != {str if form.is_text else pd.Timestamp}:
        return None
    try:
        series = pd.Series(list(values), dtype=object)
        dates = pd.to_datetime(series, format=form.text_format if form.is_text else None)
        if zone_of(dates) is not None or not form.writes(dates):
            return None
    except (AttributeError, TypeError, ValueError):
        return None
    return dates.tolist()


def _round_up(value: float | None, unit: float) -> float | None:
    """The first multiple of ``unit``, plus or minus a power of ten, from ``value`` on.

    Downwards if ``unit`` is negative.
    """
    if value is None or not unit:
        return value
    digits = round(-math.log10(abs(unit)))
    nearest = float(round(value, digits))
    is_reached = nearest >= value if unit > 0 else nearest <= value
    return nearest if is_reached else float(round(nearest + unit, digits))
