"""Texts that are put together from other columns of their row in all training rows.

A full name is the first and the last one, a code that of a brand, a dash and a size, an address of
mail the small letters of a name and a domain. The model knows such texts as levels only, of which
each is rare, and texts of personal data are made anew. So the format is found in the training
table; finished rows are written by it, and a text that is known tells its parts.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.made_of import all_below

_LOOKED_AT = 40  # rows of a first look
_MOST_CHARACTERS = 200  # of a text
_MOST_STEPS = 2_000  # of a search for a format

_CASES: Mapping[str, Callable[[str], str]] = {
    'as it is': lambda text: text,
    'in small letters': str.lower,
    'in capital letters': str.upper,
    'its first letter': lambda text: text[:1],
    'its first letter, small': lambda text: text[:1].lower(),
}

CASES = tuple(_CASES)
"""How the text of a part may be written."""

Piece: TypeAlias = tuple[str, str]
"""The label of a column and how its text is written; of an empty label, what always is there."""

Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Composition:
    """A column of texts that other columns make in all rows.

    Attributes:
        key: Its label.
        pieces: What stands one behind the other.
        is_whole: Whether the text is missing exactly where a part is; else it may be anywhere.
    """

    key: str
    pieces: tuple[Piece, ...]
    is_whole: bool

    @property
    def parts(self) -> list[str]:
        """The labels of the columns it is made of."""
        return [name for name, _ in self.pieces if name]

    def made(self, rows: pd.DataFrame) -> list[str | None]:
        """The texts of rows in plain form; None where a part is missing."""
        columns = [
            itertools.repeat(text, len(rows))
            if not name
            else map(_written(text), _texts(rows[name]))
            for name, text in self.pieces
        ]
        found = zip(*columns, strict=True)
        return [None if None in cells else ''.join(map(str, cells)) for cells in found]

    def holds(self, rows: pd.DataFrame) -> bool:
        """Whether all texts are those that their row makes."""
        return bool(np.all(self.fits(rows) | (not self.is_whole) & rows[self.key].isna()))

    def fits(self, rows: pd.DataFrame) -> Flags:
        """Whose text is that which its row makes, or is missing as a part of it is: ``(B,)``."""
        pairs = zip(_texts(rows[self.key]), self.made(rows), strict=True)
        return np.array([text == made for text, made in pairs], dtype=bool)

    def read(self, text: str, levels: Mapping[str, Collection[Any]]) -> dict[str, Any] | None:
        """The cells of the parts of a text, where there is one way to read it.

        Args:
            text: The text.
            levels: Of columns by their labels those that they may have; of others any text.
        """
        lookups = [
            _lookup(case, levels[name]) if name in levels else None for name, case in self.pieces
        ]
        found = [*itertools.islice(self._readings(text, 0, lookups), 2)]
        return found[0] if len(found) == 1 else None

    def _readings(
        self, text: str, place: int, lookups: Sequence[Mapping[str, list[Any]] | None]
    ) -> Iterator[dict[str, Any]]:
        """All ways to read what is left of a text by the pieces from some place on."""
        if place == len(self.pieces):
            if not text:
                yield {}
            return
        (name, case), lookup = self.pieces[place], lookups[place]
        if not name:
            if text.startswith(case):
                yield from self._readings(text[len(case) :], place + 1, lookups)
            return
        for size in range(1, len(text) + 1):
            cells = [text[:size]] if lookup is None else lookup.get(text[:size], [])
            if lookup is None and case != CASES[0]:
                cells = []
            for cell in cells:
                for others in self._readings(text[size:], place + 1, lookups):
                    yield {name: cell, **others}

    def written(self) -> str:
        """What the text is, for a person to read."""
        texts = [
            repr(case) if not name else repr(name) + ('' if case == CASES[0] else f' ({case})')
            for name, case in self.pieces
        ]
        return ' + '.join(texts)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {**dataclasses.asdict(self), 'pieces': [list(piece) for piece in self.pieces]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Composition:
        """The composition that :meth:`to_state` described."""
        pieces = tuple((name, text) for name, text in state['pieces'])
        return cls(state['key'], pieces, state['is_whole'])


def find_compositions(plain: pd.DataFrame, results: Collection[str]) -> tuple[Composition, ...]:
    """The columns of texts of a training table that others make in all rows.

    Args:
        plain: The training table in plain form.
        results: The labels of columns that may be results.

    Returns:
        Each behind those that make its parts; what is the same text as another column is none.
    """
    columns = {key: plain[key] for key in plain if _has_texts(plain[key])}
    found: dict[str, Composition] = {}
    for key, own in columns.items():
        rows = np.flatnonzero(own.notna().to_numpy())
        if key not in results or own.dtype != object or not varies(own.to_numpy()):
            continue
        some = rows[:: max(len(rows) // _LOOKED_AT, 1)]
        texts = [*map(str, _texts(own.iloc[some]))]
        if max(map(len, texts)) > _MOST_CHARACTERS or len({*texts}) < 2:
            continue
        others = {name: column for name, column in columns.items() if name != key}
        pieces = _Search(texts, _candidates(texts, others, some)).pieces()
        for is_whole in (True, False) if pieces is not None else ():
            one = Composition(key, tuple(pieces or ()), is_whole)
            made = {other: whole.parts for other, whole in found.items()}
            if key not in all_below(one.parts, made) and one.holds(plain):
                found[key] = one
                break
    return tuple(_in_order(found))


def composed(
    compositions: Sequence[Composition], rows: pd.DataFrame, stays: Mapping[str, Flags]
) -> pd.DataFrame:
    """Finished rows in plain form whose texts are those that their parts make.

    Args:
        compositions: Those of the table.
        rows: The rows.
        stays: By label the rows ``(B,)`` whose text stays as it is.
    """
    rows = rows.copy(deep=False)
    for one in compositions:
        if not {one.key, *one.parts} <= {*rows.columns}:
            continue
        before = rows[one.key].astype(object).to_numpy(copy=True)
        free = ~stays.get(one.key, np.zeros(len(rows), dtype=bool))
        if not one.is_whole:
            free &= rows[one.key].notna().to_numpy()
        made = np.array([*one.made(rows), None], dtype=object)[:-1]
        rows[one.key] = pd.Series(np.where(free, made, before), index=rows.index, dtype=object)
    return rows


class _Search:
    """Looks for what all of some texts are made of.

    Args:
        texts: The texts.
        candidates: For pieces what they would be in each of the texts.
    """

    def __init__(self, texts: Sequence[str], candidates: Mapping[Piece, Sequence[str]]) -> None:
        self._texts, self._candidates, self._steps = texts, candidates, 0

    def pieces(self) -> list[Piece] | None:
        """The pieces, letters between them put together; None if there are none."""
        found = self._from([0] * len(self._texts), frozenset())
        if found is None:
            return None
        joined = list[Piece]()
        for name, text in found:
            if joined and not name and not joined[-1][0]:
                text = joined.pop()[1] + text
            joined.append((name, text))
        is_other = len(joined) > 1 or (joined[0][0] != '' and joined[0][1] != CASES[0])
        return joined if is_other and any(name for name, _ in joined) else None

    def _from(self, starts: list[int], used: frozenset[str]) -> list[Piece] | None:
        """The pieces of what is left of each text."""
        self._steps += 1
        pairs = [*zip(self._texts, starts, strict=True)]
        if all(start == len(text) for text, start in pairs):
            return []
        if self._steps > _MOST_STEPS or any(start == len(text) for text, start in pairs):
            return None
        for piece, cells in self._candidates.items():
            fits = piece[0] not in used and all(
                text.startswith(cell, start)
                for (text, start), cell in zip(pairs, cells, strict=True)
            )
            if fits:
                ends = [start + len(cell) for start, cell in zip(starts, cells, strict=True)]
                rest = self._from(ends, used | {piece[0]})
                if rest is not None:
                    return [piece, *rest]
        letters = {text[start] for text, start in pairs}
        if len(letters) > 1:
            return None
        rest = self._from([start + 1 for start in starts], used)
        return None if rest is None else [('', letters.pop()), *rest]


def _candidates(
    texts: Sequence[str], columns: Mapping[str, pd.Series], rows: npt.NDArray[np.int64]
) -> dict[Piece, list[str]]:
    """What is in all of some texts of other columns in the same rows; the longest first."""
    found: dict[Piece, list[str]] = {}
    for name, column in columns.items():
        own = _texts(column.iloc[rows])
        if any(not cell for cell in own):
            continue
        for case in CASES:
            cells = [str(_written(case)(cell)) for cell in own]
            is_new = cells not in [found.get((name, other)) for other in CASES]
            if is_new and len({*cells}) > 1 and all(map(str.__contains__, texts, cells)):
                found[name, case] = cells
    return dict(sorted(found.items(), key=lambda entry: -sum(map(len, entry[1]))))


def _texts(column: pd.Series) -> list[str | None]:
    """The cells of a column as texts, whole numbers among them; None where missing."""
    gaps = column.isna().to_numpy()
    return [
        None if is_gap else cell if isinstance(cell, str) else str(round(cell))
        for cell, is_gap in zip(column.tolist(), gaps, strict=True)
    ]


def _has_texts(column: pd.Series) -> bool:
    """Whether a column has texts, or whole numbers, and nothing else but gaps."""
    if column.dtype.kind in 'iu':
        return True
    return column.dtype == object and all(isinstance(cell, str) for cell in column.dropna())


def _written(case: str) -> Callable[[str | None], str | None]:
    change = _CASES[case]
    return lambda text: None if text is None else change(text)


def _lookup(case: str, levels: Collection[Any]) -> dict[str, list[Any]]:
    """The levels that are written as a text each."""
    found: dict[str, list[Any]] = {}
    for level in levels:
        text = level if isinstance(level, str) else str(level)
        found.setdefault(_CASES[case](text), []).append(level)
    return found


def _in_order(found: Mapping[str, Composition]) -> Iterator[Composition]:
    """Each behind those that make its parts."""
    left = dict(found)
    while left:
        ready = [one for one in left.values() if left.keys().isdisjoint(one.parts)]
        for one in ready:
            del left[one.key]
        yield from ready
