"""How much of a training is done, and the learning rate there."""

from __future__ import annotations

import math
import time

_WARM_UP = 0.02  # share of the training spent on raising the learning rate
_FINAL_RATE = 0.01  # learning rate at the end, as a share of the highest


class Clock:
    """How much of a training is done: by steps or by time, whichever is further.

    Args:
        total_steps: Steps after which training ends.
        max_seconds: Seconds after which it ends; None for no limit.

    Attributes:
        steps: Steps done; whoever does one adds it.
    """

    def __init__(self, total_steps: int, max_seconds: float | None) -> None:
        self.total_steps = total_steps
        self.max_seconds = max_seconds
        self.steps = 0
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def share(self) -> float:
        """In [0, 1]; 1 at the end."""
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
