"""Rows that a network learns before those of the table."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import present_ranks
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import checkpoints, loop, losses
from sdv_tabdar.core.training.history import TrainingHistory

from ....ranks import in_ranks

Train = Callable[..., tuple[TabDARNetwork, TrainingHistory]]
Vector = Callable[[TabDARNetwork], torch.Tensor]


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, '_FIRST_EPOCHS', 6)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each step has."""
    original, numbers = losses.batch_loss, list[int]()

    def batch_loss(network: TabDARNetwork, rows: EncodedTable, *args: Any, **settings: Any) -> Any:
        numbers.append(len(rows))
        return original(network, rows, *args, **settings)

    monkeypatch.setattr(losses, 'batch_loss', batch_loss)
    return numbers


def test_the_history_is_of_the_table_and_the_time_of_both(
    train: Train, encoded: EncodedTable, seen: list[int], weights: Vector
) -> None:
    network, history = train(epochs=3, first=encoded.rows(slice(20)))
    assert len(history.losses) == 3
    assert seen[:6] == [20] * 6
    assert len(seen) > 6
    assert history.seconds > 0
    alone, _ = train(epochs=3)
    assert not torch.equal(weights(network), weights(alone))


def test_progress_is_of_all(train: Train, encoded: EncodedTable) -> None:
    told: list[tuple[float, int, float]] = []
    train(
        epochs=3, first=encoded.rows(slice(20)), progress=lambda *all_of_it: told.append(all_of_it)
    )
    shares = [share for share, *_ in told]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] == 1
    assert [epochs for _, epochs, _ in told[:6]] == [0] * 6


def test_what_they_are_is_learnt(train: Train, encoded: EncodedTable) -> None:
    _, alone = train(epochs=1, learning_rate=1e-3)
    _, history = train(epochs=1, learning_rate=1e-3, first=encoded)
    assert history.losses[0] < alone.losses[0]


@pytest.mark.parametrize('settings', [{'epochs': 3}, {'epochs': None, 'batch_size': 48}])
def test_a_training_goes_on_behind_them(
    train: Train,
    encoded: EncodedTable,
    weights: Vector,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seen: list[int],
    settings: dict[str, Any],
) -> None:
    monkeypatch.setattr(checkpoints, '_SECONDS', 0.0)
    first = encoded.rows(slice(20))
    whole, history = train(first=first, **settings)
    path = tmp_path / 'training.pt'

    def fail(report: Any) -> None:
        if report.epoch == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(first=first, checkpoint_path=path, callbacks=[fail], **settings)
    seen.clear()
    network, again = train(first=first, checkpoint_path=path, **settings)
    assert 20 not in seen
    assert torch.equal(weights(network), weights(whole))
    assert again.losses == history.losses


def test_an_interrupt_among_them_ends_all(
    train: Train, encoded: EncodedTable, seen: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = losses.batch_loss

    def batch_loss(*args: Any, **settings: Any) -> Any:
        if len(seen) == 4:
            signal.raise_signal(signal.SIGINT)
        return original(*args, **settings)

    monkeypatch.setattr(losses, 'batch_loss', batch_loss)
    _, history = train(epochs=50, first=encoded.rows(slice(20)))
    assert len(seen) == 6  # five of theirs, and one of the table
    assert 'was interrupted' in history.reason


def test_ranks_learn_the_same(
    train: Train, encoded: EncodedTable, weights: Vector, tmp_path: Path
) -> None:
    def work(_: int) -> torch.Tensor:
        with present_ranks() as ranks:
            network, _ = train(epochs=2, batch_size=48, first=encoded.rows(slice(64)), ranks=ranks)
        return weights(network)

    first, second = in_ranks(work, tmp_path / 'ranks')
    assert torch.equal(first, second)
