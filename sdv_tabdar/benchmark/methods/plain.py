"""The plain implementation that the speed of training is compared with.

It is the same network as PyTorch's own documentation would have it written: every row by itself,
all of its cells through all blocks, attention by the fused call, everything in float32, one thread
that leaves it to torch to use the others. (The allocator is left alone as well, which is the
caller's business.) Its contexts are those of the fast one but for rounding.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn import network
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import loop, losses

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
        query, key, value = (
            part.unflatten(1, (-1, self.num_heads)).permute(1, 2, 0, 3)
            for part in (query, key, value)
        )
        if bias is not None:
            bias = bias.unflatten(0, (-1, self.num_heads))
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return mixed.permute(2, 0, 1, 3).flatten(1, 2)


def plain_loss(
    network: network.TabDARNetwork,
    rows: EncodedTable,
    config: TrainingConfig,
    *,
    generator: torch.Generator,
    log_weights: torch.Tensor | None = None,
) -> torch.Tensor:
    """``losses.batch_loss`` with a hidden set of its own for each row, M ~ U{1..C}.

    Weights of the columns change which cells are hidden and not the work, and are passed over.
    """
    shape = rows.codes.shape
    ranks = torch.rand(shape, generator=generator).argsort(dim=1).argsort(dim=1)
    num_hidden = torch.randint(1, shape[1] + 1, (shape[0], 1), generator=generator)
    table = EncodedTable(rows.codes, rows.residuals, ranks >= num_hidden)
    found = network.losses(table, noise_draws=config.noise_draws, generator=generator)
    return (found / num_hidden).sum() / len(rows)


@contextlib.contextmanager
def plain_implementation() -> Iterator[None]:
    """Networks that are built and trained within it are so in the plain way."""
    plain = {
        (network, 'Block'): PlainBlock,
        (losses, 'batch_loss'): plain_loss,
        (loop, 'SHARD_CELLS'): math.inf,
    }
    fast = {(module, name): getattr(module, name) for module, name in plain}
    for (module, name), value in plain.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name), value in fast.items():
            setattr(module, name, value)
