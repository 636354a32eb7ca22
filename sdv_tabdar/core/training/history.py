"""What is known of a training: while it goes on, and afterwards."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.training.held_out import Evaluation

KINDS = ('training_codes', 'training_residuals', 'held_out_codes', 'held_out_residuals')


@dataclasses.dataclass
class TrainingHistory:
    """What training left behind, in plain types.

    Attributes:
        losses: Mean training loss of each epoch, in nats per cell, as it was minimised.
        seconds: Time that training took.
        evaluations: Losses of the averaged weights in nats per row: ``epoch`` (1 = the first one
            was over, with decimals), and by column ``training_codes``, ``training_residuals``,
            ``held_out_codes`` and ``held_out_residuals``; a list with one entry an evaluation
            each. Empty where no rows were held out.
        reason: Why training ended.
    """

    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    evaluations: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    reason: str = ''

    def add(self, epoch: float, evaluation: Evaluation) -> None:
        """Note an evaluation."""
        parts = {'training': evaluation.training, 'held_out': evaluation.held_out}
        self.evaluations.setdefault('epoch', []).append(epoch)
        for name in KINDS:
            rows, kind = name.rsplit('_', 1)
            self.evaluations.setdefault(name, []).append(getattr(parts[rows], kind).tolist())

    def by_epoch(self) -> pd.DataFrame:
        """Columns ``Epoch`` (from 0) and ``Loss``, and where rows were held out four more.

        These are ``Training codes``, ``Training residuals``, ``Held-out codes`` and ``Held-out
        residuals``, in nats per row, at the last evaluation before the end of the epoch (NaN if
        there was none in it).
        """
        frame = pd.DataFrame({'Epoch': range(len(self.losses)), 'Loss': self.losses})
        if not self.evaluations:
            return frame
        last = {
            min(math.ceil(epoch), len(self.losses)) - 1: number
            for number, epoch in enumerate(self.evaluations['epoch'])
        }
        for kind in KINDS:
            name = kind.replace('held_out', 'held-out').replace('_', ' ').capitalize()
            totals = {epoch: sum(self.evaluations[kind][number]) for epoch, number in last.items()}
            frame[name] = [totals.get(epoch, math.nan) for epoch in frame['Epoch']]
        return frame

    def by_column(self, names: Sequence[str]) -> pd.DataFrame:
        """The losses of each column in each evaluation, in nats per row.

        Args:
            names: Of the columns.

        Returns:
            Columns ``Epoch``, ``Column``, and those of :meth:`by_epoch` beside ``Loss``; none of
            its rows if no rows of the table were held out.
        """
        found: dict[str, list[Any]] = {'Epoch': [], 'Column': []}
        epochs = self.evaluations.get('epoch', [])
        for epoch in epochs:
            found['Epoch'].extend([epoch] * len(names))
            found['Column'].extend(names)
        for kind in KINDS:
            name = kind.replace('held_out', 'held-out').replace('_', ' ').capitalize()
            found[name] = [loss for entry in self.evaluations.get(kind, []) for loss in entry]
        return pd.DataFrame(found)

    def plain(self) -> dict[str, Any]:
        """Its fields by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> TrainingHistory:
        """Back from :meth:`plain`."""
        return cls(**fields)


@dataclasses.dataclass(frozen=True)
class EpochReport:
    """What is known at the end of an epoch; handed to callbacks.

    Attributes:
        epoch: How many are over.
        steps: Training steps done.
        seconds: Since the start.
        learning_rate: Of the last step.
        loss: Mean training loss of the epoch, in nats per cell.
        training_loss: Of training rows in the last evaluation, in nats per row; None before the
            first one, and where no rows are held out.
        held_out_loss: Likewise, of held-out rows.
        best_held_out_loss: The lowest so far.
        cooling: Whether the learning rate is on its way down.
    """

    epoch: int
    steps: int
    seconds: float
    learning_rate: float
    loss: float
    training_loss: float | None
    held_out_loss: float | None
    best_held_out_loss: float | None
    cooling: bool


Callback = Callable[[EpochReport], bool | None]
"""Called at the end of each epoch; training ends if it returns True."""


def asked_to_end(callbacks: Sequence[Callback], report: EpochReport) -> bool:
    """Whether a callback says so, by Python's or NumPy's True; all of them are called."""
    answers = [callback(report) for callback in callbacks]
    return any(isinstance(answer, (bool, np.bool_)) and bool(answer) for answer in answers)
