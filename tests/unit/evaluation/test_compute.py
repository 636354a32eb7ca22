"""Metrics one after the other."""

from __future__ import annotations

import math

import pandas as pd

from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.compute import compute_metrics
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Metric, MetricResult, Score


def test_a_metric_without_a_value_leaves_a_note_and_nan():
    def rows(context: Context) -> MetricResult:
        return MetricResult({'rows': float(len(context.real))}, goals={'rows': 'lower'})

    def none(context: Context) -> MetricResult:
        raise NotComputableError('there is nothing to compare.')

    table = pd.DataFrame({'x': [1.0, 2.0]})
    context = Context(table, table, resolve_columns({'x': 'numerical'}))
    metrics = [
        Metric(name, compute, (Score(name, name, 'Rows.', 'fidelity', 'higher'),))
        for name, compute in (('rows', rows), ('none', none))
    ]
    found = compute_metrics(metrics, context)
    assert found.scores['rows'] == 2
    assert math.isnan(found.scores['none'])
    assert found.notes == {'none': 'not computable: there is nothing to compare.'}
    assert found.goals == {'rows': 'lower'}
    assert set(found.seconds) == {'rows', 'none'}
