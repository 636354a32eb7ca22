"""Probabilities and quantiles of columns that a constraint replaces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task
from sdv_tabdar.adapter.replaced import probabilities, quantiles
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY

RANDOM = np.random.default_rng(0)
LOW = RANDOM.integers(0, 50, 80)
COUNTRY = RANDOM.integers(0, 2, 80)
DATA = pd.DataFrame(
    {
        'low': LOW,
        'high': LOW + RANDOM.integers(1, 9, 80),
        'country': np.array(['fr', 'de'])[COUNTRY],
        'city': np.array([['Paris', 'Lyon'], ['Bonn', 'Kiel']])[COUNTRY, RANDOM.integers(0, 2, 80)],
    }
)


@pytest.fixture(scope='module')
def table() -> FittedTable:
    columns = {name: {'sdtype': 'numerical'} for name in ('low', 'high')}
    columns |= {name: {'sdtype': 'categorical'} for name in ('country', 'city')}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([Inequality('low', 'high'), FixedCombinations(['country', 'city'])])
    synthesizer.fit(DATA)
    return synthesizer._table


def known(table: FittedTable, **columns: list[object]) -> Known:
    return Known.from_gaps(pd.DataFrame(columns), table, Task.PREDICT)


def test_joint_probabilities_are_summed(table: FittedTable) -> None:
    rest = known(table, low=[3, 40])
    cities = probabilities(table, rest, 'city', 1)
    countries = probabilities(table, rest, 'country', 1)

    np.testing.assert_allclose(cities[['Paris', 'Lyon']].sum(axis=1), countries['fr'])
    np.testing.assert_allclose(countries.sum(axis=1), 1)


def test_quantiles_of_the_upper_column_are_those_of_the_difference(table: FittedTable) -> None:
    found = quantiles(table, known(table, low=[3, 40]), 'high', [0.0, 0.5, 1.0], 1)

    assert (np.diff(found, axis=1) >= 0).all()
    assert (found[:, 0] >= [4, 41]).all()
    assert (found[:, 2] <= [11.01, 48.01]).all()


def test_quantiles_of_the_lower_column_below_a_known_one_are_drawn(table: FittedTable) -> None:
    found = quantiles(table, known(table, high=[30]), 'low', [0.0, 1.0], 50)

    assert 22 <= found[0, 0] <= found[0, 1] <= 29
    alone = quantiles(table, known(table, country=['fr']), 'low', [0.0, 1.0], 1)
    np.testing.assert_allclose(alone, [[LOW.min(), LOW.max()]], atol=1e-9)


def test_levels_of_quantiles_are_checked(table: FittedTable) -> None:
    with pytest.raises(ValueError, match=r'must lie in \[0, 1\]'):
        quantiles(table, known(table, low=[3]), 'high', [2], 1)


def test_rows_that_no_draw_meets_have_no_answer(table: FittedTable) -> None:
    with pytest.warns(UserWarning, match="In 1 rows no draw of column 'low' agrees"):
        found = quantiles(table, known(table, high=[-5]), 'low', [0.5], 3)
    assert np.isnan(found).all()
