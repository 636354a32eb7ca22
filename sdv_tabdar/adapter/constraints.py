"""Known cells carried through SDV's constraints.

A constraint replaces columns of the table by others. Where all of its columns are known, it says
itself what becomes of them. What some of them tell of the new columns is worked out here, by one
function for each of SDV's constraints that says more than that (:data:`EFFECTS`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, Flags
from sdv_tabdar.adapter.private_names import Combinations, ConstraintStep, OrderedColumns
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.restrictions import Interval, Members

Cells = dict[str, tuple[npt.NDArray[Any], Flags]]


@dataclasses.dataclass
class WholeRows:
    """Rows whose columns of a constraint are all known.

    Attributes:
        rows: ``(rows of the draft,)``, True = the constraint has transformed the row.
        made: For each new column its values, and in which rows they are known.
    """

    rows: Flags
    made: Cells


Effect = Callable[[Draft, ConstraintStep, WholeRows], None]


def apply_constraint(draft: Draft, step: ConstraintStep) -> None:
    """Replace the known columns that a constraint takes away.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If known cells break it.
    """
    given = [name for name in step.dropped if name in draft.exact]
    whole = WholeRows(draft.none(), {})
    if given and len(given) == len(step.dropped):
        whole = _transform_whole_rows(draft, step)
    for name in given:
        draft.mark_loose(name, draft.exact[name] & ~whole.rows)
    effect = EFFECTS.get(type(step.constraint).__name__)
    if effect is not None:
        effect(draft, step, whole)
    for name in given:
        draft.drop(name)
    for name, (values, told) in whole.made.items():
        draft.add(name, values, told)


def _transform_whole_rows(draft: Draft, step: ConstraintStep) -> WholeRows:
    """Put rows whose columns are all known through the constraint."""
    whole = np.logical_and.reduce([draft.exact[name] for name in step.dropped])
    if not whole.any():
        return WholeRows(whole, {})
    rows = draft.cells[whole]
    try:
        if draft.fill:  # rows that break the constraint are left for the end
            whole[whole] = np.asarray(step.constraint.is_valid(rows), dtype=bool)
            rows = draft.cells[whole]
        transformed = step.constraint.transform(rows)
    except private_names.ConstraintNotMetError as error:
        raise private_names.ConstraintNotMetError(
            f'Unable to sample any rows for the given conditions: they break a constraint. {error}'
        ) from error
    except Exception:
        # A user's own constraint may need columns that are not known.
        return WholeRows(draft.none(), {})
    has_null = rows[list(step.dropped)].isna().any(axis=1).to_numpy()
    places = np.flatnonzero(whole)
    made: Cells = {}
    for name, sdtype in step.added.items():
        values = np.full(draft.num_rows, None, dtype=object)
        values[places] = transformed[name].astype(object).to_numpy()
        # The constraint fills numbers next to nulls with means, which nobody knows to be so.
        told = whole.copy()
        if sdtype in ('numerical', 'datetime'):
            told[places[has_null]] = False
        made[name] = values, told
    return WholeRows(whole, made)


def keep_order(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """Inequality and Range: columns in order, learnt as the lowest one and differences."""
    columns = private_names.ordered_columns(step.constraint)
    whole.made.pop(columns.nulls, None)  # SDV leaves it empty where none of the cells is null
    low = columns.names[0]
    if low in draft.exact:
        told = draft.exact[low] & ~draft.cells[low].isna().to_numpy()
        draft.add(columns.low, draft.cells[low].to_numpy(dtype=object), told)
        draft.mark_told(low, draft.exact[low] & ~whole.rows)
    if all(name in draft.table.profiles for name in columns.names):
        _tell_differences(draft, columns, whole)
    _tell_nulls(draft, columns, whole)


def _tell_differences(draft: Draft, columns: OrderedColumns, whole: WholeRows) -> None:
    """What some columns of an Inequality or Range say of the others.

    A difference of two known columns is known; in a bounded draft, an unknown column between or
    below known ones is kept from passing them, which costs the model a call for each distinct
    bound.
    """
    names = columns.names
    values = dict.fromkeys(names, np.full(draft.num_rows, np.nan))
    for name in names:
        if name in draft.exact:
            known = draft.cells[name].where(draft.exact[name])
            numbers = draft.table.profiles[name].comparable(known)
            values[name] = numbers.to_numpy(dtype=np.float64)
    chained = ~np.isnan(values[names[0]])  # every column so far is known
    for place, name in enumerate(columns.differences):
        lower, upper = names[place], names[place + 1]
        difference = _log1p(values[upper] - values[lower])
        told = np.isfinite(difference) & ~whole.rows
        draft.add(name, difference.astype(object), told)
        chained = chained & told
        if upper in draft.exact:
            draft.mark_told(upper, chained)
        above = [values[column] for column in names[place + 2 :]]
        if draft.bounded and above:
            highest = np.fmin.reduce(above)
            _bound(draft, name, _log1p(highest - values[lower]), np.isnan(values[upper]))
    if draft.bounded:
        others = np.fmin.reduce([values[name] for name in names[1:]])
        _bound(draft, columns.low, others, np.isnan(values[names[0]]))


def _bound(draft: Draft, name: str, highest: npt.NDArray[np.float64], rows: Flags) -> None:
    """Keep a column of the model at or below a number in some rows."""
    if name not in draft.model.column_names or not draft.keeps_order(name):
        return
    least = draft.model.limits(name)[0]
    restrictions = draft.restrictions_of(name)
    for row in np.flatnonzero(rows & np.isfinite(highest) & (highest >= least)):
        restrictions[row] = Interval(None, float(highest[row]))


def _tell_nulls(draft: Draft, columns: OrderedColumns, whole: WholeRows) -> None:
    """Which of a constraint's columns are null has a column of its own."""
    patterns = [level for level in draft.model.levels(columns.nulls) if level is not None]
    given = [name for name in columns.names if name in draft.exact]
    told = whole.rows | draft.fill
    values = np.full(draft.num_rows, None, dtype=object)
    if not patterns:  # no nulls in training, and SDV left the column empty
        draft.add(columns.nulls, values, told)
        return
    is_null = {name: draft.cells[name].isna().to_numpy() & draft.exact[name] for name in given}
    restrictions = draft.restrictions_of(columns.nulls)
    for row in range(draft.num_rows):
        nulls = [name for name in given if is_null[name][row]]
        values[row] = ', '.join(nulls) if nulls else private_names.NO_NULLS
        others = {name for name in given if draft.exact[name][row]} - set(nulls)
        if told[row] or not (nulls or others):
            continue
        fitting = tuple(p for p in patterns if _pattern_fits(p, nulls, others))
        restrictions[row] = Members(fitting) if fitting else None
    unseen = told & ~np.isin(values.astype(str), [str(pattern) for pattern in patterns])
    draft.add(columns.nulls, values, told & ~unseen)


