"""Pre-norm transformer blocks whose keys are the visible tokens only.

Hidden cells ask and are never asked: a hidden token carries no value, so attending to it could
tell a query nothing but which columns are hidden. That keeps the visible tokens' path free of
the hidden ones, and the sampler need not compute hidden cells that nobody has asked for yet.
"""

from __future__ import annotations

import torch
from torch import nn

_VECTOR = 16  # float32 numbers in a vector register; torch's softmax is scalar below that


class Block(nn.Module):
    """Attention from queries to keys, then a feed-forward layer, each on a residual path.

    Attention is written as batched matrix products: at a few tens of tokens of small head width
    these are faster on a CPU than the fused call.

    Source: paper, appendix 'Tokenizers and Transformers' (blocks of ViT, pre-norm).
    """

    def __init__(self, width: int, num_heads: int, feedforward_factor: int) -> None:
        """Start with both residual branches at a small scale."""
        super().__init__()
        self.num_heads = num_heads
        self.norm_attention = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)
        self.norm_feedforward = nn.LayerNorm(width)
        self.expand = nn.Linear(width, feedforward_factor * width)
        self.contract = nn.Linear(feedforward_factor * width, width)

    def forward(
        self,
        x: torch.Tensor,
        *,
        num_keys: int | None = None,
        num_queries: int | None = None,
        bias: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Transform tokens.

        Args:
            x: ``(B, T, D)``.
            num_keys: Only the first so many tokens are attended to (default all).
            num_queries: Only the last so many tokens are computed (default all).
            bias: ``(B, 1, 1, num_keys)``, added to the attention logits: 0 for a visible token,
                -inf for a hidden one.

        Returns:
            ``(B, num_queries, D)``.
        """
        normed = self.norm_attention(x)
        if num_queries is not None:
            x, asking = x[:, -num_queries:], normed[:, -num_queries:]
        else:
            asking = normed
        key, value = self.key_value(normed[:, :num_keys]).chunk(2, dim=-1)
        x = x + self.output(self._attend(self.query(asking), key, value, bias))
        hidden = nn.functional.silu(self.expand(self.norm_feedforward(x)))
        return x + self.contract(hidden)

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """Mix values ``(B, T_keys, D)`` for queries ``(B, T_queries, D)``, in float32.

        The products of a head are too small to gain anything from a shorter type.
        """
        with torch.autocast(query.device.type, enabled=False):
            query = self._heads(query.float() * (query.shape[-1] // self.num_heads) ** -0.5)
            logits = query @ self._heads(key.float()).transpose(-1, -2)
            if bias is not None:
                logits = logits + bias
            mixed = _softmax(logits) @ self._heads(value.float())
        return mixed.transpose(1, 2).flatten(2)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        """``(B, T, D)`` as ``(B, heads, T, D / heads)``."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


def _softmax(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension; by vectorised steps where torch's own is scalar."""
    if logits.shape[-1] >= _VECTOR or logits.device.type != 'cpu':
        return logits.softmax(dim=-1)
    powers = (logits - logits.detach().amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
