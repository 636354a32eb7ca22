"""Training by two ranks: one network, one voice, one end, and the same table."""

from __future__ import annotations

import copy
import functools
import itertools
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import present_ranks
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import checkpoints
from sdv_tabdar.core.training.history import EpochReport, TrainingHistory
from sdv_tabdar.core.training.trainer import Trainer, initial_network

from ....ranks import in_ranks

Train = Callable[..., tuple[TabDARNetwork, TrainingHistory]]
Vector = Callable[[TabDARNetwork], torch.Tensor]

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='processes are copied')


@pytest.fixture
def train_together(train: Train, weights: Vector, tmp_path: Path) -> Callable[..., list[Any]]:
    """``train`` in two ranks: weights and history of each, or its error.

    Arguments that are functions of the rank, ``each_NAME``, give the argument ``NAME``.
    """
    calls = itertools.count()

    def run(number: int = 2, **settings: Any) -> list[Any]:
        def work(rank: int) -> tuple[torch.Tensor, TrainingHistory]:
            own = {
                name.removeprefix('each_'): value(rank) if name.startswith('each_') else value
                for name, value in settings.items()
            }
            with present_ranks() as ranks:
                network, history = train(ranks=ranks, **own)
            return weights(network), history

        return in_ranks(work, tmp_path / str(next(calls)), number)

    return run


@pytest.mark.parametrize(
    'settings', [{'number': 3}, {'epochs': None}, {'optimizer': 'adamw'}, {'scheduler': 'plateau'}]
)
def test_ranks_end_with_the_same_network(
    train_together: Callable[..., list[Any]], settings: dict[str, Any]
) -> None:
    (first, history), *others = train_together(batch_size=48, **settings)
    assert bool(first.isfinite().all())
    for weights, other in others:
        assert torch.equal(first, weights)
        assert history == other


def test_steps_are_those_of_a_process_with_as_many_threads(
    encoded: EncodedTable, encoder: TableEncoder, tiny: ModelConfig, weights: Vector, tmp_path: Path
) -> None:
    """Before the first rank's weights are handed to the others at the end."""

    def trained(threads: int, **settings: Any) -> tuple[torch.Tensor, float]:
        generator = torch.Generator().manual_seed(0)
        trainer = Trainer(
            encoded,
            TrainingConfig(epochs=3),
            48,
            Workers(threads, None),
            generator,
            initial_network(encoder.schema, tiny, generator),
            **settings,
        )
        for _ in range(6):
            trainer.step()
        return weights(trainer._learner.network), float(trainer._epoch.total)

    def work(_: int) -> tuple[torch.Tensor, float]:
        with present_ranks() as ranks:
            return trained(1, ranks=ranks)

    alone, loss = trained(2)
    (first, own), (second, other) = in_ranks(work, tmp_path / 'ranks')
    assert torch.equal(first, second)
    # Steps make what rounding has left greater; other rows would make it .01 and more.
    assert own == other == pytest.approx(loss, rel=1e-3)
    assert torch.allclose(first, alone, atol=2e-3)


def test_a_step_of_fewer_rows_than_ranks(train_together: Callable[..., list[Any]]) -> None:
    (first, _), (second, _) = train_together(rows=slice(5), batch_size=1, epochs=1)
    assert torch.equal(first, second)


def test_a_callback_of_the_first_rank_ends_training_on_all(
    train_together: Callable[..., list[Any]],
) -> None:
    def callbacks(rank: int) -> list[Callable[[EpochReport], bool]]:
        return [lambda report: rank == 0 and report.epoch == 2]

    (first, history), (second, other) = train_together(epochs=9, each_callbacks=callbacks)
    assert torch.equal(first, second)
    assert history.reason == other.reason == 'A callback ended training.'
    assert len(other.losses) == 2


def test_an_error_of_a_callback_is_that_of_all(train_together: Callable[..., list[Any]]) -> None:
    def fail(report: EpochReport) -> bool:
        raise ZeroDivisionError('of the callback')

    found = train_together(callbacks=[fail])
    assert [str(error) for error in found] == ['of the callback'] * 2
    assert all(isinstance(error, ZeroDivisionError) for error in found)


