"""Which rows know an upper column of an Inequality or a Range and not the ones below it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.draft import Draft, Flags, Integers
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.private_names import OrderedColumns
from sdv_tabdar.adapter.room import bounds_of, known_null, listed


@dataclasses.dataclass(frozen=True)
class Block:
    """Unknown columns below a known one.

    Attributes:
        columns: What the constraint calls its columns.
        first: Place of the lowest unknown column.
        anchor: Place of the column above that something is known of.
        rows: Rows in which it is so.
        exact: Whether the anchor is a known value, or one of a set, and not just in a range.
        text_format: The format at whose precision SDV compares dates, if any.
    """

    columns: OrderedColumns
    first: int
    anchor: int
    rows: Integers
    exact: bool
    text_format: str | None

    @property
    def unknown(self) -> tuple[str, ...]:
        """The columns to be drawn."""
        return self.columns.names[self.first : self.anchor]


def blocks_of(table: FittedTable, known: Known, draft: Draft) -> Iterator[Block]:
    """The blocks of each constraint, whose rows know something of a column above them."""
    for step in private_names.constraint_steps(table.host, table.rewritten):
        if type(step.constraint).__name__ not in ('Inequality', 'Range'):
            continue
        columns = private_names.ordered_columns(step.constraint)
        names = columns.names
        modelled = (columns.low, *columns.differences)
        if not any(name in known.exact for name in names[1:]):
            continue
        if any(name not in table.profiles for name in names):
            continue
        if all(draft.restricts(name) for name in modelled):
            text_format = private_names.compared_format(step.constraint)
            yield from _blocks_of_columns(columns, draft, text_format)


def _blocks_of_columns(
    columns: OrderedColumns, draft: Draft, text_format: str | None
) -> Iterator[Block]:
    """Blocks of rows; a row is in one at most.

    Args:
        columns: What the constraint calls its columns.
        draft: What is known.
        text_format: The format at whose precision SDV compares dates, if any.
    """
    names = columns.names
    exact = text_format is None  # else differences are not those of the columns
    numbers = np.array([~np.isnan(draft.numbers(name)) for name in names])
    sets = np.array([_has_numbers(draft, name) for name in names])
    ranges = np.array([np.isfinite(bounds_of(draft, name)).any(axis=0) for name in names])
    hidden = ~numbers & ~np.array([known_null(draft, name) for name in names])
    for first in range(len(names) - 1):
        left = hidden[first] & numbers[:first].all(axis=0)
        for known, is_exact in ((numbers, exact), (sets, exact), (ranges, False)):
            for anchor in range(first + 1, len(names)):
                rows = left & known[anchor] & hidden[first:anchor].all(axis=0)
                left &= ~rows
                if rows.any():
                    yield Block(columns, first, anchor, np.flatnonzero(rows), is_exact, text_format)


def _has_numbers(draft: Draft, name: str) -> Flags:
    """Rows in which a column is one of a set of numbers."""
    lows, highs = bounds_of(draft, name)
    return listed(draft, name) & np.isfinite(lows) & np.isfinite(highs)
