"""Steps of the diffusion's solver against its error, on laws whose denoiser is known exactly.

No training: each law is fed its exact denoiser E[x | x_sigma], and the distribution function of
what the solver returns is compared with the exact one. Beside the solver of the package, equal
steps of the angle, stands EDM's: Heun steps in sigma, spaced by its power rule
(doi:10.48550/arXiv.2206.00364).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable

import torch

from sdv_tabdar.benchmark.rendering import Cell, Grid, to_markdown
from sdv_tabdar.core.diffusion import SIGMA_DATA, SIGMA_MIN, Denoiser, field_of, noise_to_data

HELP = 'steps of the diffusion solver against its error, on known laws'
_EDM_POWER = 7
_QUANTILES = 1001

Mixture = tuple[tuple[float, float, float], ...]
"""(weight, mean, standard deviation) of each normal part."""

LAWS: dict[str, Mixture] = {
    'N(0, .5)': ((1.0, 0.0, 0.5),),
    'N(.3, .2)': ((1.0, 0.3, 0.2),),
    '.3 N(-.6, .15) + .7 N(.4, .15)': ((0.3, -0.6, 0.15), (0.7, 0.4, 0.15)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument('--steps', type=int, nargs='+', default=[2, 4, 8, 16, 32], metavar='N')
    parser.add_argument('--sigma-max', type=float, nargs='+', default=[20.0, 80.0], metavar='S')


def main(options: argparse.Namespace) -> Grid:
    """Print the greatest error of the distribution function for each law, solver and start."""
    rows = []
    for law, (name, solve), sigma_max in itertools.product(
        LAWS, SOLVERS.items(), options.sigma_max
    ):
        errors = [error(LAWS[law], solve, steps, sigma_max) for steps in options.steps]
        cells = [Cell(f'{value:.4f}') for value in errors]
        rows.append((f'{law}, {name}, from {sigma_max:g}', cells))
    header = ['law, solver, start', *(f'{steps} steps' for steps in options.steps)]
    grid = Grid('Greatest error of the distribution function', header, rows)
    print(to_markdown([grid]))
    return grid


def error(law: Mixture, solve: Solver, steps: int, sigma_max: float) -> float:
    """Greatest distance between the solver's distribution function and the exact one."""
    places = (torch.arange(_QUANTILES, dtype=torch.float64) + 0.5) / _QUANTILES
    drawn = solve(denoiser(law), torch.special.ndtri(places), steps, sigma_max)
    parts = [weight * torch.special.ndtr((drawn - mean) / std) for weight, mean, std in law]
    return float((torch.stack(parts).sum(dim=0) - places).abs().max())


def denoiser(law: Mixture) -> Denoiser:
    """E[x | x + sigma noise] of a mixture of normal laws."""

    def denoise(x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        weight, mean, std = x.new_tensor(law).unbind(1)
        variance = std**2 + sigma**2
        away = x[:, None] - mean
        logs = weight.log() - variance.log() / 2 - away**2 / (2 * variance)
        each = mean + std**2 / variance * away
        return (logs.softmax(dim=1) * each).sum(dim=1)

    return denoise


def angle(denoise: Denoiser, noise: torch.Tensor, steps: int, sigma_max: float) -> torch.Tensor:
    """The solver of the package."""
    return noise_to_data(field_of(denoise), noise, num_steps=steps, sigma_max=sigma_max)


def edm(denoise: Denoiser, noise: torch.Tensor, steps: int, sigma_max: float) -> torch.Tensor:
    """EDM's algorithm 1 without churn."""
    low, high = SIGMA_MIN ** (1 / _EDM_POWER), sigma_max ** (1 / _EDM_POWER)
    shares = [number / max(steps - 1, 1) for number in range(steps)]
    sigmas = [*((high + share * (low - high)) ** _EDM_POWER for share in shares), 0.0]
    x = noise * (sigma_max**2 + SIGMA_DATA**2) ** 0.5
    for current, following in itertools.pairwise(sigmas):
        slope = (x - denoise(x, x.new_tensor(current))) / current
        moved = x + (following - current) * slope
        if following:
            end_slope = (moved - denoise(moved, x.new_tensor(following))) / following
            moved = x + (following - current) * (slope + end_slope) / 2
        x = moved
    return x


Solver = Callable[[Denoiser, torch.Tensor, int, float], torch.Tensor]
SOLVERS: dict[str, Solver] = {'Heun in sigma': edm, 'Heun in the angle': angle}
