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
        bias: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Transform tokens.

        Args:
            x: ``(B, T, D)``.
            num_keys: Only the first so many tokens are attended to (default all).
            bias: ``(B, 1, 1, num_keys)``, added to the attention logits: 0 for a visible token,
                -inf for a hidden one.

        Returns:
            ``(B, T, D)``.
        """
        query, key, value = self.project(x)
        return self.mix(x, query, key[:, :, :num_keys], value[:, :, :num_keys], bias)

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Scaled queries, keys and values of tokens ``(B, T, D)``, each ``(B, heads, T, d)``.

        In float32, as are the products with them: these are too small to gain anything from a
        shorter type.
        """
        normed = self.norm_attention(x)
        key, value = self.key_value(normed).chunk(2, dim=-1)
        query = self.query(normed).float() * self._scale
        return self._heads(query), self._heads(key.float()), self._heads(value.float())

    def mix(
        self,
        x: torch.Tensor,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """The block behind its projections: ``(B, T, D)`` from tokens and their queries."""
        with torch.autocast(query.device.type, enabled=False):
            mixed = self._attend(query, key, value, bias)
        return self._feed_forward(x + self.output(mixed.transpose(1, 2).flatten(2)))

    def ask(self, x: torch.Tensor, seen: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """The block for a single asking token of each row, without keys and values.

        A logit ``q (W n + b)`` is ``(W^T q) n`` and what a softmax does not see, and the mixed
        value ``sum_j a_j (W n_j + b)`` is ``W (sum_j a_j n_j) + b``: with one query a row, the
        maps act on the query instead of on every token.

        Args:
            x: ``(B, D)``, the asking tokens.
            seen: ``(B, V, D)``, the tokens attended to.
            bias: ``(B, 1, 1, V)`` as in :meth:`forward`.

        Returns:
            ``(B, D)``.
        """
        width = x.shape[-1]
        shape = (2, self.num_heads, width // self.num_heads, width)
        with torch.autocast(x.device.type, enabled=False):
            key_map, value_map = self.key_value.weight.view(shape)
            normed = self.norm_attention(seen.float())
            query = self.query(self.norm_attention(x.float())) * self._scale
            query = query.unflatten(-1, (self.num_heads, -1)).transpose(0, 1)
            logits = (query @ key_map).transpose(0, 1) @ normed.transpose(1, 2)
            shares = _softmax(logits if bias is None else logits + bias.squeeze(1))
            mixed = (shares @ normed).transpose(0, 1) @ value_map.transpose(1, 2)
            mixed = mixed.transpose(0, 1).flatten(1) + self.key_value.bias[width:]
        return self._feed_forward(x + self.output(mixed))

    @property
    def _scale(self) -> float:
        """What queries are multiplied by, 1 / sqrt(d)."""
        return float((self.query.out_features // self.num_heads) ** -0.5)

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """Mix values ``(B, heads, T_keys, d)`` for scaled queries ``(B, heads, T, d)``."""
        logits = query @ key.transpose(-1, -2)
        return _softmax(logits if bias is None else logits + bias) @ value

    def _feed_forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = nn.functional.silu(self.expand(self.norm_feedforward(x)))
        return x + self.contract(hidden)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        """``(B, T, D)`` as ``(B, heads, T, d)``."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


def _softmax(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension; by vectorised steps where torch's own is scalar."""
    if logits.shape[-1] >= _VECTOR or logits.device.type != 'cpu':
        return logits.softmax(dim=-1)
    powers = (logits - logits.detach().amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
