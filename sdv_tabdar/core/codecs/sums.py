"""Numbers that are the sum of others in every row, found before training.

A total is what its parts make. Columns that are drawn one given the others keep that nearly, and
whoever adds up sees each row that does not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.echoes import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.lines import Marks, digits_of, finest
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats

_FEWEST_ROWS = 50  # without gaps, and ...
_ROWS_PER_COLUMN = 2  # ... so many; fewer show nothing reliably
_MOST_COLUMNS = 500  # among which sums are looked for
_LOOKED_AT = 500  # rows of a first look, or ...
_LOOKED_AT_PER_COLUMN = 4  # ... so many for each column, and ...
_UNUSUAL = 20  # ... of each column so many that differ from its most frequent number
_BY_CHANCE = 20  # rows in which a part must be another than that of some other row
_REST = 1e-9  # of a column's size: what computing may leave of a sum

Place = tuple[int, tuple[int, ...]]
"""The position of a total and those of its parts."""

Named = tuple[str, tuple[str, ...]]
"""Likewise by names."""

Digits = int | None
"""Behind the point of a column's numbers; None for numbers that are not rounded."""


@dataclasses.dataclass(frozen=True)
class Sum:
    """A column that is the sum of others in all rows that have all of them.

    Attributes:
        total: Its position.
        parts: Positions of the others, two at least.
        digits: Behind the point, of the total and then of each part; None where numbers are not
            rounded.
    """

    total: int
    parts: tuple[int, ...]
    digits: tuple[Digits, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """The total and then the parts."""
        return self.total, *self.parts

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {'total': self.total, 'parts': list(self.parts), 'digits': list(self.digits)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Sum:
        """The sum that :meth:`to_state` described."""
        return cls(state['total'], tuple(state['parts']), tuple(state['digits']))


def written(parts: Sequence[str]) -> str:
    """What a column is that is the sum of parts of such names, for a person to read."""
    *firsts, last = map(repr, parts)
    return f'the sum of {", ".join(firsts)} and {last}'


def find_sums(frame: Table, codecs: Sequence[Codec]) -> tuple[Sum, ...]:
    """The columns of a training table that are the sum of others in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.

    Returns:
        Each behind those whose totals are parts of it; none that follows from others.
    """
    positions = {
        codec.column.name: place
        for place, codec in enumerate(codecs)
        if isinstance(codec, NumericalCodec)
    }
    found = [
        Sum(positions[total], tuple(positions[part] for part in parts), (0,) * (len(parts) + 1))
        for total, parts in sums_in(frame, list(positions))
    ]
    return _with_digits(frame, codecs, found)


def kept_sums(frame: Table, codecs: Sequence[Codec], sums: Sequence[Sum]) -> tuple[Sum, ...]:
    """Those of some sums that hold in all rows of a table, with the digits of both tables."""
    names = [codec.column.name for codec in codecs]
    named = [(names[one.total], tuple(names[part] for part in one.parts)) for one in sums]
    holding = set(_holding(frame, named))
    kept = [one for one, name in zip(sums, named, strict=True) if name in holding]
    return _with_digits(frame, codecs, kept)


def sums_in(frame: Table, names: Sequence[str]) -> list[Named]:
    """The columns of numbers that are the sum of others in all rows without gaps.

    What needs no sum to be said is none: the same number twice, or a straight line.

    Args:
        frame: A table.
        names: Its columns of numbers.

    Returns:
        Each behind those whose totals are parts of it; none that follows from others.
    """
    names = list(names)[:_MOST_COLUMNS]
    numbers = some_numbers(frame, names) if len(names) > 2 else np.zeros((0, 0))
    columns = _comparable(numbers)
    if len(columns) < 3:
        return []
    rows = _telling_rows(numbers, columns)
    found = {
        (columns[total], tuple(columns[part] for part in parts))
        for total, parts in _shortened(_relations(rows))
    }
    named = [
        (names[total], tuple(names[part] for part in parts))
        for total, parts in sorted(found, key=lambda one: (len(one[1]), one))
        if all(_varies(numbers[place]) for place in (total, *parts))
    ]
    return _ordered(_independent(_holding(frame, named)))


def _comparable(numbers: Floats) -> list[int]:
    """The columns ``(columns, rows)`` that vary, without those whose gaps leave too few rows."""
    columns = [place for place, column in enumerate(numbers) if _varies(column)]
    present = ~np.isnan(numbers)
    columns.sort(key=lambda place: -int(present[place].sum()))
    while columns:
        enough = max(_FEWEST_ROWS, _ROWS_PER_COLUMN * len(columns))
        if present[columns].all(axis=0).sum() >= enough:
            break
        columns.pop()
    return sorted(columns)


def _varies(column: Floats) -> bool:
    """Whether numbers ``(rows,)`` often are others than those of another row."""
    present = column[~np.isnan(column)]
    others = np.roll(present, len(present) // 2)
    return bool((present != others).sum() >= _BY_CHANCE)


def _telling_rows(numbers: Floats, columns: Sequence[int]) -> Floats:
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
        chosen.append(rows[column != _most_frequent(column)][:_UNUSUAL])
    return np.asarray(numbers[np.ix_(np.array(columns), np.unique(np.concatenate(chosen)))].T)


def _most_frequent(column: Floats) -> float:
    values, counts = np.unique(column, return_counts=True)
    return float(values[counts.argmax()])


def _relations(rows: Floats) -> Iterator[Place]:
    """Columns of rows ``(R, columns)`` that are the sum of others, found in several orders."""
    sizes = np.abs(rows).max(axis=0)
    sizes[sizes == 0] = 1.0  # a number may be there in rows with gaps alone
    scaled = rows / sizes
    straight, by_size = np.arange(rows.shape[1]), np.argsort(sizes, kind='stable')
    for order in (straight, straight[::-1], by_size, by_size[::-1]):
        yield from _relations_in(scaled, sizes, order)


def _relations_in(rows: Floats, sizes: Floats, order: npt.NDArray[np.int64]) -> Iterator[Place]:
    """Sums by which a column depends on those before it in an order.

    Args:
        rows: ``(R, columns)``, of size 1.
        sizes: ``(columns,)``, what they have been divided by.
        order: ``(columns,)``.
    """
    vectors, independent = np.empty((len(order), len(rows))), np.zeros(0, dtype=np.int64)
    for column in order:
        rest, basis = rows[:, column], vectors[: len(independent)]
        for _ in range(2):  # once more against rounding
            rest = rest - (basis @ rest) @ basis
        if np.abs(rest).max() > _REST:
            vectors[len(independent)] = rest / np.linalg.norm(rest)
            independent = np.append(independent, column)
            continue
        weights, *_ = np.linalg.lstsq(rows[:, independent], rows[:, column], rcond=None)
        units = np.rint(weights * sizes[column] / sizes[independent])
        sides: tuple[list[int], list[int]] = ([column], [])
        for other, unit in zip(independent.tolist(), units.tolist(), strict=True):
            if unit:
                sides[int(unit > 0)].append(other)
        left, right = sorted(sides, key=len)
        if len(left) == 1 < len(right) and np.abs(units).max() == 1:
            yield int(left[0]), tuple(sorted(int(part) for part in right))


def _shortened(sums: Iterable[Place]) -> set[Place]:
    """Sums, and those in which parts that make another's total are that total."""
    found, new = set(), set(sums)
    while new:
        found |= new
        new = {
            (total, tuple(sorted({*parts, other} - {*others})))
            for total, parts in found
            for other, others in found
            if {*others} < {*parts} and other not in parts
        } - found
    return found


def _holding(frame: Table, sums: Sequence[Named]) -> list[Named]:
    """Those of some sums that hold in all rows of a table that have all of their cells."""
    left = list(sums)
    wanted = sorted({name for total, parts in left for name in (total, *parts)})
    for cells in parts_of(frame, wanted) if left else ():
        left = [
            (total, parts)
            for total, parts in left
            if adds_up(cells[total], np.stack([cells[part] for part in parts], axis=1)).all()
        ]
    return left


def adds_up(total: Floats, parts: Floats) -> Marks:
    """In which rows a total ``(B,)`` is the sum of its parts ``(B, P)``, or a cell is missing."""
    rest = np.abs(total - parts.sum(axis=1))
    size = np.abs(total) + np.abs(parts).sum(axis=1)
    digits = finest(digits_of(column) for column in (total, *parts.T))
    slack = _REST * size if digits is None else np.minimum(_REST * size, 0.5 * 10.0**-digits)
    return ~(rest > slack)


def _independent(sums: Sequence[Named]) -> list[Named]:
    """Sums of which none follows from those before it, and none is a part of its own parts."""
    names = sorted({name for total, parts in sums for name in (total, *parts)})
    chosen: list[Named] = []
    vectors = np.zeros((0, len(names)))
    for total, parts in sums:
        vector = np.array([(name == total) - (name in parts) for name in names], dtype=float)
        together = np.vstack([vectors, vector])
        is_new = np.linalg.matrix_rank(together) == len(together)
        if is_new and not _below(parts, chosen) & {total}:
            chosen.append((total, parts))
            vectors = together
    return chosen


def _below(names: Iterable[str], sums: Sequence[Named]) -> set[str]:
    """Columns, the parts of those that are totals, and so on."""
    found, new = set(), {*names}
    while new:
        found |= new
        new = {part for total, parts in sums if total in new for part in parts} - found
    return found


def _ordered(sums: Sequence[Named]) -> list[Named]:
    """Sums, each behind those whose totals are parts of it."""
    return sorted(sums, key=lambda one: len(_below((one[0],), sums)))


def _with_digits(frame: Table, codecs: Sequence[Codec], sums: Sequence[Sum]) -> tuple[Sum, ...]:
    """Sums with the digits that their columns have in a table, if these are more."""
    names = [codec.column.name for codec in codecs]
    columns = sorted({names[place] for one in sums for place in one.columns})
    digits = digits_in(frame, columns)
    return tuple(
        dataclasses.replace(
            one,
            digits=tuple(
                finest((before, digits[names[place]]))
                for before, place in zip(one.digits, one.columns, strict=True)
            ),
        )
        for one in sums
    )
