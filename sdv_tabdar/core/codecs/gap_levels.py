"""Which levels say how far two numbers are from each other: found before training.

A parcel by air comes within days, one by sea within weeks. Where the levels of one column say more
of a difference than is known of it in all rows, those that are frequent enough have a law of their
own (:mod:`sdv_tabdar.core.codecs.gaps`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.copulas import may_be_tied
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Differences, LevelDifferences

Codes: TypeAlias = npt.NDArray[np.int64]

MOST_LEVELS = 64  # with laws of their own; the most frequent ones
LEAST_MORE = 0.05  # nats, of one number given the other, by levels, than by one law
_LEAST_ROWS = 50  # of a level that has a law
_LOOKED_AT = 3  # columns, of those whose levels say most of the parts of a law
_PRIOR = 10.0  # rows of all levels, beside those of one
_SURE = 3.0  # standard errors by which levels say more


@dataclasses.dataclass(frozen=True)
class Levels:
    """The levels of B rows.

    Attributes:
        codes: ``(B, C)`` of all columns.
        num_codes: Of the columns whose levels may say something, by their positions.
    """

    codes: Codes
    num_codes: dict[int, int]

    @classmethod
    def of(cls, rows: EncodedTable, schema: TableSchema, without: Collection[int]) -> Levels:
        """Those of columns of levels, and of few numbers, that are not ``without``."""
        codes = rows.codes.long().numpy()
        num_codes = {
            at: column.num_codes
            for at, column in enumerate(schema.columns)
            if at not in without and not column.bins and not may_be_tied(column)
        }
        return cls(codes, num_codes)

    def likeliest(self, parts: Codes, shown: Codes, judges: Codes) -> list[int]:
        """The positions of the few columns whose levels say most of which part a row is in.

        Args:
            parts: ``(B,)`` those of all rows.
            shown: The rows that show how often each level has each part.
            judges: The rows that judge.
        """
        number = int(parts.max()) + 1
        expected = np.bincount(parts[shown], minlength=number) + 1.0
        expected /= expected.sum()
        found = []
        for at, num_codes in self.num_codes.items():
            cells = self.codes[:, at] * number + parts
            counts = np.bincount(cells[shown], minlength=num_codes * number)
            counts = counts.reshape(num_codes, number) + _PRIOR * expected
            logs = np.log(counts / counts.sum(axis=1, keepdims=True) / expected)
            found.append((-float(logs.ravel()[cells[judges]].mean()), at))
        return [at for less, at in sorted(found)[:_LOOKED_AT] if -less > LEAST_MORE / 2]

    def laws(
        self, position: int, rows: Codes, differences: Floats, law: Callable[[Floats], Differences]
    ) -> LevelDifferences | None:
        """What the levels of a column say; None if fewer than two are frequent enough.

        Args:
            position: That of the column.
            rows: N of them.
            differences: ``(N,)``.
            law: That of some differences.
        """
        codes = self.codes[rows, position]
        counts = np.bincount(codes, minlength=self.num_codes[position])
        order = np.argsort(-counts, kind='stable')[:MOST_LEVELS]
        order = np.sort(order[counts[order] >= _LEAST_ROWS])
        if len(order) < 2:
            return None
        of_code = np.full(len(counts), -1)
        of_code[order] = np.arange(len(order))
        laws = tuple(law(differences[codes == code]) for code in order)
        return LevelDifferences(position, tuple(of_code.tolist()), laws, gain=0.0)


def say_more(logs: Floats, less: Floats) -> float:
    """By how many nats log densities ``(N,)`` are surely more than others; 0 if not so or few."""
    more = logs - less
    gain = float(more.mean())
    is_sure = gain >= _SURE * float(more.std()) / math.sqrt(len(more))
    return gain if is_sure and gain >= LEAST_MORE else 0.0


def kept_levels(
    levels: LevelDifferences | None, former: Sequence[npt.ArrayLike]
) -> LevelDifferences | None:
    """What levels said, for codes that were others.

    Args:
        levels: Those of the former codes.
        former: For each column the code ``(K,)`` that each of its codes had before; -1 for none.
    """
    if levels is None:
        return None
    before = np.asarray(former[levels.position])
    own = np.append(levels.of_code, -1)[before]  # the last one stands for none
    return dataclasses.replace(levels, of_code=tuple(own.tolist()))
