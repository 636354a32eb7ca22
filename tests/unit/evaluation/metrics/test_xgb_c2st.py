"""XGB-C2ST: agreement with SDMetrics' preprocessing, and what it sees."""

from __future__ import annotations

import pytest
from sdmetrics.single_table.detection.sklearn import ScikitLearnClassifierDetectionMetric
from xgboost import XGBClassifier

from sdv_tabdar.evaluation import evaluate, score


class XGBDetection(ScikitLearnClassifierDetectionMetric):
    """SDMetrics' detection metric with boosted trees in the place of its classifier."""

    @staticmethod
    def _get_classifier():
        return XGBClassifier(random_state=0)


@pytest.mark.changes_random_state('SDMetrics draws its folds from the global generator')
@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_score_is_that_of_sdmetrics(real, other, detected, request):
    ours, expected = detected('xgb_c2st', XGBDetection, real, request.getfixturevalue(other))
    assert ours == pytest.approx(expected, abs=1e-9)


def test_honest_rows_cannot_be_told_apart(real, honest, types):
    assert score(real, honest, types, metrics=['xgb_c2st'])['xgb_c2st'] > 0.9


def test_trees_see_shuffled_columns(real, broken, types):
    assert score(real, broken, types, metrics=['xgb_c2st'])['xgb_c2st'] < 0.2


@pytest.mark.parametrize('column', ['member', 'grade'])
def test_trees_see_boolean_and_ordinal_columns(real, honest, types, column):
    changed = honest.assign(**{column: honest[column].iloc[0]})
    assert score(real, changed, types, metrics=['xgb_c2st'])['xgb_c2st'] < 0.75


@pytest.mark.parametrize('column', ['height', 'city'])
def test_trees_see_missing_cells(real, honest, types, column):
    gaps = honest.copy()
    gaps.loc[gaps.index % 2 == 0, column] = None
    assert score(real, gaps, types, metrics=['xgb_c2st'])['xgb_c2st'] < 0.6


def test_trees_see_categories_that_real_data_lacks(real, honest, types):
    changed = honest.assign(city=honest['city'].replace('rome', 'Rome'))
    assert score(real, changed, types, metrics=['xgb_c2st'])['xgb_c2st'] < 0.6


def test_same_seed_same_score(real, honest, types):
    first, again = (score(real, honest, types, metrics=['xgb_c2st'], seed=3) for _ in range(2))
    assert first == again


def test_importance_points_at_the_wrong_column(real, honest, types):
    changed = honest.assign(weight=honest['weight'] + 1)
    report = evaluate(real, changed, types, metrics=['xgb_c2st'], floors=False)
    importance = report.tables['importance'].groupby('column')['importance'].sum()
    assert importance.idxmax() in {'weight', 'height'}
    assert importance.sum() == pytest.approx(1, abs=1e-3)
