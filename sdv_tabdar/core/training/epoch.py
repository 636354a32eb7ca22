"""Where an epoch stands."""

from __future__ import annotations

from typing import Any

import torch

from sdv_tabdar.core.runtime.row_order import Rows, shuffled


class Epoch:
    """One pass over the rows, in an order of its own.

    Attributes:
        total: Sum of the losses of its steps, ``()``.
        steps: Steps done.
        counted: Steps whose loss is in the sum.
        order: Row numbers in the order of the epoch; None before its first step.
        cut: Whether it ends before all rows had their turn.
        good: The sum when the weights were known to be finite the last time.
        good_counted: Its steps.
    """

    def __init__(self, zero: torch.Tensor) -> None:
        self.total, self.good = zero, zero.clone()
        self.steps = self.counted = self.good_counted = 0
        self.order: Rows | None = None
        self.cut = False
        self._before: torch.Tensor | None = None

    def begin(self, rows: Rows, generator: torch.Generator) -> None:
        """Draw the order of the rows."""
        self._before = generator.get_state()
        self.order = shuffled(rows, generator)

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` needs."""
        return {
            'total': self.total.clone(),
            'counts': (self.steps, self.counted, self.cut),
            'before': self._before,
        }

    def restore(self, state: dict[str, Any], rows: Rows, generator: torch.Generator) -> None:
        """Go on from a :meth:`state`; leaves ``generator`` where it was at the first step."""
        self.total = state['total'].to(generator.device)
        self.good = self.total.clone()
        self.steps, self.counted, self.cut = state['counts']
        self.good_counted = self.counted
        if state['before'] is not None:
            generator.set_state(state['before'])
            self.begin(rows, generator)
