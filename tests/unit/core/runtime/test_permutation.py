"""A permutation that is computed for each number alone."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.runtime.permutation import permuted


@pytest.mark.parametrize('size', [1, 2, 3, 10, 1_000, 16_385])
def test_numbers_change_places(size: int) -> None:
    numbers = np.arange(size + 5)
    found = permuted(numbers, size, 3)

    assert sorted(found.tolist()) == numbers.tolist()
    assert found[size:].tolist() == numbers[size:].tolist()
    assert permuted(numbers[::-1], size, 3).tolist() == found[::-1].tolist()


def test_keys_make_other_permutations() -> None:
    one, other = (permuted(np.arange(50), 10**6, key) for key in (1, 2))

    assert not set(one.tolist()) & set(other.tolist())


@pytest.mark.parametrize('size', [16_777_217, 52**10])
def test_places_look_random(size: int) -> None:
    """Of 20,000 numbers in a row: evenly spread, neighbours unrelated (5 standard deviations)."""
    count = 20_000
    places = permuted(np.arange(count), size, 0) / size
    shares = np.histogram(places, 10, (0, 1))[0] / count

    assert np.abs(shares - 0.1).max() < 5 * np.sqrt(0.09 / count)
    assert abs(np.corrcoef(places[:-1], places[1:])[0, 1]) < 5 / np.sqrt(count)
