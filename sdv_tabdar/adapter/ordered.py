"""Columns in order: what known cells of an Inequality or a Range say of its new columns.

SDV replaces such columns by the lowest one and the logarithms of the differences between
neighbours. What is known of an upper column says something of these only once the ones below it
are known; :mod:`~sdv_tabdar.adapter.lower_ends` draws them first.
"""

from __future__ import annotations

import numpy as np

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.contradictions import check_order
from sdv_tabdar.adapter.draft import Draft, Floats, WholeRows
from sdv_tabdar.adapter.private_names import ConstraintStep, OrderedColumns
from sdv_tabdar.adapter.room import bounds_of, coarser_dates, never_null
from sdv_tabdar.core.restrictions import Interval, Members, Restriction


def keep_order(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """Inequality and Range: columns in order, learnt as the lowest one and differences."""
    columns = private_names.ordered_columns(step.constraint)
    whole.made.pop(columns.nulls, None)  # SDV leaves it empty where none of the cells is null
    low = columns.names[0]
    draft.stands_for[low] = columns.low
    if low in draft.exact:
        told = draft.exact[low] & ~draft.cells[low].isna().to_numpy()
        draft.add(columns.low, draft.cells[low].to_numpy(dtype=object), told)
        draft.mark_told(low, draft.exact[low] & ~whole.rows)
    if all(name in draft.table.profiles for name in columns.names):
        if not draft.fill:
            check_order(draft, step.constraint, columns, ~whole.rows)
        text_format = private_names.compared_format(step.constraint)
        _tell_differences(draft, columns, whole, text_format)
    if draft.has_levels(columns.nulls):
        _tell_nulls(draft, columns, whole)


def log_difference(lower: Floats, upper: Floats) -> Floats:
    """As SDV writes differences; NaN where the upper column is below the lower one."""
    difference = upper - lower
    with np.errstate(invalid='ignore', divide='ignore'):
        return np.where(difference < 0, np.nan, np.log(difference + 1))


def _tell_differences(
    draft: Draft, columns: OrderedColumns, whole: WholeRows, text_format: str | None
) -> None:
    """Tell the model of differences between neighbouring columns, exactly or as a range.

    The difference of two known columns is known; that of a known column to one above it that is
    known to lie in a range lies in a range itself.

    Args:
        draft: What is known.
        columns: What the constraint calls its columns.
        whole: Rows that the constraint itself transforms.
        text_format: The format at whose precision SDV takes differences of dates, if any.
    """
    names = columns.names
    values = {name: draft.numbers(name) for name in names}
    if text_format is not None:
        values = {name: coarser_dates(counts, text_format) for name, counts in values.items()}
    chained = ~np.isnan(values[names[0]])  # every column so far is known
    floating = draft.none()  # the lowest is missing: the others lie where a known one says
    if names[0] in draft.exact:
        floating = draft.exact[names[0]] & ~chained
    for place, name in enumerate(columns.differences):
        lower, upper = names[place], names[place + 1]
        difference = log_difference(values[lower], values[upper])
        told = np.isfinite(difference) & ~whole.rows
        draft.add(name, difference.astype(object), told)
        chained = chained & told
        if upper in draft.exact:
            draft.mark_told(upper, chained | (floating & ~np.isnan(values[upper])))
        if upper in draft.partial and draft.restricts(name) and text_format is None:
            _tell_range(draft, name, upper, values[lower])


def _tell_range(draft: Draft, name: str, upper: str, lower: Floats) -> None:
    """Restrict the difference of a known column to a range of the one above it."""
    lows, highs = bounds_of(draft, upper)
    with np.errstate(invalid='ignore'):
        least = log_difference(lower, np.maximum(lows, lower))
        most = log_difference(lower, highs)
    restrictions = draft.restrictions_of(name)
    wanted = draft.partial[upper]
    told = list(restrictions)
    for row in np.flatnonzero(least <= most).tolist():
        high = None if np.isinf(most[row]) else float(most[row])
        told[row] = Interval(float(least[row]), high, asked=_asked(wanted[row]))
    # A range that training has no difference in is left to the check of the finished rows.
    for row in np.flatnonzero(draft.model.allows(name, told)).tolist():
        restrictions[row] = told[row]


def _asked(restriction: Restriction | None) -> object:
    return None if restriction is None else restriction.asked


def _tell_nulls(draft: Draft, columns: OrderedColumns, whole: WholeRows) -> None:
    """Fill the column that SDV adds to say which of a constraint's columns are null."""
    patterns = [level for level in draft.model.levels(columns.nulls) if level is not None]
    given = [name for name in columns.names if name in draft.exact]
    told = whole.rows | draft.fill
    values = np.full(draft.num_rows, None, dtype=object)
    if not patterns:  # no nulls in training, and SDV left the column empty
        draft.add(columns.nulls, values, told)
        return
    is_null = {name: draft.cells[name].isna().to_numpy() & draft.exact[name] for name in given}
    present = {
        name: (draft.exact[name] & ~is_null[name]) | never_null(draft, name) for name in given
    }
    restrictions = draft.restrictions_of(columns.nulls)
    for row in range(draft.num_rows):
        nulls = [name for name in given if is_null[name][row]]
        values[row] = ', '.join(nulls) if nulls else private_names.NO_NULLS
        others = {name for name in given if present[name][row]}
        if told[row] or not (nulls or others):
            continue
        fitting = tuple(p for p in patterns if _pattern_fits(p, nulls, others))
        restrictions[row] = Members(fitting) if fitting else None
    unseen = told & ~np.isin(values.astype(str), [str(pattern) for pattern in patterns])
    draft.add(columns.nulls, values, told & ~unseen)


def _pattern_fits(pattern: object, nulls: list[str], others: set[str]) -> bool:
    """Whether a null pattern has the columns known to be null and none known not to be."""
    names = set() if pattern == private_names.NO_NULLS else set(str(pattern).split(', '))
    return names.issuperset(nulls) and names.isdisjoint(others)
