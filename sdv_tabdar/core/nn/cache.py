"""The attention cache: the first block's queries, keys, values and attention of known cells.

In the first block a token's query, key and value do not depend on the other tokens, and attention
is a weighted mean of values. A cell that becomes known therefore updates the means of all cached
tokens by one more key and value, and nothing is computed twice. (Online softmax: Milakov and
Gimelshein 2018, doi:10.48550/arXiv.1805.02867.)
"""

from __future__ import annotations

import dataclasses

import torch

from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.nn.transformer import attention_bias


@dataclasses.dataclass
class AttentionCache:
    """Tokens of P places, of which the first ``count`` are in use in some of B rows.

    There is always one place more, for the token of a cell that is asked for.

    Attributes:
        tokens: ``(P, B, D)``, what enters the first block.
        query: ``(P, B, heads, d)``, scaled by 1 / sqrt(d).
        key: Likewise, not scaled.
        value: Likewise.
        log_normalizer: ``(P, B, heads)``, log of the sum of exp(logit) over the cached keys.
        attended: ``(P, B, heads, d)``, mean of the cached values, weighted by exp(logit).
        visible: ``(P, B)``, whether the token of a place is known in a row.
        count: Number of places in use.
    """

    tokens: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    log_normalizer: torch.Tensor
    attended: torch.Tensor
    visible: torch.Tensor
    count: int = 0

    @classmethod
    def empty(
        cls, num_places: int, num_rows: int, num_heads: int, like: torch.Tensor
    ) -> AttentionCache:
        """A cache without tokens, of the width, type and device of ``like`` ``(..., D)``."""
        width = like.shape[-1]
        shape = (num_places + 1, num_rows, num_heads)
        query, key, value, attended = (like.new_zeros(*shape, width // num_heads) for _ in range(4))
        return cls(
            tokens=like.new_zeros(*shape[:2], width),
            query=query,
            key=key,
            value=value,
            log_normalizer=like.new_full(shape, -torch.inf),
            attended=attended,
            visible=like.new_zeros(shape[:2], dtype=torch.bool),
        )

    def select(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        for field in dataclasses.fields(self):
            if field.name != 'count':
                setattr(self, field.name, getattr(self, field.name).index_select(1, index))

    def insert(
        self,
        place: int,
        rows: Rows,
        token: torch.Tensor,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
    ) -> None:
        """Add the token of a cell that becomes known in N rows.

        Args:
            place: Where; at most the number of places in use.
            rows: Which rows.
            token: ``(N, D)``, or ``(1, D)`` for the same in all of them, as are the next.
            query: ``(N, heads, d)``, scaled.
            key: Likewise, not scaled.
            value: Likewise.
        """
        self.count = max(self.count, place + 1)
        self.tokens[place, rows] = token
        self.query[place, rows] = query
        self.key[place, rows] = key
        self.value[place, rows] = value
        self.visible[place, rows] = True
        queries, keys, values, attended, log_normalizer, visible = self._used(
            rows, 'query', 'key', 'value', 'attended', 'log_normalizer', 'visible'
        )
        # The new key for every cached query, ...
        logits = (queries * keys[place]).sum(dim=-1)
        torch.logaddexp(log_normalizer, logits, out=log_normalizer)
        weight = logits.sub_(log_normalizer).exp_()
        attended.lerp_(values[place].expand_as(attended), weight.unsqueeze(-1))
        # ... and all cached keys for the new query.
        logits = (keys * queries[place]).sum(dim=-1)
        attended[place], log_normalizer[place] = _attention(logits, values, visible)
        if isinstance(rows, torch.Tensor):
            self.attended[: self.count].index_copy_(1, rows, attended)
            self.log_normalizer[: self.count].index_copy_(1, rows, log_normalizer)

    def attend(
        self, token: torch.Tensor, query: torch.Tensor, rows: Rows
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """The cached tokens and their attention, with those of one asking token behind them.

        Args:
            token: ``(1, D)``, the same in all rows.
            query: ``(heads, d)``, scaled, likewise.
            rows: The N rows in which it asks.

        Returns:
            Tokens and attended values, ``(V + 1, N, D)`` each; and ``(N * heads, 1, V)`` for the
            attention logits of later blocks, or None if all is visible. Where ``rows`` is a
            slice the first two are views, valid until the next call.
        """
        tokens, attended = self._used(rows, 'tokens', 'attended', more=1)
        keys, values, visible = self._used(rows, 'key', 'value', 'visible')
        tokens[self.count] = token
        logits = (keys * query).sum(dim=-1)
        attended[self.count], _ = _attention(logits, values, visible)
        bias = None
        if not visible.all():
            bias = attention_bias(visible.t().unsqueeze(1), self.query.shape[2])
        return tokens, attended.flatten(2), bias

    def _used(self, rows: Rows, *names: str, more: int = 0) -> list[torch.Tensor]:
        """The places in use and ``more``, of some rows: copies, or views of a slice."""
        parts = [getattr(self, name)[: self.count + more] for name in names]
        if isinstance(rows, slice):
            return [part[:, rows] for part in parts]
        return [part.index_select(1, rows) for part in parts]


def _attention(
    logits: torch.Tensor, values: torch.Tensor, visible: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean of values ``(V, B, heads, d)`` by logits ``(V, B, heads)``, and the log normalizer.

    ``visible`` is ``(V, B)``; the logits are overwritten.
    """
    logits.masked_fill_(~visible.unsqueeze(-1), -torch.inf)
    log_normalizer = logits.logsumexp(dim=0)
    weights = logits.sub_(log_normalizer).exp_()
    return weights.unsqueeze(-1).mul(values).sum(dim=0), log_normalizer
