"""Attacks by distances."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.attacks import distances
from sdv_tabdar.evaluation.attacks.rates import rates


def _auc(case, scores):
    known = ~np.isnan(scores)
    is_member = np.arange(len(case)) < len(case.members)
    return rates(scores[known & is_member], scores[known & ~is_member]).auc


@pytest.mark.parametrize(
    'attack', [distances.by_nearest, distances.by_nearest_and_reference, distances.by_density]
)
def test_copies_are_found_and_strangers_are_not(attack, honest_case, copied_case):
    assert _auc(honest_case, attack(honest_case)) == pytest.approx(0.5, abs=0.07)
    assert _auc(copied_case, attack(copied_case)) > 0.6


def test_of_outliers_only_outliers_are_judged(copied_case):
    scores = distances.by_outliers(copied_case)
    assert (np.isnan(scores) == ~copied_case.is_outlier).all()
    assert _auc(copied_case, scores) > 0.55


def test_neighbourhoods_are_finite_where_rows_are_few(make_case, real, honest, holdout, types):
    case = make_case(real[:50], honest[:3], holdout, types)
    features = distances.neighbourhood(case)
    assert features.shape == (len(case), 8)
    assert np.isfinite(features).all()
