"""Numbers that are the sum of others in every row, or make the same in all, found before training.

A total is what its parts make; shares make 1, percentages 100, the hours of a day 24. Columns that
are drawn one given the others keep that nearly, and whoever adds up sees each row that does not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.equations import (
    MOST_COLUMNS,
    Sides,
    comparable_groups,
    equations,
    most_frequent,
    telling_rows,
)
from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.lines import MOST_DIGITS, SINGLE, Marks, digits_of, finest
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.values import Floats

EXACT_REST = 1e-9  # of a column's size: what computing may leave of a sum
_FEWEST_PARTS = 3  # of a constant; two are on a straight line
_NO_COLUMN = -1  # in place of a total's position, where parts make a constant

Place = tuple[int, tuple[int, ...]]
"""The position of a total, or :data:`_NO_COLUMN`, and those of its parts."""

Named = tuple[str | float, tuple[str, ...]]
"""The name of a total, or the number that parts make in all rows, and the names of the parts."""

Digits = int | None
"""Behind the point of a column's numbers; None for numbers that are not rounded."""


@dataclasses.dataclass(frozen=True)
class Sum:
    """A column that is the sum of others in all rows that have all of them, or such a number.

    Attributes:
        total: Its position; None where the others make a constant.
        parts: Positions of the others, two at least; three of a constant.
        digits: Behind the point, of the total if that is a column and then of each part; None
            where numbers are not rounded.
        constant: What the parts make in all rows; None if they make a column.
        is_single: Whether they do so only but for what float32, or a text file, has left of
            numbers that are not rounded.
    """

    total: int | None
    parts: tuple[int, ...]
    digits: tuple[Digits, ...]
    constant: float | None = None
    is_single: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """The total, if it is a column, and then the parts."""
        return self.parts if self.total is None else (self.total, *self.parts)

    def named(self, names: Sequence[str]) -> Named:
        """The total and the parts by the names of all columns."""
        total = self.constant if self.total is None else names[self.total]
        assert total is not None
        return total, tuple(names[part] for part in self.parts)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        places = {'total': self.total, 'parts': list(self.parts)}
        told = {'constant': self.constant, 'is_single': self.is_single}
        return {**places, 'digits': list(self.digits), **told}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Sum:
        """The sum that :meth:`to_state` described; former versions knew only exact ones."""
        parts, digits = tuple(state['parts']), tuple(state['digits'])
        constant = state.get('constant')
        constant = None if constant is None else float(constant)
        return cls(state['total'], parts, digits, constant, state.get('is_single', False))


def written(parts: Sequence[str]) -> str:
    """What a column is that is the sum of parts of such names, for a person to read."""
    return f'the sum of {_listed(parts)}'


def written_constant(parts: Sequence[str], constant: float) -> str:
    """What parts of such names make, for a person to read."""
    return f'{_listed(parts)} make {constant:.15g}'


def _listed(names: Sequence[str]) -> str:
    *firsts, last = map(repr, names)
    return f'{", ".join(firsts)} and {last}'


def find_sums(frame: Table, codecs: Sequence[Codec]) -> tuple[Sum, ...]:
    """The columns of a training table that are the sum of others, or make a constant, in all rows.

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
    found = []
    for total, parts in sums_in(frame, list(positions), singles=True):
        places = tuple(positions[part] for part in parts)
        if isinstance(total, str):
            found.append(Sum(positions[total], places, (0,) * (len(places) + 1)))
        else:
            found.append(Sum(None, places, (0,) * len(places), constant=total))
    return _as_in(frame, codecs, found)


def kept_sums(frame: Table, codecs: Sequence[Codec], sums: Sequence[Sum]) -> tuple[Sum, ...]:
    """Those of some sums that hold in all rows of a table, with the digits of both tables."""
    names = [codec.column.name for codec in codecs]
    named = [one.named(names) for one in sums]
    holding = set(_holding(frame, named, SINGLE))
    kept = [one for one, name in zip(sums, named, strict=True) if name in holding]
    return _as_in(frame, codecs, kept)


def sums_in(frame: Table, names: Sequence[str], *, singles: bool = False) -> list[Named]:
    """The columns of numbers that are the sum of others, or make a constant, in rows without gaps.

    What needs no sum to be said is none: the same number twice, or a straight line.

    Args:
        frame: A table.
        names: Its columns of numbers.
        singles: Whether numbers that are not rounded may be off by what float32 leaves of them.

    Returns:
        Each behind those whose totals are parts of it; none that follows from others.
    """
    names = list(names)[:MOST_COLUMNS]
    numbers = some_numbers(frame, names) if len(names) > 2 else np.zeros((0, 0))
    places: dict[float, set[Place]] = {EXACT_REST: set(), SINGLE: set()}
    for columns in comparable_groups(numbers):
        rows = telling_rows(numbers, columns)
        unrounded = singles and finest(map(digits_of, rows.T)) is None
        rests = (EXACT_REST, SINGLE) if unrounded else (EXACT_REST,)
        places[rests[-1]] |= _places(rows, columns, rests)
    named = {
        rest: [
            (_constant(numbers[[*parts]]) if total < 0 else names[total], _of(names, parts))
            for total, parts in sorted(found, key=_first_of_all)
            if all(varies(numbers[place]) for place in (total, *parts) if place != _NO_COLUMN)
        ]
        for rest, found in places.items()
    }
    holding = [one for rest, found in named.items() for one in _holding(frame, found, rest)]
    return _ordered(_independent(list(dict.fromkeys(holding))))


def _places(rows: Floats, columns: Sequence[int], rests: Iterable[float]) -> set[Place]:
    """The sums among rows ``(R, columns)``, by the positions of these columns."""
    found = _shortened(
        one for rest in rests for sides in equations(rows, rest) for one in _sums_of(sides)
    )
    return {
        (total if total == _NO_COLUMN else columns[total], tuple(columns[part] for part in parts))
        for total, parts in found
    }


def _of(names: Sequence[str], places: Iterable[int]) -> tuple[str, ...]:
    return tuple(names[place] for place in places)


def _first_of_all(one: Place) -> tuple[bool, int, Place]:
    """By which sums are sorted: constants last, then short ones first."""
    return one[0] == _NO_COLUMN, len(one[1]), one


def _constant(parts: Floats) -> float:
    """What parts ``(P, rows)`` make that make the same in all rows, if need be but for rounding."""
    digits, sums = finest(digits_of(part) for part in parts), parts.sum(axis=0)
    sums = sums[~np.isnan(sums)]
    if digits is None:
        # Computing has changed the last digits: the roundest number that is among the sums.
        for number in range(MOST_DIGITS + 1):
            round_one = float(np.round(np.median(sums), number))
            if sums.min() <= round_one <= sums.max():
                return round_one
        return most_frequent(sums)
    return most_frequent(np.round(sums, digits)) + 0.0  # no -0


def _sums_of(sides: Sides) -> Iterator[Place]:
    """The sum that an equation is, if it is one."""
    left, right = sides
    if len(left) == 1 < len(right):
        yield left[0], right
    elif not left and len(right) >= _FEWEST_PARTS:
        yield _NO_COLUMN, right


def _shortened(sums: Iterable[Place]) -> set[Place]:
    """Sums, and those in which parts that make another's total are that total."""
    found, new = set(), set(sums)
    while new:
        found |= new
        new = {
            (total, tuple(sorted({*parts, other} - {*others})))
            for total, parts in found
            for other, others in found
            if {*others} < {*parts} and other not in parts and other != _NO_COLUMN
        } - found
        new = {one for one in new if one[0] != _NO_COLUMN or len(one[1]) >= _FEWEST_PARTS}
    return found


