"""Known and drawn cells with the digits that a float64 does not have.

The model knows numbers, and ranges and sets of them, as float64. Whole numbers beyond 2**53,
Decimal numbers of many digits and dates with nanoseconds that it draws for a range or a set are
next to what was asked for, and are moved there. Where a float64 does not tell several values
apart, each of those that were asked for is as likely.
"""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import fractions
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.compositions import composed
from sdv_tabdar.adapter.conditioning import plain_values, read_ends
from sdv_tabdar.adapter.dates import dates_at, nanosecond_counts
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import ColumnProfile, Role, is_inside
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.conditions import Between, OneOf
from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.core.restrictions import Restriction

_MOST = 2**53  # values that a uniform number tells apart

# From a drawn value to those that it may stand for, of which there is at least one.
Options = Callable[[Any], Sequence[Any]]


def in_users_form(
    table: FittedTable, rows: pd.DataFrame, known: Known, given: pd.DataFrame
) -> pd.DataFrame:
    """Finished rows in the user's form, of which each meets its conditions to the last digit.

    Args:
        table: The fitted table.
        rows: Finished rows in plain form.
        known: What is known of each of them.
        given: The conditions that this was read from.
    """
    dated = with_exact_dates(table, table.form.as_learnt(rows), known)
    made = composed(table.compositions, dated, known.asked)
    return with_exact_numbers(table, table.form.restore(made, given), rows, known)


def with_exact_dates(table: FittedTable, rows: pd.DataFrame, known: Known) -> pd.DataFrame:
    """Rows with the dates that were given, and with drawn ones that are what was asked for.

    Args:
        table: The fitted table.
        rows: Finished rows in plain form.
        known: What is known of each of them.
    """
    found = {}
    for key in known.cells.columns:
        profile = table.profiles[key]
        if profile.role is not Role.DATE or rows[key].dtype.kind != 'M':
            continue
        counts = nanosecond_counts(rows[key]).copy()
        if known.cells[key].dtype == rows[key].dtype:
            given = known.exact[key].to_numpy()
            counts[given] = nanosecond_counts(known.cells[key])[given]
        drawn = {row: int(counts[row]) for row in np.flatnonzero(rows[key].notna()).tolist()}
        chosen = _chosen(table, profile, known.partial.get(key, ()), drawn)
        for row, count in chosen.items():
            counts[row] = count
        found[key] = dates_at(counts, rows[key])
    return with_columns(rows, found)


def with_exact_numbers(
    table: FittedTable, restored: pd.DataFrame, rows: pd.DataFrame, known: Known
) -> pd.DataFrame:
    """Rows whose numbers that were drawn for a range or a set are what was asked for.

    Args:
        table: The fitted table.
        restored: Finished rows in the user's form.
        rows: The same in plain form.
        known: What is known of each of them.
    """
    restored = restored.copy(deep=False)
    for key, wanted in known.partial.items():
        profile = table.profiles[key]
        if profile.role is not Role.NUMBER or not _may_differ(profile):
            continue
        place = restored.columns.get_loc(profile.column.name)
        values = restored.iloc[:, place]
        drawn = values if profile.categories is None else rows[key]
        present = {row: value for row, value in enumerate(drawn) if not is_missing(value)}
        chosen = _chosen(table, profile, wanted, present)
        if not chosen:
            continue
        cells = values.to_numpy(dtype=object, copy=True)
        for row, value in chosen.items():
            cells[row] = value
        exact = pd.Series(cells, index=values.index, name=values.name, dtype=object)
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            exact = profile.column.cast(exact)  # a gap among whole numbers has no place there
        restored.isetitem(place, exact)
    return restored


def _may_differ(profile: ColumnProfile) -> bool:
    """Whether numbers in the user's form may be others than those that the model has drawn."""
    form = profile.column.number
    is_float = form.is_whole and not pd.api.types.is_integer_dtype(profile.dtype)
    return is_float or form.is_decimal or form.is_mixed or profile.categories is not None


def _chosen(
    table: FittedTable,
    profile: ColumnProfile,
    wanted: Sequence[Restriction | None],
    drawn: Mapping[int, Any],
) -> dict[int, Any]:
    """By row, what a value that was drawn for a range or a set stands for.

    Args:
        table: The fitted table.
        profile: The column.
        wanted: For each row its restriction or None.
        drawn: By row the values that are not missing; dates in nanoseconds.
    """
    asked = {row: getattr(entry, 'asked', None) for row, entry in enumerate(wanted)}
    asked = {row: condition for row, condition in asked.items() if row in drawn}
    options = _options(profile, {id(condition): condition for condition in asked.values()})
    choices = {
        row: options[id(condition)](drawn[row])
        for row, condition in asked.items()
        if id(condition) in options
    }
    several = [row for row, values in choices.items() if len(values) > 1]
    chances = dict.fromkeys(choices, 0.0)
    if several:
        model, _ = table.trained
        chances.update(zip(several, model.random_numbers(len(several)), strict=True))
    return {row: values[int(chances[row] * len(values))] for row, values in choices.items()}


