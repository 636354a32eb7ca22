"""The plain implementation that the speed of training is compared with.

It is the same network as PyTorch's own documentation would have it written: attention by the
fused call, with torch's own softmax, everything in float32. (The allocator is left alone as well,
which is the caller's business.) Its losses are those of the fast one but for rounding.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from sdv_tabdar.core.nn import network
from sdv_tabdar.core.nn.transformer import Block

# Settings of the plain implementation.
SETTINGS = {'precision': 'float32'}


class PlainBlock(Block):
    """A transformer block with the fused attention call."""

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, scale=1.0
        )


@contextlib.contextmanager
def plain_blocks() -> Iterator[None]:
    """Networks that are built within it have plain blocks."""
    names = vars(network)
    names['Block'] = PlainBlock
    try:
        yield
    finally:
        names['Block'] = Block
