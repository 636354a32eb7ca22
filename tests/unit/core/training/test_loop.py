"""Training: the loss falls, limits hold, errors are raised, seeds decide everything."""

from __future__ import annotations

import dataclasses
import errno
import itertools
import math
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import loop, losses
from sdv_tabdar.core.training.checkpoints import CheckpointFile
from sdv_tabdar.core.training.history import EpochReport, TrainingHistory
from sdv_tabdar.core.training.loop import fit_network

Train = Callable[..., tuple[TabDARNetwork, TrainingHistory]]


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


class FakeClock:
    """Each look at it takes a second."""

    def __init__(self) -> None:
        self.ticks: Iterator[int] = itertools.count()

    def __call__(self) -> float:
        return float(next(self.ticks))


def test_time_ends_training_and_anneals_the_learning_rate(
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, 'perf_counter', FakeClock())
    rates: list[float] = []
    original = torch.optim.AdamW.step

    def step(optimizer: torch.optim.AdamW, *args: Any, **kwargs: Any) -> Any:
        rates.append(optimizer.param_groups[0]['lr'])
        return original(optimizer, *args, **kwargs)

    monkeypatch.setattr(torch.optim.AdamW, 'step', step)
    _, history = train(epochs=10_000, max_training_time=120.0, learning_rate=1e-3)
    assert len(history.losses) < 10_000
    assert len(rates) < 240
    # The rest of the time is for what follows the steps: a step has a few looks at the clock.
    end = TrainingConfig(max_training_time=120.0).seconds_of_steps
    assert end is not None
    assert end <= history.seconds < end + 10
    peak = rates.index(max(rates))
    assert max(rates) > 0.9e-3
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[-1] < 0.1e-3


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
    tolerance = 5e-3 if precision == 'float32' else 2e-2  # training makes rounding larger
    assert found[1] == pytest.approx(found[3], rel=tolerance)


def test_without_epochs_rows_are_held_out_and_training_ends_by_itself(train: Train) -> None:
    network, history = train(epochs=None, batch_size=48, max_training_time=None, learning_rate=1e-2)
    assert bool(_weights(network).isfinite().all())
    held_out = [sum(loss) for loss in history.evaluations['held_out_codes']]
    assert min(held_out) < held_out[0]
    assert history.reason in (
        'The loss of held-out rows no longer falls.',
        'The longest time that training may take is almost over.',
    )
    assert history.by_epoch()['Held-out codes'].notna().any()


@pytest.mark.parametrize(('epochs', 'answer'), [(3, bool), (None, bool), (3, np.bool_)])
def test_callbacks_see_each_epoch_and_may_end_training(
    train: Train, epochs: int | None, answer: Any
) -> None:
    seen: list[EpochReport] = []
    others: list[int] = []

    def second(report: EpochReport) -> bool:
        seen.append(report)
        return answer(report.epoch == 2)

    _, history = train(
        epochs=epochs, callbacks=[second, lambda report: others.append(report.epoch)]
    )
    assert [report.epoch for report in seen] == others == [1, 2]
    assert [report.loss for report in seen] == history.losses
    assert seen[0].steps < seen[1].steps
    assert 0 < seen[0].seconds < seen[1].seconds
    assert seen[1].learning_rate > 0
    assert not seen[1].cooling
    assert history.reason == 'A callback ended training.'
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen[0].loss = 0.0  # type: ignore[misc]


def test_a_callback_is_told_of_held_out_rows(train: Train) -> None:
    seen: list[EpochReport] = []
    train(epochs=None, batch_size=32, callbacks=[lambda report: bool(seen.append(report))])
    told = [report for report in seen if report.held_out_loss is not None]
    assert told
    assert all(report.training_loss is not None for report in told)
    assert told[-1].best_held_out_loss is not None
    assert seen[-1].cooling


class Killed(Exception):
    """Stands for the end of a process."""


