"""Words about scores, as the metrics declare them."""

from __future__ import annotations

import math

import pytest

from sdv_tabdar.evaluation.metric import Reading, Verdict
from sdv_tabdar.evaluation.registry import SCORES


def said(key: str, value: float, floor: float = math.nan, **others: float) -> Verdict | None:
    """The verdict of a score on its goal by default."""
    meaning = SCORES[key]
    assert meaning.verdict is not None
    return meaning.verdict(Reading(value, floor, meaning.goal, {key: value, **others}))


@pytest.mark.parametrize(
    ('key', 'value', 'floor', 'mood'),
    [
        ('xgb_c2st', 0.99, 0.995, 'good'),
        ('xgb_c2st', 0.10, 0.995, 'poor'),
        ('xgb_c2st', 0.99, math.nan, 'good'),
        ('shape_error', 0.010, 0.010, 'good'),
        ('shape_error', 0.040, 0.010, 'poor'),
        ('beta_recall', 0.49, 0.50, 'good'),
        ('beta_recall', 0.80, 0.50, 'poor'),
        ('copies', 0.000, 0.000, 'good'),
        ('copies', 0.500, 0.001, 'poor'),
        ('mia_auc', 0.50, 0.50, 'good'),
        ('mia_auc', 0.80, 0.50, 'poor'),
        ('alpha_precision', 0.99, 0.99, 'good'),
        ('alpha_precision', 0.80, 0.99, 'poor'),
        ('mle', 0.805, 0.81, 'good'),
        ('mle', 0.70, 0.81, 'poor'),
    ],
)
def test_mood_follows_the_score(key, value, floor, mood):
    verdict = said(key, value, floor)
    assert verdict is not None
    assert verdict.mood == mood


def test_an_rmse_is_read_in_multiples_of_that_of_real_rows():
    verdict = SCORES['mle'].verdict
    assert verdict is not None
    assert verdict(Reading(2.0, 1.0, 'lower', {})) == Verdict('2 times that of real rows', 'poor')


def test_an_error_below_its_floor_is_good_news():
    assert said('jsd', 0.1, 0.2) == Verdict('at the floor', 'good', beyond=True)
    assert said('jsd', 0.2, 0.2) == Verdict('at the floor', 'good')


@pytest.mark.parametrize('key', ['jsd', 'alpha_precision', 'beta_recall', 'copies', 'mle'])
def test_without_a_floor_there_is_nothing_to_say(key):
    assert said(key, 0.1) is None


def test_verdicts_of_copies_say_so():
    for verdict in (
        said('dcr_share', 0.9, dcr_share_low=0.88),
        said('copies', 0.5, 0.001),
        said('beta_recall', 0.8, 0.5),
    ):
        assert verdict is not None
        assert verdict.copying
    verdict = said('dcr_share', 0.5)
    assert verdict is not None
    assert not verdict.copying
