"""A correlated normal pair, whose conditional and truncated laws are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval

SIZE = 1500
RHO = 0.8
X = stats.norm(10, 3)
Y = stats.norm(-2, 0.5)


def _distance(drawn: pd.Series, law: Any) -> float:
    return float(stats.kstest(drawn, law.cdf).statistic)


def _given_x(x: float) -> Any:
    return stats.norm(-2 + 0.5 * RHO * (x - 10) / 3, 0.5 * (1 - RHO**2) ** 0.5)


def _given_y(y: float) -> Any:
    return stats.norm(10 + 3 * RHO * (y + 2) / 0.5, 3 * (1 - RHO**2) ** 0.5)


def _restricted(model: TabDAR, **restrictions: Interval) -> pd.DataFrame:
    wanted = {name: [entry] * SIZE for name, entry in restrictions.items()}
    return model.complete(pd.DataFrame(index=range(SIZE)), restrictions=wanted).rows


def _rejected(**restrictions: Interval) -> pd.DataFrame:
    """Many rows of the law that meet the restrictions."""
    z = np.random.default_rng(0).normal(size=(2, 1_000_000))
    rows = pd.DataFrame({'x': 10 + 3 * z[0], 'y': -2 + 0.5 * (RHO * z[0] + 0.6 * z[1])})
    for name, entry in restrictions.items():
        low = -np.inf if entry.low is None else entry.low
        high = np.inf if entry.high is None else entry.high
        rows = rows[rows[name].between(low, high)]
    assert len(rows) > 20_000
    return rows


def test_rows_follow_the_joint_law(gaussian: TabDAR, bounds: Any) -> None:
    gaussian.set_random_state(1)
    rows = gaussian.sample(2 * SIZE)
    assert _distance(rows['x'], X) < bounds.kolmogorov(2 * SIZE)
    assert _distance(rows['y'], Y) < bounds.kolmogorov(2 * SIZE)
    # the standard deviation of a correlation is (1 - rho^2) / sqrt(n)
    correlation = rows['x'].corr(rows['y'])
    assert correlation == pytest.approx(RHO, abs=4 * 0.36 / (2 * SIZE) ** 0.5 + 0.04)


@pytest.mark.parametrize('place', [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize('name', ['x', 'y'])
def test_conditional_laws(gaussian: TabDAR, name: str, place: float, bounds: Any) -> None:
    value = float((X if name == 'x' else Y).ppf(place))
    law = _given_x(value) if name == 'x' else _given_y(value)
    gaussian.set_random_state(2)
    rows = gaussian.complete(pd.DataFrame({name: [value] * SIZE})).rows
    drawn = rows['y' if name == 'x' else 'x']
    deviation = law.std()
    chance = 4 * deviation / SIZE**0.5
    assert drawn.mean() == pytest.approx(law.mean(), abs=chance + 0.15 * deviation)
    assert drawn.std() == pytest.approx(deviation, abs=chance / 2**0.5 + 0.15 * deviation)
    assert _distance(drawn, law) < bounds.kolmogorov(SIZE) + 0.02


@pytest.mark.parametrize(
    'interval',
    [Interval(9.0, 11.5), Interval(14.0, None), Interval(None, 6.5), Interval(8.0, 8.2)],
    ids=str,
)
def test_a_number_in_an_interval_has_the_truncated_law(
    gaussian: TabDAR, interval: Interval, bounds: Any
) -> None:
    gaussian.set_random_state(3)
    rows = _restricted(gaussian, x=interval)
    low = -np.inf if interval.low is None else interval.low
    high = np.inf if interval.high is None else interval.high
    assert rows['x'].between(low, high).all()
    law = stats.truncnorm((low - 10) / 3, (high - 10) / 3, 10, 3)
    assert _distance(rows['x'], law) < bounds.kolmogorov(SIZE)
    # the other column follows
    expected = (
        _rejected(x=interval)['y']
        if interval.low != 8.0
        else _given_x(8.1).rvs(size=100_000, random_state=np.random.default_rng(1))
    )
    distance = float(stats.ks_2samp(rows['y'], expected).statistic)
    assert distance < bounds.kolmogorov(SIZE) + 0.02


@pytest.mark.parametrize(
    'intervals',
    [
        {'x': Interval(10.5, 13.0), 'y': Interval(-2.2, None)},
        {'x': Interval(10.0, None), 'y': Interval(None, -2.0)},  # against the correlation
        {'x': Interval(None, 9.0), 'y': Interval(-2.3, -1.9)},
    ],
    ids=str,
)
def test_several_intervals_in_one_row(
    gaussian: TabDAR, intervals: dict[str, Interval], bounds: Any
) -> None:
    gaussian.set_random_state(4)
    rows, exact = _restricted(gaussian, **intervals), _rejected(**intervals)
    for name, entry in intervals.items():
        assert (
            rows[name]
            .between(
                -np.inf if entry.low is None else entry.low,
                np.inf if entry.high is None else entry.high,
            )
            .all()
        )
        distance = float(stats.ks_2samp(rows[name], exact[name]).statistic)
        assert distance < bounds.kolmogorov(SIZE) + 0.01
    product = rows['x'].corr(rows['y'])
    assert product == pytest.approx(exact['x'].corr(exact['y']), abs=4 / SIZE**0.5 + 0.05)


def test_an_interval_given_the_other_value(gaussian: TabDAR, bounds: Any) -> None:
    gaussian.set_random_state(5)
    rows = gaussian.complete(
        pd.DataFrame({'x': [13.0] * SIZE}), restrictions={'y': [Interval(None, -1.6)] * SIZE}
    ).rows
    law = _given_x(13.0)
    exact = stats.truncnorm(-np.inf, (-1.6 - law.mean()) / law.std(), law.mean(), law.std())
    assert (rows['y'] <= -1.6).all()
    assert _distance(rows['y'], exact) < bounds.kolmogorov(SIZE) + 0.03
