"""Which numbers have bins alone, as they are near to others and frequent by chance."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.gaps import find_gaps
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 6_000


@pytest.fixture(scope='module')
def orders() -> pd.DataFrame:
    """Days of two years, on some of which many orders fall, and days soon after them."""
    random = np.random.default_rng(0)
    ordered = random.integers(0, 700, N)
    paid = np.where(random.random(N) < 0.8, ordered + random.poisson(12, N), np.nan)
    other = random.integers(0, 700, N)
    return pd.DataFrame({'ordered': ordered, 'paid': paid, 'other': other}).astype(float)


def read(frame: pd.DataFrame, config: ModelConfig | None = None) -> TableEncoder:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(frame, kinds, config or ModelConfig())


def atoms(encoder: TableEncoder) -> list[bool]:
    return [column.bins.start > 0 for column in encoder.schema.columns]


def test_days_that_are_frequent_by_chance_are_no_atoms(orders: pd.DataFrame) -> None:
    encoder = read(orders)
    assert atoms(encoder) == [False, False, True]
    (gap,) = find_gaps(encoder.encode_all(orders), encoder.codecs, encoder.schema)
    assert (gap.first, gap.second) == (0, 1)


def test_without_differences_they_stay(orders: pd.DataFrame) -> None:
    config = dataclasses.replace(ModelConfig(), copula=False)
    assert atoms(read(orders, config)) == [True, True, True]
    assert atoms(read(orders[['ordered', 'other']])) == [True, True]


def test_a_day_on_which_very_many_fall_stays_an_atom(orders: pd.DataFrame) -> None:
    first = orders['ordered'].where(np.arange(N) % 10 > 0, 0.0)
    assert atoms(read(orders.assign(ordered=first)))[0]


def test_near_columns_that_ranks_tell_as_well_stay_as_they_are() -> None:
    random = np.random.default_rng(0)
    rooms = np.exp(random.normal(5, 0.7, N)).round()
    frame = pd.DataFrame({'rooms': rooms, 'homes': (rooms * random.normal(0.95, 0.02, N)).round()})
    assert atoms(read(frame)) == [True, True]
