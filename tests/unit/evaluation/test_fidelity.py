"""Shape and trend: agreement with SDMetrics' QualityReport, and sanity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdmetrics.reports import QualityReport

from sdv_tabdar.evaluation import evaluate, score


def quality_report(real, synthetic, metadata, *, threshold):
    """Scores and details of SDMetrics' report, over all pairs or over the related ones."""
    report = QualityReport()
    if not threshold:
        report.real_correlation_threshold = report.real_association_threshold = 0
    report.generate(
        {'table': real}, {'table': synthetic}, {'tables': {'table': metadata}}, verbose=False
    )
    scores = report.get_properties().set_index('Property')['Score']
    details = [report.get_details(name) for name in ('Column Shapes', 'Column Pair Trends')]
    return scores, *details


def as_metadata(types):
    return {'columns': {name: {'sdtype': sdtype} for name, sdtype in types.items()}}


@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_shape_and_trend_are_those_of_the_quality_report(real, types, other, request):
    synthetic = request.getfixturevalue(other)
    scores, _, _ = quality_report(real, synthetic, as_metadata(types), threshold=False)
    ours = score(real, synthetic, types, metrics=['shape', 'trend'])
    assert ours['shape_error'] == pytest.approx(1 - scores['Column Shapes'], abs=1e-12)
    assert ours['trend_error'] == pytest.approx(1 - scores['Column Pair Trends'], abs=1e-12)


def test_strong_trend_is_the_quality_reports_default(real, broken, types):
    scores, _, _ = quality_report(real, broken, as_metadata(types), threshold=True)
    ours = score(real, broken, types, metrics=['trend'])
    assert ours['trend_strong_error'] == pytest.approx(1 - scores['Column Pair Trends'], abs=1e-12)
    assert ours['trend_strong_error'] > ours['trend_error']


def test_breakdown_agrees_with_gaps_and_dates(mixed_table, mixed_metadata):
    other = mixed_table.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
    metadata = mixed_metadata['tables']['people']
    _, shapes, trends = quality_report(mixed_table, other, metadata, threshold=False)
    report = evaluate(mixed_table, other, mixed_metadata, metrics=['shape', 'trend'], floors=False)
    columns = report.tables['columns']
    assert columns['column'].tolist() == shapes['Column'].tolist()
    np.testing.assert_allclose(columns['score'], shapes['Score'], atol=1e-12)
    pairs = report.tables['pairs']
    assert pairs['column_1'].tolist() == trends['Column 1'].tolist()
    assert pairs['column_2'].tolist() == trends['Column 2'].tolist()
    np.testing.assert_allclose(pairs['score'], trends['Score'], atol=1e-12)


def test_codes_are_categories_whatever_their_dtype(real, honest, types):
    expected = score(real, honest, types, metrics=['shape', 'trend'])
    as_text = honest.assign(code=honest['code'].astype(str), grade=honest['grade'].astype(float))
    assert score(real, as_text, types, metrics=['shape', 'trend']) == expected


def test_identical_tables_have_no_error(real, types):
    ours = score(real, real.copy(), types, metrics=['shape', 'trend'])
    assert ours['shape_error'] == pytest.approx(0, abs=1e-12)
    assert ours['trend_error'] == pytest.approx(0, abs=1e-12)


def test_shuffled_columns_have_perfect_marginals_and_wrong_pairs(real, broken, honest, types):
    wrong = score(real, broken, types, metrics=['shape', 'trend'])
    good = score(real, honest, types, metrics=['shape', 'trend'])
    assert wrong['shape_error'] == pytest.approx(0, abs=1e-12)
    assert wrong['trend_error'] > 2 * good['trend_error']


def test_order_of_rows_does_not_matter(real, honest, types):
    expected = score(real, honest, types, metrics=['shape', 'trend', 'jsd'])
    mixed = score(
        real.sample(frac=1, random_state=0),
        honest.sample(frac=1, random_state=1),
        types,
        metrics=['shape', 'trend', 'jsd'],
    )
    assert mixed == pytest.approx(expected, abs=1e-12)


def test_missing_cells_are_compared():
    real = pd.DataFrame({'x': [1.0, 2.0, np.nan, np.nan]})
    synthetic = pd.DataFrame({'x': [1.0, 2.0, 1.0, np.nan]})
    ours = score(real, synthetic, {'x': 'numerical'}, metrics=['shape'])
    assert ours['missing_error'] == 0.25
    assert 'missing_error' not in score(
        real.dropna(), synthetic.dropna(), {'x': 'numerical'}, metrics=['shape']
    )


def test_jsd_is_zero_for_equal_and_maximal_for_disjoint_categories():
    first, second = pd.DataFrame({'k': ['a', 'b']}), pd.DataFrame({'k': ['c', 'd']})
    types = {'k': 'categorical'}
    assert score(first, first, types, metrics=['jsd'])['jsd'] == 0
    apart = score(first, second, types, metrics=['jsd'])['jsd']
    assert apart == pytest.approx(np.sqrt(np.log(2)))


def test_published_jsd_is_many_times_smaller(real, broken, honest, types):
    ours = score(real, honest, types, metrics=['jsd'], paper_compatible=True)
    assert 0 < ours['jsd_paper'] < ours['jsd'] / 2
