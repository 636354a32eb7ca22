"""Training: hide cells at random, ask for them back.

The loss of a row is the sum over its M hidden cells of the heads' losses, times C / M with the
``'order'`` weighting: in expectation over M ~ U{1..C} and the hidden set that is the bound of
order-agnostic autoregressive models on the negative log-likelihood of the row. What is reported
and minimised is the mean over rows, divided by C.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import time
from collections.abc import Callable

import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.masking import complementary_observed, leading_observed
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_losses
from sdv_tabdar.core.runtime.cuda_graph import recorded
from sdv_tabdar.core.runtime.device import matrix_type
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.threads import Workers, workers
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.muon import Muon, updating_work

_WARM_UP = 0.02  # share of the training spent on raising the learning rate
_FINAL_RATE = 0.01  # learning rate at the end, as a share of the highest
_BETAS = (0.9, 0.98)
_MUON_FACTOR = 3.0  # Muon's learning rate, as a multiple of AdamW's
_PLATEAU_PATIENCE = 50  # epochs
_DEFAULT_CELLS = 60_000_000  # cells that go through the network by default ...
_MIN_EPOCHS, _MAX_EPOCHS = 10, 80  # ... within these numbers of epochs, and no more than ...
_FEW_EPOCHS, _ROWS_PER_EPOCH = 30, 225  # ... these for fewer rows, which would be memorised
SHARD_CELLS = 960  # of a step, for each core that takes part: fewer are not worth its overhead
_MIN_STEPS = 500  # of a training, however small the table
_SMALL_TABLE, _LARGE_TABLE = 4_000, 16_000  # rows of a table below, and from, which ...
_SMALL_STEP, _STEP, _LARGE_STEP = 64, 128, 256  # ... steps have fewer rows, or more, ...
_MOST_CORES = 2  # ... the last so many on each core, up to this number of cores
_RATE = 1.5e-3  # learning rate; in steps of several cores it grows with the root of their number


@dataclasses.dataclass
class TrainingHistory:
    """What training left behind.

    Attributes:
        losses: Mean loss of each epoch, in nats per cell.
        seconds: Time it took.
    """

    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0


Progress = Callable[[float, int, float], None]
"""``progress(share of the training done, epochs done, loss of the last epoch)``."""


def default_epochs(num_rows: int, num_columns: int, batch_size: int) -> int:
    """Epochs for a table of that size when none are asked for."""
    epochs = math.ceil(_DEFAULT_CELLS / (num_rows * num_columns))
    most = min(max(num_rows // _ROWS_PER_EPOCH, _FEW_EPOCHS), _MAX_EPOCHS)
    at_least = math.ceil(_MIN_STEPS / (num_rows // batch_size))
    return max(min(max(epochs, _MIN_EPOCHS), most), at_least)


def default_batch_size(num_rows: int, device: torch.device) -> int:
    """Rows of a step for a table of ``num_rows`` rows when none are asked for."""
    if num_rows < _SMALL_TABLE:
        return _SMALL_STEP
    if num_rows < _LARGE_TABLE:
        return _STEP
    cores = torch.get_num_threads() if device.type == 'cpu' else _MOST_CORES
    return _LARGE_STEP * min(cores, _MOST_CORES)


def rows_of_step(config: TrainingConfig, num_rows: int, device: torch.device) -> int:
    """Rows of a training step for a table of ``num_rows`` rows."""
    return min(config.batch_size or default_batch_size(num_rows, device), num_rows)


def default_learning_rate(batch_size: int) -> float:
    """Highest learning rate for steps of ``batch_size`` rows when none is asked for."""
    cores = min(max(batch_size / _LARGE_STEP, 1), _MOST_CORES)
    return _RATE * cores**0.5


class _Average:
    """Exponential moving average of parameters, with a shorter memory at the start."""

    def __init__(self, network: TabDARNetwork, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.source: list[torch.Tensor] = list(network.parameters())
        self.averaged = copy.deepcopy(network).requires_grad_(False)
        self.target: list[torch.Tensor] = list(self.averaged.parameters())

    @torch.no_grad()
    def update(self) -> None:
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 10))
        torch._foreach_lerp_(self.target, self.source, 1 - decay)


class _Working:
    """The network that losses are computed with: its blocks may have weights of a shorter type.

    The optimizer works on the exact weights, of which these are rounded copies (mixed precision
    with master weights: Micikevicius et al. 2018, doi:10.48550/arXiv.1710.03740).
    """

    def __init__(self, network: TabDARNetwork) -> None:
        self.network = lowered(network)
        self.parameters = list(self.network.parameters())
        pairs = zip(self.parameters, network.parameters(), strict=True)
        different = [(copied, exact) for copied, exact in pairs if copied is not exact]
        self.copies: list[torch.Tensor] = [copied for copied, _ in different]
        self.exact: list[torch.Tensor] = [exact for _, exact in different]

    @torch.no_grad()
    def update(self) -> None:
        """Round the exact weights anew."""
        if self.copies:
            torch._foreach_copy_(self.copies, self.exact)


class _Clock:
    """How much of the training is done: by epochs or by time, whichever is further."""

    def __init__(self, total_steps: int, max_seconds: float | None) -> None:
        self.total_steps = total_steps
        self.max_seconds = max_seconds
        self.start = time.perf_counter()
        self.steps = 0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start

    @property
    def share(self) -> float:
        share = self.steps / self.total_steps
        if self.max_seconds is not None:
            share = max(share, self.seconds / self.max_seconds)
        return min(share, 1.0)


def learning_rate_factor(share: float) -> float:
    """Cosine schedule with linear warm-up, at ``share`` in [0, 1] of the training."""
    if share < _WARM_UP:
        return max(share / _WARM_UP, 0.01)
    angle = math.pi * (share - _WARM_UP) / (1 - _WARM_UP)
    return _FINAL_RATE + (1 - _FINAL_RATE) * (1 + math.cos(angle)) / 2


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
    """Network, optimizer, average and clock of one training."""

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
        self.learning_rate = config.learning_rate or default_learning_rate(batch_size)
        self.generator, self.progress = generator, progress
        self.network = _initialised(schema, model, generator).to(generator.device).train()
        self.average = _Average(self.network, config.ema_decay) if config.ema_decay else None
        self.parameters = list(self.network.parameters())
        self.sums = [torch.zeros_like(parameter) for parameter in self.parameters]
        for parameter, gradient in zip(self.parameters, self.sums, strict=True):
            parameter.grad = gradient
        self.working = _Working(self.network)
        self.optimizers = _optimizers(self.network, config, self.learning_rate, team.number)
        self.plateaus = [
            torch.optim.lr_scheduler.ReduceLROnPlateau(
                optimizer, factor=0.5, patience=_PLATEAU_PATIENCE
            )
            for optimizer in self.optimizers
        ]
        self.steps_per_epoch = len(table) // self.batch_size
        num_rows, num_columns = table.codes.shape
        epochs = config.epochs or default_epochs(num_rows, num_columns, self.batch_size)
        self.clock = _Clock(epochs * self.steps_per_epoch, config.max_training_time)
        self.history = TrainingHistory()
        rows = torch.arange(self.batch_size, device=generator.device)
        self.shards = [
            recorded(self._shard, rows, own) for own in split_generator(generator, team.number)
        ]

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
        network = self.average.averaged if self.average is not None else self.network
        return network.requires_grad_(False).eval()

    def _step(self, rows: torch.Tensor) -> torch.Tensor:
        if self.config.scheduler == 'cosine':
            factor = learning_rate_factor(self.clock.share)
            for optimizer in self.optimizers:
                for group in optimizer.param_groups:
                    group['lr'] = group['initial_lr'] * factor
        loss = self._backward(rows)
        list(self.team.run([optimizer.step for optimizer in self.optimizers]))
        if self.average is not None:
            self.average.update()
        self.working.update()
        self.clock.steps += 1
        if self.progress is not None:
            losses = self.history.losses
            self.progress(self.clock.share, len(losses), losses[-1] if losses else math.nan)
        return loss

    def _backward(self, rows: torch.Tensor) -> torch.Tensor:
        """Leave the gradient of a step with the parameters, and return its loss.

        Each shard's gradients are its own until they are added, so that no two threads write to
        the same place and the sum does not depend on which is first.
        """
        parts = rows.tensor_split(len(self.shards))
        pairs = zip(self.shards, parts, strict=True)
        tasks = [functools.partial(shard, part) for shard, part in pairs]
        (total, gradients), *others = self.team.run(tasks)
        torch._foreach_copy_(self.sums, gradients)
        for loss, more in others:
            total = total + loss
            torch._foreach_add_(self.sums, more)
        return total

    def _shard(
        self, rows: torch.Tensor, generator: torch.Generator
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Loss and gradients of a part of a step's rows, by its share of them."""
        table = self.table.rows(rows)
        loss = batch_loss(self.working.network, table, self.config, generator=generator)
        loss = loss * (len(rows) / self.batch_size)
        gradients = torch.autograd.grad(loss, self.working.parameters, materialize_grads=True)
        return loss.detach(), gradients


