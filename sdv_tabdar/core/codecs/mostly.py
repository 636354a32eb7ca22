"""Sums and products that hold in most rows, but not in all: found before training.

Of invoices most are right, and in some a discount was left out or a digit mistyped. What a relation
of all rows is found by fails there. So the same searches look at small samples of rows, of which
one is likely to have no such row in it, and what they find is counted in the whole table. Others
hold in all rows of a level, as those who have paid a loan have paid all of its rates, and in none
else: so samples of single levels are looked at as well.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.equations import comparable_groups
from sdv_tabdar.core.codecs.formulas import Formula
from sdv_tabdar.core.codecs.lines import SINGLE, Marks, digits_of, slack_of
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import Product, find_products, has_numbers
from sdv_tabdar.core.codecs.single_levels import (
    codes_of,
    has_few,
    rows_of_holding_levels,
    rows_of_levels,
)
from sdv_tabdar.core.codecs.sums import EXACT_REST, Digits, Sum, adds_up, find_sums
from sdv_tabdar.core.codecs.sums import written as written_sum
from sdv_tabdar.core.codecs.table_parts import (
    Table,
    digits_in,
    parts_of,
    some_numbers,
    step_between,
)
from sdv_tabdar.core.codecs.values import Codes, Floats

_LEAST_SHARE = 0.8  # of the rows, or of a level, in which a relation holds
_FEWEST_ROWS = 100  # with all of its numbers
_MOST_COLUMNS = 60  # of numbers, among which they are looked for
_MOST = 4  # of such relations; rows are settled for each set of them that holds
# Rows of a sample, and how many samples: one has no exception if 98 of 100 rows are none. What is
# made of two columns is counted in a sample, so that there may be more exceptions.
_SAMPLE, _SAMPLES = 64, 16
_LEVEL_SAMPLES = 8  # of single levels, at most
# Of the rows, in which a relation must not hold if one number is another row's: of all, of a level.
_BROKEN, _LEVEL_BROKEN = 0.5, 0.2
_MIXED = 0.8  # ... of a sample, in which it still may, as chance has it
_MOST_LEVELS = 50  # of a column that says how often a relation holds
_EVIDENCE = 14.0  # nats by which it has to say it, beside what its levels cost

_FORMULAS = Formula('sum'), Formula('product'), Formula('quotient')
_KEPT_AS = {'sum': 'sums', 'product': 'products', 'quotient': 'products'}

Relation = Sum | Product


@dataclasses.dataclass(frozen=True)
class Mostly:
    """A sum or a product that holds in most training rows, or in most of a level.

    Attributes:
        relation: Which.
        shares: In which share of the rows it holds, for each code of ``level``; one where no column
            says it.
        level: The position of the column that says how often it holds.
    """

    relation: Relation
    shares: tuple[float, ...]
    level: int | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The positions of the result and of what it is made of."""
        return self.relation.columns

    @property
    def result(self) -> int:
        """The column that the others make."""
        return self.columns[0]

    def written(self, others: Sequence[str]) -> str:
        """What the result is, with the names of what makes it, and how often, for a person."""
        one = self.relation
        formula = written_sum(others) if isinstance(one, Sum) else one.written(others)
        low, high = (f'{100 * end:.3g}' for end in (min(self.shares), max(self.shares)))
        return f'{formula} in {low if low == high else f"{low} to {high}"} % of the rows'

    def probabilities(self, codes: Codes) -> Floats:
        """How likely it holds in rows ``(B,)``, by their codes of the column that says it."""
        shares = np.array(self.shares)
        return np.full(len(codes), shares[0]) if self.level is None else shares[codes]

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        is_sum, state = isinstance(self.relation, Sum), self.relation.to_state()
        return {
            'sum': state if is_sum else None,
            'product': None if is_sum else state,
            'shares': list(self.shares),
            'level': self.level,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Mostly:
        """What :meth:`to_state` described."""
        is_sum = state['sum'] is not None
        relation: Relation = (
            Sum.from_state(state['sum']) if is_sum else Product.from_state(state['product'])
        )
        return cls(relation, tuple(state['shares']), state['level'])


def find_mostly(
    frame: Table,
    codecs: Sequence[Codec],
    kept: Collection[str],
    exact: Sequence[Relation],
    told: Collection[int],
    sources: Mapping[int, Collection[int]],
) -> tuple[Mostly, ...]:
    """The columns of a training table that most rows make of others.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        kept: Which relations are kept, see ``ModelConfig.kept_relations``.
        exact: Sums and products that hold in all rows.
        told: Positions of columns that others say in all rows.
        sources: What other relations of all rows make columns of: nothing follows from itself.

    Returns:
        Those that hold most often first; one at most of a result.
    """
    counted: dict[frozenset[int], _Counted] = {}
    for one in _candidates(frame, codecs, kept, exact):
        held = None if one.columns[0] in told else _counted(frame, codecs, one)
        if held is not None and held.share < 1:
            same = frozenset(one.columns)
            # Of what holds of the same columns the most exact one, from which the others follow.
            counted[same] = min(counted.get(same, held), held, key=lambda each: each.slack)
    made = {**sources, **{one.columns[0]: one.columns[1:] for one in exact}}
    found: list[Mostly] = []
    for held in sorted(counted.values(), key=lambda each: (-each.share, each.relation.columns)):
        result, *others = held.relation.columns
        if len(found) < _MOST and result not in made and result not in all_below(others, made):
            made[result] = others
            found.append(_by_level(frame, codecs, held))
    return tuple(found)


def kept_mostly(
    frame: Table, codecs: Sequence[Codec], mostly: Sequence[Mostly]
) -> tuple[Mostly, ...]:
    """Those of some such relations that most rows of another table keep, as often as these do."""
    found = []
    for one in mostly:
        names = [codecs[place].column.name for place in one.relation.columns]
        relation = _with_digits(one.relation, codecs, digits_in(frame, names))
        held = _counted(frame, codecs, relation)
        if held is not None:
            found.append(_by_level(frame, codecs, held))
    return tuple(found)


def _candidates(
    frame: Table, codecs: Sequence[Codec], kept: Collection[str], exact: Sequence[Relation]
) -> Iterator[Relation]:
    """Relations that hold in all rows of some sample, each once, with the digits of the table."""
    places = [place for place, codec in enumerate(codecs) if has_numbers(codec)]
    told, seen = {frozenset(one.columns) for one in exact}, set[Any]()
    if not (2 < len(places) <= _MOST_COLUMNS and {'sums', 'products'} & {*kept}):
        return
    names = [codecs[place].column.name for place in places]
    numbers, digits = some_numbers(frame, names), digits_in(frame, names)
    levels = [*rows_of_levels(frame, codecs, step_between(frame, names))]
    for group in comparable_groups(numbers):
        own = [codecs[places[at]] for at in group]
        whole = np.asarray(np.isfinite(numbers[group]).all(axis=0))
        for number, rows in enumerate(_samples(whole, levels)):
            cells = numbers[group][:, rows]
            sample = pd.DataFrame(dict(zip(_names(own), cells, strict=True)))
            found = [*_holding_in(sample, own, kept)]
            if not number:
                found += _of_three(cells, own, kept)
            for one in found:
                placed = _moved(one, [places[at] for at in group])
                kind = placed.columns, None if isinstance(placed, Sum) else placed.formula
                if frozenset(placed.columns) not in told and kind not in seen:
                    seen.add(kind)
                    yield _with_digits(placed, codecs, digits)


def _samples(whole: Marks, levels: Sequence[Marks]) -> Iterator[Codes]:
    """Places of some rows without gaps, of all rows and then of single levels."""
    random, chosen = np.random.default_rng(0), np.flatnonzero(whole)
    if len(chosen) < _FEWEST_ROWS:
        return
    for _ in range(_SAMPLES):
        yield random.choice(chosen, _SAMPLE, replace=False)
    for rows in levels[:_LEVEL_SAMPLES]:
        own = np.flatnonzero(whole & rows)
        if _FEWEST_ROWS <= len(own) < len(chosen):
            yield random.choice(own, _SAMPLE, replace=False)


def _names(codecs: Sequence[Codec]) -> list[str]:
    return [codec.column.name for codec in codecs]


def _holding_in(
    sample: pd.DataFrame, codecs: Sequence[Codec], kept: Collection[str]
) -> Iterator[Relation]:
    """Sums of columns and products that hold in all rows of a sample."""
    sums = find_sums(sample, codecs) if 'sums' in kept else ()
    yield from (one for one in sums if one.total is not None)
    if 'products' in kept:
        yield from find_products(sample, codecs, sums)


def _of_three(cells: Floats, codecs: Sequence[Codec], kept: Collection[str]) -> Iterator[Relation]:
    """Sums of two columns, products and quotients in most rows of ``(columns, rows)``."""
    may_add = [isinstance(codec, NumericalCodec) for codec in codecs]
    digits, others = [digits_of(own) for own in cells], np.roll(cells, _SAMPLE // 2, axis=1)
    slack = np.stack([slack_of(own, places) for own, places in zip(cells, digits, strict=True)])
    for formula in [one for one in _FORMULAS if _KEPT_AS[one.name] in kept]:
        for first, second in itertools.permutations(range(len(cells)), 2):
            if second < first and formula.name != 'quotient':
                continue
            made = formula.result(cells[first], cells[second])
            with np.errstate(all='ignore'):  # of the largest numbers
                share = (np.abs(cells - made) <= slack).mean(axis=1)
                mixed = (np.abs(others - made) <= slack).mean(axis=1)
            for result in np.flatnonzero((share >= _LEAST_SHARE) & (mixed < _MIXED)).tolist():
                columns = result, first, second
                if len({*columns}) < len(columns):
                    continue
                if formula.name != 'sum':
                    yield Product(result, (first, second), formula, (0, 0, 0))
                elif all(may_add[place] for place in columns):
                    yield Sum(result, (first, second), (0, 0, 0))


def _moved(one: Relation, places: Sequence[int]) -> Relation:
    """A relation of some of all columns, whose positions are ``places``."""
    if isinstance(one, Sum):
        assert one.total is not None
        parts = tuple(places[part] for part in one.parts)
        return dataclasses.replace(one, total=places[one.total], parts=parts)
    first, second = one.factors
    factors = places[first], places[second]
    return dataclasses.replace(one, result=places[one.result], factors=factors)


def _with_digits(one: Relation, codecs: Sequence[Codec], digits: Mapping[str, Digits]) -> Relation:
    """A relation with the digits that its columns have in a table, by their names."""
    names = [codecs[place].column.name for place in one.columns]
    if isinstance(one, Sum):
        return dataclasses.replace(one, digits=tuple(digits[name] for name in names))
    own, first, second = (digits[name] for name in names)
    return dataclasses.replace(one, digits=(own, first, second))


@dataclasses.dataclass(frozen=True)
class _Counted:
    """In which rows of a table a relation holds.

    Attributes:
        relation: Which.
        held: ``(rows,)``, 1 or 0; NaN where a number is missing.
        slack: By what part of the result it may be off, half of a unit of its last digit.
    """

    relation: Relation
    held: Floats
    slack: float

    @property
    def share(self) -> float:
        """In which share of the rows that have all numbers."""
        return float(np.nanmean(self.held))


def _counted(frame: Table, codecs: Sequence[Codec], one: Relation) -> _Counted | None:
    """In which rows a relation holds; None if in few, or in many of mixed rows as well.

    Of a level that it holds in nearly always, mixed rows of the level.
    """
    names = [codecs[place].column.name for place in one.columns]
    parts = list(parts_of(frame, names))
    cells = np.stack([np.concatenate([part[name] for part in parts]) for name in names])
    with np.errstate(all='ignore'):  # of the largest numbers and of divisors of 0
        known = np.isfinite(cells).all(axis=0)
        if isinstance(one, Product):
            known &= np.isfinite(one.of(cells[1], cells[2]))
        holds = _holds(one, cells)
        of_level = known & rows_of_holding_levels(frame, codecs, one.columns, holds & known, known)
        if not (
            _is_shown(one, cells[:, known], _BROKEN)
            or _is_shown(one, cells[:, of_level], _LEVEL_BROKEN)
        ):
            return None
        result = cells[0, known]
        slack = float(np.median(slack_of(result, one.digits[0]) / np.abs(result)))
    return _Counted(one, np.where(known, holds, np.nan), slack)


def _is_shown(one: Relation, cells: Floats, least: float) -> bool:
    """Whether a relation holds in most of ``(columns, rows)``, and not where rows are mixed."""
    if cells.shape[1] < _FEWEST_ROWS or _holds(one, cells).mean() < _LEAST_SHARE:
        return False
    for place in range(len(cells)):
        others = cells.copy()
        others[place] = np.roll(cells[place], cells.shape[1] // 2)
        if (~_holds(one, others)).mean() < least:
            return False
    return True


def _holds(one: Relation, cells: Floats) -> Marks:
    """In which rows of ``(columns, rows)`` a relation holds, or a cell is missing."""
    if isinstance(one, Sum):
        return adds_up(cells[0], cells[1:].T, SINGLE if one.is_single else EXACT_REST)
    return one.holds(cells[0], cells[1], cells[2])


def _by_level(frame: Table, codecs: Sequence[Codec], counted: _Counted) -> Mostly:
    """The relation with its shares, by the levels of the column that says most of them."""
    one, share, known = counted.relation, counted.share, ~np.isnan(counted.held)
    held = counted.held[known]
    best, gain = Mostly(one, (share,)), 0.0
    for place, codec in enumerate(codecs):
        size = codec.column.num_codes
        is_few = has_few(codec) or (
            isinstance(codec, CategoricalCodec) and 1 < size <= _MOST_LEVELS
        )
        if not is_few or place in one.columns:
            continue
        codes = codes_of(frame, codec)[known]
        counts = np.bincount(codes, minlength=size)
        holding: Floats = np.bincount(codes, held, minlength=size).astype(np.float64)
        shares = (holding + share) / (counts + 1)
        told = _log_likelihood(holding, counts, shares) - _log_likelihood(holding, counts, share)
        told -= _EVIDENCE + (size - 1) * math.log(len(codes)) / 2
        if told > gain:
            best, gain = Mostly(one, tuple(shares.tolist()), place), told
    return best


def _log_likelihood(holding: Floats, counts: Codes, shares: Floats | float) -> float:
    """Of so many rows of some that hold, in nats."""
    shares = np.clip(shares, 1e-9, 1 - 1e-9)
    return float((holding * np.log(shares) + (counts - holding) * np.log1p(-shares)).sum())
