"""Distributions of columns from noisy counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from sdv_tabdar.core.codecs.values import LevelIndex
from sdv_tabdar.privacy.marginals import (
    LEVELS_WEIGHT,
    NUMBER_WEIGHT,
    LevelMarginal,
    NumberMarginal,
    shared_out,
)
from sdv_tabdar.privacy.questions import Questions

DELTA = 1e-6
GRIDS = (1.0, 0.1, 0.01)


def questions(epsilon: float = 5.0, columns: int = 1) -> Questions:
    return Questions(epsilon, DELTA, weight=NUMBER_WEIGHT * columns, num_open=columns)


def levels_of(values: list[object], known: tuple[object, ...] = ()) -> dict[object, float]:
    index, places = LevelIndex.of(pd.Series(values, dtype=object))
    marginal = LevelMarginal.asked(questions(), 'x', index, places, known)
    return dict(zip(marginal.levels, marginal.shares, strict=True))


def test_levels_come_in_their_shares_and_a_rare_one_is_not_told() -> None:
    found = levels_of(['a'] * 6000 + ['b'] * 3000 + [None] * 1000 + ['only one'])
    assert {name: round(share, 1) for name, share in found.items()} == {
        'a': 0.6,
        'b': 0.3,
        None: 0.1,
    }


def test_known_levels_need_no_threshold() -> None:
    found = levels_of([True] * 9_950 + [False] * 50, known=(False, True))
    assert found[False] == pytest.approx(0.005, abs=0.004)


def test_nothing_is_told_of_a_column_of_unique_values() -> None:
    assert levels_of([f'{number}' for number in range(2000)]) == {None: 1.0}


@pytest.mark.parametrize('kind', ['skewed', 'negative', 'far', 'spiked'])
def test_numbers_come_back_with_their_distribution(kind: str) -> None:
    random = np.random.default_rng(0)
    numbers = {
        'skewed': random.lognormal(3, 1, 20_000),
        'negative': -random.lognormal(3, 1, 20_000),
        'far': 1.5e18 + random.normal(0, 1e16, 20_000),
        'spiked': np.where(random.random(20_000) < 0.6, 0.0, random.normal(50, 20, 20_000)),
    }[kind]
    numbers[:2000] = np.nan
    marginal = NumberMarginal.asked(questions(), 'x', numbers, (*GRIDS, 1e-3))
    found = marginal.spread(20_000)
    assert np.isnan(found).mean() == pytest.approx(0.1, abs=0.01)
    there = numbers[~np.isnan(numbers)]
    assert ks_2samp(there, found[~np.isnan(found)]).statistic < 0.03
    if kind == 'spiked':
        assert (found == 0).mean() == pytest.approx((numbers == 0).mean(), abs=0.01)


def test_numbers_are_on_the_grid_of_almost_all() -> None:
    numbers = np.random.default_rng(0).uniform(0, 1000, 20_000).round(1)
    numbers[0] = 1 / 3
    marginal = NumberMarginal.asked(questions(), 'x', numbers, GRIDS)
    assert marginal.grid == 0.1
    assert np.array_equal(np.round(marginal.spread(500), 1), marginal.spread(500))


@pytest.mark.parametrize(
    ('low', 'high', 'grid', 'expected'),
    [
        (64.0, 66.0, 1.0, [64, 65]),  # not 66
        (-3.0, -1.0, 1.0, [-3, -2]),
        (0.25, 0.5, 0.1, [0.3, 0.4]),
        (17.5, 17.75, 1.0, [18]),  # the nearest one
        (0.0, 1.0, 0.0, [0.125, 0.375, 0.625, 0.875]),
    ],
)
def test_numbers_of_an_interval_are_those_on_the_grid_in_it(
    low: float, high: float, grid: float, expected: list[float]
) -> None:
    law = NumberMarginal(np.zeros(0), np.array([low]), np.array([high]), np.array([1.0, 0.0]), grid)
    found = law.spread(4)
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == expected
    assert (counts == 4 / len(expected)).all()


def test_an_outlier_and_its_neighbours_are_not_told() -> None:
    numbers = np.append(np.random.default_rng(0).normal(0, 1, 5000), 1e12)
    for _ in range(200):  # an octave that is noise alone would be told in one of 340
        found = NumberMarginal.asked(questions(), 'x', numbers, GRIDS).spread(5000)
        assert np.abs(found).max() < 100


def test_what_is_asked_is_in_the_books_and_no_more_can_be_asked() -> None:
    asked = questions()
    NumberMarginal.asked(asked, 'x', np.arange(1000.0), GRIDS)
    assert asked.spent.epsilon < 5
    assert len(asked.spent.counts) == 13
    with pytest.raises(AssertionError, match='more was asked'):
        asked.counts('more', np.zeros(2, dtype=np.int64), LEVELS_WEIGHT)
    with pytest.raises(AssertionError, match='open questions'):
        asked.levels('more', ['a'], np.ones(1, dtype=np.int64), LEVELS_WEIGHT)


def test_noise_is_whole_and_as_large_as_is_paid_for() -> None:
    asked = Questions(1.0, DELTA, weight=1.0, num_open=0)
    noise = asked.counts('x', np.zeros(20_000, dtype=np.int64), 1.0)
    assert np.array_equal(noise, noise.round())
    assert noise.std() == pytest.approx(asked.noise(1.0), rel=0.02)
    assert asked.spent.counts[0].noise == asked.noise(1.0)


def test_all_that_has_a_share_gets_something() -> None:
    counts = shared_out(np.array([0.9, 0.0999, 0.0, 1e-4]), 20)
    assert counts.tolist() == [17, 2, 0, 1]
    assert shared_out(np.full(7, 1 / 7), 7).tolist() == [1] * 7
