"""Scores: which cells count, and what stands for values that training has not seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.likelihood import UNSEEN, Scores

from .conftest import make_table

ROWS = make_table().head(4).reset_index(drop=True)


def scores(fitted: FittedTable, rows: pd.DataFrame, unseen: str = UNSEEN[0]) -> Scores:
    return Scores(fitted, rows, unseen, {}, Blocks())


def test_rows_of_training_are_possible_and_keys_do_not_count(fitted: FittedTable) -> None:
    found = scores(fitted, ROWS).of_rows(2, None)
    assert np.isfinite(found).all()
    cells = scores(fitted, ROWS.assign(key=0)).of_cells(2, None)
    assert list(cells.columns) == ['number', 'whole', 'day', 'level']
    assert np.isfinite(cells).all(axis=None)


@pytest.mark.parametrize(
    ('column', 'value'), [('number', 1e6), ('day', '01.01.1999'), ('level', 'never')]
)
@pytest.mark.filterwarnings('ignore:.*the training data had not')
def test_a_value_never_seen_counts_in_its_column_alone(
    fitted: FittedTable, column: str, value: object
) -> None:
    rows = ROWS.copy()
    rows[column] = rows[column].astype(object)
    rows.loc[1, column] = value

    impossible = scores(fitted, rows).of_cells(1, None)
    assert list(np.isneginf(impossible[column])) == [False, True, False, False]
    assert np.isfinite(impossible.drop(columns=column)).all(axis=None)
    skipped = scores(fitted, rows, 'skip').of_cells(1, None)
    assert list(skipped[column].isna()) == [False, True, False, False]
    rare = scores(fitted, rows, 'rare').of_cells(1, None)
    assert rare.loc[1, column] == pytest.approx(fitted.trained[0].log_unseen(column))
    assert list(np.isneginf(scores(fitted, rows).of_rows(1, None))) == [False, True, False, False]
    assert np.isfinite(scores(fitted, rows, 'rare').of_rows(1, None)).all()


def test_no_rows_and_no_columns(fitted: FittedTable) -> None:
    assert scores(fitted, ROWS.head(0)).of_rows(1, None).shape == (0,)
    nothing = scores(fitted, ROWS[['key']])
    assert list(nothing.of_rows(1, None)) == [0.0] * 4
    assert nothing.of_cells(1, None).shape == (4, 0)
