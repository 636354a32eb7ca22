"""Numbers that follow from another column's in their row: echoes, found before training.

Some people pay exactly their bill; of a single value the least, the mean and the greatest are the
same; two shares add up to one; what is due is due in thirty days. No distribution over a column's
own values can say so. A column of numbers whose training rows often hold the number of an earlier
column, or what one straight line makes of it, therefore has one code more, the last one, which
stands for *the number there*. Atoms are left out: they come back exactly by themselves.

Of two columns the later one follows from the earlier, but where only the other way round is right:
of prices in whole cents not every one is 1.19 times another, so that a net price must not follow
from a gross one that was drawn by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import LEAST, Line, Marks, digits_of, lines_through
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.schema import Column


class InParts(Protocol):
    """A training table in files."""

    def __len__(self) -> int:
        """Number of rows."""

    def parts(self, names: Sequence[str]) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """The cells of some columns, of some rows after the others."""


Table: TypeAlias = 'pd.DataFrame | InParts'
"""A training table, in memory or in files."""

_ROWS = 10_000  # that the search looks at, and fewer ...
_COMPARISONS = 4e8  # ... where there are so many pairs of cells to compare
_MIN_SHARE, _MIN_COUNT = 0.02, 20  # of these rows that have the same number in two columns, and ...
_BY_CHANCE = 4  # ... so many times more often than if one of them is that of another row
_AS_OFTEN = 0.99  # both columns have atoms of their own, which are left out

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
    """

    position: int
    source: int
    line: Line
    counts: tuple[int, ...]

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
        return {**places, 'line': line, 'counts': list(self.counts)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Echo:
        """The echo that :meth:`to_state` described."""
        line = Line(**state['line'])
        return cls(state['position'], state['source'], line, tuple(state['counts']))


def find_echoes(frame: Table, codecs: Sequence[Codec]) -> tuple[Echo, ...]:
    """The columns of a training table that often follow from the number of another one.

    Args:
        frame: The table.
        codecs: One for each of its columns, fitted on it.

    Returns:
        In the order of the columns, but each behind its source, which is the earlier column that it
        follows most often, or a later one where only this way is right.
    """
    positions = [place for place, codec in enumerate(codecs) if can_echo(codec)]
    most = int(_COMPARISONS / max(len(positions), 1) ** 2)
    numbers = _some_numbers(frame, [codecs[place].column.name for place in positions], most)
    with np.errstate(all='ignore'):  # of the largest numbers and of missing ones
        atoms = [
            np.isin(row, _atoms(codecs[at])) for row, at in zip(numbers, positions, strict=True)
        ]
        found = _found_lines(numbers, np.array(atoms, dtype=bool).reshape(numbers.shape))
    chosen = [
        (positions[index], positions[found[index][1]], found[index][2])
        for index in behind_sources({index: place for index, (_, place, _) in found.items()})
    ]
    return counted_echoes(frame, codecs, chosen)


def _found_lines(numbers: Floats, atoms: Marks) -> dict[int, _Found]:
    """What each of the columns ``(columns, rows)`` follows from most often; atoms do not count."""
    own, digits = np.where(atoms, np.nan, numbers), [digits_of(column) for column in numbers]
    found: dict[int, _Found] = {}
    for index in range(1, len(numbers)):
        lines = _lines(own[index], numbers[:index], digits[: index + 1])
        best = max(lines, key=lambda line: line[0], default=None)
        if best is None:
            continue
        turned = _turned(own, numbers, digits, index, best)
        if turned is None or found.get(best[1], turned)[0] > turned[0]:
            found[index] = best
        else:
            _turn(found, index, best[1], turned)
    return found


def _turn(found: dict[int, _Found], index: int, place: int, turned: _Found) -> None:
    """Let the column at ``place`` follow from that at ``index``, which follows from none.

    What it was the same as until then is the same as it from now on.
    """
    before = found.get(place)
    found[place] = turned
    if before is not None and before[2].is_same and before[1] not in found:
        found[before[1]] = (before[0], place, before[2])


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


def _turned(
    own: Floats, numbers: Floats, digits: Sequence[int | None], index: int, best: _Found
) -> _Found | None:
    """The other way round of a line, where only that is right; None where it is not.

    Where rounding makes one number of several, the several do not follow from the one by chance: if
    they do in as many rows, it is the one that they were made of.
    """
    count, place, line = best
    if not line.is_coarse:
        return None
    back = lines_through(own[place], numbers[index : index + 1], digits[place], [digits[index]])
    lines = [way for _, turned in back for way in _checked(own[place], numbers, index, turned)]
    turned = max(lines, key=lambda line: line[0], default=None)
    return turned if turned is not None and turned[0] >= _AS_OFTEN * count else None


def _lines(own: Floats, sources: Floats, digits: Sequence[int | None]) -> Iterator[_Found]:
    """In how many rows a column ``(rows,)`` follows which source ``(columns, rows)``, and how.

    Of lines that hold as often the same number comes first.
    """
    for place in range(len(sources)):
        yield from _checked(own, sources, place, Line())
    for place, line in lines_through(own, sources, digits[-1], list(digits[:-1])):
        yield from _checked(own, sources, place, line)


def _checked(own: Floats, sources: Floats, place: int, line: Line) -> Iterator[_Found]:
    """The line, if it holds more often than by chance."""
    source = sources[place]
    count = int(line.holds(own, source).sum())
    if count < max((_MIN_SHARE if line.is_same else LEAST) * own.size, _MIN_COUNT):
        return
    if count >= _BY_CHANCE * int(line.holds(own, np.roll(source, own.size // 2)).sum()):
        yield count, place, line


def counted_echoes(
    frame: Table, codecs: Sequence[Codec], lines: Sequence[tuple[int, int, Line]]
) -> tuple[Echo, ...]:
    """Echoes of columns, their sources and lines, with what a training table counts of them."""
    names = [codec.column.name for codec in codecs]
    wanted = sorted({names[place] for *places, _ in lines for place in places})
    counts = [np.array([*codecs[own].column.counts, 0], dtype=np.int64) for own, *_ in lines]
    for part in _parts(frame, wanted) if lines else ():
        for (position, source, line), found in zip(lines, counts, strict=True):
            own = part[names[position]]
            rows = echoed(codecs[position], line, own, part[names[source]])
            codes, _ = codecs[position].encode(pd.Series(own[rows], name=names[position]))
            found -= np.bincount(codes, minlength=len(found))
            found[-1] += rows.sum()
    return tuple(
        Echo(*which, tuple(found.clip(min=1).tolist()))
        for which, found in zip(lines, counts, strict=True)
    )


def can_echo(codec: Codec) -> bool:
    """Whether a column has numbers that are no atoms."""
    return isinstance(codec, NumericalCodec) and len(codec.bins) > 0


def echoed(codec: Codec, line: Line, own: Floats, source: Floats) -> Marks:
    """In which rows ``(B,)`` the number of a column follows from its source's, and is no atom."""
    same = line.holds(own, source)
    same[same] = ~np.isin(own[same], _atoms(codec))
    return same


def _atoms(codec: Codec) -> Floats:
    assert isinstance(codec, NumericalCodec)
    return codec.atoms


def _some_numbers(frame: Table, names: Sequence[str], most: int) -> Floats:
    """Numbers ``(columns, rows)`` of evenly spaced rows."""
    step = max(-(-len(frame) // max(min(most, _ROWS), 1)), 1)
    found: list[list[Floats]] = [[] for _ in names]
    start = 0
    for part in _parts(frame, names) if names else ():
        for place, name in enumerate(names):
            found[place].append(part[name][-start % step :: step].copy())
        start += len(part[names[0]])
    return np.array([np.concatenate(parts) for parts in found])


def _parts(frame: Table, names: Sequence[str]) -> Iterator[Mapping[str, Floats]]:
    """Numbers of some columns, of some rows after the others."""
    if isinstance(frame, pd.DataFrame):
        yield {name: as_floats(frame[name]) for name in names}
    else:
        yield from frame.parts(names)
