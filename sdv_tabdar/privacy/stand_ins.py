"""Which kept level takes the place of a rare one: one that agrees with the rest of its row.

A village that few live in becomes another place, and with any other place its row would be in two
states at once. Where the kept levels fix another column, the new one is drawn among those that fix
it to what the row has there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Codes

_LOOKED_AT = 1_000  # rows of a first look


@dataclasses.dataclass(frozen=True)
class Beside:
    """Another column of the same rows.

    Attributes:
        codes: ``(B,)``, what it has in each row as a number, 0 or more.
        replaced: ``(B,)``, which of its cells stand for others.
    """

    codes: Codes
    replaced: npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Kept:
    """The levels of a column that are not rare.

    Attributes:
        numbers: ``(B,)``, the level of each row.
        levels: ``(K,)``, those that are kept.
        counts: ``(K,)``, how many rows have them.
    """

    numbers: Codes
    levels: Codes
    counts: Codes

    def drawn(self, rows: Codes, beside: Sequence[Beside], generator: np.random.Generator) -> Codes:
        """A kept level for each of some rows ``(R,)``, drawn in its share.

        It agrees with all columns that follow from it, or else with those of fewer levels alone.

        Args:
            rows: The rows.
            beside: Other columns.
            generator: Source of all randomness.
        """
        follows = self._following(beside)
        found, left = np.full(len(rows), -1), np.arange(len(rows))
        for first in range(len(follows) + 1):
            said = [own for own, _ in follows[first:]]
            asked = [other.codes[rows[left]] for _, other in follows[first:]]
            for choices, places in self._alike(said, asked, len(left)):
                shares = self.counts[choices] / self.counts[choices].sum()
                drawn = generator.choice(self.levels[choices], len(places), p=shares)
                found[left[places]] = drawn
            left = np.flatnonzero(found < 0)
        return found

    def _following(self, beside: Sequence[Beside]) -> list[tuple[Codes, Beside]]:
        """What levels ``(K,)`` fix, -1 for nothing, and in which column; that of most first."""
        place = np.full(int(self.numbers.max(initial=0)) + 1, -1)
        place[self.levels] = np.arange(len(self.levels))
        places = place[self.numbers]
        rows = np.flatnonzero(places >= 0)
        some = rows[:: max(1, len(rows) // _LOOKED_AT)]
        found = []
        for other in beside:
            if self._said(places, some, other) is not None:
                said = self._said(places, rows, other)
                if said is not None and len(np.unique(said)) > 1:
                    found.append((said, other))
        return sorted(found, key=lambda entry: -len(np.unique(entry[0])))

    def _said(self, places: Codes, rows: Codes, other: Beside) -> Codes | None:
        """What levels ``(K,)`` fix in a column in some rows; None if they do not.

        Args:
            places: ``(B,)``, which of the levels a row has.
            rows: The rows.
            other: The column.
        """
        untouched = rows[~other.replaced[rows]]
        said = np.full(len(self.levels), -1)
        said[places[untouched]] = other.codes[untouched]
        is_fixed = (said[places[untouched]] == other.codes[untouched]).all()
        return said if is_fixed else None

    def _alike(
        self, said: Sequence[Codes], asked: Sequence[Codes], num_asked: int
    ) -> Iterator[tuple[Codes, Codes]]:
        """The places of levels, and of those rows that ask for what they say."""
        if not said:
            yield np.arange(len(self.levels)), np.arange(num_asked)
            return
        both = np.hstack([np.stack(said), np.stack(asked)])
        _, groups = np.unique(both, axis=1, return_inverse=True)
        of_levels, of_rows = np.split(groups.ravel(), [len(self.levels)])
        for group in np.intersect1d(of_levels, of_rows):
            yield np.flatnonzero(of_levels == group), np.flatnonzero(of_rows == group)
