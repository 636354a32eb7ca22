"""Drawn rows whose columns in order are moved to where the known cells leave room.

An Inequality or a Range is learnt as a lowest column and differences. Where a known cell lies
beyond what these reach, no draw meets the constraint, although there may be values that do. Here
the unknown columns keep the differences that were drawn for them, counted from their known
neighbours, and are then put within the training range and between their neighbours.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, Flags, Floats
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import ColumnProfile
from sdv_tabdar.adapter.room import Room, known_null, limits_of, listed, next_number
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.core.restrictions import Members


@dataclasses.dataclass(frozen=True)
class _Chain:
    """The columns of one constraint from the lowest to the highest, ``(rows,)`` each.

    Attributes:
        names: The columns.
        room: Where they may lie.
        drawn: What was drawn of them, as numbers; NaN where it is missing.
        spans: Of each column but the lowest the difference that was drawn.
        known: The known values, NaN elsewhere.
        members: Of each column the numbers of the set that a row's cell is asked to be one of.
    """

    names: tuple[str, ...]
    room: Room
    drawn: list[Floats]
    spans: list[Floats]
    known: list[Floats]
    members: list[dict[int, Floats]]


def ordered_names(table: FittedTable) -> set[str]:
    """The columns that a constraint puts in order."""
    return {name for names, _ in private_names.orders(table.host) for name in names}


def steered(
    table: FittedTable, drawn: pd.DataFrame, rows: pd.DataFrame, known: Known, *, fill: bool
) -> pd.DataFrame:
    """Rows with the unknown columns of each Inequality and Range between their neighbours.

    Args:
        table: The fitted table.
        drawn: What the model drew, as SDV has it before transformers are reversed.
        rows: The same in plain form, each under its position in ``known``, whether or not it
            meets the constraints.
        known: What is known.
        fill: Whether missing cells get a value as well.

    Returns:
        The rows; those for which there is no room are left as they are.
    """
    draft = Draft(table, known.rows(rows.index.to_numpy()), fill=fill)
    moved = {}
    for names, strict in private_names.orders(table.host):
        if not all(name in table.profiles and name in rows for name in names):
            continue
        chain = _chain(draft, names, strict, drawn.loc[rows.index], rows, fill=fill)
        for name, values, changed in _placed(table, chain):
            moved[name] = _written(table.profiles[name], rows[name], values, changed)
    return with_columns(rows, moved)


def anchored(
    table: FittedTable, drawn: pd.DataFrame, rows: pd.DataFrame, known: Known
) -> pd.DataFrame:
    """Rows whose lowest column is missing, with the others placed by their known neighbours.

    SDV then counts the differences from a mean that it puts in place of the lowest column.

    Args:
        table: The fitted table.
        drawn: As in :func:`steered`.
        rows: As in :func:`steered`.
        known: What is known.
    """
    floating = np.zeros(len(rows), dtype=bool)
    for names, _ in private_names.orders(table.host):
        is_chain = len(names) > 2 and all(name in rows for name in names)
        if is_chain and any(name in known.exact for name in names[1:]):
            floating |= rows[names[0]].isna().to_numpy()
    if not floating.any():
        return rows
    placed = steered(table, drawn, rows[floating], known, fill=False)
    parts = pd.concat([rows[~floating], placed]) if not floating.all() else placed
    return parts.loc[rows.index]


def _chain(
    draft: Draft,
    names: tuple[str, ...],
    strict: bool,
    drawn: pd.DataFrame,
    rows: pd.DataFrame,
    *,
    fill: bool,
) -> _Chain:
    profiles = [draft.table.profiles[name] for name in names]
    values = [
        profile.comparable(rows[name]).to_numpy(dtype=np.float64)
        for name, profile in zip(names, profiles, strict=True)
    ]
    known = [draft.numbers(name) for name in names]
    present = [
        ~np.isnan(cells) | ((~np.isnan(column) | fill) & ~known_null(draft, name))
        for name, cells, column in zip(names, known, values, strict=True)
    ]
    ends = [limits_of(draft, name) for name in names]
    room = Room(
        profiles,
        strict,
        [lows for lows, _ in ends],
        [highs for _, highs in ends],
        [~np.isnan(cells) | listed(draft, name) for name, cells in zip(names, known, strict=True)],
        present,
    )
    members = [_members(draft, name) for name in names]
    return _Chain(names, room, values, _spans(draft, names, drawn, values), known, members)


def _members(draft: Draft, name: str) -> dict[int, Floats]:
    """The numbers of the sets of a column, by row."""
    entries = enumerate(draft.partial.get(name, ()))
    return {
        row: np.array([value for value in entry.values if not is_missing(value)], dtype=np.float64)
        for row, entry in entries
        if isinstance(entry, Members)
    }


def _spans(
    draft: Draft, names: tuple[str, ...], drawn: pd.DataFrame, values: list[Floats]
) -> list[Floats]:
    """The differences that were drawn, also where SDV has cut their sums to the training range."""
    for step in private_names.constraint_steps(draft.table.host, draft.table.rewritten):
        if type(step.constraint).__name__ in ('Inequality', 'Range'):
            columns = private_names.ordered_columns(step.constraint)
            if columns.names == names and all(map(draft.restricts, columns.differences)):
                return [
                    np.expm1(drawn[name].to_numpy(dtype=np.float64)) for name in columns.differences
                ]
    return [np.maximum(high - low, 0.0) for low, high in itertools.pairwise(values)]


def _placed(table: FittedTable, chain: _Chain) -> list[tuple[str, Floats, Flags]]:
    """New numbers for columns, and in which rows they take the place of what was drawn."""
    profiles = [table.profiles[name] for name in chain.names]
    tops, _ = chain.room.tops()
    wanted = _wanted(chain)
    last = np.full(len(wanted[0]), -np.inf)
    is_open = np.ones(len(last), dtype=bool)
    placed = []
    for place, profile in enumerate(profiles):
        least = np.maximum(
            next_number(profile, chain.room.lows[place], strict=False),
            next_number(profile, last, strict=chain.room.strict),
        )
        present, known = chain.room.present[place], ~np.isnan(chain.known[place])
        is_open &= ~present | known | (least <= tops[place])
        aim = np.where(np.isnan(wanted[place]), _between(least, tops[place]), wanted[place])
        values = np.clip(profile.rounded(aim), least, np.maximum(tops[place], least))
        values = np.where(known, chain.known[place], values)
        for row, members in chain.members[place].items():
            above = members > last[row] if chain.room.strict else members >= last[row]
            fitting = members[above & (members <= tops[place][row])]
            if len(fitting):
                values[row] = fitting[np.abs(fitting - values[row]).argmin()]
        placed.append((values, present & ~known))
        if place + 1 < len(profiles):  # the next one keeps its difference
            span = chain.spans[place]
            missing = np.isnan(chain.known[place + 1])
            wanted[place + 1] = np.where(present & missing, values + span, wanted[place + 1])
        last = np.where(present & ~np.isnan(values), values, last)
    return [
        (name, values, unknown & is_open & np.isfinite(values) & (values != drawn))
        for name, drawn, (values, unknown) in zip(chain.names, chain.drawn, placed, strict=True)
    ]


def _wanted(chain: _Chain) -> list[Floats]:
    """Where each column would lie, counted by differences from the next known one above it."""
    wanted = [
        np.where(np.isnan(known), drawn, known)
        for known, drawn in zip(chain.known, chain.drawn, strict=True)
    ]
    for place in reversed(range(len(wanted) - 1)):
        from_above = wanted[place + 1] - chain.spans[place]
        moved = wanted[place + 1] != chain.drawn[place + 1]
        moved &= np.isnan(chain.known[place]) & ~np.isnan(from_above)
        wanted[place] = np.where(moved, from_above, wanted[place])
    return wanted


def _between(lows: Floats, highs: Floats) -> Floats:
    """The middle of two ends; the finite one if the other is not."""
    with np.errstate(invalid='ignore'):
        middle = lows / 2 + highs / 2
    one = np.where(np.isfinite(lows), lows, highs)
    return np.where(np.isfinite(middle), middle, one)


def _written(profile: ColumnProfile, cells: pd.Series, values: Floats, changed: Flags) -> pd.Series:
    """A column in plain form with new values in some rows."""
    if not changed.any():
        return cells
    written = [None if is_missing(value) else value for value in cells.tolist()]
    for row, value in zip(np.flatnonzero(changed), profile.plain_of(values[changed]), strict=True):
        written[row] = value
    return profile.typed(written, cells.index)
