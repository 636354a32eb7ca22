"""Steps of the diffusion's solver against its error, where the denoiser is known exactly.

No training: for each distribution the solver is fed the exact denoiser E[x | x_sigma], and the
distribution function of what it returns is compared with the exact one. Beside the solver of the
package, equal steps of the angle, stands EDM's: Heun steps in sigma, spaced by its power rule
(doi:10.48550/arXiv.2206.00364). Nothing is drawn at random.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable

import pandas as pd
import torch

from sdv_tabdar.benchmark.experiments.experiment import Rows
from sdv_tabdar.benchmark.jobs.environment import describe_environment, summary
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.core.diffusion import SIGMA_DATA, SIGMA_MIN, Denoiser, field_of, noise_to_data

_EDM_POWER = 7
_QUANTILES = 1001

Mixture = tuple[tuple[float, float, float], ...]
"""(weight, mean, standard deviation) of each normal part."""

DISTRIBUTIONS: dict[str, Mixture] = {
    'N(0, .5)': ((1.0, 0.0, 0.5),),
    'N(.3, .2)': ((1.0, 0.3, 0.2),),
    '.3 N(-.6, .15) + .7 N(.4, .15)': ((0.3, -0.6, 0.15), (0.7, 0.4, 0.15)),
}


def collect(options: argparse.Namespace) -> Rows:
    """The error of each distribution, solver, start and number of steps."""
    machine = summary(describe_environment())
    return [
        {
            'distribution': name,
            'solver': solver,
            'start': sigma_max,
            'steps': steps,
            'error': error(DISTRIBUTIONS[name], SOLVERS[solver], steps, sigma_max),
            'seed': 0,
            'threads': torch.get_num_threads(),
            'machine': machine,
        }
        for name, solver, sigma_max, steps in itertools.product(
            DISTRIBUTIONS, SOLVERS, options.sigma_max, options.steps
        )
    ]


def solver_tables(rows: pd.DataFrame) -> list[Grid]:
    """Steps as columns."""
    steps = list(dict.fromkeys(rows['steps']))
    lines = []
    for (name, solver, start), part in rows.groupby(
        ['distribution', 'solver', 'start'], sort=False
    ):
        errors = part.set_index('steps')['error']
        cells = [Cell(f'{errors[number]:.4f}') for number in steps]
        lines.append((f'{name}, {solver}, from {start:g}', cells))
    header = ['distribution, solver, start', *(f'{number} steps' for number in steps)]
    return [Grid('Greatest error of the distribution function', header, lines)]


def error(mixture: Mixture, solve: Solver, steps: int, sigma_max: float) -> float:
    """Greatest distance between the solver's distribution function and the exact one."""
    places = (torch.arange(_QUANTILES, dtype=torch.float64) + 0.5) / _QUANTILES
    drawn = solve(denoiser(mixture), torch.special.ndtri(places), steps, sigma_max)
    parts = [weight * torch.special.ndtr((drawn - mean) / std) for weight, mean, std in mixture]
    return float((torch.stack(parts).sum(dim=0) - places).abs().max())


def denoiser(mixture: Mixture) -> Denoiser:
    """E[x | x + sigma noise] of a mixture of normal distributions."""

    def denoise(x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        weight, mean, std = x.new_tensor(mixture).unbind(1)
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
