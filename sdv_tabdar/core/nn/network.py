"""The whole network: tokens, hidden cells, transformer, heads.

::

    codes, residuals --Tokenizer--> tokens --hide--> [pad] + tokens + positions --Blocks--> z
    z --CodeHead--> p(code)          z, bin --ResidualHead--> p(residual)
"""

from __future__ import annotations

import dataclasses

import torch
from torch import nn

from sdv_tabdar.core.columns import TableSchema
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.device import matrix_precision
from sdv_tabdar.core.nn.heads import CodeHead, first_bins, make_residual_head
from sdv_tabdar.core.nn.tokenizers import Tokenizer
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.table import EncodedTable


@dataclasses.dataclass(frozen=True)
class VisibleTokens:
    """Input tokens of known cells, and what the first block makes of each of them alone.

    Attributes:
        tokens: ``(B, V, D)``.
        query: ``(B, heads, V, d)``, as are the next.
        key: Likewise.
        value: Likewise.
    """

    tokens: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor

    @classmethod
    def room(cls, like: VisibleTokens, num_rows: int, num_tokens: int) -> VisibleTokens:
        """Zeros for so many tokens of so many rows."""
        _, num_heads, _, head_width = like.query.shape
        heads = (num_rows, num_heads, num_tokens, head_width)
        tokens = like.tokens.new_zeros(num_rows, num_tokens, like.tokens.shape[-1])
        return cls(tokens, *(like.query.new_zeros(heads) for _ in range(3)))

    def put(self, rows: torch.Tensor | slice, place: int, cells: VisibleTokens) -> None:
        """Write cells of one token each at a place of some rows."""
        self.tokens[:, place][rows] = cells.tokens[:, 0]
        for name in ('query', 'key', 'value'):
            getattr(self, name)[:, :, place][rows] = getattr(cells, name)[:, :, 0]

    def leading(self, rows: torch.Tensor | slice, num_tokens: int) -> VisibleTokens:
        """The first tokens of some rows."""
        heads = (getattr(self, name)[rows, :, :num_tokens] for name in ('query', 'key', 'value'))
        return VisibleTokens(self.tokens[rows, :num_tokens], *heads)