def batch_loss(
    network: TabDARNetwork,
    rows: EncodedTable,
    config: TrainingConfig,
    *,
    generator: torch.Generator,
) -> torch.Tensor:
    """Loss of a batch, in nats per cell: a scalar."""
    find = _ordered_losses if network.fixed_order else _paired_losses
    losses, num_hidden, num_rows = find(network, rows, config.noise_draws, generator)
    if config.loss_weighting == 'order':
        return (losses / num_hidden).sum() / num_rows
    return 2 * losses.sum() / (losses.shape[1] * num_rows)


def _ordered_losses(
    network: TabDARNetwork, rows: EncodedTable, noise_draws: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Losses ``(B, C)``, the number of hidden cells ``(B, 1)`` of their rows, and B."""
    observed = leading_observed(*rows.codes.shape, generator=generator)
    table = EncodedTable(rows.codes, rows.residuals, observed)
    losses = network.losses(table, noise_draws=noise_draws, generator=generator)
    return losses, (~observed).sum(dim=1, keepdim=True), float(len(rows))


def _paired_losses(
    network: TabDARNetwork, rows: EncodedTable, noise_draws: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """As :func:`_ordered_losses`, for the one hidden cell of each column of P pairs, ``(P, C)``.

    Without a partner the last row is paired with the first. The number of rows is that of rows
    which hide something, in expectation.
    """
    num_rows, num_columns = rows.codes.shape
    if num_rows % 2:
        rows = rows.rows(torch.arange(num_rows + 1, device=rows.codes.device) % num_rows)
    num_pairs = len(rows) // 2
    observed = complementary_observed(num_pairs, num_columns, generator=generator)
    table = EncodedTable(rows.codes, rows.residuals, observed)
    losses = pair_losses(network, table, noise_draws=noise_draws, generator=generator)
    side = observed[:num_pairs]
    hidden_of_second = side.sum(dim=1, keepdim=True)
    num_hidden = torch.where(side, hidden_of_second, num_columns - hidden_of_second)
    return losses, num_hidden, 2 * num_pairs * num_columns / (num_columns + 1)


def _optimizers(
    network: TabDARNetwork, config: TrainingConfig, learning_rate: float, number: int
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of hidden layers, if it is asked for, and AdamW for what remains.

    There are ``number`` Muons, of about the same work each.
    """
    matrices = network.hidden_matrices() if config.optimizer == 'muon' else []
    others = {id(parameter): parameter for parameter in network.parameters()}
    for matrix in matrices:
        del others[id(matrix)]
    found: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(
            others.values(),
            lr=learning_rate,
            betas=_BETAS,
            weight_decay=config.weight_decay,
            fused=True,
        )
    ]
    if matrices:
        rate = _MUON_FACTOR * learning_rate
        dtype = matrix_type(matrices[0].device, network.precision)
        found.extend(
            Muon(part, lr=rate, weight_decay=config.weight_decay, dtype=dtype)
            for part in _equal_parts(matrices, number)
        )
    for optimizer in found:
        for group in optimizer.param_groups:
            group['initial_lr'] = group['lr']
    return found


def _equal_parts(matrices: list[torch.Tensor], number: int) -> list[list[torch.Tensor]]:
    """At most ``number`` lists of about the same work for Muon, each of few shapes."""
    matrices = sorted(matrices, key=lambda matrix: sorted(matrix.shape[-2:]))
    parts: list[list[torch.Tensor]] = [[] for _ in range(number)]
    work = [updating_work(matrix) for matrix in matrices]
    done = 0
    for matrix, own in zip(matrices, work, strict=True):
        parts[int((done + own / 2) / sum(work) * number)].append(matrix)
        done += own
    return [part for part in parts if part]


def _initialised(
    schema: TableSchema, model: ModelConfig, generator: torch.Generator
) -> TabDARNetwork:
    """A network with initial weights drawn from ``generator`` and not from torch's global one."""
    seed = int(torch.randint(2**62, (1,), generator=generator, device=generator.device))
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed GPUs as well
        return TabDARNetwork(schema, model)