def test_an_interrupt_of_one_ends_training_on_all(
    train: Train, weights: Vector, tmp_path: Path
) -> None:
    def work(rank: int) -> tuple[torch.Tensor, str, int]:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a test with Spark leaves its own
        steps = itertools.count(1)

        class InterruptedTrainer(Trainer):
            def step(self, *args: Any) -> list[bool]:
                if rank == 1 and next(steps) == 4:
                    signal.raise_signal(signal.SIGINT)
                self.done = getattr(self, 'done', 0) + 1
                done.append(self.done)
                return super().step(*args)

        done: list[int] = []
        with pytest.MonkeyPatch.context() as patch, present_ranks() as ranks:
            patch.setattr('sdv_tabdar.core.training.loop.Trainer', InterruptedTrainer)
            network, history = train(epochs=50, ranks=ranks)
        return weights(network), history.reason, done[-1]

    (first, reason, steps), (second, other, own) = in_ranks(work, tmp_path / 'ranks')
    assert torch.equal(first, second)
    assert reason == other == 'Training was interrupted; what it had learnt by then is kept.'
    assert steps == own == 4


def test_the_time_of_the_first_rank_ends_training_on_all(
    train_together: Callable[..., list[Any]],
) -> None:
    (first, history), (second, other) = train_together(epochs=100_000, max_training_time=0.5)
    assert torch.equal(first, second)
    assert history == other
    assert history.seconds == pytest.approx(0.5, abs=1.0)


def test_one_rank_says_things(train: Train, tmp_path: Path) -> None:
    def work(_: int) -> list[str]:
        messages: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
        logger = logging.getLogger('sdv_tabdar')
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        with present_ranks() as ranks:
            train(epochs=None, ranks=ranks)
        return messages

    messages, others = in_ranks(work, tmp_path / 'ranks')
    assert any('rows are held out' in message for message in messages)
    assert others == []


@pytest.mark.parametrize(
    ('settings', 'words'),
    [
        ({'each_rows': lambda rank: slice(200 + rank)}, 'rank 1 has, .*: 201 rows in place of 200'),
        (
            {'each_rows': lambda rank: slice(100 * rank, 100 * rank + 100)},
            'other values, or another order of the rows',
        ),
        ({'each_epochs': lambda rank: 2 + rank}, 'other training settings'),
        ({'each_seed': lambda rank: rank}, 'another seed'),
        (
            {'each_max_training_time': lambda rank: 9.0 + rank},
            'max_training_time=10.0 in place of 9.0',
        ),
    ],
)
def test_ranks_that_differ_are_refused_in_words(
    train_together: Callable[..., list[Any]], settings: dict[str, Any], words: str
) -> None:
    found = train_together(**settings)
    for error in found:
        with pytest.raises(ValueError, match=words):
            raise error


def test_another_table_is_named(
    encoded: EncodedTable, train_together: Callable[..., list[Any]], train: Train
) -> None:
    other = copy.deepcopy(encoded)
    other.codes[0, 0] += 1
    tables = [encoded, other]
    found = train_together(each_table=lambda rank: tables[rank])
    assert all('other values' in str(error) for error in found)


def test_killed_ranks_go_on_from_the_checkpoint(
    train_together: Callable[..., list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rank 1 gives no path, and is killed; the first one ends with an error in words."""
    monkeypatch.setattr(checkpoints, '_SECONDS', 0.0)
    monkeypatch.setattr(checkpoints, '_SHARE', 1.0)
    folder = tmp_path / 'checkpoints'
    folder.mkdir()
    whole = train_together(epochs=4)
    path = folder / 'training.ckpt'

    def killed(at: int, rank: int) -> Callable[..., None] | None:
        steps = itertools.count(1)

        def progress(*_: object) -> None:
            if next(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)

        return progress if rank == 0 else None

    def paths(rank: int) -> Path | None:
        return path if rank == 0 else None

    found = train_together(
        epochs=4, each_checkpoint_path=paths, each_progress=functools.partial(killed, 7)
    )
    assert found[0] is None
    assert 'Another rank of this training no longer answers' in str(found[1])
    assert path.exists()
    assert [file.name for file in folder.iterdir() if file.suffix != '.part'] == [path.name]
    resumed = train_together(epochs=4, each_checkpoint_path=paths)
    assert torch.equal(resumed[0][0], whole[0][0])
    assert torch.equal(resumed[1][0], whole[0][0])
    assert resumed[0][1].losses == whole[0][1].losses
    assert not path.exists()


def test_a_checkpoint_of_another_training_is_refused_on_all(
    train_together: Callable[..., list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / 'training.ckpt'
    train_together(checkpoint_path=path, callbacks=[lambda report: True])
    assert path.exists()
    found = train_together(checkpoint_path=path, epochs=5)
    assert all('other training settings' in str(error) for error in found)
    missing = train_together(checkpoint_path=tmp_path / 'nowhere' / 'training.ckpt')
    assert all('a file in a folder that exists' in str(error) for error in missing)
