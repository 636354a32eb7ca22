"""Numbers that are another one times a rate, or and an amount, by a level, in all rows.

A tax is a share of the total that the country says, a price is less by the discount in per cent, an
amount in another currency follows from the rate of this currency; a bill has the fee of its plan
beside it, and is due so many days later as its terms say. Such columns are found in the training
table, with the rate or the amount of each level (:mod:`.rate_ends`); drawn rows are made to keep to
it, as they are to products (``core/inference/products.py``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.formulas import Formula
from sdv_tabdar.core.codecs.lines import digits_of
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rate_ends import LEVEL_ROWS, LOOKED_AT, Ends, Pair, may_tell, tells
from sdv_tabdar.core.codecs.sums import Digits, Sum
from sdv_tabdar.core.codecs.table_parts import (
    Table,
    code_parts_of,
    digits_in,
    numbers_of,
    parts_of,
    some_codes,
    some_numbers,
    step_between,
)
from sdv_tabdar.core.codecs.values import Floats

_MOST_COLUMNS = 200  # among which rates are looked for
_MOST_LEVELS = 256
_MOST_ZEROS = 15  # at the end of numbers
_DIFFERENT = 16  # sources in a first look; there are fewer than half as many rates
_MOST_PAIRS = 1_000  # of columns that are looked at in more rows

_Found: TypeAlias = tuple[int, int, int, bool]
"""A result, its source, the level, and whether this says what is added."""


@dataclasses.dataclass(frozen=True)
class Rate:
    """A column that is another one times a rate, or more by an amount, in all rows.

    Attributes:
        result: Its position.
        source: That of the other one.
        level: That of the column whose level says the rate or the amount.
        rates: One for each code of this column; None where no row says it.
        digits: Behind the point, of the result and of the source; None where numbers are not
            rounded.
        adds: Whether these are amounts, to be added to the source.
    """

    result: int
    source: int
    level: int
    rates: tuple[float | None, ...]
    digits: tuple[Digits, Digits]
    adds: bool = False

    @property
    def columns(self) -> tuple[int, int, int]:
        """The result, the source and the level."""
        return self.result, self.source, self.level

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        return {**state, 'rates': list(self.rates), 'digits': list(self.digits)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Rate:
        """The rate that :meth:`to_state` described."""
        own, other = state['digits']
        columns = state['result'], state['source'], state['level']
        return cls(*columns, tuple(state['rates']), (own, other), state.get('adds', False))


def written(source: str, level: str, *, adds: bool) -> str:
    """What a column is that is made of columns of such names, for a person to read."""
    return (
        f'{source!r} and what {level!r} says'
        if adds
        else f'{source!r} times a rate that {level!r} says'
    )


def multiplied(products: Sequence[Product], rates: Sequence[Rate]) -> tuple[Product, ...]:
    """Products and rates, each behind those whose results are factors of it.

    The second factor of a rate is no column: it is -1 for the first one, -2 for the next.
    """
    rated = [
        Product(
            one.result,
            (one.source, -1 - place),
            Formula('sum' if one.adds else 'product'),
            (*one.digits, None),
        )
        for place, one in enumerate(rates)
    ]
    by_result = {one.result: one for one in (*products, *rated)}
    made = {result: one.factors for result, one in by_result.items()}
    return tuple(by_result[result] for result in behind_factors(made))


def behind_factors(made: Mapping[int, Collection[int]]) -> list[int]:
    """Columns that are made of others, each behind those it is made of; none of a circle."""
    found: list[int] = []
    left = set(made)
    while ready := [column for column in made if column in left and left.isdisjoint(made[column])]:
        found += ready
        left.difference_update(ready)
    return found


def without_circles(
    frame: Table, codecs: Sequence[Codec], products: Sequence[Product], rates: Sequence[Rate]
) -> tuple[tuple[Product, ...], tuple[Rate, ...]]:
    """Products and rates of which none follows from itself by way of others.

    Of those in a circle the one goes whose result has the roundest numbers, or the fewest: a salary
    in hundreds is what a bonus was made of.
    """
    made = {one.result: {*one.factors} for one in products}
    made.update((one.result, {one.source}) for one in rates)
    while circle := [own for own in made if own in all_below(made[own], made)]:
        numbers = some_numbers(frame, [codecs[own].column.name for own in circle])
        roundness = [_roundness(column[~np.isnan(column)]) for column in numbers]
        del made[circle[max(range(len(circle)), key=roundness.__getitem__)]]
    return (
        tuple(one for one in products if one.result in made),
        tuple(one for one in rates if one.result in made),
    )


def _roundness(present: Floats) -> tuple[int, int]:
    """How many powers of ten all numbers are multiples of, and how few they are."""
    digits = digits_of(present)
    power = -_MOST_ZEROS if digits is None else -digits
    while power < _MOST_ZEROS and digits == 0 and not (present % 10.0 ** (power + 1)).any():
        power += 1
    return power, -len(np.unique(present))


def rates_of(rate: Rate, codec: Codec, cells: pd.Series) -> Floats:
    """The rates ``(B,)`` that cells of the level's column say; NaN for none.

    Args:
        rate: The rate.
        codec: Of that column.
        cells: As decoded.
    """
    levels = codec.atoms.tolist() if isinstance(codec, NumericalCodec) else codec.levels
    said = dict(zip(levels, rate.rates, strict=False))
    missing = codec.column.missing
    none = np.nan if missing is None else rate.rates[missing]
    numbers = [
        none if is_gap else said.get(cell) for cell, is_gap in zip(cells, cells.isna(), strict=True)
    ]
    return np.array(numbers, dtype=np.float64)


def find_rates(
    frame: Table,
    codecs: Sequence[Codec],
    products: Sequence[Product] = (),
    sums: Sequence[Sum] = (),
    replaced: pd.DataFrame | None = None,
    told: Collection[frozenset[int]] = (),
    results: Collection[int] | None = None,
) -> tuple[Rate, ...]:
    """The columns that are others times the rate of a level, or more by its amount, in all rows.

    Args:
        frame: The table.
        codecs: One for each column.
        products: Columns that follow from two others.
        sums: Columns that follow from several others.
        replaced: As in ``TabDAR.fit``.
        told: Sets of columns of which something else is known: rates among them only seem so.
        results: Which columns may be results; None for all.

    Returns:
        One at most of a result, which is not that of a product and not the total of a sum.
    """
    places = [place for place, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    places = places[:_MOST_COLUMNS]
    levels = [place for place in range(len(codecs)) if _has_levels(codecs[place], len(frame))]
    if len(places) < 2 or not levels:
        return ()
    names = [codecs[place].column.name for place in places]
    step = step_between(frame, names)
    numbers = some_numbers(numbers_of(frame, names, replaced), names)
    codes = np.stack(some_codes(frame, [codecs[place] for place in levels], step, replaced))
    made = {one.result: {*one.factors} for one in products}
    made.update((one.total, {*one.parts}) for one in sums if one.total is not None)
    taken = {*made}
    found: list[_Found] = []
    digits = [digits_of(own) for own in numbers]
    pairs = [(adds, pair) for adds in (False, True) for pair in _pairs(numbers, digits, adds)]
    for adds, (first, second) in pairs:
        result, source = places[first], places[second]
        is_new = result not in taken and (results is None or result in results)
        if not is_new or result in all_below([source], made):
            continue
        pair = Pair(numbers[first], numbers[second], digits[first], adds, digits[second])
        for place in np.flatnonzero(may_tell(pair, codes)).tolist():
            level = levels[place]
            own = {result, source, level}
            is_open = level not in (result, source) and not any(own <= one for one in told)
            if is_open and tells(pair, codes[place]):
                found.append((result, source, level, adds))
                taken.add(result)
                made[result] = {source}
                break
    return _with_rates(frame, codecs, found, replaced)


def kept_rates(
    frame: Table,
    codecs: Sequence[Codec],
    rates: Sequence[Rate],
    replaced: pd.DataFrame | None = None,
) -> tuple[Rate, ...]:
    """Those of some rates that another table has in all rows as well, by its own levels."""
    return _with_rates(frame, codecs, [(*one.columns, one.adds) for one in rates], replaced)


def _has_levels(codec: Codec, num_rows: int) -> bool:
    column = codec.column
    few = 2 <= column.num_codes <= min(_MOST_LEVELS, num_rows // LEVEL_ROWS)
    return few and not column.bins


def _pairs(numbers: Floats, digits: Sequence[Digits], adds: bool) -> list[tuple[int, int]]:
    """Results and sources among ``(columns, rows)`` of few ratios, or differences.

    Earlier sources come first, but numbers that are not rounded are sources of others last: where
    both tell each other, the rounded ones recur, which what is made of others does not.
    """
    changing = [varies(own) for own in numbers]
    found = []
    for first in np.flatnonzero(changing).tolist():
        size = np.where(np.isfinite(numbers[first]), np.abs(numbers[first]), -1)
        larger = size.argsort()[len(size) // 2 :]
        rows = larger[:: max(len(larger) // LOOKED_AT, 1)]
        ratios, slack = Pair(numbers[first, rows], numbers[:, rows], digits[first], adds).rates
        order = ratios.argsort(axis=1)
        ratios, slack = (np.take_along_axis(own, order, axis=1) for own in (ratios, slack))
        steps = np.diff(ratios, axis=1) > slack[:, 1:] + slack[:, :-1]
        distinct = (np.diff(np.sort(numbers[:, rows], axis=1), axis=1) > 0).sum(axis=1)
        few = changing & (distinct >= _DIFFERENT) & (steps.sum(axis=1) < distinct / 2)
        few &= np.isfinite(ratios).sum(axis=1) >= len(rows) // 2
        found += [(first, second) for second in np.flatnonzero(few).tolist()]

    def late(pair: tuple[int, int]) -> tuple[bool, bool, tuple[int, int]]:
        own, source = (digits[place] for place in pair)
        return own is not None and source is None, pair[1] > pair[0], pair

    return sorted(found, key=late)[:_MOST_PAIRS]


def _with_rates(
    frame: Table,
    codecs: Sequence[Codec],
    found: Sequence[_Found],
    replaced: pd.DataFrame | None,
) -> tuple[Rate, ...]:
    """Results, sources and levels whose rates hold in all rows, with these."""
    if not found:
        return ()
    names = {place: codecs[place].column.name for one in found for place in one[:3]}
    numbers = sorted({names[place] for one in found for place in one[:2]})
    seen = numbers_of(frame, numbers, replaced)
    digits = digits_in(seen, numbers)
    ends = [Ends.of_levels(codecs[level].column.num_codes) for *_, level, _ in found]
    levels = [codecs[level] for level in sorted({level for *_, level, _ in found})]
    of_levels = code_parts_of(frame, levels, replaced)
    for cells, codes in zip(parts_of(seen, numbers), of_levels, strict=True):
        for one, own in zip(found, ends, strict=True):
            result, source, level = (names[place] for place in one[:3])
            pair = Pair(cells[result], cells[source], digits[result], one[3], digits[source])
            own.add(pair, codes[level].astype(np.int64))
    return tuple(
        Rate(*one[:3], own.rates(), (digits[names[one[0]]], digits[names[one[1]]]), one[3])
        for one, own in zip(found, ends, strict=True)
        if own.are_possible
    )
