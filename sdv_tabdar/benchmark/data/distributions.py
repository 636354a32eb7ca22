"""Exact distributions that completed cells must follow, and how far drawn cells are from them.

A ``Distribution`` has outcomes with a probability (categories, spikes, a missing cell) and a
continuous rest. Distances stand beside what draws of the distribution itself exceed once in a
hundred.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

Floats = npt.NDArray[np.float64]

LEVEL = 0.99
SIMULATIONS = 4_000
# Of fewer numbers than this the distance says nothing.
FEWEST = 50


@dataclasses.dataclass(frozen=True)
class Distribution:
    """The distribution of one cell.

    Attributes:
        masses: Probability of each outcome that has one; None is a missing cell.
        cdf: Distribution function of the rest, given that the cell is none of the outcomes above.
    """

    masses: Mapping[Hashable, float] = dataclasses.field(default_factory=dict)
    cdf: Callable[[Floats], Floats] | None = None


@dataclasses.dataclass(frozen=True)
class Case:
    """A condition and the distributions that follow from it.

    Attributes:
        kind: 'value', 'range', 'set', 'null' or 'several'.
        given: What is known, by column: values and conditions that are not one value; or a frame
            with other values in each row.
        distributions: The distribution of each completed column.
        derive: Applied to completed rows first, where something computed is compared.
    """

    kind: str
    given: Mapping[str, object] | pd.DataFrame
    distributions: Mapping[str, Distribution]
    derive: Callable[[pd.DataFrame], pd.DataFrame] | None = None


@dataclasses.dataclass(frozen=True)
class Check:
    """One distance.

    Attributes:
        statistic: 'TV' (total variation of the outcomes) or 'KS' (of the continuous rest).
        count: How many cells it is of.
        distance: Between the drawn cells and the distribution.
        bound: What as many draws of the distribution itself exceed with probability 0.01.
    """

    statistic: str
    count: int
    distance: float
    bound: float

    @property
    def within(self) -> bool:
        """Whether the distance is what chance explains."""
        return self.distance <= self.bound


def compare(column: pd.Series, distribution: Distribution) -> list[Check]:
    """How far completed cells are from their distribution.

    Args:
        column: The cells.
        distribution: Their distribution.

    Returns:
        A total variation if the distribution has two outcomes or more, and a Kolmogorov-Smirnov
        distance if it has a continuous rest and that occurred often enough.
    """
    cells = [None if pd.isna(cell) else cell for cell in column.tolist()]
    places = {outcome: place for place, outcome in enumerate(distribution.masses)}
    checks = []
    rest = max(0.0, 1 - sum(distribution.masses.values())) if distribution.cdf is not None else 0.0
    probabilities = np.array([*distribution.masses.values(), rest])
    if (probabilities > 0).sum() > 1:
        known = [places[cell] for cell in cells if cell in places]
        counts = np.bincount(known, minlength=len(probabilities))
        # Whatever has no place in the distribution lies with the rest.
        counts[-1] += len(cells) - len(known)
        distance = float(np.abs(counts / len(cells) - probabilities).sum() / 2)
        checks.append(Check('TV', len(cells), distance, variation_bound(probabilities, len(cells))))
    if distribution.cdf is not None:
        numbers = np.array([cell for cell in cells if cell not in places], dtype=float)
        if len(numbers) >= FEWEST:
            distance = float(stats.kstest(numbers, distribution.cdf).statistic)
            checks.append(Check('KS', len(numbers), distance, kolmogorov_bound(len(numbers))))
    return checks


def variation_bound(probabilities: Sequence[float] | Floats, size: int) -> float:
    """What the total variation of ``size`` draws of a distribution exceeds once in a hundred."""
    distribution = np.asarray(probabilities, dtype=float)
    distribution = distribution / distribution.sum()
    drawn = np.random.default_rng(0).multinomial(size, distribution, size=SIMULATIONS) / size
    return float(np.quantile(np.abs(drawn - distribution).sum(axis=1) / 2, LEVEL))


def kolmogorov_bound(size: int) -> float:
    """The same for the Kolmogorov-Smirnov distance of draws of a continuous distribution."""
    return float(stats.kstwo.ppf(LEVEL, size))


def most_beyond(checks: int) -> int:
    """How many of so many checks are beyond their bounds in all but 1 % of perfect samplers.

    The checks are taken for independent.
    """
    return int(stats.binom.ppf(LEVEL, checks, 1 - LEVEL))
