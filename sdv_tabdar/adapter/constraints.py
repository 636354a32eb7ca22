"""Known cells carried through SDV's constraints.

A constraint replaces columns of the table by others. Where all of its columns are known, it says
itself what becomes of them. What some of them tell of the new columns is worked out here, by one
function for each of SDV's constraints that says more than that (:data:`EFFECTS`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.contradictions import check_order, contradiction
from sdv_tabdar.adapter.draft import Draft, Flags, WholeRows
from sdv_tabdar.adapter.fixed_sum import FixedSum
from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.ordered import keep_order
from sdv_tabdar.adapter.private_names import Combinations, ConstraintStep
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.room import bounds_of
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

_HALF = 0.499  # of a step: whatever is drawn inside rounds to a multiple in the range

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
    own = private_names.own_constraint(step.constraint)
    is_sum = isinstance(own, FixedSum)
    effect = keep_sum if is_sum else EFFECTS.get(type(step.constraint).__name__)
    if effect is not None:
        effect(draft, step, whole)
    for name in given:
        draft.drop(name)
    for name, (values, told) in whole.made.items():
        draft.add(name, values, told)


def check_orders(draft: Draft) -> None:
    """Refuse conditions that leave the columns of an order no room, where they are learnt as such.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If there are some.
    """
    if draft.fill:
        return
    for constraint in private_names.only_checked_orders(draft.table.host):
        columns = private_names.ordered_columns(constraint)
        if all(name in draft.table.profiles for name in columns.names):
            check_order(draft, constraint, columns, ~draft.none())


def _transform_whole_rows(draft: Draft, step: ConstraintStep) -> WholeRows:
    """Put rows whose columns are all known through the constraint."""
    read = {*step.dropped, *private_names.declared_columns(step.constraint)}
    whole = np.logical_and.reduce([draft.exact.get(name, draft.none()) for name in read])
    if not whole.any():
        return WholeRows(whole, {})
    rows = draft.cells[whole]
    try:
        if draft.lenient.any():  # rows that break the constraint are left for the end
            valid = np.asarray(step.constraint.is_valid(rows), dtype=bool)
            whole[whole] = valid | ~draft.lenient[whole]
            rows = draft.cells[whole]
        transformed = step.constraint.transform(rows)
    except private_names.ConstraintNotMetError as error:
        if type(step.constraint).__name__ == 'FixedIncrements':
            raise _no_multiple(draft, step.constraint, whole, rows) from error
        form = draft.table.form
        message = private_names.order_message(draft.table.host, rows, form.restore) or error
        raise private_names.ConstraintNotMetError(
            f'{draft.task.value}: the known cells break a constraint. {message}'
        ) from error
    except Exception:
        # A user's own constraint may need columns that are not known.
        return WholeRows(draft.none(), {})
    has_null = rows[list(step.dropped)].isna().any(axis=1).to_numpy()
    places = np.flatnonzero(whole)
    if private_names.own_constraint(step.constraint) is not None:
        # It may have read cells that are not known, without a word of which these are.
        lost = transformed[list(step.added)].isna().any(axis=1).to_numpy() & ~has_null
        whole[places[lost]] = False
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


def _no_multiple(draft: Draft, constraint: Any, whole: Flags, rows: pd.DataFrame) -> Exception:
    """The error about the first of the known cells that break a FixedIncrements."""
    column, increment = private_names.increments(constraint)
    valid = np.asarray(constraint.is_valid(rows), dtype=bool)
    row = int(np.flatnonzero(whole)[valid.argmin()])
    return contradiction(draft, constraint, row, [column], _multiples_in_words(column, increment))


def _multiples_in_words(column: str, increment: float) -> str:
    return f"'{column}' holds multiples of {increment:g}"


def keep_combinations(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """FixedCombinations: known members leave some of the values of its joint column possible."""
    allowed = private_names.combinations(step.constraint)
    names = allowed.names
    given = [name for name in names if name in draft.exact]
    reason = 'no row of the training data combines them'
    if allowed.joint in whole.made:
        values, told = whole.made[allowed.joint]
        unseen = told & pd.isna(values)  # the constraint itself says nothing of them
        if unseen.any():
            raise contradiction(draft, step.constraint, int(unseen.argmax()), names, reason)
    if not draft.has_levels(allowed.joint):
        return
    restrictions = draft.restrictions_of(allowed.joint)
    fitting = _Fitting(draft, allowed)
    for row in np.flatnonzero(~whole.rows).tolist():
        labels = fitting.labels(row)
        if labels is None:
            continue
        if not labels and not draft.fill:
            raise contradiction(draft, step.constraint, row, names, reason)
        restrictions[row] = Members(labels) if labels else None
    for name in given:
        draft.mark_told(name, draft.exact[name] & ~whole.rows)


class _Fitting:
    """Which combinations fit what is known of a row.

    Args:
        draft: What is known.
        allowed: The combinations.
    """

    def __init__(self, draft: Draft, allowed: Combinations) -> None:
        self.draft = draft
        self.labels_of = np.array(list(allowed.labels), dtype=object)
        self.given = [name for name in allowed.names if name in draft.exact]
        self.values = {
            name: [values[allowed.names.index(name)] for values in allowed.labels.values()]
            for name in self.given
        }
        self.cache: dict[tuple[Any, ...], Flags] = {}

    def labels(self, row: int) -> tuple[Any, ...] | None:
        """The values of the joint column that fit a row; None if nothing is known of it."""
        fits = np.ones(len(self.labels_of), dtype=bool)
        known = False
        for name in self.given:
            entry = self.draft.partial[name][row] if name in self.draft.partial else None
            if entry is not None:
                fits &= self._fits_range(name, entry)
            elif self.draft.exact[name][row]:
                fits &= self._fits_value(name, self.draft.cells[name].iloc[row])
            else:
                continue
            known = True
        return tuple(self.labels_of[fits]) if known else None

    def _fits_value(self, name: str, value: Any) -> Flags:
        key = (name, type(value), None if is_missing(value) else value)
        if key not in self.cache:
            self.cache[key] = np.array([_same(other, value) for other in self.values[name]])
        return self.cache[key]

    def _fits_range(self, name: str, entry: Restriction) -> Flags:
        key = (name, Restriction, entry)
        if key not in self.cache:
            values = pd.Series(self.values[name], dtype=object)
            profile = self.draft.table.profiles[name]
            self.cache[key] = which_meet(profile, values, [entry] * len(values))
        return self.cache[key]


def _same(left: Any, right: Any) -> bool:
    if is_missing(left) or is_missing(right):
        return is_missing(left) and is_missing(right)
    return bool(left == right)


def keep_increments(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """FixedIncrements: a range or a set of values leaves some multiples possible."""
    column, increment = private_names.increments(step.constraint)
    (target,) = step.added
    if column not in draft.partial or not draft.restricts(target):
        return
    restrictions = draft.restrictions_of(target)
    for row, entry in enumerate(draft.partial[column]):
        if entry is None or isinstance(entry, NotMissing):
            restrictions[row] = entry
            continue
        restrictions[row] = _multiples(entry, increment)
        if restrictions[row] is None and not draft.fill:
            reason = _multiples_in_words(column, increment)
            raise contradiction(draft, step.constraint, row, [column], reason)
    unseen = ~draft.model.allows(target, restrictions)
    if unseen.any():
        reason = 'no row of the training data has such a multiple'
        raise contradiction(draft, step.constraint, int(unseen.argmax()), [column], reason)


def _multiples(entry: Interval | Members, increment: float) -> Restriction | None:
    """A restriction in multiples of an increment; None if it holds none."""
    if isinstance(entry, Members):
        members = [value for value in entry.values if is_missing(value) or value % increment == 0]  # type: ignore[operator]
        found = tuple(None if is_missing(v) else v / increment for v in members)  # type: ignore[operator]
        return Members(found, asked=entry.asked) if found else None
    low = -math.inf if entry.low is None else math.ceil(entry.low / increment)
    high = math.inf if entry.high is None else math.floor(entry.high / increment)
    if low > high:
        return None
    return Interval(
        None if entry.low is None else low - _HALF,
        None if entry.high is None else high + _HALF,
        asked=entry.asked,
    )


def keep_one_hot(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """OneHotEncoding: a one makes the others zeros, and all zeros but one make that a one."""
    encoding = private_names.one_hot(step.constraint)
    names = encoding.names
    forced = np.stack([_forced(draft, name) for name in names], axis=1)
    ones, zeros = (forced == 1).sum(axis=1), (forced == 0).sum(axis=1)
    wrong = (ones > 1) | (zeros == len(names))
    if wrong.any() and not draft.fill:
        reason = f'exactly one of {list(names)} is 1'
        raise contradiction(draft, step.constraint, int(wrong.argmax()), names, reason)
    decided = ~wrong & ((ones == 1) | (zeros == len(names) - 1))
    place = np.where(ones == 1, (forced == 1).argmax(axis=1), (forced != 0).argmax(axis=1))
    if encoding.is_joint:
        (joint,) = step.added
        draft.add(joint, np.array(names, dtype=object)[place], decided & ~whole.rows)
        if draft.has_levels(joint):
            restrictions = draft.restrictions_of(joint)
            for row in np.flatnonzero((zeros > 0) & ~decided & ~wrong).tolist():
                left = (name for name, value in zip(names, forced[row], strict=True) if value != 0)
                restrictions[row] = Members(tuple(left))
    else:
        for number, target in enumerate(step.added):
            is_one = np.where(decided, place == number, forced[:, number] == 1)
            values = np.where(is_one, encoding.one, encoding.zero).astype(object)
            told = (decided | (forced[:, number] == 0)) & ~wrong & ~whole.rows
            draft.add(target, values, told)
    for name in names:
        if name in draft.exact:
            draft.mark_told(name, decided)


def _forced(draft: Draft, name: str) -> npt.NDArray[np.int64]:
    """``(rows,)``: 1 or 0 where a column of ones and zeros must be that, else -1."""
    forced = np.full(draft.num_rows, -1)
    if name not in draft.exact:
        return forced
    profile = draft.table.profiles[name]
    exact, cells = draft.exact[name], draft.cells[name].tolist()
    ends = pd.Series([0, 1], dtype=object)
    if profile.role is Role.DISCRETE:
        ends = pd.Series(list(profile.levels.values()), dtype=object)
    entries = draft.partial.get(name, [None] * draft.num_rows)
    found: dict[Restriction, int] = {}
    for row, entry in enumerate(entries):
        if entry is not None:
            if entry not in found:  # many rows have the same few
                met = ends[which_meet(profile, ends, [entry] * len(ends))]
                possible = {int(value == 1) for value in met}
                found[entry] = possible.pop() if len(possible) == 1 else -1
            forced[row] = found[entry]
        elif exact[row] and not is_missing(cells[row]):
            forced[row] = int(cells[row] == 1)
    return forced


def keep_sum(draft: Draft, step: ConstraintStep, whole: WholeRows) -> None:
    """FixedSum: the parts are columns of the model; a total is made sure of on the rows."""
    own: FixedSum = private_names.own_constraint(step.constraint)
    name = own.total_column
    if name is not None and name in draft.exact:
        draft.mark_told(name, draft.exact[name])
    if draft.fill:
        return
    ends = [bounds_of(draft, part) for part in own.part_columns]
    least = sum(np.maximum(low, floor) for (low, _), floor in zip(ends, own.lowest, strict=True))
    most = sum(high for _, high in ends)
    totals: tuple[Any, Any] = (own.total, own.total)
    if name is not None:
        totals = bounds_of(draft, name)
    slack = 1e-6 * np.maximum(np.abs(np.where(np.isfinite(totals[0]), totals[0], 1.0)), 1.0)
    wrong = (least > totals[1] + slack) | (most < totals[0] - slack)
    for part in own.part_columns:  # beside a missing part nothing need add up
        if part in draft.exact:
            wrong &= ~(draft.exact[part] & draft.cells[part].isna().to_numpy())
    if wrong.any():
        what = f"'{name}'" if name is not None else f'{own.total:g}'
        reason = f'{own.part_columns} add up to {what}'
        raise contradiction(draft, step.constraint, int(wrong.argmax()), own.column_names, reason)


# What known cells of only some columns say, by the class of the constraint.
EFFECTS: Mapping[str, Effect] = {
    'Inequality': keep_order,
    'Range': keep_order,
    'FixedCombinations': keep_combinations,
    'FixedIncrements': keep_increments,
    'OneHotEncoding': keep_one_hot,
}
