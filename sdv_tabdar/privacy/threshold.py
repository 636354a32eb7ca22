"""How many rows must share a value, and the random numbers that blur it.

The random numbers come from the data: the same table is protected in the same way each time, and
who does not have all of it cannot compute them, as one could from a seed that is in a model file.
"""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import numpy.typing as npt

DEFAULT_ROWS = 5
_AVERAGED = 5  # values that a bound is the mean of


@dataclasses.dataclass(frozen=True)
class Threshold:
    """How many rows must share a value for it to be kept.

    Attributes:
        rows: The least number; each value has a threshold of its own from here to half as many
            more, so that what is kept does not tell how often it occurs.
    """

    rows: int

    @classmethod
    def of(cls, protect_values: bool | int) -> Threshold:
        """The threshold that an argument of the synthesizer asks for."""
        return cls(DEFAULT_ROWS if protect_values is True else int(protect_values))

    def blurred(self, generator: np.random.Generator, size: int) -> npt.NDArray[np.int64]:
        """A threshold ``(size,)`` for each of some values."""
        return generator.integers(self.rows, self.rows + self.rows // 2, size, endpoint=True)


@dataclasses.dataclass(frozen=True)
class Tail:
    """What becomes of the numbers at either end of a column; the same in all columns of a table.

    Columns of which one is never greater than another keep that: their bounds are the same means
    of numbers that are in the same order.

    Attributes:
        cut: How many rows lie beyond the bound, about.
        weights: ``(5,)`` in which numbers after these make the bound; they add up to 1.
    """

    cut: int
    weights: npt.NDArray[np.float64]

    @classmethod
    def drawn(cls, threshold: Threshold, generator: np.random.Generator) -> Tail:
        """A random one."""
        weights = generator.uniform(0.5, 1.5, _AVERAGED)
        return cls(int(threshold.blurred(generator, 1)[0]), weights / weights.sum())


def generator_of(*content: bytes) -> np.random.Generator:
    """Random numbers that follow from some content."""
    found = hashlib.sha256()
    for part in content:
        found.update(len(part).to_bytes(8, 'little'))
        found.update(part)
    return np.random.default_rng(list(found.digest()))
