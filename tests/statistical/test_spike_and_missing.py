"""A spike, whose mass depends on a group, and cells whose being missing depends on it too."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing

SIZE = 2000
SPIKE = {'p': 0.7, 'q': 0.2}
MISSING = {'p': 0.6, 'q': 0.1}
CENTRE = {'p': 1.0, 'q': -1.0}
EXPONENTIAL = stats.expon(scale=5)


def _of_group(model: TabDAR, group: str, **restrictions: Any) -> pd.DataFrame:
    model.set_random_state(1)
    wanted = {name: [entry] * SIZE for name, entry in restrictions.items()}
    return model.complete(pd.DataFrame({'g': [group] * SIZE}), restrictions=wanted).rows


def test_the_spike_has_its_mass_and_the_rest_its_law(spiked: TabDAR, bounds: Any) -> None:
    spiked.set_random_state(0)
    rows = spiked.sample(SIZE)
    assert (rows['x'] == 0).mean() == pytest.approx(0.45, abs=bounds.share(SIZE))
    rest = rows['x'][rows['x'] != 0]
    assert stats.kstest(rest, EXPONENTIAL.cdf).statistic < bounds.kolmogorov(len(rest))
    assert (rows['g'] == 'p').mean() == pytest.approx(0.5, abs=bounds.share(SIZE))


@pytest.mark.parametrize('group', ['p', 'q'])
def test_the_mass_of_the_spike_depends_on_the_group(
    spiked: TabDAR, group: str, bounds: Any
) -> None:
    rows = _of_group(spiked, group)
    assert (rows['x'] == 0).mean() == pytest.approx(SPIKE[group], abs=bounds.share(SIZE))
    rest = rows['x'][rows['x'] != 0]
    assert stats.kstest(rest, EXPONENTIAL.cdf).statistic < bounds.kolmogorov(len(rest))


@pytest.mark.parametrize('group', ['p', 'q'])
def test_missingness_depends_on_the_group(spiked: TabDAR, group: str, bounds: Any) -> None:
    rows = _of_group(spiked, group)
    missing = rows['y'].isna()
    assert missing.mean() == pytest.approx(MISSING[group], abs=bounds.share(SIZE))
    present = rows['y'][~missing]
    law = stats.norm(CENTRE[group], 0.5)
    assert stats.kstest(present, law.cdf).statistic < bounds.kolmogorov(len(present)) + 0.02


@pytest.mark.parametrize('group', ['p', 'q'])
def test_spike_and_missingness_are_independent_in_a_group(
    spiked: TabDAR, group: str, bounds: Any
) -> None:
    rows = _of_group(spiked, group)
    both = ((rows['x'] == 0) & rows['y'].isna()).mean()
    assert both == pytest.approx(SPIKE[group] * MISSING[group], abs=bounds.share(SIZE))


@pytest.mark.parametrize(
    ('given', 'probability'),
    [
        # Bayes: the groups are equally likely, so P(p | .) is a ratio of two masses
        ({'x': 0.0}, 0.7 / 0.9),
        ({'x': 5.0}, 0.3 / 1.1),
        ({'y': None}, 0.6 / 0.7),
        ({'y': 1.0}, 1.0),
        ({'x': 0.0, 'y': None}, 0.42 / 0.44),
    ],
)
def test_the_group_given_numbers(
    spiked: TabDAR, given: dict[str, Any], probability: float, bounds: Any
) -> None:
    spiked.set_random_state(2)
    frame = pd.DataFrame([given] * SIZE, dtype=float)
    rows = spiked.complete(frame).rows
    assert (rows['g'] == 'p').mean() == pytest.approx(probability, abs=bounds.share(SIZE))


@pytest.mark.parametrize(
    ('restrictions', 'probability'),
    [
        ({'x': Interval(None, 0.0)}, 0.7 / 0.9),
        ({'x': Interval(1e-3, None)}, 0.3 / 1.1),
        ({'y': NotMissing()}, 0.4 / 1.3),
        ({'x': Members((0,)), 'y': Members((None,))}, 0.42 / 0.44),
        ({'x': Members((0,)), 'y': NotMissing()}, 0.28 / 0.46),
        ({'x': Interval(1e-3, None), 'y': NotMissing()}, 0.12 / 0.84),
    ],
    ids=str,
)
def test_the_group_given_restrictions(
    spiked: TabDAR, restrictions: dict[str, Any], probability: float, bounds: Any
) -> None:
    spiked.set_random_state(3)
    wanted = {name: [entry] * SIZE for name, entry in restrictions.items()}
    rows = spiked.complete(pd.DataFrame(index=range(SIZE)), restrictions=wanted).rows
    assert (rows['g'] == 'p').mean() == pytest.approx(probability, abs=bounds.share(SIZE))


@pytest.mark.parametrize('group', ['p', 'q'])
def test_an_interval_with_the_spike_keeps_its_share(
    spiked: TabDAR, group: str, bounds: Any
) -> None:
    rows = _of_group(spiked, group, x=Interval(None, 5.0))
    below = (1 - SPIKE[group]) * EXPONENTIAL.cdf(5.0)
    expected = SPIKE[group] / (SPIKE[group] + below)
    assert (rows['x'] <= 5).all()
    assert (rows['x'] == 0).mean() == pytest.approx(expected, abs=bounds.share(SIZE))
