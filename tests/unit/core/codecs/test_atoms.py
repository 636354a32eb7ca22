"""Which numbers have a code of their own, and which of them is nearest to another number."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.codecs.atoms import frequent_ones, nearest, runs


def test_runs_of_sorted_values_are_counted() -> None:
    distinct, counts = runs(np.array([1.0, 1.0, 2.0, 5.0, 5.0, 5.0]))
    assert distinct.tolist() == [1, 2, 5]
    assert counts.tolist() == [2, 1, 3]
    assert [part.tolist() for part in runs(np.array([]))] == [[], []]


@pytest.mark.parametrize(
    ('counts', 'max_atoms', 'expected'),
    [
        ([5, 5, 5], 3, [True, True, True]),  # few values that recur
        ([1], 3, [True]),  # a constant
        ([12, 1, 2, 30], 3, [True, False, False, True]),  # the frequent ones
        ([12, 1, 2, 30], 1, [False, False, False, True]),  # the most frequent one
        ([20, 20, 20], 2, [True, True, False]),  # of equals the first
        ([20, 20], 0, [False, False]),
        ([900, *[2] * 40], 99, [True, *[False] * 40]),  # beside a spike single rows
        ([900, *[6] * 40], 99, [True] * 41),
        ([900, 1, 1, 2], 99, [True] * 4),  # counts that are mostly 0
    ],
)
def test_frequent_values_become_atoms(
    counts: list[int], max_atoms: int, expected: list[bool]
) -> None:
    assert frequent_ones(np.array(counts), sum(counts), max_atoms).tolist() == expected


def test_the_nearest_atom_is_found_also_across_all_of_float64() -> None:
    atoms = np.array([-1.7e308, 0.0, 1.7e308])
    found = nearest(atoms, np.array([-np.finfo(float).max, -1.0, 1e308, 1.7e308]))
    assert found.tolist() == [0, 1, 2, 2]
