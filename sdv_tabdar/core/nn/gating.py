"""What follows a hidden layer: a relu, or a gate by which half of it multiplies the other half.

A gated layer (SwiGLU: Shazeer 2020, doi:10.48550/arXiv.2002.05202) finds products of what it sees
at once, which relu layers piece together.
"""

from __future__ import annotations

import torch
from torch import nn


def activated(hidden: torch.Tensor, *, gated: bool) -> torch.Tensor:
    """What a hidden layer hands on, ``(..., inner)``, of what its linear map has given.

    Args:
        hidden: ``(..., 2 * inner)`` where it is gated, else ``(..., inner)``; it may be changed.
        gated: Whether its first half gates the second.
    """
    if not gated:
        return hidden.relu_()
    gate, value = hidden.chunk(2, dim=-1)
    return nn.functional.silu(gate) * value
