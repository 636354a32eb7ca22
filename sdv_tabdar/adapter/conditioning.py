"""Conditions as the user writes them, read for one column: plain values and restrictions.

A condition that the column can never meet is refused before anything is sampled, with the
column, the value and what is allowed.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import is_missing, item, level_key
from sdv_tabdar.conditions import Between, NotNull, OneOf, PartialValue
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

_HALF = 0.499  # of a rounding unit: whatever is drawn inside rounds to a value in the range


def plain_cells(
    profile: ColumnProfile, cells: Sequence[Any]
) -> tuple[list[Any], list[Restriction | None]]:
    """Plain values of conditioned cells, and the restrictions of those without a single value.

    Raises:
        ValueError: If a condition can never be met.
    """
    distinct: dict[tuple[type, Hashable], Any] = {}
    keys: list[tuple[type, Hashable]] = []
    for value in cells:
        if not isinstance(value, Hashable):
            plain_value(profile, value)  # refuses it, unless the column is generated
            raise ValueError(
                f"Column '{profile.column.name}' cannot be {value!r}: it is a container."
            )
        keys.append((type(value), None if is_missing(value) else value))
        distinct.setdefault(keys[-1], value)
    partial = [key for key, value in distinct.items() if isinstance(value, PartialValue)]
    restricted = dict(
        zip(partial, read_restrictions(profile, [distinct[key] for key in partial]), strict=True)
    )
    exact = [key for key in distinct if key not in restricted]
    plain = dict(zip(exact, plain_values(profile, [distinct[key] for key in exact]), strict=True))
    return [plain.get(key) for key in keys], [restricted.get(key) for key in keys]


def plain_value(profile: ColumnProfile, value: Any) -> Any:
    """The plain form of a value that a cell is conditioned on.

    Raises:
        ValueError: If the column cannot take it.
    """
    if is_missing(value):
        if not profile.has_missing and profile.role is not Role.GENERATED:
            _refuse(profile, value, 'the training data had no missing value in it')
        return None
    plain = item(value)
    if profile.role is Role.NUMBER:
        return _plain_number(profile, plain)
    if profile.role is Role.DATE:
        return _checked_date(profile, plain)
    if profile.role is Role.DISCRETE:
        if not isinstance(plain, Hashable) or level_key(plain) not in profile.levels:
            _refuse(profile, value, 'the training data had no such value')
        return profile.levels[level_key(plain)]
    return plain


def plain_values(profile: ColumnProfile, values: Sequence[Any]) -> list[Any]:
    """As :func:`plain_value`, for many values.

    Raises:
        ValueError: If the column cannot take one of them.
    """
    if profile.role is Role.DATE:
        together = _dates_together(profile, values)
        if together is not None:
            return together
    return [plain_value(profile, value) for value in values]


def check_finite(profile: ColumnProfile, values: pd.Series) -> None:
    """Refuse infinite numbers.

    Raises:
        ValueError: If there is one.
    """
    infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
    if infinite.any():
        _refuse(profile, values.iloc[int(infinite.argmax())], 'numbers must be finite')


def read_restrictions(
    profile: ColumnProfile, conditions: Sequence[PartialValue]
) -> list[Restriction]:
    """Restrictions for conditions that are no single value.

    They are in the terms of :meth:`ColumnProfile.comparable`: numbers, dates in nanoseconds,
    plain levels.

    Raises:
        ValueError: If the column can never meet one of them.
    """
    for condition in conditions:
        if profile.role is Role.GENERATED:
            _refuse(profile, condition, 'its values are generated and not learnt; give a value')
        if not profile.has_values:
            _refuse(profile, condition, 'the training data had only missing values in it')
    ranges = [condition for condition in conditions if isinstance(condition, Between)]
    ends = {} if profile.role is Role.DISCRETE else _read_ends(profile, ranges)
    return [
        NotMissing(asked=condition)
        if isinstance(condition, NotNull)
        else _read_members(profile, condition)
        if isinstance(condition, OneOf)
        else _read_levels(profile, condition)
        if profile.role is Role.DISCRETE
        else _read_interval(profile, condition, *ends[condition])
        for condition in conditions
    ]


def _read_members(profile: ColumnProfile, condition: OneOf) -> Members:
    values = plain_values(profile, condition.values)
    if profile.role is Role.DISCRETE:
        return Members(tuple(values), asked=condition)
    present = pd.Series([value for value in values if value is not None], dtype=object)
    found = profile.comparable(present).tolist() if len(present) else []
    missing = [None] if len(present) < len(values) else []
    return Members((*map(float, found), *missing), asked=condition)


def _read_levels(profile: ColumnProfile, condition: Between) -> Members:
    """Levels of a discrete column of numbers within a range."""
    levels = list(profile.levels.values())
    is_number = [isinstance(v, numbers.Number) and not isinstance(v, bool) for v in levels]
    ends = [end for end in (condition.low, condition.high) if end is not None]
    if not all(is_number) or any(not isinstance(end, numbers.Number) for end in ends):
        _refuse(profile, condition, 'its levels are no numbers; use OneOf')
    low = -math.inf if condition.low is None else condition.low
    high = math.inf if condition.high is None else condition.high
    inside = tuple(level for level in levels if low <= level <= high)
    if not inside:
        _refuse(profile, condition, 'no level lies there')
    return Members(inside, asked=condition)


def _read_interval(
    profile: ColumnProfile, condition: Between, low: float | None, high: float | None
) -> Interval:
    """The numbers that round to one in a range."""
    if low is not None and high is not None and low > high:
        _refuse(profile, condition, 'it is empty: low must be at most high')
    if (low is not None and low > profile.high) or (high is not None and high < profile.low):
        # Not even where a given number may lie outside: the model puts no mass there.
        _refuse(profile, condition, 'it lies outside the range of the training data')
    low, high = _round_up(low, profile.unit), _round_up(high, -profile.unit)
    if low is not None and high is not None and low > high:
        _refuse(profile, condition, f'the column holds multiples of {profile.unit:g}')
    slack = _HALF * profile.unit
    return Interval(
        None if low is None else low - slack,
        None if high is None else high + slack,
        asked=condition,
    )


def _read_ends(
    profile: ColumnProfile, ranges: Sequence[Between]
) -> dict[Between, tuple[float | None, float | None]]:
    """The ends of ranges as numbers, or in nanoseconds; None where they are open."""
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
    plain = plain_values(profile.with_any_value(), closed)
    counts = iter(_nanoseconds(profile, plain) if plain else [])
    found = [None if end is None else float(next(counts)) for end in given]
    return dict(zip(ranges, zip(found[::2], found[1::2], strict=True), strict=True))


def _number_of(profile: ColumnProfile, condition: Between, end: Any) -> float | None:
    if end is None:
        return None
    if isinstance(end, bool) or not isinstance(end, (numbers.Number, np.number)):
        _refuse(profile, condition, 'the column is numerical')
    return float(end)  # type: ignore[arg-type]


def _plain_number(profile: ColumnProfile, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, numbers.Number):
        _refuse(profile, value, 'the column is numerical')
    number = profile.column.number.plain_number(float(value))  # type: ignore[arg-type]
    if not math.isfinite(number):
        _refuse(profile, value, 'numbers must be finite')
    is_whole = pd.api.types.is_integer_dtype(profile.dtype)
    if is_whole and not number.is_integer():
        _refuse(profile, value, 'the column holds whole numbers')
    if not profile.extrapolates and not profile.low <= number <= profile.high:
        _refuse(profile, value, 'it lies outside the range of the training data')
    return int(value) if is_whole else number  # type: ignore[call-overload]


def _checked_date(profile: ColumnProfile, value: Any) -> Any:
    try:
        plain = _plain_date(profile, value)
        (count,) = _nanoseconds(profile, [plain])
    except (TypeError, ValueError, OverflowError):
        _refuse(profile, value, f'the column holds dates{profile.date_format_text}')
    if not profile.extrapolates and not profile.low <= count <= profile.high:
        _refuse(profile, value, 'it lies outside the range of the training data')
    return plain


def _plain_date(profile: ColumnProfile, value: Any) -> Any:
    """A date in the plain form of the column.

    Raises:
        TypeError: If it is no date.
        ValueError: If the column's format does not read or cannot hold it.
    """
    if pd.api.types.is_numeric_dtype(profile.dtype) and isinstance(value, numbers.Number):
        return value
    form = profile.column.dates
    stamp = form.parse(value)
    if pd.api.types.is_datetime64_any_dtype(profile.dtype):
        if stamp.tz is None and form.time_zone is not None:
            stamp = stamp.tz_localize(form.time_zone)
        zone = getattr(profile.dtype, 'tz', None)
        stamp = stamp if stamp.tz is None else stamp.tz_convert('UTC')
        plain = stamp.tz_localize(None) if stamp.tz is not None and zone is None else stamp
        text = plain.strftime(form.text_format) if form.is_text else None
        if text is not None and form.parse(text) != plain:
            raise ValueError('The format of the column cannot hold this date.')
        return plain
    if isinstance(value, str):
        return value
    return stamp.strftime(form.text_format) if form.text_format else str(value)


def _dates_together(profile: ColumnProfile, values: Sequence[Any]) -> list[Any] | None:
    """Plain form of many dates; None if one of them needs a look of its own."""
    form = profile.column.dates
    kinds = {type(value) for value in values}
    is_plain = profile.dtype == np.dtype('datetime64[ns]') and form.time_zone is None
    if not is_plain or kinds != {str if form.is_text else pd.Timestamp}:
        return None
    try:
        series = pd.Series(list(values), dtype=object)
        dates = pd.to_datetime(series, format=form.text_format if form.is_text else None)
        counts = form.nanoseconds(dates)
    except (AttributeError, TypeError, ValueError):
        return None
    inside = profile.extrapolates or bool(counts.between(profile.low, profile.high).all())
    return dates.tolist() if inside else None


def _nanoseconds(profile: ColumnProfile, plain: Sequence[Any]) -> list[float]:
    counts: list[float] = profile.column.dates.nanoseconds(pd.Series(list(plain))).tolist()
    return counts


def _round_up(value: float | None, unit: float) -> float | None:
    """The first multiple of ``unit`` from ``value`` on; downwards if ``unit`` is negative."""
    if value is None or not unit:
        return value
    return float(np.ceil(value / unit - 1e-9)) * unit


def _refuse(profile: ColumnProfile, value: Any, reason: str) -> NoReturn:
    raise ValueError(
        f"Unable to sample any rows for the given conditions: column '{profile.column.name}' "
        f'cannot be {item(value)!r}, because {reason}. Allowed: {profile.allowed_text}.'
    )
