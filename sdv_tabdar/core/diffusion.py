r"""One-dimensional diffusion; this file does not know what a table is.

The noisy value is :math:`x_\sigma = x + \sigma\varepsilon` with :math:`\varepsilon\sim N(0, 1)`
(variance exploding, :math:`\sigma(t) = t`), and a denoiser :math:`D(x_\sigma, \sigma)` estimates
:math:`E[x \mid x_\sigma]`. Preconditioning, noise distribution, loss weight and time steps are
those of EDM (Karras et al. 2022, table 1, doi:10.48550/arXiv.2206.00364):

.. math::

    D(x, \sigma) &= c_{skip}\,x + c_{out}\,F(c_{in}\,x,\; c_{noise}) \\
    \ln \sigma &\sim N(-1.2,\; 1.2^2), \qquad
    \lambda(\sigma) = \frac{\sigma^2 + \sigma_{data}^2}{(\sigma\,\sigma_{data})^2}

Sampling follows the probability-flow ODE :math:`dx/d\sigma = (x - D(x, \sigma)) / \sigma`. In the
angle :math:`\theta = \arctan(\sigma / \sigma_{data})` and the scaled value :math:`y = c_{in}\,x`,
which has unit variance at every noise level, it reads

.. math::

    \frac{dy}{d\theta} = -F(y, \theta)

(Lu and Song 2024, doi:10.48550/arXiv.2410.11081). The right side vanishes for normal data and is
smooth otherwise, so that a few equal steps of the angle suffice. In one dimension solutions
cannot cross: the ODE is a monotone map between noise and data, and the distribution function of
the data at x is the normal distribution function of the noise it came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from sdv_tabdar.core.runtime.random import stratified_normals

SIGMA_DATA = 0.5
SIGMA_MIN = 0.002
LOG_SIGMA_MEAN = -1.2
LOG_SIGMA_STD = 1.2

Denoiser = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""``denoise(x, sigma) -> E[x | x_sigma]``; x ``(N,)``, sigma a scalar or ``(N,)``."""

RawDenoiser = Callable[[torch.Tensor, int], torch.Tensor]
"""``raw(y, level) -> F``; y ``(N,)`` scaled values, level the number of one of a few sigmas."""

Field = Callable[[torch.Tensor], RawDenoiser]
"""``field(sigmas)``, the raw denoiser at the noise levels ``(L,)`` that a solver will ask for."""


def preconditioning(
    sigma: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """c_skip, c_out, c_in and c_noise at ``sigma`` (each of its shape)."""
    variance = sigma**2 + SIGMA_DATA**2
    c_skip = SIGMA_DATA**2 / variance
    c_out = sigma * SIGMA_DATA / variance.sqrt()
    c_in = variance.rsqrt()
    c_noise = sigma.log() / 4
    return c_skip, c_out, c_in, c_noise


def draw_sigma(shape: tuple[int, ...], *, generator: torch.Generator) -> torch.Tensor:
    """Noise levels of a training step, ln sigma ~ N(-1.2, 1.2^2), stratified."""
    noise = stratified_normals(math.prod(shape), generator=generator).view(shape)
    return (LOG_SIGMA_MEAN + LOG_SIGMA_STD * noise).exp()


def loss_weight(sigma: torch.Tensor) -> torch.Tensor:
    """EDM's weight lambda(sigma), under which the loss of an untrained denoiser is about 1."""
    return (sigma**2 + SIGMA_DATA**2) / (sigma * SIGMA_DATA) ** 2


def field_of(denoise: Denoiser) -> Field:
    """The field of any denoiser: F is what its preconditioning leaves of it."""

    def at_levels(sigmas: torch.Tensor) -> RawDenoiser:
        def raw(y: torch.Tensor, level: int) -> torch.Tensor:
            sigma = sigmas[level]
            c_skip, c_out, c_in, _ = preconditioning(sigma)
            x = y / c_in
            return (denoise(x, sigma) - c_skip * x) / c_out

        return raw

    return at_levels


def solve(field: Field, y: torch.Tensor, start: float, stop: float, steps: int) -> torch.Tensor:
    """Follow dy/dtheta = -F(y, theta) with Heun's second-order rule.

    Args:
        field: F.
        y: ``(N,)`` scaled values at the angle ``start``.
        start: Angle to begin with, in radians.
        stop: Angle to end with; less than ``start`` on the way to data.
        steps: Equal steps, of two calls of F each.

    Returns:
        ``(N,)`` scaled values at ``stop``.
    """
    step = (stop - start) / steps
    angles = [start + number * step for number in range(steps + 1)]
    raw = field(y.new_tensor([SIGMA_DATA * math.tan(angle) for angle in angles]))
    for number in range(steps):
        slope = raw(y, number)
        end_slope = raw(y - step * slope, number + 1)
        y = y - step * (slope + end_slope) / 2
    return y


def _angle(sigma: float) -> float:
    return math.atan(sigma / SIGMA_DATA)


def noise_to_data(
    field: Field, noise: torch.Tensor, *, num_steps: int, sigma_max: float
) -> torch.Tensor:
    """Data values ``(N,)`` that standard normal ``noise`` ``(N,)`` flows to.

    Noise stands for the scaled value at ``sigma_max``; the flow ends at ``SIGMA_MIN``, which is
    taken for noise-free.
    """
    return SIGMA_DATA * solve(field, noise, _angle(sigma_max), _angle(SIGMA_MIN), num_steps)


def data_to_noise(
    field: Field, x: torch.Tensor, *, num_steps: int, sigma_max: float
) -> torch.Tensor:
    """The standard normal noise ``(N,)`` that flows to ``x`` ``(N,)``; inverse of the above."""
    return solve(field, x / SIGMA_DATA, _angle(SIGMA_MIN), _angle(sigma_max), num_steps)
