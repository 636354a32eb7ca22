"""One training: what it does step by step, and where it stands."""

from __future__ import annotations

import dataclasses
import logging
import math
import warnings
from collections.abc import Callable
from typing import Any

import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import default_generator_at, drawn_seeds
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.runtime.row_order import all_rows
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses
from sdv_tabdar.core.training.clock import Clock, Wishes
from sdv_tabdar.core.training.defaults import (
    cool_down_dropout,
    cool_down_length,
    default_dropout,
    default_epochs,
    default_learning_rate,
    default_weight_decay,
    following_cool_down,
    further_training,
    longest_training,
)
from sdv_tabdar.core.training.epoch import Epoch
from sdv_tabdar.core.training.gradients import LowPrecisionCopy, StepGradient
from sdv_tabdar.core.training.held_out import Evaluation, HeldOut, holds_out
from sdv_tabdar.core.training.history import EpochReport, TrainingHistory
from sdv_tabdar.core.training.learner import Learner, Weights
from sdv_tabdar.core.training.orders import TrainedOrders
from sdv_tabdar.core.training.schedule import FixedLength, Schedule
from sdv_tabdar.core.training.stopping import Stopping

_CHECK_STEPS = 200  # between two looks at whether all is finite
_SHORT_LENGTH = 0.5  # of a training of too few rows to hold any out, in default lengths
_WARM_LENGTH = 0.1  # of one that goes on with trained weights, likewise, and ...
_WARM_RATE = 0.25  # ... its learning rate as a share of the default
_LEAST_SECONDS = 1e-9  # where other rows took all of the time
_MAX_RETRIES = 3  # at a lower rate, after a loss that is not finite
_LOWER_RATE = 0.5

Progress = Callable[[float, int, float], None]
"""``progress(share of the training done, epochs done, loss of the last epoch)``."""

_AT_ITS_END = 'All epochs, or all of the time given, were used.'
_NOTHING_TO_GAIN = 'The loss of held-out rows no longer falls.'
_OUT_OF_TIME = 'The longest time that training may take is almost over.'

_logger = logging.getLogger(__name__)


