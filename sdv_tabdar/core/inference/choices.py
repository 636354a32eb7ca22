"""Drawn numbers that are those of the column that a level says, as in all training rows.

A result that was drawn becomes the number of its source (``codecs/choices.py``); where it was
given, or other relations hold it, the source becomes that number. Cells that were given stay, and
what is asked of a cell stays asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.choices import Choice
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.restrictions import Restriction, met_by

Cells: TypeAlias = npt.NDArray[Any]
"""Of a column in B rows: numbers, or levels."""


@dataclasses.dataclass(frozen=True)
class Choosing:
    """Makes decoded rows keep their choices.

    Attributes:
        encoder: The codes, and which columns are one of others.
        known: ``(B, C)``, cells that were given.
        told: Likewise, with those that known ones told.
        restrictions: By name, what each row's cell may be.
    """

    encoder: TableEncoder
    known: Marks
    told: Marks
    restrictions: Mapping[str, Sequence[Restriction | None]]

    def choose(self, frame: pd.DataFrame, held: Collection[int] = ()) -> None:
        """Make rows keep their choices, as far as they can; ``frame`` is written into.

        Those of columns that it lacks are left.

        Args:
            frame: Decoded rows.
            held: Columns by position that sooner stay, as other relations hold them.
        """
        names = self.encoder.schema.names
        for one in self.encoder.choices:
            if not all(names[at] in frame for at in one.columns):
                continue
            picked = one.picked(self.encoder.codecs[one.level], frame[names[one.level]])
            for place, source in enumerate(one.sources):
                self._join(one, source, picked == place, frame, held)

    def _join(
        self, one: Choice, source: int, rows: Marks, frame: pd.DataFrame, held: Collection[int]
    ) -> None:
        """Make a result and the source that it is in some rows ``(B,)`` the same."""
        names, pair = self.encoder.schema.names, (one.result, source)
        before = [as_floats(frame[names[at]]) for at in pair]
        own, other = (
            cells
            if at in held
            else np.where(rows, self._inside(at, self.known[:, at], cells), cells)
            for at, cells in zip(pair, before, strict=True)
        )
        rows = rows & ~one.holds(own, other)
        wanted = self._inside(one.result, self.known[:, source], other)
        may_lead = self._may_be(source, own, rows)
        may_follow = self._may_be(one.result, wanted, rows)
        may_follow &= (wanted == other) | np.isnan(wanted) | self._may_be(source, wanted, rows)
        leads = self.told[:, one.result] | (one.result in held and source not in held)
        leads = may_lead & (leads | ~may_follow)
        follows = may_follow & ~leads
        after = (
            np.where(follows, wanted, own),
            np.where(leads, own, np.where(follows, wanted, other)),
        )
        for at, old, new in zip(pair, before, after, strict=True):
            if not np.array_equal(old, new, equal_nan=True):
                frame[names[at]] = new

    def _inside(self, position: int, stays: Marks, numbers: Floats) -> Floats:
        """Numbers ``(B,)`` within a column, or of those that it has; some may stay as they are."""
        codec = self.encoder.codecs[position]
        assert isinstance(codec, NumericalCodec)
        is_kept = self.encoder.keeps_values
        inside = codec.contained(numbers) if is_kept else np.clip(numbers, *codec.limits)
        return np.where(stays, numbers, inside)

    def _may_be(self, position: int, numbers: Floats, rows: Marks) -> Marks:
        """In which of some rows ``(B,)`` a cell that is free may be a number, or missing."""
        codec, name = self.encoder.codecs[position], self.encoder.schema.names[position]
        is_gap, found = np.isnan(numbers), rows & ~self.known[:, position]
        found &= ~is_gap | (codec.column.missing is not None)
        if self.encoder.keeps_values:
            stays = np.zeros(len(numbers), dtype=bool)
            found &= is_gap | (self._inside(position, stays, numbers) == numbers)
        places = np.flatnonzero(found)
        found[places] = met_by(self.restrictions.get(name), places, numbers[places])
        return found


def said_by_choices(
    encoder: TableEncoder, cells: Callable[[int], Cells], known: Marks
) -> Iterator[tuple[int, Cells, Marks]]:
    """What known cells say of a result, of its source and of the level.

    Args:
        encoder: The codes, and which columns are one of others.
        cells: Those of a column ``(B,)``, by its position.
        known: ``(B, C)``, which cells are known.

    Yields:
        A position, what its cells would be, and in which rows.
    """
    for one in encoder.choices:
        rows, name = known[:, one.level], encoder.schema.names[one.level]
        picked = np.full(len(known), -1)
        picked[rows] = one.picked(
            encoder.codecs[one.level], pd.Series(cells(one.level)[rows], name=name)
        )
        result = cells(one.result)
        for place, source in enumerate(one.sources):
            chosen, other = picked == place, cells(source)
            for own, said, by in ((one.result, other, source), (source, result, one.result)):
                there = ~np.isnan(said)
                if one.is_whole:
                    there |= encoder.codecs[own].column.missing is not None
                elif encoder.codecs[one.result].column.missing is not None and own == one.result:
                    continue
                yield own, said, chosen & known[:, by] & there
        left, levels = agreeing_levels(encoder, one, cells, known)
        if len(levels):
            choice = np.empty(len(levels), dtype=cells(one.level).dtype)
            choice[:] = levels
            yield one.level, choice[left.argmax(axis=1)], left.sum(axis=1) == 1


def agreeing_levels(
    encoder: TableEncoder, one: Choice, cells: Callable[[int], Cells], known: Marks
) -> tuple[Marks, list[Hashable]]:
    """Which levels ``(B, K)`` may say which of known numbers is which, and the K levels.

    None of a column of numbers that only says whether one is there.
    """
    codec, size = encoder.codecs[one.level], len(one.picks)
    if codec.column.bins:
        return np.ones((len(known), 0), dtype=bool), []
    zeros = np.zeros(size)
    levels = codec.decode(np.arange(size), zeros, zeros).tolist()
    left = np.ones((len(known), size), dtype=bool)
    for place, source in enumerate(one.sources):
        both = known[:, one.result] & known[:, source]
        holds = ~both | one.holds(cells(one.result), cells(source))
        left[:, np.array(one.picks) == place] &= holds[:, None]
    return left, levels
