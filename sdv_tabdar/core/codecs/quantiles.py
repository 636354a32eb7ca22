"""Quantiles of numbers that are atoms or lie in bins, from the probabilities of these."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.bins import Bin
from sdv_tabdar.core.codecs.codec import Points, ResidualLaw
from sdv_tabdar.core.codecs.values import Codes, Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """The distributions of B rows over the atoms and bins of one column.

    Attributes:
        atoms: ``(A,)`` sorted values.
        bins: The bins, whose codes follow those of the atoms.
        masses: ``(B, A + bins)`` probabilities of the codes.
        law: The distributions within bins.
        points: A number more for each row, if there is one.
    """

    atoms: Floats
    bins: Sequence[Bin]
    masses: Floats
    law: ResidualLaw
    points: Points | None = None

    def quantiles(self, shares: Floats, limits: tuple[float, float]) -> Floats:
        """Quantiles ``(B, Q)`` at ``shares`` ``(Q,)``, between ``limits``.

        The stretch between two ends, atoms or points is found in which the distribution function
        reaches the share, and there the quantile within its bin.
        """
        found = np.empty((len(self.masses), len(shares)))
        for place, share in enumerate(shares):
            found[:, place] = self._quantile(float(share))
        return found.clip(*limits)

    def cdf(self, values: Floats) -> Floats:
        """Probability ``(B,)`` of being at most ``values`` ``(B,)``.

        At its low end nothing of a bin is counted.
        """
        total = self._whole(values)
        rows, codes = self._cut(values)
        if len(rows):
            residuals = np.zeros(len(rows))
            for code in np.unique(codes).tolist():
                own = codes == code
                residuals[own] = self._bin(code).residuals(values[rows][own])
            total[rows] += self.masses[rows, codes] * self.law.cdf(rows, codes, residuals)
        return total

    def _quantile(self, share: float) -> Floats:
        """Quantiles ``(B,)`` at one share."""
        low, high = self._stretch(share)
        found = high.copy()
        is_inside = share <= self.cdf(high) - self._mass_at(high)
        rows, codes = self._cut(low, low_end=True)
        rows, codes = rows[is_inside[rows]], codes[is_inside[rows]]
        if not len(rows):
            return found
        with np.errstate(divide='ignore', invalid='ignore'):
            levels = (share - self._whole(low)[rows]) / self.masses[rows, codes]
        residuals = self.law.quantiles(rows, codes, np.nan_to_num(levels).clip(0, 1))
        for code in np.unique(codes).tolist():
            own = codes == code
            numbers = self._bin(code).values(residuals[own])
            found[rows[own]] = numbers.clip(low[rows[own]], high[rows[own]])
        return found

    def _stretch(self, share: float) -> tuple[Floats, Floats]:
        """Neighbours ``(B,)`` among ends, atoms and points, the upper first to reach a share.

        The lower one is -inf where there is none.
        """
        ends = self._ends
        below, first = np.full(len(self.masses), -1), np.full(len(self.masses), len(ends) - 1)
        for _ in range(len(ends).bit_length()):
            middle = (below + first + 1) // 2
            reached = self.cdf(ends[middle]) >= share
            first = np.where(reached, middle, first)
            below = np.where(reached, below, np.minimum(middle, first - 1))
        low, high = np.where(below < 0, -np.inf, ends[below]), ends[first]
        if self.points is not None:
            points = self.points.values
            is_between = (points > low) & (points < high)
            reached = self.cdf(np.where(is_between, points, high)) >= share
            high = np.where(is_between & reached, points, high)
            low = np.where(is_between & ~reached, points, low)
        return low, high

    def _whole(self, values: Floats) -> Floats:
        """Probability ``(B,)`` of all atoms, points and whole bins up to values ``(B,)``."""
        atoms, bins = self._sums
        rows, highs = np.arange(len(values)), self._sides[1]
        total = atoms[rows, np.searchsorted(self.atoms, values, side='right')]
        total = total + bins[rows, np.searchsorted(highs, values, side='right')]
        if self.points is not None:
            total += self.points.masses * (values >= self.points.values)
        return total

    def _mass_at(self, values: Floats) -> Floats:
        """Probability ``(B,)`` of the atoms and points that are just ``values`` ``(B,)``."""
        atoms, rows = self._sums[0], np.arange(len(values))
        ends = [np.searchsorted(self.atoms, values, side=side) for side in ('left', 'right')]
        total = atoms[rows, ends[1]] - atoms[rows, ends[0]]
        if self.points is not None:
            total += self.points.masses * (values == self.points.values)
        return total

    def _cut(self, values: Floats, *, low_end: bool = False) -> tuple[Codes, Codes]:
        """Rows ``(N,)`` whose values lie within a bin, or at its low end, and its code."""
        lows, highs = self._sides
        if not len(lows):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        places = np.searchsorted(lows, values, side='right') - 1
        is_above = (values >= lows[places]) if low_end else (values > lows[places])
        rows = np.flatnonzero((places >= 0) & is_above & (values < highs[places]))
        return rows, len(self.atoms) + places[rows]

    def _bin(self, code: int) -> Bin:
        return self.bins[code - len(self.atoms)]

    @functools.cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """The low and the high ends of the bins, ``(bins,)`` each."""
        lows = np.array([part.low for part in self.bins], dtype=np.float64)
        return lows, np.array([part.high for part in self.bins], dtype=np.float64)

    @functools.cached_property
    def _ends(self) -> Floats:
        """Atoms and both ends of each bin, sorted."""
        return np.unique(np.concatenate([self.atoms, *self._sides]))

    @functools.cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Of each row the masses of the first 0, 1, ... atoms, and of as many bins."""
        parts = np.split(self.masses, [len(self.atoms)], axis=1)
        atoms, bins = (np.pad(part.cumsum(axis=1), ((0, 0), (1, 0))) for part in parts)
        return atoms, bins
