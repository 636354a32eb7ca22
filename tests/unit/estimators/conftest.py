"""Settings with which an estimator fits in tenths of a second."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

SETTINGS: dict[str, Any] = {
    'epochs': 1,
    'random_state': 0,
    'parameters': {
        'width': 8,
        'num_blocks': 1,
        'num_heads': 2,
        'head_width': 8,
        'denoiser_width': 8,
        'denoiser_blocks': 1,
        'max_crosses': 0,
        'batch_size': 500,
        'num_steps': 2,
        'precision': 'float32',
        'enable_gpu': False,
    },
}


@pytest.fixture
def people() -> pd.DataFrame:
    """80 rows of numbers, categories, booleans and dates, each with gaps but the last two."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            'age': random.integers(18, 90, 80).astype(float),
            'job': random.choice(np.array(['nurse', 'clerk', None], dtype=object), 80),
            'since': pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 99, 80), 'D'),
            'score': random.normal(size=80).round(2),
            'member': random.random(80) < 0.5,
            'kind': random.integers(0, 3, 80),
        },
        index=pd.Index([f'p{number}' for number in range(80)]),
    )
    for place, name in enumerate(['age', 'since', 'score']):
        frame.loc[frame.index[place::7], name] = None
    return frame
