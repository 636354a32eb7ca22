"""Detectors against held-out rows: what they see, and what they must not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import detection_scores, evaluate, score
from sdv_tabdar.evaluation.metrics import detectors as module


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch):
    monkeypatch.setattr(module, 'TREES', 60)


def panel(real, synthetic, types, holdout):
    return score(real, synthetic, types, holdout, metrics=['detectors'])


def test_an_honest_sample_is_as_hard_to_tell_as_real_rows(real, honest, types, holdout):
    ours = panel(real, honest, types, holdout)
    assert ours['detect_xgb'] == pytest.approx(ours['detect_xgb_real'], abs=0.06)
    assert ours['detect_excess'] < 0.06
    assert ours['detect_rows'] == 600


def test_a_copy_of_the_training_rows_is_what_real_rows_are(real, types, holdout):
    ours = panel(real, real.sample(frac=1, random_state=0), types, holdout)
    # Other rows are drawn, from the same table.
    assert ours['detect_excess'] == pytest.approx(0, abs=0.06)


def test_shuffled_columns_are_all_dependency(real, broken, types, holdout):
    ours = panel(real, broken, types, holdout)
    assert ours['detect_excess'] > 0.2
    assert ours['detect_dependency'] > 0.2
    assert ours['detect_columns'] == pytest.approx(0.5, abs=0.06)
    assert abs(ours['detect_dependency_real']) < 0.08


def test_a_shifted_column_is_no_dependency(real, honest, types, holdout):
    ours = panel(real, honest.assign(code=1), types, holdout)
    assert ours['detect_columns'] > 0.7
    assert ours['detect_dependency'] < 0.1


def test_order_of_rows_decides_little(real, broken, types, holdout):
    mixed = broken.sample(frac=1, random_state=1)
    first, second = (panel(real, rows, types, holdout)['detect_xgb'] for rows in (broken, mixed))
    assert first == pytest.approx(second, abs=0.05)


def test_floors_are_what_training_rows_reach(real, broken, types, holdout):
    report = evaluate(real, broken, types, holdout, metrics=['detectors'], verbose=False)
    for key in ('detect_xgb', 'detect_tuned', 'detect_columns', 'detect_dependency'):
        assert report.floors[key] == report.scores[f'{key}_real']
    verdict = report.verdict('detect_excess')
    assert verdict is not None
    assert verdict.mood == 'poor'


def test_packages_that_are_not_installed_are_left_out(real, honest, types, holdout, monkeypatch):
    monkeypatch.setattr(module, 'find_spec', lambda name: True if name == 'xgboost' else None)
    ours = panel(real[:200], honest[:200], types, holdout[:200])
    assert 'detect_lightgbm' not in ours
    assert np.isfinite(ours['detect_excess'])


def test_the_panel_is_there_for_two_tables_alone(monkeypatch):
    monkeypatch.setattr(module, 'PANEL', {'detect_xgb': module.PANEL['detect_xgb']})
    monkeypatch.setattr(module, 'TREES', 10)
    generator = np.random.default_rng(0)
    real, other = (
        pd.DataFrame({'x': generator.normal(shift, 1, 200), 'g': ['a', 'b'] * 100})
        for shift in (0, 2)
    )
    sdtypes = {'x': 'numerical', 'g': 'categorical'}
    found = detection_scores(real, other, sdtypes, max_rows=150)
    assert found['detect_worst'] == found['detect_xgb'] > 0.8
    assert found['detect_columns'] > 0.8
    alike = detection_scores(real, real.sample(frac=1, random_state=0), sdtypes)
    assert alike['detect_worst'] < 0.7
