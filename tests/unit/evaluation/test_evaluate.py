"""The entry points: choice of metrics, the report, awkward tables, messages."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import detection_scores, evaluate, score
from sdv_tabdar.evaluation.metrics import mle as mle_module


@pytest.fixture(scope='module')
def report(real, broken, holdout, types):
    return evaluate(real[:300], broken[:300], types, holdout[:150], target='member', metrics='all')


def test_default_scores(real, honest, holdout, types):
    found = score(real[:300], honest[:300], types, holdout[:150])
    assert {
        'shape_error',
        'trend_error',
        'xgb_c2st',
        'lr_c2st',
        'alpha_precision',
        'beta_recall',
        'dcr_share',
        'copies',
    } <= set(found)
    assert all(isinstance(value, float) for value in found.values())


def test_tables_may_be_dictionaries_as_sdv_has_them(real, honest, holdout, types):
    def likelihood(rows: pd.DataFrame) -> pd.Series:
        return rows.iloc[:, 0].astype(float)

    asked = {'metrics': ['shape', 'attacks'], 'log_likelihood': likelihood}
    frames = [rows[:120] for rows in (real, honest, holdout)]
    tables = [{'table': rows} for rows in frames]
    found = score(tables[0], tables[1], types, tables[2], **asked)
    expected = score(frames[0], frames[1], types, frames[2], **asked)
    assert found == pytest.approx(expected, nan_ok=True)


def test_a_metric_asked_for_twice_is_computed_once(real, honest, types):
    found = score(real, honest, types, metrics=['beta_recall', 'alpha_precision'])
    assert set(found) == {'alpha_precision', 'beta_recall'}


def test_report_holds_all_scores_with_floors(report):
    assert {'xgb_c2st', 'mle', 'mle_real', 'nndr', 'mia_auc', 'sdmetrics_dcr'} <= set(report.scores)
    assert report.scores['xgb_c2st'] < 0.3 < 0.8 < report.floors['xgb_c2st']
    assert report.floors['mle'] == report.scores['mle_real']
    assert report.floors['beta_recall'] == pytest.approx(0.5, abs=0.1)
    assert report.notes == {}


def test_metrics_without_their_inputs_are_left_out_and_noted(real, honest, types):
    found = evaluate(real[:200], honest[:200], types, floors=False)
    assert 'mle' not in found.scores
    assert found.notes['mle'].startswith('left out: it needs real_test')
    assert 'membership' in found.notes
    assert 'takes long' not in found.notes['membership']
    assert found.floors == {}


TYPES_2 = {'x': 'numerical', 'k': 'categorical'}


AWKWARD = {
    'one row': (TYPES_2, pd.DataFrame({'x': [1.0], 'k': ['a']})),
    'two rows': (TYPES_2, pd.DataFrame({'x': [1.0, 2.0], 'k': ['a', 'b']})),
    'constant': (TYPES_2, pd.DataFrame({'x': [1.0] * 40, 'k': ['a'] * 40})),
    'all missing': (TYPES_2, pd.DataFrame({'x': [np.nan] * 40, 'k': [None] * 40})),
    'one all missing': (TYPES_2, pd.DataFrame({'x': [np.nan] * 40, 'k': ['a', 'b'] * 20})),
    'a number all missing': (
        {**TYPES_2, 'e': 'numerical'},
        pd.DataFrame({'x': np.arange(40.0), 'k': ['a', 'b'] * 20, 'e': np.nan}),
    ),
    'one date': (
        {**TYPES_2, 'd': 'datetime'},
        pd.DataFrame({'x': 2**60, 'k': ['a', 'b'] * 20, 'd': pd.Timestamp('2026-01-01')}),
    ),
    'numbers as large as floats are': (
        TYPES_2,
        pd.DataFrame({'x': [1.7e308, -1.7e308, 1.0, 1e200] * 10, 'k': ['a', 'b'] * 20}),
    ),
    'one huge number': (
        TYPES_2,
        pd.DataFrame({'x': [1e300, *np.arange(39.0)], 'k': ['a', 'b'] * 20}),
    ),
    'no number': (
        {'k': 'categorical', 'b': 'boolean'},
        pd.DataFrame({'k': ['a', 'b'] * 20, 'b': [True, False] * 20}),
    ),
    'numbers only': (
        {'x': 'numerical', 'y': 'numerical'},
        pd.DataFrame({'x': np.arange(40.0), 'y': np.arange(40.0) ** 2}),
    ),
    'one column': ({'x': 'numerical'}, pd.DataFrame({'x': np.arange(40.0)})),
    'names that are no text': (
        {1: 'numerical', 2: 'categorical'},
        pd.DataFrame({1: np.arange(40.0), 2: ['a', 'b'] * 20}),
    ),
    'markup': (
        {'<b>': 'categorical', 'x&y': 'numerical'},
        pd.DataFrame({'<b>': ['<script>', '"'] * 20, 'x&y': np.arange(40.0)}),
    ),
}


@pytest.mark.parametrize('name', AWKWARD)
def test_awkward_tables_have_a_report(name, monkeypatch):
    monkeypatch.setattr(mle_module, 'SEEDS', 1)
    types, table = AWKWARD[name]
    found = evaluate(table, table, types, table, target=list(types)[-1])
    for key, value in found.scores.items():
        # NaN only where a note says why, or where a metric has a part without value.
        assert np.isfinite(value) or 'not computable' in ' '.join(found.notes.values()), key
    page = found.to_html()
    assert '<script>' not in page
    assert 'nan' not in page.replace('provenance', '').lower().split('</style>')[1]
    json.loads(found.to_json())


def test_single_rows_say_why_there_is_no_score():
    types, table = AWKWARD['one row']
    found = evaluate(table, table, types)
    assert np.isnan(found.scores['xgb_c2st'])
    assert 'need at least 3 real and 3 synthetic rows' in found.notes['xgb_c2st']


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'metrics': ['shap']}, "Unknown metric 'shap'. The metrics are 'xgb_c2st'"),
        ({'metrics': ['mle']}, r"The metric 'mle' needs real_test .* and target"),
        ({'metrics': ['membership']}, "The metric 'membership' needs real_test"),
        (
            {'target': 'hight'},
            "The target is 'hight', which is not a measured column. The columns are 'height'",
        ),
        *(
            ({'seed': seed}, f'from 0 to 2147483647, or None for a new one .* however: {seed}')
            for seed in (-1, 2**31, 0.5, True)
        ),
    ],
)
def test_bad_choices_are_refused(real, honest, types, arguments, message):
    with pytest.raises(ValueError, match=message):
        score(real, honest, types, **arguments)


def test_without_a_seed_there_is_another_one_each_time(real, honest, types):
    reports = [
        evaluate(real, honest, types, metrics=['xgb_c2st'], seed=None, verbose=False)
        for _ in range(2)
    ]
    seeds = [report.facts['seed'] for report in reports]
    assert seeds[0] != seeds[1]
    again = evaluate(real, honest, types, metrics=['xgb_c2st'], seed=seeds[0], verbose=False)
    assert again.scores == reports[0].scores
    assert again.floors == reports[0].floors
    assert set(score(real, honest, types, metrics=['shape'], seed=None)) == {'shape_error'}


def test_bad_density_pairs_are_refused(real, honest, types):
    with pytest.raises(ValueError, match="density_pairs names 'hight', which is not a measured"):
        evaluate(real, honest, types, density_pairs=[('height', 'hight')])
    for pairs in (['height'], [('height',)], [3]):
        with pytest.raises(ValueError, match='density_pairs must be pairs of columns, such as'):
            evaluate(real, honest, types, density_pairs=pairs)


def test_bad_sizes_of_detection_are_refused(real, honest, types):
    for size in (0, 4, 10.0):
        with pytest.raises(ValueError, match='max_rows must be a whole number of at least 5'):
            detection_scores(real, honest, types, max_rows=size)
    with pytest.raises(ValueError, match='seed must be a whole number'):
        detection_scores(real, honest, types, seed=-1)


def test_columns_that_differ_between_frames_are_refused(real, honest, types):
    with pytest.raises(ValueError, match="columns of synthetic differ .* it lacks 'code'"):
        score(real, honest.drop(columns='code'), types)
    with pytest.raises(ValueError, match='real_train has no rows'):
        score(real[:0], honest, types)


def test_inputs_stay_as_they_were(mixed_table, mixed_metadata):
    real, synthetic = mixed_table.copy(), mixed_table[::-1].copy()
    kept = real.copy(), synthetic.copy()
    evaluate(real, synthetic, mixed_metadata, floors=False)
    pd.testing.assert_frame_equal(real, kept[0])
    pd.testing.assert_frame_equal(synthetic, kept[1])


def test_evaluation_can_be_imported_without_torch():
    code = (
        'import sys\n'
        'class NoTorch:\n'
        '    def find_spec(self, name, path=None, target=None):\n'
        "        if name.split('.')[0] == 'torch':\n"
        "            raise ModuleNotFoundError('torch', name='torch')\n"
        'sys.meta_path.insert(0, NoTorch())\n'
        'import importlib.util, types\n'
        "spec = importlib.util.find_spec('sdv_tabdar')\n"
        "package = types.ModuleType('sdv_tabdar')\n"
        'package.__path__ = list(spec.submodule_search_locations)\n'
        "sys.modules['sdv_tabdar'] = package\n"
        'import sdv_tabdar.evaluation\n'
        "assert not [name for name in sys.modules if name.startswith('sdv_tabdar.core')]\n"
    )
    subprocess.run([sys.executable, '-c', code], check=True, capture_output=True)


def test_costly_metrics_are_left_out_unless_asked_for(real, honest, holdout, types, monkeypatch):
    monkeypatch.setitem(mle_module.TREES, 'n_estimators', 5)
    found = evaluate(real[:100], honest[:100], types, holdout[:100], floors=False)
    assert 'detect_xgb' not in found.scores
    assert found.notes['detectors'].startswith('left out: it takes long; ask for it by its name')
    asked = score(real[:100], honest[:100], types, holdout[:100], metrics=['sdmetrics_dcr'])
    assert set(asked) == {'sdmetrics_dcr'}


def test_progress_can_be_shown_or_not(real, honest, types, capsys):
    evaluate(real[:100], honest[:100], types, metrics=['shape'], verbose=True)
    shown = capsys.readouterr().err
    assert 'Scores' in shown
    assert 'Floors' in shown
    evaluate(real[:100], honest[:100], types, metrics=['shape'], verbose=False)
    assert capsys.readouterr().err == ''


def test_columns_are_named_as_in_the_frames_or_in_the_metadata():
    frame = pd.DataFrame({0: np.arange(40.0), 1: list('ab') * 20})
    metadata = {'0': 'numerical', '1': 'categorical'}
    for first, second in ((0, 1), ('0', '1')):
        found = evaluate(
            frame[:30],
            frame[10:],
            metadata,
            frame[30:],
            target=second,
            metrics=['shape'],
            floors=False,
            density_pairs=[(first, second)],
            verbose=False,
        )
        assert found.facts['target'] == '1'
    with pytest.raises(ValueError, match="The target is 2, which is .* columns are '0', '1'"):
        score(frame, frame, metadata, target=2)
