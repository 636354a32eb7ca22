"""Numbers that are the product or the quotient of two others in all rows, found before training.

An amount is a quantity times a price, a tax an amount times its rate, a price per head a total by
the number of heads, a margin what is left of a price without its share of costs, mostly rounded
(:mod:`.formulas`). No distribution over a column's own values can say so. Such
columns are found in the training table; drawn rows are made to keep to it
(``core/inference/products.py``).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS, varies
from sdv_tabdar.core.codecs.formulas import LONG_UNITS, OF_TIME, UNITS, Formula
from sdv_tabdar.core.codecs.lines import Marks, digits_of, rounded, slack_of
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.sums import Digits, Sum
from sdv_tabdar.core.codecs.table_parts import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.values import Floats

_COLUMNS = 3  # of a product
_MOST_COLUMNS = 200  # among which products are looked for
_LOOKED_AT = (16, 400)  # rows of a first and of a second look, and ...
_OF_EACH = 4  # ... so many in which a column is not 0
_BY_CHANCE = 20  # rows in which a factor must be another than that of some other row
_CLIPPED_ROWS = 5  # that a difference and 0 must have; fewer would say what single people have
_FIRST_ROWS = 4  # of the few that are looked at
_CELLS = 100_000  # of these that are compared at once
_FLAG = 2  # different numbers are no result of a rarer formula
_OFTEN = 8  # of these few, in which the result of a rarer formula is there and not 0

_PLAIN = Formula('product'), Formula('quotient')
_SQUARES = tuple(Formula('per_square', scale) for scale in (1.0, 1e4, 703.0))  # m, cm, inches
_RARE = (
    *_SQUARES,
    *(Formula('product', scale) for scale in (0.01, 0.001)),
    *(Formula('quotient', scale) for scale in (100.0, 1000.0, 0.001)),
    *(Formula(name, scale) for name in ('increased', 'reduced') for scale in (1.0, 0.01)),
    *(
        Formula(name, scale)
        for name in ('change', 'rest', 'share', 'balance')
        for scale in (1.0, 100.0)
    ),
    Formula('excess'),
    *(Formula(name, unit) for name in OF_TIME for unit in UNITS.values()),
    *(Formula('about_between', unit) for unit in LONG_UNITS.values()),
)

BEFORE_RATES = (*_PLAIN, *_SQUARES)
"""What comes before rates that a level says; others come behind them."""

_Named = tuple[str, tuple[str, str], Formula]
"""Names of the result and of both factors, and what it is of them."""


@dataclasses.dataclass(frozen=True)
class Product:
    """A column that is made of two others in all rows that have all three.

    Attributes:
        result: Its position.
        factors: Positions of the others.
        formula: What it is of them, mostly their product or their quotient.
        digits: Behind the point, of the result and then of both factors; None where numbers are
            not rounded.
    """

    result: int
    factors: tuple[int, int]
    formula: Formula
    digits: tuple[Digits, Digits, Digits]

    @property
    def columns(self) -> tuple[int, int, int]:
        """The result and then the factors."""
        return self.result, *self.factors

    def of(self, first: Floats, second: Floats) -> Floats:
        """The results of factors, rounded; infinite or NaN where there is none."""
        return rounded(self.formula.result(first, second), self.digits[0])

    def first(self, result: Floats, second: Floats, before: Floats | None = None) -> Floats:
        """First factors, rounded, that make nearly a result with the second.

        Args:
            result: The results.
            second: The second factors.
            before: First factors with any result, whose time of day and such the new ones have;
                None for the middle.
        """
        found = rounded(self.formula.x(result, second) + self._rest(before, second), self.digits[1])
        return self._by_days(found, before, lambda dates: self.holds(result, dates, second))

    def second(self, result: Floats, first: Floats, before: Floats | None = None) -> Floats:
        """Second factors, rounded, that make nearly a result with the first; likewise."""
        found = rounded(self.formula.y(result, first) - self._rest(first, before), self.digits[2])
        return self._by_days(found, before, lambda dates: self.holds(result, first, dates))

    def _by_days(
        self, dates: Floats, before: Floats | None, holds: Callable[[Floats], Marks]
    ) -> Floats:
        """Dates that whole days lead to from others, though years do not have whole days."""
        if before is None or self.formula.scale not in LONG_UNITS.values():
            return dates
        day = UNITS['days']
        near = before + day * np.round((dates - before) / day)
        for step in (-day, day):
            near = np.where(~holds(near) & holds(near + step), near + step, near)
        return near

    def _rest(self, first: Floats | None, second: Floats | None) -> Floats | float:
        """What is between two dates beside what is counted of it; 0 where one is not known."""
        if first is None or second is None or self.digits[0] is None:
            return 0.0
        return self.formula.rest(first, second, 10.0 ** -self.digits[0])

    def holds(self, result: Floats, first: Floats, second: Floats) -> Marks:
        """Where a result is that of its factors, or nothing can be said."""
        return _holds(result, first, second, self.formula, self.digits[0])

    def written(self, factors: Sequence[str]) -> str:
        """What it is, with the names of both factors, for a person to read."""
        return self.formula.written(*factors)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            'result': self.result,
            'factors': list(self.factors),
            'formula': self.formula.name,
            'scale': self.formula.scale,
            'digits': list(self.digits),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Product:
        """The product that :meth:`to_state` described; former ones have an exponent instead."""
        (first, second), (own, *others) = state['factors'], state['digits']
        digits = (own, others[0], others[1])
        if 'formula' in state:
            formula = Formula(state['formula'], state['scale'])
        else:
            formula = Formula('product' if state['exponent'] > 0 else 'quotient')
        return cls(state['result'], (first, second), formula, digits)


def find_products(
    frame: Table, codecs: Sequence[Codec], sums: Sequence[Sum] = ()
) -> tuple[Product, ...]:
    """The columns of a training table that are products or quotients of two others in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        sums: Columns that are the sum of others. Where two of three are added up already, what
            adds them is told by a product or a quotient with the third one.

    Returns:
        Each behind those whose results are factors of it; one at most of a result, and of the same
        three columns.
    """
    names = [codec.column.name for codec in codecs if has_numbers(codec)][:_MOST_COLUMNS]
    if len(names) < _COLUMNS:
        return ()
    summed = [
        {codecs[place].column.name for place in one.columns}
        for one in sums
        if len(one.columns) == _COLUMNS
    ]
    found: list[_Named] = []
    with np.errstate(all='ignore'):  # of the largest numbers and of divisors of 0
        candidates = sorted(_candidates(some_numbers(frame, names)), key=lambda one: one[-1])
        for result, first, second, formula, _ in candidates:
            one = names[result], (names[first], names[second]), formula
            own = {names[place] for place in (result, first, second)}
            is_told = formula.adds and any(len(own & columns) > 1 for columns in summed)
            if not is_told and _may_join(found, one):
                found.append(one)
    made = {result: factors for result, factors, _ in found}
    found.sort(key=lambda one: len(all_below([one[0]], made)))
    return _placed(frame, codecs, found)


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
        (names[one.result], (names[one.factors[0]], names[one.factors[1]]), one.formula)
        for one in products
    ]
    return _placed(frame, codecs, named)


def _candidates(numbers: Floats) -> Iterator[tuple[int, int, int, Formula, float]]:
    """Results, both factors and formulas that hold in all rows of ``(columns, rows)``.

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
    is_often = _is_some(few).sum(axis=1) >= _OFTEN
    are_flags = [len(np.unique(own[np.isfinite(own)])) == _FLAG for own in numbers]
    for formula, first, can_be in _possible(few, slack):
        made = formula.result(few[first], few)
        if formula not in _PLAIN:
            can_be &= is_often[:, None] & (_is_some(made).sum(axis=1) >= _OFTEN)
        can_be = _near(few, made, slack, can_be)
        if can_be.any():
            can_be &= _have_same_zeros(is_some, formula.result(some[first], some))
        for result, second in np.argwhere(can_be).tolist():
            places = result, first, second
            if len({*places}) < _COLUMNS or (formula.is_symmetric and second < first):
                continue
            if formula not in _PLAIN and are_flags[result]:
                continue  # 1 is any number by itself and 0
            if digits[result] == 0 and formula.scale in LONG_UNITS.values():
                continue  # whole months are those of the calendar
            if formula.is_clipped and _below(numbers[[*places]]) < _CLIPPED_ROWS:
                continue  # it is a difference, and the three are a sum
            if all(_tells(part[[*places]], formula, digits[result]) for part in (some, numbers)):
                parts = slack[result] / np.abs(few[result])
                yield *columns[[*places]].tolist(), formula, float(np.nanmedian(parts))


