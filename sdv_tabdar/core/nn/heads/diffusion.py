"""Residuals by the nested diffusion.

The probability-flow ODE is a monotone map n(r) from a residual to standard normal noise, so that
the residual's distribution function is Phi(n(r)) and its density phi(n(r)) dn/dr.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from sdv_tabdar.core import diffusion
from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.nn.denoiser import DenoiserNetwork
from sdv_tabdar.core.nn.heads.residual import ResidualHead, normal_quantile
from sdv_tabdar.core.schema import TableSchema

_LEAST_SLOPE = 1e-12  # of the map n, where rounding leaves none


class DiffusionHead(ResidualHead):
    """The nested diffusion.

    Source: paper, equation 'loss-conditional-diffusion' and Algorithm 'Loss for continuous
    columns', with EDM's preconditioning, noise distribution and weight.
    """

    def __init__(self, schema: TableSchema, config: ModelConfig) -> None:
        """Build the denoiser for the bins of all columns."""
        super().__init__(schema, config)
        self.network = DenoiserNetwork(
            config.width, max(self.num_bins, 1), config.denoiser_width, config.denoiser_blocks
        )

    @property
    def bin_vectors(self) -> torch.Tensor:
        """What the denoiser adds to its condition for each bin."""
        return self.network.bin.weight

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights between the hidden layers of the denoiser."""
        return self.network.hidden_matrices()

    def _loss(
        self,
        target: torch.Tensor,
        context: torch.Tensor,
        bins: torch.Tensor,
        noise_draws: int,
        generator: torch.Generator,
    ) -> torch.Tensor:
        """EDM's weighted squared error, averaged over ``noise_draws`` noise levels."""
        shape = (noise_draws, len(target))
        sigma = diffusion.draw_sigma(shape, generator=generator)
        noise = torch.randn(shape, generator=generator, device=generator.device)
        condition = self.network.condition(context, bins)
        estimate = self.network(target + sigma * noise, sigma, condition)
        return (diffusion.loss_weight(sigma) * (estimate - target) ** 2).mean(dim=0)

    def _cdf(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        return torch.special.ndtr(self._noise(context, bins, residuals, config).double())

    def _quantile(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        levels: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        return diffusion.noise_to_data(
            self.field(context, bins),
            normal_quantile(levels),
            num_steps=config.num_steps,
            sigma_max=config.sigma_max,
        )

    def _log_density(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        with torch.enable_grad():
            at = residuals.detach().clone().requires_grad_(True)
            noise = self._noise(context.detach(), bins, at, config)
            (slope,) = torch.autograd.grad(noise.sum(), at)
        noise, slope = noise.detach(), slope.clamp_min(_LEAST_SLOPE)
        return -(noise**2) / 2 - math.log(2 * math.pi) / 2 + slope.log()

    def _noise(
        self,
        context: torch.Tensor,
        bins: torch.Tensor,
        residuals: torch.Tensor,
        config: SamplingConfig,
    ) -> torch.Tensor:
        """The map n: standard normal noise ``(N,)`` of residuals ``(N,)``."""
        return diffusion.data_to_noise(
            self.field(context, bins),
            residuals,
            num_steps=config.num_steps,
            sigma_max=config.sigma_max,
        )

    def field(self, context: torch.Tensor, bins: torch.Tensor) -> diffusion.Field:
        """The network F for cells in bins ``(N,)``, by their contexts ``(N, D)``."""
        return self.network.field(self.network.condition(context, bins))


class MixedDiffusion(DiffusionHead):
    """Several diffusions as one, whose network F is the mean of theirs.

    Contexts are those of all of them end to end. It only answers; each learns by its own loss.

    Args:
        heads: At least one.
    """

    def __init__(self, heads: Sequence[DiffusionHead]) -> None:
        torch.nn.Module.__init__(self)
        first, self._heads = heads[0], tuple(heads)
        self.columns, self.first_bin = first.columns, first.first_bin
        self.num_bins, self.tied = first.num_bins, first.tied

    def field(self, context: torch.Tensor, bins: torch.Tensor) -> diffusion.Field:
        """The mean of the networks, see :meth:`DiffusionHead.field`."""
        parts = zip(self._heads, context.chunk(len(self._heads), dim=-1), strict=True)
        fields = [head.field(own, bins) for head, own in parts]

        def at_levels(sigmas: torch.Tensor) -> diffusion.RawDenoiser:
            networks = [field(sigmas) for field in fields]
            return lambda y, level: torch.stack([raw(y, level) for raw in networks]).mean(dim=0)

        return at_levels
