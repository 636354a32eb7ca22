"""Trend: agreement with SDMetrics' QualityReport, and sanity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score


def trend_of(real, synthetic, types):
    return score(real, synthetic, types, metrics=['trend'])


@pytest.mark.parametrize('other', ['honest', 'broken'])
def test_score_is_that_of_the_quality_report(real, types, other, quality_report, request):
    synthetic = request.getfixturevalue(other)
    scores, _, _ = quality_report(real, synthetic, types, threshold=False)
    ours = trend_of(real, synthetic, types)
    assert ours['trend_error'] == pytest.approx(1 - scores['Column Pair Trends'], abs=1e-12)


def test_strong_trend_is_the_quality_reports_default(real, broken, types, quality_report):
    scores, _, _ = quality_report(real, broken, types, threshold=True)
    ours = trend_of(real, broken, types)
    assert ours['trend_strong_error'] == pytest.approx(1 - scores['Column Pair Trends'], abs=1e-12)
    assert ours['trend_strong_error'] > ours['trend_error']


def test_breakdown_agrees_with_gaps_and_dates(mixed_table, mixed_metadata, quality_report):
    other = mixed_table.sample(frac=1, replace=True, random_state=1).reset_index(drop=True)
    columns = mixed_metadata['tables']['people']['columns']
    _, _, trends = quality_report(mixed_table, other, columns, threshold=False)
    report = evaluate(mixed_table, other, mixed_metadata, metrics=['trend'], floors=False)
    ours = report.tables['pairs']
    assert ours['column_1'].tolist() == trends['Column 1'].tolist()
    assert ours['column_2'].tolist() == trends['Column 2'].tolist()
    np.testing.assert_allclose(ours['score'], trends['Score'], atol=1e-12)


def test_codes_are_categories_whatever_their_dtype(real, honest, types):
    as_text = honest.assign(code=honest['code'].astype(str), grade=honest['grade'].astype(float))
    assert trend_of(real, as_text, types) == trend_of(real, honest, types)


def test_identical_tables_have_no_error(real, types):
    assert trend_of(real, real.copy(), types)['trend_error'] == pytest.approx(0, abs=1e-12)


def test_shuffled_columns_are_seen(real, broken, honest, types):
    wrong, good = (trend_of(real, other, types)['trend_error'] for other in (broken, honest))
    assert wrong > 2 * good


def test_order_of_rows_does_not_matter(real, honest, types):
    mixed = [frame.sample(frac=1, random_state=seed) for seed, frame in enumerate((real, honest))]
    assert trend_of(*mixed, types) == pytest.approx(trend_of(real, honest, types), abs=1e-12)


def test_an_outlier_moves_own_edges_but_not_the_real_ones(real, honest, types):
    far = honest.assign(weight=honest['weight'].where(honest.index > 0, 60.0))
    ours, before = trend_of(real, far, types), trend_of(real, honest, types)
    assert ours['trend_error'] > before['trend_error'] + 0.05
    assert ours['trend_real_edges_error'] == pytest.approx(
        before['trend_real_edges_error'], abs=0.02
    )


def test_correlation_of_a_constant_is_undefined(real, honest, types):
    constant = honest.assign(weight=1.0)
    pairs = evaluate(real, constant, types, metrics=['trend'], floors=False).tables['pairs']
    row = pairs[(pairs['column_1'] == 'height') & (pairs['column_2'] == 'weight')]
    assert row['score'].isna().all()


@pytest.mark.parametrize('value', [1e17, pd.Timestamp('2026-01-01')], ids=['number', 'date'])
def test_a_large_constant_beside_itself_has_no_error(real, types, value):
    types = {**types, 'fixed': 'numerical' if value == 1e17 else 'datetime'}
    table = real[:100].assign(fixed=value)
    ours = trend_of(table, table, types)
    assert ours['trend_error'] == ours['trend_real_edges_error'] == 0


def test_large_neighbouring_numbers_that_are_not_drawn_are_an_error(real, types):
    types = {'city': types['city'], 'stamp': 'numerical'}
    table = real.loc[:99, ['city']].assign(stamp=2.0**60 + 256 * (np.arange(100) % 3))
    other = table.assign(stamp=2.0**60)
    assert trend_of(table, other, types)['trend_real_edges_error'] == pytest.approx(0.66, abs=0.01)
