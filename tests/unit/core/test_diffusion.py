"""The 1-D diffusion fed the exact denoisers of known distributions returns these distributions."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from sdv_tabdar.core import diffusion
from sdv_tabdar.core.config import SamplingConfig

Tensor = torch.Tensor


def gaussian(mean: float, std: float) -> diffusion.Field:
    """E[x | x + sigma noise] for x ~ N(mean, std^2)."""

    def denoise(x: Tensor, sigma: Tensor) -> Tensor:
        return (std**2 * x + sigma**2 * mean) / (std**2 + sigma**2)

    return diffusion.field_of(denoise)


def mixture(weights: tuple[float, ...], means: tuple[float, ...], std: float) -> diffusion.Field:
    """The same for a mixture of normal distributions of one standard deviation."""

    def denoise(x: Tensor, sigma: Tensor) -> Tensor:
        centres, variance = x.new_tensor(means), std**2 + sigma**2
        logs = x.new_tensor(weights).log() - (x[:, None] - centres) ** 2 / (2 * variance)
        each = (std**2 * x[:, None] + sigma**2 * centres) / variance
        return (logs.softmax(dim=1) * each).sum(dim=1)

    return diffusion.field_of(denoise)


def _quantiles(size: int) -> Tensor:
    """Standard normal quantiles: noise whose moments are known."""
    places = (torch.arange(size, dtype=torch.float64) + 0.5) / size
    return torch.special.ndtri(places)


def test_preconditioning_at_no_noise_passes_the_value_on() -> None:
    c_skip, c_out, c_in, _ = diffusion.preconditioning(torch.tensor(1e-8, dtype=torch.float64))
    assert float(c_skip) == pytest.approx(1)
    assert float(c_out) == pytest.approx(0, abs=1e-7)
    assert float(c_in) == pytest.approx(1 / diffusion.SIGMA_DATA)


@pytest.mark.parametrize('sigma', [0.01, 0.5, 10.0])
def test_preconditioned_input_and_target_have_unit_variance(sigma: float) -> None:
    level = torch.tensor(sigma, dtype=torch.float64)
    c_skip, c_out, c_in, c_noise = diffusion.preconditioning(level)
    data = diffusion.SIGMA_DATA**2
    assert float(c_in**2 * (sigma**2 + data)) == pytest.approx(1)
    # the target of F is (x - c_skip x_sigma) / c_out
    variance = ((1 - c_skip) ** 2 * data + c_skip**2 * sigma**2) / c_out**2
    assert float(variance) == pytest.approx(1)
    assert float(c_noise) == pytest.approx(math.log(sigma) / 4)
    assert float(diffusion.loss_weight(level) * c_out**2) == pytest.approx(1)


def test_noise_levels_have_their_law(generator: torch.Generator) -> None:
    logs = diffusion.draw_sigma((100, 200), generator=generator).log()
    assert logs.shape == (100, 200)
    assert float(logs.mean()) == pytest.approx(-1.2, abs=4 * 1.2 / 20_000**0.5)
    assert float(logs.std()) == pytest.approx(1.2, abs=4 * 1.2 / 40_000**0.5)


@pytest.mark.parametrize(('mean', 'std'), [(0.0, 0.5), (0.3, 0.1), (-0.8, 0.25)])
def test_gaussian_denoiser_returns_its_moments(mean: float, std: float) -> None:
    noise = _quantiles(2000)
    drawn = diffusion.noise_to_data(gaussian(mean, std), noise, num_steps=40, sigma_max=80.0)
    # what is left is the start at sigma_max and the solver's second-order error
    assert float(drawn.mean()) == pytest.approx(mean, abs=0.02)
    assert float(drawn.std()) == pytest.approx(std, rel=0.02)
    assert torch.allclose(drawn, mean + std * noise, atol=0.02)


def test_default_solver_is_close_for_the_law_of_the_residuals() -> None:
    noise, settings = _quantiles(500), SamplingConfig()
    drawn = diffusion.noise_to_data(
        gaussian(0.0, 0.5), noise, num_steps=settings.num_steps, sigma_max=settings.sigma_max
    )
    distance = torch.special.ndtr(drawn / 0.5) - torch.special.ndtr(noise)
    assert float(distance.abs().max()) < 1e-4  # the flow is the identity there


def test_mixture_denoiser_returns_its_distribution_function() -> None:
    weights, means, std = (0.3, 0.7), (-0.6, 0.4), 0.15
    noise = _quantiles(1001)
    drawn = diffusion.noise_to_data(
        mixture(weights, means, std), noise, num_steps=60, sigma_max=80.0
    )
    exact = sum(
        weight * torch.special.ndtr((drawn - mean) / std)
        for weight, mean in zip(weights, means, strict=True)
    )
    assert torch.allclose(torch.as_tensor(exact), torch.special.ndtr(noise), atol=0.02)
    mean = sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    assert float(drawn.mean()) == pytest.approx(mean, abs=0.02)
    assert float((drawn < -0.1).double().mean()) == pytest.approx(0.3, abs=0.02)


FIELDS: dict[str, Callable[[], diffusion.Field]] = {
    'narrow': lambda: gaussian(0.2, 0.1),
    'wide': lambda: gaussian(0.0, 0.5),
    'mixture': lambda: mixture((0.4, 0.6), (-0.4, 0.4), 0.2),
}


@pytest.mark.parametrize('name', FIELDS)
def test_the_map_is_monotone(name: str) -> None:
    drawn = diffusion.noise_to_data(FIELDS[name](), _quantiles(1000), num_steps=20, sigma_max=10.0)
    assert bool((drawn.diff() > 0).all())


@pytest.mark.parametrize('name', FIELDS)
def test_data_to_noise_inverts_noise_to_data(name: str) -> None:
    noise = _quantiles(200)
    field = FIELDS[name]()
    drawn = diffusion.noise_to_data(field, noise, num_steps=60, sigma_max=10.0)
    back = diffusion.data_to_noise(field, drawn, num_steps=60, sigma_max=10.0)
    assert torch.allclose(back, noise, atol=0.03)


def test_data_to_noise_gives_the_distribution_function() -> None:
    weights, means, std = (0.5, 0.5), (-0.4, 0.4), 0.2
    x = torch.linspace(-1, 1, 21, dtype=torch.float64)
    noise = diffusion.data_to_noise(mixture(weights, means, std), x, num_steps=60, sigma_max=80.0)
    exact = (torch.special.ndtr((x + 0.4) / std) + torch.special.ndtr((x - 0.4) / std)) / 2
    assert torch.allclose(torch.special.ndtr(noise), exact, atol=0.02)


def test_the_solver_is_of_second_order() -> None:
    noise, field = _quantiles(50), FIELDS['mixture']()
    drawn = {
        num_steps: diffusion.noise_to_data(field, noise, num_steps=num_steps, sigma_max=10.0)
        for num_steps in (20, 40, 640)
    }
    errors = [float((drawn[num_steps] - drawn[640]).abs().max()) for num_steps in (20, 40)]
    assert errors[1] < errors[0] / 2.5
