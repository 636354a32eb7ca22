"""Levels in an order: numbers, ordinal columns and ordered categories, also in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

from .conftest import TINY, make_metadata

SIZES = ['small', 'middle', 'large', 'huge']
GRADES = ['poor', 'fair', 'good']
ORDERS: dict[str, list[Any]] = {
    'year': [2019, 2020, 2021],
    'rooms': ['1', '2', '10'],
    'size': SIZES[:3],
    'grade': GRADES,
}

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            'year': random.choice([2019, 2020, 2021], 300),
            'rooms': random.choice(['10', '2', '1'], 300),
            'size': pd.Categorical(random.choice(SIZES[:3], 300), SIZES, ordered=True),
            'grade': random.choice([*GRADES, None], 300),
            'colour': random.choice(['red', 'green', 'blue'], 300),
        }
    )


@pytest.fixture(scope='module')
def synthesizer(table: pd.DataFrame) -> TabDARSynthesizer:
    metadata = make_metadata(
        {
            'year': {'sdtype': 'categorical'},
            'rooms': {'sdtype': 'categorical'},
            'size': {'sdtype': 'categorical'},
            'grade': {'sdtype': 'ordinal', 'range_values': GRADES},
            'colour': {'sdtype': 'categorical'},
        }
    )
    found = TabDARSynthesizer(metadata, **TINY)
    found.fit(table)
    return found


def _orders(synthesizer: TabDARSynthesizer) -> dict[str, list[Any]]:
    """For the columns in an order the levels with a place, lowest first."""
    encoder = synthesizer._model.trained.encoder
    found = {}
    for position in encoder.schema.ordered:
        codec = encoder.codecs[position]
        places = zip(codec.column.uniform, codec.levels, strict=True)
        placed = [(sum(place), level) for place, level in places if level is not None]
        found[codec.column.name] = [level for _, level in sorted(placed)]
    return found


def test_orders_are_those_of_numbers_of_metadata_and_of_categories(
    synthesizer: TabDARSynthesizer,
) -> None:
    assert _orders(synthesizer) == ORDERS


def test_rows_are_drawn_and_conditioned_as_ever(
    synthesizer: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    drawn = synthesizer.sample(200)
    assert (drawn.dtypes == table.dtypes).all()
    for name in table:
        assert set(drawn[name].dropna()) <= set(table[name].dropna())
    known = Condition({'year': 2020, 'grade': 'poor'}, num_rows=20)
    rows = synthesizer.sample_from_conditions([known])
    assert (rows[['year', 'grade']] == [2020, 'poor']).all(axis=None)


def test_a_file_has_the_orders(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    assert _orders(loaded) == ORDERS
    pd.testing.assert_frame_equal(loaded.sample(50, seed=1), synthesizer.sample(50, seed=1))


def test_training_that_goes_on_keeps_an_order_and_puts_new_levels_into_it(
    synthesizer: TabDARSynthesizer, table: pd.DataFrame, tmp_path: Path
) -> None:
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    years = table['year'].where(table.index < 250, 2018)
    sizes = table['size'].where(table.index < 250, 'huge')
    loaded.fit(table.assign(year=years, size=sizes), warm_start=True)
    assert _orders(loaded) == {**ORDERS, 'year': [2018, 2019, 2020, 2021], 'size': SIZES}


def test_it_can_be_turned_off(table: pd.DataFrame, synthesizer: TabDARSynthesizer) -> None:
    plain = TabDARSynthesizer(synthesizer.get_metadata(), **TINY, ordered_levels=False)
    plain.fit(table)
    assert not _orders(plain)
