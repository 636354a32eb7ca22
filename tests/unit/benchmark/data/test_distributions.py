"""Distances of drawn cells from a distribution, and what chance explains of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.benchmark.data import distributions
from sdv_tabdar.benchmark.data.distributions import (
    Case,
    Check,
    Distribution,
    compare,
    kolmogorov_bound,
    most_beyond,
    variation_bound,
)


def rejections(distribution: Distribution, draw: Any, size: int) -> float:
    generator = np.random.default_rng(0)
    checks = [compare(pd.Series(draw(generator, size)), distribution) for _ in range(200)]
    return float(np.mean([not check.within for found in checks for check in found]))


def test_draws_of_the_distribution_itself_are_beyond_the_bound_once_in_a_hundred(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distributions, 'SIMULATIONS', 1_000)
    normal = Distribution(cdf=stats.norm.cdf)
    assert 0 <= rejections(normal, lambda rng, n: rng.normal(size=n), 200) < 0.03
    coins = Distribution({'a': 0.7, 'b': 0.3})
    share = rejections(coins, lambda rng, n: rng.choice(['a', 'b'], n, p=[0.7, 0.3]), 200)
    assert 0 <= share < 0.03


def test_outcomes_the_distribution_does_not_have_count_as_distance() -> None:
    distribution = Distribution({'a': 0.5, 'b': 0.5})
    [check] = compare(pd.Series(['a', 'b', 'c', None]), distribution)
    assert check == Check('TV', 4, 0.5, variation_bound([0.5, 0.5, 0.0], 4))
    assert compare(pd.Series(['a']), Distribution({'a': 1.0})) == []


def test_missing_cells_are_outcomes() -> None:
    [check] = compare(pd.Series([np.nan, 2.0]), Distribution({None: 0.5, 2.0: 0.5}))
    assert check.distance == 0


def test_few_numbers_have_no_distance() -> None:
    column = pd.Series([0.0] * 60 + [1.0] * 40)
    [check] = compare(column, Distribution({0.0: 0.6}, stats.norm.cdf))
    assert (check.statistic, check.distance) == ('TV', pytest.approx(0, abs=1e-9))


def test_bounds_and_chances() -> None:
    assert kolmogorov_bound(1000) == pytest.approx(1.63 / 1000**0.5, rel=0.01)
    # Of a fair coin: half of the 99 % quantile of the absolute deviation.
    assert variation_bound([0.5, 0.5], 10_000) == pytest.approx(2.576 * 0.5 / 100, rel=0.05)
    assert [most_beyond(checks) for checks in (1, 10, 100)] == [0, 1, 4]
    assert Case('value', {}, {}).derive is None
