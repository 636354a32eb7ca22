"""What a report knows of its scores."""

from __future__ import annotations

import math

from sdv_tabdar.evaluation.report.data import ReportData


def data_of(scores, **settings):
    return ReportData('A report', scores, settings.pop('floors', {}), {}, {}, {}, **settings)


def test_goals_are_those_of_the_metric_unless_the_data_decides():
    data = data_of({'mle': 2.0, 'mle_real': 1.0}, goals={'mle': 'lower'})
    assert data.goal('mle') == 'lower'
    assert data.goal('xgb_c2st') == 'higher'
    assert data.goal('mle_real') == ''


def test_verdicts_look_at_floor_and_goal():
    data = data_of({'mle': 2.0}, floors={'mle': 1.0}, goals={'mle': 'lower'})
    assert data.verdict('mle').words == '2 times that of real rows'


def test_what_has_no_value_has_no_verdict():
    assert (
        data_of({'shape_error': math.nan}, floors={'shape_error': 1.0}).verdict('shape_error')
        is None
    )
    assert data_of({'mle_paper': 0.5}).verdict('mle_paper') is None
