"""The denoiser starts as the exact one of the normal distribution and learns from there."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.diffusion import SIGMA_DATA, field_of
from sdv_tabdar.core.nn.denoiser import DenoiserNetwork


@pytest.fixture
def denoiser() -> DenoiserNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return DenoiserNetwork(context_width=6, num_bins=3, width=8, num_blocks=2)


def _condition(denoiser: DenoiserNetwork, size: int) -> torch.Tensor:
    context = torch.randn(size, 6, generator=torch.Generator().manual_seed(1))
    return denoiser.condition(context, torch.arange(size) % 3)


def test_before_training_it_is_the_exact_one_of_the_normal_distribution(
    denoiser: DenoiserNetwork,
) -> None:
    x = torch.linspace(-2, 2, 5)
    sigma = torch.tensor(0.7)
    estimate = denoiser(x, sigma, _condition(denoiser, 5))
    exact = SIGMA_DATA**2 / (SIGMA_DATA**2 + 0.7**2) * x
    assert torch.allclose(estimate, exact)


@pytest.mark.parametrize('draws', [(), (4,)])
def test_shapes_follow_the_numbers(denoiser: DenoiserNetwork, draws: tuple[int, ...]) -> None:
    x = torch.zeros(*draws, 7)
    assert denoiser(x, torch.ones_like(x), _condition(denoiser, 7)).shape == x.shape


def test_a_scalar_noise_level_is_the_same_as_one_for_each(denoiser: DenoiserNetwork) -> None:
    torch.nn.init.ones_(denoiser.output.weight)
    x, condition = torch.linspace(-1, 1, 7), _condition(denoiser, 7)
    scalar = denoiser(x, torch.tensor(0.3), condition)
    each = denoiser(x, torch.full((7,), 0.3), condition)
    assert torch.allclose(scalar, each, atol=1e-6)


def test_once_trained_it_depends_on_context_bin_and_noise(denoiser: DenoiserNetwork) -> None:
    torch.nn.init.ones_(denoiser.output.weight)
    x, context = torch.zeros(1), torch.zeros(1, 6)

    def estimate(context: torch.Tensor, number: int, sigma: float) -> float:
        condition = denoiser.condition(context, torch.tensor([number]))
        return float(denoiser(x, torch.tensor(sigma), condition).detach())

    base = estimate(context, 0, 0.5)
    assert estimate(context + 1, 0, 0.5) != base
    assert estimate(context, 1, 0.5) != base
    assert estimate(context, 0, 0.9) != base


def test_it_is_finite_at_the_ends_of_the_noise_levels(denoiser: DenoiserNetwork) -> None:
    torch.nn.init.ones_(denoiser.output.weight)
    x, condition = torch.linspace(-3, 3, 7), _condition(denoiser, 7)
    for sigma in (0.002, 80.0):
        assert bool(denoiser(x * sigma, torch.tensor(sigma), condition).isfinite().all())


def test_its_field_is_what_preconditioning_leaves_of_it(denoiser: DenoiserNetwork) -> None:
    torch.nn.init.ones_(denoiser.output.weight)
    y, condition = torch.linspace(-2, 2, 7), _condition(denoiser, 7)
    sigmas = torch.tensor([20.0, 0.4, 0.002])
    direct = denoiser.field(condition)(sigmas)
    derived = field_of(lambda x, sigma: denoiser(x, sigma, condition))(sigmas)
    for level in range(3):
        assert torch.allclose(direct(y, level), derived(y, level), atol=1e-3)
