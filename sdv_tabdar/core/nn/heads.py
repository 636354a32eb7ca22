"""Column heads: the law of a cell given the transformer's output z for it, its *context*.

A head has ``loss(target, context, ...)`` (in nats or in EDM's weighted unit, one number a cell)
and ``sample(context, position, ...)`` for one column. The code head is the paper's categorical
predictor, here for the codes of every column; the residual head is the nested diffusion.
"""

from __future__ import annotations

import abc
import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from sdv_tabdar.core import diffusion
from sdv_tabdar.core.columns import TableSchema
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.denoiser import DenoiserNetwork
from sdv_tabdar.core.nn.ordinal import NUM_NODES, code_hats
from sdv_tabdar.core.random import spread_normals, spread_uniforms

_BUCKET_FACTOR = 4
_OUTPUT_SCALE = 0.1  # of the last layer's first weights: training begins near the marginals


class ColumnHead(nn.Module, abc.ABC):
    """The contract that all heads share."""

    @abc.abstractmethod
    def loss(self, target: torch.Tensor, context: torch.Tensor, **condition: Any) -> torch.Tensor:
        """One loss for each cell, of the shape of ``target``."""

    @abc.abstractmethod
    def sample(
        self,
        context: torch.Tensor,
        position: int,
        *,
        generator: torch.Generator,
        **condition: Any,
    ) -> torch.Tensor:
        """One draw ``(N,)`` for each context ``(N, D)`` of the column at ``position``."""


class _Bucket(nn.Module):
    """The predictors of columns with similar numbers of codes, as one batched MLP each layer.

    In the last layer the codes of a number share a part of their weights, see ``ordinal``.
    Rows of the last layer beyond a column's own codes are padding: their bias is so low that
    they have no probability, and no gradient either.
    """

    columns: torch.Tensor
    shares: torch.Tensor

    def __init__(self, schema: TableSchema, positions: Sequence[int], config: ModelConfig) -> None:
        super().__init__()
        counts = [schema.columns[position].counts for position in positions]
        num_codes = max(map(len, counts))
        self.register_buffer('columns', torch.tensor(positions))
        widths = [config.width] + [config.head_width] * (config.head_layers - 1) + [num_codes]
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for inputs, outputs in itertools.pairwise(widths):
            weight = torch.randn(len(positions), inputs, outputs) * inputs**-0.5
            self.weights.append(nn.Parameter(weight))
            self.biases.append(nn.Parameter(torch.zeros(len(positions), 1, outputs)))
        shares = torch.zeros(len(positions), NUM_NODES, num_codes)
        for row, position in enumerate(positions):
            shares[row, :, : len(counts[row])] = code_hats(schema.columns[position]).t()
        self.register_buffer('shares', shares)
        nodes = torch.randn(len(positions), widths[-2], NUM_NODES) * widths[-2] ** -0.5
        self.nodes = nn.Parameter(nodes * _OUTPUT_SCALE)
        with torch.no_grad():
            self.weights[-1].mul_(_OUTPUT_SCALE)
            self.biases[-1].fill_(-1e9)
            for row, column_counts in enumerate(counts):
                frequency = torch.tensor(column_counts, dtype=torch.float64)
                logs = (frequency / frequency.sum()).log().float()
                self.biases[-1][row, 0, : len(column_counts)] = logs

    def forward(self, context: torch.Tensor) -> torch.Tensor:
        """Logits ``(G, B, K_max)`` of the bucket's G columns from contexts ``(C, B, D)``."""
        hidden = context.index_select(0, self.columns)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = nn.functional.relu(torch.baddbmm(bias, hidden, weight))
        weight = torch.baddbmm(self.weights[-1], self.nodes, self.shares)
        return torch.baddbmm(self.biases[-1], hidden, weight)

    def column_logits(self, context: torch.Tensor, row: int, num_codes: int) -> torch.Tensor:
        """Logits ``(N, K)`` of the bucket's column at ``row`` from contexts ``(N, D)``."""
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            context = nn.functional.relu(torch.addmm(bias[row], context, weight[row]))
        weight = torch.addmm(self.weights[-1][row], self.nodes[row], self.shares[row])
        return torch.addmm(self.biases[-1][row], context, weight)[:, :num_codes]


