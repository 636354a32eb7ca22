"""Numbers that are a mean, a weighted sum or an extreme of others, or a curve of one, in all rows.

A grade is two fifths of one exam and three of another (:mod:`.weighted`), a best result is the
greatest of three (:mod:`.extremes`), and beside a price stands its logarithm (:mod:`.curves`),
mostly rounded. So is an age the years between two dates, and the end of a contract so many months
after it began (:mod:`.dated`). Columns that are drawn one given the others keep that nearly. Such
columns are found in the training table; drawn rows are made to keep to it
(``core/inference/aggregates.py``). Plain sums are :mod:`.sums`, straight lines :mod:`.lines`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sdv_tabdar.core.codecs.balances import balances_in
from sdv_tabdar.core.codecs.calendars import are_dates, steps_in
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.curves import CURVES, curve_slack, curves_among, value
from sdv_tabdar.core.codecs.dated import Named, dated_among, dates_of
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.extremes import EXTREMES, extremes_among
from sdv_tabdar.core.codecs.lines import HALF, REST, SINGLE, Marks, rounded, slack_of, to_steps
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.rests import Rest
from sdv_tabdar.core.codecs.spans import SPANS, span_of, written_span
from sdv_tabdar.core.codecs.sums import Digits, Sum
from sdv_tabdar.core.codecs.table_parts import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.terms import TERMS, later, written_term
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.codecs.weighted import shares_among, weighted_sums
from sdv_tabdar.core.codecs.years import YEAR_LESS, year_of

_LOOKED_AT = 2_500  # rows, at least if there are so many, before all
_MOST_COLUMNS = 200  # among which they are looked for

KINDS = 'weighted', YEAR_LESS, *EXTREMES, *CURVES, *SPANS, *TERMS
"""What a column is of others; curves are of one, spans of two dates or one, terms of one."""


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """A column that is made of others in all rows that have all of them.

    Attributes:
        result: Its position.
        sources: Positions of the others, one of a curve and of an extreme two at least; of a span
            the first date and the last, or one of them if the other is a fixed day; of a term the
            date before it, and the months or years if a column says these; of a year less another
            number the date and that one.
        kind: One of :data:`KINDS`.
        weights: Of the sources, if the kind is ``'weighted'``; of a term the months or years, if no
            column says these; else none.
        constant: What is added to the weighted sum; of a span the fixed day, and of a term what is
            added to the date, in nanoseconds.
        digits: Behind the point, of the result and then of the sources; None where numbers are
            not rounded.
        is_loose: Whether the sources of a weighted sum were rounded after it was made of them, so
            that it is nearly so in the last digit.
        steps: What the dates among the sources of a span, of a term and of a year less a number
            are multiples of, in nanoseconds; drawn ones are rounded to it.
    """

    result: int
    sources: tuple[int, ...]
    kind: str
    weights: tuple[float, ...]
    constant: float
    digits: tuple[Digits, ...]
    is_loose: bool = False
    steps: tuple[float, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The result and then the sources."""
        return self.result, *self.sources

    def exactly(self, numbers: Floats) -> Floats:
        """What sources ``(B, sources)`` make, before it is rounded; NaN where one is missing."""
        if self.kind == 'weighted':
            return numbers @ np.array(self.weights) + self.constant
        if self.kind in CURVES:
            return value(self.kind, numbers[:, 0])
        if self.kind in SPANS:
            return span_of(self.kind, numbers, self.constant)
        if self.kind == YEAR_LESS:
            return year_of(numbers[:, 0]) - numbers[:, 1]
        if self.kind in TERMS:
            return later(self.kind, numbers[:, 0], self.many(numbers), self.constant)
        found: Floats = numbers.max(axis=1) if self.kind == 'greatest' else numbers.min(axis=1)
        return found

    def many(self, numbers: Floats) -> Floats:
        """How many months or years a term has by its sources ``(B, sources)``."""
        return numbers[:, 1] if len(self.sources) > 1 else np.full(len(numbers), self.weights[0])

    def of(self, numbers: Floats) -> Floats:
        """What sources ``(B, sources)`` make; NaN where one is missing."""
        return rounded(self.exactly(numbers), self.digits[0])

    def holds(self, result: Floats, numbers: Floats) -> Marks:
        """Where a result ``(B,)`` is what its sources make, or one of the cells is missing."""
        made = self.exactly(numbers)
        is_in_part = self.kind in SPANS and SPANS[self.kind].unit is not None
        if self.kind != 'weighted' and self.kind not in CURVES and not is_in_part:
            return ~(np.abs(result - made) > 0)
        digits, size = self.digits[0], np.abs(np.nan_to_num(made, posinf=0.0, neginf=0.0))
        if self.kind == 'weighted':
            size = np.abs(numbers) @ np.abs(self.weights) + abs(self.constant)
            slack = slack_of(size, digits, noise=REST) + self._by_sources
        elif is_in_part:
            slack = slack_of(size, digits, noise=REST)
        else:
            slack = curve_slack(np.maximum(size, CURVES[self.kind].least_size), digits)
        is_off = np.abs(result - made) > slack
        return ~is_off & ~(np.isnan(made) & ~np.isnan(numbers).any(axis=1) & ~np.isnan(result))

    def rounded(self, place: int, numbers: Floats) -> Floats:
        """Numbers ``(B,)`` as those of the result (place 0) or of a source (1, 2, ...) are."""
        if 0 < place <= len(self.steps):
            return to_steps(numbers, self.steps[place - 1])
        return rounded(numbers, self.digits[place])

    @property
    def _by_sources(self) -> float:
        """By how much the rounding of its sources may have changed a result."""
        if not self.is_loose:
            return 0.0
        units = [0.0 if one is None else 10.0**-one for one in self.digits[1:]]
        return float(HALF * (np.abs(self.weights) @ np.array(units)))

    def written(self, names: Sequence[str]) -> str:
        """What the result is of sources of such names, for a person to read."""
        *firsts, last = sources = [repr(name) for name in names]
        if self.kind in CURVES:
            return f'{CURVES[self.kind].words} {last}'
        if self.kind in SPANS:
            return written_span(self.kind, sources, self.constant)
        if self.kind == YEAR_LESS:
            return f'the year of {firsts[0]} less {last}'
        if self.kind in TERMS:
            return written_term(self.kind, sources, self.weights, self.constant)
        if self.kind in EXTREMES:
            return f'the {self.kind} of {", ".join(firsts)} and {last}'
        listed = f'{", ".join(firsts)} and {last}' if firsts else last
        if self.constant == 0 and np.allclose(self.weights, 1 / len(sources), rtol=SINGLE):
            return f'the mean of {listed}' if firsts else last
        if self.is_loose and {*self.weights} == {-1.0}:
            return f'{self.constant:.6g} less {listed}'
        if self.is_loose and {*self.weights} == {1.0} and self.constant == 0:
            return f'the sum of {listed}'
        return _written_terms(sources, self.weights, self.constant)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        listed = 'sources', 'weights', 'digits', 'steps'
        return {**state, **{name: list(state[name]) for name in listed}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Aggregate:
        """The aggregate that :meth:`to_state` described."""
        plain: dict[str, Any] = {name: tuple(state[name]) for name in ('sources', 'digits')}
        plain |= {name: tuple(map(float, state.get(name, ()))) for name in ('weights', 'steps')}
        return cls(**{**state, **plain, 'constant': float(state['constant'])})


def find_aggregates(
    frame: Table,
    codecs: Sequence[Codec],
    told: Collection[int],
    sums: Sequence[Sum] = (),
    echoes: Sequence[Echo] = (),
    rests: Sequence[Rest] = (),
) -> tuple[Aggregate, ...]:
    """The columns of a training table that are made of several others in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        told: Positions of columns that other relations tell: they are no results, and sources
            of curves, spans and balances alone.
        sums: Those of the table, from which balances may follow.
        echoes: Likewise.
        rests: Those that are told as what is left of a total; they come first.

    Returns:
        Each behind those whose results are its sources; none of what follows from itself.
    """
    places = [at for at, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    places = places[:_MOST_COLUMNS]
    names = [codecs[at].column.name for at in places]
    numbers = some_numbers(frame, names) if len(names) > 1 else np.zeros((0, 0))
    numbers = numbers[:, :: max(1, numbers.shape[1] // _LOOKED_AT)].copy()
    chosen = [index for index, column in enumerate(numbers) if varies(column)]
    if len(chosen) < 2:
        return ()
    told = {*told, *(one.own for one in rests)}
    free = [index for index in chosen if places[index] not in told]
    dates = [index for index in chosen if are_dates(codecs[places[index]])]
    of_curves = [*free, *(index for index in chosen if places[index] in told)]
    named = [*dated_among(names, numbers, free, dates, chosen)]
    named += _curves([names[index] for index in of_curves], numbers[of_curves], len(free))
    lines = {one.position for one in echoes if one.always}
    left = [index for index in chosen if index not in free and places[index] not in lines]
    totals = {names[index]: numbers[index] for index in left}
    names, numbers = [names[index] for index in free], numbers[free]
    for own, extremes, kind in extremes_among(numbers):
        named.append((names[own], tuple(names[at] for at in extremes), kind, (), 0.0, False))
    named += _weighted(names, numbers)
    named += _shares(names, numbers, totals, {own for own, *_ in named})
    balances = _balances(frame, codecs, told, [*sums, *(one.summed for one in rests)], echoes)
    named = [*_rests(codecs, rests), *named, *balances]
    return _in_order(_with_digits(frame, codecs, _holding(frame, named)))


def kept_aggregates(
    frame: Table, codecs: Sequence[Codec], aggregates: Sequence[Aggregate]
) -> tuple[Aggregate, ...]:
    """Those that hold in all rows of a table, with its digits."""
    names = [codec.column.name for codec in codecs]
    named: list[Named] = [
        (
            names[one.result],
            tuple(names[source] for source in one.sources),
            one.kind,
            one.weights,
            one.constant,
            one.is_loose,
        )
        for one in aggregates
    ]
    return _with_digits(frame, codecs, _holding(frame, named))


def _placed(
    one: Named,
    names: Sequence[str],
    digits: Mapping[str, Digits],
    steps: Mapping[str, float] | None = None,
) -> Aggregate:
    """What is said by names, by positions."""
    result, sources, kind, weights, constant, is_loose = one
    places = tuple(names.index(source) for source in sources)
    own = tuple(digits[name] for name in (result, *sources))
    of_dates = tuple(steps[name] for name in dates_of(kind, sources)) if steps else ()
    return Aggregate(names.index(result), places, kind, weights, constant, own, is_loose, of_dates)


def _with_digits(
    frame: Table, codecs: Sequence[Codec], named: Sequence[Named]
) -> tuple[Aggregate, ...]:
    names = [codec.column.name for codec in codecs]
    digits = digits_in(frame, sorted({name for one in named for name in (one[0], *one[1])}))
    steps = steps_in(frame, sorted({name for one in named for name in dates_of(one[2], one[1])}))
    return tuple(_placed(one, names, digits, steps) for one in named)


def _holding(frame: Table, named: Sequence[Named]) -> list[Named]:
    """Those that hold in all rows of a table that have all of their cells."""
    left = list(named)
    names = sorted({name for one in left for name in (one[0], *one[1])})
    digits = digits_in(frame, names)
    for cells in parts_of(frame, names) if left else ():
        held = [_placed(one, names, digits) for one in left]
        left = [
            one
            for one, placed in zip(left, held, strict=True)
            if placed.holds(cells[one[0]], np.stack([cells[name] for name in one[1]], axis=1)).all()
        ]
    return left


def _in_order(aggregates: Sequence[Aggregate]) -> tuple[Aggregate, ...]:
    """One for each result, each behind those that make its sources, without circles.

    Of two that tell each other the one of fewer digits is the source, or the one that steps less.
    """
    left: dict[int, Aggregate] = {}
    for one in aggregates:
        left.setdefault(one.result, one)
    found = list[Aggregate]()
    while left:
        ready = [one for one in left.values() if not {*one.sources} & left.keys()]
        gone = ready or [min(reversed(left.values()), key=_fineness)]
        for one in gone:
            del left[one.result]
        found += ready
    return tuple(found)


def _fineness(one: Aggregate) -> tuple[float, float]:
    digits = one.digits[0]
    return np.inf if digits is None else digits, sum(one.weights)


def _curves(names: Sequence[str], numbers: Floats, num_free: int) -> Iterator[Named]:
    """Columns ``(columns, rows)``, of the first ones, that are a curve of another."""
    for own, other, name in curves_among(numbers, num_free):
        yield names[own], (names[other],), name, (), 0.0, False


def _weighted(names: Sequence[str], numbers: Floats) -> Iterator[Named]:
    """Columns ``(columns, rows)`` that are a weighted sum of others."""
    for own, (sources, weights, constant, is_loose) in weighted_sums(numbers):
        chosen = tuple(names[at] for at in sources)
        yield names[own], chosen, 'weighted', weights, constant, is_loose


def _shares(
    names: Sequence[str], numbers: Floats, told: Mapping[str, Floats], made: Collection[str]
) -> Iterator[Named]:
    """Columns ``(columns, rows)`` that are so much of one that something else tells: a total."""
    left = [at for at, name in enumerate(names) if name not in made]
    others = [*told]
    if left and others:
        totals = np.stack([told[name] for name in others])
        for own, at, weight, constant in shares_among(numbers[left], totals):
            yield names[left[own]], (others[at],), 'weighted', (weight,), constant, False


def _rests(codecs: Sequence[Codec], rests: Sequence[Rest]) -> Iterator[Named]:
    """Columns that are what is left of another one."""
    for one in rests:
        total, other = (codecs[at].column.name for at in one.sources)
        own = codecs[one.own].column.name
        yield own, (total, other), 'weighted', (1.0, -1.0), 0.0, False


def _balances(
    frame: Table,
    codecs: Sequence[Codec],
    told: Collection[int],
    sums: Sequence[Sum],
    echoes: Sequence[Echo],
) -> Iterator[Named]:
    """Columns that others, some of them less, make in all rows."""
    every = [codec.column.name for codec in codecs]
    places = [at for at, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    names = [every[at] for at in places[:_MOST_COLUMNS]]
    known = [one.named(every) for one in sums]
    lines = [(every[one.position], every[one.source], one.line) for one in echoes if one.always]
    free = {every[at] for at in places if at not in told}
    for own, sources, weights in balances_in(frame, names, known, lines, free):
        yield own, sources, 'weighted', weights, 0.0, False


def _written_terms(sources: Sequence[str], weights: Sequence[float], constant: float) -> str:
    """A weighted sum, what is taken from it behind what it is made of."""
    signed = sorted(zip(weights, sources, strict=True), key=lambda one: one[0] < 0)
    terms = [
        (weight < 0, name if abs(weight) == 1 else f'{abs(weight):.6g} times {name}')
        for weight, name in signed
    ]
    terms += [(constant < 0, f'{abs(constant):.6g}')] if constant else []
    words = ''.join(f' {"-" if is_less else "+"} {term}' for is_less, term in terms)
    return words.removeprefix(' + ')
