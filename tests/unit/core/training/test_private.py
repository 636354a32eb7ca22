"""Training by noisy sums: what it does, when it ends, what it refuses."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.training import private
from sdv_tabdar.core.training.history import EpochReport
from sdv_tabdar.core.training.interrupts import Interrupts
from sdv_tabdar.core.training.loop import fit_network
from sdv_tabdar.core.training.private import (
    PrivateSteps,
    fit_drawn,
    fit_privately,
    rate_factor,
    refuse_unpaid,
)

from .test_row_gradients import SETTINGS, made, seeded

STEPS = PrivateSteps(
    number=12,
    rate=0.5,
    noise_multiplier=0.01,
    expected_rows=6,
    learning_rate=0.01,
    pairs=1,
    ema_decay=0.9,
)
PAID_FOR = dataclasses.replace(SETTINGS, max_crosses=0, column_order='random')


def loss_of(network: TabDARNetwork) -> float:
    _, table = made()
    everything = dataclasses.replace(table, observed=torch.zeros_like(table.observed))
    found = network.losses(everything, noise_draws=1, generator=seeded())
    return float(found.detach().mean())


def test_it_learns_where_there_is_little_noise_and_gives_averaged_weights() -> None:
    network, table = made()
    with torch.no_grad():  # it begins at the marginals, and 12 rows have little more to learn
        network.code_head.buckets[0].bias[:, :, 0] += 2
    before = loss_of(network)
    # Rows and hidden sets are secret; of all rows and many sets little is left to chance.
    steps = dataclasses.replace(STEPS, number=60, rate=1.0, expected_rows=len(table), pairs=8)
    found, history = fit_privately(network, table, steps, Interrupts())
    assert loss_of(found) < before
    assert found is not network
    assert not found.training
    assert history.losses == []
    assert history.evaluations == {}
    assert history.reason == 'All steps that the budget pays for were done.'


def test_no_more_steps_are_done_than_are_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def noted(total: torch.Tensor, noise: float) -> torch.Tensor:
        asked.append(noise)
        return total

    monkeypatch.setattr(private, 'noisy_sum', noted)
    network, table = made()
    fit_privately(network, table, STEPS, Interrupts())
    assert len(asked) == 12 * len(list(network.parameters()))
    assert set(asked) == {0.01}


def test_a_callback_ends_it_and_is_told_no_loss() -> None:
    reports: list[EpochReport] = []

    def stop(report: EpochReport) -> bool:
        reports.append(report)
        return len(reports) == 2

    network, table = made()
    _, history = fit_privately(network, table, STEPS, Interrupts(), callbacks=[stop])
    assert [report.steps for report in reports] == [2, 4]
    assert all(math.isnan(report.loss) for report in reports)
    assert history.reason == 'A callback ended training.'


def test_it_ends_when_its_time_is_over() -> None:
    network, table = made()
    steps = dataclasses.replace(STEPS, number=10**6, max_seconds=1e-9)
    _, history = fit_privately(network, table, steps, Interrupts())
    assert history.reason == 'The longest time that training may take was over.'


def test_drawn_rows_are_learnt_by_ordinary_steps_that_an_interrupt_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network, table = made()
    training = TrainingConfig(learning_rate=9.0, max_training_time=50, ema_decay=0.5)
    interrupts = Interrupts()
    given: list[TrainingConfig] = []
    wishes: list[bool] = []

    def fitted(*arguments: Any, callbacks: Any, **options: Any) -> Any:
        given.append(arguments[3])
        for interrupts.asked in (False, True):
            wishes.append(callbacks[0](None))
        return fit_network(*arguments, callbacks=callbacks, **options)

    monkeypatch.setattr(private, 'fit_network', fitted)
    found = fit_drawn(table, network.schema, SETTINGS, training, interrupts, generator=seeded())
    assert wishes == [False, True]
    assert given[0].learning_rate is None
    assert given[0].max_training_time == 10
    assert not given[0].calibration
    assert all(parameter.requires_grad for parameter in found.parameters())
    steps = dataclasses.replace(STEPS, number=1)
    fit_privately(found, table, steps, Interrupts())


def test_steps_have_the_time_that_is_left() -> None:
    assert STEPS.after(9.0) is STEPS
    assert dataclasses.replace(STEPS, max_seconds=10).after(9.0).max_seconds == 1


def test_the_rate_falls_at_the_end() -> None:
    rates = [rate_factor(share) for share in (0.0, 0.5, 0.9, 0.95, 1.0)]
    assert rates == pytest.approx([1, 1, 1, 0.5, 0])


@pytest.mark.parametrize(
    ('name', 'value'),
    [('numerical_head', 'diffusion'), ('column_order', 'weighted'), ('attention', 'causal')],
)
def test_what_learns_beside_the_steps_is_refused(name: str, value: str) -> None:
    refuse_unpaid(PAID_FOR, None)
    settings: ModelConfig = dataclasses.replace(PAID_FOR, **{name: value})
    with pytest.raises(ValueError, match=f'however: {name}='):
        refuse_unpaid(settings, None)


def test_crosses_and_checkpoints_are_refused() -> None:
    with pytest.raises(ValueError, match='max_crosses=0 alone'):
        refuse_unpaid(dataclasses.replace(PAID_FOR, max_crosses=1), None)
    with pytest.raises(ValueError, match='keeps no checkpoint'):
        refuse_unpaid(PAID_FOR, 'file')
