"""The whole network: tokens, hidden cells, transformer, heads.

::

    codes, residuals --Tokenizer--> tokens --hide--> [pad] + tokens + positions --Blocks--> z
    z --CodeHead--> p(code)          z, bin --ResidualHead--> p(residual)
"""

from __future__ import annotations

import copy

import torch
from torch import nn

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.cache import Rows, SeenTokens
from sdv_tabdar.core.nn.heads import CodeHead, first_bins, make_residual_head
from sdv_tabdar.core.nn.tokenizers import Tokenizer
from sdv_tabdar.core.nn.transformer import Block, attention_bias
from sdv_tabdar.core.runtime.device import matrix_type, shapes_are_fixed
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable


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
        for name, values in (
            ('bin_offsets', first_bin),
            ('bin_start', [column.bins.start for column in numerical]),
            ('bin_stop', [column.bins.stop for column in numerical]),
        ):
            self.register_buffer(name, torch.tensor(values, dtype=torch.long)[:, None])

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of the linear maps between hidden layers, of 2 dimensions, or 3 for stacks."""
        found = [weight for weight in self.blocks.parameters() if weight.ndim == 2]
        return found + self.code_head.hidden_matrices() + self.residual_head.hidden_matrices()

    def lowered(self) -> TabDARNetwork:
        """Itself with blocks that multiply in the type that :func:`matrix_type` finds fastest.

        All other parameters are shared.
        """
        dtype = matrix_type(self.pad.device, self.precision)
        if dtype == self.pad.dtype:
            return self
        network = copy.copy(self)
        blocks = nn.ModuleList(block.lowered(dtype) for block in self._layers())
        network._modules = {**self._modules, 'blocks': blocks}
        return network

    def contexts(self, table: EncodedTable) -> torch.Tensor:
        """The outputs z ``(B, C, D)`` for every cell, given the observed cells of its row.

        The value of a hidden cell has no influence on any output.
        """
        tokens = self.tokenizer(table.codes, table.residuals)
        hidden = tokens * table.observed.t().unsqueeze(-1) + self.positions.unsqueeze(1)
        x = torch.cat([self.pad.expand(1, len(table), -1), hidden])
        bias = self.key_bias(table.observed)
        for block in self.blocks:
            x = block(x, bias=bias)
        return self.norm(x[1:]).transpose(0, 1)

    def pair_contexts(
        self, codes: torch.Tensor, residuals: torch.Tensor, seen_by_first: torch.Tensor
    ) -> torch.Tensor:
        """:meth:`contexts` of the hidden cells of pairs of rows that see complementary columns.

        In every column one row of a pair sees its cell and the other is asked for it, so that
        the pair has a visible token and an asking one for each column, whatever the hidden sets
        are: all shapes are fixed, and nothing is computed for a cell whose output is not used.

        Args:
            codes: ``(P, C)``, of the cells that are seen.
            residuals: ``(P, C_num)``, likewise.
            seen_by_first: ``(P, C)`` bool, whether it is the first row that sees its cell.

        Returns:
            ``(C, P, D)``, for the cell of the row that does not see it.
        """
        asking = self.positions.unsqueeze(1)
        tokens = self.tokenizer(codes, residuals) + asking
        visible = torch.cat([self.pad.expand(2, len(codes), -1), tokens])
        num_visible = len(visible)
        x = torch.cat([visible, asking.expand_as(tokens)])
        bias = self.pair_bias(seen_by_first)
        *others, last = self._layers()
        for number, block in enumerate(others):
            if number:
                x = block(x, num_keys=num_visible, bias=bias)
            else:  # where the asking tokens of all rows are the same
                query, key_value = block.project(visible)
                asked = block.project_query(asking).expand_as(tokens)
                x = block.mix(x, torch.cat([query, asked]), key_value, bias)
        bias = bias[:, num_visible:]
        x = last(x, num_keys=num_visible, first_query=num_visible, bias=bias)
        context: torch.Tensor = self.norm(x)
        return context

    def nothing_seen(self, num_rows: int) -> SeenTokens:
        """Rows of which nothing is known: only ``[pad]``, which every cell sees."""
        num_places, num_heads = len(self.positions) + 1, self._layers()[0].num_heads
        seen = SeenTokens.room(num_places, num_rows, num_heads, self.pad)
        self._put(seen, 0, slice(None), self.pad.unsqueeze(0))
        return seen

    def see(
        self,
        seen: SeenTokens,
        place: int,
        rows: Rows,
        position: int,
        codes: torch.Tensor,
        residuals: torch.Tensor | None,
    ) -> None:
        """Make cells ``(N,)`` of one column known in some rows."""
        tokens = self.tokenizer.column(position, codes, residuals) + self.positions[position]
        self._put(seen, place, rows, tokens)

    def context_of(self, position: int, seen: SeenTokens, rows: Rows) -> torch.Tensor:
        """The output z ``(N, D)`` for one column of some rows: :meth:`contexts`, with less work.

        The first block's attention is at hand, the last block works for the one cell only.
        """
        asking = self.positions[position].view(1, -1)
        *others, last = self._layers()
        first = self._layers()[0]
        query = first.heads(first.project_query(asking)[0]) * first.scale
        x, mixed, bias = seen.ask(asking, query, rows)
        for number, block in enumerate(others):
            x = block(x, num_keys=seen.count, bias=bias) if number else block.finish(x, mixed)
        context: torch.Tensor = self.norm(last.ask(x[-1], x[:-1], bias))
        return context

    def _put(self, seen: SeenTokens, place: int, rows: Rows, tokens: torch.Tensor) -> None:
        first = self._layers()[0]
        query, key_value = first.project(tokens)
        key, value = first.heads(key_value).chunk(2, dim=-1)
        seen.put(place, rows, tokens, first.heads(query) * first.scale, key, value)

    def _layers(self) -> list[Block]:
        return [block for block in self.blocks if isinstance(block, Block)]

    def key_bias(self, observed: torch.Tensor) -> torch.Tensor:
        """Attention bias for 1 + C keys of each row from ``(B, C)``: ``[pad]`` is visible."""
        visible = torch.nn.functional.pad(observed, (1, 0), value=True)
        return attention_bias(visible.unsqueeze(1), self._layers()[0].num_heads)

    def pair_bias(self, seen_by_first: torch.Tensor) -> torch.Tensor:
        """Attention bias for 2 + 2 C queries and 2 + C keys of pairs: a token sees its row's.

        The keys are a ``[pad]`` for each row and the seen cells; the queries are these and the
        cells asked for, which are of the other row each.
        """
        keys = torch.nn.functional.pad(seen_by_first, (1, 0), value=False)
        keys = torch.nn.functional.pad(keys, (1, 0), value=True)
        queries = torch.cat([keys, ~seen_by_first], dim=1)
        return attention_bias(queries[:, :, None] == keys[:, None], self._layers()[0].num_heads)

    def losses(
        self, table: EncodedTable, *, noise_draws: int, generator: torch.Generator
    ) -> torch.Tensor:
        """Loss of every hidden cell ``(B, C)``; exactly zero at the observed ones.

        Source: paper, Algorithm 'Training', step 4.
        """
        return self._cell_losses(
            table, self.contexts(table).transpose(0, 1), noise_draws, generator
        )

    def pair_losses(
        self, table: EncodedTable, *, noise_draws: int, generator: torch.Generator
    ) -> torch.Tensor:
        """:meth:`losses` of the hidden cells of pairs of rows, ``(P, C)``.

        Args:
            table: 2 P rows. Row P + p sees the cells that row p does not, and no others.
            noise_draws: As in :meth:`losses`.
            generator: Source of the noise.

        Returns:
            For every pair and column the loss of the one cell that is hidden.
        """
        num_pairs = len(table) // 2
        side = table.observed[:num_pairs]
        numerical_side = side[:, self.tokenizer.numerical]
        first, second = table.codes.split(num_pairs)
        seen, hidden = first.where(side, second), second.where(side, first)
        first, second = table.residuals.split(num_pairs)
        context = self.pair_contexts(seen, first.where(numerical_side, second), side)
        asked = EncodedTable(hidden, second.where(numerical_side, first), torch.zeros_like(side))
        return self._cell_losses(asked, context, noise_draws, generator)

    def _cell_losses(
        self,
        table: EncodedTable,
        context: torch.Tensor,
        noise_draws: int,
        generator: torch.Generator,
    ) -> torch.Tensor:
        """Losses ``(B, C)`` of the cells that are not observed, from contexts ``(C, B, D)``.

        Residuals are asked for where there are any; but of every number where shapes are to be
        fixed, and then left out.
        """
        hidden, codes = ~table.observed.t(), table.codes.t()
        loss = self.code_head.loss(codes, context) * hidden
        numerical = self.tokenizer.numerical
        if not len(numerical):
            return loss.t()
        codes = codes[numerical].long()
        in_bin = (codes >= self.bin_start) & (codes < self.bin_stop) & hidden[numerical]
        settings = {'noise_draws': noise_draws, 'generator': generator}
        if shapes_are_fixed(codes.device):
            found = self.residual_head.loss(
                table.residuals.t().flatten(),
                context.index_select(0, numerical).flatten(0, 1),
                bins=(codes + self.bin_offsets).where(in_bin, 0).flatten(),
                **settings,
            )
            return loss.index_add(0, numerical, found.view_as(in_bin) * in_bin).t()
        columns, rows = in_bin.nonzero(as_tuple=True)
        cells = numerical[columns] * len(table) + rows
        found = self.residual_head.loss(
            table.residuals[rows, columns],
            context.flatten(0, 1).index_select(0, cells),
            bins=(codes + self.bin_offsets)[columns, rows],
            **settings,
        )
        return loss.flatten().index_add(0, cells, found).view_as(loss).t()
