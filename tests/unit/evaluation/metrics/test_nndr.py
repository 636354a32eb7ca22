"""The ratio of the distances to the two nearest rows."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation import evaluate, score
from sdv_tabdar.evaluation.metrics.nndr import distance_ratios


def test_honest_rows_are_as_far_as_unseen_ones(real, honest, holdout, types):
    ours = score(real, honest, types, holdout, metrics=['nndr'])
    assert ours['nndr'] == pytest.approx(ours['nndr_holdout'], abs=0.05)


def test_copies_single_out_one_row(real, holdout, types):
    copy = real.sample(frac=1, random_state=0)
    assert score(real, copy, types, holdout, metrics=['nndr'])['nndr'] == 0


def test_one_real_row_has_no_second_nearest(real, types):
    report = evaluate(real[:1], real[:5], types, metrics=['nndr'])
    assert 'needs at least 2 real rows' in report.notes['nndr']


def test_ratio_of_two_zero_distances_is_one():
    ratios = distance_ratios(np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 2.0]]))
    np.testing.assert_array_equal(ratios, [1, 0, 0.5])
