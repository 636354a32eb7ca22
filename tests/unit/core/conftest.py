"""Small tables, a small network and a quickly trained model, shared by the tests of the core."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable

from .networks import random_network


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture(scope='session')
def tiny() -> ModelConfig:
    """Two blocks of width 16; few bins, so that residuals matter."""
    return ModelConfig(
        width=16,
        num_blocks=2,
        num_heads=2,
        feedforward_factor=2,
        head_width=16,
        denoiser_width=16,
        denoiser_blocks=1,
        num_bins=2,
        precision='float32',
    )


@pytest.fixture(scope='session')
def mixed() -> pd.DataFrame:
    """Every kind of column: smooth, spiked, rounded, with holes, categories, missing levels."""
    rng = np.random.default_rng(7)
    size = 240
    smooth = rng.normal(50, 10, size)
    spiked = np.where(rng.random(size) < 0.5, 0.0, rng.exponential(3.0, size))
    holes = np.where(rng.random(size) < 0.2, np.nan, smooth + rng.normal(0, 1, size))
    return pd.DataFrame(
        {
            'smooth': smooth,
            'colour': rng.choice(['red', 'green', 'blue'], size, p=[0.6, 0.3, 0.1]),
            'spiked': spiked,
            'rounded': rng.integers(0, 4, size).astype(float),
            'flag': pd.Series(rng.choice(np.array([True, False, None]), size), dtype=object),
            'holes': holes,
        }
    )


@pytest.fixture(scope='session')
def kinds() -> dict[str, ColumnKind]:
    categorical = ('colour', 'flag')
    return {
        name: ColumnKind.CATEGORICAL if name in categorical else ColumnKind.NUMERICAL
        for name in ('smooth', 'colour', 'spiked', 'rounded', 'flag', 'holes')
    }


@pytest.fixture(scope='session')
def encoder(mixed: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig) -> TableEncoder:
    return TableEncoder.fit(mixed, kinds, tiny)


@pytest.fixture(scope='session')
def encoded(encoder: TableEncoder, mixed: pd.DataFrame) -> EncodedTable:
    """The whole table, every cell observed; tests must not write into it."""
    return encoder.encode(mixed, np.ones(mixed.shape, dtype=bool))


@pytest.fixture(scope='session')
def network(encoder: TableEncoder, tiny: ModelConfig) -> TabDARNetwork:
    """Random weights everywhere, also where training would start from zero."""
    return random_network(encoder.schema, tiny, seed=11, size=0.2)


@pytest.fixture(scope='session')
def quick() -> TrainingConfig:
    return TrainingConfig(epochs=3, batch_size=64)


@pytest.fixture(scope='session')
def fitted(
    mixed: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig, quick: TrainingConfig
) -> TabDAR:
    """Trained for a moment; tests that draw set its random state first."""
    sampling = SamplingConfig(num_steps=6, sampling_batch_size=128, num_particles=8)
    return TabDAR(tiny, quick, sampling, device='cpu', random_state=0).fit(mixed, kinds)


def seeded(model: TabDAR, seed: int = 0) -> TabDAR:
    """The model, its next draws from a seed."""
    model.set_random_state(seed)
    return model


@pytest.fixture
def own(fitted: TabDAR) -> TabDAR:
    """A copy that a test may spoil."""
    copy: TabDAR = pickle.loads(pickle.dumps(fitted))
    return copy
