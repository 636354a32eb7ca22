"""The cells of a column without their rows: all that a codec learns from.

A column in memory and one on a disk come to the same, so that they get the same codes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.values import Floats, LevelIndex, as_floats


@dataclasses.dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a column.

    Attributes:
        present: ``(N,)`` sorted; where they are many, in a file that is mapped into memory.
        num_missing: Cells without a number.
        allocate: Makes room for so many numbers, where ``present`` has it.
    """

    present: Floats
    num_missing: int
    allocate: Callable[[int], Floats] = np.empty

    @classmethod
    def of(cls, values: Counted) -> Numbers:
        """The numbers of a column in memory.

        Raises:
            TypeError: If a value is not a number.
            ValueError: If a value is infinite.
        """
        if isinstance(values, Numbers):
            return values
        assert isinstance(values, pd.Series), 'levels belong to categorical columns'
        numbers = as_floats(values)
        present = np.sort(numbers[~np.isnan(numbers)])
        return cls(present, len(numbers) - len(present))

    def without(self, left_out: Floats) -> Floats:
        """The sorted numbers without those that are equal to one of ``left_out``, sorted too."""
        if not len(left_out):
            return self.present
        starts = np.searchsorted(self.present, left_out, side='right').tolist()
        stops = np.searchsorted(self.present, left_out, side='left').tolist()
        pieces = list(zip([0, *starts], [*stops, len(self.present)], strict=True))
        rest = self.allocate(sum(stop - start for start, stop in pieces))
        filled = 0
        for start, stop in pieces:
            rest[filled : filled + stop - start] = self.present[start:stop]
            filled += stop - start
        return rest

    def extended(self, outer: Iterable[float], num_missing: int) -> Numbers:
        """The same with some numbers below or above all others, and more missing cells."""
        more = sorted(outer)
        if not more:
            return dataclasses.replace(self, num_missing=self.num_missing + num_missing)
        below = [x for x in more if not len(self.present) or x < self.present[0]]
        wider = self.allocate(len(self.present) + len(more))
        wider[: len(below)] = below
        wider[len(below) : len(below) + len(self.present)] = self.present
        wider[len(below) + len(self.present) :] = more[len(below) :]
        return Numbers(wider, self.num_missing + num_missing, self.allocate)

    def with_more(self, numbers: Floats) -> Numbers:
        """The same with some more numbers, wherever they are."""
        if not len(numbers):
            return self
        wider = self.allocate(len(self.present) + len(numbers))
        wider[: len(self.present)] = self.present
        wider[len(self.present) :] = numbers
        wider.sort()  # in place, and so in a file
        return Numbers(wider, self.num_missing, self.allocate)


@dataclasses.dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a column.

    Attributes:
        found: ``(L,)`` each once, None for missing.
        counts: ``(L,)`` how often each occurs.
    """

    found: list[Hashable]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Counted) -> Levels:
        """The levels of a column in memory.

        Raises:
            TypeError: If a value cannot be hashed.
        """
        if isinstance(values, Levels):
            return values
        assert isinstance(values, pd.Series), 'numbers belong to numerical columns'
        index, numbers = LevelIndex.of(values)
        return cls(list(index.levels), np.bincount(numbers, minlength=len(index.levels)))


Counted: TypeAlias = 'pd.Series | Numbers | Levels'
"""A column to learn codes from: in memory with its rows, or without."""
