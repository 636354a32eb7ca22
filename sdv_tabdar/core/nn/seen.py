"""Known cells while a chunk of rows is being filled, and what the first block makes of them.

In the first block a token's query, key and value do not depend on the other tokens, and attention
is a ratio of sums over keys. A cell that becomes known therefore adds one term to the sums of all
tokens before it; nothing is computed twice. (Online softmax: Milakov and Gimelshein 2018,
doi:10.48550/arXiv.1805.02867.)
"""

from __future__ import annotations

import dataclasses

import torch

from sdv_tabdar.core.nn.transformer import attention_bias

Rows = torch.Tensor | slice
_TINY = 1e-30


@dataclasses.dataclass
class SeenTokens:
    """Tokens of P places, of which the first ``count`` are in use in some of B rows.

    Attributes:
        tokens: ``(P, B, D)``, what enters the first block.
        query: ``(P, B, heads, d)``, scaled by 1 / sqrt(d).
        key: Likewise, not scaled.
        value: Likewise.
        peak: ``(P, B, heads)``, the greatest attention logit of a token so far.
        total: ``(P, B, heads)``, sum of exp(logit - peak) over the keys seen so far.
        mixed: ``(P, B, heads, d)``, sum of exp(logit - peak) value.
        visible: ``(P, B)``, whether the token of a place is known in a row.
        count: Number of places in use.
    """

    tokens: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    peak: torch.Tensor
    total: torch.Tensor
    mixed: torch.Tensor
    visible: torch.Tensor
    count: int = 0

    @classmethod
    def room(cls, num_places: int, num_rows: int, num_heads: int, like: torch.Tensor) -> SeenTokens:
        """Nothing seen yet, for tokens of the width, type and device of ``like`` ``(..., D)``."""
        width = like.shape[-1]
        shape = (num_places, num_rows, num_heads)
        query, key, value, mixed = (like.new_zeros(*shape, width // num_heads) for _ in range(4))
        return cls(
            tokens=like.new_zeros(num_places, num_rows, width),
            query=query,
            key=key,
            value=value,
            peak=like.new_full(shape, -torch.inf),
            total=like.new_zeros(shape),
            mixed=mixed,
            visible=like.new_zeros(shape[:2], dtype=torch.bool),
        )

    def of(self, rows: Rows) -> SeenTokens:
        """The places in use, of some rows (views where ``rows`` is a slice)."""
        parts = {
            field.name: getattr(self, field.name)[: self.count, rows]
            for field in dataclasses.fields(self)
            if field.name != 'count'
        }
        return SeenTokens(**parts, count=self.count)

    def keep(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        for field in dataclasses.fields(self):
            if field.name != 'count':
                setattr(self, field.name, getattr(self, field.name)[:, index])

    def put(
        self,
        place: int,
        rows: Rows,
        token: torch.Tensor,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
    ) -> None:
        """Make a cell known in some rows.

        Args:
            place: Where; at most the number of places in use.
            rows: Which.
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
        seen = self.of(rows)
        seen._add(key, value)
        own = seen._sums(query)
        for sums, mine in zip((seen.peak, seen.total, seen.mixed), own, strict=True):
            sums[place] = mine
        if isinstance(rows, torch.Tensor):
            for name in ('peak', 'total', 'mixed'):
                getattr(self, name)[: self.count, rows] = getattr(seen, name)

    def attended(self) -> torch.Tensor:
        """Attention of the places in use among each other, ``(V, B, D)``."""
        total = self.total.clamp_min(_TINY)  # what is not visible in a row may have seen nothing
        return (self.mixed / total.unsqueeze(-1)).flatten(2)

    def attend(self, query: torch.Tensor) -> torch.Tensor:
        """Attention of one more token with queries ``(B or 1, heads, d)``, ``(B, D)``."""
        _, total, mixed = self._sums(query)
        return (mixed / total.unsqueeze(-1)).flatten(1)

    def bias(self) -> torch.Tensor | None:
        """``(B * heads, 1, V)`` for attention logits of later blocks; None if all is visible."""
        if self.visible.all():
            return None
        return attention_bias(self.visible.t().unsqueeze(1), self.query.shape[2])

    def _add(self, key: torch.Tensor, value: torch.Tensor) -> None:
        """One more key for every token."""
        logits = (self.query * key).sum(dim=-1)
        peak = torch.maximum(self.peak, logits)
        kept, new = (self.peak - peak).exp_(), (logits - peak).exp_()
        self.peak.copy_(peak)
        self.total.mul_(kept).add_(new)
        self.mixed.mul_(kept.unsqueeze(-1)).addcmul_(new.unsqueeze(-1), value)

    def _sums(self, query: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Peak, total and mixed of one query a row over all visible keys."""
        logits = (self.key * query).sum(dim=-1)
        logits.masked_fill_(~self.visible.unsqueeze(-1), -torch.inf)
        peak = logits.amax(dim=0)
        shares = (logits - peak).exp_()
        return peak, shares.sum(dim=0), (shares.unsqueeze(-1) * self.value).sum(dim=0)
