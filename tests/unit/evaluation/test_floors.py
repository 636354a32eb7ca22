"""What real rows score in the place of synthetic ones."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation import evaluate, floor_scores
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.floors import halves


def test_floors_of_errors_are_scaled_to_the_sizes(real, honest, types):
    small = evaluate(real, honest[:100], types, metrics=['shape']).floors['shape_error']
    large = evaluate(real, honest, types, metrics=['shape']).floors['shape_error']
    assert small / large == pytest.approx(np.sqrt((1 / 1200 + 1 / 100) / (2 / 1200)))


def test_floor_scores_are_those_of_a_report(real, honest, holdout, types):
    names = ['shape', 'xgb_c2st', 'membership']
    report = evaluate(real, honest, types, holdout, metrics=names, seed=3)
    alone = floor_scores(real, types, holdout, metrics=names, seed=3)
    assert alone == pytest.approx(report.floors)


def test_halves_are_disjoint_and_tiny_tables_are_resampled(real, types):
    columns = resolve_columns(types)
    parts = halves(Context(real.reset_index(), real, columns))
    assert len(parts.real) == len(parts.synthetic) == 600
    assert not set(parts.real['index']) & set(parts.synthetic['index'])
    tiny = halves(Context(real[:20].reset_index(), real, columns))
    assert len(tiny.real) == len(tiny.synthetic) == 20
    assert tiny.synthetic['index'].duplicated().any()


def test_a_score_beside_another_has_that_as_its_floor(real, honest, holdout, types):
    report = evaluate(real, honest, types, holdout, metrics=['dcr', 'nndr'])
    for key in ('copies', 'dcr_median', 'nndr', 'nndr_low'):
        assert report.floors[key] == report.scores[f'{key}_holdout']
    without = evaluate(real, honest, types, metrics=['dcr', 'nndr']).floors
    assert set(without) == {'copies'}
