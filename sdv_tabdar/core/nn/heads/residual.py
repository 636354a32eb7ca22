"""What a residual head does: the distribution of a number within its bin."""

from __future__ import annotations

import abc

import torch
from torch import nn

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.nn.heads.tied import TiedPlaces, parted
from sdv_tabdar.core.runtime.random import stratified_uniforms
from sdv_tabdar.core.schema import TableSchema


class ResidualHead(nn.Module, abc.ABC):
    """The distribution of residuals, given the contexts of their cells and their bins.

    A *bin* is here a number among the bins of all columns, see :meth:`bins`; -1 stands for a
    code without a residual. Over the training table the residuals of every bin are normal with
    standard deviation ``SIGMA_DATA``.

    A concrete head has :meth:`_loss`, and for cells that lie in bins :meth:`_cdf`,
    :meth:`_quantile` and :meth:`_log_density`. The rest follows from these. In a table with ties
    what they see are residuals as the laws of their cells have them, see ``tied``.
    """

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Number the bins of all columns."""
        super().__init__()
        self.columns = [column.bins for column in schema.columns]
        self.first_bin = first_bins(schema)
        self.num_bins = sum(len(codes) for codes in self.columns)
        self.tied = TiedPlaces(schema) if schema.has_ties else None

    def bins(self, position: int, codes: torch.Tensor) -> torch.Tensor:
        """Bins ``(N,)`` of cells of one column with codes ``(N,)``; -1 where there is none."""
        own = self.columns[position]
        in_bin = (codes >= own.start) & (codes < own.stop)
        return torch.where(in_bin, codes.long() + self.first_bin[position], -1)

    @property
    def bin_vectors(self) -> torch.Tensor | None:
        """Weights ``(number of bins, ...)`` that belong to single bins; None without any."""
        return None

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of the linear maps between hidden layers."""
        return []

    def loss(
        self,
        target: torch.Tensor,
        context: torch.Tensor,
        *,
        bins: torch.Tensor,
        noise_draws: int,
        generator: torch.Generator,
    ) -> torch.Tensor:
        """What training minimises.

        Args:
            target: ``(N,)`` residuals.
            context: ``(N, D)``.
            bins: ``(N,)``, none of them -1.
            noise_draws: Random terms for each cell, of which the mean is taken, where a loss is
                stochastic.
            generator: Source of randomness.

        Returns:
            ``(N,)``, one loss for each cell.
        """
        if self.tied is not None:
            context, ties = parted(context)
            target, _ = self.tied.measured(ties, bins, target)
        return self._loss(target, context, bins, noise_draws, generator)

    def sample(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        *,
        config: SamplingConfig,
        generator: torch.Generator,
        group: int | None = None,
    ) -> torch.Tensor:
        """Draw residuals.

        Args:
            context: ``(N, D)``.
            bins: ``(N,)``.
            config: Accuracy of the head's numerical methods, as in all methods that take it.
            generator: Source of randomness.
            group: Cells that are stratified together, see ``stratified_uniforms``.

        Returns:
            ``(N,)`` residuals; zero where there is no bin.
        """
        levels = stratified_uniforms(
            len(bins), generator=generator, group=group, dtype=torch.float64
        )
        return self.quantiles(context, bins, levels, config=config)

    def sample_between(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        low: torch.Tensor,
        high: torch.Tensor,
        *,
        config: SamplingConfig,
        generator: torch.Generator,
        cdf: tuple[torch.Tensor, torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Draw residuals from their distributions cut off at both ends, without rejection.

        Args:
            context: ``(N, D)``.
            bins: ``(N,)``.
            low: ``(N,)`` least residuals, -inf for no limit.
            high: ``(N,)`` greatest residuals, inf for no limit.
            config: As in :meth:`sample`.
            generator: Source of randomness.
            cdf: :meth:`cdf` at ``low`` and at ``high``, where it is known already.

        Returns:
            ``(N,)`` residuals; zero where there is no bin.
        """
        below, up_to = cdf or (
            self.cdf(context, bins, low, config=config),
            self.cdf(context, bins, high, config=config),
        )
        uniforms = stratified_uniforms(len(bins), generator=generator, dtype=torch.float64)
        levels = below + uniforms * (up_to - below)
        drawn = self.quantiles(context, bins, levels, config=config)
        return torch.where(bins >= 0, drawn.clamp(low.float(), high.float()), drawn)

    def cdf(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        *,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Distribution functions.

        Args:
            context: ``(N, D)``.
            bins: ``(N,)`` or ``(N, P)``.
            residuals: ``(N,)`` or ``(N, P)``; finite ones are in bins.
            config: As in :meth:`sample`.

        Returns:
            Of the shape of ``residuals``, float64: probability of at most that residual, 0 at
            -inf and 1 at inf.
        """
        found = torch.special.ndtr(residuals.double())
        finite = residuals.isfinite().nonzero(as_tuple=True)
        if len(finite[0]):
            places, own, bins = residuals[finite].float(), context[finite[0]], bins[finite]
            if self.tied is not None:
                own, ties = parted(own)
                places, _ = self.tied.measured(ties, bins, places)
            found[finite] = self._cdf(own, bins, places, config)
        return found

    def quantiles(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        levels: torch.Tensor,
        *,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Quantiles, which turn :meth:`cdf` around.

        Args:
            context: ``(N, D)``.
            bins: ``(N,)``.
            levels: ``(N,)`` probabilities in [0, 1], float64.
            config: As in :meth:`sample`.

        Returns:
            ``(N,)`` residuals; zero where there is no bin.
        """
        found = torch.zeros(len(bins), device=bins.device)
        cells = (bins >= 0).nonzero().squeeze(1)
        if len(cells):
            own, bins = context[cells], bins[cells]
            if self.tied is None:
                found[cells] = self._quantile(own, bins, levels[cells], config)
            else:
                own, ties = parted(own)
                measured = self._quantile(own, bins, levels[cells], config)
                found[cells] = self.tied.placed(ties, bins, measured)
        return found

    def log_density(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        *,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Log densities ``(N,)`` in nats, per unit of the residual; 0 where there is no bin.

        Args:
            context: ``(N, D)``.
            bins: ``(N,)``.
            residuals: ``(N,)``.
            config: As in :meth:`sample`.
        """
        found = torch.zeros_like(residuals)
        cells = (bins >= 0).nonzero().squeeze(1)
        if len(cells):
            own, bins, at = context[cells], bins[cells], residuals[cells]
            slopes = torch.zeros_like(at)
            if self.tied is not None:
                own, ties = parted(own)
                at, slopes = self.tied.measured(ties, bins, at)
            found[cells] = self._log_density(own, bins, at, config) + slopes
        return found

    @abc.abstractmethod
    def _loss(
        self,
        target: torch.Tensor,
        context: torch.Tensor,
        bins: torch.Tensor,
        noise_draws: int,
        generator: torch.Generator,
    ) -> torch.Tensor:
        """As :meth:`loss`."""

    @abc.abstractmethod
    def _cdf(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Distribution function ``(N,)`` at finite residuals ``(N,)`` in bins, float64."""

    @abc.abstractmethod
    def _quantile(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        levels: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Residuals ``(N,)``, float32 and finite, where the distribution function is ``levels``.

        Levels are float64 in [0, 1].
        """

    @abc.abstractmethod
    def _log_density(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """Log of the derivative ``(N,)`` of the distribution function."""


def normal_quantile(levels: torch.Tensor) -> torch.Tensor:
    """Standard normal quantiles, float32, of float64 levels in [0, 1]; finite at both ends."""
    return torch.special.ndtri(levels.clamp(1e-12, 1 - 1e-12)).float()


def first_bins(schema: TableSchema) -> list[int]:
    """For each column what turns the code of a bin into its number among the bins of all."""
    numbers, total = [], 0
    for column in schema.columns:
        numbers.append(total - column.bins.start)
        total += len(column.bins)
    return numbers
