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

    def keep(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        for field in dataclasses.fields(self):
            if field.name != 'count':
                setattr(self, field.name, getattr(self, field.name).index_select(1, index))

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
        queries, keys, values, mixed, log_total, visible = self._used(
            rows, 'query', 'key', 'value', 'mixed', 'log_total', 'visible'
        )
        # One more key for every token, ...
        logits = (queries * keys[place]).sum(dim=-1)
        torch.logaddexp(log_total, logits, out=log_total)
        share = logits.sub_(log_total).exp_()
        mixed.lerp_(values[place].expand_as(mixed), share.unsqueeze(-1))
        # ... and all keys for the new token.
        logits = (keys * queries[place]).sum(dim=-1)
        mixed[place], log_total[place] = _attention(logits, values, visible)
        if isinstance(rows, torch.Tensor):
            self.mixed[: self.count].index_copy_(1, rows, mixed)
            self.log_total[: self.count].index_copy_(1, rows, log_total)

    def ask(
        self, token: torch.Tensor, query: torch.Tensor, rows: Rows
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Tokens and their attention with one more token behind them, which is asked for.

        Args:
            token: ``(1, D)``, the same in all rows.
            query: ``(heads, d)``, scaled, likewise; all keys are multiplied by it at once.
            rows: The N rows in which it asks.

        Returns:
            Tokens and mixed values, ``(V + 1, N, D)`` each; and ``(N * heads, 1, V)`` for the
            attention logits of later blocks, or None if all is visible. Where ``rows`` is a
            slice the first two are views, good until the next call.
        """
        tokens, mixed = self._used(rows, 'tokens', 'mixed', more=1)
        keys, values, visible = self._used(rows, 'key', 'value', 'visible')
        tokens[self.count] = token
        logits = keys.flatten(2) @ torch.block_diag(*query.unsqueeze(-1))
        mixed[self.count], _ = _attention(logits, values, visible)
        bias = None
        if not visible.all():
            bias = attention_bias(visible.t().unsqueeze(1), self.query.shape[2])
        return tokens, mixed.flatten(2), bias

    def _used(self, rows: Rows, *names: str, more: int = 0) -> list[torch.Tensor]:
        """The places in use and ``more``, of some rows: copies, or views of a slice."""
        parts = [getattr(self, name)[: self.count + more] for name in names]
        if isinstance(rows, slice):
            return [part[:, rows] for part in parts]
        return [part.index_select(1, rows) for part in parts]


def _attention(
    logits: torch.Tensor, values: torch.Tensor, visible: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean of values ``(V, B, heads, d)`` by logits ``(V, B, heads)``, and the log of their total.

    ``visible`` is ``(V, B)``; the logits are overwritten.
    """
    logits.masked_fill_(~visible.unsqueeze(-1), -torch.inf)
    log_total = logits.logsumexp(dim=0)
    shares = logits.sub_(log_total).exp_()
    return shares.unsqueeze(-1).mul(values).sum(dim=0), log_total
