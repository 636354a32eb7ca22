"""A small schema for the tests of heads."""

from __future__ import annotations

import pytest

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema


@pytest.fixture(scope='session')
def schema() -> TableSchema:
    """Columns of few, many and one code; two of them with bins."""
    return TableSchema(
        (
            Column('few', ColumnKind.CATEGORICAL, (70, 20, 10)),
            Column('bins', ColumnKind.NUMERICAL, (50, 30, 20), bins=range(1, 3)),
            Column('many', ColumnKind.CATEGORICAL, tuple(range(40, 0, -1))),
            Column('one', ColumnKind.CATEGORICAL, (100,)),
            Column('bin', ColumnKind.NUMERICAL, (90, 10), bins=range(1), missing=1),
        )
    )


@pytest.fixture(scope='session')
def config() -> ModelConfig:
    """Contexts of width 8."""
    return ModelConfig(width=8, num_heads=2, head_width=8, denoiser_width=8, denoiser_blocks=1)
