"""Levels that are numbers, of which one is never more than another in its row.

SDV counts whole numbers of which there are few as categories: who works is never more than who
lives there, of the rooms some are bedrooms. Such columns are in order as numbers are
(``inequalities.py``), and the pairs of codes that are not never meet (``zeros.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real

import numpy as np
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.inequalities import BY_CHANCE, TELLING
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.schema import ColumnKind, TableSchema

_MOST_LEVELS = 200  # of a column
_FIRST = 500  # rows of a first look
_BESIDE = 14  # rows that would be just out of order if what is just in order faded away


def numbers_of(codec: Codec) -> Floats:
    """The number ``(K,)`` that each code stands for; NaN where it is none, or one of several."""
    found = np.full(codec.column.num_codes, np.nan)
    if isinstance(codec, NumericalCodec):
        found[: len(codec.atoms)] = codec.atoms
    elif codec.column.kind is ColumnKind.CATEGORICAL:
        for code, level in enumerate(codec.levels[: codec.num_single]):
            if isinstance(level, Real) and not isinstance(level, (bool, np.bool_)):
                found[code] = float(level)
    return found


def orders_looked(
    codes: torch.Tensor, schema: TableSchema, numbers: Sequence[Floats]
) -> dict[tuple[int, int], float]:
    """Pairs of columns that are in order in some rows, and how many would not be by chance.

    Args:
        codes: ``(B, C)`` codes of the rows.
        schema: Their columns; of two columns of numbers nothing is said here.
        numbers: The :func:`numbers_of` each column.
    """
    found = {}
    places = [
        place
        for place, (column, own) in enumerate(zip(schema.columns, numbers, strict=True))
        if column.echo is None and 1 < len(own) <= _MOST_LEVELS
        if np.isnan(own).sum() == (column.missing is not None)
    ]
    for pair in _perhaps(codes[:_FIRST], places, numbers):
        columns = [schema.columns[place] for place in pair]
        if all(column.kind is ColumnKind.NUMERICAL for column in columns):
            continue
        first, second = (column.num_codes for column in columns)
        both = codes[:, pair[0]] * second + codes[:, pair[1]]
        counts = torch.bincount(both, minlength=first * second).view(first, second)
        out = out_of_order(counts, *(numbers[place] for place in pair))
        if out.any():
            found[pair] = float(_by_chance(counts.numpy())[out].sum())
    return found


def _perhaps(
    codes: torch.Tensor, places: Sequence[int], numbers: Sequence[Floats]
) -> Iterator[tuple[int, int]]:
    """Pairs of columns that are in order in a few rows ``(B, C)``, as most are not."""
    if not places:
        return
    values = np.stack([numbers[place][codes[:, place].numpy()] for place in places])
    for first, own in enumerate(values[:-1]):
        others = values[first + 1 :]
        in_order = ~((own > others).any(axis=1) & (own < others).any(axis=1))
        for other in np.flatnonzero(in_order).tolist():
            yield places[first], places[first + 1 + other]


def out_of_order(counts: torch.Tensor, first: Floats, second: Floats) -> np.ndarray:
    """Which codes ``(K1, K2)`` of two columns are out of an order that all rows are in.

    An order counts where it says something (``inequalities.py``), and where it ends sharply: rows
    of equal numbers are so many that, if rows faded away towards the order, some were beyond it.

    Args:
        counts: ``(K1, K2)`` rows of each pair of codes.
        first: ``(K1,)``, the :func:`numbers_of` the first column.
        second: ``(K2,)``, likewise.

    Returns:
        None of them where there is no such order.
    """
    is_known = np.isfinite(first)[:, None] & np.isfinite(second)
    rows = np.where(is_known, counts.numpy(), 0)
    by_chance = _by_chance(rows)
    difference = np.where(is_known, second - first[:, None], np.nan)
    for above in (difference, -difference):
        out = above < 0
        failing = by_chance[out].sum()
        if rows[out].any() or failing < max(BY_CHANCE, TELLING * rows.sum()):
            continue
        equal, near = rows[above == 0].sum(), rows[above == _least_step(above)].sum()
        if equal * min(equal / max(near, 1), 1.0) >= _BESIDE:
            return out
    return np.zeros(rows.shape, dtype=bool)


def _by_chance(rows: np.ndarray) -> Floats:
    """How many rows ``(K1, K2)`` each pair of codes would have if cells were mixed."""
    found: Floats = np.outer(rows.sum(axis=1), rows.sum(axis=0)) / max(rows.sum(), 1)
    return found


def _least_step(differences: Floats) -> float:
    """The least difference above 0."""
    return float(np.min(differences, where=differences > 0, initial=np.inf))
