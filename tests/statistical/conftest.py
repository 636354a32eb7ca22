"""Three small tables with known laws, each trained once; bounds on what chance may do.

Training tables hold their law almost exactly (counts in proportion, quasi-random numbers), so
what a test sees besides the noise of its own draws is the error of the model alone.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

NUMERICAL, CATEGORICAL = ColumnKind.NUMERICAL, ColumnKind.CATEGORICAL


def trained(
    frame: pd.DataFrame,
    kinds: dict[str, ColumnKind],
    epochs: int,
    attention: str = 'bidirectional',
) -> TabDAR:
    """A small model, trained for a few seconds."""
    model = TabDAR(
        ModelConfig(
            width=32,
            num_blocks=2,
            num_heads=2,
            feedforward_factor=2,
            head_width=32,
            denoiser_width=32,
            denoiser_blocks=2,
            num_bins=8,
            precision='float32',
            attention=attention,
        ),
        TrainingConfig(
            epochs=epochs,
            max_training_time=None,
            batch_size=256,
            learning_rate=4e-3,
            ema_decay=0.995,
        ),
        SamplingConfig(num_steps=10, sampling_batch_size=500, num_particles=32),
        device='cpu',
        random_state=0,
    )
    return model.fit(frame, kinds)


@pytest.fixture(scope='session')
def joint() -> pd.Series:
    """A dependent law of three categorical columns, the third with missing cells; sums to 1."""
    rng = np.random.default_rng(4)
    levels = {'a': ['a0', 'a1'], 'b': ['b0', 'b1', 'b2'], 'c': ['c0', 'c1', 'missing']}
    index = pd.MultiIndex.from_product(levels.values(), names=list(levels))
    masses = rng.dirichlet(np.full(len(index), 0.7))
    return pd.Series(0.01 + 0.82 * masses, index=index)


@pytest.fixture(scope='session', params=['bidirectional', 'causal'])
def discrete(joint: pd.Series, request: pytest.FixtureRequest) -> TabDAR:
    counts = (joint * 4000).round().astype(int)
    frame = joint.index.to_frame(index=False).loc[np.repeat(np.arange(len(joint)), counts)]
    frame = frame.reset_index(drop=True).replace({'c': {'missing': None}})
    return trained(frame, dict.fromkeys('abc', CATEGORICAL), epochs=24, attention=request.param)


@pytest.fixture(scope='session')
def gaussian() -> TabDAR:
    """(x, y) normal with means (10, -2), standard deviations (3, 0.5), correlation 0.8."""
    u = stats.qmc.Sobol(2, rng=np.random.default_rng(0)).random(4096)
    z = stats.norm.ppf(np.clip(u, 1e-6, 1 - 1e-6))
    frame = pd.DataFrame(
        {
            'x': 10 + 3 * z[:, 0],
            'y': -2 + 0.5 * (0.8 * z[:, 0] + 0.6 * z[:, 1]),
        }
    )
    return trained(frame, {'x': NUMERICAL, 'y': NUMERICAL}, epochs=30)


@pytest.fixture(scope='session')
def spiked() -> TabDAR:
    """Group g ('p' or 'q', one half each).

    ``x`` is 0 with probability 0.7 in p and 0.2 in q, else exponential with mean 5. ``y`` is
    missing with probability 0.6 in p and 0.1 in q, else normal around 1 in p and -1 in q.
    """
    size = 2048
    rng = np.random.default_rng(1)
    parts = []
    for group, spike, missing, centre in (('p', 0.7, 0.6, 1.0), ('q', 0.2, 0.1, -1.0)):
        u = stats.qmc.Sobol(4, rng=rng).random(size)
        x = np.where(u[:, 0] < spike, 0.0, stats.expon.ppf(u[:, 1], scale=5))
        y = np.where(u[:, 2] < missing, np.nan, stats.norm.ppf(u[:, 3], centre, 0.5))
        parts.append(pd.DataFrame({'g': group, 'x': x, 'y': y}))
    frame = pd.concat(parts, ignore_index=True)
    return trained(frame, {'g': CATEGORICAL, 'x': NUMERICAL, 'y': NUMERICAL}, epochs=30)


class Bounds:
    """What chance alone exceeds with probability 1e-4, and what a quickly trained model may add."""

    model_share = 0.04
    model_distance = 0.05

    def total_variation(self, size: int, levels: int) -> float:
        """For the distance of ``size`` draws of ``levels`` levels to their law.

        The mean is at most sqrt((K - 1) / n) / 2, and McDiarmid's inequality does the rest.
        """
        chance = math.sqrt((levels - 1) / size) / 2 + math.sqrt(math.log(1e4) / (2 * size))
        return chance + self.model_distance

    def share(self, size: int) -> float:
        """For a share of ``size`` draws: four standard deviations at its worst."""
        return 4 * math.sqrt(0.25 / size) + self.model_share

    def kolmogorov(self, size: int) -> float:
        """For the Kolmogorov-Smirnov distance of ``size`` draws (Massart's inequality)."""
        return math.sqrt(math.log(2e4) / (2 * size)) + self.model_distance


@pytest.fixture(scope='session')
def bounds() -> Bounds:
    return Bounds()
