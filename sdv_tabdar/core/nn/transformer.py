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

    Tokens come first, rows second: ``(T, B, D)``. Leading tokens are then a contiguous part, and
    the heads of all rows are batches of matrices where they lie, without a copy.

    Attention is written as batched matrix products in float32: at a few tens of tokens of small
    head width these are faster on a CPU than the fused call, and gain nothing from a shorter type.

    Source: paper, appendix 'Tokenizers and Transformers' (blocks of ViT, pre-norm).
    """

    def __init__(self, width: int, num_heads: int, feedforward_factor: int) -> None:
        """Start with both residual branches at a small scale."""
        super().__init__()
        self.num_heads = num_heads
        self.head_width = width // num_heads
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
        first_query: int = 0,
        bias: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Transform tokens.

        Args:
            x: ``(T, B, D)``.
            num_keys: Only the first so many tokens are attended to (default all).
            first_query: Only the tokens from here on are wanted.
            bias: ``(B, 1, T - first_query or 1, num_keys)``, added to the attention logits: 0
                where a token is visible, -inf where it is hidden.

        Returns:
            ``(T - first_query, B, D)``.
        """
        normed = self.norm_attention(x)
        query, key_value = self._query(normed[first_query:]), self._key_value(normed[:num_keys])
        return self.mix(x[first_query:], query, key_value, bias)

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scaled queries ``(..., D)``, and keys with values ``(..., 2 D)``, of ``(..., D)``."""
        normed = self.norm_attention(x)
        return self._query(normed), self._key_value(normed)

    def project_query(self, x: torch.Tensor) -> torch.Tensor:
        """The queries alone."""
        return self._query(self.norm_attention(x))

    def heads(self, projected: torch.Tensor) -> torch.Tensor:
        """``(B, heads * n)`` as ``(B, heads, n)``."""
        return projected.unflatten(-1, (self.num_heads, -1))

    def mix(
        self,
        x: torch.Tensor,
        query: torch.Tensor,
        key_value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """The block behind its projections: ``(T, B, D)`` from tokens and their queries."""
        query = query.reshape(len(query), -1, self.head_width)
        both = key_value.reshape(len(key_value), -1, 2 * self.head_width)
        key, value = both.chunk(2, dim=-1)
        with torch.autocast(query.device.type, enabled=False):
            mixed = self._attend(query, key, value, bias)
        return self.finish(x, mixed.reshape(x.shape))

    def finish(self, x: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        """The block behind its attention: ``(..., D)`` from tokens and their mixed values."""
        x = x + self.output(mixed)
        hidden = nn.functional.relu(self.expand(self.norm_feedforward(x)))
        return x + self.contract(hidden)

    def ask(self, x: torch.Tensor, seen: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """The block for a single asking token of each row, without keys and values.

        A logit ``q (W n + b)`` is ``(W^T q) n`` and what a softmax does not see, and the mixed
        value ``sum_j a_j (W n_j + b)`` is ``W (sum_j a_j n_j) + b``: with one query a row, the
        maps act on the query instead of on every token.

        Args:
            x: ``(B, D)``, the asking tokens.
            seen: ``(V, B, D)``, the tokens attended to.
            bias: ``(B, 1, 1, V)`` as in :meth:`forward`.

        Returns:
            ``(B, D)``.
        """
        shape = (self.num_heads, 2, self.head_width)
        with torch.autocast(x.device.type, enabled=False):
            key_map, value_map = self.key_value.weight.view(*shape, -1).unbind(1)
            normed = self.norm_attention(seen.float()).transpose(0, 1)
            query = self.heads(self.project_query(x.float())).transpose(0, 1)
            logits = (query @ key_map).transpose(0, 1) @ normed.transpose(1, 2)
            shares = _softmax(logits if bias is None else logits + bias.squeeze(1))
            mixed = (shares @ normed).transpose(0, 1) @ value_map.transpose(1, 2)
            mixed = mixed.transpose(0, 1) + self.key_value.bias.view(*shape)[:, 1]
        return self.finish(x, mixed.flatten(1))

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """Mix values ``(V, B * heads, d)`` for scaled queries ``(T, B * heads, d)``."""
        query, value, keys = query.transpose(0, 1), value.transpose(0, 1), key.permute(1, 2, 0)
        if bias is None:
            logits = query @ keys
        else:
            shape = (len(bias), self.num_heads, query.shape[1], keys.shape[2])
            logits = bias.expand(shape).reshape(-1, *shape[2:])
            logits = torch.baddbmm(logits, query, keys)
        return (_softmax(logits) @ value).transpose(0, 1)

    def _query(self, normed: torch.Tensor) -> torch.Tensor:
        """Scaled by 1 / sqrt(d), so that attention logits are plain products."""
        return self.query(normed).float() * self.head_width**-0.5

    def _key_value(self, normed: torch.Tensor) -> torch.Tensor:
        """Keys and values from one product, those of a head side by side."""
        return self.key_value(normed).float()


def attention_bias(visible: torch.Tensor) -> torch.Tensor:
    """What is added to attention logits: 0 where ``visible`` (bool), -inf elsewhere."""
    return torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, -torch.inf)


def _softmax(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension; by vectorised steps where torch's own is scalar."""
    if logits.shape[-1] >= _VECTOR or logits.device.type != 'cpu':
        return logits.softmax(dim=-1)
    powers = (logits - logits.detach().amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