def keep_combinations(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """FixedCombinations: known members leave some of the values of its joint column possible."""
    allowed = private_names.combinations(step.constraint)
    names = allowed.names
    given = [name for name in names if name in draft.exact]
    restrictions = draft.restrictions_of(allowed.joint)
    cache: dict[tuple[Any, ...], Members | None] = {}
    if allowed.joint in whole.made:
        _refuse_unseen(draft, allowed, whole)
    for row in range(draft.num_rows):
        known = {
            names.index(name): draft.cells[name].iloc[row]
            for name in given
            if draft.exact[name][row]
        }
        if whole.rows[row] or not known:
            continue
        key = tuple((place, type(value), value) for place, value in known.items())
        if key not in cache:
            fitting = tuple(
                label
                for label, values in allowed.labels.items()
                if all(_same(values[place], value) for place, value in known.items())
            )
            cache[key] = Members(fitting) if fitting else None
        if cache[key] is None and not draft.fill:
            raise _no_combination({names[place]: value for place, value in known.items()})
        restrictions[row] = cache[key]
    for name in given:
        draft.mark_told(name, draft.exact[name] & ~whole.rows)


def _refuse_unseen(draft: Draft, allowed: Combinations, whole: WholeRows) -> None:
    """Refuse combinations that training has not seen, of which the constraint says nothing."""
    values, told = whole.made[allowed.joint]
    unseen = told & pd.isna(values)
    if unseen.any():
        row = draft.cells.loc[unseen, list(allowed.names)].iloc[0]
        raise _no_combination(row.to_dict())


def _same(left: Any, right: Any) -> bool:
    if is_missing(left) or is_missing(right):
        return is_missing(left) and is_missing(right)
    return bool(left == right)


def _log1p(difference: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """As SDV writes differences; NaN where the upper column is below the lower one."""
    with np.errstate(invalid='ignore', divide='ignore'):
        return np.where(difference < 0, np.nan, np.log(difference + 1))


def _no_combination(values: Mapping[str, Any]) -> Exception:
    error: Exception = private_names.ConstraintNotMetError(
        'Unable to sample any rows for the given conditions: no row of the training data combines '
        f'{dict(values)}, and a FixedCombinations constraint allows no others.'
    )
    return error


def _pattern_fits(pattern: Any, nulls: list[str], others: set[str]) -> bool:
    """Whether a null pattern has the columns known to be null and none known not to be."""
    names = set() if pattern == private_names.NO_NULLS else set(str(pattern).split(', '))
    return names.issuperset(nulls) and names.isdisjoint(others)


# What known cells of only some columns say, by the class of the constraint.
EFFECTS: Mapping[str, Effect] = {
    'Inequality': keep_order,
    'Range': keep_order,
    'FixedCombinations': keep_combinations,
}
