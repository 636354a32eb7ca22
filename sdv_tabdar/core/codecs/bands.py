"""Levels that follow from the range that a number is in, in all rows, found before training.

An income has its bracket, a score its grade, a bill above a thousand its flag. The bins of a
number do not end where its ranges do, so that drawn rows keep that nearly; they are made to keep to
it (``core/inference/bands.py``). Where a number has no bins, it is a level that another follows
from (:mod:`.dependencies`). The number may be the difference of two columns: what was delivered
after the day that was promised is late, and who has more goals has won (:mod:`.comparisons`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.calendars import are_dates, steps_in
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import MOST_DIGITS, Marks, finest, rounded, to_steps
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.sums import Digits
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
from sdv_tabdar.core.codecs.values import Codes, Floats

_FEWEST_ROWS = 50  # with both
_RANGE_ROWS = 5  # of training in each range; fewer would say what single people have
_BY_CHANCE = 20  # rows that would have another level if they were those of other numbers
_MOST_CODES, _MOST_RANGES = 50, 20
_MOST_SOURCES = 100  # columns whose ranges are looked for

Sources = tuple[int, ...]
"""The position of a column of numbers, or those of two whose difference the numbers are."""


@dataclasses.dataclass(frozen=True)
class Band:
    """A column of levels that says in which range of another column a number is.

    Attributes:
        position: Its position.
        sources: That of the numbers; or of two columns, and the numbers are the first less the
            second one.
        edges: The least number of each range but the first, sorted.
        codes: The code of each range.
        digits: Behind the point, of the numbers; None where they are not rounded.
        units: Of two columns, what the numbers of each are multiples of; 0 where they are not
            rounded.
    """

    position: int
    sources: Sources
    edges: tuple[float, ...]
    codes: tuple[int, ...]
    digits: Digits
    units: tuple[float, ...] = ()

    def numbers(self, column: Callable[[int], Floats]) -> Floats:
        """The numbers ``(B,)``, from those of columns by their positions."""
        if not self.units:
            return column(self.sources[0])
        pairs = zip(self.sources, self.units, strict=True)
        return difference([in_units(column(at), unit) for at, unit in pairs], self.digits)

    def wanted(self, numbers: Floats) -> Codes:
        """The codes ``(B,)`` that follow from numbers; -1 where one is missing."""
        ranges = np.searchsorted(self.edges, rounded(numbers, self.digits), side='right')
        return np.where(np.isnan(numbers), -1, np.array(self.codes)[ranges])

    def moved(self, numbers: Floats, codes: Codes, limits: tuple[float, float]) -> Floats:
        """Numbers ``(B,)`` as far inside the nearest range of their code as they were outside.

        So nothing gathers at an edge, of which training seldom shows on which side it is.

        Args:
            numbers: The numbers; what is in a range of its code stays.
            codes: ``(B,)``.
            limits: Between which all are.

        Returns:
            NaN where no range has the code.
        """
        found, least = np.full(len(numbers), np.nan), np.full(len(numbers), np.inf)
        lows, highs = (limits[0], *self.edges), (*map(self._before, self.edges), limits[1])
        for low, high, code in zip(lows, highs, self.codes, strict=True):
            ends = numbers.clip(low, high)
            far = np.abs(numbers - ends)
            inside = np.mod(far, high - low) if high > low else 0.0
            is_better = (codes == code) & (far < least)
            found = np.where(is_better, ends + np.sign(ends - numbers) * inside, found)
            least = np.where(is_better, far, least)
        return rounded(found, self.digits)

    def _before(self, edge: float) -> float:
        """The number before the first one of a range."""
        if self.digits is None:
            return float(np.nextafter(edge, -np.inf))
        return float(rounded(np.array(edge - 10.0**-self.digits), self.digits))

    @property
    def is_at_zero(self) -> bool:
        """Whether a range of differences begins with 0, or with all that is more."""
        return any(0 <= edge <= _least(self.digits, self.units) for edge in self.edges)

    def written(self, *sources: str) -> str:
        """What the column follows from, for a person to read."""
        return f'ranges of {" less ".join(map(repr, sources))}'

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        del state['sources']
        places = {'source': self.sources[0], 'less': [*self.sources[1:]]}
        lists = {name: list(state[name]) for name in ('edges', 'codes', 'units')}
        return {**state, **places, **lists}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Band:
        """The band that :meth:`to_state` described; former versions knew no differences."""
        sources, digits = (state['source'], *state.get('less', ())), state['digits']
        edges, units = (tuple(map(float, state.get(name, ()))) for name in ('edges', 'units'))
        return cls(state['position'], sources, edges, tuple(state['codes']), digits, units)


def in_units(numbers: Floats, unit: float) -> Floats:
    """The nearest multiples ``(B,)`` of a unit, which is whole or has digits; all, if it is 0."""
    if unit >= 1:
        return to_steps(numbers, unit)
    return rounded(numbers, round(-np.log10(unit))) if unit else numbers


def difference(numbers: Sequence[Floats], digits: Digits = None) -> Floats:
    """The first of one or two arrays ``(B,)``, less the second, with so many digits."""
    return numbers[0] if len(numbers) == 1 else rounded(numbers[0] - numbers[1], digits)


def find_bands(
    frame: Table,
    codecs: Sequence[Codec],
    others: Collection[tuple[int, int]] = (),
    told: Collection[int] = (),
    replaced: pd.DataFrame | None = None,
) -> tuple[Band, ...]:
    """The levels of a training table that follow from a number's range in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        others: Positions of pairs of which another relation says the same.
        told: Those of numbers that others tell: sooner of what they are told by.
        replaced: As in ``TabDAR.fit``; such cells say nothing.

    Returns:
        One at most of a column: of several numbers that say it, of few ranges.
    """
    sources = [at for at, codec in enumerate(codecs) if _has_bins(codec)][:_MOST_SOURCES]
    levels = [at for at, codec in enumerate(codecs) if has_levels(codec)]
    pairs = {(position, source) for position in levels for source in sources} - {*others}
    found = bands_among(frame, codecs, {(own, (source,)) for own, source in pairs}, replaced)
    return one_of_each(found, lambda one: (one.sources[0] in told, len(one.codes), one.sources))


def one_of_each(bands: Sequence[Band], rank: Callable[[Band], tuple[Any, ...]]) -> tuple[Band, ...]:
    """Of each column of levels the band of the lowest rank."""
    found = dict[int, Band]()
    for one in sorted(bands, key=rank):
        found.setdefault(one.position, one)
    return tuple(found.values())


def kept_bands(
    frame: Table,
    codecs: Sequence[Codec],
    bands: Sequence[Band],
    replaced: pd.DataFrame | None = None,
) -> tuple[Band, ...]:
    """Those of some bands that hold in all rows of a table, by its own codes."""
    pairs = {
        (one.position, one.sources)
        for one in bands
        if has_levels(codecs[one.position]) and _have_numbers([codecs[at] for at in one.sources])
    }
    return tuple(bands_among(frame, codecs, pairs, replaced))


@dataclasses.dataclass
class _Ranges:
    """A column of levels that may say in which range of another a number is.

    Attributes:
        position: Its position.
        sources: That, or those, of the numbers.
        codes: ``(R,)``, of each range.
        lows: ``(R,)``, its least number in some rows, and in those that were looked at.
        highs: ``(R,)``, its greatest.
        rows: ``(R,)``, how many rows were looked at.
        holds: Whether all of these are in a range of their code.
    """

    position: int
    sources: Sources
    codes: Codes
    lows: Floats
    highs: Floats
    rows: Codes
    holds: bool = True

    def look_at(self, numbers: Floats, codes: Codes) -> None:
        """See more rows ``(B,)``; a number between two ranges is in that of its code."""
        place = (np.searchsorted(self.lows, numbers, side='right') - 1).clip(min=0)
        after = (place + 1).clip(max=len(self.codes) - 1)
        is_next = (numbers > self.highs[place]) & (self.codes[place] != codes)
        place = np.where(is_next, after, place)
        self.holds &= bool((self.codes[place] == codes).all())
        np.minimum.at(self.lows, place, numbers)
        np.maximum.at(self.highs, place, numbers)
        np.add.at(self.rows, place, 1)

    @property
    def are_apart(self) -> bool:
        """Whether each range ends before the next one begins."""
        return bool((self.highs[:-1] < self.lows[1:]).all())

    def answer(self, digits: Digits, units: tuple[float, ...]) -> Band | None:
        """The band, if it holds and says something."""
        if not self.holds or not self.are_apart or self.rows.min() < _RANGE_ROWS:
            return None
        between = zip(self.highs[:-1].tolist(), self.lows[1:].tolist(), strict=True)
        edges = tuple(_edge(*ends, digits, units) for ends in between)
        codes = tuple(self.codes.tolist())
        return Band(self.position, self.sources, edges, codes, digits, units)


def _ranges(position: int, sources: Sources, numbers: Floats, codes: Codes) -> Iterator[_Ranges]:
    """The ranges of numbers ``(B,)`` with the same code, if they are few."""
    if len(codes) < _FEWEST_ROWS:
        return
    if _by_chance(np.bincount(codes)) < _BY_CHANCE:
        return
    order = np.lexsort((codes, numbers))
    sorted_codes, sorted_numbers = codes[order], numbers[order]
    starts = np.flatnonzero(np.diff(sorted_codes, prepend=-1))
    if not 2 <= len(starts) <= _MOST_RANGES:
        return
    lows, ends = sorted_numbers[starts], np.append(starts[1:], len(codes)) - 1
    highs, rows = sorted_numbers[ends], np.zeros(len(starts), dtype=np.int64)
    found = _Ranges(position, sources, sorted_codes[starts], lows, highs, rows)
    if found.are_apart:  # which more rows bring only closer to each other
        yield found


def bands_among(
    frame: Table,
    codecs: Sequence[Codec],
    pairs: Collection[tuple[int, Sources]],
    replaced: pd.DataFrame | None,
) -> list[Band]:
    """Those of pairs of a column of levels and one or two of numbers that are bands."""
    if not pairs:
        return []
    levels = sorted({position for position, _ in pairs})
    places = sorted({at for _, sources in pairs for at in sources})
    names = [codecs[at].column.name for at in places]
    numbers = some_numbers(numbers_of(frame, names, replaced), names)
    step = step_between(frame, names)
    coded = some_codes(frame, [codecs[at] for at in levels], step, replaced)
    asked = list[_Ranges]()
    for position, sources in sorted(pairs):
        own = difference([numbers[places.index(at)] for at in sources])
        codes = coded[levels.index(position)]
        present = ~np.isnan(own) & there(codecs[position], codes)
        asked += _ranges(position, sources, own[present], codes[present])
    return _holding(frame, codecs, asked, replaced)


def _holding(
    frame: Table, codecs: Sequence[Codec], asked: Sequence[_Ranges], replaced: pd.DataFrame | None
) -> list[Band]:
    """Those of what is asked that hold in all rows."""
    if not asked:
        return []
    names = {at: codecs[at].column.name for one in asked for at in (one.position, *one.sources)}
    sources = sorted({names[at] for one in asked for at in one.sources})
    levels = [codecs[at] for at in sorted({one.position for one in asked})]
    coded = code_parts_of(frame, levels, replaced)
    seen = numbers_of(frame, sources, replaced)
    digits = digits_in(seen, sources)
    of_each = [finest([digits[names[at]] for at in one.sources]) for one in asked]
    units = {name: 0.0 if behind is None else 10.0**-behind for name, behind in digits.items()}
    compared = {at for one in asked for at in one.sources if len(one.sources) > 1}
    units |= steps_in(seen, sorted(names[at] for at in compared if are_dates(codecs[at])))
    for numbers, codes in zip(parts_of(seen, sources), coded, strict=True):
        for one, behind in zip(asked, of_each, strict=True):
            own = difference([numbers[names[at]] for at in one.sources], behind)
            cells = codes[names[one.position]].astype(np.int64)
            rows = ~np.isnan(own) & there(codecs[one.position], cells)
            one.look_at(own[rows], cells[rows])
    found = []
    for one, behind in zip(asked, of_each, strict=True):
        of_two = [units[names[at]] for at in one.sources] if len(one.sources) > 1 else []
        found.append(one.answer(behind, tuple(of_two)))
    return [one for one in found if one is not None]


def there(codec: Codec, codes: Codes) -> Marks:
    """Which codes ``(B,)`` are not those of missing or replaced cells."""
    missing = -1 if codec.column.missing is None else codec.column.missing
    return (codes >= 0) & (codes != missing)


def _has_bins(codec: Codec) -> bool:
    return isinstance(codec, NumericalCodec) and bool(codec.column.bins)


def _have_numbers(codecs: Sequence[Codec]) -> bool:
    """Whether a band of the columns may be kept: by bins, or as a difference."""
    if len(codecs) == 1:
        return _has_bins(codecs[0])
    return all(isinstance(codec, NumericalCodec) for codec in codecs)


def has_levels(codec: Codec) -> bool:
    """Whether a column is one of levels that may be those of ranges: few, and not all the same."""
    if codec.column.bins or not 2 <= codec.column.num_codes <= _MOST_CODES:
        return False
    counts = np.array(codec.column.counts)
    return _by_chance(counts[there(codec, np.arange(len(counts)))]) >= _BY_CHANCE


def _by_chance(counts: Codes) -> float:
    """In how many rows, of so many ``(K,)`` with each code, another row's code would be another.

    It is never more in some of the rows.
    """
    total = max(int(counts.sum()), 1)
    return float((counts * (total - counts)).sum() / total)


def _edge(low: float, high: float, digits: Digits, units: tuple[float, ...]) -> float:
    """Where a range begins, above the last number before it and up to its first one.

    Where columns that are equal are the last before it, all that are more are likely to be in it.
    """
    return min(_least(digits, units), high) if units and low == 0 else _roundest(low, high)


def _least(digits: Digits, units: tuple[float, ...]) -> float:
    """The least difference above 0 of two columns with such units."""
    if digits is None:
        return float(np.nextafter(0, np.inf))
    return max(10.0**-digits, *units) if len(set(units)) == 1 else 10.0**-digits


def _roundest(low: float, high: float) -> float:
    """The number of fewest digits above one and up to another."""
    for digits in range(-15, MOST_DIGITS + 1):
        found = float(np.floor(high * 10.0**digits) / 10.0**digits)
        if low < found <= high:
            return found
    return high
