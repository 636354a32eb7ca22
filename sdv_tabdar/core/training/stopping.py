"""When to stop: a course of the learning rate without a known end.

A warm-up, then a constant rate for as long as the held-out loss of the averaged weights falls by
more than chance, then a cool-down that is the longer the more was done before (warm-up, stable,
decay: Hägele et al. 2024, doi:10.48550/arXiv.2405.18392). Nothing here knows what a network is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from sdv_tabdar.core.training.likelihood import Floats
from sdv_tabdar.core.training.schedule import FINAL_RATE

COOL_DOWN = 0.25  # steps, as a share of those that led to the best weights
_WARM_UP = 20  # steps
_GROWTH = 0.06  # steps between two evaluations, as a share of those done
_LOOK_BACK = 0.75  # a loss is compared with the one after this share of its steps ...
_ERRORS = 1.0  # ... and has to be lower by so many standard errors of the difference
_MIN_STEPS = 200  # before which the loss may stand still


class Stopping:
    """The course of a training that ends by its held-out loss.

    Args:
        min_interval: Least number of steps between two evaluations of the held-out loss.
        max_steps: Steps after which training ends at the latest.
        max_seconds: Seconds after which it ends at the latest; None for no limit.

    Attributes:
        cooling: Whether the cool-down has begun.
        reason: Why it began; empty before.
    """

    def __init__(self, min_interval: int, max_steps: int, max_seconds: float | None) -> None:
        self.min_interval, self.max_steps, self.max_seconds = min_interval, max_steps, max_seconds
        self.cooling, self.reason = False, ''
        self._evaluations: list[tuple[int, Floats]] = []
        self._best = 0
        self._from_steps, self._from_seconds, self._cooling_steps = 0, 0.0, 1

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
        whole = 1 + COOL_DOWN
        if not self.cooling:
            shares = [steps / self.max_steps]
            if self.max_seconds is not None:
                shares.append(seconds / self.max_seconds)
            return min(max(shares), 1 / whole)
        return (1 + COOL_DOWN * self._cooled(steps, seconds)) / whole

    def factor(self, steps: int, seconds: float) -> float:
        """The learning rate as a share of the highest."""
        if self.cooling:
            return max(1 - self._cooled(steps, seconds), FINAL_RATE)
        return min((steps + 1) / _WARM_UP, 1.0)

    def finished(self, steps: int, seconds: float) -> bool:
        """Whether the cool-down is over."""
        return self.cooling and self._cooled(steps, seconds) >= 1

    def due(self, steps: int) -> bool:
        """Whether the held-out loss is to be evaluated now."""
        if self.cooling:
            return False
        last = self._evaluations[-1][0] if self._evaluations else 0
        return steps - last >= max(self.min_interval, int(_GROWTH * steps))

    def out_of_time(self, steps: int, seconds: float) -> bool:
        """Whether only the time or the steps of a cool-down are left."""
        whole = 1 + COOL_DOWN
        by_time = self.max_seconds is not None and seconds * whole >= self.max_seconds
        return by_time or steps * whole >= self.max_steps

    def observe(self, steps: int, losses: Floats) -> bool:
        """Take in an evaluation.

        Args:
            steps: Steps done.
            losses: ``(N,)`` loss of each held-out row in nats, of the same rows each time.

        Returns:
            Whether the loss still falls: in the last quarter of the steps, by more than the
            standard error of the difference.
        """
        self._evaluations.append((steps, losses))
        if losses.mean() < self._evaluations[self._best][1].mean():
            self._best = len(self._evaluations) - 1
        earlier = [loss for at, loss in self._evaluations if at <= _LOOK_BACK * steps]
        if not earlier:
            return True
        gain = earlier[-1] - losses
        error = float(gain.std()) / len(gain) ** 0.5
        return steps < _MIN_STEPS or float(gain.mean()) > _ERRORS * error

    def cool_down(self, steps: int, seconds: float, reason: str) -> None:
        """Begin the cool-down, from the weights of the best evaluation.

        Args:
            steps: Steps done.
            seconds: Seconds passed.
            reason: Why, for the record.
        """
        before = self._evaluations[self._best][0] if self._evaluations else steps
        self.cooling, self.reason = True, reason
        self._from_steps, self._from_seconds = steps, seconds
        self._cooling_steps = max(int(COOL_DOWN * before), 1)

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` needs, in plain types and tensors."""
        return {
            'cooling': self.cooling,
            'reason': self.reason,
            'steps': [steps for steps, _ in self._evaluations],
            'losses': [torch.from_numpy(losses) for _, losses in self._evaluations],
            'best': self._best,
            'from': (self._from_steps, self._from_seconds, self._cooling_steps),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`."""
        self.cooling, self.reason, self._best = state['cooling'], state['reason'], state['best']
        losses = [np.asarray(loss.numpy()) for loss in state['losses']]
        self._evaluations = list(zip(state['steps'], losses, strict=True))
        self._from_steps, self._from_seconds, self._cooling_steps = state['from']

    def _cooled(self, steps: int, seconds: float) -> float:
        """How much of the cool-down is done, in [0, 1]."""
        shares = [(steps - self._from_steps) / self._cooling_steps]
        if self.max_seconds is not None:
            left = self.max_seconds - self._from_seconds
            shares.append((seconds - self._from_seconds) / left if left > 0 else 1.0)
        return min(max(shares), 1.0)
