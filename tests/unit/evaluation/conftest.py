"""Tables with known relations between their columns, large enough to be measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

TYPES = {
    'height': 'numerical',
    'weight': 'numerical',
    'city': 'categorical',
    'code': 'categorical',
    'member': 'boolean',
    'grade': 'ordinal',
}


def population(rows: int, seed: int) -> pd.DataFrame:
    """Independent rows of one law: weight, city and member depend on height."""
    generator = np.random.default_rng(seed)
    height = generator.normal(size=rows)
    weight = height + 0.4 * generator.normal(size=rows)
    city = np.array(['bonn', 'rome', 'oslo'])[np.digitize(height, [-0.5, 0.8])]
    return pd.DataFrame(
        {
            'height': height,
            'weight': weight,
            'city': city,
            'code': generator.integers(1, 5, rows),
            'member': weight + generator.normal(size=rows) > 0,
            'grade': generator.integers(1, 4, rows),
        }
    )


def shuffled(frame: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Each column in an order of its own: perfect marginals, no relations."""
    generator = np.random.default_rng(seed)
    return frame.apply(lambda column: generator.permutation(column.to_numpy()))


@pytest.fixture(scope='session')
def types() -> dict[str, str]:
    return dict(TYPES)


@pytest.fixture(scope='session')
def real() -> pd.DataFrame:
    return population(1200, 1)


@pytest.fixture(scope='session')
def honest() -> pd.DataFrame:
    return population(1200, 2)


@pytest.fixture(scope='session')
def holdout() -> pd.DataFrame:
    return population(600, 3)


@pytest.fixture(scope='session')
def broken(real: pd.DataFrame) -> pd.DataFrame:
    return shuffled(real)
