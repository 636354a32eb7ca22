"""Very large numbers are measured in units of their own; others stay as they are."""

from __future__ import annotations

from html import unescape

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import detection_scores, evaluate, score
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.units import LARGEST, in_units

X = resolve_columns({'x': 'numerical', 'k': 'categorical'})


def frame(*numbers):
    return pd.DataFrame({'x': np.array(numbers, dtype=float), 'k': 'a'})


def test_ordinary_numbers_and_dates_in_nanoseconds_stay():
    frames = {'real': frame(-LARGEST, 1.7e18, np.nan), 'synthetic': frame(np.nan)}
    found, units = in_units(frames, X)
    assert all(found[name] is frames[name] for name in frames)
    assert units == {}


def test_a_large_column_is_divided_by_a_power_of_ten_in_all_frames():
    frames = {'real': frame(3e200, -2e200, np.nan, 0), 'synthetic': frame(1e199)}
    found, units = in_units(frames, X)
    assert units == {'x': 1e200}
    np.testing.assert_allclose(found['real']['x'], [3, -2, np.nan, 0])
    np.testing.assert_allclose(found['synthetic']['x'], [0.1])
    assert frames['synthetic']['x'].tolist() == [1e199]


@pytest.mark.parametrize(
    'frames',
    [
        {'real': frame(1, 2, 3), 'synthetic': frame(-1e300, 2)},
        {'real': frame(np.nan, 0), 'synthetic': frame(-1.7e308, 2)},
    ],
    ids=['beside ordinary ones', 'beside none'],
)
def test_a_huge_number_counts_as_the_largest(frames):
    found, units = in_units(frames, X)
    assert units == {}
    assert found['synthetic']['x'].tolist() == [-LARGEST, 2]


def test_the_unit_of_the_largest_floats_can_be_computed():
    assert in_units({'real': frame(1.7e308, -1.7e308)}, X)[1] == {'x': 1e308}


@pytest.mark.parametrize('size', [1e-30, 1e-200, 5e-324])
def test_small_columns_are_multiplied_in_all_frames(size):
    frames = {'real': frame(0, np.nan), 'synthetic': frame(9 * size, size)}
    found, units = in_units(frames, X)
    assert units['x'] < 1e-29
    assert found['real']['x'].tolist()[0] == 0
    np.testing.assert_allclose(found['synthetic']['x'] * units['x'], [9 * size, size])


def test_small_numbers_beside_ordinary_ones_stay():
    frames = {'real': frame(1e-300, 0.5), 'synthetic': frame(1e-300, 1e-310)}
    found, units = in_units(frames, X)
    assert found['real'] is frames['real']
    assert units == {}


def test_zeros_stay():
    assert in_units({'real': frame(0, -0.0), 'synthetic': frame(np.nan)}, X)[1] == {}


HUGE = 1e200
METRICS = ['shape', 'trend', 'xgb_c2st', 'lr_c2st', 'jsd', 'alpha_precision', 'dcr', 'utility']


@pytest.fixture
def tables(real, honest, holdout):
    return [part.loc[:99, ['height', 'weight', 'city']] for part in (real, honest, holdout)]


@pytest.fixture
def narrow(types):
    return {name: types[name] for name in ('height', 'weight', 'city')}


@pytest.mark.parametrize('unit', [HUGE, 1 / HUGE])
def test_scores_do_not_depend_on_the_unit(tables, narrow, unit):
    real, honest, holdout = tables
    usual = score(real, honest, narrow, holdout, metrics=METRICS)
    scaled = [part.assign(weight=part['weight'] * unit) for part in tables]
    found = score(*scaled[:2], narrow, scaled[2], metrics=METRICS)
    assert found == pytest.approx(usual, rel=0.1, abs=0.02)


@pytest.mark.parametrize('unit', [HUGE, 1 / HUGE])
def test_an_error_of_predictions_is_in_the_units_of_the_target(tables, narrow, unit):
    scaled = [part.assign(weight=part['weight'] * unit) for part in tables]
    usual, found = (
        score(first, second, narrow, test, target='weight', metrics='mle')
        for first, second, test in (tables, scaled)
    )
    assert found['mle'] / unit == pytest.approx(usual['mle'], rel=0.2)


def test_detectors_take_huge_numbers_too(tables, narrow):
    real, honest, _ = (part.assign(weight=part['weight'] * HUGE) for part in tables)
    assert detection_scores(real, honest, narrow)['detect_worst'] < 0.8


def test_the_page_names_the_unit(tables, narrow):
    real, honest, _ = (part.assign(weight=part['weight'] * HUGE) for part in tables)
    report = evaluate(real, honest, narrow, metrics=['shape', 'xgb_c2st'], floors=False)
    assert 'weight / 1e+199' in unescape(report.to_html())


def test_independent_draws_have_the_units_of_real_rows(tables, narrow):
    real, honest, _ = tables
    scaled = [part.assign(weight=part['weight'] * HUGE) for part in (real, honest)]
    usual, found = (
        evaluate(first, first, narrow, metrics=['shape'], independent_draws=second).reasons
        for first, second in ((real, honest), scaled)
    )
    assert usual['shape_error']
    assert found == usual