def _options(profile: ColumnProfile, conditions: Mapping[int, Any]) -> dict[int, Options]:
    """What the values drawn for each of some conditions may stand for, by the conditions' keys."""
    options: dict[int, Options] = {}
    ranges = {key: entry for key, entry in conditions.items() if isinstance(entry, Between)}
    ends = read_ends(profile, list(ranges.values()))
    for key, condition in ranges.items():
        found = profile.categories_within(*ends[condition])
        options[key] = _within(profile, *ends[condition]) if found is None else _nearest(found)
    for key, condition in conditions.items():
        members = condition.values if isinstance(condition, OneOf) else ()
        present = [value for value in members if not is_missing(value)]
        if present and profile.role is Role.DATE:
            dates = pd.Series(plain_values(profile, present))
            options[key] = _nearest(profile.column.dates.counts(dates))
        elif present:
            options[key] = _members(profile, present)
    return options


def _members(profile: ColumnProfile, members: Sequence[Any]) -> Options:
    """The numbers of a set that a value may stand for, as the column has them."""
    nearest = _nearest(members)
    if profile.categories is not None:
        return nearest
    known = profile.column.number.known
    return lambda value: [known(value, member) for member in nearest(value)]


def _nearest(members: Sequence[Any]) -> Options:
    """The nearest of some values; several where a float64 does not tell them apart."""
    alike: dict[float, list[Any]] = {}
    for member in members:
        alike.setdefault(float(member), []).append(member)
    floats = sorted(alike)

    def options(value: Any) -> list[Any]:
        drawn = float(value)
        place = bisect.bisect(floats, drawn)
        around = floats[max(place - 1, 0) : place + 1]
        return alike[min(around, key=lambda number: abs(number - drawn))]

    return options


def _within(profile: ColumnProfile, low: Any, high: Any) -> Options:
    """The values in a range that a value may stand for."""
    form = profile.column.number
    if profile.role is Role.DATE:
        first, last = _in_units(profile, low, high)
        return lambda value: _around(value, value, first, last, fractions.Fraction(1), int)
    steps = form.steps
    if steps is None:
        return lambda value: [
            low
            if low is not None and value < low
            else high
            if high is not None and value > high
            else value
        ]
    first, last = form.places(low, high)
    return lambda value: _around(value, form.place(value), first, last, steps, form.value_at)


def _in_units(
    profile: ColumnProfile, low: int | None, high: int | None
) -> tuple[int | None, int | None]:
    """The first and the last date of a range in the unit of the column, if it has some."""
    first = None if low is None else profile.date_next_to(low, 'ceil')
    last = None if high is None else profile.date_next_to(high, 'floor')
    is_empty = first is not None and last is not None and first > last
    return (low, high) if is_empty else (first, last)


@dataclasses.dataclass(frozen=True)
class _Run(Sequence[Any]):
    """Neighbouring values of a column, made when they are asked for.

    Attributes:
        first: The first of them, in steps of the column.
        size: How many there are.
        value_at: The value at a number of steps.
    """

    first: int
    size: int
    value_at: Callable[[int], Any]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: Any) -> Any:
        return self.value_at(self.first + place)


def _around(
    value: Any,
    place: int,
    first: int | None,
    last: int | None,
    steps: fractions.Fraction,
    value_at: Callable[[int], Any],
) -> Sequence[Any]:
    """A value if it is in a range, or else what is and has the same float64.

    Args:
        value: A value.
        place: Where it is, in steps of the column, as are the ends of the range.
        first: The first value of the range; None if it is open.
        last: The last one.
        steps: How many there are to one.
        value_at: The value at a number of steps.
    """
    if is_inside(place, first, last):
        return [value]
    reach = int(fractions.Fraction(math.ulp(float(value))) * steps / 2)
    if first is not None and place < first:
        end = place + reach if last is None else min(place + reach, last)
        start, stop = first, max(first, end)
    else:
        assert last is not None, 'it is above the range'
        start = place - reach if first is None else max(place - reach, first)
        start, stop = min(start, last), last
    return _Run(start, min(stop - start + 1, _MOST), value_at)
