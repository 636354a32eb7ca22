"""Pre-norm transformer blocks whose keys are the visible tokens only.

Hidden cells have queries but no keys: a hidden token carries no value, so attending to it could
tell a query nothing but which columns are hidden. The outputs of visible tokens therefore do not
depend on the hidden ones, and the sampler computes a hidden cell only when its turn has come.
"""

from __future__ import annotations

import torch
from torch import nn

from sdv_tabdar.core.nn.gating import activated

_TILE = 4096  # tokens whose passage through a feed-forward layer fits into a core's cache
_MANY = 64  # keys from which the fused call is faster on a CPU than matrix products
_VECTOR = 16  # float32 numbers in a vector register; torch's softmax is scalar below that


class Block(nn.Module):
    """Attention from queries to keys, then a feed-forward layer, each on a residual path.

    Tokens come first, rows second: ``(T, B, D)``. Leading tokens are then a contiguous part, and
    the heads of all rows are batches of matrices where they lie, without a copy.

    Attention is written as batched matrix products in float32: at a few tens of tokens of small
    head width these are faster on a CPU than the fused call, and gain nothing from a shorter type.
    The fused call is for more tokens than that.
    The linear layers multiply in the type of their weights; the rest is float32.

    Source: paper, appendix 'Tokenizers and Transformers' (blocks of ViT, pre-norm).
    """

    def __init__(
        self, width: int, num_heads: int, feedforward_factor: int, *, gated: bool = False
    ) -> None:
        """Start with both residual branches at a small scale."""
        super().__init__()
        self.num_heads = num_heads
        self.head_width = width // num_heads
        self.scale = self.head_width**-0.5
        self.norm_attention = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)
        self.norm_feedforward = nn.LayerNorm(width)
        self.gated = gated
        expanded, inner = feedforward_widths(width, feedforward_factor, gated=gated)
        self.expand = nn.Linear(width, expanded)
        self.contract = nn.Linear(inner, width)

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
            bias: ``(B * heads, T - first_query or 1, num_keys)``, what :func:`attention_bias`
                makes; None where all is visible.

        Returns:
            ``(T - first_query, B, D)``.
        """
        normed = self._lower(self.norm_attention(x))
        query, key_value = self.query(normed[first_query:]), self.key_value(normed[:num_keys])
        return self.after_projections(x[first_query:], query.float(), key_value.float(), bias)

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Queries ``(..., D)``, and keys with values ``(..., 2 D)``, of ``(..., D)``."""
        normed = self._lower(self.norm_attention(x))
        return self.query(normed).float(), self.key_value(normed).float()

    def project_key_value(self, x: torch.Tensor) -> torch.Tensor:
        """The keys with values alone."""
        return self.key_value(self._lower(self.norm_attention(x))).float()

    def project_query(self, x: torch.Tensor) -> torch.Tensor:
        """The queries alone."""
        return self.query(self._lower(self.norm_attention(x))).float()

    def split_heads(self, projected: torch.Tensor) -> torch.Tensor:
        """``(B, heads * n)`` as ``(B, heads, n)``."""
        return projected.unflatten(-1, (self.num_heads, -1))

    def after_projections(
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
        return self.after_attention(x, self._attend(query, key, value, bias).reshape(x.shape))

    def after_attention(self, x: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        """The block behind its attention: ``(..., D)`` from tokens and their attended values.

        Where nothing is kept for gradients, a few tokens at a time go through all of it, while they
        are in the cache of a processor core.
        """
        few = x.numel() <= _TILE * x.shape[-1]
        if few or torch.is_grad_enabled() or x.device.type != 'cpu':
            return self._after_attention(x, attended)
        finished = torch.empty(x.shape)
        parts = (tokens.flatten(0, -2).split(_TILE) for tokens in (x, attended, finished))
        for some, their_values, result in zip(*parts, strict=True):
            result.copy_(self._after_attention(some, their_values))
        return finished

    def _after_attention(self, x: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        x = self.output(self._lower(attended)).float().add_(x)
        hidden = self.expand(self._lower(self.norm_feedforward(x)))
        hidden = activated(hidden, gated=self.gated)
        return self.contract(hidden).float().add_(x)

    def single_query(
        self, x: torch.Tensor, keys: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        """The block for a single asking token of each row, without keys and values.

        A logit ``q (W n + b)`` is ``(W^T q) n`` and what a softmax does not see, and the attended
        value ``sum_j a_j (W n_j + b)`` is ``W (sum_j a_j n_j) + b``: with one query a row, the
        maps act on the query instead of on every token.

        Args:
            x: ``(B, D)``, the asking tokens.
            keys: ``(V, B, D)``, the tokens attended to.
            bias: ``(B * heads, 1, V)`` as in :meth:`forward`.

        Returns:
            ``(B, D)``.
        """
        shape = (self.num_heads, 2, self.head_width)
        key_map, value_map = self.key_value.weight.float().view(*shape, -1).unbind(1)
        normed = self.norm_attention(keys).transpose(0, 1)
        query = self.split_heads(self.project_query(x) * self.scale).transpose(0, 1)
        logits = (query @ key_map).transpose(0, 1) @ normed.transpose(1, 2)
        weights = softmax(logits if bias is None else logits + bias.view_as(logits))
        attended = (weights @ normed).transpose(0, 1) @ value_map.transpose(1, 2)
        attended = attended.transpose(0, 1) + self.key_value.bias.view(*shape)[:, 1]
        return self.after_attention(x, attended.flatten(1))

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """Mix values ``(V, B * heads, d)`` for queries ``(T, B * heads, d)``."""
        if bias is not None and len(bias) < query.shape[1]:
            return self._attend_fused(query, key, value, bias)
        query, value, keys = query.transpose(0, 1), value.transpose(0, 1), key.permute(1, 2, 0)
        if bias is None:
            logits = (query * self.scale) @ keys
        else:
            logits = torch.baddbmm(bias, query, keys, alpha=self.scale)
        return (softmax(logits) @ value).transpose(0, 1)

    def _attend_fused(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """As :meth:`_attend` for many keys, whose logits are not written out; by ``(B, T, V)``."""
        heads = (part.unflatten(1, (-1, self.num_heads)) for part in (query, key, value))
        query_, key_, value_ = (part.permute(1, 2, 0, 3) for part in heads)
        attended = nn.functional.scaled_dot_product_attention(
            query_, key_, value_, attn_mask=bias.unsqueeze(1), scale=self.scale
        )
        return attended.permute(2, 0, 1, 3).flatten(1, 2)

    def _lower(self, x: torch.Tensor) -> torch.Tensor:
        """In the type that the linear layers multiply in."""
        return x.to(self.query.weight.dtype)


def feedforward_widths(width: int, factor: int, *, gated: bool) -> tuple[int, int]:
    """Numbers that a feed-forward layer computes of a token, and how many are left to add up.

    A gated layer has three matrices in place
    of two, and two thirds of the width, in multiples of 8: as many weights.
    """
    inner = factor * width
    if not gated:
        return inner, inner
    inner = max(2 * inner // 24 * 8, 8)
    return 2 * inner, inner


def attention_bias(visible: torch.Tensor, num_heads: int) -> torch.Tensor:
    """What is added to attention logits: 0 where a query sees a key, -inf elsewhere.

    Args:
        visible: ``(B, T or 1, V)`` bool, for T queries and V keys of a row.
        num_heads: Attention heads.

    Returns:
        ``(B * heads, T or 1, V)``; ``(B, T, V)`` for all heads where there are many keys and
        several queries, on a CPU.
    """
    bias = torch.zeros(visible.shape, device=visible.device).masked_fill(~visible, -torch.inf)
    _, num_queries, num_keys = visible.shape
    if num_keys >= _MANY and min(num_queries, num_heads) > 1 and visible.device.type == 'cpu':
        return bias
    return bias.unsqueeze(1).expand(-1, num_heads, -1, -1).flatten(0, 1)


def softmax(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension; by vectorised steps where torch's own is scalar."""
    if logits.shape[-1] >= _VECTOR or logits.device.type != 'cpu':
        return logits.softmax(dim=-1)
    powers = (logits - logits.detach().amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
