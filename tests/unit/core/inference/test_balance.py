"""Numbers that are moved until they add up: which ones move, and by how much."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.inference.balance import Balance, Ends, Total


def ends_of(low: list[float], high: list[float], num_rows: int) -> Ends:
    shape = num_rows, len(low)
    return Ends(
        np.broadcast_to(np.array(low), shape).copy(),
        np.broadcast_to(np.array(high), shape).copy(),
        np.zeros(shape, dtype=bool),
    )


def test_the_largest_part_makes_up_for_what_small_ones_cannot_be_blamed_for() -> None:
    total = Total(place=3, parts=(0, 1, 2), follows=False, rest=1e-9)
    balance = Balance([total], [None] * 4, [None] * 4)
    drawn = np.array([[0.9, 0.3, 0.03, 1.0], [0.3, 0.3, 0.02, 1.0], [0.0, 0.0, 0.0, 1.0]])
    found = balance.balanced(drawn, ends_of([0, 0, 0, 1], [1, 1, 1, 1], len(drawn)))
    assert found[:, :3].sum(axis=1) == pytest.approx(1)
    assert found[0] == pytest.approx([0.67, 0.3, 0.03, 1], abs=1e-3)
    assert found[1] == pytest.approx([0.49, 0.49, 0.02, 1], abs=1e-3)


def test_a_total_that_is_nearly_the_sum_of_parts_that_stay_is_left() -> None:
    total = Total(place=0, parts=(1, 2), follows=True, rest=1e-6)
    balance = Balance([total], [None] * 3, [None] * 3)
    drawn = np.array([[0.99999999, 0.75, 0.25], [0.9, 0.75, 0.25]])
    ends = ends_of([0, 0.75, 0.25], [1, 0.75, 0.25], 2)
    found = balance.balanced(drawn, ends)
    assert found[0].tolist() == drawn[0].tolist()
    assert found[1] == pytest.approx([1, 0.75, 0.25], abs=1e-5)