def _holding(frame: Table, sums: Sequence[Named], rest: float) -> list[Named]:
    """Those of some sums that hold in all rows of a table that have all of their cells.

    Args:
        frame: The table.
        sums: By names.
        rest: As in :func:`adds_up`.
    """
    left = list(sums)
    for cells in parts_of(frame, _columns_of(left)) if left else ():
        left = [
            (total, parts)
            for total, parts in left
            if adds_up(
                cells[total] if isinstance(total, str) else np.full(len(cells[parts[0]]), total),
                np.stack([cells[part] for part in parts], axis=1),
                rest,
            ).all()
        ]
    return left


def _columns_of(sums: Iterable[Named]) -> list[str]:
    """The names of all totals that are columns, and of all parts."""
    found = {name for total, parts in sums for name in (total, *parts)}
    return sorted(name for name in found if isinstance(name, str))


def adds_up(total: Floats, parts: Floats, rest: float) -> Marks:
    """In which rows a total is the sum of its parts, or a cell is missing.

    Args:
        total: ``(B,)``.
        parts: ``(B, P)``.
        rest: By what share of their size numbers that are not rounded may be off.
    """
    gap = np.abs(total - parts.sum(axis=1))
    size = np.abs(total) + np.abs(parts).sum(axis=1)
    digits = finest(digits_of(column) for column in (total, *parts.T))
    slack = rest * size if digits is None else np.minimum(EXACT_REST * size, 0.5 * 10.0**-digits)
    return ~(gap > slack)


def _independent(sums: Sequence[Named]) -> list[Named]:
    """Sums of which none follows from those before it, and none is a part of its own parts."""
    names = _columns_of(sums)
    chosen: list[Named] = []
    vectors = np.zeros((0, len(names)))
    for total, parts in sums:
        vector = np.array([(name == total) - (name in parts) for name in names], dtype=float)
        together = np.vstack([vectors, vector])
        is_new = np.linalg.matrix_rank(together) == len(together)
        if is_new and total not in all_below(parts, _made(chosen)):
            chosen.append((total, parts))
            vectors = together
    return chosen


def _made(sums: Iterable[Named]) -> dict[str, set[str]]:
    """Of each column that is a total the parts, of all of its sums."""
    found: dict[str, set[str]] = {}
    for total, parts in sums:
        if isinstance(total, str):
            found.setdefault(total, set()).update(parts)
    return found


def _ordered(sums: Sequence[Named]) -> list[Named]:
    """Sums, each behind those whose totals are parts of it."""
    made = _made(sums)
    return sorted(sums, key=lambda one: len(all_below(one[1], made)))


def _as_in(frame: Table, codecs: Sequence[Codec], sums: Sequence[Sum]) -> tuple[Sum, ...]:
    """Sums with the digits that their columns have in a table, if these are more.

    Likewise with whether they hold only but for what float32 leaves.
    """
    names = [codec.column.name for codec in codecs]
    columns = sorted({names[place] for one in sums for place in one.columns})
    digits = digits_in(frame, columns)
    exact = {*_holding(frame, [one.named(names) for one in sums], EXACT_REST)}
    return tuple(
        dataclasses.replace(
            one,
            digits=tuple(
                finest((before, digits[names[place]]))
                for before, place in zip(one.digits, one.columns, strict=True)
            ),
            is_single=one.is_single or one.named(names) not in exact,
        )
        for one in sums
    )