class CodeHead(ColumnHead):
    """Softmax over the codes of each column, from a small MLP of the column's own.

    Training begins at the marginals: the last bias starts at the log frequencies.

    Source: paper, equation 'loss-discrete' and Algorithm 'Loss for discrete columns'.
    """

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Bucket the columns by their number of codes."""
        super().__init__()
        self.num_codes = [column.num_codes for column in schema.columns]
        by_size: dict[int, list[int]] = {}
        for position, num_codes in enumerate(self.num_codes):
            bucket = 0
            while _BUCKET_FACTOR ** (bucket + 1) < num_codes:
                bucket += 1
            by_size.setdefault(bucket, []).append(position)
        groups = [by_size[size] for size in sorted(by_size)]
        self.buckets = nn.ModuleList(_Bucket(schema, group, config) for group in groups)
        self._place = {
            position: (bucket, row)
            for bucket, group in enumerate(groups)
            for row, position in enumerate(group)
        }

    def loss(self, target: torch.Tensor, context: torch.Tensor, **condition: Any) -> torch.Tensor:
        """Negative log probability in nats.

        Args:
            target: ``(C, B)`` codes.
            context: ``(C, B, D)``.
            **condition: Nothing.

        Returns:
            ``(C, B)``.
        """
        parts, order = [], []
        for bucket in self._buckets():
            logits = bucket(context)
            codes = target.index_select(0, bucket.columns).long()
            part = nn.functional.cross_entropy(
                logits.flatten(0, 1), codes.flatten(), reduction='none'
            )
            parts.append(part.view(codes.shape))
            order.append(bucket.columns)
        return torch.cat(parts).index_select(0, torch.cat(order).argsort())

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of all layers but the last, stacked over the columns of a bucket."""
        return [weight for bucket in self._buckets() for weight in [*bucket.weights][:-1]]

    def logits(self, context: torch.Tensor, position: int) -> torch.Tensor:
        """Unnormalised log probabilities ``(N, K)`` of one column from ``(N, D)``."""
        bucket, row = self._place[position]
        return self._buckets()[bucket].column_logits(context, row, self.num_codes[position])

    def sample(
        self,
        context: torch.Tensor,
        position: int,
        *,
        generator: torch.Generator,
        **condition: Any,
    ) -> torch.Tensor:
        """Codes ``(N,)`` of one column from contexts ``(N, D)``.

        Keyword argument besides ``generator``: ``group``, that of ``spread_uniforms``.
        """
        return draw_categorical(self.logits(context, position), generator=generator, **condition)

    def _buckets(self) -> list[_Bucket]:
        return [bucket for bucket in self.buckets if isinstance(bucket, _Bucket)]


class ResidualHead(ColumnHead):
    """The nested diffusion: where in its bin a number lies.

    Source: paper, equation 'loss-conditional-diffusion' and Algorithm 'Loss for continuous
    columns', with EDM's preconditioning, noise law and weight.
    """

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Number the bins of all columns."""
        super().__init__()
        total = sum(len(column.bins) for column in schema.columns)
        self.first_bin = first_bins(schema)
        self.network = DenoiserNetwork(
            config.width, max(total, 1), config.denoiser_width, config.denoiser_blocks
        )

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights between the hidden layers of the denoiser."""
        return self.network.hidden_matrices()

    def loss(self, target: torch.Tensor, context: torch.Tensor, **condition: Any) -> torch.Tensor:
        """EDM's weighted squared error, averaged over several noise levels for each cell.

        Args:
            target: ``(N,)`` residuals.
            context: ``(N, D)``.
            **condition: ``bins``, ``(N,)`` bin numbers over all columns; ``noise_draws``, how
                many noise levels a cell; ``generator``, the source of the noise.

        Returns:
            ``(N,)``.
        """
        bins, generator = condition['bins'], condition['generator']
        shape = (condition['noise_draws'], len(target))
        sigma = diffusion.draw_sigma(shape, generator=generator)
        noise = torch.randn(shape, generator=generator, device=generator.device)
        fixed = self.network.condition(context, bins)
        estimate = self.network(target + sigma * noise, sigma, fixed)
        return (diffusion.loss_weight(sigma) * (estimate - target) ** 2).mean(dim=0)

    def sample(
        self,
        context: torch.Tensor,
        position: int,
        *,
        generator: torch.Generator,
        **condition: Any,
    ) -> torch.Tensor:
        """Residuals ``(N,)`` of one column, given ``codes`` ``(N,)`` in its bins.

        Keyword arguments besides ``generator``: ``codes`` and those of :meth:`flow`.
        """
        noise = spread_normals(len(context), generator=generator)
        return self.flow(context, position, **condition).to_data(noise)

    def flow(
        self,
        context: torch.Tensor,
        position: int,
        *,
        codes: torch.Tensor,
        num_steps: int,
        sigma_max: float,
    ) -> Flow:
        """The monotone map between noise and residuals of N cells of one column.

        Args:
            context: ``(N, D)``.
            position: The column.
            codes: ``(N,)``, each in the column's bins.
            num_steps: Steps of the solver.
            sigma_max: Noise level at which it starts.
        """
        condition = self.network.condition(context, codes + self.first_bin[position])
        return Flow(self.network.field(condition), num_steps, sigma_max)


