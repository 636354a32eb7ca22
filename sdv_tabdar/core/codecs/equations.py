"""Which columns of numbers make the same as others: equations without weights, found in some rows.

A column that depends on those before it, by units of theirs alone, makes an equation. What comes
of it in all rows is for others to see (``sums.py``, ``balances.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS, varies
from sdv_tabdar.core.codecs.values import Floats

MOST_COLUMNS = 500
"""Among which equations are looked for."""

_ROWS_PER_COLUMN = 2  # without gaps at least; fewer show nothing reliably
_FEWEST_COLUMNS = 3  # of an equation that says something
_BESIDE = 1_000  # columns that are looked at beside those left out, together at most
_LOOKED_AT = 500  # rows of a first look, or ...
_LOOKED_AT_PER_COLUMN = 4  # ... so many for each column, and ...
_UNUSUAL = 20  # ... of each column so many that differ from its most frequent number

Sides = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions of columns of which as many make the same as others, fewer first."""


def comparable_groups(numbers: Floats) -> Iterator[list[int]]:
    """Positions of columns that have enough rows in common, of at least three.

    First without those whose gaps leave too few rows, and then beside some of these: a number and
    its change since the year before are missing in the same first year of each firm.

    Args:
        numbers: ``(columns, rows)``.
    """
    seen = {*(first := _comparable(numbers))}
    if len(first) >= _FEWEST_COLUMNS:
        yield first
    left_out = [place for place, own in enumerate(numbers) if place not in seen and varies(own)]
    for place in left_out[: _BESIDE // max(len(numbers), 1)]:
        group = [] if place in seen else _comparable(numbers[:, ~np.isnan(numbers[place])])
        if place in group and len(group) >= _FEWEST_COLUMNS:
            seen.update(group)
            yield group


def _comparable(numbers: Floats) -> list[int]:
    """The columns ``(columns, rows)`` that vary, without those whose gaps leave too few rows."""
    columns = [place for place, column in enumerate(numbers) if varies(column)]
    present = ~np.isnan(numbers)
    columns.sort(key=lambda place: -int(present[place].sum()))
    while columns:
        enough = max(FEWEST_ROWS, _ROWS_PER_COLUMN * len(columns))
        if present[columns].all(axis=0).sum() >= enough:
            break
        columns.pop()
    return sorted(columns)


def telling_rows(numbers: Floats, columns: Sequence[int]) -> Floats:
    """Some rows ``(R, columns)`` without gaps, among them unusual ones of each column.

    Args:
        numbers: ``(all columns, rows)``.
        columns: Those that are looked at.
    """
    whole = np.ones(numbers.shape[1], dtype=bool)
    for place in columns:
        whole &= ~np.isnan(numbers[place])
    rows = np.flatnonzero(whole)
    wanted = max(_LOOKED_AT, _LOOKED_AT_PER_COLUMN * len(columns))
    chosen = [rows[:: max(1, len(rows) // wanted)]]
    for place in columns:
        column = numbers[place, rows]
        chosen.append(rows[column != most_frequent(column)][:_UNUSUAL])
    return np.asarray(numbers[np.ix_(np.array(columns), np.unique(np.concatenate(chosen)))].T)


def most_frequent(column: Floats) -> float:
    """The number ``(rows,)`` that is there most often; the least of such."""
    values, counts = np.unique(column, return_counts=True)
    return float(values[counts.argmax()])


def equations(rows: Floats, rest: float) -> Iterator[Sides]:
    """Columns of rows ``(R, columns)`` that make the same as others, found in several orders.

    Where constants are among them, one side may be empty.

    Args:
        rows: Some rows without gaps.
        rest: What a sum may leave of a column, as a share of its size.
    """
    sizes = np.abs(rows).max(axis=0)
    sizes[sizes == 0] = 1.0  # a number may be there in rows with gaps alone
    scaled = rows / sizes
    straight, by_size = np.arange(rows.shape[1]), np.argsort(sizes, kind='stable')
    ones = np.ones((1, len(rows)))
    for beside in (ones[:0], ones) if _left(scaled, ones[0]) <= rest else (ones[:0],):
        for order in (straight, straight[::-1], by_size, by_size[::-1]):
            yield from _equations_in(scaled, sizes, order, beside, rest)


def _left(rows: Floats, wanted: Floats) -> float:
    """What weights of columns ``(R, columns)`` leave at most of a vector ``(R,)``."""
    basis = np.linalg.qr(rows)[0]
    return float(np.abs(wanted - basis @ (basis.T @ wanted)).max())


def _equations_in(
    rows: Floats, sizes: Floats, order: npt.NDArray[np.int64], beside: Floats, enough: float
) -> Iterator[Sides]:
    """Equations by which a column depends on those before it in an order.

    Args:
        rows: ``(R, columns)``, of size 1.
        sizes: ``(columns,)``, what they have been divided by.
        order: ``(columns,)``.
        beside: ``(K, R)``, what each sum may have as well, with any weight: a constant or nothing.
        enough: What a sum may leave of a column.
    """
    first, independent = len(beside), np.zeros(0, dtype=np.int64)
    vectors = np.empty((first + len(order), len(rows)))
    vectors[:first] = beside / np.sqrt(len(rows))
    for column in order:
        rest, basis = rows[:, column], vectors[: first + len(independent)]
        for _ in range(2):  # once more against rounding
            rest = rest - (basis @ rest) @ basis
        if np.abs(rest).max() > enough:
            vectors[len(basis)] = rest / np.linalg.norm(rest)
            independent = np.append(independent, column)
            continue
        others = np.hstack([rows[:, independent], beside.T])
        weights = np.linalg.lstsq(others, rows[:, column], rcond=None)[0][: len(independent)]
        units = np.rint(weights * sizes[column] / sizes[independent])
        sides: tuple[list[int], list[int]] = ([int(column)], [])
        for other, unit in zip(independent.tolist(), units.tolist(), strict=True):
            if unit:
                sides[int(unit > 0)].append(other)
        if np.abs(units).max(initial=1) <= 1:
            left, right = sorted((tuple(sorted(side)) for side in sides), key=len)
            yield left, right
