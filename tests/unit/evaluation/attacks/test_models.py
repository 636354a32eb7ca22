"""Attacks by trees and by the likelihood of a model."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.attacks.models import by_likelihood, by_likelihood_ratio, by_trees
from sdv_tabdar.evaluation.attacks.rates import rates
from sdv_tabdar.evaluation.likelihoods import WhiteBox


def test_trees_find_what_is_drawn_too_often(make_case, real, honest, holdout, types):
    often = honest[honest['height'] > 0]
    case = make_case(real[:300], often, holdout, types)
    scores = by_trees(case)
    high = case.rows['height'].to_numpy() > 0
    assert rates(scores[high], scores[~high]).auc > 0.9


@pytest.fixture
def white_box(real, holdout) -> WhiteBox:
    """A model that finds tall people likely, and a reference that finds all of them alike."""
    frames = {'real': real[:400], 'holdout': holdout}

    def tall(rows):
        return np.where(rows['height'] < -1, -np.inf, rows['height'])

    return WhiteBox(tall, lambda rows: np.zeros(len(rows)), frames)


def test_likelihood_is_asked_of_the_users_own_rows(
    make_case, real, honest, holdout, types, white_box
):
    case = make_case(real[:400], honest, holdout, types, white_box=white_box)
    heights = case.rows['height'].to_numpy()
    for attack in (by_likelihood, by_likelihood_ratio):
        scores = attack(case)
        usual = heights >= -1
        assert scores[usual] == pytest.approx(heights[usual])
        assert (scores[~usual] == -1e300).all()


def test_rows_that_both_models_find_impossible_are_like_any_other(
    make_case, real, honest, holdout, types, white_box
):
    both = WhiteBox(white_box.log_likelihood, white_box.log_likelihood, white_box.frames)
    case = make_case(real[:400], honest, holdout, types, white_box=both)
    assert (by_likelihood_ratio(case) == 0).all()
