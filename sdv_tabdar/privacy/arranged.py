"""Cells of columns put together to rows that have the dependence of a forest of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.privacy.groups import Groups
from sdv_tabdar.privacy.pairs import Ints, Pair


def arranged(
    pairs: Sequence[Pair], cells: Sequence[Ints], generator: np.random.Generator
) -> list[Ints]:
    """Which of its cells each column has in each row.

    Columns without a parent are in a random order; those with one have their groups by that of
    their parent, and any cell of the group.

    Args:
        pairs: Of a forest, parents before their children.
        cells: ``(C,)`` of ``(N,)``: which value each of the cells of a column has.
        generator: Of the rows.

    Returns:
        ``(C,)`` of ``(N,)`` numbers of cells.
    """
    orders = [generator.permutation(len(own)) for own in cells]
    for pair in pairs:
        above = pair.parent_groups[cells[pair.parent][orders[pair.parent]]]
        below = _children(above, pair.shares, generator)
        orders[pair.child] = _cells_of(below, pair.child_groups[cells[pair.child]], generator)
    return orders


def _children(above: Groups, shares: Floats, generator: np.random.Generator) -> Groups:
    """A group of the child for each row ``(N,)``, in its shares among the rows of a parent's."""
    found = np.zeros(len(above), dtype=np.int64)
    for group in np.unique(above).tolist():
        rows = generator.permutation(np.flatnonzero(above == group))
        uniforms = (np.arange(len(rows)) + generator.random()) / len(rows)
        ends = shares[group].cumsum()
        found[rows] = np.searchsorted(ends[:-1] / ends[-1], uniforms, side='right')
    return found


def _cells_of(wanted: Groups, have: Groups, generator: np.random.Generator) -> Ints:
    """A cell of the wanted group for each row, each of them about as often as the others."""
    found = np.empty(len(wanted), dtype=np.int64)
    for group in np.unique(wanted).tolist():
        rows = np.flatnonzero(wanted == group)
        cells = generator.permutation(np.flatnonzero(have == group))
        # A group that no cell was drawn of has a share that is nearly nothing.
        found[rows] = np.resize(cells if len(cells) else np.arange(len(have)), len(rows))
    return found
