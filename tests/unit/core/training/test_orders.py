"""Trainings that hide more cells in the orders in which rows are drawn."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import ALONE
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses, orders
from sdv_tabdar.core.training.history import TrainingHistory
from sdv_tabdar.core.training.orders import TrainedOrders
from sdv_tabdar.core.training.precedence import OF_TRAINING

Train = Callable[..., tuple[TabDARNetwork, TrainingHistory]]


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows had been trained each time that columns were weighed: 1, 2, ... are told."""
    seen: list[int] = []

    def precedence(
        network: TabDARNetwork, table: EncodedTable, rows_trained: int, nats: float
    ) -> tuple[float, ...]:
        assert not network.training
        assert nats == OF_TRAINING
        seen.append(rows_trained)
        return (float(len(seen)),) * table.codes.shape[1]

    monkeypatch.setattr(orders, 'precedence', precedence)
    return seen


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The weight of the first column in each step; 0 where columns have none."""
    seen: list[float] = []
    original = losses.batch_loss

    def batch_loss(*args: Any, log_weights: torch.Tensor | None, **settings: Any) -> torch.Tensor:
        seen.append(0.0 if log_weights is None else float(log_weights[0]))
        return original(*args, log_weights=log_weights, **settings)

    monkeypatch.setattr(losses, 'batch_loss', batch_loss)
    return seen


@pytest.mark.parametrize('epochs', [10, None])
def test_columns_are_weighed_twice_and_their_weights_used_until_the_cool_down(
    train: Train, weighed: list[int], used: list[float], epochs: int | None
) -> None:
    network, _ = train(epochs=epochs, batch_size=48)
    assert len(weighed) == 2
    assert 0 < weighed[0] < weighed[1]
    weights = [weight for weight, _ in itertools.groupby(used)]
    assert weights == ([0.0, 1.0, 2.0] if epochs else [0.0, 1.0, 2.0, 0.0])
    assert network.training is False
    assert network.precedence == ()  # the orders of drawing are those of the end


def test_where_too_little_is_known_what_was_known_before_is_kept(
    network: TabDARNetwork, encoded: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, 'precedence', lambda *_: ())
    network.weighs_columns, network.precedence = True, tuple(range(encoded.codes.shape[1]))
    trained = TrainedOrders(encoded, network, ALONE)
    assert trained.due(1.0)
    trained.weigh(network, 100)
    assert trained.log_weights is not None
    assert tuple(trained.log_weights) == network.precedence


def test_a_network_of_random_orders_is_not_weighed(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    network.weighs_columns = False
    assert not TrainedOrders(encoded, network, ALONE).due(1.0)


def test_training_goes_on_with_the_weights_that_it_had(
    network: TabDARNetwork, encoded: EncodedTable, weighed: list[int]
) -> None:
    network.weighs_columns = True
    first, second = (TrainedOrders(encoded, network, ALONE) for _ in range(2))
    first.weigh(network, 100)
    second.restore(first.state())
    assert second.log_weights is not None
    assert first.log_weights is not None
    assert torch.equal(second.log_weights, first.log_weights)
    assert not second.due(0.2)
    assert second.due(0.3)
