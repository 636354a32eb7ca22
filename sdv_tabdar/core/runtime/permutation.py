"""A permutation of the first whole numbers that is computed for any of them alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_ROUNDS = 6
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)  # of SplitMix64, which spreads each bit over all


def permuted(numbers: npt.NDArray[np.int64], size: int, key: int) -> npt.NDArray[np.int64]:
    """Where a permutation that follows from a key puts numbers.

    A Feistel network over the bits, walked until it is back among the numbers (Black and Rogaway
    2002, 'Ciphers with arbitrary finite domains', doi:10.1007/3-540-45760-7_9). It looks random
    and hides nothing.

    Args:
        numbers: Any, from 0 on.
        size: Those below it change places with each other, up to 2**62; others stay.
        key: Seed of the permutation.

    Returns:
        As many numbers, equal ones only where they were equal.
    """
    keys = np.random.SeedSequence(key).generate_state(_ROUNDS, np.uint64).astype(np.uint64)
    half = np.uint64(max((max(size - 1, 1).bit_length() + 1) // 2, 1))
    found = numbers.astype(np.uint64)
    walking = np.flatnonzero(found < size)
    while len(walking):
        found[walking] = _network(found[walking], half, keys)
        walking = walking[found[walking] >= size]
    return found.astype(np.int64)


def _network(
    numbers: npt.NDArray[np.uint64], half: np.uint64, keys: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """A permutation of the numbers of twice ``half`` bits."""
    low_bits = (np.uint64(1) << half) - np.uint64(1)
    left, right = numbers >> half, numbers & low_bits
    for key in keys:
        mixed = (right ^ key) * _MULTIPLIER
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MULTIPLIER
        left, right = right, left ^ ((mixed >> np.uint64(32)) & low_bits)
    return (left << half) | right
