"""Imputation metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import imputation_scores

TYPES = {'x': 'numerical', 'k': 'categorical'}
TRUTH = pd.DataFrame({'x': [0.0, 2.0, 4.0, 6.0], 'k': ['a', 'b', 'a', 'b']})
HIDDEN = pd.DataFrame({'x': [True, True, False, False], 'k': [True, False, False, True]})


def test_only_hidden_cells_count_and_numbers_are_standardised():
    filled = pd.DataFrame({'x': [1.0, 2.0, 99.0, 99.0], 'k': ['a', 'z', 'z', 'a']})
    scores = imputation_scores(TRUTH, filled, HIDDEN, TYPES)
    spread = np.std([0, 2, 4, 6])
    assert scores['rmse'] == pytest.approx(np.sqrt(0.5) / spread)
    assert scores['mae'] == pytest.approx(0.5 / spread)
    assert scores['accuracy'] == 0.5
    assert scores['rmse/x'] == scores['rmse']
    assert scores['accuracy/k'] == 0.5


def test_true_cells_score_perfectly():
    scores = imputation_scores(TRUTH, TRUTH, HIDDEN, TYPES)
    assert (scores['rmse'], scores['mae'], scores['accuracy']) == (0, 0, 1)


def test_draws_are_averaged_or_voted():
    draws = [
        TRUTH.assign(x=TRUTH['x'] + shift, k=k)
        for shift, k in [(-1, list('abab')), (0, list('bbbb')), (1, list('abab'))]
    ]
    scores = imputation_scores(TRUTH, draws, HIDDEN, TYPES)
    assert scores['rmse'] == pytest.approx(0)
    assert scores['accuracy'] == 1
    tables = [{'table': draw} for draw in draws]
    assert imputation_scores({'table': TRUTH}, tables, HIDDEN, TYPES) == scores


def test_reference_gives_the_scale():
    filled = TRUTH.assign(x=TRUTH['x'] + 1)
    reference = pd.DataFrame({'x': [0.0, 20.0], 'k': ['a', 'b']})
    assert imputation_scores(TRUTH, filled, HIDDEN, TYPES, reference=reference)['mae'] == 0.1


def test_cells_left_missing_count_as_mean_and_as_wrong():
    filled = pd.DataFrame({'x': [np.nan, 2.0, 4.0, 6.0], 'k': [None, 'b', 'a', 'b']})
    scores = imputation_scores(TRUTH, filled, HIDDEN, TYPES)
    assert scores['mae'] == pytest.approx(3 / np.std([0, 2, 4, 6]) / 2)
    assert scores['accuracy'] == 0.5


def test_cells_missing_in_truth_do_not_count():
    truth = TRUTH.assign(x=[np.nan, 2.0, 4.0, 6.0])
    assert imputation_scores(truth, TRUTH, HIDDEN, TYPES)['mae'] == 0


@pytest.mark.parametrize(
    ('imputed', 'hidden', 'message'),
    [
        (TRUTH[:2], HIDDEN, r'imputed\[0\] has 2 rows but truth has 4'),
        (TRUTH, HIDDEN[:2], 'hidden has 2 rows but truth has 4'),
        (TRUTH, HIDDEN.rename(columns={'x': 'y'}), "hidden has the column 'y', which is not"),
        (TRUTH, HIDDEN.astype(int), "Column 'x' of hidden has dtype int64; it must be bool"),
        (TRUTH, HIDDEN & False, 'hidden is False everywhere'),
        ([], HIDDEN, 'imputed is an empty list'),
    ],
)
def test_frames_that_do_not_fit_are_refused(imputed, hidden, message):
    with pytest.raises(ValueError, match=message):
        imputation_scores(TRUTH, imputed, hidden, TYPES)


@pytest.mark.parametrize('names', [[0, 1], ['0', '1']])
def test_hidden_names_columns_as_the_table_or_as_the_metadata(names):
    truth = TRUTH.set_axis([0, 1], axis=1)
    scores = imputation_scores(
        truth, truth, HIDDEN.set_axis(names, axis=1), {'0': 'numerical', '1': 'categorical'}
    )
    assert (scores['rmse/0'], scores['accuracy/1']) == (0, 1)


@pytest.mark.parametrize('unit', [1e300, 1e-300])
def test_errors_do_not_depend_on_the_unit(unit):
    filled = pd.DataFrame({'x': [1.0, 2.0, 4.0, 6.0], 'k': list('abab')})
    usual = imputation_scores(TRUTH, filled, HIDDEN, TYPES)
    scaled = [part.assign(x=part['x'] * unit) for part in (TRUTH, filled)]
    assert imputation_scores(*scaled, HIDDEN, TYPES) == pytest.approx(usual)
