"""What training left behind."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class TrainingHistory:
    """What training left behind.

    Attributes:
        losses: Mean loss of each epoch, in nats per cell.
        seconds: Time it took.
    """

    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
