"""Held-out rows: how many, which, and that an evaluation does not vary."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.threads import Workers, workers
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.held_out import HeldOut, holds_out, num_held_out


def _held_out(table: EncodedTable) -> HeldOut:
    return HeldOut(table, fixed_order=False, generator=torch.Generator().manual_seed(0))


def test_a_share_of_the_rows_and_not_too_many() -> None:
    numbers = [num_held_out(rows) for rows in (1, 99, 100, 300, 10_000, 10**6, 5 * 10**6)]
    assert numbers[:2] == [0, 0]
    assert numbers == sorted(numbers)
    assert 10 <= numbers[2] <= 30
    assert numbers[-1] == numbers[-2] <= 5000


def test_rows_are_held_out_where_the_length_is_not_given() -> None:
    assert holds_out(TrainingConfig(), 1000)
    assert not holds_out(TrainingConfig(epochs=3), 1000)
    assert not holds_out(TrainingConfig(), 10)


def test_rows_are_chosen_without_looking_at_values(encoded: EncodedTable) -> None:
    other = dataclasses.replace(encoded, codes=torch.zeros_like(encoded.codes))
    rows = _held_out(encoded).rows
    assert torch.equal(rows, _held_out(other).rows)
    assert len(rows) == len(rows.unique()) == len(encoded) - num_held_out(len(encoded))
    assert not torch.equal(rows, rows.sort().values)


def test_an_evaluation_repeats_and_both_halves_are_alike(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    held_out = _held_out(encoded)
    with workers(2, torch.device('cpu')) as team:
        first = held_out.evaluate(network, team)
    second = held_out.evaluate(network, Workers(1, None))
    assert np.array_equal(first.held_out.rows, second.held_out.rows)
    assert first.held_out.rows.shape == first.training.rows.shape
    # This network was not trained, so that neither half is better.
    spread = first.training.rows.std() + first.held_out.rows.std()
    number = len(first.held_out.rows)
    assert abs(first.training.total - first.held_out.total) < 4 * spread / number**0.5


def test_evaluations_are_rare_enough_not_to_matter(encoded: EncodedTable) -> None:
    held_out = _held_out(encoded)
    for batch_size in (1, 64, 10**6):
        interval = held_out.min_interval(batch_size)
        assert interval >= 1
        assert interval * batch_size > 4 * held_out.num_questions
