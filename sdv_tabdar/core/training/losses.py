"""The loss of a batch: hide cells at random, ask for them back.

The loss of a row is the sum over its M hidden cells of the heads' losses, times C / M with the
``'order'`` weighting: in expectation over M ~ U{1..C} and the hidden set that is the bound of
order-agnostic autoregressive models on the negative log-likelihood of the row. What is reported
and minimised is the mean over rows, divided by C.
"""

from __future__ import annotations

from typing import Any

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.masking import complementary_observed, leading_observed, random_ranks
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_losses
from sdv_tabdar.core.table import EncodedTable


def batch_loss(
    network: TabDARNetwork,
    rows: EncodedTable,
    config: TrainingConfig,
    *,
    generator: torch.Generator,
    log_weights: torch.Tensor | None = None,
) -> torch.Tensor:
    """Loss of a batch, in nats per cell: a scalar.

    Args:
        network: The network.
        rows: The batch.
        config: Training settings.
        generator: Source of what is hidden, of noise and of dropout.
        log_weights: ``(C,)``, for hidden sets of which half lie in weighted orders; not where the
            network knows one order only.

    Source: paper, Algorithm 'Training', step 4.
    """
    if network.fixed_order:
        losses, num_hidden, num_rows = _ordered_losses(network, rows, config, generator)
    else:
        losses, num_hidden, num_rows = _paired_losses(network, rows, config, generator, log_weights)
    if config.loss_weighting == 'order':
        return (losses / num_hidden).sum() / num_rows
    return 2 * losses.sum() / (losses.shape[1] * num_rows)


def _ordered_losses(
    network: TabDARNetwork, rows: EncodedTable, config: TrainingConfig, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Losses ``(B, C)``, the number of hidden cells ``(B, 1)`` of their rows, and B."""
    observed = leading_observed(*rows.codes.shape, generator=generator)
    table = EncodedTable(rows.codes, rows.residuals, observed)
    losses = network.losses(table, generator=generator, **_of_heads(config))
    return losses, (~observed).sum(dim=1, keepdim=True), float(len(rows))


def _paired_losses(
    network: TabDARNetwork,
    rows: EncodedTable,
    config: TrainingConfig,
    generator: torch.Generator,
    log_weights: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """As :func:`_ordered_losses`, for the one hidden cell of each column of P pairs, ``(P, C)``.

    Without a partner the last row is paired with the first. The number of rows is that of rows
    which hide something, in expectation.
    """
    num_rows, num_columns = rows.codes.shape
    if num_rows % 2:
        rows = rows.rows(torch.arange(num_rows + 1, device=rows.codes.device) % num_rows)
    num_pairs = len(rows) // 2
    observed = complementary_observed(
        num_pairs, num_columns, generator=generator, log_weights=log_weights
    )
    table = EncodedTable(rows.codes, rows.residuals, observed)
    ranks = None
    if network.is_causal:
        ranks = random_ranks(num_pairs, num_columns, generator=generator)
    losses = pair_losses(network, table, generator=generator, ranks=ranks, **_of_heads(config))
    side = observed[:num_pairs]
    hidden_of_second = side.sum(dim=1, keepdim=True)
    num_hidden = torch.where(side, hidden_of_second, num_columns - hidden_of_second)
    return losses, num_hidden, 2 * num_pairs * num_columns / (num_columns + 1)


def _of_heads(config: TrainingConfig) -> dict[str, Any]:
    """The settings of the heads' losses."""
    return {'noise_draws': config.noise_draws, 'dropout': config.dropout or 0.0}
