"""Known cells carried through SDV's constraints.

A constraint replaces columns of the table by others. Where all of its columns are known, it says
itself what becomes of them. What some of them tell of the new columns is worked out here, by one
function for each of SDV's constraints that says more than that (:data:`EFFECTS`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, WholeRows
from sdv_tabdar.adapter.ordered import keep_order
from sdv_tabdar.adapter.private_names import Combinations, ConstraintStep
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.restrictions import Members

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
    made: dict[str, Any] = {}
    for name, sdtype in step.added.items():
        values = np.full(draft.num_rows, None, dtype=object)
        values[places] = transformed[name].astype(object).to_numpy()
        # The constraint fills numbers next to nulls with means, which nobody knows to be so.
        told = whole.copy()
        if sdtype in ('numerical', 'datetime'):
            told[places[has_null]] = False
        made[name] = values, told
    return WholeRows(whole, made)


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


def _no_combination(values: Mapping[str, Any]) -> Exception:
    error: Exception = private_names.ConstraintNotMetError(
        'Unable to sample any rows for the given conditions: no row of the training data combines '
        f'{dict(values)}, and a FixedCombinations constraint allows no others.'
    )
    return error


# What known cells of only some columns say, by the class of the constraint.
EFFECTS: Mapping[str, Effect] = {
    'Inequality': keep_order,
    'Range': keep_order,
    'FixedCombinations': keep_combinations,
}
