"""Columns that are the year, the month, the weekday or the hour of a date in all rows.

A table with a date often has its parts as columns of their own, in numbers or in words, or what
follows from them: a season, a weekend, the shift of an hour. No distribution over a column's own
values can say so. Such columns are found in the training table; drawn rows are made to keep to it
(``core/inference/calendars.py``). Dates are nanoseconds since 1970; a missing cell says nothing.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import Marks, to_steps
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import Table, code_parts_of, numbers_of, parts_of
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats

DAY, HOUR, MINUTE = 8.64e13, 3.6e12, 6e10
"""Nanoseconds."""

_LEAST_SPAN = 2 * HOUR  # between the ends of a column of dates
_STEPS = DAY, HOUR, MINUTE, 1e9, 1e6, 1e3  # of which dates may be multiples
_MOST_DATES = 16  # columns whose parts are looked for
_MOST_NUMBER = 10_000  # of a column with bins
_MOST_KEYS = 400  # of a part
_KEY_ROWS = 3  # of training for each; fewer would say what single people have
_RUNNING = {'year', 'month', 'day', 'week', 'day of the year', 'hour', 'minute'}  # without holes
_NONE = -2  # the code of a cell that follows from no part: a fraction, or below 0
_BY_CHANCE = 20  # rows that would contradict others if dates were those of other rows

PARTS: dict[str, Callable[[pd.DatetimeIndex], Any]] = {
    'quarter': lambda dates: dates.quarter,
    'weekday': lambda dates: dates.weekday,
    'month': lambda dates: dates.month,
    'day': lambda dates: dates.day,
    'year': lambda dates: dates.year,
    'week': lambda dates: dates.isocalendar().week,
    'month and day': lambda dates: dates.month * 100 + dates.day,
    'day of the year': lambda dates: dates.dayofyear,
    'quarter of its year': lambda dates: dates.year * 4 + dates.quarter,
    'month of its year': lambda dates: dates.year * 12 + dates.month,
    'hour': lambda dates: dates.hour,
    'minute': lambda dates: dates.minute,
}
"""Whole numbers that parts of dates are, by their names."""

OF_CLOCK = 'hour', 'minute'
"""Those that every day has."""

BROAD = {'year', 'quarter', 'quarter of its year', 'month', 'month of its year', 'week', 'hour'}
"""Those that many days, or minutes, on end have."""


@dataclasses.dataclass(frozen=True)
class CalendarPart:
    """A column that follows from a part of a date in all rows that have the date.

    Attributes:
        position: Its position.
        source: That of the date.
        part: Which part.
        step: What the dates are multiples of, in nanoseconds; drawn ones are rounded to it.
        keys: What the part is in training rows, sorted.
        codes: What the column has with each of these, see :func:`part_codes`.
    """

    position: int
    source: int
    part: str
    step: float
    keys: tuple[int, ...]
    codes: tuple[int, ...]

    @property
    def sources(self) -> tuple[int]:
        """The date's position, as of other levels that numbers tell."""
        return (self.source,)

    @property
    def columns(self) -> tuple[int, int]:
        """Its position and that of the date."""
        return self.position, self.source

    def numbers(self, column: Callable[[int], Floats]) -> Floats:
        """The dates ``(B,)``, from the numbers of columns by their positions."""
        return column(self.source)

    def wanted(self, dates: Floats) -> Codes:
        """The codes ``(B,)`` that follow from dates; -1 where none does."""
        keys, is_there = _keys(self.part, self.rounded(dates))
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        is_known = is_there & (np.array(self.keys)[places] == keys)
        return np.where(is_known, np.array(self.codes)[places], -1)

    def rounded(self, dates: Floats) -> Floats:
        """The nearest multiples of the step."""
        return to_steps(dates, self.step)

    def written(self, *sources: str) -> str:
        """What the column follows from, for a person to read."""
        return f'the {self.part} of {sources[0]!r}'

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        return {**state, 'keys': list(self.keys), 'codes': list(self.codes)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> CalendarPart:
        """The part that :meth:`to_state` described."""
        return cls(**{**state, 'keys': tuple(state['keys']), 'codes': tuple(state['codes'])})


def part_codes(codec: Codec, cells: pd.Series) -> Codes:
    """What the cells ``(B,)`` of a column that follows from a date are.

    Of a column with bins the nearest whole number, otherwise the code; -1 where it is missing.
    """
    if not codec.column.bins:
        codes = codec.encode(cells)[0].astype(np.int64)
        return _without_missing(codec, codes)
    numbers = np.rint(as_floats(cells))
    return np.where(numbers >= 0, numbers, -1.0).astype(np.int64)


def part_cells(codec: Codec, codes: Codes) -> npt.NDArray[Any]:
    """The cells ``(B,)`` of which :func:`part_codes` are the codes."""
    if codec.column.bins:
        return codes.astype(np.float64)
    zeros = np.zeros(len(codes))
    return codec.decode(codes, zeros, zeros)


def find_calendar_parts(
    frame: Table, codecs: Sequence[Codec], replaced: pd.DataFrame | None = None
) -> tuple[CalendarPart, ...]:
    """The columns of a training table that follow from a part of a date in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        replaced: As in ``TabDAR.fit``; such cells say nothing.

    Returns:
        One at most of a column: of several parts that say it, the one of fewest.
    """
    sources = [place for place, codec in enumerate(codecs) if are_dates(codec)][:_MOST_DATES]
    others = [place for place, codec in enumerate(codecs) if _may_be_part(codec)]
    asked = [
        _Asked(place, source, part) for source in sources for place in others for part in PARTS
    ]
    found: dict[int, CalendarPart] = {}
    for one in _holding(frame, codecs, asked, replaced):
        if one.position not in found or len(one.keys) < len(found[one.position].keys):
            found[one.position] = one
    return tuple(found.values())


def kept_calendar_parts(
    frame: Table,
    codecs: Sequence[Codec],
    parts: Sequence[CalendarPart],
    replaced: pd.DataFrame | None = None,
) -> tuple[CalendarPart, ...]:
    """Those of some parts that hold in all rows of a table, with its codes."""
    asked = [_Asked(one.position, one.source, one.part) for one in parts]
    return _holding(frame, codecs, asked, replaced)


@dataclasses.dataclass
class _Asked:
    """A column that may follow from a part of a date.

    Attributes:
        position: Its position.
        source: That of the date.
        part: Which part.
        said: The code with each key so far.
        num_rows: Rows with each code.
        holds: Whether none contradicts another.
    """

    position: int
    source: int
    part: str
    said: dict[int, int] = dataclasses.field(default_factory=dict)
    num_rows: collections.Counter[int] = dataclasses.field(default_factory=collections.Counter)
    holds: bool = True

    def look_at(self, keys: Codes, codes: Codes) -> None:
        """See more rows: their parts and codes ``(B,)``."""
        if not len(keys):
            return
        distinct, first, places = np.unique(keys, return_index=True, return_inverse=True)
        own = codes[first]
        self.holds &= bool((own[places] == codes).all())
        for key, code in zip(distinct.tolist(), own.tolist(), strict=True) if self.holds else ():
            self.holds &= self.said.setdefault(key, code) == code
        counts = np.bincount(places)
        for code in np.unique(own).tolist():
            self.num_rows[code] += int(counts[own == code].sum())

    def answer(self, step: float, codec: Codec) -> CalendarPart | None:
        """The part, if it holds and says something of the column of a codec."""
        total = self.num_rows.total()
        if not self.holds or not 0 < len(self.said) <= min(_MOST_KEYS, total):
            return None
        said, share_repeated = self._running(codec), 1.0
        if said is None:
            said, share_repeated = self.said, 1 - len(self.said) / total  # that could contradict
            if len(said) > total // _KEY_ROWS:
                return None
        others = sum(number * (total - number) for number in self.num_rows.values()) / total
        if others * share_repeated < _BY_CHANCE:
            return None
        keys, codes = zip(*sorted(said.items()), strict=True)
        return CalendarPart(self.position, self.source, self.part, step, keys, codes)

    def _running(self, codec: Codec) -> dict[int, int] | None:
        """The code with each key where the column is the part itself; None if it is not.

        Each row says so by itself. In a column with bins it holds of years between those that
        training has, too.
        """
        keys, codes = (np.array(list(own)) for own in (self.said, self.said.values()))
        cells = pd.to_numeric(pd.Series(part_cells(codec, codes)), errors='coerce')
        if self.part not in _RUNNING or not (cells.to_numpy() == keys).all():
            return None
        if not codec.column.bins or np.ptp(keys) >= _MOST_KEYS:
            return self.said
        return {key: key for key in range(int(keys.min()), int(keys.max()) + 1)}


def _holding(
    frame: Table, codecs: Sequence[Codec], asked: Sequence[_Asked], replaced: pd.DataFrame | None
) -> tuple[CalendarPart, ...]:
    """Those of what is asked that hold in all rows."""
    sources = {one.source for one in asked}
    steps = dict.fromkeys(sources, _STEPS[0])
    for numbers, codes in _parts(frame, codecs, asked, replaced) if asked else ():
        for source in sources:
            steps[source] = min(steps[source], step_of(numbers[source]))
            for part, group in _by_part([one for one in asked if one.source == source]):
                keys, is_there = _keys(part, numbers[source])
                for one in group:
                    one.holds &= _NONE not in codes[one.position]
                    rows = is_there & (codes[one.position] >= 0)
                    one.look_at(keys[rows], codes[one.position][rows])
    found = [one.answer(steps[one.source], codecs[one.position]) for one in asked]
    return tuple(one for one in found if one is not None)


def _parts(
    frame: Table, codecs: Sequence[Codec], asked: Sequence[_Asked], replaced: pd.DataFrame | None
) -> Iterator[tuple[dict[int, Floats], dict[int, Codes]]]:
    """The dates, and the codes of what may follow from them, of some rows after the others."""
    sources = {one.source for one in asked}
    others = {one.position for one in asked}
    whole = {position for position in others if codecs[position].column.bins}
    names = {place: codecs[place].column.name for place in sources | others}
    plain = [codecs[position] for position in sorted(others - whole)]
    wanted = [names[place] for place in sorted(sources | whole)]
    numbers = parts_of(numbers_of(frame, wanted, replaced), wanted)
    coded = code_parts_of(frame, plain, replaced) if plain else itertools.repeat({})
    for own, levels in zip(numbers, coded, strict=False):
        cells = {place: own[names[place]] for place in sources | whole}
        codes = {
            place: _without_missing(codecs[place], levels[names[place]].astype(np.int64))
            for place in others - whole
        }
        codes |= {place: _whole_numbers(codecs[place], cells[place]) for place in whole}
        yield {source: cells[source] for source in sources}, codes


def _by_part(asked: Sequence[_Asked]) -> Iterator[tuple[str, list[_Asked]]]:
    """Those that may still hold, by their parts."""
    for part in PARTS:
        group = [one for one in asked if one.part == part and one.holds]
        if group:
            yield part, group


def are_dates(codec: Codec) -> bool:
    """Whether numbers may be nanoseconds of dates that differ: no others are so large."""
    if not isinstance(codec, NumericalCodec):
        return False
    low, high = codec.limits
    return high - low >= _LEAST_SPAN and max(-low, high) < float(np.iinfo(np.int64).max)


def _may_be_part(codec: Codec) -> bool:
    if are_dates(codec):  # which lie on a straight line with others
        return False
    if isinstance(codec, NumericalCodec) and codec.column.bins:
        low, high = codec.limits
        return low >= 0 and high <= _MOST_NUMBER
    return 2 <= codec.column.num_codes <= _MOST_KEYS and not codec.column.bins


def _without_missing(codec: Codec, codes: Codes) -> Codes:
    return (
        codes
        if codec.column.missing is None
        else np.where(codes == codec.column.missing, -1, codes)
    )


def _whole_numbers(codec: Codec, numbers: Floats) -> Codes:
    """The codes ``(B,)`` of numbers; :data:`_NONE` where there is a number and it is not whole."""
    codes = part_codes(codec, pd.Series(numbers))
    return np.where(np.isnan(numbers) | (codes == numbers), codes, _NONE)


def step_of(dates: Floats) -> float:
    """The largest step of which all dates are multiples, within what float64 holds of them."""
    present = dates[np.isfinite(dates)]
    return next((step for step in _STEPS if (to_steps(present, step) == present).all()), 1.0)


def steps_in(frame: Table, names: Sequence[str]) -> dict[str, float]:
    """The largest steps of which the dates of some columns are multiples in all rows."""
    steps = dict.fromkeys(names, DAY)
    for cells in parts_of(frame, names) if names else ():
        for name in names:
            steps[name] = min(steps[name], step_of(cells[name]))
    return steps


def _keys(part: str, dates: Floats) -> tuple[Codes, Marks]:
    """The part of each date ``(B,)``, 0 for none, and where there is one."""
    found, is_there = np.zeros(len(dates), dtype=np.int64), np.isfinite(dates)
    is_there &= np.abs(dates) < float(np.iinfo(np.int64).max)
    index = pd.DatetimeIndex(dates[is_there].astype(np.int64).view('datetime64[ns]'))
    found[is_there] = np.asarray(PARTS[part](index), dtype=np.int64)
    return found, is_there
