"""A model of a column of numbers and one of categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

KINDS = {'x': ColumnKind.NUMERICAL, 'y': ColumnKind.CATEGORICAL}


@pytest.fixture(scope='module')
def model() -> TabDAR:
    generator = np.random.default_rng(0)
    rows = pd.DataFrame({'x': generator.normal(size=40), 'y': generator.choice(['a', 'b'], 40)})
    settings = ModelConfig(width=8, num_blocks=1, num_heads=1, denoiser_width=8, head_width=8)
    found = TabDAR(settings, TrainingConfig(epochs=1), device='cpu', random_state=0)
    return found.fit(rows, KINDS)
