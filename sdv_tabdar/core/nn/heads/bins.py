"""Residuals by the marginal distribution of their bin, whatever the context."""

from __future__ import annotations

import math

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.nn.heads.residual import ResidualHead, normal_quantile


class BinHead(ResidualHead):
    """Normal residuals, as they are over the training table; there is nothing to learn.

    Source: paper, ablation 'w/o diffusion loss', with bins of equal mass instead of equal width.
    """

    def _loss(
        self,
        target: torch.Tensor,
        context: torch.Tensor,
        bins: torch.Tensor,
        noise_draws: int,
        generator: torch.Generator,
    ) -> torch.Tensor:
        """Zero for each cell."""
        return torch.zeros_like(target)

    def _cdf(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        return torch.special.ndtr(residuals.double() / SIGMA_DATA)

    def _quantile(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        levels: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        return SIGMA_DATA * normal_quantile(levels)

    def _log_density(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        log_scale = math.log(SIGMA_DATA * math.sqrt(2 * math.pi))
        return -((residuals / SIGMA_DATA) ** 2) / 2 - log_scale
