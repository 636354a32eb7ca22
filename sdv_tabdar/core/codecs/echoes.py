"""Numbers that follow from another column's in their row: echoes, found before training.

Some people pay exactly their bill; of a single value the least, the mean and the greatest are the
same; two shares add up to one; what is due is due in thirty days. No distribution over a column's
own values can say so. A column of numbers whose training rows often hold the number of an earlier
column, or what one straight line makes of it, therefore has one code more, the last one, which
stands for *the number there*. Atoms are left out, as they come back exactly by themselves, but
where a column follows in all rows: there it is all that there is to say. And but where there are
many of them that are the source's number far more often than the one beside it: the day of an
order that, where there was none, is the day of leaving would else be learnt day by day.

Of two columns the later one follows from the earlier, but where only the other way round is right:
of prices in whole cents not every one is 1.19 times another, so that a net price must not follow
from a gross one that was drawn by itself, and a greatest value in whole numbers not from a mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.lines import LEAST, Line, Marks, digits_of, lines_through
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.shared_atoms import (
    BY_CHANCE,
    MANY,
    MIN_COUNT,
    MIN_SHARE,
    Ranked,
    shared_atoms,
)
from sdv_tabdar.core.codecs.table_parts import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.schema import Column

_AS_OFTEN = 0.99  # both columns have atoms of their own, which are left out

_Found: TypeAlias = tuple[int, int, Line, tuple[float, ...]]
"""In how many rows a column follows which other one, how, and with which of its atoms."""


@dataclasses.dataclass(frozen=True)
class Echo:
    """A column with a code for the number of another column.

    Attributes:
        position: The column.
        source: The other column, which does not follow from this one.
        line: What is made of its number.
        counts: How often each code of the column occurs in the training table, its echo last.
        always: Whether the column follows in all training rows that have both numbers.
        atoms: Those atoms of the column that follow as its other numbers do; where it always
            follows, all do.
    """

    position: int
    source: int
    line: Line
    counts: tuple[int, ...] = ()
    always: bool = False
    atoms: tuple[float, ...] = ()

    @property
    def code(self) -> int:
        """The code that stands for the number of the source."""
        return len(self.counts) - 1

    def column(self, own: Column) -> Column:
        """The codes of the column, ``own`` with the echo behind them."""
        uniform = (*own.uniform, (0.0, 1.0))
        return dataclasses.replace(own, counts=self.counts, uniform=uniform, echo=self.code)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        line = self.line.to_state()
        state = {'position': self.position, 'source': self.source, 'line': line}
        return {
            **state,
            'counts': list(self.counts),
            'always': self.always,
            'atoms': list(self.atoms),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Echo:
        """The echo that :meth:`to_state` described."""
        line = Line(**state['line'])
        counts, always = tuple(state['counts']), state.get('always', False)
        atoms = tuple(state.get('atoms', ()))
        return cls(state['position'], state['source'], line, counts, always, atoms)


def find_echoes(
    frame: Table, codecs: Sequence[Codec], seen: Table | None = None
) -> tuple[Echo, ...]:
    """The columns of a training table that often follow from the number of another one.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.
        seen: As in :func:`counted_echoes`.

    Returns:
        In the order of the columns, but each behind its source, which is the earlier column that it
        follows most often, or a later one where only this way is right.
    """
    positions = [place for place, codec in enumerate(codecs) if can_echo(codec)]
    completed = _completions(frame, codecs, [at for at in positions if codecs[at].column.bins])
    parts = {echo.source for echo in completed}
    numbers = some_numbers(frame, [codecs[place].column.name for place in positions])
    with np.errstate(all='ignore'):  # of the largest numbers and of missing ones
        atoms = [_atoms(codecs[place]) for place in positions]
        found = _Search(numbers, atoms, [place not in parts for place in positions]).found
    chosen = [
        Echo(positions[index], positions[found[index][1]], found[index][2], atoms=found[index][3])
        for index in behind_sources({index: place for index, (_, place, *_) in found.items()})
    ]
    follow = {echo.position for echo in chosen}
    # Sources before what follows from them.
    chosen = [*(echo for echo in completed if echo.position not in follow), *chosen]
    counted = counted_echoes(frame, codecs, chosen, seen)
    return tuple(echo for echo in counted if not _is_level_by_level(echo, codecs))


def _completions(frame: Table, codecs: Sequence[Codec], positions: Sequence[int]) -> list[Echo]:
    """Columns that have all numbers of another one, which has none but atoms, and more of them."""
    sources = [
        place
        for place, codec in enumerate(codecs)
        if isinstance(codec, NumericalCodec) and not codec.bins and len(codec.atoms) > 1
    ]
    names = [codecs[place].column.name for place in (*positions, *sources)]
    numbers = some_numbers(frame, names) if positions and sources else np.zeros((0, 0))
    found = []
    for own, place in zip(numbers, positions, strict=False):
        for source, other in zip(numbers[len(positions) :], sources, strict=True):
            both = np.flatnonzero(~np.isnan(own) & ~np.isnan(source))
            if (own[both[:FEWEST_ROWS]] == source[both[:FEWEST_ROWS]]).all() and (
                _count(own[both], source[both], Line()) == len(both) >= FEWEST_ROWS
            ):
                found.append(Echo(place, other, Line()))
                break
    return found


def _is_level_by_level(echo: Echo, codecs: Sequence[Codec]) -> bool:
    """Whether each of a column's few numbers, and no gap, goes with one of the source's."""
    own, source = (codecs[place].column for place in (echo.position, echo.source))
    gaps = [0 if one.missing is None else one.counts[one.missing] for one in (own, source)]
    numbers = [sum(one.counts) - number for one, number in zip((own, source), gaps, strict=True)]
    return echo.always and not own.bins and {*numbers} == {echo.counts[-1]}


class _Search:
    """What each of some columns follows from.

    Args:
        numbers: ``(columns, rows)``.
        atoms: For each column those of its numbers that do not count where it follows, but where
            many of them do.
        may_follow: For each column whether it may follow.

    Attributes:
        found: In how many rows a column follows which other one, and how, by the column.
    """

    def __init__(
        self, numbers: Floats, atoms: Sequence[Floats], may_follow: Sequence[bool]
    ) -> None:
        marks = [np.isin(row, some) for row, some in zip(numbers, atoms, strict=True)]
        left_out = np.array(marks, dtype=bool).reshape(numbers.shape)
        self._numbers, self._own = numbers, np.where(left_out, np.nan, numbers)
        self._atoms, self._may_follow = atoms, may_follow
        self._ranks: dict[int, Ranked] = {}
        self._digits = [digits_of(column) for column in numbers]
        self.found: dict[int, _Found] = {}
        for index in range(1, len(numbers)):
            best = self._best(index, range(index))
            if best is None:
                continue
            turned = self._turned(index, best)
            if turned is None or self.found.get(best[1], turned)[0] > turned[0]:
                self.found[index] = best
            else:
                self._turn(best[1], turned)

    def _best(self, index: int, places: Sequence[int]) -> _Found | None:
        """What a column follows from most often; of what does as often the same number first."""
        if not self._may_follow[index]:
            return None
        own, sources = self._own[index], self._numbers[list(places)]
        digits = [self._digits[place] for place in places]
        counted: list[_Found] = [self._same(index, place) for place in places]
        counted += [
            (_count(own, sources[place], line), places[place], line, ())
            for place, line in lines_through(own, sources, self._digits[index], digits)
        ]
        best = max(counted, key=lambda line: line[0], default=(0, 0, Line(), ()))
        return best if best[0] else None

    def _same(self, index: int, place: int) -> _Found:
        """In how many rows a column has the very number of another one, also with which atoms."""
        own, source = self._own[index], self._numbers[place]
        if len(self._atoms[index]) >= MANY:
            count, atoms = shared_atoms(self._ranked(index), self._ranked(place))
            if count:
                return count + int((own == source).sum()), place, Line(), atoms
        return _count(own, source, Line()), place, Line(), ()

    def _ranked(self, index: int) -> Ranked:
        if index not in self._ranks:
            self._ranks[index] = Ranked.of(self._numbers[index], self._atoms[index])
        return self._ranks[index]

    def _turned(self, index: int, best: _Found) -> _Found | None:
        """The other way round of a line, where only that is right; None where it is not.

        Where rounding makes one number of several, the several do not follow from the one by
        chance: if they do in as many rows, it is the one that they were made of.
        """
        count, place, line, _ = best
        is_coarse = line.is_coarse or (line.is_same and self._has_fewer_digits(index, place))
        turned = self._best(place, [index]) if is_coarse else None
        return turned if turned is not None and turned[0] >= _AS_OFTEN * count else None

    def _has_fewer_digits(self, index: int, place: int) -> bool:
        return _fewer_digits(self._digits[index], self._digits[place])

    def _turn(self, place: int, turned: _Found) -> None:
        """Let a column follow from one that follows from none.

        What it followed from until then may now follow from it.
        """
        before = self.found.get(place)
        self.found[place] = turned
        if before is not None and before[1] not in self.found:
            back = self._best(before[1], [place])
            if back is not None:
                self.found[before[1]] = back


def behind_sources(sources: Mapping[int, int]) -> list[int]:
    """Columns that follow from others, in their order but each behind its source."""
    found: list[int] = []
    for column in sorted(sources):
        chain = []
        while column in sources and column not in found:
            chain.append(column)
            column = sources[column]
        found += reversed(chain)
    return found


def sources_last_first(echoes: Sequence[Echo]) -> list[int]:
    """The sources of echoes, from the last column to the first, but each before its own source."""
    sources = {echo.position: echo.source for echo in echoes}
    roots = set(sources.values()) - set(sources)
    wanted = set(sources.values())
    ordered = behind_sources({**dict.fromkeys(roots, -1), **sources})
    return [column for column in reversed(ordered) if column in wanted]


def source_digits(echoes: Sequence[Echo]) -> dict[int, int]:
    """Digits of columns whose very number occurs in columns of more, by position."""
    found: dict[int, int] = {}
    for echo in echoes:
        if echo.line.is_same and echo.line.source_digits is not None:
            found[echo.source] = echo.line.source_digits
    return found


def _count(own: Floats, source: Floats, line: Line) -> int:
    """In how many rows a column is on a line; 0 where that may be by chance."""
    count = int(line.holds(own, source).sum())
    if count < max((MIN_SHARE if line.is_same else LEAST) * own.size, MIN_COUNT):
        return 0
    by_chance = int(line.holds(own, np.roll(source, own.size // 2)).sum())
    return count if count >= BY_CHANCE * by_chance else 0


def counted_echoes(
    frame: Table, codecs: Sequence[Codec], echoes: Sequence[Echo], seen: Table | None = None
) -> tuple[Echo, ...]:
    """Echoes with what a training table counts of them.

    Args:
        frame: The table.
        codecs: One for each of its columns.
        echoes: Those of which only columns, sources, lines and atoms matter.
        seen: The table without cells of which nothing is to be learnt; None if there are none.
    """
    echoes = _with_digits(frame, codecs, echoes)
    names = [codec.column.name for codec in codecs]
    always = _hold_always(frame if seen is None else seen, names, echoes)
    uncounted = [
        dataclasses.replace(echo, counts=(*codecs[echo.position].column.counts, 0), always=holds)
        for echo, holds in zip(echoes, always, strict=True)
    ]
    counts = [np.array(echo.counts, dtype=np.int64) for echo in uncounted]
    for part in parts_of(frame, _wanted(names, echoes)) if echoes else ():
        for echo, found in zip(uncounted, counts, strict=True):
            own = part[names[echo.position]]
            rows = echoed(codecs[echo.position], echo, own, part[names[echo.source]])
            codes, _ = codecs[echo.position].encode(pd.Series(own[rows], name=names[echo.position]))
            found -= np.bincount(codes, minlength=len(found))
            found[-1] += rows.sum()
    return tuple(
        dataclasses.replace(echo, counts=tuple(found.clip(min=1).tolist()))
        for echo, found in zip(uncounted, counts, strict=True)
    )


def _hold_always(seen: Table, names: Sequence[str], echoes: Sequence[Echo]) -> list[bool]:
    """Which echoes' lines hold in all rows that have both numbers."""
    holding, broken = [0] * len(echoes), [0] * len(echoes)
    for part in parts_of(seen, _wanted(names, echoes)) if echoes else ():
        for place, echo in enumerate(echoes):
            own, other = part[names[echo.position]], part[names[echo.source]]
            both, holds = ~(np.isnan(own) | np.isnan(other)), echo.line.holds(own, other)
            holding[place] += int(holds.sum())
            broken[place] += int((both & ~holds).sum())
    return [
        not others and rows >= FEWEST_ROWS for rows, others in zip(holding, broken, strict=True)
    ]


