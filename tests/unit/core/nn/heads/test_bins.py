"""Residuals by the bin alone are normal, and nothing is learnt."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.nn.heads.bins import BinHead
from sdv_tabdar.core.schema import TableSchema

CONFIG = SamplingConfig()


@pytest.fixture
def head(schema: TableSchema, config: ModelConfig) -> BinHead:
    return BinHead(schema, config)


def test_there_is_nothing_to_learn(head: BinHead, generator: torch.Generator) -> None:
    assert not list(head.parameters())
    assert not head.hidden_matrices()
    bins = torch.zeros(7, dtype=torch.long)
    loss = head.loss(torch.ones(7), torch.ones(7, 8), bins=bins, noise_draws=2, generator=generator)
    assert torch.equal(loss, torch.zeros(7))


def test_its_distribution_is_normal_whatever_the_context(
    head: BinHead, generator: torch.Generator
) -> None:
    context = torch.randn(9, 8, generator=generator)
    bins, places = torch.arange(9) % 3, torch.linspace(-1.5, 1.5, 9)
    normal = torch.distributions.Normal(0.0, SIGMA_DATA)
    cdf = head.cdf(context, bins, places, config=CONFIG)
    assert torch.allclose(cdf.float(), normal.cdf(places), atol=1e-6)
    log = head.log_density(context, bins, places, config=CONFIG)
    assert torch.allclose(log, normal.log_prob(places), atol=1e-6)
