"""Questions that are put to the rows before training, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.runtime.secret import secret_normals
from sdv_tabdar.privacy.budget import CHANCE_SHARE, Counts, Spent, counts_noise, threshold


class Questions:
    """Counts of rows with noise, each of them paid for.

    Args:
        epsilon: Of the whole budget.
        delta: Of the whole budget.
        weight: The sum of the weights of all questions that will be asked.
        num_open: How many of them are about values that are not known beforehand.
    """

    def __init__(self, epsilon: float, delta: float, *, weight: float, num_open: int) -> None:
        self.delta = delta
        self._noise = counts_noise(epsilon, delta) * math.sqrt(weight)
        self._chance = CHANCE_SHARE * delta / max(num_open, 1)
        self._left, self._num_open = weight, num_open
        self._asked: list[Counts] = []
        self._used_chance = 0.0

    @property
    def spent(self) -> Spent:
        """What was asked so far."""
        return Spent(self.delta, self._used_chance, tuple(self._asked))

    def noise(self, weight: float) -> float:
        """Standard deviation of the noise of a question of some weight."""
        return self._noise / math.sqrt(weight)

    def counts(self, what: str, counts: npt.NDArray[np.int64], weight: float) -> Floats:
        """Counts with noise: whole numbers, which may be less than 0.

        The noise is rounded to whole numbers, so that the digits of the sum tell nothing.

        Args:
            what: What was counted.
            counts: ``(K,)``, of cells that follow from what is known; each row is in one of them,
                or in none.
            weight: Of the question; the more, the less noise, and the higher the price.
        """
        self._left -= weight
        assert self._left > -1e-9, 'more was asked than is paid for'
        noise = self.noise(weight)
        self._asked.append(Counts(what, noise))
        drawn = (secret_normals(len(counts)).numpy() * noise).round()
        found: Floats = counts + drawn
        return found

    def distances(self, what: str, distances: npt.NDArray[np.int64], weight: float) -> Floats:
        """Whole numbers with noise of which each row changes every one by 1 at most.

        Args:
            what: What they are.
            distances: ``(K,)``.
            weight: As in :meth:`counts`.
        """
        self._left -= weight
        assert self._left > -1e-9, 'more was asked than is paid for'
        noise = self.noise(weight)
        self._asked.append(Counts(what, noise))
        sensitivity = math.sqrt(len(distances))
        drawn = (secret_normals(len(distances)).numpy() * noise * sensitivity).round()
        found: Floats = distances + drawn
        return found

    def levels(
        self,
        what: str,
        levels: Sequence[Hashable],
        counts: npt.NDArray[np.int64],
        weight: float,
    ) -> list[tuple[Hashable, float]]:
        """Which values many rows have, and how many, with noise.

        Args:
            what: What was counted.
            levels: ``(K,)`` distinct values that the rows have.
            counts: ``(K,)`` how many have each.
            weight: As in :meth:`counts`.
        """
        self._num_open -= 1
        assert self._num_open >= 0, 'more open questions were asked than are paid for'
        self._used_chance += self._chance
        least = threshold(self.noise(weight), self._chance)
        noisy = self.counts(what, counts, weight)
        told = noisy > least
        return [(levels[place], float(noisy[place])) for place in np.flatnonzero(told).tolist()]
