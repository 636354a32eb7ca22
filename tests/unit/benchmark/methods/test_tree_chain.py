"""The chain of boosted trees: a distribution on the grid, near the truth where that is simple."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods.tree_chain import Cells, TreeChain


@pytest.fixture
def train() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, 2_000)
    second = np.where(generator.random(2_000) < 0.9, first, 1 - first)
    number = np.round(generator.normal(second * 4, 1, 2_000), 1)
    return pd.DataFrame({'a': first, 'b': np.array(['n', 'y'])[second], 'x': number})


def test_masses_on_the_grid_add_up_to_one(train: pd.DataFrame) -> None:
    chain = TreeChain({'x': 0.1})
    chain.fit(train)
    grid = np.round(np.arange(train['x'].min(), train['x'].max() + 0.05, 0.1), 1)
    # What is left is for missing cells, which training has not seen.
    every = pd.MultiIndex.from_product([[0, 1], ['n', 'y'], [*grid, np.nan]], names=list('abx'))
    assert np.exp(chain.log_mass(every.to_frame(index=False))).sum() == pytest.approx(1, abs=2e-3)


def test_what_is_simple_is_learnt(train: pd.DataFrame) -> None:
    chain = TreeChain({'x': 0.1})
    chain.fit(train.head(1_500))
    found = -chain.log_mass(train.tail(500)).mean()
    # ln 2, the entropy of 9 : 1, and a standard normal number on a grid of .1
    truth = np.log(2) + 0.3251 + 0.5 * np.log(2 * np.pi * np.e) - np.log(0.1)
    assert truth - 0.1 < found < truth + 0.2


def test_frequent_numbers_and_missing_cells_have_classes_of_their_own() -> None:
    column = pd.Series([0.0] * 50 + [0.5, 1.0, 1.5, 2.0, np.nan])
    cells = Cells.of_numbers(column, 0.5)
    codes = cells.codes(column)
    assert (codes[:50] == 0).all()
    assert codes[-1] == cells.width - 1
    beyond = cells.codes(pd.Series([-3.0, 9.0]))
    assert beyond.max() < cells.width - 1
    constant = Cells.of_numbers(pd.Series([1.0, 1.0]), 1)
    assert constant.codes(pd.Series([1.0, np.nan])).tolist() == [0, 1]