def _possible(numbers: Floats, slack: Floats) -> Iterator[tuple[Formula, int, Marks]]:
    """Formulas and first factors with which some numbers are what they make in the first rows.

    Args:
        numbers: ``(C, rows)``, of which the last rows have most.
        slack: ``(C, rows)``, by how much results may be off.

    Yields:
        The formula, the first factor, and ``(C, C)`` for which results and second factors.
    """
    numbers, slack = numbers[:, -_FIRST_ROWS:], slack[:, -_FIRST_ROWS:]
    number = len(numbers)
    at_once = max(_CELLS // (number * numbers.size), 1)
    for formula, start in itertools.product((*_PLAIN, *_RARE), range(0, number, at_once)):
        made = formula.result(numbers[start : start + at_once, None], numbers)
        rest = np.abs(numbers[:, None, None] - made)
        near: Marks = np.logical_not((rest > slack[:, None, None]).any(axis=-1))
        for first in np.flatnonzero(near.any(axis=(0, 2))).tolist():
            yield formula, start + first, near[:, first]


def _below(cells: Floats) -> int:
    """In how many of ``(3, rows)`` a result is known, and the first factor below the second."""
    result, first, second = cells
    return int((np.isfinite(result) & (first < second)).sum())


def _have_same_zeros(is_some: npt.NDArray[np.float32], made: Floats) -> Marks:
    """Where no result of 0 is another number; else rare flags were all looked at.

    Args:
        is_some: ``(C, rows)``, 1 where a number is there and not 0.
        made: ``(C', rows)``.
    """
    found: Marks = is_some @ (made == 0).T.astype(np.float32) == 0
    return found & (is_some @ _is_some(made).T.astype(np.float32) >= _BY_CHANCE)


def _near(numbers: Floats, made: Floats, slack: Floats, asked: Marks) -> Marks:
    """Which numbers ``(C, rows)`` are which results ``(C', rows)`` in few rows.

    Args:
        numbers: The numbers.
        made: The results; what is not finite says nothing.
        slack: ``(C, rows)``, by how much the former may be off.
        asked: ``(C, C')``, of which to tell it; others are not.
    """
    found = asked.copy()
    own, others = np.nonzero(asked)
    rest = np.abs(numbers[own] - made[others])
    found[own, others] = ~(rest > slack[own]).any(axis=1)
    return found


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


def _tells(cells: Floats, formula: Formula, digits: Digits) -> bool:
    """Whether results ``(3, rows)`` are those of their factors, and not if one is another row's."""
    result, first, second = cells
    made = formula.result(first, second)
    known = np.isfinite(made) & np.isfinite(result)
    result, first, second = result[known], first[known], second[known]
    if len(result) < FEWEST_ROWS or not _holds(result, first, second, formula, digits).all():
        return False
    half = len(result) // 2
    of_others = (
        (np.roll(result, half), first, second),  # else what is rounded is 0 as well as 1
        (result, np.roll(first, half), second),
        (result, first, np.roll(second, half)),
    )
    broken = [(~_holds(*cells, formula, digits)).sum() for cells in of_others]
    return bool(min(broken) >= _BY_CHANCE)


def _may_join(found: Sequence[_Named], one: _Named) -> bool:
    """Whether a product is the first of its result and of its columns, and no circle closes."""
    result, factors, _ = one
    is_new = all(
        result != other and {result, *factors} != {other, *others} for other, others, _ in found
    )
    made = {result: factors for result, factors, _ in found}
    return is_new and result not in all_below(factors, made)


def _placed(frame: Table, codecs: Sequence[Codec], found: Sequence[_Named]) -> tuple[Product, ...]:
    """Those of some products that hold in all rows, by the positions of their columns."""
    wanted = sorted({name for result, factors, _ in found for name in (result, *factors)})
    digits, left = digits_in(frame, wanted), list(found)
    for cells in parts_of(frame, wanted) if left else ():
        left = [
            (result, (first, second), formula)
            for result, (first, second), formula in left
            if _holds(cells[result], cells[first], cells[second], formula, digits[result]).all()
        ]
    positions = {codec.column.name: place for place, codec in enumerate(codecs)}
    return tuple(
        Product(
            positions[result],
            (positions[first], positions[second]),
            formula,
            (digits[result], digits[first], digits[second]),
        )
        for result, (first, second), formula in left
    )


def _holds(
    result: Floats, first: Floats, second: Floats, formula: Formula, digits: Digits
) -> Marks:
    """Where a result is that of its factors, or one of the three is missing, or a divisor 0."""
    made = formula.result(first, second)
    rest = np.abs(result - made)
    slack = slack_of(made, None if formula.is_exact else digits)
    return ~(np.isfinite(made) & (rest > slack))
