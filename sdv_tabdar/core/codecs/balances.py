"""Equations with several columns on either side in every row: what a stock was, and what it is.

What an account held and what was paid in make what it holds then and the fee; goods that were there
and came are those that went and are there. Where one column is what all others make, that is a
sum (:mod:`.sums`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from sdv_tabdar.core.codecs.equations import comparable_groups, equations, telling_rows
from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.codecs.sums import EXACT_REST, Named
from sdv_tabdar.core.codecs.table_parts import Table, some_numbers
from sdv_tabdar.core.codecs.values import Floats

_FEWEST = 2  # columns on a side
_MOST = 12  # columns of an equation: longer ones are of dummies, and say little of each

Balance: TypeAlias = tuple[str, tuple[str, ...], tuple[float, ...]]
"""The name of a column, those of what makes it, and which of these are less: 1 or -1 for each."""


def balances_in(
    frame: Table,
    names: Sequence[str],
    sums: Sequence[Named],
    lines: Sequence[tuple[str, str, Line]],
    free: Collection[str],
) -> Iterator[Balance]:
    """The balances of some rows of a table that do not follow from its sums and lines.

    Args:
        frame: The table.
        names: Its columns of numbers.
        sums: Those that hold in all rows.
        lines: Names of columns, of their sources, and lines between them that hold in all rows.
        free: Columns that may be made; of a balance it is the last one.
    """
    numbers = some_numbers(frame, names) if len(names) >= 2 * _FEWEST else np.zeros((0, 0))
    known = [_of_sum(one, names) for one in sums]
    known += [_of_line(*one, names) for one in lines if one[2].slope == 1]
    found = {
        tuple(tuple(columns[at] for at in side) for side in sides)
        for columns in comparable_groups(numbers)
        for sides in equations(telling_rows(numbers, columns), EXACT_REST)
        if len(sides[0]) >= _FEWEST and len(sides[0]) + len(sides[1]) <= _MOST
    }
    for left, right in sorted(found, key=lambda sides: (len(sides[0]) + len(sides[1]), sides)):
        vector = np.zeros(len(names) + 1)
        vector[[*left]], vector[[*right]] = 1.0, -1.0
        together = [*known, vector]
        is_new = not known or _rank(together) > _rank(known)
        made = [at for at in sorted((*left, *right)) if names[at] in free]
        if made and is_new and all(varies(numbers[at]) for at in (*left, *right)):
            known = together
            yield _solved(names, vector, made[-1])


def _rank(vectors: Sequence[Floats]) -> int:
    return int(np.linalg.matrix_rank(np.stack(vectors)))


def _solved(names: Sequence[str], vector: Floats, own: int) -> Balance:
    """A balance by its coefficients, as what makes one of its columns."""
    others = [at for at in np.flatnonzero(vector).tolist() if at != own]
    weights = tuple(float(-vector[at] / vector[own]) for at in others)
    return names[own], tuple(names[at] for at in others), weights


def _of_sum(one: Named, names: Sequence[str]) -> Floats:
    """The coefficients ``(names + 1,)`` of a sum, the last one of a constant."""
    total, parts = one
    vector = [float((name == total) - (name in parts)) for name in names]
    return np.array([*vector, 0.0 if isinstance(total, str) else total])


def _of_line(own: str, source: str, line: Line, names: Sequence[str]) -> Floats:
    """Those of a line of which a column is its source and a constant."""
    vector = [float((name == own) - (name == source)) for name in names]
    return np.array([*vector, -line.shift])
