"""What is asked of models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation.likelihoods import WhiteBox

FRAMES = {'real': pd.DataFrame({'x': [1, 2, 3]}), 'holdout': pd.DataFrame({'x': [7, 8]})}
ROWS = {'real': np.array([2, 0]), 'holdout': np.array([1])}


def test_rows_are_handed_over_in_order():
    box = WhiteBox(lambda rows: rows['x'], None, FRAMES)
    assert box.ask(box.log_likelihood, 'log_likelihood', ROWS).tolist() == [3, 1, 8]


@pytest.mark.parametrize(
    ('function', 'found'),
    [
        (lambda rows: rows['x'].sum(), r'shape \(\)'),
        (lambda rows: rows[['x']], r'shape \(3, 1\)'),
        (lambda rows: rows['x'] * np.nan, 'NaN among them'),
    ],
)
def test_other_answers_are_refused(function, found):
    box = WhiteBox(function, None, FRAMES)
    with pytest.raises(ValueError, match=f'mine must give one number for each of the 3.*{found}'):
        box.ask(function, 'mine', ROWS)
