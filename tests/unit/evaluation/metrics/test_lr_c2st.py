"""LR-C2ST: agreement with SDMetrics' LogisticDetection, and what it cannot see."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdmetrics.single_table.detection import LogisticDetection

from sdv_tabdar.evaluation import evaluate, score


@pytest.mark.changes_random_state('SDMetrics draws its folds from the global generator')
@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_score_is_that_of_sdmetrics(real, other, detected, request):
    ours, expected = detected('lr_c2st', LogisticDetection, real, request.getfixturevalue(other))
    assert ours == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_it_sees_no_relation_between_columns(real, types, other, request):
    synthetic = request.getfixturevalue(other)
    assert score(real, synthetic, types, metrics=['lr_c2st'])['lr_c2st'] > 0.9


def test_it_sees_wrong_shares(real, honest, types):
    changed = honest.assign(city='bonn')
    assert score(real, changed, types, metrics=['lr_c2st'])['lr_c2st'] < 0.7


@pytest.mark.parametrize('column', ['member', 'grade'])
def test_it_does_not_look_at_boolean_and_ordinal_columns(real, honest, types, column):
    # As SDMetrics.
    changed = honest.assign(**{column: honest[column].iloc[0]})
    assert score(real, changed, types, metrics=['lr_c2st'])['lr_c2st'] > 0.9


def test_table_of_booleans_has_no_lr_score():
    frame = pd.DataFrame({'a': [True, False] * 20})
    report = evaluate(frame, frame, {'a': 'boolean'}, metrics=['lr_c2st'])
    assert np.isnan(report.scores['lr_c2st'])
    assert 'SDMetrics drops boolean and ordinal columns' in report.notes['lr_c2st']
