"""The time of a training, and what its ranks let each other know with every step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import torch

from sdv_tabdar.core.runtime.ranks import Ranks

Wishes = Callable[[], Sequence[bool]]
"""What a rank wants all of them to know after a step."""


class Clock:
    """Time since the start, without breaks.

    With several ranks it is that of the first one in its last step, so that all of them decide
    alike. It travels with the gradients, and so do their wishes.

    Args:
        ranks: Of the training.
        device: Where the gradients are.
    """

    def __init__(self, ranks: Ranks, device: torch.device) -> None:
        self._ranks, self._device = ranks, device
        self.set(0.0)

    @property
    def seconds(self) -> float:
        """The time."""
        return self._own if self._ranks.number == 1 else self._agreed

    def set(self, seconds: float) -> None:
        """Go on from a time."""
        self._agreed, self._start = seconds, time.perf_counter() - seconds

    def sent(self, wishes: Wishes) -> list[torch.Tensor]:
        """What this rank adds to a sum over ranks; nothing if it is alone."""
        if self._ranks.number == 1:
            return []
        seconds = self._own if self._ranks.leads else 0.0
        return [torch.tensor([seconds, *wishes()], device=self._device)]

    def heard(self, sums: Sequence[torch.Tensor]) -> list[bool]:
        """Which wishes any rank has, by the sums of what they sent; takes over the time."""
        if not sums:
            return []
        self._agreed, *wanted = sums[0].tolist()
        return [number > 0 for number in wanted]

    @property
    def _own(self) -> float:
        return time.perf_counter() - self._start
