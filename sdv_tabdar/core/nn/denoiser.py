"""The network of the nested diffusion: one number, a noise level and a condition in.

``F(x, sigma, z) = MLP(Linear(x) + MLP_t(PE(sigma)) + MLP_z(z))`` as in the paper's appendix
'Diffusion Model', inside EDM's preconditioning. One network serves all numerical columns: the
context z knows its column. The last layer starts at zero, where the denoiser is the exact one
of the normal distribution that the encoding gives every bin.
"""

from __future__ import annotations

import math

import torch
from torch import nn

from sdv_tabdar.core.diffusion import Field, RawDenoiser, preconditioning

NUM_FREQUENCIES = 16


class DenoiserNetwork(nn.Module):
    """A preconditioned denoiser D(x, sigma; condition) of one number."""

    frequencies: torch.Tensor

    def __init__(self, context_width: int, num_bins: int, width: int, num_blocks: int) -> None:
        """Build the network for ``num_bins`` bins, those of all columns together."""
        super().__init__()
        self.value = nn.Linear(1, width)
        self.noise = nn.Sequential(
            nn.Linear(2 * NUM_FREQUENCIES, width), nn.SiLU(), nn.Linear(width, width)
        )
        self.context = nn.Sequential(
            nn.Linear(context_width, width), nn.SiLU(), nn.Linear(width, width)
        )
        self.bin = nn.Embedding(num_bins, width)
        nn.init.normal_(self.bin.weight, std=0.1)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(num_blocks))
        self.output = nn.Linear(width, 1)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        exponents = torch.arange(NUM_FREQUENCIES) / (NUM_FREQUENCIES - 1)
        self.register_buffer('frequencies', math.pi * 16.0**exponents)

    def hidden_matrices(self) -> list[torch.Tensor]:
        """Weights of the linear maps between hidden layers."""
        layers = [*self.noise, *self.context, *self.blocks]
        return [layer.weight for layer in layers if isinstance(layer, nn.Linear)]

    def condition(self, context: torch.Tensor, bins: torch.Tensor) -> torch.Tensor:
        """What the noise level does not change: ``(N, width)`` from ``(N, D)`` and ``(N,)``."""
        return self.context(context) + self.bin(bins)

    def forward(
        self, x: torch.Tensor, sigma: torch.Tensor, condition: torch.Tensor
    ) -> torch.Tensor:
        """Estimate the clean numbers.

        Args:
            x: ``(..., N)`` noisy numbers.
            sigma: Noise levels, of the shape of ``x`` or a scalar.
            condition: ``(N, width)`` from :meth:`condition`.

        Returns:
            ``(..., N)``, E[x | x_sigma].
        """
        c_skip, c_out, c_in, c_noise = preconditioning(sigma)
        return c_skip * x + c_out * self._raw(c_in * x, self._level(c_noise), condition)

    def field(self, condition: torch.Tensor) -> Field:
        """The raw network F for N cells with conditions ``(N, width)``."""

        def at_levels(sigmas: torch.Tensor) -> RawDenoiser:
            levels = self._level(preconditioning(sigmas)[3])
            return lambda y, level: self._raw(y, levels[level], condition)

        return at_levels

    def _level(self, c_noise: torch.Tensor) -> torch.Tensor:
        """What a noise level adds to the first hidden layer: ``(..., width)`` from ``(...)``."""
        angles = c_noise.unsqueeze(-1) * self.frequencies
        level: torch.Tensor = self.noise(torch.cat([angles.cos(), angles.sin()], dim=-1))
        return level

    def _raw(self, y: torch.Tensor, level: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        """F for scaled noisy numbers ``(..., N)``."""
        hidden = self.value(y.unsqueeze(-1)) + (condition + level)
        for block in self.blocks:
            hidden = hidden + nn.functional.silu(block(hidden))
        raw: torch.Tensor = self.output(hidden).squeeze(-1)
        return raw