class Trainer:
    """One training.

    Args:
        table: The encoded training table, on the device of ``generator``.
        config: Training settings.
        batch_size: Rows of a step.
        team: Threads that share a step.
        generator: Source of all randomness.
        network: The network to train; it is changed.
        goes_on: Whether it has learnt most of the rows before.
        seconds_before: How long it has learnt other rows, which is part of the longest training.
        ranks: Processes that train it together: each has this trainer, from the same table and
            the same state of ``generator``, and calls its methods in the same order.

    Attributes:
        history: What is known so far.
    """

    def __init__(
        self,
        table: EncodedTable,
        config: TrainingConfig,
        batch_size: int,
        team: Workers,
        generator: torch.Generator,
        network: TabDARNetwork,
        *,
        goes_on: bool = False,
        seconds_before: float = 0.0,
        ranks: Ranks = ALONE,
    ) -> None:
        self.history = TrainingHistory()
        self._ranks = ranks
        self._cool_down_dropout = config.dropout
        if config.dropout is None:
            dropout = default_dropout(len(table), config.epochs)
            config = dataclasses.replace(config, dropout=dropout)
            self._cool_down_dropout = cool_down_dropout(len(table))
        self._table, self._config, self._batch_size = table, config, batch_size
        self._team, self._generator, self._goes_on = team, generator, goes_on
        self._before = seconds_before
        default_rate = default_learning_rate(batch_size) * (_WARM_RATE if goes_on else 1.0)
        network = network.to(generator.device).train()
        decay = config.weight_decay
        self._learner = Learner(
            network,
            config,
            config.learning_rate or default_rate,
            default_weight_decay(len(table)) if decay is None else decay,
            team,
            ranks,
        )
        self._orders = TrainedOrders(table, network, ranks)
        self._gradient = StepGradient(
            network, table, self._batch_loss, batch_size, team, generator, ranks
        )
        self._held_out: HeldOut | None = None
        self._rows = all_rows(len(table), generator.device)
        self._schedule = self._make_schedule()
        self._steps, self._clock = 0, Clock(ranks, generator.device)
        self._epoch = Epoch(torch.zeros((), device=generator.device))
        self._retries = 0
        self._last_evaluation: Evaluation | None = None
        self._best: Weights | None = None
        self._good = self._learner.weights()

    @property
    def seconds(self) -> float:
        """Time since the start, without breaks."""
        return self._clock.seconds

    @property
    def share(self) -> float:
        """How much of the training is done, in [0, 1]."""
        return self._schedule.share(self._steps, self.seconds)

    @property
    def finished(self) -> bool:
        """Whether training is at its end."""
        return self._steps > 0 and self._schedule.finished(self._steps, self.seconds)

    @property
    def epoch_is_over(self) -> bool:
        """Whether :meth:`end_epoch` is due."""
        return self._epoch.cut or self._epoch.steps >= self._steps_per_epoch or self.finished

    def step(self, wishes: Wishes = tuple) -> list[bool]:
        """Do one training step.

        Args:
            wishes: Asked once in the step.

        Returns:
            Which of the wishes any rank has; nothing if this one is alone.

        Raises:
            FloatingPointError: If the loss stops being finite again and again.
        """
        epoch, size = self._epoch, self._batch_size
        if epoch.order is None:
            epoch.begin(self._rows, self._generator)
            assert epoch.order is not None
        rows = epoch.order[epoch.steps * size : (epoch.steps + 1) * size]
        self._set_learning_rate()
        signals = self._clock.sent(wishes)
        epoch.total += self._gradient.compute(rows, signals)
        self._learner.step()
        self._gradient.weights_changed()
        epoch.steps += 1
        epoch.counted += 1
        self._steps += 1
        heard = self._clock.heard(signals)
        if self._orders.due(self.share):
            self._weigh_columns()
        if isinstance(self._schedule, Stopping):
            self._watch(self._schedule)
        elif self._steps % _CHECK_STEPS == 0:
            self._check()
        return heard

    def end_epoch(self) -> EpochReport:
        """Note the loss of the epoch that is over."""
        self._check()
        epoch = self._epoch
        loss = float(epoch.total) / max(epoch.counted, 1)
        self.history.losses.append(loss)
        if self._config.scheduler == 'plateau':
            self._learner.note_loss(loss)
        self._epoch = Epoch(torch.zeros_like(epoch.total))
        evaluation = self._last_evaluation
        stopping = self._schedule if isinstance(self._schedule, Stopping) else None
        return EpochReport(
            epoch=len(self.history.losses),
            steps=self._steps,
            seconds=self.seconds,
            learning_rate=self._learner.rate,
            loss=loss,
            training_loss=evaluation.training.total if evaluation else None,
            held_out_loss=evaluation.held_out.total if evaluation else None,
            best_held_out_loss=stopping.best_loss if stopping else None,
            cooling=stopping is not None and stopping.cooling,
        )

    def end(self, reason: str) -> None:
        """Finish the history, and go back to the best weights if training was cut short.

        Args:
            reason: Why it was; empty if it was not.
        """
        if self._epoch.counted:
            self.end_epoch()
        stopping = self._schedule if isinstance(self._schedule, Stopping) else None
        if self._best is not None and stopping is not None and not stopping.cooling:
            self._set_weights(self._best)
        self.history.seconds = self._before + self.seconds
        self.history.reason = reason or (stopping.reason if stopping else _AT_ITS_END)
        self._say(
            'Training ended after %d epoch%s and %.1f seconds. %s',
            len(self.history.losses),
            's' * (len(self.history.losses) != 1),
            self.history.seconds,
            self.history.reason,
        )

    def result(self) -> TabDARNetwork:
        """The network to sample from, in evaluation mode."""
        return self._learner.averaged.requires_grad_(False).eval()

    def state(self) -> dict[str, Any]:
        """All that :meth:`restore` needs, on any rank, in plain types and tensors on the CPU."""
        own = [generator.get_state() for generator in self._gradient.generators]
        state = {
            'steps': self._steps,
            'seconds': self.seconds,
            'seconds_before': self._before,
            'retries': self._retries,
            'weights': self._learner.weights(),
            'best': self._best,
            **self._learner.rates(),
            'schedule': self._schedule.state(),
            'orders': self._orders.state(),
            'history': self.history.plain(),
            'epoch': self._epoch.state(),
            'generators': [
                self._generator.get_state(),
                *(state for states in self._ranks.gathered(own) for state in states),
            ],
        }
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state` of the same training."""
        self._steps, self._retries = state['steps'], state['retries']
        self._clock.set(state['seconds'])
        self._schedule.restore(state['schedule'])
        self._orders.restore(state['orders'])
        if isinstance(self._schedule, Stopping) and self._schedule.cooling:
            self._cool_down()
        self._set_weights(state['weights'])
        self._best, self._good = state['best'], self._learner.weights()
        self._learner.set_rates(state)
        self.history = TrainingHistory.from_plain(state['history'])
        self._epoch.restore(state['epoch'], self._rows, self._generator)
        common, *of_all = state['generators']
        self._generator.set_state(common)
        number = len(self._gradient.generators)
        own = of_all[self._ranks.rank * number : (self._ranks.rank + 1) * number]
        for generator, before in zip(self._gradient.generators, own, strict=True):
            generator.set_state(before)

    @property
    def _steps_per_epoch(self) -> int:
        return max(len(self._rows) // self._batch_size, 1)

    def _batch_loss(
        self, network: TabDARNetwork, rows: EncodedTable, generator: torch.Generator
    ) -> torch.Tensor:
        weights = self._orders.log_weights
        return losses.batch_loss(
            network, rows, self._config, generator=generator, log_weights=weights
        )

    def _make_schedule(self) -> Schedule:
        """The course of the training; holds rows out where its length is not given."""
        config, (num_rows, num_columns) = self._config, self._table.codes.shape
        seconds = config.seconds_of_steps
        seconds = None if seconds is None else max(seconds - self._before, _LEAST_SECONDS)
        epochs = config.epochs or default_epochs(num_rows, num_columns, self._batch_size)
        max_steps = epochs * self._steps_per_epoch
        if self._goes_on or not holds_out(config, num_rows):
            if config.epochs is None:  # very few rows would be memorised, most others are known
                length = _WARM_LENGTH if self._goes_on else _SHORT_LENGTH
                max_steps = max(int(length * max_steps), 1)
            return FixedLength(max_steps, seconds, annealed=config.scheduler == 'cosine')
        self._held_out = HeldOut(
            self._table, fixed_order=self._learner.network.fixed_order, generator=self._generator
        )
        self._rows = self._held_out.rows
        held_out = num_rows - len(self._rows)
        self._say('%d of %d rows are held out to see when to stop.', held_out, num_rows)
        interval = self._held_out.min_interval(self._batch_size)
        longest = longest_training(num_rows, num_columns, self._batch_size)
        return Stopping(
            interval,
            longest,
            seconds,
            cool_down_length(num_rows),
            following_cool_down(num_rows),
            further_training(num_rows, num_columns),
        )

    def _set_learning_rate(self) -> None:
        if isinstance(self._schedule, FixedLength) and not self._schedule.annealed:
            return
        factor = self._schedule.factor(self._steps, self.seconds)
        self._learner.set_rate(factor)

    def _watch(self, schedule: Stopping) -> None:
        """Evaluate the held-out rows when it is time to, and begin the cool-down."""
        out_of_time = schedule.out_of_time(self._steps, self.seconds)
        if schedule.cooling or not (out_of_time or schedule.due(self._steps)):
            return
        if not self._check():
            return
        assert self._held_out is not None
        network = LowPrecisionCopy(self._learner.averaged).network.eval()
        evaluation = self._last_evaluation = self._held_out.evaluate(
            network, self._team, self._ranks
        )
        self._learner.network.train()
        self.history.add(
            len(self.history.losses) + self._epoch.steps / self._steps_per_epoch, evaluation
        )
        falls = schedule.observe(self._steps, evaluation.held_out.rows, evaluation.training.total)
        if schedule.is_best:
            self._best = self._learner.weights()
        if out_of_time or not falls:
            reason = _OUT_OF_TIME if out_of_time and falls else _NOTHING_TO_GAIN
            schedule.cool_down(self._steps, self.seconds, reason)
            self._say('%s The learning rate is lowered now.', reason)
            if self._best is not None:
                self._set_weights(self._best)
            self._cool_down()
            self._epoch.cut = True

    def _weigh_columns(self) -> None:
        """Hide cells more often in the orders in which rows would be drawn now."""
        network = lowered(self._learner.averaged).eval()
        self._orders.weigh(network, self._steps * self._batch_size)
        self._learner.network.train()
        self._gradient.loss_changed()

    def _say(self, message: str, *values: object) -> None:
        """Log something, once for all ranks."""
        if self._ranks.leads:
            _logger.info(message, *values)

    def _cool_down(self) -> None:
        """Train on held-out rows as well, with the dropout for that, and on all orders alike."""
        self._orders.stop()
        self._rows = all_rows(len(self._table), self._generator.device)
        self._config = dataclasses.replace(self._config, dropout=self._cool_down_dropout)
        self._gradient.loss_changed()

    def _check(self) -> bool:
        """Whether all is finite; if it is not, back to where it was, at a lower rate."""
        if math.isfinite(float(self._epoch.total)) and self._learner.is_finite():
            self._good, self._epoch.good = self._learner.weights(), self._epoch.total.clone()
            self._epoch.good_counted = self._epoch.counted
            return True
        loss = float(self._epoch.total) / max(self._epoch.counted, 1)
        rate = self._learner.highest_rate
        where = f'in epoch {len(self.history.losses) + 1}'
        if self._retries == _MAX_RETRIES:
            raise FloatingPointError(
                f'The training loss became {loss} {where}, also after the learning rate was '
                f'lowered {_MAX_RETRIES} times. Try a lower learning_rate than {rate:g}.'
            )
        self._retries += 1
        message = (
            f'The training loss became {loss} {where}. Training goes on from the last weights '
            f'whose loss was finite, with a learning rate of {rate * _LOWER_RATE:g}.'
        )
        if self._ranks.leads:
            _logger.warning(message)
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        self._set_weights(self._good)
        self._learner.lower_rates(_LOWER_RATE)
        self._epoch.total = self._epoch.good.clone()
        self._epoch.counted = self._epoch.good_counted
        return False

    def _set_weights(self, weights: Weights) -> None:
        self._learner.set_weights(weights)
        self._gradient.weights_changed()


def initial_network(
    schema: TableSchema, model: ModelConfig, generator: torch.Generator
) -> TabDARNetwork:
    """A network with initial weights drawn from ``generator`` and not from torch's global one."""
    with default_generator_at(drawn_seeds(generator, 1)[0]):
        return TabDARNetwork(schema, model)
