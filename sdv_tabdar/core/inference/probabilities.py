"""What the model says of given cells: probabilities of codes, quantiles of numbers, densities.

Everything follows from two facts. A code's probability is a softmax. And the nested diffusion is
a monotone map n(r) from a residual to standard normal noise, so that the residual's distribution
function is Phi(n(r)) and its density phi(n(r)) dn/dr.
"""

from __future__ import annotations

import math

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.masking import column_order
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable


def context(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor:
    """The output z ``(B, D)`` for one column, given the observed cells of the other columns."""
    observed = table.observed.clone()
    observed[:, position] = False
    hidden = EncodedTable(table.codes, table.residuals, observed)
    return network.contexts(hidden)[:, position]


def log_probabilities(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor:
    """Log probability ``(B, K)`` of each code of a column, given the other observed cells."""
    logits = network.code_head.logits(context(network, table, position), position)
    return logits.log_softmax(dim=1)


def residual_cdf(
    network: TabDARNetwork,
    z: torch.Tensor,
    position: int,
    codes: torch.Tensor,
    residuals: torch.Tensor,
    config: SamplingConfig,
) -> torch.Tensor:
    """Distribution function ``(N,)`` within bins ``codes`` ``(N,)`` at ``residuals`` ``(N,)``."""
    flow = network.residual_head.flow(
        z, position, codes=codes, num_steps=config.num_steps, sigma_max=config.sigma_max
    )
    return torch.special.ndtr(flow.to_noise(residuals))


def residual_log_density(
    network: TabDARNetwork,
    z: torch.Tensor,
    position: int,
    codes: torch.Tensor,
    residuals: torch.Tensor,
    config: SamplingConfig,
) -> torch.Tensor:
    """Log density ``(N,)`` within bins, per unit of the residual, in nats."""
    flow = network.residual_head.flow(
        z.detach(), position, codes=codes, num_steps=config.num_steps, sigma_max=config.sigma_max
    )
    with torch.enable_grad():
        at = residuals.detach().clone().requires_grad_(True)
        noise = flow.to_noise(at)
        (slope,) = torch.autograd.grad(noise.sum(), at)
    noise, slope = noise.detach(), slope.clamp_min(1e-12)
    return -(noise**2) / 2 - math.log(2 * math.pi) / 2 + slope.log()


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
        seen = torch.zeros_like(table.observed)
        for position in column_order(
            table.codes.shape[1], fixed=network.fixed_order, generator=generator
        ):
            rows = table.observed[:, position].nonzero().squeeze(1)
            if len(rows):
                known = EncodedTable(table.codes, table.residuals, seen).rows(rows)
                total[rows] += _cell_log_likelihood(network, known, position, config)
            seen = seen.clone()
            seen[:, position] = table.observed[:, position]
        logs.append(total)
    return torch.stack(logs).logsumexp(dim=0) - math.log(num_orders)


def _cell_log_likelihood(
    network: TabDARNetwork, table: EncodedTable, position: int, config: SamplingConfig
) -> torch.Tensor:
    """Log-likelihood ``(B,)`` of one column's cells given the observed cells."""
    with torch.no_grad():
        z = network.contexts(table)[:, position]
        codes = table.codes[:, position].long()
        logs = network.code_head.logits(z, position).log_softmax(dim=1)
        result = logs.gather(1, codes[:, None]).squeeze(1)
    bins = network.schema.columns[position].bins
    in_bin = ((codes >= bins.start) & (codes < bins.stop)).nonzero().squeeze(1)
    if len(in_bin):
        residuals = table.residuals[in_bin, network.schema.numerical.index(position)]
        result[in_bin] += residual_log_density(
            network, z[in_bin], position, codes[in_bin], residuals, config
        )
    return result
