"""When to stop: a course of the learning rate whose end may come sooner than planned.

The rate follows a cosine to the longest that training may take. If the held-out loss of the
averaged weights no longer falls by more than chance before, the rate goes to its end in a
cool-down that is the longer the more was done before (Hägele et al. 2024,
doi:10.48550/arXiv.2405.18392), and the longer where nothing is memorised. Halfway a training may
turn out to be one that may take longer: if held-out rows gain nearly as much as those that are
trained on, little is memorised. Nothing here knows what a network is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from sdv_tabdar.core.training.likelihood import Floats
from sdv_tabdar.core.training.schedule import FINAL_RATE, FixedLength

LAST_PART = 0.2  # of the longest training, in which there is nothing left to decide
_GROWTH = 0.06  # steps between two evaluations, as a share of those done
_LOOK_BACK = 0.75  # a loss is compared with the one after this share of its steps ...
_ERRORS = 1.0  # ... and has to be lower by so many standard errors of the difference
_FEW_STEPS = 300  # in which the loss may stand still at any time
_HALFWAY = 0.5  # of the longest training, and of the steps since which gains are compared
_FOLLOWING = 0.75  # of what training rows gain, which held-out rows do that follow them


class Stopping:
    """The course of a training that ends by its held-out loss.

    Args:
        min_interval: Least number of steps between two evaluations of the held-out loss.
        max_steps: Steps after which training ends at the latest.
        max_seconds: Seconds after which it ends at the latest; None for no limit.
        cool_down: Steps of the cool-down, as a multiple of those that led to the best weights.
        following: The same where held-out rows follow training rows; None for ``cool_down``.
        further: How many times as many steps there are at the latest where halfway held-out rows
            gain such a share of what training rows do, by that share.

    Attributes:
        cooling: Whether the cool-down has begun.
        reason: Why it began; empty before.
    """

    def __init__(
        self,
        min_interval: int,
        max_steps: int,
        max_seconds: float | None,
        cool_down: float,
        following: float | None = None,
        further: Mapping[float, float] | None = None,
    ) -> None:
        self.min_interval, self._further = min_interval, further or {}
        self._cool_down, self._following = cool_down, following or cool_down
        self._longest = FixedLength(max_steps, max_seconds, annealed=True)
        self._is_decided = not further
        self.cooling, self.reason = False, ''
        self._evaluations: list[tuple[int, Floats]] = []
        self._of_training: list[float] = []
        self._best = 0
        self._from: tuple[int, float] = (0, 0.0)
        self._cooling_steps = 0

    @property
    def is_best(self) -> bool:
        """Whether the last evaluation is the best one."""
        return self._best == len(self._evaluations) - 1

    @property
    def best_loss(self) -> float | None:
        """The lowest held-out loss in nats per row; None before the first."""
        return float(self._evaluations[self._best][1].mean()) if self._evaluations else None

    def share(self, steps: int, seconds: float) -> float:
        """How much of the training is done, in [0, 1]; an estimate before the cool-down."""
        longest = self._longest.share(steps, seconds)
        if not self._cooling_steps:
            return longest
        before = self._longest.share(*self._from)
        cooled = (steps - self._from[0]) / self._cooling_steps
        return max(min(before + (1 - before) * cooled, 1.0), longest)

    def factor(self, steps: int, seconds: float) -> float:
        """The learning rate as a share of the highest."""
        if not self._cooling_steps:
            return self._longest.factor(steps, seconds)
        before = self._longest.share(*self._from)
        left = (1 - self.share(steps, seconds)) / (1 - before)
        return max(self._longest.factor(*self._from) * left, FINAL_RATE)

    def finished(self, steps: int, seconds: float) -> bool:
        """Whether training is at its end."""
        return self.share(steps, seconds) >= 1

    def due(self, steps: int) -> bool:
        """Whether the held-out loss is to be evaluated now."""
        if self.cooling:
            return False
        last = self._evaluations[-1][0] if self._evaluations else 0
        return steps - last >= max(self.min_interval, int(_GROWTH * steps))

    def out_of_time(self, steps: int, seconds: float) -> bool:
        """Whether only the last part of the longest training is left."""
        return self._longest.share(steps, seconds) >= 1 - LAST_PART

    def observe(self, steps: int, losses: Floats, of_training: float) -> bool:
        """Take in an evaluation.

        Args:
            steps: Steps done.
            losses: ``(N,)`` loss of each held-out row in nats, of the same rows each time.
            of_training: The mean loss of rows that are trained on, likewise.

        Returns:
            Whether the loss still falls: in the last quarter of the steps, or the last 300 if
            these are more, by more than the standard error of the difference.
        """
        self._evaluations.append((steps, losses))
        self._of_training.append(of_training)
        self._decide(steps)
        if losses.mean() < self._evaluations[self._best][1].mean():
            self._best = len(self._evaluations) - 1
        until = min(_LOOK_BACK * steps, steps - _FEW_STEPS)
        earlier = [loss for at, loss in self._evaluations if at <= until]
        if not earlier:
            return True
        gain = earlier[-1] - losses
        error = float(gain.std()) / len(gain) ** 0.5
        return float(gain.mean()) > _ERRORS * error

    def _decide(self, steps: int) -> None:
        """Once, halfway: whether training may go on for longer."""
        if self._is_decided or steps < _HALFWAY * self._longest.max_steps:
            return
        self._is_decided = True
        gain, of_training = self._gains()
        factors = [
            factor for share, factor in self._further.items() if gain >= share * of_training > 0
        ]
        if factors:
            self._lengthen(int(max(factors) * self._longest.max_steps))

    def _gains(self) -> tuple[float, float]:
        """What held-out rows, and training rows, have gained in the last half of the steps."""
        steps = self._evaluations[-1][0] if self._evaluations else 0
        since = sum(at <= _HALFWAY * steps for at, _ in self._evaluations) - 1
        if since < 0:
            return 0.0, np.inf
        gain = float((self._evaluations[since][1] - self._evaluations[-1][1]).mean())
        return gain, self._of_training[since] - self._of_training[-1]

    def _lengthen(self, max_steps: int) -> None:
        self._longest = FixedLength(max_steps, self._longest.max_seconds, annealed=True)

    def cool_down(self, steps: int, seconds: float, reason: str) -> None:
        """Begin the cool-down, from the weights of the best evaluation.

        Args:
            steps: Steps done.
            seconds: Seconds passed.
            reason: Why, for the record.
        """
        self.cooling, self.reason = True, reason
        if not self.out_of_time(steps, seconds):
            before = self._evaluations[self._best][0] if self._evaluations else steps
            self._from = steps, seconds
            gain, of_training = self._gains()
            follows = gain >= _FOLLOWING * of_training or of_training <= 0
            length = self._following if follows else self._cool_down
            self._cooling_steps = max(int(length * before), 1)

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` needs, in plain types and tensors."""
        return {
            'cooling': self.cooling,
            'reason': self.reason,
            'steps': [steps for steps, _ in self._evaluations],
            'losses': [torch.from_numpy(losses) for _, losses in self._evaluations],
            'of_training': list(self._of_training),
            'is_decided': self._is_decided,
            'max_steps': self._longest.max_steps,
            'best': self._best,
            'from': (*self._from, self._cooling_steps),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`."""
        self.cooling, self.reason, self._best = state['cooling'], state['reason'], state['best']
        losses = [np.asarray(loss.numpy()) for loss in state['losses']]
        self._evaluations = list(zip(state['steps'], losses, strict=True))
        self._of_training, self._is_decided = list(state['of_training']), state['is_decided']
        self._lengthen(state['max_steps'])
        steps, seconds, self._cooling_steps = state['from']
        self._from = steps, seconds
