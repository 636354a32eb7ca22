"""Contexts and losses of pairs of rows that see complementary columns, for training.

What is computed equals :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.contexts` of the hidden
cells, with less work: only visible cells are projected to keys and values, and nothing is computed
for a cell whose output is not used.
"""

from __future__ import annotations

import torch
from torch.nn.functional import pad

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.transformer import attention_bias
from sdv_tabdar.core.table import EncodedTable


def pair_contexts(
    network: TabDARNetwork,
    codes: torch.Tensor,
    residuals: torch.Tensor,
    observed_by_first: torch.Tensor,
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

    Returns:
        ``(C, P, D)``, for the cell of the row that does not see it.
    """
    asking = network.positions.unsqueeze(1)
    tokens = network.tokenizer(codes, residuals) + asking
    visible = torch.cat([network.pad.expand(2, len(codes), -1), tokens])
    num_visible = len(visible)
    x = torch.cat([visible, asking.expand_as(tokens)])
    *others, last = network.layers
    bias = pair_bias(observed_by_first, last.num_heads)
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


def pair_bias(observed_by_first: torch.Tensor, num_heads: int) -> torch.Tensor:
    """Attention bias for 2 + 2 C queries and 2 + C keys of pairs: a token sees its row's.

    The keys are a ``[pad]`` for each row and the observed cells; the queries are these and the
    asked cells, each of which is of the other row.

    Args:
        observed_by_first: ``(P, C)`` as in :func:`pair_contexts`.
        num_heads: Attention heads.

    Returns:
        ``(P * heads, 2 + 2 C, 2 + C)``.
    """
    keys = pad(observed_by_first, (1, 0), value=False)
    keys = pad(keys, (1, 0), value=True)
    queries = torch.cat([keys, ~observed_by_first], dim=1)
    return attention_bias(queries[:, :, None] == keys[:, None], num_heads)


def pair_losses(
    network: TabDARNetwork,
    table: EncodedTable,
    *,
    noise_draws: int,
    generator: torch.Generator,
) -> torch.Tensor:
    """Losses of the hidden cells of P pairs of rows.

    Args:
        network: The network.
        table: 2 P rows. Row P + p sees the cells that row p does not, and no others.
        noise_draws: As in :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.losses`.
        generator: Source of the noise.

    Returns:
        ``(P, C)``, for every pair and column the loss of the one cell that is hidden.
    """
    num_pairs = len(table) // 2
    side = table.observed[:num_pairs]
    numerical_side = side[:, network.tokenizer.numerical]
    first, second = table.codes.split(num_pairs)
    observed, hidden = first.where(side, second), second.where(side, first)
    first, second = table.residuals.split(num_pairs)
    context = pair_contexts(network, observed, first.where(numerical_side, second), side)
    asked = EncodedTable(hidden, second.where(numerical_side, first), torch.zeros_like(side))
    return network.cell_losses(asked, context, noise_draws=noise_draws, generator=generator)