class TabDARNetwork(nn.Module):
    """p(cell | visible cells) for every cell of a row and every set of visible cells.

    Source: paper, figure 'framework' and section 'Detailed Architecture'. The position of a
    column is added after hidden tokens are zeroed (the paper's Algorithm 1 adds it before,
    which would leave hidden columns indistinguishable).
    """

    bin_offsets: torch.Tensor
    bin_start: torch.Tensor
    bin_stop: torch.Tensor

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Build the network for the columns of ``schema``."""
        super().__init__()
        self.schema = schema
        self.precision = config.precision
        self.fixed_order = config.column_order == 'fixed'
        num_columns = len(schema.columns)
        self.tokenizer = Tokenizer(schema, config.width)
        self.pad = nn.Parameter(torch.randn(config.width) * config.width**-0.5)
        self.positions = nn.Parameter(torch.randn(num_columns, config.width) * config.width**-0.5)
        self.blocks = nn.ModuleList(
            Block(config.width, config.num_heads, config.feedforward_factor)
            for _ in range(config.num_blocks)
        )
        self.norm = nn.LayerNorm(config.width)
        self.code_head = CodeHead(schema, config)
        self.residual_head = make_residual_head(schema, config)
        numerical = [schema.columns[position] for position in schema.numerical]
        numbers = first_bins(schema)
        first_bin = [numbers[position] for position in schema.numerical]
        self.register_buffer('bin_offsets', torch.tensor(first_bin, dtype=torch.long))
        self.register_buffer(
            'bin_start', torch.tensor([c.bins.start for c in numerical], dtype=torch.long)
        )
        self.register_buffer(
            'bin_stop', torch.tensor([c.bins.stop for c in numerical], dtype=torch.long)
        )

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of the linear maps between hidden layers, of 2 dimensions, or 3 for stacks."""
        found = [weight for weight in self.blocks.parameters() if weight.ndim == 2]
        return found + self.code_head.hidden_matrices() + self.residual_head.hidden_matrices()

    def contexts(self, table: EncodedTable) -> torch.Tensor:
        """The outputs z ``(B, C, D)`` for every cell, given the observed cells of its row.

        The value of a hidden cell has no influence on any output.
        """
        tokens = self.tokenizer(table.codes, table.residuals)
        hidden = tokens * table.observed.unsqueeze(-1) + self.positions
        x = torch.cat([self.pad.expand(len(table), 1, -1), hidden], dim=1)
        bias = self.key_bias(table.observed)
        with matrix_precision(x.device, self.precision):
            for block in self.blocks:
                x = block(x, bias=bias)
        return self.norm(x[:, 1:].float())

    def visible(
        self, position: int, codes: torch.Tensor, residuals: torch.Tensor | None
    ) -> VisibleTokens:
        """Known cells ``(N,)`` of one column, as what others see of them."""
        tokens = self.tokenizer.column(position, codes, residuals) + self.positions[position]
        return self._projected(tokens)

    def visible_pad(self) -> VisibleTokens:
        """``[pad]``, which every cell sees."""
        return self._projected(self.pad.unsqueeze(0))

    def context_of(
        self, position: int, visible: VisibleTokens, bias: torch.Tensor | None
    ) -> torch.Tensor:
        """The output z ``(B, D)`` for one column: :meth:`contexts`, without what it needs not.

        The first block's projections are at hand, the last block works for the one cell only.

        Args:
            position: The column asked for.
            visible: ``[pad]`` and the columns known in some row, V tokens a row.
            bias: ``(B, 1, 1, V)`` from :meth:`key_bias`, or None if all are known in all rows.
        """
        asking = self.positions[position].expand(len(visible.tokens), 1, -1)
        x = torch.cat([visible.tokens, asking], dim=1)
        first, *others = self._layers()
        with matrix_precision(x.device, self.precision):
            if others:
                query = first.project(asking[:1])[0].expand(len(x), -1, -1, -1)
                queries = torch.cat([visible.query, query], dim=2)
                x = first.mix(x, queries, visible.key, visible.value, bias)
            for block in others[:-1]:
                x = block(x, num_keys=visible.tokens.shape[1], bias=bias)
            asked = (others or [first])[-1].ask(x[:, -1], x[:, :-1], bias)
        context: torch.Tensor = self.norm(asked.float())
        return context

    def _projected(self, tokens: torch.Tensor) -> VisibleTokens:
        with matrix_precision(tokens.device, self.precision):
            query, key, value = self._layers()[0].project(tokens.unsqueeze(1))
        return VisibleTokens(tokens.unsqueeze(1), query, key, value)

    def _layers(self) -> list[Block]:
        return [block for block in self.blocks if isinstance(block, Block)]

    def key_bias(self, observed: torch.Tensor) -> torch.Tensor:
        """Attention bias ``(B, 1, 1, 1 + C)`` from ``(B, C)``: ``[pad]`` is always visible."""
        bias = torch.zeros(len(observed), 1, 1, observed.shape[1] + 1, device=observed.device)
        return bias.masked_fill_(
            torch.nn.functional.pad(~observed, (1, 0))[:, None, None], float('-inf')
        )

    def losses(
        self, table: EncodedTable, *, noise_draws: int, generator: torch.Generator
    ) -> torch.Tensor:
        """Loss of every hidden cell ``(B, C)``; exactly zero at the observed ones.

        Source: paper, Algorithm 'Training', step 4.
        """
        context = self.contexts(table)
        hidden = ~table.observed
        loss = self.code_head.loss(table.codes, context) * hidden
        numerical = self.tokenizer.numerical
        if not len(numerical):
            return loss
        codes = table.codes[:, numerical].long()
        in_bin = (codes >= self.bin_start) & (codes < self.bin_stop) & hidden[:, numerical]
        rows, columns = in_bin.nonzero(as_tuple=True)
        positions = numerical[columns]
        residual_loss = self.residual_head.loss(
            table.residuals[rows, columns],
            context[rows, positions],
            bins=codes[rows, columns] + self.bin_offsets[columns],
            noise_draws=noise_draws,
            generator=generator,
        )
        return loss.index_put((rows, positions), residual_loss, accumulate=True)
