"""Cells of outliers, guessed."""

from __future__ import annotations

import pandas as pd

from sdv_tabdar.evaluation.attacks.attribute import guess_cells


def test_of_strangers_as_much_is_guessed_as_of_members(honest_case):
    guesses = guess_cells(honest_case)
    assert guesses is not None
    assert guesses.low < 0 < guesses.high


def test_copied_outliers_give_their_cells_away(make_case, real, holdout, types):
    case = make_case(real[:400], real[:400], holdout, types)
    guesses = guess_cells(case)
    assert guesses is not None
    assert guesses.members > 0.9
    assert guesses.low > 0.1


def test_the_cells_of_a_column_are_guessed_by_the_other_columns(make_case):
    # x says what k is; nothing else does. Missing numbers are no cells to guess.
    frame = pd.DataFrame({'x': [0.0, 1.0] * 50, 'k': ['a', 'b'] * 50, 'y': [None, 1.0] * 50})
    far = pd.DataFrame({'x': [5.0, 6.0] * 10, 'k': ['a', 'b'] * 10, 'y': [None, 1.0] * 10})
    sdtypes = {'x': 'numerical', 'k': 'categorical', 'y': 'numerical'}
    both = pd.concat([frame, far], ignore_index=True)
    case = make_case(both, both, frame, sdtypes)
    assert guess_cells(case) is None  # nobody who was not trained on is an outlier


def test_a_single_column_has_no_others(make_case, real, honest, holdout):
    case = make_case(
        real[['height']], honest[['height']], holdout[['height']], {'height': 'numerical'}
    )
    assert guess_cells(case) is None
