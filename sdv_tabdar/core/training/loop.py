"""The training loop: a network from a table."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.runtime.threads import Workers, workers
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.checkpoints import CheckpointFile, Then, fingerprint
from sdv_tabdar.core.training.defaults import rows_of_step
from sdv_tabdar.core.training.history import Callback, TrainingHistory, asked_to_end
from sdv_tabdar.core.training.interrupts import Interrupts
from sdv_tabdar.core.training.together import check_alike
from sdv_tabdar.core.training.trainer import Progress, Trainer, initial_network

SHARD_CELLS = 960  # of a step, for each core that takes part: fewer are not worth its overhead
_FIRST_EPOCHS, _FIRST_TIME = 20, 0.25  # of rows that are learnt before, and of the longest training
_FIRST_SHARE = 0.5  # of the work, as progress tells of it

Finish = Callable[[TabDARNetwork, int, Callable[[], bool]], None]
"""Changes a trained network, given how many rows all steps had, and when it has to end."""

_logger = logging.getLogger(__name__)


def fit_network(
    table: EncodedTable,
    schema: TableSchema,
    model: ModelConfig,
    config: TrainingConfig,
    *,
    generator: torch.Generator,
    progress: Progress | None = None,
    callbacks: Sequence[Callback] = (),
    checkpoint_path: str | Path | None = None,
    start: TabDARNetwork | None = None,
    origin: TabDARNetwork | None = None,
    first: EncodedTable | None = None,
    random_state: int | None = None,
    ranks: Ranks = ALONE,
    finish: Finish | None = None,
) -> tuple[TabDARNetwork, TrainingHistory]:
    """Train a network end to end.

    Ctrl-C ends training after the step; what is returned then is as good as training got. A
    second Ctrl-C is raised.

    Args:
        table: The encoded training table, on the device of ``generator``; all cells observed.
        schema: Its columns.
        model: Architecture.
        config: Training settings.
        generator: Source of all randomness.
        progress: Called after each step.
        callbacks: Called at the end of each epoch; training ends if one returns True. What one
            raises is raised, after the checkpoint is written.
        checkpoint_path: File to keep the state of the training in, from which the same call goes
            on if it was cut short; it is removed when training ends by itself.
        start: A trained network of these columns to go on from, at a lower rate and for a tenth of
            the default length. No rows are held out then, as it knows most of them. It is changed.
        origin: The network whose weights ``start`` has but for new codes, by which a checkpoint is
            known; None for those of ``start`` itself.
        first: Rows of the same columns that the network learns before the table, in a part of the
            longest training; None for none. A training that a checkpoint knows of is beyond them.
        random_state: What ``generator`` was seeded with; None if nobody chose it. Training goes on
            from a checkpoint of the same only.
        ranks: Processes that train the network together, with the same arguments. Callbacks and
            the checkpoint are those of the first one, and its clock counts; an interrupt of any
            one ends training on all.
        finish: Called with the network at the end, while the checkpoint is still there.

    Returns:
        The network with averaged weights, in evaluation mode, and the history.

    Raises:
        FloatingPointError: If the loss stops being finite again and again.
        ValueError: If the checkpoint is that of another table, seed or of other settings, or if
            ranks have different ones.
        RuntimeError: If another rank no longer answers.

    Source: paper, Algorithm 'Training'.
    """
    batch_size = rows_of_step(config, len(table), generator.device, ranks.number)
    number = batch_size * len(schema.columns) // (SHARD_CELLS * ranks.number)
    checkpoint_path = ranks.told(lambda: checkpoint_path)
    with contextlib.ExitStack() as stack:
        team = stack.enter_context(workers(number, generator.device))
        interrupts = stack.enter_context(Interrupts())
        checkpoint = None
        found: dict[str, Any] | None = None
        if ranks.number > 1 or checkpoint_path is not None:
            threads = team.number * ranks.number
            made_of = fingerprint(
                table, schema, model, config, batch_size, threads, origin or start, random_state
            )
            check_alike(ranks, made_of, schema, len(table), config, generator)
            if checkpoint_path is not None:
                checkpoint = CheckpointFile(Path(checkpoint_path), made_of, generator, ranks)
                found = checkpoint.read()
        network = initial_network(schema, model, generator) if start is None else start
        seconds = 0.0 if found is None else found.get('seconds_before', 0.0)
        if first is not None:
            own = split_generator(generator, 1)[0]
            if found is None:
                network, seconds = _learnt_first(
                    network, first, config, team, own, interrupts, ranks, progress
                )
            progress = _in_part(progress, _FIRST_SHARE, 1.0)
        trainer = Trainer(
            table,
            config,
            batch_size,
            team,
            generator,
            network,
            goes_on=start is not None,
            seconds_before=seconds,
            ranks=ranks,
        )
        if found is not None:
            trainer.restore(found)
            if ranks.leads:
                _logger.info('Training goes on from the checkpoint %s.', checkpoint_path)
        is_over = _run(trainer, interrupts, checkpoint, progress, callbacks, ranks)
        network, history = trainer.result(), trainer.history
        if finish is not None:
            rows_trained = len(history.losses) * len(table)
            stop = asked_to_stop(interrupts, config.max_training_time, history.seconds)
            finish(network, rows_trained, stop)
        if checkpoint is not None and is_over:
            checkpoint.remove()
        if ranks.number > 1:  # processors of several kinds may have rounded differently
            network.load_state_dict(ranks.told(network.cpu().state_dict))
    return network.to(generator.device), history


def _learnt_first(
    network: TabDARNetwork,
    rows: EncodedTable,
    config: TrainingConfig,
    team: Workers,
    generator: torch.Generator,
    interrupts: Interrupts,
    ranks: Ranks,
    progress: Progress | None,
) -> tuple[TabDARNetwork, float]:
    """A network that has learnt other rows before those of the table, and how long it took."""
    seconds = config.max_training_time
    ordinary = dataclasses.replace(
        config,
        epochs=_FIRST_EPOCHS,
        max_training_time=None if seconds is None else _FIRST_TIME * seconds,
    )
    batch_size = rows_of_step(config, len(rows), generator.device, ranks.number)
    trainer = Trainer(rows, ordinary, batch_size, team, generator, network, ranks=ranks)
    if ranks.leads:
        _logger.info('%d rows like those of the table are learnt first.', len(rows))
    progress = _in_part(progress, 0.0, _FIRST_SHARE)

    def wishes() -> tuple[bool]:
        return (interrupts.asked,)

    is_asked = False
    while not trainer.finished and not is_asked:
        (is_asked,) = trainer.step(wishes) or wishes()
        if progress is not None:
            progress(trainer.share, 0, math.nan)
        if trainer.epoch_is_over:
            trainer.end_epoch()
    return trainer.result().requires_grad_(True), trainer.seconds


def _in_part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """What tells how much of a part is done tells of all that there is to do."""
    if progress is None:
        return None
    tell = progress
    return lambda share, epochs, loss: tell(begin + (end - begin) * share, epochs, loss)


def _run(
    trainer: Trainer,
    interrupts: Interrupts,
    checkpoint: CheckpointFile | None,
    progress: Progress | None,
    callbacks: Sequence[Callback],
    ranks: Ranks,
) -> bool:
    """Steps until training ends; whether by itself, and not by someone's wish."""

    def wishes() -> tuple[bool, bool]:
        return interrupts.asked, checkpoint is not None and checkpoint.due

    reason = ''
    while not reason and not trainer.finished:
        heard = trainer.step(wishes)
        if progress is not None:
            losses = trainer.history.losses
            progress(trainer.share, len(losses), losses[-1] if losses else math.nan)
        if trainer.epoch_is_over:
            report = trainer.end_epoch()
            ask = functools.partial(asked_to_end, callbacks, report)
            with _kept_if_it_fails(trainer, checkpoint):
                ends = ranks.told(ask)
            if ends:
                reason = 'A callback ended training.'
        asked, due = heard or wishes()
        if asked:
            reason = 'Training was interrupted; what it had learnt by then is kept.'
        if checkpoint is not None and (due or reason):
            checkpoint.write(trainer.state(), Then.IS_KEPT if reason else Then.GOES_ON)
    trainer.end(reason)
    return not reason


@contextlib.contextmanager
def _kept_if_it_fails(trainer: Trainer, checkpoint: CheckpointFile | None) -> Iterator[None]:
    """Write a checkpoint before an error, or ``sys.exit``, ends training."""
    try:
        yield
    except (Exception, SystemExit):
        if checkpoint is not None:
            checkpoint.write(trainer.state(), Then.IS_LOST)
        raise


def asked_to_stop(
    interrupts: Interrupts, max_seconds: float | None, seconds: float
) -> Callable[[], bool]:
    """Whether someone interrupts, or the longest training is over, ``seconds`` of which were."""
    end = math.inf if max_seconds is None else time.perf_counter() + max_seconds - seconds
    return lambda: interrupts.asked or time.perf_counter() > end
