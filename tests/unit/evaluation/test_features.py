"""The numeric matrix of a mixed table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.features import TableFeatures
from sdv_tabdar.evaluation.tables import prepare_frames

TYPES = {'x': 'numerical', 'k': 'categorical'}


def prepared(*frames):
    columns = resolve_columns(TYPES)
    named = {str(index): frame for index, frame in enumerate(frames)}
    return columns, *prepare_frames(named, columns).values()


def test_layout_numbers_then_sorted_levels():
    columns, real = prepared(pd.DataFrame({'x': [1.0, 2.0], 'k': ['b', 'a']}))
    (matrix,) = TableFeatures.fit(real, columns).transform(real)
    assert matrix.names == ('x', 'k = a', 'k = b')
    assert matrix.sources == ('x', 'k', 'k')
    np.testing.assert_array_equal(matrix.values, [[1, 0, 1], [2, 1, 0]])


def test_missing_and_unseen_cells_are_flagged_in_both_tables():
    columns, real, synthetic = prepared(
        pd.DataFrame({'x': [1.0, 2.0, 6.0], 'k': ['b', 'a', None]}),
        pd.DataFrame({'x': [np.nan, 2.0], 'k': ['b', 'new']}),
    )
    mine, theirs = TableFeatures.fit(real, columns).transform(real, synthetic)
    assert mine.names == theirs.names
    assert mine.names == (
        'x',
        'k = a',
        'k = b',
        'k = missing',
        'x is missing',
        'k is a new value',
    )
    np.testing.assert_array_equal(theirs.values, [[2, 0, 1, 0, 1, 0], [2, 0, 0, 0, 0, 1]])
    assert mine.values[:, -2:].sum() == 0


def test_fill_and_levels_come_from_real_rows_alone():
    columns, real, synthetic = prepared(
        pd.DataFrame({'x': [1.0, 2.0, 6.0], 'k': ['a', 'a', 'b']}),
        pd.DataFrame({'x': [np.nan, 100.0], 'k': ['c', 'd']}),
    )
    median = TableFeatures.fit(real, columns).transform(synthetic)[0]
    mean = TableFeatures.fit(real, columns, fill='mean').transform(synthetic)[0]
    assert median.values[0, 0] == 2
    assert mean.values[0, 0] == 3


def test_column_of_thousands_of_categories_stays_narrow():
    rows = 3000
    columns, real = prepared(
        pd.DataFrame({'x': np.zeros(rows), 'k': [f'name {i}' for i in range(rows)]})
    )
    (matrix,) = TableFeatures.fit(real, columns, max_one_hot=100).transform(real)
    assert matrix.values.shape[1] <= 102
    ranks = matrix.values[:, matrix.names.index('k (rank)')]
    assert len(np.unique(ranks)) == rows
