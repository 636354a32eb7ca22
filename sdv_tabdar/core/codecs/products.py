"""Numbers that are the product or the quotient of two others in all rows, found before training.

An amount is a quantity times a price, a tax an amount times its rate, a price per head a total by
the number of heads, mostly rounded. No distribution over a column's own values can say so. Such
columns are found in the training table; drawn rows are made to keep to it
(``core/inference/products.py``).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.echoes import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.lines import Marks, digits_of, rounded
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.sums import Digits, varies
from sdv_tabdar.core.codecs.values import Floats

_COLUMNS = 3  # of a product
_FEWEST_ROWS = 50  # with all three numbers; fewer show nothing reliably
_MOST_COLUMNS = 200  # among which products are looked for
_LOOKED_AT = (16, 400)  # rows of a first and of a second look, and ...
_OF_EACH = 4  # ... so many in which a column is not 0
_BY_CHANCE = 20  # rows in which a factor must be another than that of some other row
_NOISE = 1e-12  # of a rounded number, which computing may add, and ...
_REST = 1e-9  # ... of one that is not rounded
_HALF = 0.5  # of a rounded number's unit, by which it may be off

_Named = tuple[str, tuple[str, str], int]
"""Names of the result and of both factors, and the exponent of the second."""


@dataclasses.dataclass(frozen=True)
class Product:
    """A column that is the product, or the quotient, of two others in all rows that have all three.

    Attributes:
        result: Its position.
        factors: Positions of the others.
        exponent: Of the second factor: 1 for a product, -1 for a quotient.
        digits: Behind the point, of the result and then of both factors; None where numbers are
            not rounded.
    """

    result: int
    factors: tuple[int, int]
    exponent: int
    digits: tuple[Digits, Digits, Digits]

    @property
    def columns(self) -> tuple[int, int, int]:
        """The result and then the factors."""
        return self.result, *self.factors

    def of(self, first: Floats, second: Floats) -> Floats:
        """The results of factors, rounded; infinite or NaN where there is none."""
        return rounded(_times(first, second, self.exponent), self.digits[0])

    def first(self, result: Floats, second: Floats) -> Floats:
        """First factors, rounded, that make nearly a result with the second."""
        return rounded(_times(result, second, -self.exponent), self.digits[1])

    def second(self, result: Floats, first: Floats) -> Floats:
        """Second factors, rounded, that make nearly a result with the first."""
        found = _times(result, first, -1) if self.exponent > 0 else _times(first, result, -1)
        return rounded(found, self.digits[2])

    def holds(self, result: Floats, first: Floats, second: Floats) -> Marks:
        """Where a result is that of its factors, or nothing can be said."""
        return _holds(result, first, second, self.exponent, self.digits[0])

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        return {**state, 'factors': list(self.factors), 'digits': list(self.digits)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Product:
        """The product that :meth:`to_state` described."""
        (first, second), (own, *others) = state['factors'], state['digits']
        digits = (own, others[0], others[1])
        return cls(state['result'], (first, second), state['exponent'], digits)


def written(factors: Sequence[str], exponent: int) -> str:
    """What a column is that is made of factors of such names, for a person to read."""
    first, second = map(repr, factors)
    return f'{first} times {second}' if exponent > 0 else f'{first} divided by {second}'


def find_products(frame: Table, codecs: Sequence[Codec]) -> tuple[Product, ...]:
    """The columns of a training table that are products or quotients of two others in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.

    Returns:
        Each behind those whose results are factors of it; one at most of a result, and of the same
        three columns.
    """
    names = [codec.column.name for codec in codecs if has_numbers(codec)][:_MOST_COLUMNS]
    if len(names) < _COLUMNS:
        return ()
    found: list[_Named] = []
    with np.errstate(all='ignore'):  # of the largest numbers and of divisors of 0
        candidates = sorted(_candidates(some_numbers(frame, names)), key=lambda one: one[-1])
        for result, first, second, exponent, _ in candidates:
            one = names[result], (names[first], names[second]), exponent
            if _may_join(found, one):
                found.append(one)
    return _placed(frame, codecs, sorted(found, key=lambda one: len(_below(one[0], found))))


def has_numbers(codec: Codec) -> bool:
    """Whether a column has numbers: of a quantity of few values, categories as well."""
    if isinstance(codec, CategoricalCodec):
        return are_numbers(codec.levels)
    return isinstance(codec, NumericalCodec)


def are_numbers(levels: Sequence[Hashable]) -> bool:
    """Whether levels, None for missing, are numbers; a truth value is none."""
    present = [level for level in levels if level is not None]
    return len(present) > 1 and all(
        isinstance(level, int | float) and not isinstance(level, bool) and math.isfinite(level)
        for level in present
    )


def kept_products(
    frame: Table, codecs: Sequence[Codec], products: Sequence[Product]
) -> tuple[Product, ...]:
    """Those of some products that hold in all rows of a table, with its digits."""
    names = [codec.column.name for codec in codecs]
    named = [
        (names[one.result], (names[one.factors[0]], names[one.factors[1]]), one.exponent)
        for one in products
    ]
    return _placed(frame, codecs, named)


def _candidates(numbers: Floats) -> Iterator[tuple[int, int, int, int, float]]:
    """Results, both factors and exponents that hold in all rows of ``(columns, rows)``.

    The last number is the part of the result by which it may be off. Of what holds of the same
    columns the most exact one counts, from which the others follow: of 100 in 3 parts of 33.3
    the number of parts is 100 / 33.3, rounded, but 100 / 30 makes the same. Products come first.
    """
    columns = np.array([place for place, own in enumerate(numbers) if varies(own)], dtype=int)
    if len(columns) < _COLUMNS:
        return
    numbers = numbers[columns]
    digits = [digits_of(own) for own in numbers]
    few, some = _telling(numbers)
    is_some = _is_some(some).astype(np.float32)
    slack = np.stack([slack_of(own, places) for own, places in zip(few, digits, strict=True)])
    for exponent, first in itertools.product((1, -1), range(len(columns))):
        made = _times(some[first], some, exponent)
        can_be = (
            is_some @ (made == 0).T.astype(np.float32) == 0
        )  # else rare flags are all looked at
        can_be &= is_some @ _is_some(made).T.astype(np.float32) >= _BY_CHANCE
        rest = np.abs(few[:, None] - _times(few[first], few, exponent))
        can_be &= ~(rest > slack[:, None]).any(axis=2)
        for result, second in np.argwhere(can_be).tolist():
            places = result, first, second
            if len({*places}) < _COLUMNS or (exponent > 0 and second < first):
                continue
            if all(_tells(part[[*places]], exponent, digits[result]) for part in (some, numbers)):
                parts = slack[result] / np.abs(few[result])
                yield *columns[[*places]].tolist(), exponent, float(np.nanmedian(parts))


def _telling(numbers: Floats) -> tuple[Floats, Floats]:
    """Few and some rows of ``(columns, rows)`` that have most numbers, the latter some of each."""
    is_some = _is_some(numbers)
    order = is_some.sum(axis=0).argsort(kind='stable')
    own = [np.flatnonzero(column)[:_OF_EACH] for column in is_some]
    few, some = (order[-most:] for most in _LOOKED_AT)
    return numbers[:, few], numbers[:, np.unique(np.concatenate([some, *own]))]


def _is_some(numbers: Floats) -> Marks:
    """Which numbers are there and not 0."""
    return np.isfinite(numbers) & (numbers != 0)


def _tells(cells: Floats, exponent: int, digits: Digits) -> bool:
    """Whether results ``(3, rows)`` are those of their factors, but not of those of other rows."""
    result, first, second = cells
    made = _times(first, second, exponent)
    known = np.isfinite(made) & np.isfinite(result)
    result, first, second = result[known], first[known], second[known]
    if len(result) < _FEWEST_ROWS or not _holds(result, first, second, exponent, digits).all():
        return False
    half = len(result) // 2
    pairs = (np.roll(first, half), second), (first, np.roll(second, half))
    broken = [(~_holds(result, *pair, exponent, digits)).sum() for pair in pairs]
    return bool(min(broken) >= _BY_CHANCE)


def _may_join(found: Sequence[_Named], one: _Named) -> bool:
    """Whether a product is the first of its result and of its columns, and no circle closes."""
    result, factors, _ = one
    is_new = all(
        result != other and {result, *factors} != {other, *others} for other, others, _ in found
    )
    return is_new and not any(result in _below(factor, found) for factor in factors)


def _below(name: str, found: Sequence[_Named]) -> set[str]:
    """A column and all that it is made of."""
    factors = next((factors for result, factors, _ in found if result == name), ())
    return {name}.union(*(_below(factor, found) for factor in factors))


def _placed(frame: Table, codecs: Sequence[Codec], found: Sequence[_Named]) -> tuple[Product, ...]:
    """Those of some products that hold in all rows, by the positions of their columns."""
    wanted = sorted({name for result, factors, _ in found for name in (result, *factors)})
    digits, left = digits_in(frame, wanted), list(found)
    for cells in parts_of(frame, wanted) if left else ():
        left = [
            (result, (first, second), exponent)
            for result, (first, second), exponent in left
            if _holds(cells[result], cells[first], cells[second], exponent, digits[result]).all()
        ]
    positions = {codec.column.name: place for place, codec in enumerate(codecs)}
    return tuple(
        Product(
            positions[result],
            (positions[first], positions[second]),
            exponent,
            (digits[result], digits[first], digits[second]),
        )
        for result, (first, second), exponent in left
    )


def _times(first: Floats, second: Floats, exponent: int) -> Floats:
    with np.errstate(all='ignore'):  # of the largest numbers and of divisors of 0
        made: Floats = first * second if exponent > 0 else first / second
        return made


def _holds(result: Floats, first: Floats, second: Floats, exponent: int, digits: Digits) -> Marks:
    """Where a result is that of its factors, or one of the three is missing, or a divisor 0."""
    made = _times(first, second, exponent)
    rest = np.abs(result - made)
    return ~(np.isfinite(made) & (rest > slack_of(made, digits)))


def slack_of(numbers: Floats, digits: Digits) -> Floats:
    """By how much results may be off."""
    if digits is None:
        return np.asarray(_REST * np.abs(numbers))
    return np.asarray(_HALF * 10.0**-digits + _NOISE * np.abs(numbers))
