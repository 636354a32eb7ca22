"""The two-sample test on matrices."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.context import NotComputableError
from sdv_tabdar.evaluation.detection import detect


@pytest.mark.parametrize('classifier', ['xgb', 'lr'])
def test_rows_that_differ_are_told_apart(classifier):
    generator = np.random.default_rng(0)
    real = generator.normal(size=(200, 2))
    synthetic = generator.normal(3, size=(200, 2))
    found = detect(real, synthetic, classifier=classifier)
    assert found.score < 0.1
    assert found.real_probability[:200].mean() > 0.9 > 0.1 > found.real_probability[200:].mean()
    assert len(found.classifiers) == 3


def test_three_folds_need_three_rows():
    with pytest.raises(NotComputableError, match='3 real and 3 synthetic rows, but .* 2 and 5'):
        detect(np.zeros((2, 1)), np.zeros((5, 1)))
