"""What every residual head promises; a head is in the suite as soon as it can be chosen."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.nn.heads.choice import RESIDUAL_HEADS
from sdv_tabdar.core.nn.heads.residual import ResidualHead
from sdv_tabdar.core.schema import TableSchema

CONFIG = SamplingConfig(num_steps=40, sigma_max=20.0)
BINS = 3
INFINITY = torch.tensor([torch.inf])


@pytest.fixture(params=RESIDUAL_HEADS)
def head(request: pytest.FixtureRequest, schema: TableSchema, config: ModelConfig) -> ResidualHead:
    """A head with random weights, also where training would start from zero."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        kind = RESIDUAL_HEADS[request.param]
        found = kind(schema, dataclasses.replace(config, numerical_head=request.param))
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return found


@pytest.fixture
def context() -> torch.Tensor:
    """Fifty contexts."""
    return torch.randn(50, 8, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def bins() -> torch.Tensor:
    """Their bins."""
    return torch.arange(50) % BINS


def _loss(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor, seed: int = 0
) -> torch.Tensor:
    target = 0.5 * torch.randn(len(context), generator=torch.Generator().manual_seed(1))
    generator = torch.Generator().manual_seed(seed)
    return head.loss(target, context, bins=bins, noise_draws=3, generator=generator)


def _sample(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor, seed: int = 0
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        return head.sample(context, bins, config=CONFIG, generator=generator)


# loss


def test_loss_is_finite_and_one_number_a_cell(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    loss = _loss(head, context, bins)
    assert loss.shape == (50,)
    assert bool(loss.isfinite().all())


def test_loss_of_a_cell_does_not_depend_on_the_others(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    changed = context.clone()
    changed[1:] += 1.0
    first, second = _loss(head, context, bins), _loss(head, changed, bins)
    assert torch.allclose(first[0], second[0], atol=1e-6)


def test_loss_has_a_gradient_for_every_parameter_and_the_context(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    parameters = list(head.parameters())
    if not parameters:
        assert not _loss(head, context.requires_grad_(True), bins).requires_grad
        return
    context.requires_grad_(True)
    gradients = torch.autograd.grad(_loss(head, context, bins).sum(), [context, *parameters])
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)
    assert all(bool((gradient != 0).any()) for gradient in gradients)


def test_the_matrices_of_hidden_layers_are_parameters(head: ResidualHead) -> None:
    parameters = {id(parameter) for parameter in head.parameters()}
    assert all(id(matrix) in parameters for matrix in head.hidden_matrices())
    assert all(matrix.ndim in (2, 3) for matrix in head.hidden_matrices())


# cdf, log_density


def test_the_distribution_function_rises_from_0_to_1(
    head: ResidualHead, context: torch.Tensor
) -> None:
    places = torch.cat([-INFINITY, torch.linspace(-2, 2, 41), INFINITY])
    size = len(places)
    with torch.no_grad():
        for number in range(BINS):
            cdf = head.cdf(
                context[:5],
                torch.full((5, size), number),
                places.expand(5, -1),
                config=CONFIG,
            )
            assert cdf.dtype == torch.float64
            assert cdf.shape == (5, size)
            assert bool((cdf[:, 0] == 0).all())
            assert bool((cdf[:, -1] == 1).all())
            assert bool((cdf.diff(dim=1) >= 0).all())
            assert bool((cdf[:, 1:-1].diff(dim=1) > 0)[:, 10:30].all())


def test_many_places_of_a_cell_are_asked_for_as_one_by_one(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    places = torch.linspace(-1, 1, 50)
    with torch.no_grad():
        together = head.cdf(
            context, torch.stack([bins, bins], 1), torch.stack([places, -places], 1), config=CONFIG
        )
        for column, sign in enumerate((1, -1)):
            alone = head.cdf(context, bins, sign * places, config=CONFIG)
            assert torch.allclose(together[:, column], alone, atol=1e-6)


def test_the_density_integrates_to_the_mass_between_two_ends(
    head: ResidualHead, context: torch.Tensor
) -> None:
    low, high, size = -0.6, 0.9, 2001
    places = torch.linspace(low, high, size)
    for number in range(BINS):
        bins = torch.full((size,), number)
        log = head.log_density(context[:1].expand(size, -1), bins, places, config=CONFIG)
        integral = float(torch.trapezoid(log.double().exp(), places.double()))
        with torch.no_grad():
            ends = torch.tensor([[low, high]])
            cdf = head.cdf(context[:1], bins[:2].view(1, 2), ends, config=CONFIG)
        # the solver's map has kinks no finer than its steps; the trapezoids see them
        assert integral == pytest.approx(float(cdf[0, 1] - cdf[0, 0]), abs=1e-3)


def test_the_density_needs_no_gradient_mode_and_leaves_none(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    places = torch.linspace(-1, 1, 50)
    expected = head.log_density(context, bins, places, config=CONFIG)
    with torch.no_grad():
        found = head.log_density(context, bins, places, config=CONFIG)
    assert torch.equal(found, expected)
    assert not found.requires_grad


# sample, sample_between


def test_same_generator_state_same_sample(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    first, second, other = (_sample(head, context, bins, seed) for seed in (0, 0, 1))
    assert first.shape == (50,)
    assert first.dtype == torch.float32
    assert bool(first.isfinite().all())
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_sample_does_not_depend_on_the_other_rows(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    changed = context.clone()
    changed[1:] *= -1
    first, second = _sample(head, context, bins), _sample(head, changed, bins)
    assert torch.allclose(first[0], second[0], atol=1e-6)


def _greatest_gap(levels: torch.Tensor) -> float:
    """Kolmogorov-Smirnov distance of numbers in [0, 1] from the uniform distribution."""
    ordered = levels.sort().values
    places = (torch.arange(len(levels), dtype=torch.float64) + 0.5) / len(levels)
    return float((ordered - places).abs().max())


def test_samples_are_distributed_as_the_distribution_function_says(
    head: ResidualHead, context: torch.Tensor
) -> None:
    size = 2000
    same = context[:1].expand(size, -1)
    for number in range(BINS):
        bins = torch.full((size,), number)
        drawn = _sample(head, same, bins)
        with torch.no_grad():
            levels = head.cdf(same, bins, drawn, config=CONFIG)
        # one number in each of 2000 equal parts; what is left is the error of the solver
        assert _greatest_gap(levels) < 0.01


@pytest.mark.parametrize(
    ('low', 'high'), [(-0.3, 0.2), (-math.inf, -0.8), (0.6, math.inf), (0.1, 0.1001)]
)
def test_samples_between_ends_stay_inside_and_follow_the_distribution_function(
    head: ResidualHead, context: torch.Tensor, low: float, high: float
) -> None:
    size = 500
    same, bins = context[:1].expand(size, -1), torch.ones(size, dtype=torch.long)
    ends = [torch.full((size,), end, dtype=torch.float64) for end in (low, high)]
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        drawn = head.sample_between(same, bins, *ends, config=CONFIG, generator=generator)
        cdf = [head.cdf(same, bins, end, config=CONFIG) for end in ends]
        levels = (head.cdf(same, bins, drawn, config=CONFIG) - cdf[0]) / (cdf[1] - cdf[0])
        again = head.sample_between(
            same, bins, *ends, config=CONFIG, generator=generator.manual_seed(0), cdf=tuple(cdf)
        )
    assert bool(((drawn >= low - 1e-6) & (drawn <= high + 1e-6)).all())
    assert torch.equal(drawn, again)
    if high - low > 0.01:
        assert _greatest_gap(levels) < 0.03


def test_copies_of_a_row_are_stratified_by_themselves(
    head: ResidualHead, context: torch.Tensor
) -> None:
    size, group = 40, 10
    same, bins = context[:1].expand(size, -1), torch.zeros(size, dtype=torch.long)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        drawn = head.sample(same, bins, config=CONFIG, generator=generator, group=group)
        levels = head.cdf(same, bins, drawn, config=CONFIG)
    for own in levels.split(group):
        assert _greatest_gap(own) < 1 / group


def test_where_there_is_no_bin_residuals_and_log_densities_are_zero(
    head: ResidualHead, context: torch.Tensor
) -> None:
    bins = torch.tensor([0, -1] * 25)
    drawn = _sample(head, context, bins)
    assert bool((drawn[1::2] == 0).all())
    assert bool((drawn[::2] != 0).all())
    log = head.log_density(context, bins, drawn, config=CONFIG)
    assert bool((log[1::2] == 0).all())
    free = torch.full((50,), torch.inf)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        between = head.sample_between(
            context, bins, -free, free, config=CONFIG, generator=generator
        )
    assert bool((between[1::2] == 0).all())


def test_no_cells(head: ResidualHead) -> None:
    context, bins, nothing = torch.zeros(0, 8), torch.zeros(0, dtype=torch.long), torch.zeros(0)
    assert _loss(head, context, bins).shape == (0,)
    assert _sample(head, context, bins).shape == (0,)
    assert head.cdf(context, bins, nothing, config=CONFIG).shape == (0,)
    assert head.log_density(context, bins, nothing, config=CONFIG).shape == (0,)


def test_global_random_state_is_untouched(
    head: ResidualHead, context: torch.Tensor, bins: torch.Tensor
) -> None:
    before = torch.get_rng_state()
    _loss(head, context, bins)
    _sample(head, context, bins)
    assert torch.equal(torch.get_rng_state(), before)
