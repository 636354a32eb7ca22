"""Training by noisy sums of clipped gradients (DP-SGD), after one on drawn rows.

What is done depends on the rows through ``row_gradients.noisy_sum`` alone: there are no held-out
rows, the number of steps is given, and no loss of a row is noted anywhere. The network may begin
with what it learnt from rows that were drawn from noisy counts, as often as it likes: these are
paid for already, and what is made of them costs nothing more.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from collections.abc import Sequence

import pandas as pd
import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.secret import secret_generator
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.ema import Ema
from sdv_tabdar.core.training.history import Callback, EpochReport, TrainingHistory, asked_to_end
from sdv_tabdar.core.training.interrupts import Interrupts
from sdv_tabdar.core.training.loop import fit_network
from sdv_tabdar.core.training.row_gradients import RowGradients, noisy_sum, rows_of_step
from sdv_tabdar.core.training.trainer import Progress

_BETAS = (0.9, 0.999)
_COOLED = 0.1  # of the steps, at the end, in which the learning rate falls to nothing
_DRAWN_EPOCHS = 10  # of the training on drawn rows, at most, ...
_DRAWN_TIME = 0.2  # ... and what it may take of the time that there is

_logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class PrivateSteps:
    """What the steps of a private training are; all of it is paid for before the first one.

    Attributes:
        number: How many steps.
        rate: Probability of each row to be in a step.
        noise_multiplier: Standard deviation of the noise, for sums of sensitivity 1.
        expected_rows: What sums are divided by: about ``rate`` times the number of rows.
        learning_rate: Of Adam.
        pairs: Pairs of hidden sets of each row in a step.
        ema_decay: Of the averaged weights.
        max_seconds: After which training ends early; None for no limit.
    """

    number: int
    rate: float
    noise_multiplier: float
    expected_rows: float
    learning_rate: float
    pairs: int
    ema_decay: float
    max_seconds: float | None = None

    def after(self, seconds: float) -> PrivateSteps:
        """The same, when so many seconds of the time that there is are over."""
        if self.max_seconds is None:
            return self
        return dataclasses.replace(self, max_seconds=self.max_seconds - seconds)


@dataclasses.dataclass(frozen=True)
class PrivateRows:
    """The rows of a table that only steps of private training may see.

    Attributes:
        frame: The rows as the model reads them; every value is one that the codecs can write.
        steps: What may be done with them.
        drawn: Rows that were drawn from noisy counts, in the same form, to begin with.
    """

    frame: pd.DataFrame
    steps: PrivateSteps
    drawn: pd.DataFrame


def fit_drawn(
    table: EncodedTable,
    schema: TableSchema,
    model: ModelConfig,
    training: TrainingConfig,
    interrupts: Interrupts,
    *,
    generator: torch.Generator,
) -> TabDARNetwork:
    """A network that has learnt rows which were drawn from noisy counts, to go on from.

    Args:
        table: The encoded rows, on a CPU.
        schema: Their columns.
        model: Architecture.
        training: Settings of the private training; what is set for its steps is not used here.
        interrupts: Ends it after an epoch.
        generator: Source of randomness, on a CPU; it may be known.
    """
    seconds = training.max_training_time
    ordinary = dataclasses.replace(
        training,
        epochs=_DRAWN_EPOCHS,
        max_training_time=None if seconds is None else _DRAWN_TIME * seconds,
        learning_rate=None,
        ema_decay=TrainingConfig().ema_decay,
        calibration=False,
    )
    network, _ = fit_network(
        table,
        schema,
        model,
        ordinary,
        generator=generator,
        callbacks=[lambda report: interrupts.asked],
    )
    return network.requires_grad_(True)


def fit_privately(
    network: TabDARNetwork,
    table: EncodedTable,
    steps: PrivateSteps,
    interrupts: Interrupts,
    *,
    progress: Progress | None = None,
    callbacks: Sequence[Callback] = (),
) -> tuple[TabDARNetwork, TrainingHistory]:
    """Train a network on rows of which no single one has much influence.

    A training that ends early has spent no more than one that goes to its end. Noise, the rows of
    each step and hidden sets come from secret random numbers: were these sets known, one more row
    would be seen to change those of the rows behind it.

    Args:
        network: The network to begin with; it is changed.
        table: The encoded rows, on a CPU.
        steps: What to do.
        interrupts: Ends it after a step.
        progress: Called after each step.
        callbacks: Called when each row has been used once on average; training ends if one
            returns True. The losses of their reports are NaN.

    Returns:
        The network with averaged weights, in evaluation mode, and a history without losses.
    """
    network.train()
    generator = secret_generator()
    gradients = RowGradients(network, table, steps.pairs)
    optimizer = torch.optim.Adam(gradients.parameters.values(), steps.learning_rate, _BETAS)
    ema = Ema(network, steps.ema_decay)
    history = TrainingHistory(reason='All steps that the budget pays for were done.')
    start, epoch = time.perf_counter(), 0
    for step in range(steps.number):
        for group in optimizer.param_groups:
            group['lr'] = steps.learning_rate * rate_factor(step / steps.number)
        rows = rows_of_step(len(table), steps.rate)
        total = gradients.clipped_sum(rows, generator=generator)
        for name, parameter in gradients.parameters.items():
            noisy = noisy_sum(total[name], steps.noise_multiplier)
            parameter.grad = noisy / steps.expected_rows
        optimizer.step()
        ema.update()
        seconds = time.perf_counter() - start
        if progress is not None:
            progress((step + 1) / steps.number, epoch, math.nan)
        if int((step + 1) * steps.rate) > epoch:
            epoch += 1
            report = _report(epoch, step + 1, seconds, optimizer.param_groups[0]['lr'])
            if asked_to_end(callbacks, report):
                history.reason = 'A callback ended training.'
                break
        if interrupts.asked:
            history.reason = 'Training was interrupted; what it had learnt by then is kept.'
            break
        if steps.max_seconds is not None and seconds > steps.max_seconds:
            history.reason = 'The longest time that training may take was over.'
            break
    # how long it took would tell of the number of rows: it is not noted
    _logger.info('Private training ended after %d steps. %s', step + 1, history.reason)
    return ema.network.requires_grad_(False).eval(), history


def refuse_unpaid(model: ModelConfig, checkpoint_path: object) -> None:
    """Refuse settings that learn from rows beside the steps that are paid for.

    Raises:
        ValueError: If there are some.
    """
    allowed = {
        'numerical_head': 'bins',  # the diffusion's losses are not among those of a row
        'column_order': 'random',  # weights of columns would be measured on rows
        'attention': 'bidirectional',
        'max_crosses': 0,  # they are found by held-out rows
    }
    for name, value in allowed.items():
        found = getattr(model, name)
        if found != value:
            raise ValueError(
                f'A private training pays for {name}={value!r} alone, however: {name}={found!r}. '
                'Leave it out.'
            )
    if checkpoint_path is not None:
        raise ValueError(
            'A private training keeps no checkpoint: one that went on from it would see rows again '
            'that are not paid for. Leave checkpoint_path out.'
        )


def rate_factor(share: float) -> float:
    """The learning rate as a share of the highest, when ``share`` of the steps is done."""
    return min(1.0, (1 - share) / _COOLED)


def _report(epoch: int, steps: int, seconds: float, rate: float) -> EpochReport:
    return EpochReport(
        epoch=epoch,
        steps=steps,
        seconds=seconds,
        learning_rate=rate,
        loss=math.nan,
        training_loss=None,
        held_out_loss=None,
        best_held_out_loss=None,
        cooling=False,
    )
