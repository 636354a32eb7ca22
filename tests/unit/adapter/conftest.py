"""A synthesizer fitted on a small table with a column of each role, and its fitted table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.formats import ColumnFormat
from sdv_tabdar.adapter.profile import ColumnProfile, role_of
from sdv_tabdar.synthesizer import TabDARSynthesizer

TINY: dict[str, Any] = {
    'width': 8,
    'num_blocks': 1,
    'num_heads': 2,
    'head_width': 8,
    'denoiser_width': 8,
    'denoiser_blocks': 1,
    'epochs': 1,
    'num_steps': 2,
    'num_particles': 4,
    'precision': 'float32',
    'random_state': 0,
    'enable_gpu': False,
}
COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'number': {'sdtype': 'numerical'},
    'whole': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
    'level': {'sdtype': 'categorical'},
}


def make_table(num_rows: int = 80) -> pd.DataFrame:
    random = np.random.default_rng(0)
    number = random.normal(size=num_rows).round(2)
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 300, num_rows), 'D')
    return pd.DataFrame(
        {
            'key': np.arange(num_rows) + 1000,
            'number': np.where(random.random(num_rows) < 0.2, np.nan, number),
            'whole': random.integers(0, 40, num_rows),
            'day': days.strftime('%d.%m.%Y').astype(object),
            'level': random.choice(np.array(['a', 'b', 'c', None], dtype=object), num_rows),
        }
    )


def profile_of(
    values: pd.Series, sdtype: str, date_format: str | None = None, *, generated: bool = False
) -> ColumnProfile:
    """What training would have seen of a column."""
    column = ColumnFormat.learn(values, sdtype, date_format)
    role = role_of(sdtype, generated=generated)
    return ColumnProfile.learn(column.plain(values), column, role, rounds=True, extrapolates=False)


@pytest.fixture(scope='session')
def synthesizer() -> TabDARSynthesizer:
    metadata = Metadata.load_from_dict(
        {'tables': {'table': {'columns': COLUMNS, 'primary_key': 'key'}}}
    )
    fitted = TabDARSynthesizer(metadata, **TINY)
    fitted.fit(make_table())
    return fitted


@pytest.fixture(scope='session')
def fitted(synthesizer: TabDARSynthesizer) -> FittedTable:
    return synthesizer._table
