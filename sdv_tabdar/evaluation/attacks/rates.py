"""How well scores tell members from others: the AUC, and hits at few false alarms.

All rates treat ties as a coin would: rows of equal score are called members in random order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FALSE_ALARMS = (0.01, 0.1)
"""Shares of the others that are taken for members, at which hits are counted."""

RESAMPLES = 200


@dataclass(frozen=True)
class Rates:
    """What an attack achieves.

    Attributes:
        auc: The probability that a member scores higher than another row: .5 is guessing.
        hits: The share of members that is found at each of `FALSE_ALARMS`.
        low: Lower ends of the 95 % intervals of `auc` and of each of `hits`, over both sets of
            rows; None where they were not asked for.
        high: Upper ends.
        error: The standard error of the AUC of an attack that guesses, with as many rows.
    """

    auc: float
    hits: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    error: float

    @property
    def errors_above(self) -> float:
        """By how many standard errors the AUC is above that of guessing."""
        return (self.auc - 0.5) / self.error


def rates(
    members: np.ndarray, others: np.ndarray, generator: np.random.Generator | None = None
) -> Rates:
    """The rates of an attack.

    Args:
        members: Scores of rows that were trained on; more means more like a member.
        others: Scores of rows that were not.
        generator: Resamples rows for the intervals; None for no intervals.
    """
    _, ranks = np.unique(np.concatenate([members, others]), return_inverse=True)
    mine, theirs = ranks[: len(members)], ranks[len(members) :]
    size = int(ranks.max()) + 1

    def found(first: np.ndarray, second: np.ndarray) -> list[float]:
        return _rates(np.bincount(first, minlength=size), np.bincount(second, minlength=size))

    auc, *hits = found(mine, theirs)
    low = high = None
    if generator is not None:
        drawn = [
            found(*(part[generator.integers(len(part), size=len(part))] for part in (mine, theirs)))
            for _ in range(RESAMPLES)
        ]
        ends = np.quantile(drawn, [0.025, 0.975], axis=0)
        low, high = (tuple(map(float, end)) for end in ends)
    return Rates(auc, tuple(hits), low, high, guessing_error(len(members), len(others)))


def guessing_error(members: int, others: int) -> float:
    """The standard error of the AUC of scores that know nothing (Mann and Whitney 1947)."""
    return math.sqrt((members + others + 1) / (12 * members * others))


def _rates(members: np.ndarray, others: np.ndarray) -> list[float]:
    """AUC and hits from the numbers of rows at each score, lowest first."""
    total, all_others = members.sum(), others.sum()
    below = np.cumsum(others) - others / 2
    values = [float(members @ below / (total * all_others))]
    # From the highest score down: alarms among the others, hits among the members.
    alarms = np.concatenate([[0], np.cumsum(others[::-1])])
    hits = np.concatenate([[0], np.cumsum(members[::-1])])
    for share in FALSE_ALARMS:
        allowed = share * all_others
        at = int(np.searchsorted(alarms, allowed, side='right')) - 1
        if at == len(alarms) - 1:
            values.append(1.0)
            continue
        part = (allowed - alarms[at]) / (alarms[at + 1] - alarms[at])
        values.append(float((hits[at] + part * (hits[at + 1] - hits[at])) / total))
    return values
