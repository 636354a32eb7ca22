"""A table of which each row knows its own cells, shared by the tests of inference."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.masking import complementary_observed
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable


@pytest.fixture(scope='session')
def causal(encoder: TableEncoder, tiny: ModelConfig) -> TabDARNetwork:
    """A network with causal attention."""
    config = dataclasses.replace(tiny, attention='causal')
    generator = torch.Generator().manual_seed(12)
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(encoder.schema, config).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return network


@pytest.fixture
def partial(encoded: EncodedTable) -> EncodedTable:
    """The table with random hidden cells."""
    generator = torch.Generator().manual_seed(8)
    num_rows, num_columns = encoded.codes.shape
    observed = complementary_observed(num_rows, num_columns, generator=generator)
    return EncodedTable(encoded.codes, encoded.residuals, observed[:num_rows])
