"""Attacks by exact values and by the knots of a quantile map."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation.attacks.battery import learnt
from sdv_tabdar.evaluation.attacks.case import Case
from sdv_tabdar.evaluation.attacks.rates import rates
from sdv_tabdar.evaluation.attacks.values import (
    by_recurring_values,
    has_numbers_to_invert,
    inversion,
)

NUMBER = {'x': 'numerical'}


@pytest.fixture(scope='module')
def numbers() -> list[pd.DataFrame]:
    """Training, unseen and fresh numbers of one law, all different."""
    generator = np.random.default_rng(0)
    return [pd.DataFrame({'x': np.exp(generator.normal(size=rows))}) for rows in (600, 1200, 20000)]


def _errors_above(case: Case) -> float:
    """By how many standard errors what is learnt of the features is better than guessing."""
    count = len(case.members)
    scores = learnt(
        inversion(case), np.arange(count), np.arange(count, len(case)), np.random.default_rng(0)
    )
    return rates(scores[:count], scores[count:]).errors_above


def test_a_quantile_map_is_inverted(make_case, numbers):
    real, holdout, fresh = numbers
    knots = np.sort(real['x'])[::2]
    drawn = pd.DataFrame({'x': np.quantile(knots, np.random.default_rng(1).random(20000))})
    assert _errors_above(make_case(real, drawn, holdout, NUMBER)) > 3
    assert abs(_errors_above(make_case(real, fresh, holdout, NUMBER))) < 3


def test_values_that_come_back_exactly_are_recognised(make_case, numbers):
    real, holdout, fresh = numbers
    drawn = pd.concat([real[:300], fresh[:300]], ignore_index=True)
    case = make_case(real, drawn, holdout, NUMBER)
    scores = by_recurring_values(case)
    again = case.rows['x'].isin(real['x'][:300]).to_numpy()
    assert scores[again].min() > scores[~again].max()


def test_frequent_values_say_nothing(make_case):
    frames = [pd.DataFrame({'k': ['a', 'b'] * rows}) for rows in (50, 50, 100)]
    scores = by_recurring_values(make_case(*frames, {'k': 'categorical'}))
    assert np.abs(scores).max() < 0.05


def test_missing_numbers_and_whole_ones_have_no_knots(make_case, numbers):
    real, holdout, fresh = numbers
    gaps = real.assign(x=real['x'].where(real['x'] > 1))
    case = make_case(gaps, fresh, holdout, NUMBER)
    assert has_numbers_to_invert(case)
    assert np.isfinite(inversion(case)).all()
    whole = [frame.round() for frame in (real, fresh, holdout)]
    assert not has_numbers_to_invert(make_case(*whole, NUMBER))
