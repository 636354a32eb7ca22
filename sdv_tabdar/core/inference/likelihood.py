"""Log-likelihood of given rows: the chain rule over random orders of the columns."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import table_chunks
from sdv_tabdar.core.inference.column import log_density
from sdv_tabdar.core.masking import column_order
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]


def frame_log_likelihood(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    frame: pd.DataFrame,
    *,
    num_orders: int,
    config: SamplingConfig,
    generator: torch.Generator,
) -> Floats:
    """Log-likelihood ``(B,)`` of the observed cells of rows, in nats, in the frame's units.

    Args:
        encoder: What encoded the frame.
        network: A trained network.
        table: The encoded frame.
        frame: Any of the fitted columns.
        num_orders: As in :func:`log_likelihood`.
        config: Sampling settings.
        generator: Source of the orders.
    """
    parts = [
        log_likelihood(network, chunk, num_orders=num_orders, config=config, generator=generator)
        .double()
        .cpu()
        .numpy()
        for chunk in table_chunks(table, network, config)
    ]
    total: Floats = np.concatenate(parts) if parts else np.zeros(0)
    return total + encoder.log_volume(frame, table.observed.cpu().numpy())


def log_likelihood(
    network: TabDARNetwork,
    table: EncodedTable,
    *,
    num_orders: int,
    config: SamplingConfig,
    generator: torch.Generator,
) -> torch.Tensor:
    """Log-likelihood of the observed cells of each row, in codes and residuals.

    For every random order o of the columns, log p_o(x) = sum_t log p(x_{o_t} | x_{o_<t}); the
    result is log((1/R) sum_o p_o(x)) over R orders: the mean is of probabilities, not of logs.
    Cells that are not observed are left out.

    Args:
        network: A trained network.
        table: Encoded rows.
        num_orders: R, how many random orders to average over.
        config: Solver settings.
        generator: Source of the orders.

    Returns:
        ``(B,)`` in nats; densities are per unit of the residual.
    """
    logs = []
    for _ in range(num_orders):
        total = torch.zeros(len(table), device=generator.device)
        known = torch.zeros_like(table.observed)
        for position in column_order(
            table.codes.shape[1], fixed=network.fixed_order, generator=generator
        ):
            rows = table.observed[:, position].nonzero().squeeze(1)
            if len(rows):
                before = EncodedTable(table.codes, table.residuals, known).rows(rows)
                total[rows] += _cell_log_likelihood(network, before, position, config)
            known = known.clone()
            known[:, position] = table.observed[:, position]
        logs.append(total)
    return torch.stack(logs).logsumexp(dim=0) - math.log(num_orders)


def _cell_log_likelihood(
    network: TabDARNetwork, table: EncodedTable, position: int, config: SamplingConfig
) -> torch.Tensor:
    """Log-likelihood ``(B,)`` of one column's cells given the observed cells."""
    numerical, residuals = network.schema.numerical, None
    if position in numerical:
        residuals = table.residuals[:, numerical.index(position)]
    with torch.no_grad():
        context = network.contexts(table)[:, position]
        return log_density(
            network, position, context, table.codes[:, position], residuals, config=config
        )
