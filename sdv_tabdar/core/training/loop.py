"""The training loop: a network from a table."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import default_generator_at
from sdv_tabdar.core.runtime.threads import Workers, workers
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses
from sdv_tabdar.core.training.defaults import default_epochs, default_learning_rate, rows_of_step
from sdv_tabdar.core.training.ema import Ema
from sdv_tabdar.core.training.gradients import StepGradient
from sdv_tabdar.core.training.history import TrainingHistory
from sdv_tabdar.core.training.optimizers import make_optimizers
from sdv_tabdar.core.training.schedule import Clock, learning_rate_factor

SHARD_CELLS = 960  # of a step, for each core that takes part: fewer are not worth its overhead
_PLATEAU_PATIENCE = 50  # epochs

Progress = Callable[[float, int, float], None]
"""``progress(share of the training done, epochs done, loss of the last epoch)``."""


def fit_network(
    table: EncodedTable,
    schema: TableSchema,
    model: ModelConfig,
    config: TrainingConfig,
    *,
    generator: torch.Generator,
    progress: Progress | None = None,
) -> tuple[TabDARNetwork, TrainingHistory]:
    """Train a network end to end.

    Args:
        table: The encoded training table, on the device of ``generator``; all cells observed.
        schema: Its columns.
        model: Architecture.
        config: Training settings.
        generator: Source of all randomness.
        progress: Called after each step.

    Returns:
        The network with averaged weights, in evaluation mode, and the history.

    Raises:
        FloatingPointError: If the loss stops being finite.

    Source: paper, Algorithm 'Training'.
    """
    batch_size = rows_of_step(config, len(table), generator.device)
    with workers(batch_size * len(schema.columns) // SHARD_CELLS, generator.device) as team:
        trainer = _Trainer(table, schema, model, config, batch_size, team, generator, progress)
        while trainer.clock.share < 1:
            trainer.run_epoch()
    trainer.history.seconds = trainer.clock.seconds
    return trainer.result(), trainer.history


class _Trainer:
    """Network, optimizers, EMA and clock of one training."""

    def __init__(
        self,
        table: EncodedTable,
        schema: TableSchema,
        model: ModelConfig,
        config: TrainingConfig,
        batch_size: int,
        team: Workers,
        generator: torch.Generator,
        progress: Progress | None,
    ) -> None:
        self.table, self.config, self.batch_size, self.team = table, config, batch_size, team
        self.generator, self.progress = generator, progress
        self.learning_rate = config.learning_rate or default_learning_rate(batch_size)
        self.network = _initialised(schema, model, generator).to(generator.device).train()
        self.ema = Ema(self.network, config.ema_decay) if config.ema_decay else None
        self.optimizers = make_optimizers(self.network, config, self.learning_rate, team.number)
        self.plateaus = [
            torch.optim.lr_scheduler.ReduceLROnPlateau(
                optimizer, factor=0.5, patience=_PLATEAU_PATIENCE
            )
            for optimizer in self.optimizers
        ]
        self.steps_per_epoch = len(table) // self.batch_size
        num_rows, num_columns = table.codes.shape
        epochs = config.epochs or default_epochs(num_rows, num_columns, self.batch_size)
        self.clock = Clock(epochs * self.steps_per_epoch, config.max_training_time)
        self.history = TrainingHistory()
        self.gradient = StepGradient(
            self.network, table, self._batch_loss, batch_size, team, generator
        )

    def run_epoch(self) -> None:
        """Go through the table once, or until time is up."""
        device = self.generator.device
        total = torch.zeros((), device=device)
        order = torch.randperm(len(self.table), generator=self.generator, device=device)
        steps = 0
        while steps < self.steps_per_epoch and (self.clock.share < 1 or not steps):
            rows = order[steps * self.batch_size : (steps + 1) * self.batch_size]
            total += self._step(rows)
            steps += 1
        loss = float(total) / steps
        self.history.losses.append(loss)
        if not math.isfinite(loss):
            raise FloatingPointError(
                f'The training loss became {loss} in epoch {len(self.history.losses)}. Try a lower '
                f'learning_rate than {self.learning_rate:g}.'
            )
        if self.config.scheduler == 'plateau':
            for plateau in self.plateaus:
                plateau.step(loss)

    def result(self) -> TabDARNetwork:
        """The network to sample from, in evaluation mode."""
        network = self.ema.network if self.ema is not None else self.network
        return network.requires_grad_(False).eval()

    def _step(self, rows: torch.Tensor) -> torch.Tensor:
        if self.config.scheduler == 'cosine':
            factor = learning_rate_factor(self.clock.share)
            for optimizer in self.optimizers:
                for group in optimizer.param_groups:
                    group['lr'] = group['initial_lr'] * factor
        loss = self.gradient.compute(rows)
        list(self.team.run([optimizer.step for optimizer in self.optimizers]))
        if self.ema is not None:
            self.ema.update()
        self.gradient.weights_changed()
        self.clock.steps += 1
        if self.progress is not None:
            epochs = self.history.losses
            self.progress(self.clock.share, len(epochs), epochs[-1] if epochs else math.nan)
        return loss

    def _batch_loss(
        self, network: TabDARNetwork, rows: EncodedTable, generator: torch.Generator
    ) -> torch.Tensor:
        return losses.batch_loss(network, rows, self.config, generator=generator)


def _initialised(
    schema: TableSchema, model: ModelConfig, generator: torch.Generator
) -> TabDARNetwork:
    """A network with initial weights drawn from ``generator`` and not from torch's global one."""
    seed = int(torch.randint(2**62, (1,), generator=generator, device=generator.device))
    with default_generator_at(seed):
        return TabDARNetwork(schema, model)
