"""A small mixed table, its metadata, and synthesizers fitted on it in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_tabdar.synthesizer import TabDARSynthesizer

TINY: dict[str, Any] = {
    'width': 16,
    'num_blocks': 1,
    'num_heads': 2,
    'head_width': 8,
    'denoiser_width': 8,
    'denoiser_blocks': 1,
    'epochs': 1,
    'num_steps': 3,
    'num_particles': 4,
    'precision': 'float32',
    'random_state': 0,
    'enable_gpu': False,
}

COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'age': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'gap': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'maybe': {'sdtype': 'boolean'},
    'level': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4]},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'moment': {'sdtype': 'datetime'},
    'group': {'sdtype': 'id'},
    'email': {'sdtype': 'email', 'pii': True},
    'mystery': {'sdtype': 'unknown'},
}


def make_metadata(columns: dict[str, dict[str, Any]], **table: Any) -> Metadata:
    """Metadata of one table named 'table'."""
    return Metadata.load_from_dict({'tables': {'table': {'columns': columns, **table}}})


def make_table(num_rows: int = 150, seed: int = 0) -> pd.DataFrame:
    """A column of each sdtype; 'gap' is missing exactly where 'city' is 'c'."""
    random = np.random.default_rng(seed)
    city = random.choice(np.array(['a', 'b', 'c', None], dtype=object), num_rows)
    start = pd.Timestamp('2020-01-01')
    days = start + pd.to_timedelta(random.integers(0, 300, num_rows), 'D')
    return pd.DataFrame(
        {
            'key': np.arange(num_rows) + 5_000_000,
            'age': random.integers(18, 90, num_rows),
            'income': np.round(random.lognormal(3, 1, num_rows), 2),
            'gap': np.where(city == 'c', np.nan, random.normal(size=num_rows).round(3)),
            'city': city,
            'flag': random.random(num_rows) < 0.3,
            'maybe': random.choice(np.array([True, False, None], dtype=object), num_rows),
            'level': random.integers(1, 5, num_rows),
            'day': days.strftime('%d/%m/%Y').to_series(index=range(num_rows)).astype(object),
            'moment': start + pd.to_timedelta(random.integers(0, 10**7, num_rows), 's'),
            'group': random.choice(['g1', 'g2', 'g3'], num_rows),
            'email': [f'person{number}@example.org' for number in range(num_rows)],
            'mystery': [f'm{number:04d}' for number in range(num_rows)],
        }
    )


def fit_tiny(
    data: pd.DataFrame, columns: dict[str, dict[str, Any]], **settings: Any
) -> TabDARSynthesizer:
    """A synthesizer without keys, fitted on ``data``."""
    synthesizer = TabDARSynthesizer(make_metadata(columns), **{**TINY, **settings})
    synthesizer.fit(data)
    return synthesizer


@pytest.fixture(scope='session')
def table() -> pd.DataFrame:
    return make_table()


@pytest.fixture(scope='session')
def metadata() -> Metadata:
    return make_metadata(COLUMNS, primary_key='key')


@pytest.fixture(scope='session')
def fitted(table: pd.DataFrame, metadata: Metadata) -> TabDARSynthesizer:
    """Fitted on ``table``; tests may sample from it but not fit it again."""
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.fit(table)
    return synthesizer


@pytest.fixture
def new(metadata: Metadata) -> Callable[..., TabDARSynthesizer]:
    """Makes an unfitted synthesizer for the table."""
    return lambda **settings: TabDARSynthesizer(metadata, **{**TINY, **settings})
