"""The whole network: tokens, hidden cells, transformer, heads.

::

    codes, residuals --Tokenizer--> tokens --hide--> [pad] + tokens + positions --Blocks--> z
    codes --CrossTokens--> tokens of columns that are seen together, more keys for the blocks
    z --CodeHead--> p(code)          z, bin --ResidualHead--> p(residual)
    scores of visible cells --Ties--> what both heads measure their answers by
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import torch
from torch import nn

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.masking import column_order, weighted_order
from sdv_tabdar.core.nn.crosses import CrossTokens
from sdv_tabdar.core.nn.heads.choice import make_residual_head, mixed_residuals
from sdv_tabdar.core.nn.heads.codes import CodeDistribution, CodeHead, MixedCodes
from sdv_tabdar.core.nn.heads.residual import ResidualHead, first_bins
from sdv_tabdar.core.nn.heads.tied import of_members, with_ties
from sdv_tabdar.core.nn.possible import PossibleCodes
from sdv_tabdar.core.nn.ties import Ties
from sdv_tabdar.core.nn.tokenizers import Tokenizer
from sdv_tabdar.core.nn.transformer import Block, attention_bias
from sdv_tabdar.core.nn.visibility import LAST, arrivals
from sdv_tabdar.core.runtime.device import shapes_are_fixed
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable


class TabDARNetwork(nn.Module):
    """p(cell | visible cells) for every cell of a row and every set of visible cells.

    Source: paper, figure 'framework' and section 'Detailed Architecture'. The position of a
    column is added after hidden tokens are zeroed (the paper's Algorithm 1 adds it before,
    which would leave hidden columns indistinguishable).

    It may be a committee of several networks of one architecture that are trained side by side (a
    deep ensemble: Lakshminarayanan et al. 2017, doi:10.48550/arXiv.1612.01474): it is the first of
    its members, contexts are those of all members end to end, D numbers of each, and what heads
    say of a cell is the mean of what the members' say.

    Attributes:
        members: The networks of the committee, itself the first; only itself without a committee.
        weighs_columns: Whether columns are to have weights for the order in which they are drawn.
        precedence: Log weights of the columns for the order in which they are drawn; may be none.
        possible: Which codes are left beside known ones.
        ties: What visible cells say of numbers that are tied to them; None without such.
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
        self.weighs_columns = config.column_order == 'weighted'
        self.is_causal = config.is_causal(len(schema.columns))
        self.precedence: tuple[float, ...] = ()
        self.possible = PossibleCodes(schema)
        self.ties = Ties(schema) if schema.has_ties else None
        num_columns = len(schema.columns)
        self.tokenizer = Tokenizer(schema, config.width, config.num_scales)
        self.pad = nn.Parameter(torch.randn(config.width) * config.width**-0.5)
        self.positions = nn.Parameter(torch.randn(num_columns, config.width) * config.width**-0.5)
        self.crosses = CrossTokens(schema, config.width)
        self.blocks = nn.ModuleList(
            Block(
                config.width,
                config.num_heads,
                config.feedforward_factor,
                gated=config.feedforward == 'gated',
            )
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
        alone = dataclasses.replace(config, num_members=1)
        self.others = nn.ModuleList(
            TabDARNetwork(schema, alone) for _ in range(config.num_members - 1)
        )

    @property
    def members(self) -> list[TabDARNetwork]:
        """The networks of the committee, itself the first."""
        return [self, *(other for other in self.others if isinstance(other, TabDARNetwork))]

    @property
    def codes(self) -> CodeDistribution:
        """What the members' heads say together of codes."""
        heads = [member.code_head for member in self.members]
        return MixedCodes(heads) if len(heads) > 1 else heads[0]

    @property
    def residuals(self) -> ResidualHead:
        """What they say of residuals."""
        return mixed_residuals([member.residual_head for member in self.members])

    @property
    def layers(self) -> list[Block]:
        """The transformer blocks."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of the linear maps between hidden layers, of 2 dimensions, or 3 for stacks."""
        found: list[torch.Tensor] = []
        for member in self.members:
            found += [weight for weight in member.blocks.parameters() if weight.ndim == 2]
            found += member.code_head.hidden_matrices() + member.residual_head.hidden_matrices()
        return found

    def contexts(self, table: EncodedTable, ranks: torch.Tensor | None = None) -> torch.Tensor:
        """The outputs z ``(B, C, D)`` for every cell, given the observed cells of its row.

        D is that of all members together, and six more where there are ties.

        The value of a hidden cell has no influence on any output: its token is zero before its
        position is added, and no cell attends to it. Faster ways to the same contexts stand in
        ``pairs``, ``incremental``, ``causal`` and ``lowered``.

        Args:
            table: B rows.
            ranks: ``(B, C)``, where attention is causal: the order in which the observed cells of
                a row became visible, each of which sees those before it. Default: left to right.
        """
        context = end_to_end([member.own_contexts(table, ranks) for member in self.members])
        return context if self.ties is None else with_ties(context, self.ties.of_cells(table))

    def own_contexts(self, table: EncodedTable, ranks: torch.Tensor | None) -> torch.Tensor:
        """The outputs of this network alone."""
        tokens = self.tokenizer(table.codes, table.residuals)
        hidden = tokens * table.observed.t().unsqueeze(-1) + self.positions.unsqueeze(1)
        together, known = self.crosses(table.codes)
        x = torch.cat([self.pad.expand(1, len(table), -1), hidden, together])
        crossed = known & self.crosses.observed(table.observed)
        bias = self.key_bias(table.observed, crossed, ranks)
        for block in self.blocks:
            x = block(x, bias=bias)
        context: torch.Tensor = self.norm(x[1 : 1 + len(tokens)])
        return context.transpose(0, 1)

    def visible_tokens(
        self, table: EncodedTable, crossed: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What enters the first block of the places that are visible in some rows.

        Args:
            table: B rows.
            crossed: ``(B, X)``, which crosses are visible.

        Returns:
            Tokens ``(V, B, D)``; in which rows they are visible ``(B, V)``; and the places ``(V,)``
            among ``[pad]``, cells and crosses.
        """
        tokens = self.tokenizer(table.codes, table.residuals) + self.positions.unsqueeze(1)
        together, _ = self.crosses(table.codes)
        tokens = torch.cat([self.pad.expand(1, len(table), -1), tokens, together])
        visible = torch.nn.functional.pad(table.observed, (1, 0), value=True)
        visible = torch.cat([visible, crossed], dim=1)
        places = visible.any(dim=0).nonzero().squeeze(1)
        return tokens[places], visible[:, places], places

    def draw_order(self, *, generator: torch.Generator) -> list[int]:
        """An order of the columns in which their cells are drawn.

        It is random, by the weights of the columns. Without weights the members of the first cross
        lead: what depends on them together is then drawn given all of them.
        """
        if self.precedence:
            return weighted_order(self.precedence, generator=generator)
        return column_order(
            len(self.schema.columns),
            fixed=self.fixed_order,
            generator=generator,
            leading=self.schema.leading,
        )

    def key_bias(
        self, observed: torch.Tensor, crossed: torch.Tensor, ranks: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Attention bias for 1 + C + X keys of each row: ``[pad]`` is visible.

        Args:
            observed: ``(B, C)``, which cells are.
            crossed: ``(B, X)``, which crosses are.
            ranks: As in :meth:`contexts`.

        Returns:
            ``(B * heads, 1, 1 + C + X)`` for all queries; where attention is causal with an entry
            for each of the queries ``[pad]``, cells and crosses in place of the 1.
        """
        visible = torch.nn.functional.pad(observed, (1, 0), value=True)
        visible = torch.cat([visible, crossed], dim=1).unsqueeze(1)
        if self.is_causal:
            if ranks is None:
                ranks = torch.arange(observed.shape[1], device=observed.device)
            since = arrivals(ranks.expand(observed.shape), self.crosses.members)
            asked = torch.nn.functional.pad(~observed, (1, len(self.crosses)))
            until = since.masked_fill(asked, LAST)
            visible = visible & (since[:, None] <= until[:, :, None])
        return attention_bias(visible, self.layers[0].num_heads)

    def losses(
        self,
        table: EncodedTable,
        *,
        noise_draws: int,
        generator: torch.Generator,
        dropout: float = 0.0,
    ) -> torch.Tensor:
        """Loss of every hidden cell ``(B, C)``; exactly zero at the observed ones.

        Source: paper, Algorithm 'Training', step 4.
        """
        context = self.contexts(table).transpose(0, 1)
        return self.cell_losses(
            table, context, noise_draws=noise_draws, generator=generator, dropout=dropout
        )

    def cell_losses(
        self,
        table: EncodedTable,
        context: torch.Tensor,
        *,
        noise_draws: int,
        generator: torch.Generator,
        dropout: float = 0.0,
    ) -> torch.Tensor:
        """Losses ``(B, C)`` of the cells that are not observed, from contexts ``(C, B, D)``.

        Each member has its own; what is minimised is their mean.
        """
        losses = [
            member.own_losses(
                table, own, noise_draws=noise_draws, generator=generator, dropout=dropout
            )
            for member, own in zip(self.members, self.split(context), strict=True)
        ]
        return losses[0] if len(losses) == 1 else torch.stack(losses).mean(dim=0)

    def split(self, context: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The contexts of each member, each with what is known of ties."""
        return of_members(context, 1 + len(self.others), has_ties=self.ties is not None)

    def own_losses(
        self,
        table: EncodedTable,
        context: torch.Tensor,
        *,
        noise_draws: int,
        generator: torch.Generator,
        dropout: float,
    ) -> torch.Tensor:
        """The losses of this network alone.

        Residuals are asked for where there are any; but of every number where shapes must be
        fixed, and those without a residual are then multiplied by zero. ``dropout`` is that of
        :meth:`~sdv_tabdar.core.nn.heads.codes.CodeHead.loss`.
        """
        hidden, codes = ~table.observed.t(), table.codes.t()
        loss = self.code_head.loss(codes, context, dropout=dropout, generator=generator) * hidden
        numerical = self.tokenizer.numerical
        if not len(numerical):
            return loss.t()
        codes = codes[numerical].long()
        in_bin = (codes >= self.bin_start) & (codes < self.bin_stop) & hidden[numerical]
        find = functools.partial(
            self.residual_head.loss, noise_draws=noise_draws, generator=generator
        )
        if shapes_are_fixed(codes.device):
            found = find(
                table.residuals.t().flatten(),
                context.index_select(0, numerical).flatten(0, 1),
                bins=(codes + self.bin_offsets).where(in_bin, 0).flatten(),
            )
            return loss.index_add(0, numerical, found.view_as(in_bin) * in_bin).t()
        columns, rows = in_bin.nonzero(as_tuple=True)
        cells = numerical[columns] * len(table) + rows
        found = find(
            table.residuals[rows, columns],
            context.flatten(0, 1).index_select(0, cells),
            bins=(codes + self.bin_offsets)[columns, rows],
        )
        return loss.flatten().index_add(0, cells, found).view_as(loss).t()


def end_to_end(contexts: Sequence[torch.Tensor]) -> torch.Tensor:
    """The contexts ``(..., D)`` of all members from those of each; what ``split`` undoes."""
    return contexts[0] if len(contexts) == 1 else torch.cat(list(contexts), dim=-1)
