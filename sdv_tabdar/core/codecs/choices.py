"""Numbers of which a level says which other number they are, in all rows.

A delivery is promised for one of two days, as it is an express one or not; a fee is that of the
channel; a final price is the reduced one where there is one, and else that of the list. No code of
a column can say so, and an echo (:mod:`.echoes`) is that of one other column. Such columns are
found in the training table; drawn rows are made to keep to it (``core/inference/choices.py``). The
level may be whether a number is there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import (
    Table,
    code_parts_of,
    parts_of,
    some_codes,
    some_numbers,
    step_between,
)
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats

_PAIRED = 1_000  # rows of a first look at all pairs of columns, and ...
_LOOKED_AT = 2_500  # ... of one at levels, before all
_MOST_COLUMNS = 200  # of numbers, of which pairs are looked at
_MOST_SOURCES = 12  # of a column, those that it equals most often
_MOST_LEVELS = 64
_DIFFERENT = 16  # numbers that a column has at least in the first look
_LEAST_SHARE = 0.01  # of rows in which it equals a source, and ...
_LESS_BY_CHANCE = 4  # ... so many times more than beside another row's number
_BY_CHANCE = 20  # rows of each source in which another one would be wrong
_SAID = 0.5  # of its rows, of which levels say it at least


@dataclasses.dataclass(frozen=True)
class Choice:
    """A column that is one of others, by a level.

    Attributes:
        result: Its position.
        sources: Those of the others.
        level: That of the column whose level says which.
        picks: For each code of this column the place of the source; -1 where nothing is said.
        is_whole: Whether the result is missing wherever the source is, and nowhere else; else it
            may be missing anywhere.
    """

    result: int
    sources: tuple[int, ...]
    level: int
    picks: tuple[int, ...]
    is_whole: bool

    @property
    def columns(self) -> tuple[int, ...]:
        """The result, the sources and the level, which may be among these."""
        of_numbers = self.result, *self.sources
        return of_numbers if self.level in of_numbers else (*of_numbers, self.level)

    def picked(self, codec: Codec, cells: pd.Series) -> Codes:
        """The places ``(B,)`` of the sources that cells of the level's column say; -1 for none."""
        known = np.ones(len(cells), dtype=bool)
        if codec.column.missing is None:
            known = ~cells.isna().to_numpy()
        found = np.full(len(cells), -1)
        if known.any():
            own = cells[known]
            if isinstance(codec, NumericalCodec):
                own = pd.Series(codec.contained(as_floats(own)), name=cells.name)
            found[known] = np.array(self.picks)[codec.encode(own)[0].astype(np.int64)]
        return found

    def holds(self, result: Floats, source: Floats) -> Marks:
        """Where a result ``(B,)`` is the number of its source, or is missing as it may be."""
        return (result == source) | np.isnan(result) & (np.isnan(source) | (not self.is_whole))

    def written(self, sources: Sequence[str], level: str) -> str:
        """What the result is, by the names of other columns, for a person to read."""
        *firsts, last = map(repr, sources)
        return f'{", ".join(firsts)} or {last}, as {level!r} says'

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        state = dataclasses.asdict(self)
        return {**state, 'sources': list(self.sources), 'picks': list(self.picks)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Choice:
        """The choice that :meth:`to_state` described."""
        lists = {name: tuple(state[name]) for name in ('sources', 'picks')}
        return cls(**{**state, **lists})


@dataclasses.dataclass(frozen=True)
class _Asked:
    """A result and the columns of which it may be a choice, with what rows say of it.

    Attributes:
        result: Its position.
        sources: Those of columns that it may be, without one that it never is.
        level: That of the column that may say which.
        counts: ``(sources, sources, G)``, in how many rows of each group of levels the result is
            the first source and not the second; on the diagonal, in how many it is this one.
        rows: ``(G,)`` in how many it is there.
        others: ``(sources, G)`` in how many of these it is not the source.
        odd: ``(sources, G)`` in how many it is missing and the source is not.
    """

    result: int
    sources: tuple[int, ...]
    level: int
    counts: Codes
    rows: Codes
    others: Codes
    odd: Codes

    @classmethod
    def of(cls, result: int, sources: Sequence[int], level: int, num_groups: int) -> _Asked:
        """One of which nothing is counted yet."""
        size = len(sources)
        counts = np.zeros((size, size, num_groups), dtype=np.int64)
        rows = np.zeros(num_groups, dtype=np.int64)
        others, odd = np.zeros((2, size, num_groups), dtype=np.int64)
        return cls(result, tuple(sources), level, counts, rows, others, odd)

    def look_at(self, own: Floats, others: Floats, groups: Codes) -> None:
        """Count more rows, with sources ``(sources, B)``.

        Infinite numbers are those of which nothing is known, and so are groups of -1.
        """
        seen, size = (groups >= 0) & ~np.isinf(own), len(self.rows)
        own, others, groups = own[seen], others[:, seen], groups[seen]
        same, there = others == own, ~np.isnan(own)
        self.rows[:] += np.bincount(groups[there], minlength=size)
        for first, second in np.ndindex(self.counts.shape[:2]):
            rows = same[first] & (~same[second] | (first == second))
            self.counts[first, second] += np.bincount(groups[rows], minlength=size)
        for place, other in enumerate(others):
            rows = there & ~same[place] & ~np.isinf(other)
            self.others[place] += np.bincount(groups[rows], minlength=size)
            rows = ~there & np.isfinite(other)
            self.odd[place] += np.bincount(groups[rows], minlength=size)

    def picks(self) -> Codes:
        """The place of the source of each group ``(G,)``, of few sources; -1 for none."""
        holds = (self.others == 0) & (np.einsum('ssg->sg', self.counts) > 0)
        found = np.full(len(self.rows), -1)
        while (open_rows := holds * (self.rows * (found < 0))).any():
            place = int(open_rows.sum(axis=1).argmax())
            found[holds[place] & (found < 0)] = place
        return found

    @property
    def size(self) -> tuple[int, int, int]:
        """By which the best of several is first: of most rows, of few sources and groups."""
        picks = self.picks()
        said = int(self.rows[picks >= 0].sum())
        return -said, len({*picks.tolist()} - {-1}), len(self.rows)

    @property
    def is_likely(self) -> bool:
        """Whether levels say most of it, and each source is needed."""
        picks = self.picks()
        used = sorted({*picks.tolist()} - {-1})
        if len(used) < 2 or self.rows[picks >= 0].sum() < _SAID * self.rows.sum():
            return False
        needed = [
            min(self.counts[own, other, picks == own].sum() for other in used if other != own)
            for own in used
        ]
        return min(needed) >= _BY_CHANCE

    def answer(self, groups: Codes) -> Choice:
        """The choice, by the group ``(K,)`` of each code."""
        picks = self.picks()
        used = sorted({*picks.tolist()} - {-1})
        places = {place: number for number, place in enumerate(used)} | {-1: -1}
        odd = sum(int(self.odd[own, picks == own].sum()) for own in used)
        said = tuple(places[pick] for pick in picks[groups].tolist())
        return Choice(
            self.result, tuple(self.sources[place] for place in used), self.level, said, odd == 0
        )


def find_choices(
    frame: Table,
    codecs: Sequence[Codec],
    told: Collection[int] = (),
    replaced: pd.DataFrame | None = None,
) -> tuple[Choice, ...]:
    """The columns of a training table that are one of others, as a level says, in all rows.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        told: Positions of columns that other relations tell.
        replaced: As in ``TabDAR.fit``; such cells say nothing.

    Returns:
        One at most of a result, each behind those of its sources; later columns are results sooner.
    """
    places = [at for at, codec in enumerate(codecs) if isinstance(codec, NumericalCodec)]
    places = places[:_MOST_COLUMNS]
    levels = [at for at, codec in enumerate(codecs) if _num_groups(codec) > 1]
    if len(places) < 3 or not levels:
        return ()
    names = [codecs[at].column.name for at in places]
    step = max(step_between(frame, names), len(frame) // _LOOKED_AT)
    numbers = some_numbers(frame, names, step)
    if replaced is not None:
        numbers[replaced[names].to_numpy(dtype=bool).T[:, ::step]] = np.inf
    candidates = {
        result: sources
        for result, sources in _candidates(places, numbers).items()
        if result not in told
    }
    if not candidates:
        return ()
    coded = some_codes(frame, [codecs[at] for at in levels], step, replaced)
    grouped = [
        _grouped(_groups(codecs[at]), codes) for at, codes in zip(levels, coded, strict=True)
    ]
    rows = dict(zip(places, numbers, strict=True))
    found: dict[int, _Asked] = {}
    made: dict[int, set[int]] = {}
    for result in sorted(candidates, reverse=True):
        sources = [at for at in candidates[result] if result not in all_below([at], made)]
        asked = []
        for level, groups in zip(levels, grouped, strict=True):
            if level != result and len(sources) > 1:
                asked.append(_Asked.of(result, sources, level, _num_groups(codecs[level])))
                asked[-1].look_at(rows[result], np.stack([rows[at] for at in sources]), groups)
        likely = [one for one in asked if one.is_likely]
        if likely:
            found[result] = min(likely, key=lambda one: one.size)
            made[result] = {*sources}
    columns = [(one.result, one.sources, one.level) for one in found.values()]
    return _counted(frame, codecs, columns, replaced)


def kept_choices(
    frame: Table,
    codecs: Sequence[Codec],
    choices: Sequence[Choice],
    replaced: pd.DataFrame | None = None,
) -> tuple[Choice, ...]:
    """Those of some choices that another table has in all rows as well, by its own levels."""
    columns = [(one.result, one.sources, one.level) for one in choices]
    return _counted(frame, codecs, columns, replaced)


def _candidates(places: Sequence[int], numbers: Floats) -> dict[int, list[int]]:
    """The columns that each of some ``(columns, rows)`` equals in a part of its rows.

    None of one that equals another one wherever it is there.
    """
    some = numbers[:, :: max(numbers.shape[1] // _PAIRED, 1)]
    found = {}
    for own, column in enumerate(np.where(np.isfinite(some), some, np.nan)):
        there = column[np.isfinite(column)]
        if len(np.unique(there)) < _DIFFERENT:
            continue
        same = (some == column).sum(axis=1)
        by_chance = (some == np.roll(column, len(column) // 2)).sum(axis=1)
        fewest = np.maximum(_LEAST_SHARE * len(there), _LESS_BY_CHANCE * by_chance)
        often = (same > fewest) & (np.arange(len(some)) != own)
        sources = np.flatnonzero(often)
        sources = sources[np.argsort(-same[sources], kind='stable')][:_MOST_SOURCES]
        if len(sources) > 1 and same[sources].max() < len(there):
            found[places[own]] = [places[at] for at in sorted(sources.tolist())]
    return found


def _counted(
    frame: Table,
    codecs: Sequence[Codec],
    columns: Sequence[tuple[int, tuple[int, ...], int]],
    replaced: pd.DataFrame | None,
) -> tuple[Choice, ...]:
    """Results, sources and levels of which all rows are likely, each behind those it is made of."""
    if not columns:
        return ()
    asked = [
        _Asked.of(result, sources, level, _num_groups(codecs[level]))
        for result, sources, level in columns
    ]
    names = {at: codecs[at].column.name for one in asked for at in (one.result, *one.sources)}
    levels = [codecs[at] for at in sorted({one.level for one in asked})]
    numbers = _number_parts(frame, [*names.values()], replaced)
    for cells, codes in zip(numbers, code_parts_of(frame, levels, replaced), strict=True):
        for one in asked:
            codec = codecs[one.level]
            groups = _grouped(_groups(codec), codes[codec.column.name])
            others = np.stack([cells[names[at]] for at in one.sources])
            one.look_at(cells[names[one.result]], others, groups)
    found = [one.answer(_groups(codecs[one.level])) for one in asked if one.is_likely]
    return tuple(_behind_sources({one.result: one for one in found}))


def _number_parts(
    frame: Table, names: Sequence[str], replaced: pd.DataFrame | None
) -> Iterator[Mapping[str, Floats]]:
    """Numbers of some columns, of some rows after the others; replaced ones are infinite."""
    for part in parts_of(frame, names):
        if replaced is None:
            yield part
        else:
            gone = {name: replaced[name].to_numpy(dtype=bool) for name in names}
            yield {name: np.where(gone[name], np.inf, part[name]) for name in names}


def _behind_sources(choices: Mapping[int, Choice]) -> Iterator[Choice]:
    """Choices by their results, each behind those of its sources."""
    left = dict(sorted(choices.items()))
    while left:
        ready = [one for one in left.values() if left.keys().isdisjoint(one.sources)]
        for one in ready:
            del left[one.result]
        yield from ready


def _groups(codec: Codec) -> Codes:
    """The group ``(K,)`` of each code: each by itself, or of many, whether a cell is there."""
    column = codec.column
    if not column.bins and column.num_codes <= _MOST_LEVELS:
        return np.arange(column.num_codes)
    found = np.zeros(column.num_codes, dtype=np.int64)
    if column.missing is not None:
        found[column.missing] = 1
    return found


def _num_groups(codec: Codec) -> int:
    return int(_groups(codec).max()) + 1


def _grouped(groups: Codes, codes: Codes) -> Codes:
    """The groups ``(B,)`` of codes; -1 of replaced cells."""
    codes = codes.astype(np.int64)
    return np.where(codes >= 0, groups[codes], -1)
