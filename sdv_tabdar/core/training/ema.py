"""Exponential moving average (EMA) of the weights, which is what samples."""

from __future__ import annotations

import copy
from typing import Generic, TypeVar

import torch
from torch import nn

Network = TypeVar('Network', bound=nn.Module)

_WARM_UP = 10  # steps; the average's memory is short while training moves fast


class Ema(Generic[Network]):
    """A copy of a network with the exponential moving average of its parameters.

    torch's ``AveragedModel`` does the same several times slower, see the decisions in the
    documentation. Buffers are not averaged: those of this network never change.

    Args:
        network: Whose parameters are averaged, in their present state first.
        decay: Weight of the past; in step t at most t / (t + 10).

    Attributes:
        network: The copy.
    """

    def __init__(self, network: Network, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.network = copy.deepcopy(network).requires_grad_(False)
        self._source: list[torch.Tensor] = list(network.parameters())
        self._target: list[torch.Tensor] = list(self.network.parameters())

    @torch.no_grad()
    def update(self) -> None:
        """Take in the present parameters."""
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + _WARM_UP))
        torch._foreach_lerp_(self._target, self._source, 1 - decay)
