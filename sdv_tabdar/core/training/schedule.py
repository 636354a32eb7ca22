"""The course of a training of a known length: how much is done, and the learning rate there."""

from __future__ import annotations

import math
from typing import Any, Protocol

_WARM_UP = 0.02  # share of the training spent on raising the learning rate
FINAL_RATE = 0.01  # learning rate at the end, as a share of the highest


class Schedule(Protocol):
    """The course of a training, by the steps and the seconds done."""

    def share(self, steps: int, seconds: float) -> float:
        """How much of the training is done, in [0, 1]."""

    def factor(self, steps: int, seconds: float) -> float:
        """The learning rate as a share of the highest."""

    def finished(self, steps: int, seconds: float) -> bool:
        """Whether training is at its end."""

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` needs, in plain types and tensors."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`."""


class FixedLength:
    """A training that ends after some steps or some seconds, whichever is first.

    Args:
        max_steps: Steps after which training ends.
        max_seconds: Seconds after which it ends; None for no limit.
        annealed: Whether the learning rate follows a cosine to that end, or stays as it is.
    """

    def __init__(self, max_steps: int, max_seconds: float | None, *, annealed: bool) -> None:
        self.max_steps, self.max_seconds, self.annealed = max_steps, max_seconds, annealed

    def share(self, steps: int, seconds: float) -> float:
        """How much of the training is done, in [0, 1].

        The clock counts where it is ahead of the step that comes next: what training learns must
        not depend on how long its first step had to wait.
        """
        share = steps / self.max_steps
        if self.max_seconds is not None:
            passed = seconds / self.max_seconds
            share = passed if passed > (steps + 1) / self.max_steps else share
            share = 1.0 if passed >= 1 else share
        return min(share, 1.0)

    def factor(self, steps: int, seconds: float) -> float:
        """The learning rate as a share of the highest."""
        return cosine_factor(self.share(steps, seconds)) if self.annealed else 1.0

    def finished(self, steps: int, seconds: float) -> bool:
        """Whether training is at its end."""
        return self.share(steps, seconds) >= 1

    def state(self) -> dict[str, Any]:
        """Nothing: the steps and the seconds done are all."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to go on from."""


def cosine_factor(share: float) -> float:
    """Cosine schedule with linear warm-up, at ``share`` in [0, 1] of the training."""
    if share < _WARM_UP:
        return max(share / _WARM_UP, 0.01)
    angle = math.pi * (share - _WARM_UP) / (1 - _WARM_UP)
    return FINAL_RATE + (1 - FINAL_RATE) * (1 + math.cos(angle)) / 2
