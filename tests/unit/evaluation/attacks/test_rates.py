"""AUC and hits at few false alarms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sdv_tabdar.evaluation.attacks.rates import guessing_error, rates


def test_auc_with_ties_is_that_of_scikit_learn():
    generator = np.random.default_rng(0)
    members, others = generator.integers(1, 6, 50), generator.integers(0, 5, 70)
    label = np.repeat([1, 0], [50, 70])
    expected = roc_auc_score(label, np.concatenate([members, others]))
    assert rates(members, others).auc == pytest.approx(expected)


def test_hits_are_counted_at_so_many_false_alarms():
    # Above 99 of 100 others are 3 of 4 members, above 90 of them all 4.
    others = np.arange(100.0)
    found = rates(np.array([95.0, 98.5, 200.0, 300.0]), others)
    assert found.hits == (0.75, 1.0)


def test_equal_scores_are_told_apart_as_a_coin_would():
    found = rates(np.zeros(10), np.zeros(30))
    assert found.auc == 0.5
    assert found.hits == pytest.approx((0.01, 0.1))


def test_only_the_order_of_scores_counts():
    generator = np.random.default_rng(1)
    members, others = generator.normal(0.5, 1, 40), generator.normal(0, 1, 60)
    assert rates(members, others) == rates(np.exp(members), np.exp(others))


def test_intervals_hold_the_rates_and_shrink_with_the_rows():
    generator = np.random.default_rng(2)
    widths = []
    for rows in (50, 800):
        found = rates(generator.normal(1, 1, rows), generator.normal(0, 1, rows), generator)
        assert found.low is not None
        assert found.high is not None
        assert found.low[0] < found.auc < found.high[0]
        widths.append(found.high[0] - found.low[0])
    assert widths[1] < widths[0] / 2


def test_guesses_vary_by_their_standard_error():
    generator = np.random.default_rng(3)
    aucs = [rates(generator.random(30), generator.random(90)).auc for _ in range(400)]
    assert np.std(aucs) == pytest.approx(guessing_error(30, 90), rel=0.15)
