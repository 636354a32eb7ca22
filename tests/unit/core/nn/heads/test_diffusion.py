"""The nested diffusion: it starts at the normal distribution and maps both ways."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.nn.heads.diffusion import DiffusionHead
from sdv_tabdar.core.schema import TableSchema

CONFIG = SamplingConfig(num_steps=20, sigma_max=20.0)


@pytest.fixture
def fresh(schema: TableSchema, config: ModelConfig) -> DiffusionHead:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return DiffusionHead(schema, config)


def test_an_untrained_denoiser_has_a_loss_of_about_one_per_cell(
    fresh: DiffusionHead, generator: torch.Generator
) -> None:
    target = 0.5 * torch.randn(2000, generator=generator)
    loss = fresh.loss(
        target,
        torch.zeros(2000, 8),
        bins=torch.zeros(2000, dtype=torch.long),
        noise_draws=20,
        generator=generator,
    )
    # each term is the square of a standard normal number (variance 2), correlated over draws
    assert float(loss.detach().mean()) == pytest.approx(1, abs=4 * (2 / 2000) ** 0.5)


def test_an_untrained_head_has_the_normal_distribution(fresh: DiffusionHead) -> None:
    places, bins = torch.linspace(-1.5, 1.5, 11), torch.zeros(11, dtype=torch.long)
    normal = torch.distributions.Normal(0.0, SIGMA_DATA)
    with torch.no_grad():
        cdf = fresh.cdf(torch.zeros(11, 8), bins, places, config=CONFIG)
    assert torch.allclose(cdf.float(), normal.cdf(places), atol=1e-5)
    log = fresh.log_density(torch.zeros(11, 8), bins, places, config=CONFIG)
    assert torch.allclose(log, normal.log_prob(places), atol=1e-5)


def test_once_trained_it_depends_on_context_and_bin(fresh: DiffusionHead) -> None:
    torch.nn.init.ones_(fresh.network.output.weight)
    context, places = torch.zeros(2, 8), torch.zeros(2)
    with torch.no_grad():
        context[1] += 1
        same_bin = fresh.cdf(context, torch.tensor([0, 0]), places, config=CONFIG)
        same_context = fresh.cdf(
            context[:1].expand(2, -1), torch.tensor([0, 1]), places, config=CONFIG
        )
    assert same_bin[0] != same_bin[1]
    assert same_context[0] != same_context[1]


def test_a_table_without_bins(config: ModelConfig, schema: TableSchema) -> None:
    with torch.random.fork_rng(devices=[]):
        head = DiffusionHead(TableSchema(schema.columns[:1]), config)
    assert head.num_bins == 0
    assert head.bins(0, torch.tensor([0, 2])).tolist() == [-1, -1]
