"""The distribution of codes: a softmax for every column."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Iterator, Sequence

import torch
from torch import nn

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.gating import activated
from sdv_tabdar.core.nn.heads.tied import TiedCodes, of_members, parted
from sdv_tabdar.core.nn.ordinal import code_hats, num_nodes
from sdv_tabdar.core.runtime.random import stratified_uniforms
from sdv_tabdar.core.schema import Column, TableSchema

_BUCKET_FACTOR = 4
_OUTPUT_SCALE = 0.1  # of the last layer's first weights: training begins near the marginals


@dataclasses.dataclass(frozen=True)
class ColumnWeights:
    """The part of the weights that is one column's, as views.

    Attributes:
        hidden: Weights and biases of the hidden layers.
        weight: ``(head_width, K)`` of the last layer; codes beyond the column's own are padding.
        bias: ``(1, K)``.
        nodes: ``(head_width, nodes)`` what the codes of a number share, see ``ordinal``; None
            in a bucket without numbers.
    """

    hidden: tuple[torch.Tensor, ...]
    weight: torch.Tensor
    bias: torch.Tensor
    nodes: torch.Tensor | None


class _Bucket(nn.Module):
    """The last layers of the predictors of columns with similar numbers of codes, as one batch.

    The codes of a number share a part of their weights, see ``ordinal``. Codes beyond a column's
    own are padding: their bias is so low that they have no probability, and no gradient either.
    """

    shares: torch.Tensor

    def __init__(self, columns: Sequence[Column], width: int, num_scales: int) -> None:
        super().__init__()
        num_codes = max(column.num_codes for column in columns)
        self.weight = nn.Parameter(_random_maps(len(columns), width, num_codes) * _OUTPUT_SCALE)
        self.bias = nn.Parameter(torch.full((len(columns), 1, num_codes), -1e9))
        self.nodes, nodes = None, num_nodes(num_scales)
        if any(column.uniform for column in columns):
            self.nodes = nn.Parameter(_random_maps(len(columns), width, nodes) * _OUTPUT_SCALE)
        shares = torch.zeros(len(columns), nodes, num_codes)
        for row, column in enumerate(columns):
            shares[row, :, : column.num_codes] = code_hats(column, num_scales).t()
            frequency = torch.tensor(column.counts, dtype=torch.float64)
            with torch.no_grad():
                logs = (frequency / frequency.sum()).log()
                self.bias[row, 0, : column.num_codes] = logs.float()
        self.register_buffer('shares', shares)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits ``(G, B, K_max)`` of the bucket's G columns from ``(G, B, width)``."""
        weight: torch.Tensor = self.weight
        if self.nodes is not None:
            weight = torch.baddbmm(weight, self.nodes, self.shares)
        return torch.baddbmm(self.bias, hidden, weight)

    def column_logits(self, hidden: torch.Tensor, row: int) -> torch.Tensor:
        """Logits ``(N, K_max)`` of the bucket's column at ``row`` from ``(N, width)``."""
        weight = self.weight[row]
        if self.nodes is not None:
            weight = torch.addmm(weight, self.nodes[row], self.shares[row])
        return torch.addmm(self.bias[row], hidden, weight)


def _random_maps(number: int, inputs: int, outputs: int) -> torch.Tensor:
    """A stack ``(number, inputs, outputs)`` of maps that keep the size of what they map."""
    return torch.randn(number, inputs, outputs) * inputs**-0.5


def _without_some(
    hidden: torch.Tensor, dropout: float, generator: torch.Generator | None
) -> torch.Tensor:
    """Hidden numbers of which a share is zero, and the others larger by as much."""
    kept = torch.rand(hidden.shape, generator=generator, device=hidden.device) >= dropout
    return hidden * (kept / (1 - dropout))