@pytest.mark.parametrize(
    'settings',
    [
        {'epochs': 3, 'batch_size': 48},
        {'epochs': 3, 'batch_size': 48, 'scheduler': 'plateau', 'ema_decay': 0.0},
        {'epochs': None, 'batch_size': 64, 'max_training_time': None},
    ],
)
@pytest.mark.parametrize('moment', [1, 9])
def test_a_training_that_was_cut_short_goes_on_as_if_it_had_not_been(
    train: Train,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    moment: int,
) -> None:
    expected, history = train(3, **settings)
    steps = itertools.count(1)

    def killed(*_: object) -> None:
        if next(steps) == moment:
            raise Killed

    path = tmp_path / 'training.pt'
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointFile, 'due', property(lambda _: True))
        with pytest.raises(Killed):
            train(3, progress=killed, checkpoint_path=path, **settings)
    assert path.exists() == (moment > 1)
    found, resumed = train(3, checkpoint_path=path, **settings)
    assert torch.equal(_weights(found), _weights(expected))
    assert resumed.losses == history.losses
    assert resumed.evaluations == history.evaluations
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_does_not_end_training(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, history = train(3, epochs=3)
    writes = itertools.count(1)
    save = torch.save

    def full_for_a_while(content: object, file: Any) -> None:
        if 2 <= next(writes) <= 4:
            raise OSError(errno.ENOSPC, 'No space left on device')
        save(content, file)

    monkeypatch.setattr(torch, 'save', full_for_a_while)
    monkeypatch.setattr(CheckpointFile, 'due', property(lambda _: True))
    with pytest.warns(RuntimeWarning, match='could not be written.*Training goes on') as said:
        found, after = train(3, epochs=3, checkpoint_path=tmp_path / 'training.pt')
    assert len(said) == 1
    assert next(writes) > 5
    assert torch.equal(_weights(found), _weights(expected))
    assert after.losses == history.losses
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_training_takes_its_seed_from_the_checkpoint(
    train: Train, tmp_path: Path
) -> None:
    def stop(report: EpochReport) -> bool:
        return report.epoch == 1

    expected, _ = train(3, epochs=3)
    path = tmp_path / 'training.pt'
    train(3, epochs=3, callbacks=[stop], checkpoint_path=path)
    assert path.exists()
    found, history = train(99, epochs=3, checkpoint_path=path)
    assert torch.equal(_weights(found), _weights(expected))
    assert len(history.losses) == 3


@pytest.mark.parametrize('error', [RuntimeError, SystemExit])
def test_what_a_callback_raises_loses_nothing(
    train: Train, tmp_path: Path, error: type[BaseException]
) -> None:
    def fail(report: EpochReport) -> None:
        if report.epoch == 2:
            raise error

    expected, history = train(3, epochs=3)
    path = tmp_path / 'training.pt'
    with pytest.raises(error):
        train(3, epochs=3, callbacks=[fail], checkpoint_path=path)
    seen: list[int] = []
    found, after = train(
        3, epochs=3, callbacks=[lambda report: seen.append(report.epoch)], checkpoint_path=path
    )
    assert seen == [3]
    assert after.losses == history.losses
    assert torch.equal(_weights(found), _weights(expected))
    assert not path.exists()


@pytest.mark.parametrize('epochs', [50, None])
def test_an_interrupt_ends_training_after_the_step(train: Train, epochs: int | None) -> None:
    steps = itertools.count(1)

    def interrupt(*_: object) -> None:
        if next(steps) == 9:
            signal.raise_signal(signal.SIGINT)

    network, history = train(epochs=epochs, batch_size=32, progress=interrupt)
    assert next(steps) == 10
    assert bool(_weights(network).isfinite().all())
    assert history.reason == 'Training was interrupted; what it had learnt by then is kept.'
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_stops_at_once(train: Train) -> None:
    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(epochs=50, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_finishes_a_training_is_told_how_long_it_was_and_changes_its_network(
    train: Train, encoded: EncodedTable
) -> None:
    told: list[tuple[int, bool]] = []

    def finish(network: TabDARNetwork, rows_trained: int, stop: Callable[[], bool]) -> None:
        told.append((rows_trained, stop()))
        network.pad.zero_()

    network, _ = train(epochs=3, max_training_time=None, finish=finish)
    assert told == [(3 * len(encoded), False)]
    assert not network.pad.any()


def test_a_checkpoint_stays_until_all_is_done(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    path = tmp_path / 'training.pt'
    plain, _ = train(1, checkpoint_path=path)
    assert not path.exists()
    monkeypatch.setattr(CheckpointFile, 'due', True)
    with pytest.raises(MemoryError):
        train(1, checkpoint_path=path, finish=fail)
    assert path.exists()
    assert torch.equal(_weights(train(1, checkpoint_path=path)[0]), _weights(plain))
    assert not path.exists()


@pytest.mark.parametrize('how', ['interrupt', 'time'])
def test_finishing_is_told_to_stop(train: Train, how: str) -> None:
    told = []

    def finish(network: TabDARNetwork, rows_trained: int, stop: Callable[[], bool]) -> None:
        del network, rows_trained
        told.append(stop())
        if how == 'interrupt':
            signal.raise_signal(signal.SIGINT)
        else:
            time.sleep(0.3)
        told.append(stop())

    train(epochs=1, max_training_time=60.0 if how == 'interrupt' else 0.3, finish=finish)
    assert told[1]
    assert not told[0] or how == 'time'
