"""A column of numbers whose cells may change, so that rows keep what holds in training."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.lines import Marks, rounded
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.restrictions import Restriction, met_by

Agrees = Callable[[int, Rows, Floats], Marks]
"""Of a column's position, rows and numbers for these."""

_MOST_VALUES = 1_000  # of a column, all of which may be tried


@dataclasses.dataclass
class MovableColumn:
    """The cells of a column in B rows.

    Attributes:
        codec: The column.
        digits: Behind the point; None for numbers that are not rounded.
        restrictions: What each row's cell may be; None for anything.
        agrees: Whether numbers agree with the known levels of rows; None if all do.
        free: ``(B,)``, which cells may change, and ...
        yields: ... which of them give way to a result.
        before: ``(B,)``, the numbers that they had.
        numbers: ``(B,)``, those that they have; written into.
        implied: ``(B,)``, which cells may be anything; None where all may, see
            ``TableEncoder.keeps_values``.
    """

    codec: NumericalCodec | CategoricalCodec
    digits: int | None
    restrictions: Sequence[Restriction | None] | None
    agrees: Callable[[Rows, Floats], Marks] | None
    free: Marks
    yields: Marks
    before: Floats
    numbers: Floats
    implied: Marks | None

    @functools.cached_property
    def values(self) -> Floats | None:
        """All numbers of a column of few, or of few digits between its ends; else None."""
        if isinstance(self.codec, CategoricalCodec):
            return np.array([float(level) for level in self._levels])
        if not len(self.codec.bins) and 0 < len(self.codec.atoms) <= _MOST_VALUES:
            return self.codec.atoms
        if self.digits is None or not self.codec.steps(self.digits) <= _MOST_VALUES:
            return None
        steps = np.arange(round(self.codec.steps(self.digits)))
        return rounded(self.codec.limits[0] + steps / 10.0**self.digits, self.digits)

    @property
    def coarseness(self) -> tuple[bool, float]:
        """By which factors are ordered: those of few values last, then those of few digits."""
        return self.values is not None, -np.inf if self.digits is None else -self.digits

    def may_be(self, rows: Rows, numbers: Floats, *, bounded: bool = True) -> Marks:
        """Whether cells in N rows may be numbers ``(N,)``.

        Args:
            rows: The rows.
            numbers: The numbers.
            bounded: Whether they may not be beyond those of training, or, in a column of few
                numbers, others.
        """
        found = np.isfinite(numbers)
        if isinstance(self.codec, CategoricalCodec):
            found &= np.isin(numbers, [*map(float, self._levels)])
        elif self.implied is not None:
            found &= self.implied[rows] | (self.codec.contained(numbers) == numbers)
        elif bounded:
            low, high = self.codec.limits
            found &= (numbers >= low) & (numbers <= high)
            few = self.codec.few_numbers(self.digits)
            if few is not None:
                found &= np.isin(numbers, few)
        if self.agrees is not None:
            found[found] = self.agrees(rows[found], numbers[found])
        found[found] = met_by(self.restrictions, rows[found], numbers[found])
        return found

    def written(self, cells: pd.Series) -> npt.NDArray[np.float64] | pd.Series:
        """The column as it is to be, by what it was in the decoded table."""
        if cells.dtype != object:
            return self.numbers
        levels = {float(level): level for level in self._levels}
        found = cells.to_numpy(copy=True)
        for row in np.flatnonzero(self.numbers != self.before).tolist():
            found[row] = levels.get(self.numbers[row], found[row])
        return pd.Series(found, index=cells.index, dtype=object)

    @property
    def _levels(self) -> list[float]:
        """The levels of a column of categories that are numbers, without the missing one."""
        levels = self.codec.levels if isinstance(self.codec, CategoricalCodec) else ()
        return [level for level in levels if isinstance(level, int | float)]
