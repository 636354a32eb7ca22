"""Numbers of too few rows are gone, and what is left is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.privacy.numbers import ends_are_shared, grid, protected_numbers
from sdv_tabdar.privacy.threshold import Tail, Threshold, generator_of

FIVE = Threshold(5)
TAIL = Tail.drawn(FIVE, generator_of(b''))
RANDOM = np.random.default_rng(0)


def protected(numbers: np.ndarray, threshold: Threshold = FIVE) -> np.ndarray:
    return protected_numbers(
        numbers,
        threshold,
        TAIL,
        max_atoms=256,
        max_categories=2048,
        rounded=lambda bound: np.round(bound, 6),
    )


def test_the_ends_become_a_bound_that_no_row_has_and_several_share() -> None:
    numbers = RANDOM.lognormal(3, 1, 1000)
    found = protected(numbers)
    changed = found != numbers
    ordered = np.sort(numbers)

    assert ordered[4] < found.min() < ordered[13]
    assert ordered[-14] < found.max() < ordered[-5]
    assert not {found.min(), found.max()} & set(numbers)
    assert ends_are_shared(found, FIVE)
    assert not ends_are_shared(numbers, FIVE)
    assert changed.sum() < 30


def test_what_is_protected_stays_as_it_is() -> None:
    found = protected(RANDOM.normal(size=500))
    assert np.array_equal(protected(found), found)


def test_an_end_that_many_rows_have_stays() -> None:
    numbers = np.concatenate([np.zeros(50), RANDOM.lognormal(3, 1, 500), np.full(9, 99_999.0)])
    found = protected(numbers)
    assert np.array_equal(found, numbers)


def test_rare_values_among_values_that_recur_become_the_ones_next_to_them() -> None:
    numbers = np.concatenate([np.repeat(np.arange(20.0, 60.0), 20), [7.0, 95.0, 96.0, 96.0]])
    found = protected(numbers)
    assert np.array_equal(found[:-4], numbers[:-4])
    assert found[-4:].tolist() == [20.0, 59.0, 59.0, 59.0]


def test_many_rare_values_do_not_become_the_frequent_one_beside_them() -> None:
    numbers = np.concatenate([np.zeros(900), 1_000.0 + np.repeat(np.arange(30) * 7, 2)])
    found = protected(numbers)
    _, counts = np.unique(found, return_counts=True)
    assert ((found == 0) == (numbers == 0)).all()
    assert counts.min() >= 5
    assert np.abs(found - numbers).max() < 30


def test_a_number_that_is_shared_by_fewer_than_asked_for_is_no_atom() -> None:
    numbers = np.concatenate([RANDOM.normal(size=2000), np.full(15, 0.25), np.full(400, 0.5)])
    found = protected(numbers, Threshold(50))
    assert 0.25 in protected(numbers)
    assert 0.25 not in found
    assert (found == 0.5).sum() == 400


def test_a_number_that_would_be_told_is_shared_by_as_many_as_asked_for() -> None:
    numbers = np.concatenate([RANDOM.normal(size=900), np.full(8, 0.25), np.full(80, -0.5)])
    found = protected(numbers, Threshold(20))
    assert (found == 0.25).sum() < 5
    assert abs(found - numbers).max() < 5
    assert (found == -0.5).sum() >= 80


def test_values_of_which_none_is_shared_by_enough_are_grouped() -> None:
    numbers = np.repeat(np.arange(30.0), 6)
    found = protected(numbers, Threshold(20))
    _, counts = np.unique(found, return_counts=True)
    assert counts.min() >= 20
    assert np.abs(found - numbers).max() <= 3


def test_missing_cells_stay_and_too_few_numbers_are_missing() -> None:
    numbers = np.where(RANDOM.random(300) < 0.3, np.nan, RANDOM.normal(size=300))
    assert np.array_equal(np.isnan(protected(numbers)), np.isnan(numbers))
    few = np.where(np.arange(300) < 4, 1.5, np.nan)
    assert np.isnan(protected(few)).all()


@pytest.mark.parametrize('size', [5, 6, 9, 15, 40])
def test_small_columns_keep_no_number_of_their_own(size: int) -> None:
    numbers = RANDOM.normal(size=size)
    found = protected(numbers)
    assert found.min() > numbers.min()
    assert found.max() < numbers.max()
    assert ends_are_shared(found, FIVE)


def test_columns_in_order_stay_in_order() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        low = random.lognormal(2, 1, 200)
        high = low + random.lognormal(0, 2, 200)
        assert (protected(low) < protected(high)).all()


def test_the_grid_of_whole_numbers() -> None:
    assert grid(np.array([5.0, 20.0, np.nan, -15.0])) == 5
    assert grid(np.array([0.5, 2.0])) == 0
    assert grid(np.array([np.nan])) == 0


def test_the_same_table_is_protected_alike_and_thresholds_differ_by_value() -> None:
    numbers = RANDOM.normal(size=100)
    assert np.array_equal(protected(numbers), protected(numbers))
    drawn = FIVE.blurred(generator_of(b'x'), 100)
    assert set(drawn) == {5, 6, 7}
    assert (Threshold.of(True), Threshold.of(9)) == (FIVE, Threshold(9))


def test_rare_ones_of_many_values_that_recur_become_those_of_groups_as_well() -> None:
    """Such numbers may get codes of their own, as what belongs to a shop does."""
    values = RANDOM.normal(size=300)
    numbers = np.concatenate([np.repeat(values, 8), np.repeat(values[:20] + 9, 3)])
    found = protected(numbers)
    assert np.array_equal(found[: 8 * 300], numbers[: 8 * 300])
    assert np.unique(found, return_counts=True)[1].min() >= FIVE.rows