def _wanted(names: Sequence[str], echoes: Sequence[Echo]) -> list[str]:
    """The names of all columns of echoes."""
    return sorted({names[place] for echo in echoes for place in (echo.position, echo.source)})


def _with_digits(frame: Table, codecs: Sequence[Codec], echoes: Sequence[Echo]) -> list[Echo]:
    """Echoes of which those of the very number know the digits of a source that has fewer."""
    names = [codec.column.name for codec in codecs]
    digits = digits_in(frame, _wanted(names, [echo for echo in echoes if echo.line.is_same]))
    found = []
    for echo in echoes:
        line = echo.line
        if line.is_same:
            own, others = digits[names[echo.position]], digits[names[echo.source]]
            is_coarse = _fewer_digits(others, own)
            line = Line(digits=own, source_digits=others) if is_coarse else Line()
        found.append(dataclasses.replace(echo, line=line))
    return found


def _fewer_digits(digits: int | None, others: int | None) -> bool:
    """Whether a column is rounded to fewer digits than another one."""
    return digits is not None and (others is None or digits < others)


def can_echo(codec: Codec) -> bool:
    """Whether a column has numbers that are no atoms, or many that are."""
    return isinstance(codec, NumericalCodec) and (bool(codec.bins) or len(codec.atoms) >= MANY)


def echoed(codec: Codec, echo: Echo, own: Floats, source: Floats) -> Marks:
    """In which rows ``(B,)`` the number of a column is written as what its source's says."""
    same = echo.line.holds(own, source)
    same[same] = ~np.isin(own[same], _atoms(codec)[_left_out(codec, echo)])
    return same


def codes_that_echo(codec: Codec, echo: Echo) -> npt.NDArray[np.int64]:
    """The own codes of the numbers that may follow."""
    is_number = np.arange(codec.column.num_codes) < codec.column.bins.stop
    is_number[: len(_atoms(codec))] = ~_left_out(codec, echo)
    return np.flatnonzero(is_number)


def _left_out(codec: Codec, echo: Echo) -> Marks:
    """Which atoms of a column do not follow."""
    atoms = _atoms(codec)
    return np.zeros(len(atoms), dtype=bool) if echo.always else ~np.isin(atoms, echo.atoms)


def _atoms(codec: Codec) -> Floats:
    assert isinstance(codec, NumericalCodec)
    return codec.atoms
