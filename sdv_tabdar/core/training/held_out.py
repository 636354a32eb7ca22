"""Rows that are held out of training, to see when it stops to learn and begins to memorise."""

from __future__ import annotations

import dataclasses
import functools

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.runtime.row_order import all_rows, beyond, shuffled
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.likelihood import (
    Questions,
    RowLoss,
    asked_losses,
    make_questions,
    mean_losses,
)

MIN_ROWS = 100  # of a table; fewer are too few to hold any out
_SHARE, _MAX_ROWS = 0.15, 2_000  # of the rows that are held out, and no more than
_MIN_QUESTIONS = 128  # hidden sets that are asked for, all rows together
_EVALUATION_SHARE = 10  # rows of training for each question; of about the same work


def num_held_out(num_rows: int) -> int:
    """How many of the rows of a table are held out; 0 for a table of very few rows."""
    return min(int(_SHARE * num_rows), _MAX_ROWS) if num_rows >= MIN_ROWS else 0


def holds_out(config: TrainingConfig, num_rows: int) -> bool:
    """Whether training ends by the loss of held-out rows."""
    return config.epochs is None and num_held_out(num_rows) > 0


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Losses of the averaged weights at one moment.

    Attributes:
        held_out: Of the rows held out.
        training: Of as many training rows.
    """

    held_out: RowLoss
    training: RowLoss


class HeldOut:
    """Some rows for training, the others to evaluate it on, and as many of the former.

    Args:
        table: All rows.
        fixed_order: Whether the network sees leading columns only.
        generator: Chooses rows and hidden sets; neither depends on a value.

    Attributes:
        rows: Index of the rows to train on.
        num_questions: Hidden sets of an evaluation.
    """

    def __init__(
        self, table: EncodedTable, *, fixed_order: bool, generator: torch.Generator
    ) -> None:
        number = num_held_out(len(table))
        order = shuffled(all_rows(len(table), generator.device), generator)
        self.rows = beyond(order, number)
        num_sets = -(-_MIN_QUESTIONS // number)
        # The same hidden sets for both, so that they differ by their rows only.
        same = split_generator(generator, 1)[0]
        state = same.get_state()
        self._questions: list[Questions] = []
        for index in (order[:number], self.rows[:number]):
            same.set_state(state)
            self._questions.append(
                make_questions(table.rows(index), num_sets, fixed_order=fixed_order, generator=same)
            )
        self.num_questions = 2 * num_sets * number

    def min_interval(self, batch_size: int) -> int:
        """Steps between two evaluations that cost several times what an evaluation does."""
        return max(_EVALUATION_SHARE * self.num_questions // batch_size, 1)

    def evaluate(self, network: TabDARNetwork, team: Workers, ranks: Ranks = ALONE) -> Evaluation:
        """The losses of a network in evaluation mode; of both sets of rows at a time.

        With several ranks each answers its share of the questions, and all have the same result.
        """
        tasks = [
            functools.partial(asked_losses, network, questions, ranks)
            for questions in self._questions
        ]
        shares = zip(*ranks.gathered(list(team.run(tasks))), strict=True)
        held_out, training = (
            mean_losses(parts, questions.num_sets)
            for parts, questions in zip(shares, self._questions, strict=True)
        )
        return Evaluation(held_out, training)
