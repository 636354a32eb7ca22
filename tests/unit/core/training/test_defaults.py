"""Defaults that follow from the size of the table: within limits, larger for larger tables."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.training.defaults import (
    cool_down_dropout,
    cool_down_length,
    default_batch_size,
    default_dropout,
    default_epochs,
    default_learning_rate,
    default_weight_decay,
    following_cool_down,
    further_training,
    longest_training,
)


def test_default_epochs_fall_with_the_size_within_limits() -> None:
    numbers = [default_epochs(rows, 10, min(rows, 64)) for rows in (1, 100, 1000, 10**6, 10**9)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == default_epochs(2, 2, 2) > numbers[-1]
    # fewer rows are memorised sooner
    assert numbers[2] < default_epochs(5_000, 10, 64)
    assert numbers[-1] == default_epochs(10**9, 20, 128) >= 1
    assert default_epochs(10_000, 20, 128) <= default_epochs(10_000, 10, 128)


def test_default_steps_grow_with_the_table() -> None:
    cpu = torch.device('cpu')
    rows = 2, 1000, 10_000, 10**6
    before = torch.get_num_threads()
    try:
        for threads, most in ((1, 256), (2, 512), (8, 512)):
            torch.set_num_threads(threads)
            assert [default_batch_size(size, cpu) for size in rows] == [64, 64, 128, most]
    finally:
        torch.set_num_threads(before)


def test_default_learning_rate_grows_with_the_step_but_not_for_ever() -> None:
    found = [default_learning_rate(rows) for rows in (1, 256, 512, 10**6)]
    assert found == pytest.approx([1.5e-3, 1.5e-3, 2**0.5 * 1.5e-3, 2**0.5 * 1.5e-3])


def test_fewer_rows_have_more_weight_decay_within_limits() -> None:
    found = [default_weight_decay(rows) for rows in (1, 100, 1000, 10_000, 10**6)]
    assert found == sorted(found, reverse=True)
    assert found[0] == found[1] <= 1
    assert found[-1] < 1e-3


def test_fewer_rows_and_longer_trainings_leave_out_more() -> None:
    found = [default_dropout(rows, None) for rows in (1, 1000, 10_000, 10**6)]
    assert found == sorted(found, reverse=True)
    assert found[0] == found[1] < 1
    assert found[-1] < 0.01
    assert 0 < default_dropout(300, 3) < default_dropout(300, 30) < default_dropout(300, 300)
    assert default_dropout(300, 300) == default_dropout(300, None)


def test_a_cool_down_leaves_out_more_of_large_tables() -> None:
    assert cool_down_dropout(300) == default_dropout(300, None)
    for rows in (5_000, 10_000, 10**6):
        assert default_dropout(rows, None) < cool_down_dropout(rows) < cool_down_dropout(rows // 2)


def test_the_longest_training_is_longer_than_the_default_but_not_for_few_rows() -> None:
    for rows in (5_000, 20_000, 10**6):
        default = default_epochs(rows, 10, 128) * (rows // 128)
        assert default < longest_training(rows, 10, 128) <= 1.5 * default
    for rows in (100, 300, 500):
        size = min(rows, 64)
        default = default_epochs(rows, 10, size) * (rows // size)
        assert longest_training(rows, 10, size) < default


def test_small_tables_may_train_further_up_to_the_length_of_others() -> None:
    assert not further_training(900, 10)
    assert [*further_training(1_500, 10)] == [0.95]
    few, more = (further_training(rows, 10) for rows in (2_500, 3_500))
    assert 1 < few[0.75] < more[0.75] < few[0.95] == more[0.95]
    small, other = longest_training(3_999, 10, 64) / 62, longest_training(4_000, 10, 128) / 31
    assert small * further_training(3_999, 10)[0.75] == pytest.approx(other, rel=0.02)
    assert not further_training(3_000, 1_000)  # of which there are cells enough


def test_others_may_take_up_to_twice_their_length() -> None:
    assert not further_training(4_000, 10)
    factors = [further_training(rows, 10)[0.58] for rows in (5_000, 8_000, 20_000, 60_000)]
    assert factors == [1.25, 2, 2, 1.25]
    assert not further_training(100_000, 10)


def test_few_rows_are_not_cooled_down_for_long() -> None:
    assert cool_down_length(500) < 1 < cool_down_length(5_000) == cool_down_length(10**6)
    assert cool_down_length(100) == cool_down_length(1_000) < cool_down_length(2_000) < 1
    assert following_cool_down(999) == cool_down_length(999)
    assert following_cool_down(1_000) == cool_down_length(4_000)
    assert cool_down_length(3_999) == pytest.approx(cool_down_length(4_000), rel=1e-3)
