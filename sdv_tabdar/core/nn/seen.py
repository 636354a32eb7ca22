"""Known cells while a chunk of rows is being filled, and what the first block makes of them.

In the first block a token's query, key and value do not depend on the other tokens, and attention
is a mean over keys. A cell that becomes known therefore moves the means of all tokens before it a
little towards its own value; nothing is computed twice. (Online softmax: Milakov and Gimelshein
2018, doi:10.48550/arXiv.1805.02867.)
"""

from __future__ import annotations

import dataclasses

import torch

from sdv_tabdar.core.nn.transformer import attention_bias

Rows = torch.Tensor | slice


@dataclasses.dataclass
class SeenTokens:
    """Tokens of P places, of which the first ``count`` are in use in some of B rows.

    There is always one place more, for a token that asks.

    Attributes:
        tokens: ``(P, B, D)``, what enters the first block.
        query: ``(P, B, heads, d)``, scaled by 1 / sqrt(d).
        key: Likewise, not scaled.
        value: Likewise.
        log_total: ``(P, B, heads)``, log of the sum of exp(logit) over the keys seen so far.
        mixed: ``(P, B, heads, d)``, mean of the values seen so far, weighted by exp(logit).
        visible: ``(P, B)``, whether the token of a place is known in a row.
        count: Number of places in use.
    """

    tokens: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    log_total: torch.Tensor
    mixed: torch.Tensor
    visible: torch.Tensor
    count: int = 0

    @classmethod
    def room(cls, num_places: int, num_rows: int, num_heads: int, like: torch.Tensor) -> SeenTokens:
        """Nothing seen yet, for tokens of the width, type and device of ``like`` ``(..., D)``."""
        width = like.shape[-1]
        shape = (num_places + 1, num_rows, num_heads)
        query, key, value, mixed = (like.new_zeros(*shape, width // num_heads) for _ in range(4))
        return cls(
            tokens=like.new_zeros(*shape[:2], width),
            query=query,
            key=key,
            value=value,
            log_total=like.new_full(shape, -torch.inf),
            mixed=mixed,
            visible=like.new_zeros(shape[:2], dtype=torch.bool),
        )

    def of(self, rows: Rows) -> SeenTokens:
        """The places in use and the next, of some rows (views where ``rows`` is a slice)."""
        parts = {
            field.name: getattr(self, field.name)[: self.count + 1, rows]
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
        seen._attend(place, (seen.key[: seen.count] * query).sum(dim=-1))
        if isinstance(rows, torch.Tensor):
            for name in ('log_total', 'mixed'):
                getattr(self, name)[: self.count, rows] = getattr(seen, name)[: self.count]

    def ask(self, token: torch.Tensor, query: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens and their attention with one more token behind them, which is asked for.

        Args:
            token: ``(1, D)``, the same in all rows.
            query: ``(heads, d)``, scaled, likewise; all keys are multiplied by it at once.

        Returns:
            Tokens and mixed values, ``(V + 1, B, D)`` each.
        """
        self.tokens[self.count] = token
        by_head = torch.block_diag(*query.unsqueeze(-1))
        self._attend(self.count, self.key[: self.count].flatten(2) @ by_head)
        return self.tokens[: self.count + 1], self.mixed[: self.count + 1].flatten(2)

    def bias(self) -> torch.Tensor | None:
        """``(B * heads, 1, V)`` for attention logits of later blocks; None if all is visible."""
        visible = self.visible[: self.count]
        if visible.all():
            return None
        return attention_bias(visible.t().unsqueeze(1), self.query.shape[2])

    def _add(self, key: torch.Tensor, value: torch.Tensor) -> None:
        """One more key for every token."""
        mixed, log_total = self.mixed[: self.count], self.log_total[: self.count]
        logits = (self.query[: self.count] * key).sum(dim=-1)
        torch.logaddexp(log_total, logits, out=log_total)
        share = logits.sub_(log_total).exp_()
        mixed.lerp_(value.expand_as(mixed), share.unsqueeze(-1))

    def _attend(self, place: int, logits: torch.Tensor) -> None:
        """Attention of the token at ``place``, from its logits ``(V, B, heads)``."""
        logits.masked_fill_(~self.visible[: self.count].unsqueeze(-1), -torch.inf)
        log_total = logits.logsumexp(dim=0)
        shares = logits.sub_(log_total).exp_()
        self.log_total[place] = log_total
        self.mixed[place] = shares.unsqueeze(-1).mul(self.value[: self.count]).sum(dim=0)
