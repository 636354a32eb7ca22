"""Log-likelihood of given rows: the chain rule over random orders of the columns.

The cells of a row become known one after the other, as in drawing, but with the values that the
row has (teacher forcing). The attention cache is used as in drawing, at the same cost.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import torch

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import Chunk, row_index, rows_of_chunk
from sdv_tabdar.core.inference.column import log_density, log_mass
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.threads import workers
from sdv_tabdar.core.table import EncodedTable

Rounded = Mapping[int, Sequence[Pieces | None]]


def log_likelihood(
    network: TabDARNetwork,
    table: EncodedTable,
    *,
    num_orders: int,
    config: SamplingConfig,
    generator: torch.Generator,
    by_column: bool = False,
    rounded: Rounded | None = None,
    progress: Callable[[int], None] | None = None,
) -> torch.Tensor:
    """Log-likelihood of the observed cells of each row, in codes and residuals.

    For every random order o of the columns, log p_o(x) = sum_t log p(x_{o_t} | x_{o_<t}); the
    result is log((1/R) sum_o p_o(x)) over R orders: the mean is of probabilities, not of logs.
    Cells that are not observed are left out. Rows of a chunk share their orders.

    Args:
        network: A trained network on the device of ``generator``.
        table: Encoded rows.
        num_orders: R, how many random orders to average over.
        config: Sampling settings.
        generator: Source of the orders.
        by_column: Whether to give each cell's part: the mean over the orders of its log-likelihood
            given the observed cells before it. The parts of a row add up to at most its own.
        rounded: For columns of numbers, by position: the pieces whose probability counts in place
            of a cell's density, or None for a cell that counts as it is.
        progress: Called with the number of rows finished, after each chunk.

    Returns:
        ``(B,)`` in nats, or ``(B, C)`` by column, with 0 where a cell is not observed; on the
        CPU, densities per unit of the residual.
    """
    num_rows, num_columns = table.codes.shape
    size = rows_of_chunk(config, num_rows, num_columns, network.pad.device)
    tasks = []
    for start in range(0, len(table), size):
        orders = [network.draw_order(generator=generator) for _ in range(num_orders)]
        rows = table.rows(slice(start, start + size))
        cells = {key: pieces[start : start + size] for key, pieces in (rounded or {}).items()}
        tasks.append(
            functools.partial(
                _chunk_log_likelihood, network, rows, orders, config, by_column, cells
            )
        )
    num_columns = table.codes.shape[1]
    parts = [torch.zeros((0, num_columns) if by_column else 0)]
    with workers(len(tasks), generator.device, single=True) as team:
        for part in team.run(tasks):
            parts.append(part.cpu())
            if progress is not None:
                progress(len(part))
    return torch.cat(parts)


@torch.no_grad()
def _chunk_log_likelihood(
    network: TabDARNetwork,
    table: EncodedTable,
    orders: Sequence[Sequence[int]],
    config: SamplingConfig,
    by_column: bool,
    rounded: Rounded,
) -> torch.Tensor:
    """As :func:`log_likelihood`, for rows that go through the network together."""
    table = table.to(network.pad.device)
    if by_column:
        total = torch.zeros(table.codes.shape, device=network.pad.device)
        for order in orders:
            total += ordered_log_densities(network, table, order, config, rounded)
        return total / len(orders)
    logs = [
        ordered_log_densities(network, table, order, config, rounded).sum(dim=1) for order in orders
    ]
    return torch.stack(logs).logsumexp(dim=0) - math.log(len(orders))


def ordered_log_densities(
    network: TabDARNetwork,
    table: EncodedTable,
    order: Sequence[int],
    config: SamplingConfig,
    rounded: Rounded | None = None,
) -> torch.Tensor:
    """Log density of each observed cell, given the observed cells before it in one order.

    Args:
        network: A trained network.
        table: Encoded rows on its device.
        order: All columns.
        config: Sampling settings.
        rounded: As in :func:`log_likelihood`.

    Returns:
        ``(B, C)`` in nats; 0 at cells that are not observed.
    """
    found = torch.zeros(table.codes.shape, device=table.codes.device)
    nothing = torch.zeros_like(table.observed)
    chunk = Chunk(network, EncodedTable(table.codes, table.residuals, nothing))
    numerical = {column: i for i, column in enumerate(network.schema.numerical)}
    for position in order:
        marked = table.observed[:, position]
        if not marked.any():
            continue
        rows = row_index(marked)
        codes, residuals = table.codes[rows, position], None
        if position in numerical:
            residuals = table.residuals[rows, numerical[position]]
        context = chunk.context(position, rows)
        possible = chunk.possible(position, rows)
        logs = log_density(
            network, position, context, codes, residuals, possible=possible, config=config
        )
        if rounded and position in rounded:
            pieces = [rounded[position][row] for row in marked.nonzero().flatten().tolist()]
            places = [place for place, piece in enumerate(pieces) if piece is not None]
            if places:
                known = [piece for piece in pieces if piece is not None]
                logs[places] = log_mass(
                    network,
                    position,
                    context[places],
                    known,
                    possible=None if possible is None else possible[places],
                    config=config,
                )
        found[rows, position] = logs
        chunk.put(position, rows, codes, residuals)
    return found
