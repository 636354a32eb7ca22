"""Training: the loss falls, limits hold, errors are raised, seeds decide everything."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import loop, losses
from sdv_tabdar.core.training.history import TrainingHistory
from sdv_tabdar.core.training.loop import fit_network

Fitted = tuple[TabDARNetwork, TrainingHistory]
Train = Callable[..., Fitted]


@pytest.fixture
def train(encoded: EncodedTable, encoder: TableEncoder, tiny: ModelConfig) -> Train:
    """``train(seed, **settings)`` on the small table."""

    def run(seed: int = 0, progress: loop.Progress | None = None, **settings: object) -> Fitted:
        config = TrainingConfig(**{'epochs': 2, 'batch_size': 64, **settings})  # type: ignore[arg-type]
        return fit_network(
            encoded,
            encoder.schema,
            tiny,
            config,
            generator=torch.Generator().manual_seed(seed),
            progress=progress,
        )

    return run


def _weights(network: TabDARNetwork) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def test_the_loss_falls_to_the_entropy(tiny: ModelConfig) -> None:
    """Two columns that are always equal, each level half of the time."""
    column = Column('x', ColumnKind.CATEGORICAL, (64, 64))
    codes = (torch.arange(128) % 2).view(-1, 1).expand(-1, 2).contiguous()
    table = EncodedTable(codes, torch.zeros(128, 0), torch.ones(128, 2, dtype=torch.bool))
    _, history = fit_network(
        table,
        TableSchema((column, column)),
        tiny,
        TrainingConfig(epochs=60, batch_size=64, learning_rate=1e-2),
        generator=torch.Generator().manual_seed(0),
    )
    # both hidden (half of the rows): ln 2 a cell; one hidden: nothing once it is learnt
    assert history.losses[0] == pytest.approx(math.log(2), abs=0.1)
    assert history.losses[-1] == pytest.approx(math.log(2) / 2, abs=0.1)


def test_epochs_are_respected(train: Train) -> None:
    _, history = train(epochs=4)
    assert len(history.losses) == 4
    assert all(map(math.isfinite, history.losses))
    assert history.seconds > 0


def test_the_network_is_ready_to_sample(train: Train) -> None:
    network, _ = train()
    assert not network.training


def test_same_seed_same_weights_and_losses(train: Train) -> None:
    first, second, other = train(1), train(1), train(2)
    assert torch.equal(_weights(first[0]), _weights(second[0]))
    assert first[1].losses == second[1].losses
    assert first[1].losses != other[1].losses


def test_global_state_neither_moves_nor_matters(train: Train) -> None:
    before = torch.get_rng_state()
    first = _weights(train(1)[0])
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng(devices=[]):
        torch.rand(3)
        assert torch.equal(_weights(train(1)[0]), first)


@pytest.mark.parametrize('scheduler', ['cosine', 'plateau'])
@pytest.mark.parametrize('loss_weighting', ['order', 'sum'])
@pytest.mark.parametrize('ema_decay', [0.0, 0.99])
def test_every_setting_trains(
    train: Train,
    scheduler: str,
    loss_weighting: str,
    ema_decay: float,
) -> None:
    network, history = train(
        scheduler=scheduler, loss_weighting=loss_weighting, ema_decay=ema_decay, noise_draws=1
    )
    assert bool(_weights(network).isfinite().all())
    assert len(history.losses) == 2


def test_a_batch_larger_than_the_table_is_the_table(train: Train) -> None:
    shares: list[float] = []
    train(batch_size=10_000, epochs=3, progress=lambda share, *_: shares.append(share))
    assert shares[-1] == 1
    assert len({round(share, 9) for share in shares}) <= 3


def test_progress_rises_to_one(train: Train) -> None:
    seen: list[tuple[float, int, float]] = []
    train(epochs=3, progress=lambda *told: seen.append(told))
    shares = [share for share, *_ in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert seen[-1][1] == 2
    assert math.isfinite(seen[-1][2])


class _FakeClock:
    """Each look at it takes a second."""

    def __init__(self) -> None:
        self.ticks: Iterator[int] = itertools.count()

    def __call__(self) -> float:
        return float(next(self.ticks))


def test_time_ends_training_and_anneals_the_learning_rate(
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, 'perf_counter', _FakeClock())
    rates: list[float] = []
    original = torch.optim.AdamW.step

    def step(optimizer: torch.optim.AdamW, *args: Any, **kwargs: Any) -> Any:
        rates.append(optimizer.param_groups[0]['lr'])
        return original(optimizer, *args, **kwargs)

    monkeypatch.setattr(torch.optim.AdamW, 'step', step)
    _, history = train(epochs=10_000, max_training_time=120.0, learning_rate=1e-3)
    assert len(history.losses) < 10_000
    assert len(rates) < 240
    peak = rates.index(max(rates))
    assert max(rates) > 0.9e-3
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[-1] < 0.1e-3


def test_real_time_is_kept(train: Train) -> None:
    start = time.perf_counter()
    _, history = train(epochs=100_000, max_training_time=0.3)
    assert time.perf_counter() - start < 5
    assert history.seconds >= 0.3


@pytest.mark.parametrize('epochs', [1, 3])
def test_a_loss_that_is_not_finite_is_an_error(train: Train, epochs: int) -> None:
    with pytest.raises(
        FloatingPointError, match=r'loss became .* in epoch \d. Try a lower learning_rate than 1e\+'
    ):
        train(epochs=epochs, learning_rate=1e30, scheduler='plateau', batch_size=8)


@pytest.mark.parametrize('precision', ['float32', 'bfloat16'])
def test_shares_of_a_step_add_up_to_it(
    encoded: EncodedTable,
    encoder: TableEncoder,
    tiny: ModelConfig,
    precision: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def given(network: TabDARNetwork, rows: EncodedTable, *_: object, **__: object) -> torch.Tensor:
        observed = torch.zeros_like(rows.observed)
        observed[:, ::2] = rows.codes[:, :1] % 2 == 0
        contexts = network.contexts(EncodedTable(rows.codes, rows.residuals, observed))
        return network.code_head.loss(rows.codes.t(), contexts.transpose(0, 1)).mean()

    monkeypatch.setattr(losses, 'batch_loss', given)
    monkeypatch.setattr(loop, 'SHARD_CELLS', 1)
    before = torch.get_num_threads()
    found = {}
    for threads in (1, 3):
        torch.set_num_threads(threads)
        try:
            _, history = fit_network(
                encoded.rows(slice(96)),
                encoder.schema,
                dataclasses.replace(tiny, precision=precision),
                TrainingConfig(epochs=4, batch_size=48, scheduler='plateau', ema_decay=0.0),
                generator=torch.Generator().manual_seed(0),
            )
        finally:
            torch.set_num_threads(before)
        found[threads] = history.losses
    tolerance = 1e-3 if precision == 'float32' else 2e-2
    assert found[1] == pytest.approx(found[3], rel=tolerance)


def test_without_epochs_the_size_of_the_table_decides(
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loop, 'default_epochs', lambda *_: 3)
    assert len(train(epochs=None)[1].losses) == 3
