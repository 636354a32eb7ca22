"""Boosted trees that predict a column."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.trees import FEW_CELLS, fit_classifier, fit_regressor, thread_count

SETTING = {'n_estimators': 20, 'max_depth': 3}


def rows(seed):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(300, 2))
    return x, x[:, 0] + 0.1 * generator.normal(size=300)


def test_a_number_is_predicted():
    x, y = rows(0)
    predict = fit_regressor(x, y, (x[:30], y[:30]), SETTING, 0)
    other, truth = rows(1)
    assert np.corrcoef(predict(other), truth)[0, 1] > 0.9


def test_classes_that_do_not_occur_get_nothing():
    x, y = rows(0)
    predict = fit_classifier(x, np.where(y > 0, 3, 1), None, SETTING, 0, 5)
    probabilities = predict(x)
    assert probabilities.shape == (300, 5)
    assert (probabilities[:, [0, 2, 4]] == 0).all()
    assert probabilities.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_held_rows_without_a_known_class_stop_nothing():
    x, y = rows(0)
    classes = np.where(y > 0, 3, 1)
    predict = fit_classifier(x, classes, (x[:10], np.full(10, 4)), SETTING, 0, 5)
    assert (predict(x).argmax(axis=1) == classes).mean() > 0.9


def test_a_single_class_tells_nothing_apart():
    x, _ = rows(0)
    predict = fit_classifier(x, np.zeros(300, int), None, SETTING, 0, 2)
    assert (predict(x) == 1).all()


def test_small_tables_use_one_thread():
    assert thread_count(np.zeros((10, 2))) == 1


def test_threads_are_no_more_than_the_environment_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    large = np.empty((FEW_CELLS, 2), dtype=np.uint8)
    monkeypatch.setenv('OMP_NUM_THREADS', '3')
    assert thread_count(large) == 3
    monkeypatch.delenv('OMP_NUM_THREADS')
    assert thread_count(large) is None
