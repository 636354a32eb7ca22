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

from ..networks import random_network


@pytest.fixture(scope='session')
def causal(encoder: TableEncoder, tiny: ModelConfig) -> TabDARNetwork:
    """A network with causal attention."""
    config = dataclasses.replace(tiny, attention='causal')
    return random_network(encoder.schema, config, seed=12, size=0.2)


@pytest.fixture
def partial(encoded: EncodedTable) -> EncodedTable:
    """The table with random hidden cells."""
    generator = torch.Generator().manual_seed(8)
    num_rows, num_columns = encoded.codes.shape
    observed = complementary_observed(num_rows, num_columns, generator=generator)
    return EncodedTable(encoded.codes, encoded.residuals, observed[:num_rows])