class CodeDistribution(abc.ABC):
    """The distribution of the code of a cell, given its context."""

    @abc.abstractmethod
    def loss(self, target: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """Negative log probability in nats, ``(C, B)``, of codes from contexts ``(C, B, D)``."""

    @abc.abstractmethod
    def logits(self, context: torch.Tensor, position: int) -> torch.Tensor:
        """Unnormalised log probabilities ``(N, K)`` of one column from ``(N, D)``."""

    def log_probabilities(self, context: torch.Tensor, position: int) -> torch.Tensor:
        """Log probabilities ``(N, K)`` of all codes of one column from contexts ``(N, D)``."""
        return self.logits(context, position).log_softmax(dim=1)

    def sample(
        self,
        context: torch.Tensor,
        position: int,
        *,
        generator: torch.Generator,
        group: int | None = None,
        possible: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Draw codes of one column.

        Args:
            context: ``(N, D)``.
            position: The column.
            generator: Source of randomness.
            group: Cells that are stratified together, see ``stratified_uniforms``.
            possible: ``(N, K)`` bool, the codes that each cell may have; None for all.

        Returns:
            ``(N,)`` codes.
        """
        logits = among(self.logits(context, position), possible)
        return draw_categorical(logits, generator=generator, group=group)


class CodeHead(nn.Module, CodeDistribution):
    """Softmax over the codes of each column, from a small MLP of the column's own.

    Hidden layers are batches over all columns, last layers over those of a bucket. Training
    begins at the marginals: the last bias starts at the log frequencies.

    Source: paper, equation 'loss-discrete' and Algorithm 'Loss for discrete columns'.
    """

    order: torch.Tensor
    place: torch.Tensor

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Bucket the columns by their number of codes."""
        super().__init__()
        self.num_codes = [column.num_codes for column in schema.columns]
        groups = buckets(schema)
        order = torch.tensor([position for group in groups for position in group])
        self.register_buffer('order', order)
        self.register_buffer('place', order.argsort())
        self.gated = config.head_activation == 'gated'
        layers, width = layer_widths(config)
        self.weights = nn.ParameterList(
            nn.Parameter(_random_maps(len(order), inputs, outputs)) for inputs, outputs in layers
        )
        self.biases = nn.ParameterList(
            nn.Parameter(torch.zeros(len(order), 1, outputs)) for _, outputs in layers
        )
        self.buckets = nn.ModuleList(
            _Bucket([schema.columns[position] for position in group], width, config.num_scales)
            for group in groups
        )
        self.sizes = [len(group) for group in groups]
        self.tied = nn.ModuleList(
            TiedCodes(schema, group, max(schema.columns[place].num_codes for place in group))
            for group in (groups if schema.has_ties else ())
        )
        # For a column its place among all in the order of the buckets, its bucket and row there.
        cells = [(bucket, row) for bucket, group in enumerate(groups) for row in range(len(group))]
        self._cells = {
            position: (place, *cells[place]) for place, position in enumerate(order.tolist())
        }

    def loss(
        self,
        target: torch.Tensor,
        context: torch.Tensor,
        *,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> torch.Tensor:
        """Negative log probability in nats.

        Args:
            target: ``(C, B)`` codes.
            context: ``(C, B, D)``.
            dropout: Share of the hidden numbers that are left out, as training does.
            generator: Chooses them.

        Returns:
            ``(C, B)``.
        """
        context, ties = parted(context) if self.tied else (context, None)
        hidden = context.index_select(0, self.order)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            hidden = activated(torch.baddbmm(bias, hidden, weight), gated=self.gated)
            if dropout:
                hidden = _without_some(hidden, dropout, generator)
        codes = target.index_select(0, self.order).long()
        logits = [
            bucket(part)
            for bucket, part in zip(self.buckets, hidden.split(self.sizes), strict=True)
        ]
        if ties is not None:
            told = zip(ties.index_select(0, self.order).split(self.sizes), self.tied, strict=True)
            logits = [tied(own, part) for own, (part, tied) in zip(logits, told, strict=True)]
        parts = [
            nn.functional.cross_entropy(found.flatten(0, 1), own.flatten(), reduction='none')
            for found, own in zip(logits, codes.split(self.sizes), strict=True)
        ]
        return torch.cat(parts).view(codes.shape).index_select(0, self.place)

    def column_weights(self, position: int) -> ColumnWeights:
        """The weights of one column."""
        place, number, row = self._cells[position]
        bucket = self.buckets[number]
        assert isinstance(bucket, _Bucket)
        return ColumnWeights(
            hidden=tuple(weight[place] for weight in (*self.weights, *self.biases)),
            weight=bucket.weight[row],
            bias=bucket.bias[row],
            nodes=None if bucket.nodes is None else bucket.nodes[row],
        )

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of all layers but the last, stacked over the columns."""
        return list(self.weights)

    def logits(self, context: torch.Tensor, position: int) -> torch.Tensor:
        """Unnormalised log probabilities ``(N, K)`` of one column from ``(N, D)``."""
        place, number, row = self._cells[position]
        context, ties = parted(context) if self.tied else (context, None)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            context = activated(torch.addmm(bias[place], context, weight[place]), gated=self.gated)
        bucket = self.buckets[number]
        assert isinstance(bucket, _Bucket)
        found = bucket.column_logits(context, row)
        if ties is not None:
            tied = self.tied[number]
            assert isinstance(tied, TiedCodes)
            found = tied.of(row, found, ties)
        return found[:, : self.num_codes[position]]


class MixedCodes(CodeDistribution):
    """The mean of the probabilities of several heads, of contexts that lie end to end.

    Args:
        heads: At least one.
    """

    def __init__(self, heads: Sequence[CodeHead]) -> None:
        self._heads = heads

    def loss(self, target: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """Negative log probability in nats, see :meth:`CodeDistribution.loss`."""
        return -_log_mean([-head.loss(target, own) for head, own in self._parts(context)])

    def logits(self, context: torch.Tensor, position: int) -> torch.Tensor:
        """Log probabilities ``(N, K)`` of one column from contexts ``(N, D)``."""
        return _log_mean(
            [head.logits(own, position).log_softmax(dim=1) for head, own in self._parts(context)]
        )

    def _parts(self, context: torch.Tensor) -> Iterator[tuple[CodeHead, torch.Tensor]]:
        has_ties = len(self._heads[0].tied) > 0
        parts = of_members(context, len(self._heads), has_ties=has_ties)
        return zip(self._heads, parts, strict=True)


def _log_mean(logs: Sequence[torch.Tensor]) -> torch.Tensor:
    """The log of the mean of what these are logs of."""
    return torch.stack(list(logs)).logsumexp(dim=0) - math.log(len(logs))


def layer_widths(config: ModelConfig) -> tuple[list[tuple[int, int]], int]:
    """Inputs and outputs of the hidden layers' linear maps, and what the last layer sees."""
    inputs, layers = config.width, []
    for _ in range(config.head_layers - 1):
        layers.append((inputs, config.head_width * (1 + (config.head_activation == 'gated'))))
        inputs = config.head_width
    return layers, inputs


def buckets(schema: TableSchema) -> list[list[int]]:
    """Positions of columns with similar numbers of codes together, fewest first."""
    by_size: dict[int, list[int]] = {}
    for position, column in enumerate(schema.columns):
        bucket = 0
        while _BUCKET_FACTOR ** (bucket + 1) < column.num_codes:
            bucket += 1
        by_size.setdefault(bucket, []).append(position)
    return [by_size[size] for size in sorted(by_size)]


def among(logits: torch.Tensor, possible: torch.Tensor | None) -> torch.Tensor:
    """Logits ``(N, K)`` without the codes that are not possible; None for all."""
    return logits if possible is None else logits.masked_fill(~possible, -torch.inf)


def draw_categorical(
    logits: torch.Tensor, *, generator: torch.Generator, group: int | None = None
) -> torch.Tensor:
    """One index a row by inverting the distribution function; ``(N,)`` from ``(N, K)``.

    ``group`` is that of ``stratified_uniforms``.
    """
    cumulative = logits.softmax(dim=1).cumsum(dim=1)
    uniform = stratified_uniforms(len(logits), generator=generator, group=group, dtype=logits.dtype)
    drawn = torch.searchsorted(cumulative, uniform[:, None] * cumulative[:, -1:], right=True)
    return drawn.squeeze(1).clamp_max(logits.shape[1] - 1)
