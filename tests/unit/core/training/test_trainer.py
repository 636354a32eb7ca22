"""A training: what happens when a loss is not finite, and what is kept at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses, trainer
from sdv_tabdar.core.training.history import TrainingHistory

Train = Callable[..., tuple[TabDARNetwork, TrainingHistory]]
Vector = Callable[[TabDARNetwork], torch.Tensor]


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Callable[[range], None]:
    """Makes the losses of some steps infinite."""

    def spoil_steps(steps: range) -> None:
        original, done = losses.batch_loss, [0]

        def spoilt(*args: object, **settings: object) -> torch.Tensor:
            done[0] += 1
            loss: torch.Tensor = original(*args, **settings)  # type: ignore[arg-type]
            return loss * float('inf') if done[0] in steps else loss

        monkeypatch.setattr(losses, 'batch_loss', spoilt)

    return spoil_steps


@pytest.mark.parametrize('settings', [{'epochs': 4}, {'epochs': None}, {'scheduler': 'plateau'}])
def test_after_a_loss_that_is_not_finite_training_goes_on_at_a_lower_rate(
    train: Train,
    weights: Vector,
    spoil: Callable[[range], None],
    settings: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    spoil(range(5, 6))
    with pytest.warns(RuntimeWarning, match='a learning rate of 0.0005'):
        network, history = train(batch_size=48, learning_rate=1e-3, **settings)
    assert bool(weights(network).isfinite().all())
    assert bool(torch.tensor(history.losses).isfinite().all())
    assert 'Training goes on from the last weights whose loss was finite' in caplog.text


@pytest.mark.parametrize('dropout', [None, 0.25])
def test_the_cool_down_has_a_dropout_of_its_own_unless_one_is_given(
    train: Train, monkeypatch: pytest.MonkeyPatch, dropout: float | None
) -> None:
    original, seen = losses.batch_loss, []

    def noting(
        network: TabDARNetwork, rows: EncodedTable, config: TrainingConfig, **others: Any
    ) -> torch.Tensor:
        seen.append(config.dropout)
        return original(network, rows, config, **others)

    monkeypatch.setattr(losses, 'batch_loss', noting)
    monkeypatch.setattr(trainer, 'default_dropout', lambda *_: 0.5)
    monkeypatch.setattr(trainer, 'cool_down_dropout', lambda *_: 0.75)
    train(batch_size=48, epochs=None, dropout=dropout)
    assert list(dict.fromkeys(seen)) == ([0.5, 0.75] if dropout is None else [0.25])


def test_it_gives_up_after_a_few_times(train: Train, spoil: Callable[[range], None]) -> None:
    spoil(range(1, 1000))
    with (
        pytest.warns(RuntimeWarning, match='Training goes on'),
        pytest.raises(
            FloatingPointError,
            match=r'loss became .* in epoch \d, also after .* lowered 3 times. Try a lower '
            r'learning_rate than 0.000125',
        ),
    ):
        train(epochs=10, learning_rate=1e-3)


def test_a_small_table_is_trained_without_holding_rows_out(train: Train) -> None:
    _, history = train(epochs=None, rows=slice(40), max_training_time=20.0)
    assert history.evaluations == {}
    assert history.reason == 'All epochs, or all of the time given, were used.'


def test_what_used_to_be_silent_is_logged(train: Train, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        train(epochs=None)
    assert 'of 240 rows are held out' in caplog.text
    assert 'The learning rate is lowered now' in caplog.text
    assert 'Training ended after' in caplog.text


def test_a_training_cut_short_gives_its_best_weights(train: Train, weights: Vector) -> None:
    """At a rate at which it only gets worse the best weights are early ones."""
    found: dict[int, torch.Tensor] = {}
    histories: dict[int, TrainingHistory] = {}
    for last in (4, 6):
        network, history = train(
            epochs=None,
            batch_size=48,
            learning_rate=0.1,
            callbacks=[lambda report, last=last: report.epoch == last],
        )
        found[last], histories[last] = weights(network), history
    totals = [
        sum(codes) + sum(residuals)
        for codes, residuals in zip(
            histories[6].evaluations['held_out_codes'],
            histories[6].evaluations['held_out_residuals'],
            strict=True,
        )
    ]
    before = len(histories[4].evaluations['epoch'])
    is_early = totals.index(min(totals)) < before
    assert torch.equal(found[4], found[6]) == is_early
