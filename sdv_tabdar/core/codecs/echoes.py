"""Numbers that follow from another column's in their row: echoes, found before training.

Some people pay exactly their bill; of a single value the least, the mean and the greatest are the
same; two shares add up to one; what is due is due in thirty days. No distribution over a column's
own values can say so. A column of numbers whose training rows often hold the number of an earlier
column, or what one straight line makes of it, therefore has one code more, the last one, which
stands for *the number there*. Atoms are left out, as they come back exactly by themselves, but
where a column follows in all rows: there it is all that there is to say.

Of two columns the later one follows from the earlier, but where only the other way round is right:
of prices in whole cents not every one is 1.19 times another, so that a net price must not follow
from a gross one that was drawn by itself, and a greatest value in whole numbers not from a mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import LEAST, Line, Marks, digits_of, lines_through
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.table_parts import Table, digits_in, parts_of, some_numbers
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.schema import Column

_MIN_SHARE, _MIN_COUNT = 0.02, 20  # of these rows that have the same number in two columns, and ...
_BY_CHANCE = 4  # ... so many times more often than if one of them is that of another row
_AS_OFTEN = 0.99  # both columns have atoms of their own, which are left out
_FEWEST_ROWS = 50  # in which a column follows, to follow always; fewer show nothing reliably

_Found: TypeAlias = tuple[int, int, Line]
"""In how many rows a column follows which other one, and how."""


@dataclasses.dataclass(frozen=True)
class Echo:
    """A column with a code for the number of another column.

    Attributes:
        position: The column.
        source: The other column, which does not follow from this one.
        line: What is made of its number.
        counts: How often each code of the column occurs in the training table, its echo last.
        always: Whether the column follows in all training rows that have both numbers.
    """

    position: int
    source: int
    line: Line
    counts: tuple[int, ...]
    always: bool = False

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
        places = {'position': self.position, 'source': self.source}
        return {**places, 'line': line, 'counts': list(self.counts), 'always': self.always}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Echo:
        """The echo that :meth:`to_state` described."""
        line = Line(**state['line'])
        counts, always = tuple(state['counts']), state.get('always', False)
        return cls(state['position'], state['source'], line, counts, always)


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
    numbers = some_numbers(frame, [codecs[place].column.name for place in positions])
    with np.errstate(all='ignore'):  # of the largest numbers and of missing ones
        atoms = [
            np.isin(row, _atoms(codecs[at])) for row, at in zip(numbers, positions, strict=True)
        ]
        found = _Search(numbers, np.array(atoms, dtype=bool).reshape(numbers.shape)).found
    chosen = [
        (positions[index], positions[found[index][1]], found[index][2])
        for index in behind_sources({index: place for index, (_, place, _) in found.items()})
    ]
    left = [place for place in positions if place not in {own for own, *_ in chosen}]
    chosen = [*_completions(frame, codecs, left), *chosen]  # sources before what follows from them
    return counted_echoes(frame, codecs, chosen, seen)


def _completions(
    frame: Table, codecs: Sequence[Codec], positions: Sequence[int]
) -> list[tuple[int, int, Line]]:
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
            if (own[both[:_FEWEST_ROWS]] == source[both[:_FEWEST_ROWS]]).all() and (
                _count(own[both], source[both], Line()) == len(both) >= _FEWEST_ROWS
            ):
                found.append((place, other, Line()))
                break
    return found


class _Search:
    """What each of some columns follows from.

    Args:
        numbers: ``(columns, rows)``.
        atoms: Likewise, which of them do not count in a column that follows.

    Attributes:
        found: In how many rows a column follows which other one, and how, by the column.
    """

    def __init__(self, numbers: Floats, atoms: Marks) -> None:
        self._numbers, self._own = numbers, np.where(atoms, np.nan, numbers)
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
        own, sources = self._own[index], self._numbers[list(places)]
        lines = [(place, Line()) for place in range(len(places))]
        digits = [self._digits[place] for place in places]
        lines += lines_through(own, sources, self._digits[index], digits)
        counted = [
            (_count(own, sources[place], line), places[place], line) for place, line in lines
        ]
        best = max(counted, key=lambda line: line[0], default=(0, 0, Line()))
        return best if best[0] else None

    def _turned(self, index: int, best: _Found) -> _Found | None:
        """The other way round of a line, where only that is right; None where it is not.

        Where rounding makes one number of several, the several do not follow from the one by
        chance: if they do in as many rows, it is the one that they were made of.
        """
        count, place, line = best
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
    if count < max((_MIN_SHARE if line.is_same else LEAST) * own.size, _MIN_COUNT):
        return 0
    by_chance = int(line.holds(own, np.roll(source, own.size // 2)).sum())
    return count if count >= _BY_CHANCE * by_chance else 0


def counted_echoes(
    frame: Table,
    codecs: Sequence[Codec],
    lines: Sequence[tuple[int, int, Line]],
    seen: Table | None = None,
) -> tuple[Echo, ...]:
    """Echoes of columns, their sources and lines, with what a training table counts of them.

    Args:
        frame: The table.
        codecs: One for each of its columns.
        lines: The positions of a column and its source, and the line between them.
        seen: The table without cells of which nothing is to be learnt; None if there are none.
    """
    lines = _with_digits(frame, codecs, lines)
    names = [codec.column.name for codec in codecs]
    uncounted = [
        Echo(*which, (*codecs[which[0]].column.counts, 0), always)
        for which, always in zip(
            lines, _hold_always(frame if seen is None else seen, names, lines), strict=True
        )
    ]
    counts = [np.array(echo.counts, dtype=np.int64) for echo in uncounted]
    for part in parts_of(frame, _wanted(names, lines)) if lines else ():
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


def _hold_always(
    seen: Table, names: Sequence[str], lines: Sequence[tuple[int, int, Line]]
) -> list[bool]:
    """Which lines hold in all rows that have both numbers."""
    holding, broken = [0] * len(lines), [0] * len(lines)
    for part in parts_of(seen, _wanted(names, lines)) if lines else ():
        for place, (position, source, line) in enumerate(lines):
            own, other = part[names[position]], part[names[source]]
            both, holds = ~(np.isnan(own) | np.isnan(other)), line.holds(own, other)
            holding[place] += int(holds.sum())
            broken[place] += int((both & ~holds).sum())
    return [
        not others and rows >= _FEWEST_ROWS for rows, others in zip(holding, broken, strict=True)
    ]


def _wanted(names: Sequence[str], lines: Sequence[tuple[int, int, Line]]) -> list[str]:
    """The names of all columns of lines."""
    return sorted({names[place] for *places, _ in lines for place in places})


def _with_digits(
    frame: Table, codecs: Sequence[Codec], lines: Sequence[tuple[int, int, Line]]
) -> list[tuple[int, int, Line]]:
    """Lines of which those to the very number know the digits of a source that has fewer."""
    names = [codec.column.name for codec in codecs]
    wanted = {names[place] for *places, line in lines if line.is_same for place in places}
    digits = digits_in(frame, sorted(wanted))
    found = []
    for position, source, line in lines:
        if line.is_same:
            own, others = digits[names[position]], digits[names[source]]
            is_coarse = _fewer_digits(others, own)
            line = Line(digits=own, source_digits=others) if is_coarse else Line()
        found.append((position, source, line))
    return found


def _fewer_digits(digits: int | None, others: int | None) -> bool:
    """Whether a column is rounded to fewer digits than another one."""
    return digits is not None and (others is None or digits < others)


def can_echo(codec: Codec) -> bool:
    """Whether a column has numbers that are no atoms."""
    return isinstance(codec, NumericalCodec) and len(codec.bins) > 0


def echoed(codec: Codec, echo: Echo, own: Floats, source: Floats) -> Marks:
    """In which rows ``(B,)`` the number of a column is written as what its source's says."""
    same = echo.line.holds(own, source)
    if not echo.always:
        same[same] = ~np.isin(own[same], _atoms(codec))
    return same


def _atoms(codec: Codec) -> Floats:
    assert isinstance(codec, NumericalCodec)
    return codec.atoms
