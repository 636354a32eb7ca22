"""Conditions that contradict each other under a constraint, found before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.private_names import OrderedColumns
from sdv_tabdar.adapter.room import bounds_of, coarser_dates


def contradiction(
    draft: Draft, constraint: Any, row: int, names: Sequence[str], reason: str
) -> Exception:
    """The error about conditions that cannot be met together.

    Args:
        draft: What is known.
        constraint: The constraint that rules them out.
        row: The first row that has them.
        names: The columns of the constraint; those that nothing is known of are left out.
        reason: What the constraint asks for.
    """
    conditions = {
        name: _as_asked(draft, name, row) for name in names if _is_asked(draft, name, row)
    }
    listed = ', '.join(f"'{name}': {value!r}" for name, value in conditions.items())
    own = private_names.own_constraint(constraint)
    name = type(constraint if own is None else own).__name__
    error: Exception = private_names.ConstraintNotMetError(
        f'{draft.task.value}: {{{listed}}} cannot be met, because of the constraint {name}: '
        f'{reason}.'
    )
    return error


def check_order(draft: Draft, constraint: Any, columns: OrderedColumns) -> None:
    """Refuse a lower column that must lie above an upper one.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If there is one.
    """
    names = columns.names
    if sum(name in draft.exact for name in names) < 2:
        return
    bounds = {name: bounds_of(draft, name) for name in names}
    for place, lower in enumerate(names):
        for upper in names[place + 1 :]:
            lows, highs = bounds[lower][0], bounds[upper][1]
            text_format = private_names.compared_format(constraint)
            if text_format is not None:
                lows, highs = (coarser_dates(counts, text_format) for counts in (lows, highs))
            wrong = (lows > highs) & ~draft.lenient
            if wrong.any():
                row = int(wrong.argmax())
                reason = f"'{lower}' may not lie above '{upper}'"
                raise contradiction(draft, constraint, row, (lower, upper), reason)


def _is_asked(draft: Draft, name: str, row: int) -> bool:
    is_partial = name in draft.partial and draft.partial[name][row] is not None
    return is_partial or (name in draft.exact and bool(draft.exact[name][row]))


def _as_asked(draft: Draft, name: str, row: int) -> Any:
    """A condition as the user wrote it."""
    entry = draft.partial[name][row] if name in draft.partial else None
    if entry is not None:
        return entry if entry.asked is None else entry.asked
    cell = draft.cells[name].iloc[row : row + 1]
    column = draft.table.profiles[name].column
    (value,) = column.restore(cell).astype(object).tolist()
    return value
