"""Quantiles of numbers that are atoms or lie in bins, from the probabilities of these."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.bins import Bin
from sdv_tabdar.core.codecs.codec import Points, ResidualCdf
from sdv_tabdar.core.codecs.values import Floats

_BISECTIONS = 50  # of the range of a column, to find a quantile


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """The distributions of B rows over the atoms and bins of one column.

    Attributes:
        atoms: ``(A,)`` sorted values.
        bins: The bins, whose codes follow those of the atoms.
        masses: ``(B, A + bins)`` probabilities of the codes.
        residual_cdf: The distribution function within bins.
        points: A number more for each row, if there is one.
    """

    atoms: Floats
    bins: Sequence[Bin]
    masses: Floats
    residual_cdf: ResidualCdf
    points: Points | None = None

    def quantiles(self, shares: Floats, limits: tuple[float, float]) -> Floats:
        """Quantiles ``(B, Q)`` at ``shares`` ``(Q,)``, by bisection of the distribution function.

        ``limits`` are the least and the greatest number.
        """
        found = np.empty((len(self.masses), len(shares)))
        for place, share in enumerate(shares):
            low, high = (np.full(len(self.masses), end) for end in limits)
            low = np.nextafter(low, -np.inf)
            for _ in range(_BISECTIONS):
                middle = _middle(low, high)
                reached = self.cdf(middle) >= share
                low, high = np.where(reached, low, middle), np.where(reached, middle, high)
            found[:, place] = self._on_points(low, high).clip(*limits)
        return found

    def cdf(self, values: Floats) -> Floats:
        """Probability ``(B,)`` of being at most ``values`` ``(B,)``."""
        below = np.searchsorted(self.atoms, values, side='right')
        atoms, bins = np.split(self.masses, [len(self.atoms)], axis=1)
        total = np.pad(atoms.cumsum(axis=1), ((0, 0), (1, 0)))[np.arange(len(values)), below]
        if self.points is not None:
            total = total + self.points.masses * (values >= self.points.values)
        if not self.bins:
            return total
        lows, highs = np.array([(part.low, part.high) for part in self.bins]).T
        total = total + (bins * (values[:, None] >= highs)).sum(axis=1)
        places = np.searchsorted(lows, values, side='right') - 1
        rows = np.flatnonzero((places >= 0) & (values < highs[places]))
        if len(rows):
            places, residuals = places[rows], np.zeros(len(rows))
            for place in np.unique(places).tolist():
                cut = places == place
                residuals[cut] = self.bins[place].residuals(values[rows][cut])
            within = self.residual_cdf(rows, len(self.atoms) + places, residuals)
            total[rows] += bins[rows, places] * within
        return total

    def _on_points(self, low: Floats, high: Floats) -> Floats:
        """As :meth:`_on_atoms`, or the row's own number where that is in ``(low, high]``."""
        found = self._on_atoms(low, high)
        if self.points is None:
            return found
        points = self.points.values
        return np.where((points > low) & (points <= high), points, found)

    def _on_atoms(self, low: Floats, high: Floats) -> Floats:
        """``high``, or the atom in ``(low, high]`` where there is one."""
        if not len(self.atoms):
            return high
        after = np.searchsorted(self.atoms, low, side='right').clip(max=len(self.atoms) - 1)
        atoms = self.atoms[after]
        return np.where((atoms > low) & (atoms <= high), atoms, high)


def _middle(low: Floats, high: Floats) -> Floats:
    """The middle between two numbers, also where their difference is beyond float64."""
    with np.errstate(over='ignore'):
        gap = high - low
    return np.where(np.isinf(gap), low / 2 + high / 2, low + gap / 2)
