"""Numbers that are the mean, a weighted sum, the greatest or the least of others in all rows.

A grade is two fifths of one exam and three of another, mostly rounded; a best result is the
greatest of three. Columns that are drawn one given the others keep that nearly. Such columns are
found in the training table; drawn rows are made to keep to it (``core/inference/aggregates.py``).
Plain sums are :mod:`.sums`, a share of a single column is a straight line (:mod:`.lines`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.echoes import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.lines import Marks, digits_of, rounded
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.sums import Digits, varies
from sdv_tabdar.core.codecs.values import Floats

_FEWEST_ROWS = 50  # without gaps, and ...
_ROWS_PER_COLUMN = 3  # ... so many; fewer show nothing reliably
_MOST_COLUMNS = 200  # among which they are looked for
_FEWEST_SOURCES, _MOST_SOURCES = 2, 12
_BY_CHANCE = 20  # rows that say so of each source
_RIDGE = 1e-9  # beside correlations of 1, so that columns that follow from others do no harm
_NEARLY = 1e-3  # of a column's size: what is left of it by that
_ALMOST = 0.75  # of a unit, by which a rounded number may be off before weights are round
_MOST_LEFT = 0.02  # of a column's variance: what others may leave of a rounded one
_NEGLIGIBLE = 0.05  # of a unit of a result: what a source changes that is none
_MOST_DENOMINATOR = 12  # of weights that are fractions
_MOST_WEIGHT_DIGITS = 4
_HALF = 0.5 + 1e-6  # of a rounded number's unit, by which it may be off
_REST = 1e-9  # of one that is not rounded: what computing may leave
_NO_DATE = 1e15  # numbers of which a weighted sum is looked for are smaller

KINDS = 'weighted', 'greatest', 'least'

_Named: TypeAlias = 'tuple[str, tuple[str, ...], str, tuple[float, ...], float]'
"""Names of the result and of the sources, the kind, weights and the constant."""

_Weights: TypeAlias = 'tuple[list[int], tuple[float, ...], float]'
"""The places of sources, their weights and the constant."""


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """A column that is made of several others in all rows that have all of them.

    Attributes:
        result: Its position.
        sources: Positions of the others, two at least.
        kind: One of :data:`KINDS`.
        weights: Of the sources, all above 0; none if the kind is not ``'weighted'``.
        constant: What is added to the weighted sum.
        digits: Behind the point, of the result and then of the sources; None where numbers are
            not rounded.
    """

    result: int
    sources: tuple[int, ...]
    kind: str
    weights: tuple[float, ...]
    constant: float
    digits: tuple[Digits, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """The result and then the sources."""
        return self.result, *self.sources

    def exactly(self, numbers: Floats) -> Floats:
        """What sources ``(B, sources)`` make, before it is rounded; NaN where one is missing."""
        if self.kind == 'weighted':
            return numbers @ np.array(self.weights) + self.constant
        found: Floats = numbers.max(axis=1) if self.kind == 'greatest' else numbers.min(axis=1)
        return found

    def of(self, numbers: Floats) -> Floats:
        """What sources ``(B, sources)`` make; NaN where one is missing."""
        return rounded(self.exactly(numbers), self.digits[0])

    def holds(self, result: Floats, numbers: Floats) -> Marks:
        """Where a result ``(B,)`` is what its sources make, or one of the cells is missing."""
        return ~(np.abs(result - self.exactly(numbers)) > self._slack(numbers))

    def _slack(self, numbers: Floats) -> Floats | float:
        """By how much a result may be off, in rows ``(B,)``."""
        if self.kind != 'weighted':
            return 0.0
        size = np.abs(numbers) @ np.array(self.weights) + abs(self.constant)
        digits = self.digits[0]
        return _REST * size + (0.0 if digits is None else _HALF * 10.0**-digits)

    def written(self, names: Sequence[str]) -> str:
        """What the result is of sources of such names, for a person to read."""
        *firsts, last = sources = [repr(name) for name in names]
        if self.kind != 'weighted':
            return f'the {self.kind} of {", ".join(firsts)} and {last}'
        if self.constant == 0 and np.allclose(self.weights, 1 / len(sources), rtol=_REST):
            return f'the mean of {", ".join(firsts)} and {last}'
        terms = [
            f'{weight:.6g} times {name}' for weight, name in zip(self.weights, sources, strict=True)
        ]
        terms += [f'{self.constant:.6g}'] if self.constant else []
        return ' + '.join(terms)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        return {**state, **{name: list(state[name]) for name in ('sources', 'weights', 'digits')}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Aggregate:
        """The aggregate that :meth:`to_state` described."""
        plain = {name: tuple(state[name]) for name in ('sources', 'digits')}
        weights = tuple(map(float, state['weights']))
        return cls(**{**state, **plain, 'weights': weights, 'constant': float(state['constant'])})


def find_aggregates(
    frame: Table, codecs: Sequence[Codec], told: Collection[int]
) -> tuple[Aggregate, ...]:
    """The columns of a training table that are made of several others in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        told: Positions of columns that other relations tell: they are neither results nor sources.

    Returns:
        Each behind those whose results are its sources; none of what follows from itself.
    """
    names = [
        codec.column.name
        for place, codec in enumerate(codecs)
        if isinstance(codec, NumericalCodec) and place not in told
    ][:_MOST_COLUMNS]
    numbers = some_numbers(frame, names) if len(names) > 2 else np.zeros((0, 0))
    chosen = [place for place, column in enumerate(numbers) if varies(column)]
    if len(chosen) < 3:
        return ()
    names, numbers = [names[place] for place in chosen], numbers[chosen]
    named = [*_extremes(names, numbers), *_weighted(names, numbers)]
    return _with_digits(frame, codecs, _in_order(_holding(frame, named)))


def kept_aggregates(
    frame: Table, codecs: Sequence[Codec], aggregates: Sequence[Aggregate]
) -> tuple[Aggregate, ...]:
    """Those that hold in all rows of a table, with its digits."""
    names = [codec.column.name for codec in codecs]
    named: list[_Named] = [
        (
            names[one.result],
            tuple(names[source] for source in one.sources),
            one.kind,
            one.weights,
            one.constant,
        )
        for one in aggregates
    ]
    return _with_digits(frame, codecs, _holding(frame, named))


def _placed(one: _Named, names: Sequence[str], digits: Mapping[str, Digits]) -> Aggregate:
    """What is said by names, by positions."""
    result, sources, kind, weights, constant = one
    places = tuple(names.index(source) for source in sources)
    own = tuple(digits[name] for name in (result, *sources))
    return Aggregate(names.index(result), places, kind, weights, constant, own)


def _with_digits(
    frame: Table, codecs: Sequence[Codec], named: Sequence[_Named]
) -> tuple[Aggregate, ...]:
    names = [codec.column.name for codec in codecs]
    digits = digits_in(frame, sorted({name for one in named for name in (one[0], *one[1])}))
    return tuple(_placed(one, names, digits) for one in named)


def _holding(frame: Table, named: Sequence[_Named]) -> list[_Named]:
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


def _in_order(named: Sequence[_Named]) -> list[_Named]:
    """One for each result, each behind those that make its sources, without circles."""
    first: dict[str, _Named] = {}
    for one in named:
        first.setdefault(one[0], one)
    found: dict[str, _Named] = {}
    while True:
        ready = [
            name
            for name, one in first.items()
            if name not in found and not ({*one[1]} & (first.keys() - found.keys()))
        ]
        if not ready:
            return list(found.values())
        found |= {name: first[name] for name in ready}


def _extremes(names: Sequence[str], numbers: Floats) -> Iterator[_Named]:
    """Columns ``(columns, rows)`` that are the greatest or the least of others."""
    for kind, signed in (('greatest', numbers), ('least', -numbers)):
        for place, own in enumerate(signed):
            below = [
                other
                for other in range(len(names))
                if other != place and not (signed[other] > own).any()
            ]
            below = [other for other in below if _is_below_by_itself(signed[other], own)]
            sources = _covering(own, signed[below])
            if sources:
                yield names[place], tuple(names[below[at]] for at in sources), kind, (), 0.0


def _is_below_by_itself(low: Floats, high: Floats) -> bool:
    """Whether numbers are not above those of their row that are above those of another."""
    return bool((low > np.roll(high, len(high) // 2)).sum() >= _BY_CHANCE)


def _covering(own: Floats, sources: Floats) -> list[int]:
    """Which sources ``(sources, rows)`` are equal to a number in all rows together.

    None of them if a row has none, or if one is hardly needed.
    """
    if len(sources) < 2:
        return []
    with_all = ~(np.isnan(own) | np.isnan(sources).any(axis=0))
    equal, chosen = sources[:, with_all] == own[with_all], list[int]()
    left = np.ones(int(with_all.sum()), dtype=bool)
    while left.any() and len(left) >= _FEWEST_ROWS:
        best = int(equal[:, left].sum(axis=1).argmax())
        if not equal[best, left].any() or len(chosen) == _MOST_SOURCES:
            return []
        chosen.append(best)
        left[equal[best]] = False
    alone = equal[chosen].sum(axis=0) == 1
    is_needed = all((equal[at] & alone).sum() >= _BY_CHANCE for at in chosen)
    return sorted(chosen) if len(chosen) > 1 and is_needed else []


def _weighted(names: Sequence[str], numbers: Floats) -> Iterator[_Named]:
    """Columns ``(columns, rows)`` that are a weighted sum of others, but for rounding."""
    sizes = np.nanmax(np.abs(numbers), axis=1)
    present = (~np.isnan(numbers)).mean(axis=1)
    columns = [place for place in np.argsort(-present).tolist() if sizes[place] < _NO_DATE]
    while columns and _whole_rows(numbers, columns).sum() < _enough(columns):
        columns.pop()
    columns, whole = _varying(sorted(columns), numbers)
    if len(columns) < 3:
        return
    everything = range(len(whole))
    found = {place: _sources(whole, place, everything) for place in _nearly_told(whole)}
    plain = [at for at in everything if found.get(at) is None]
    for place, first in found.items():
        one = first and (_sources(whole, place, plain) or first)  # sooner not of each other
        if one is not None:
            sources, weights, constant = one
            own = tuple(names[columns[at]] for at in sources)
            yield names[columns[place]], own, 'weighted', weights, constant


def _whole_rows(numbers: Floats, columns: Sequence[int]) -> Marks:
    """Which rows have no gap in some columns."""
    return np.asarray(~np.isnan(numbers[[*columns]]).any(axis=0))


def _enough(columns: Sequence[int]) -> int:
    """How many rows show something reliably."""
    return max(_FEWEST_ROWS, _ROWS_PER_COLUMN * len(columns))


def _varying(columns: Sequence[int], numbers: Floats) -> tuple[list[int], Floats]:
    """The columns that vary in rows without gaps, and these, ``(columns, rows)``."""
    if not columns:
        return [], np.zeros((0, 0))
    whole = numbers[np.ix_(np.array(columns), _whole_rows(numbers, columns))]
    kept = whole.std(axis=1) > 0
    return [place for place, is_kept in zip(columns, kept, strict=True) if is_kept], whole[kept]


def _nearly_told(whole: Floats) -> list[int]:
    """Which columns ``(columns, rows)`` others together tell in all rows, nearly, but for rounding.

    By the inverse of their correlations, whose rows are the regressions of each on all others.
    """
    sizes = whole.std(axis=1)
    scaled = (whole - whole.mean(axis=1, keepdims=True)) / sizes[:, None]
    inverse = np.linalg.inv(scaled @ scaled.T / whole.shape[1] + _RIDGE * np.eye(len(whole)))
    rest = np.abs(inverse @ scaled).max(axis=1) / np.diag(inverse)
    units = np.array([0.0 if (one := digits_of(own)) is None else 10.0**-one for own in whole])
    is_told = rest * sizes <= 2 * units + _NEARLY * sizes
    return np.flatnonzero(is_told & (1 / np.diag(inverse) < _MOST_LEFT)).tolist()


def _sources(whole: Floats, place: int, among: Sequence[int]) -> _Weights | None:
    """What makes one of the columns ``(columns, rows)``, of sources among some, as few as can be.

    Each is taken for what is left of the column by those before it; what only stood for others is
    left out again.
    """
    own, digits = whole[place], digits_of(whole[place])
    unit = 0.0 if digits is None else 10.0**-digits
    scaled = whole - whole.mean(axis=1, keepdims=True)
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    chosen, rest, enough = list[int](), own - own.mean(), _ALMOST * unit + _NEARLY * own.std()
    while np.abs(rest).max() > enough:
        others = [at for at in among if at != place and at not in chosen]
        if len(chosen) == _MOST_SOURCES or not others:
            return None
        chosen.append(others[int(np.abs(scaled[others] @ rest).argmax())])
        rest = _left_by(scaled[chosen], own)
    for at in list(chosen):
        fewer = [other for other in chosen if other != at]
        if np.abs(_left_by(scaled[fewer], own)).max() <= enough:
            chosen = fewer
    chosen.sort()
    found = _weights(whole[chosen], own, unit) if len(chosen) >= _FEWEST_SOURCES else None
    return None if found is None else (chosen, *found)


def _left_by(scaled: Floats, own: Floats) -> Floats:
    """What centred columns ``(columns, rows)`` leave of a number ``(rows,)``."""
    centred = own - own.mean()
    weights = np.linalg.lstsq(scaled.T, centred, rcond=1e-10)[0]
    return np.asarray(centred - weights @ scaled)


def _weights(sources: Floats, own: Floats, unit: float) -> tuple[tuple[float, ...], float] | None:
    """The weights, all above 0, by which sources ``(sources, rows)`` make a number, and a constant.

    Args:
        sources: The sources.
        own: The number ``(rows,)``.
        unit: What it is a multiple of; 0 if it is not rounded.
    """
    slack = _HALF * unit + _REST * np.abs(own).max() * len(sources)
    spread = sources.std(axis=1)
    scaled = (sources - sources.mean(axis=1, keepdims=True)) / spread[:, None]
    found = np.linalg.lstsq(scaled.T, own - own.mean(), rcond=1e-10)[0]
    if (found <= _NEGLIGIBLE * unit).any():
        return None
    unsure = 4 * unit / np.sqrt(12 * sources.shape[1]) / spread + 1e-9 * found / spread
    for simple in (_decimal, _fraction, _as_it_is):
        weights = [simple(*pair) for pair in zip((found / spread).tolist(), unsure, strict=True)]
        rest = own - np.array(weights) @ sources
        middle, room = float(rest.min() + rest.max()) / 2, slack - float(np.ptp(rest)) / 2
        if room >= 0 and all(weight > 0 for weight in weights):
            simple_one = _decimal(middle, room)
            return tuple(weights), middle if np.isnan(simple_one) else simple_one
    return None


def _decimal(number: float, unsure: float) -> float:
    """The number of fewest digits within what is unsure; NaN if all have many."""
    rounds = (round(number, digits) + 0.0 for digits in range(_MOST_WEIGHT_DIGITS + 1))
    return next((found for found in rounds if abs(found - number) <= unsure), np.nan)


def _fraction(number: float, unsure: float) -> float:
    """The simplest fraction within what is unsure; NaN if there is none."""
    simple = (round(number * below) / below for below in range(1, _MOST_DENOMINATOR + 1))
    return next((found for found in simple if abs(found - number) <= unsure), np.nan)


def _as_it_is(number: float, unsure: float) -> float:
    return number
