"""Which numbers that recur are those of another column of their row, far more often than by chance.

Days, counts and marks: a hundred pairs of equal numbers would else have to be learnt one by one.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Floats

MIN_SHARE, MIN_COUNT = 0.02, 20  # of rows that have the same number in two columns, and ...
BY_CHANCE = 4  # ... so many times more often than if one of them is that of another row
_EVEN_SO = 2  # times more often than beside it or by chance an atom is the source's number, ...
MANY = 10  # ... and so many atoms of even shares, for them not to be learnt one by one
_FIRST_LOOK = 1_000  # rows in which these atoms are looked for before all


@dataclasses.dataclass(frozen=True)
class Ranked:
    """Numbers of a column, by their places among its different ones.

    Attributes:
        values: ``(V,)``, in order.
        places: ``(rows,)``; -1 where a number is missing.
        are_atoms: ``(V,)``, which of them are atoms.
    """

    values: Floats
    places: npt.NDArray[np.int64]
    are_atoms: Marks

    @classmethod
    def of(cls, numbers: Floats, atoms: Floats) -> Ranked:
        """Those of a column ``(rows,)``."""
        values = np.unique(numbers[~np.isnan(numbers)])
        places = np.where(np.isnan(numbers), -1, np.searchsorted(values, numbers))
        return cls(values, places, np.isin(values, atoms))

    def some(self, step: int) -> Ranked:
        """The same in every so many rows."""
        return dataclasses.replace(self, places=self.places[::step])

    def counts(self, rows: Marks) -> Floats:
        """How often each value is in some rows."""
        found = np.bincount(self.places[rows], minlength=len(self.values))
        return found.astype(np.float64)


def shared_atoms(own: Ranked, source: Ranked) -> tuple[int, tuple[float, ...]]:
    """Atoms of a column that are its source's number far more often than the one beside it.

    Returns:
        In how many rows they are, and which: none if they are so few that each is soon learnt.
    """
    if not len(source.values):
        return 0, ()
    step = max(len(own.places) // _FIRST_LOOK, 1)
    if step > 1 and not _shared_in(own.some(step), source.some(step))[0]:
        return 0, ()
    return _shared_in(own, source)


def _shared_in(own: Ranked, source: Ranked) -> tuple[int, tuple[float, ...]]:
    """As :func:`shared_atoms`, of some rows."""
    number = len(own.places)
    in_source = np.searchsorted(source.values, own.values).clip(max=len(source.values) - 1)
    is_there = source.values[in_source] == own.values
    both = (own.places >= 0) & (source.places >= 0)
    apart = in_source[own.places] - source.places
    equal = own.counts(both & (apart == 0) & is_there[own.places])
    least = max(MIN_SHARE * number, MIN_COUNT)
    if equal.sum() < least:
        return 0, ()
    of_source = np.where(is_there, source.counts(source.places >= 0)[in_source], 0.0)
    by_chance = own.counts(own.places >= 0) * of_source / number
    usual = np.maximum(by_chance, own.counts(both & (np.abs(apart) == 1)) / 2)
    kept = own.are_atoms & (equal > _EVEN_SO * usual)
    total = float(equal[kept].sum())
    if total < max(least, BY_CHANCE * float(usual[kept].sum())):
        return 0, ()
    evenly = total**2 / float((equal[kept] ** 2).sum())
    return (int(total), tuple(own.values[kept].tolist())) if evenly >= MANY else (0, ())
