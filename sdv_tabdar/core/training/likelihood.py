"""The any-order likelihood of some rows, with little noise: fixed hidden sets, exact densities.

The bound of order-agnostic autoregressive models on the negative log-likelihood of a row is

    E_M E_hidden  C / M  sum over hidden j  -log p(code_j | z_j) - log p(residual_j | z_j, code_j)

with M ~ U{1..C} hidden cells. Here the hidden sets are drawn once, in complementary pairs, so that
a pair asks for every cell of a row exactly once; the density of a residual is that of the
probability-flow ODE, which takes no noise. So two states of a network are compared on the same
questions, and their difference varies little.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.masking import complementary_observed, leading_observed, random_ranks
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.table import EncodedTable

_CHUNK_TOKENS = 2**14
_SOLVER = SamplingConfig()  # of the probability-flow ODE
_LOG_SCALE = math.log(SIGMA_DATA * math.sqrt(2 * math.pi))

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class RowLoss:
    """Negative log-likelihood of some rows, in nats per row.

    Attributes:
        codes: ``(C,)``, the mean over rows of what the codes of a column add.
        residuals: ``(C,)``, likewise of its residuals. A residual is counted against the normal
            distribution that it has over the training table, so that 0 means that nothing is
            learnt of it, and what is learnt is below 0.
        rows: ``(N,)``, the loss of each row.
    """

    codes: Floats
    residuals: Floats
    rows: Floats

    @property
    def total(self) -> float:
        """The mean over rows."""
        return float(self.codes.sum() + self.residuals.sum())


@dataclasses.dataclass(frozen=True)
class Questions:
    """Some rows, several times over, and what is hidden each time.

    Attributes:
        table: ``num_sets`` times N rows, of which every N are all rows in their order. Where the
            network sees cells in any order, ``observed`` and its complement are asked both.
        num_sets: How often each row is asked.
        ranks: ``(num_sets * N, C)``, the order in which its cells became visible, which matters
            where attention is causal.
    """

    table: EncodedTable
    num_sets: int
    ranks: torch.Tensor


def make_questions(
    rows: EncodedTable, num_sets: int, *, fixed_order: bool, generator: torch.Generator
) -> Questions:
    """Draw hidden sets.

    Args:
        rows: The N rows whose likelihood is asked for.
        num_sets: Hidden sets (or complementary pairs of them) for each row.
        fixed_order: Whether the network sees leading columns only.
        generator: Source of the sets.
    """
    index = torch.arange(len(rows), device=rows.codes.device).repeat(num_sets)
    size = len(index), rows.codes.shape[1]
    if fixed_order:
        observed = leading_observed(*size, generator=generator)
        ranks = torch.arange(size[1], device=index.device).expand(size)
    else:
        observed = complementary_observed(*size, generator=generator)[: len(index)]
        ranks = random_ranks(*size, generator=generator)
    table = EncodedTable(rows.codes[index], rows.residuals[index], observed)
    return Questions(table, num_sets, ranks)


def row_loss(network: TabDARNetwork, questions: Questions) -> RowLoss:
    """The bound on the negative log-likelihood of the rows.

    Args:
        network: In evaluation mode.
        questions: From :func:`make_questions`.
    """
    return mean_losses([asked_losses(network, questions, ALONE)], questions.num_sets)


@torch.no_grad()
def asked_losses(network: TabDARNetwork, questions: Questions, ranks: Ranks) -> Floats:
    """The losses ``(2, C, N)`` of codes and residuals, in this rank's share of the questions."""
    number, num_columns = questions.table.codes.shape
    size = max(_CHUNK_TOKENS // (num_columns + 1), 1)
    own = ranks.share(torch.arange(number)).tolist()
    begin, end = (own[0], own[-1] + 1) if own else (0, 0)
    parts = [np.zeros((2, num_columns, 0))]
    for start in range(begin, end, size):
        rows = slice(start, min(start + size, end))
        losses = _cell_losses(network, questions.table.rows(rows), questions.ranks[rows])
        parts.append(torch.stack(losses).cpu().double().numpy())
    return np.concatenate(parts, axis=2)


def mean_losses(parts: Sequence[Floats], num_sets: int) -> RowLoss:
    """What the shares of all ranks, from :func:`asked_losses`, say together."""
    codes, residuals = np.concatenate(parts, axis=2)
    rows = (codes + residuals).sum(axis=0).reshape(num_sets, -1).mean(axis=0)
    return RowLoss(codes.mean(axis=1), residuals.mean(axis=1), rows)


@torch.no_grad()
def cell_losses(network: TabDARNetwork, table: EncodedTable) -> torch.Tensor:
    """Negative log-likelihood ``(B, C)`` of every cell, of a network that knows cells in any order.

    An observed cell is asked for given those that are not, a hidden one given those that are.
    """
    size = max(_CHUNK_TOKENS // (table.codes.shape[1] + 1), 1)
    from_left = torch.arange(table.codes.shape[1], device=table.codes.device)
    parts = []
    for start in range(0, len(table), size):
        rows = table.rows(slice(start, start + size))
        codes, residuals = _cell_losses(network, rows, from_left.expand(rows.codes.shape))
        parts.append((codes + residuals).t() / _pair_weights(rows.observed))
    return torch.cat(parts)


def _cell_losses(
    network: TabDARNetwork, table: EncodedTable, ranks: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weighted losses ``(C, B)`` of the codes and of the residuals of the cells asked for."""
    context, weights = _asked(network, table, ranks)
    codes = network.codes.loss(table.codes.t(), context) * weights
    residuals = torch.zeros_like(codes)
    head, numerical = network.residuals, network.tokenizer.numerical
    if not len(numerical):
        return codes, residuals
    bins = torch.stack(
        [head.bins(position, table.codes[:, position]) for position in numerical.tolist()]
    )
    values = table.residuals.t()
    logs = head.log_density(
        context.index_select(0, numerical).flatten(0, 1),
        torch.where(weights[numerical] > 0, bins, -1).flatten(),
        values.flatten(),
        config=_SOLVER,
    ).view_as(values)
    marginal = -((values / SIGMA_DATA) ** 2) / 2 - _LOG_SCALE
    lost = (marginal - logs) * (bins >= 0) * weights[numerical]
    return codes, residuals.index_copy(0, numerical, lost)


def _asked(
    network: TabDARNetwork, table: EncodedTable, ranks: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Contexts ``(C, B, D)`` of the cells that are asked for, and their weights ``(C, B)``."""
    num_columns = table.codes.shape[1]
    if network.fixed_order:
        hidden = ~table.observed
        weights = hidden * (num_columns / hidden.sum(dim=1, keepdim=True))
        return network.contexts(table, ranks).transpose(0, 1), weights.t()
    context = pair_contexts(network, table.codes, table.residuals, table.observed, ranks)
    return context, _pair_weights(table.observed).t()


def _pair_weights(observed: torch.Tensor) -> torch.Tensor:
    """Weights ``(B, C)`` of cells that are asked for given the observed ones, or given the rest."""
    num_columns, num_observed = observed.shape[1], observed.sum(dim=1, keepdim=True)
    num_hidden = torch.where(observed, num_observed, num_columns - num_observed)
    # M is uniform on {0..C} here, and one question in C + 1 hides nothing.
    return (num_columns + 1) / (2 * num_hidden)
