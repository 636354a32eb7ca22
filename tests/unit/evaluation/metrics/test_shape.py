"""Shape: agreement with SDMetrics' QualityReport, and sanity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score


def shape_of(real, synthetic, types):
    return score(real, synthetic, types, metrics=['shape'])


@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_score_is_that_of_the_quality_report(real, types, other, quality_report, request):
    synthetic = request.getfixturevalue(other)
    scores, _, _ = quality_report(real, synthetic, types, threshold=False)
    ours = shape_of(real, synthetic, types)
    assert ours['shape_error'] == pytest.approx(1 - scores['Column Shapes'], abs=1e-12)


def test_breakdown_agrees_with_gaps_and_dates(mixed_table, mixed_metadata, quality_report):
    other = mixed_table.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
    columns = mixed_metadata['tables']['people']['columns']
    _, shapes, _ = quality_report(mixed_table, other, columns, threshold=False)
    report = evaluate(mixed_table, other, mixed_metadata, metrics=['shape'], floors=False)
    ours = report.tables['columns']
    assert ours['column'].tolist() == shapes['Column'].tolist()
    np.testing.assert_allclose(ours['score'], shapes['Score'], atol=1e-12)


def test_codes_are_categories_whatever_their_dtype(real, honest, types):
    as_text = honest.assign(code=honest['code'].astype(str), grade=honest['grade'].astype(float))
    assert shape_of(real, as_text, types) == shape_of(real, honest, types)


def test_identical_and_shuffled_tables_have_no_error(real, broken, types):
    for synthetic in (real.copy(), broken):
        ours = shape_of(real, synthetic, types)
        assert ours['shape_error'] == pytest.approx(0, abs=1e-12)


def test_order_of_rows_does_not_matter(real, honest, types):
    mixed = [frame.sample(frac=1, random_state=seed) for seed, frame in enumerate((real, honest))]
    assert shape_of(*mixed, types) == pytest.approx(shape_of(real, honest, types), abs=1e-12)


def test_missing_cells_are_compared():
    real = pd.DataFrame({'x': [1.0, 2.0, np.nan, np.nan]})
    synthetic = pd.DataFrame({'x': [1.0, 2.0, 1.0, np.nan]})
    assert shape_of(real, synthetic, {'x': 'numerical'})['missing_error'] == 0.25
    complete = shape_of(real.dropna(), synthetic.dropna(), {'x': 'numerical'})
    assert 'missing_error' not in complete
