"""Parts that add up, where some of them or their total are known.

The model learns the parts. Where a total is known, or parts of a fixed total are, candidates for
the other parts are drawn given all else that is known; the one whose sum comes nearest is made to
add up exactly, and then counts as known for the rest of the row. So the law is the model's own
given a sum near the known one, and the sum is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, Flags, Floats
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.fixed_sum import FixedSum
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.room import bounds_of, listed
from sdv_tabdar.adapter.values import is_missing
from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.core.restrictions import Members

_MOST_CANDIDATES = 64
_LEAST_CANDIDATES = 8
_CANDIDATES_TOGETHER = 4_096

Ask = Callable[[Request, int], pd.DataFrame]


def fixed_sums(table: FittedTable) -> Iterator[FixedSum]:
    """The constraints of that class."""
    for own in private_names.own_constraints(table.host):
        if isinstance(own, FixedSum):
            yield own


def has_open_sums(table: FittedTable, known: Known) -> Flags:
    """``(rows,)``, True = parts are to be drawn before the other columns."""
    found = np.zeros(len(known.cells), dtype=bool)
    if table.model is not None:
        for constraint in fixed_sums(table):
            found[_Open(table, known, constraint).rows] = True
    return found


def with_sums(table: FittedTable, known: Known, ask: Ask, *, fill: bool) -> Known:
    """What is known, with draws of parts whose total is known.

    Args:
        table: The fitted table.
        known: What is known.
        ask: Completes a request, of which every so many rows are copies.
        fill: Whether every cell is to get a value.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If what is known breaks a constraint.
    """
    if table.model is not None:
        for constraint in fixed_sums(table):
            known = _Open(table, known, constraint).known_with_draws(ask, fill=fill)
    return known


def settled_rows(
    table: FittedTable, rows: pd.DataFrame, known: Known
) -> tuple[pd.DataFrame, npt.NDArray[np.bool_]]:
    """Finished rows whose sums are right beside the known cells, and which of them may be.

    Args:
        table: The fitted table.
        rows: Rows in plain form with the known cells, under their positions.
        known: What is known.
    """
    possible = np.ones(len(rows), dtype=bool)
    positions = rows.index.to_numpy()
    for constraint in fixed_sums(table):
        names = constraint.part_columns
        fixed = np.stack([_exact(known, name)[positions] for name in names], axis=1)
        parts = np.stack([_numbers(table, rows, name) for name in names], axis=1)
        totals = np.full(len(rows), np.nan)
        name = constraint.total_column
        exact = fixed.any(axis=1) if name is None else _exact(known, name)[positions]
        totals[exact] = constraint.total if name is None else _numbers(table, rows, name)[exact]
        settled = constraint.settled(parts, fixed, totals)
        possible &= constraint.is_possible(settled, ~fixed & ~np.isnan(totals)[:, None])
        made = {part: settled[:, place] for place, part in enumerate(names)}
        if name is not None:
            made[name] = np.where(exact, _numbers(table, rows, name), constraint.added(settled))
        for key, values in made.items():
            if not np.array_equal(values, _numbers(table, rows, key), equal_nan=True):
                profile = table.profiles[key]
                rows = with_columns(
                    rows, {key: profile.typed(profile.plain_of(values), rows.index)}
                )
    return rows, possible


class _Open:
    """A sum of which something is known and something is not.

    Args:
        table: The fitted table.
        known: What is known.
        constraint: The sum.

    Attributes:
        rows: Positions of the rows in which it is so.
    """

    def __init__(self, table: FittedTable, known: Known, constraint: FixedSum) -> None:
        self.table = table
        self.known = known
        self.constraint = constraint
        self.names = constraint.part_columns
        draft = Draft(table, known, fill=False)
        self.parts = np.stack([draft.numbers(name) for name in self.names], axis=1)
        ends = [bounds_of(draft, name) for name in self.names]
        self.lows = np.maximum(np.stack([low for low, _ in ends], axis=1), constraint.lowest)
        self.highs = np.stack([high for _, high in ends], axis=1)
        column = constraint.total_column
        if column is None:
            self.totals = np.full((2, len(self.parts)), float(constraint.total or 0.0))
            told = np.isfinite(self.highs).any(axis=1) | ~np.isnan(self.parts).all(axis=1)
        else:
            self.totals = np.stack(bounds_of(draft, column))
            told = np.isfinite(self.totals).any(axis=0)
        null = np.any(
            [_exact(known, name) & np.isnan(draft.numbers(name)) for name in self.names], axis=0
        )
        self.members = known.partial.get(column or '', [None] * len(self.parts))
        self.listed = np.stack([listed(draft, name) for name in self.names], axis=1)
        self.rows = np.flatnonzero(told & np.isnan(self.parts).any(axis=1) & ~null)

    def known_with_draws(self, ask: Ask, *, fill: bool) -> Known:
        """What is known, with the other parts where a draw of them is possible."""
        known = self.known
        if not len(self.rows):
            return known
        found = np.full(self.parts.shape, np.nan)
        free = np.isnan(self.parts)
        exact = self.totals[0] == self.totals[1]
        last = self.rows[(free[self.rows].sum(axis=1) == 1) & exact[self.rows]]
        filled = np.where(free, 0.0, self.parts)
        found[last] = self.constraint.settled(filled[last], ~free[last], self.totals[0][last])
        found[last[~self._inside(found[last], last)]] = np.nan
        others = np.setdiff1d(self.rows, last)
        if len(others):
            self._draw(others, found, ask, fill=fill)
        told = ~np.isnan(found).any(axis=1)
        for place, name in enumerate(self.names):
            rows = told & free[:, place]
            if rows.any():
                plain = self.table.profiles[name].plain_of(found[:, place])
                known = known.with_values(self.table, name, plain, rows)
        return known

    def _draw(self, rows: npt.NDArray[np.int64], found: Floats, ask: Ask, *, fill: bool) -> None:
        """Write the best candidate of each row into ``found``; none where none is possible."""
        count = int(np.clip(_CANDIDATES_TOGETHER // len(rows), _LEAST_CANDIDATES, _MOST_CANDIDATES))
        request = Request.translate(self.table, self.known.rows(rows), fill=fill)
        drawn = self.table.trained[1].from_model(ask(request.repeated(count), count))
        presences = {} if fill else self.table.presences
        finished = private_names.reverse_transform(self.table.host, drawn, presences)
        of = rows[finished.index.to_numpy() // count]
        numbers = [_numbers(self.table, finished, name) for name in self.names]
        known = self.parts[of]
        free = np.isnan(known)
        parts = np.where(free, np.stack(numbers, axis=1), known)
        sums = parts.sum(axis=1)
        wanted = np.clip(sums, self.totals[0][of], self.totals[1][of])
        if self.constraint.total_column is not None:
            wanted = self.table.profiles[self.constraint.total_column].rounded(wanted)
        for place, row in enumerate(of.tolist()):
            entry = self.members[row]
            if isinstance(entry, Members):
                members = [float(v) for v in entry.values if not is_missing(v)]  # type: ignore[arg-type]
                wanted[place] = min(members, key=lambda value: abs(value - sums[place]))
        # What was drawn from a set stays.
        settled = self.constraint.settled(parts, ~free | self.listed[of], wanted)
        misses = np.where(self._inside(settled, of), np.abs(sums - wanted), np.inf)
        order = np.lexsort((misses, of))
        first = order[np.r_[True, of[order][1:] != of[order][:-1]]] if len(order) else order
        first = first[np.isfinite(misses[first])]
        found[of[first]] = settled[first]

    def _inside(self, parts: Floats, rows: npt.NDArray[np.int64]) -> Flags:
        """Which candidates are within what is known of their parts; known ones are."""
        given = ~np.isnan(self.parts[rows])
        inside = (self.lows[rows] <= parts) & (parts <= self.highs[rows])
        for place, name in enumerate(self.names):
            wanted = self.known.partial.get(name)
            if wanted is not None and self.listed[rows, place].any():
                profile = self.table.profiles[name]
                values = pd.Series(profile.plain_of(parts[:, place]))
                inside[:, place] &= which_meet(profile, values, [wanted[row] for row in rows])
        return np.asarray((inside | given).all(axis=1))


def _exact(known: Known, name: str) -> Flags:
    if name not in known.exact:
        return np.zeros(len(known.cells), dtype=bool)
    return known.exact[name].to_numpy(dtype=bool)


def _numbers(table: FittedTable, rows: pd.DataFrame, name: str) -> Floats:
    return table.profiles[name].comparable(rows[name]).to_numpy(dtype=np.float64)
