"""Mixtures of which every conditional distribution is known exactly.

In each of some groups, which a row need not show, columns are independent; so what is known of
some columns weighs the groups, and the weighted groups give the distribution of the others.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from scipy.special import logsumexp

from sdv_tabdar.benchmark.data.distributions import Distribution, Floats
from sdv_tabdar.conditions import Between, NotNull, OneOf

ANY = ...
"""Nothing is known of a cell."""


@dataclasses.dataclass(frozen=True)
class Component:
    """The distribution of a column within a group.

    Attributes:
        masses: Probability of each value that has one: categories, spikes, None for missing.
        rest: SciPy's frozen distribution of the other numbers, or None.
    """

    masses: Mapping[Hashable, float] = dataclasses.field(default_factory=dict)
    rest: Any = None

    @property
    def continuous(self) -> float:
        """Probability of a number that has no mass of its own."""
        return 1 - sum(self.masses.values()) if self.rest is not None else 0.0

    def evidence(self, cell: Any) -> float:
        """Probability, or density, of what is known about a cell."""
        if cell is ANY or isinstance(cell, (Between, NotNull, OneOf)):
            return sum(self.outcomes(cell).values()) + float(self.below(math.inf, cell))
        if cell in self.masses or self.rest is None or cell is None:
            return self.masses.get(cell, 0.0)
        return self.continuous * float(self.rest.pdf(cell))

    def outcomes(self, cell: Any) -> dict[Hashable, float]:
        """Joint probability, or density, of what is known about the cell and of each value."""
        if isinstance(cell, OneOf):
            return {value: self.evidence(value) for value in cell.values}
        return {value: mass for value, mass in self.masses.items() if _allows(cell, value)}

    def below(self, numbers: Any, cell: Any) -> Any:
        """Joint probability of what is known, of having no mass, and of being at most a number."""
        if self.rest is None or isinstance(cell, OneOf):
            return np.zeros(np.shape(numbers))
        low, high = 0.0, 1.0
        if isinstance(cell, Between):
            low = 0.0 if cell.low is None else self.rest.cdf(cell.low)
            high = 1.0 if cell.high is None else self.rest.cdf(cell.high)
        return self.continuous * (np.clip(self.rest.cdf(numbers), low, high) - low)

    def log_densities(self, cells: pd.Series) -> Floats:
        """Log probability of cells that have one, log density of the other numbers."""
        missing = cells.isna().to_numpy()
        found = np.full(len(cells), -np.inf)
        if self.rest is not None:
            numbers = cells[~missing].to_numpy(dtype=float)
            with np.errstate(divide='ignore'):
                found[~missing] = np.log(self.continuous) + self.rest.logpdf(numbers)
        for value, mass in self.masses.items():
            found[missing if value is None else (cells == value).to_numpy()] = math.log(mass)
        return found

    @property
    def entropy(self) -> float:
        """Of a cell, in nats; densities are per unit of the number."""
        shares = [mass for mass in (*self.masses.values(), self.continuous) if mass > 0]
        rest = self.continuous * float(self.rest.entropy()) if self.continuous > 0 else 0.0
        return rest - sum(share * math.log(share) for share in shares)

    def quantiles(self, choices: Floats, places: Floats) -> npt.NDArray[np.object_]:
        """Values of the distribution from two uniform numbers each."""
        found = np.full(len(choices), None, dtype=object)
        if self.rest is not None:
            found[:] = self.rest.ppf(places)
        start = 0.0
        for value, mass in self.masses.items():
            found[(choices >= start) & (choices < start + mass)] = value
            start += mass
        return found


@dataclasses.dataclass(frozen=True)
class Mixture:
    """Groups in each of which columns are independent.

    Attributes:
        weights: Probability of each group.
        groups: The distribution of each column in it.
    """

    weights: Sequence[float]
    groups: Sequence[Mapping[str, Component]]

    def distribution(self, given: Mapping[str, Any], column: str) -> Distribution:
        """The distribution of a column given values or conditions of any columns."""
        cell = given.get(column, ANY)
        others = {name: known for name, known in given.items() if name != column}
        parts = []
        for weight, group in zip(self.weights, self.groups, strict=True):
            evidence = math.prod(group[name].evidence(known) for name, known in others.items())
            parts.append((weight * evidence, group[column]))
        masses: dict[Hashable, float] = {}
        for weight, component in parts:
            for value, mass in component.outcomes(cell).items():
                masses[value] = masses.get(value, 0.0) + weight * mass

        def below(numbers: Any) -> Any:
            return sum(weight * component.below(numbers, cell) for weight, component in parts)

        rest = float(below(math.inf))
        total = rest + sum(masses.values())
        return Distribution(
            {value: mass / total for value, mass in masses.items()},
            (lambda numbers: below(numbers) / rest) if rest > 0 else None,
        )

    def log_density(self, rows: pd.DataFrame) -> Floats:
        """Log density of each row: log probability of what has one, per unit of other numbers."""
        logs = [
            math.log(weight) + sum(group[name].log_densities(rows[name]) for name in group)
            for weight, group in zip(self.weights, self.groups, strict=True)
        ]
        found: Floats = logsumexp(np.stack(logs), axis=0)
        return found

    @property
    def entropy_of_groups_apart(self) -> float:
        """Of a row, in nats, where no row can be of two groups; densities are per unit."""
        return float(stats.entropy(self.weights)) + sum(
            weight * sum(part.entropy for part in group.values())
            for weight, group in zip(self.weights, self.groups, strict=True)
        )

    def rank(self, rows: pd.DataFrame, column: str, given: Sequence[str]) -> Floats:
        """Of each row the probability of at most its number, given its numbers in other columns."""
        weights, below = [], []
        for weight, group in zip(self.weights, self.groups, strict=True):
            density = math.prod(group[name].rest.pdf(rows[name].to_numpy()) for name in given)
            weights.append(weight * density)
            below.append(group[column].rest.cdf(rows[column].to_numpy()))
        return np.average(below, axis=0, weights=weights)

    def table(self, rows: int, seed: int = 0) -> pd.DataFrame:
        """As many rows as the next power of two, which lie evenly on the distribution."""
        names = list(self.groups[0])
        sequence = stats.qmc.Sobol(1 + 2 * len(names), rng=np.random.default_rng(seed))
        uniform = np.clip(sequence.random_base2(max(1, round(np.log2(rows)))), 1e-7, 1 - 1e-7)
        ends = np.cumsum(self.weights)
        chosen = np.searchsorted(ends / ends[-1], uniform[:, 0])
        parts = []
        for number, group in enumerate(self.groups):
            own = uniform[chosen == number]
            cells = {
                name: group[name].quantiles(own[:, 1 + 2 * place], own[:, 2 + 2 * place])
                for place, name in enumerate(names)
            }
            parts.append(pd.DataFrame(cells))
        frame = pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)
        return frame.astype({name: float for name in names if self.groups[0][name].rest})


def _allows(cell: Any, value: Any) -> bool:
    """Whether a value is what is known of a cell."""
    if cell is ANY:
        return True
    if value is None or isinstance(cell, NotNull):
        return value is not None
    above = cell.low is None or value >= cell.low
    return above and (cell.high is None or value <= cell.high)
