"""Contexts and losses of pairs of rows that see complementary columns, for training.

What is computed equals :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.contexts` of the hidden
cells, with less work: only visible cells are projected to keys and values, and nothing is computed
for a cell whose output is not used.
"""

from __future__ import annotations

import torch

from sdv_tabdar.core.nn.heads.tied import with_ties
from sdv_tabdar.core.nn.network import TabDARNetwork, end_to_end
from sdv_tabdar.core.nn.transformer import attention_bias
from sdv_tabdar.core.nn.visibility import LAST, arrivals
from sdv_tabdar.core.table import EncodedTable


def pair_contexts(
    network: TabDARNetwork,
    codes: torch.Tensor,
    residuals: torch.Tensor,
    observed_by_first: torch.Tensor,
    ranks: torch.Tensor | None = None,
) -> torch.Tensor:
    """Contexts of the hidden cells of P pairs.

    In every column one row of a pair sees its cell and the other is asked for it, so that the
    pair has a visible token and an asking one for each column, whatever the hidden sets are: all
    shapes are fixed.

    Args:
        network: The network.
        codes: ``(P, C)``, of the observed cells.
        residuals: ``(P, C_num)``, likewise.
        observed_by_first: ``(P, C)`` bool, whether it is the first row that sees its cell.
        ranks: ``(P, C)``, where attention is causal: the order in which cells became visible, as
            in :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.contexts`.

    Returns:
        ``(C, P, D)``, for the cell of the row that does not see it.
    """
    context = end_to_end(
        [
            _own_contexts(member, codes, residuals, observed_by_first, ranks)
            for member in network.members
        ]
    )
    if network.ties is None:
        return context
    return with_ties(context, network.ties.of_pairs(codes, residuals, observed_by_first))


def _own_contexts(
    network: TabDARNetwork,
    codes: torch.Tensor,
    residuals: torch.Tensor,
    observed_by_first: torch.Tensor,
    ranks: torch.Tensor | None,
) -> torch.Tensor:
    """As :func:`pair_contexts`, of one member of a committee."""
    asking = network.positions.unsqueeze(1)
    tokens = network.tokenizer(codes, residuals) + asking
    together, known = network.crosses(codes)
    visible = torch.cat([network.pad.expand(2, len(codes), -1), tokens, together])
    num_visible = len(visible)
    x = torch.cat([visible, asking.expand_as(tokens)])
    *others, last = network.layers
    by_first = known & network.crosses.observed(observed_by_first)
    by_second = known & network.crosses.observed(~observed_by_first)
    since = None
    if network.is_causal:
        assert ranks is not None, 'causal attention needs an order of the cells'
        since = arrivals(ranks, network.crosses.members)
    bias = pair_bias(observed_by_first, by_first, by_second, last.num_heads, since)
    for number, block in enumerate(others):
        if number:
            x = block(x, num_keys=num_visible, bias=bias)
        else:  # where the asking tokens of all rows are the same
            query, key_value = block.project(visible)
            asked = block.project_query(asking).expand_as(tokens)
            x = block.after_projections(x, torch.cat([query, asked]), key_value, bias)
    bias = bias[:, num_visible:]
    x = last(x, num_keys=num_visible, first_query=num_visible, bias=bias)
    context: torch.Tensor = network.norm(x)
    return context


def pair_bias(
    observed_by_first: torch.Tensor,
    crossed_by_first: torch.Tensor,
    crossed_by_second: torch.Tensor,
    num_heads: int,
    since: torch.Tensor | None = None,
) -> torch.Tensor:
    """Attention bias for 2 + 2 C + X queries and 2 + C + X keys of pairs: a token sees its row's.

    The keys are a ``[pad]`` for each row, the observed cells and the crosses; the queries are
    these and the asked cells, each of which is of the other row. A cross whose members are not
    all of one row is seen by such crosses only, whose outputs are not used.

    Args:
        observed_by_first: ``(P, C)`` as in :func:`pair_contexts`.
        crossed_by_first: ``(P, X)``, whether the first row sees all members of a cross.
        crossed_by_second: ``(P, X)``, whether the second row does.
        num_heads: Attention heads.
        since: ``(P, 1 + C + X)``, when ``[pad]``, cells and crosses became visible, if visible
            ones see only what did so before them.

    Returns:
        ``(P * heads, 2 + 2 C + X, 2 + C + X)``.
    """
    row = (~observed_by_first).to(torch.int8)
    pads = torch.arange(2, dtype=row.dtype, device=row.device).expand(len(row), 2)
    nobody = row.new_full((), 2)
    crossed = crossed_by_second.to(torch.int8).where(crossed_by_first | crossed_by_second, nobody)
    keys = torch.cat([pads, row, crossed], dim=1)
    queries = torch.cat([keys, 1 - row], dim=1)
    visible = queries[:, :, None] == keys[:, None]
    if since is not None:
        since = torch.cat([since[:, :1], since], dim=1)
        asked = torch.full_like(row, LAST, dtype=since.dtype)
        until = torch.cat([since, asked], dim=1)
        visible &= since[:, None] <= until[:, :, None]
    return attention_bias(visible, num_heads)


def pair_losses(
    network: TabDARNetwork,
    table: EncodedTable,
    *,
    noise_draws: int,
    generator: torch.Generator,
    dropout: float = 0.0,
    ranks: torch.Tensor | None = None,
) -> torch.Tensor:
    """Losses of the hidden cells of P pairs of rows.

    Args:
        network: The network.
        table: 2 P rows. Row P + p sees the cells that row p does not, and no others.
        noise_draws: As in :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.losses`.
        generator: Source of the noise, and of what is left out.
        dropout: As in :meth:`~sdv_tabdar.core.nn.heads.codes.CodeHead.loss`.
        ranks: As in :func:`pair_contexts`.

    Returns:
        ``(P, C)``, for every pair and column the loss of the one cell that is hidden.
    """
    num_pairs = len(table) // 2
    side = table.observed[:num_pairs]
    numerical_side = side[:, network.tokenizer.numerical]
    first, second = table.codes.split(num_pairs)
    observed, hidden = first.where(side, second), second.where(side, first)
    first, second = table.residuals.split(num_pairs)
    context = pair_contexts(network, observed, first.where(numerical_side, second), side, ranks)
    asked = EncodedTable(hidden, second.where(numerical_side, first), torch.zeros_like(side))
    return network.cell_losses(
        asked, context, noise_draws=noise_draws, generator=generator, dropout=dropout
    )