class BinHead(ResidualHead):
    """Residuals by the marginal law of their bin, whatever the context: nothing to learn.

    The denoiser of N(0, sigma_data^2) is c_skip x, so that F = 0, and the flow scales noise by
    sigma_data.

    Source: paper, ablation 'w/o diffusion loss', with bins of equal mass instead of equal width.
    """

    def __init__(self) -> None:
        """Build nothing."""
        nn.Module.__init__(self)

    def hidden_matrices(self) -> list[torch.Tensor]:
        """None."""
        return []

    def loss(self, target: torch.Tensor, context: torch.Tensor, **condition: Any) -> torch.Tensor:
        """Zero for each of the ``(N,)`` cells."""
        return torch.zeros_like(target)

    def flow(
        self,
        context: torch.Tensor,
        position: int,
        *,
        codes: torch.Tensor,
        num_steps: int,
        sigma_max: float,
    ) -> Flow:
        """As :meth:`ResidualHead.flow`, the same for all cells."""
        return Flow(lambda _: lambda y, _: torch.zeros_like(y), num_steps, sigma_max)


def make_residual_head(schema: TableSchema, config: ModelConfig) -> ResidualHead:
    """The head that ``config.numerical_head`` names."""
    return BinHead() if config.numerical_head == 'bins' else ResidualHead(schema, config)


def first_bins(schema: TableSchema) -> list[int]:
    """For each column what turns the code of a bin into its number among the bins of all."""
    numbers, total = [], 0
    for column in schema.columns:
        numbers.append(total - column.bins.start)
        total += len(column.bins)
    return numbers


@dataclasses.dataclass(frozen=True)
class Flow:
    """The probability-flow ODE of N cells, both ways.

    Attributes:
        field: Their raw denoiser F.
        num_steps: Steps of the solver.
        sigma_max: Noise level at the noise end.
    """

    field: diffusion.Field
    num_steps: int
    sigma_max: float

    def to_data(self, noise: torch.Tensor) -> torch.Tensor:
        """Residuals ``(N,)`` from standard normal noise ``(N,)``."""
        return diffusion.noise_to_data(
            self.field, noise, num_steps=self.num_steps, sigma_max=self.sigma_max
        )

    def to_noise(self, residuals: torch.Tensor) -> torch.Tensor:
        """Noise ``(N,)`` from residuals ``(N,)``; its normal CDF is that of the residuals."""
        return diffusion.data_to_noise(
            self.field, residuals, num_steps=self.num_steps, sigma_max=self.sigma_max
        )


def draw_categorical(
    logits: torch.Tensor, *, generator: torch.Generator, group: int | None = None
) -> torch.Tensor:
    """One index a row by inverting the distribution function; ``(N,)`` from ``(N, K)``.

    ``group`` is that of ``spread_uniforms``.
    """
    cumulative = logits.softmax(dim=1).cumsum(dim=1)
    uniform = spread_uniforms(len(logits), generator=generator, group=group, dtype=logits.dtype)
    drawn = torch.searchsorted(cumulative, uniform[:, None] * cumulative[:, -1:], right=True)
    return drawn.squeeze(1).clamp_max(logits.shape[1] - 1)
