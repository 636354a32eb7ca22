"""Mixed numbers in groups: spikes, missing cells and a continuous rest, all conditionals known."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.data.distributions import Distribution, Floats
from sdv_tabdar.conditions import Between, NotNull, OneOf


@dataclasses.dataclass(frozen=True)
class Component:
    """The distribution of a column within a group.

    Attributes:
        masses: Probability of each spike; None is a missing cell. Together below 1.
        rest: SciPy's frozen distribution of the numbers beside the spikes.
    """

    masses: Mapping[float | None, float]
    rest: Any

    @property
    def continuous(self) -> float:
        """Probability of a number that is no spike."""
        return 1 - sum(self.masses.values())

    def quantiles(self, choices: Floats, places: Floats) -> Floats:
        """Numbers of the distribution from two uniform numbers each; NaN where missing."""
        numbers: Floats = np.asarray(self.rest.ppf(places), dtype=float)
        start = 0.0
        for spike, mass in self.masses.items():
            chosen = (choices >= start) & (choices < start + mass)
            numbers[chosen] = np.nan if spike is None else spike
            start += mass
        return numbers

    def evidence(self, cell: object) -> float:
        """Probability, or density, of what is known about a cell."""
        if isinstance(cell, NotNull):
            return 1 - self.masses.get(None, 0.0)
        if isinstance(cell, OneOf):
            return sum(self.evidence(value) for value in cell.values)
        if isinstance(cell, Between):
            inside = sum(mass for spike, mass in self.masses.items() if _is_within(spike, cell))
            low, high = self._ends(cell)
            return inside + self.continuous * (high - low)
        if cell in self.masses or pd.isna(cell):
            return self.masses.get(cell, 0.0)  # type: ignore[call-overload]
        return self.continuous * float(self.rest.pdf(cell))

    def _ends(self, cell: Between) -> tuple[float, float]:
        """The cdf of the rest at both ends of a range."""
        low = 0.0 if cell.low is None else float(self.rest.cdf(cell.low))
        return low, 1.0 if cell.high is None else float(self.rest.cdf(cell.high))

    def outcomes(self, cell: object) -> dict[float | None, float]:
        """Joint probability of what is known about the cell and of each spike; None knows nothing.

        Args:
            cell: A condition that is not one value, or ``Ellipsis`` for nothing.
        """
        if isinstance(cell, Between):
            return {spike: mass for spike, mass in self.masses.items() if _is_within(spike, cell)}
        if isinstance(cell, OneOf):
            return {spike: mass for spike, mass in self.masses.items() if spike in cell.values}
        if isinstance(cell, NotNull):
            return {spike: mass for spike, mass in self.masses.items() if spike is not None}
        return dict(self.masses)

    def below(self, numbers: Floats, cell: object) -> Floats:
        """Joint probability of what is known, of being no spike, and of being at most a number."""
        if isinstance(cell, OneOf):
            return np.zeros(len(numbers))
        low, high = self._ends(cell) if isinstance(cell, Between) else (0.0, 1.0)
        found: Floats = self.continuous * (np.clip(self.rest.cdf(numbers), low, high) - low)
        return found


@dataclasses.dataclass(frozen=True)
class Mixture:
    """Groups ``g`` of equal probability, in each of which the columns are independent.

    Attributes:
        groups: For each group the distribution of each column.
    """

    groups: Mapping[str, Mapping[str, Component]]

    def distribution(self, given: Mapping[str, object], column: str) -> Distribution:
        """The distribution of a column given values or conditions of any columns."""
        weights = {group: self._weight(group, given, column) for group in self.groups}
        if column == 'g':
            total = sum(weights.values())
            return Distribution({group: weight / total for group, weight in weights.items()})
        cell = given.get(column, ...)
        ends = np.array([np.inf])
        rest = sum(w * self.groups[g][column].below(ends, cell)[0] for g, w in weights.items())
        masses: dict[Hashable, float] = {}
        for group, weight in weights.items():
            for spike, mass in self.groups[group][column].outcomes(cell).items():
                masses[spike] = masses.get(spike, 0.0) + weight * mass
        total = rest + sum(masses.values())

        def cdf(numbers: Floats) -> Floats:
            found = [w * self.groups[g][column].below(numbers, cell) for g, w in weights.items()]
            return np.sum(found, axis=0) / rest

        return Distribution(
            {spike: mass / total for spike, mass in masses.items()}, cdf if rest > 0 else None
        )

    def _weight(self, group: str, given: Mapping[str, object], column: str) -> float:
        """Probability of a group with what is known about all columns but the one asked for."""
        weight = 1.0
        for name, cell in given.items():
            if name == 'g':
                allowed = cell.values if isinstance(cell, OneOf) else (cell,)
                weight *= group in allowed
            elif name != column:
                weight *= self.groups[group][name].evidence(cell)
        return weight


def _is_within(spike: float | None, cell: Between) -> bool:
    if spike is None:
        return False
    return (cell.low is None or spike >= cell.low) and (cell.high is None or spike <= cell.high)
