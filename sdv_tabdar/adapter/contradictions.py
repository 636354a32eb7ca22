"""Conditions that contradict each other under a constraint, found before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, Flags
from sdv_tabdar.adapter.private_names import OrderedColumns
from sdv_tabdar.adapter.room import room_of, rooms


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


def check_order(draft: Draft, constraint: Any, columns: OrderedColumns, rows: Flags) -> None:
    """Refuse conditions on columns in order that leave each other no room.

    Args:
        draft: What is known.
        constraint: The constraint.
        columns: What it calls its columns.
        rows: ``(rows,)``, where they are to be looked at.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If there are some.
    """
    if sum(name in draft.exact for name in columns.names) < 2:
        return
    text_format = private_names.compared_format(constraint)
    room = room_of(draft, columns, text_format, drawn=False)
    squeezed, lowers, uppers = room.squeezed()
    wrong = squeezed & rows & ~draft.lenient
    if wrong.any():
        row = int(wrong.argmax())
        names = columns.names[lowers[row] : uppers[row] + 1]
        ends = names[0], names[-1]
        raise contradiction(draft, constraint, row, ends, _order(names, strict=columns.strict))


def missing_room(draft: Draft) -> str | None:
    """Why the first row whose columns in order have no room has none; None if all have."""
    for constraint, columns, room in rooms(draft):
        squeezed, lowers, uppers = room.squeezed()
        if not squeezed.any():
            continue
        row = int(squeezed.argmax())
        names = columns.names[lowers[row] : uppers[row] + 1]
        drawn = [name for name in (names[0], names[-1]) if not _is_asked(draft, name, row)]
        reason = _order(names, strict=columns.strict)
        for name in drawn:
            seen = draft.table.profiles[name].range_text
            reason += f", and '{name}' is drawn within the training range, {seen}"
        if drawn:
            reason += (
                '. Change the conditions, or fit with enforce_min_max_values=False to go beyond it'
            )
        return str(contradiction(draft, constraint, row, (names[0], names[-1]), reason))
    return None


def _order(names: Sequence[str], *, strict: bool) -> str:
    """The order that columns must have, in words."""
    sign = ' < ' if strict else ' <= '
    return f'{sign.join(map(repr, names))} must hold'


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
