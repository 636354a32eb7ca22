"""What the page says of attacks."""

from __future__ import annotations

import json

import pytest

from sdv_tabdar.evaluation import evaluate
from sdv_tabdar.evaluation.report.attackers import attacks, guarantee
from sdv_tabdar.evaluation.report.data import ReportData


def test_without_attacks_there_is_no_section():
    assert attacks(ReportData('A report', {}, {}, {}, {}, {})) is None


def test_the_page_says_what_is_gained(real, honest, holdout, types):
    for drawn, begin in ((honest, 'Next to nothing is learnt'), (real, 'Something is learnt')):
        report = evaluate(
            *(real[:300], drawn[:300], types, holdout), metrics=['attacks'], verbose=False
        )
        view = attacks(report)
        assert view is not None
        assert view['sentence'].startswith(begin)
        assert len(view['rows']) == len(view['chart']['rows']) == len(report.tables['attacks'])
        assert view['guessed'].startswith('Of an unusual person trained on, ')
        page = report.to_html()
        assert 'What an attacker gains' in page
        assert view['sentence'] in page


def test_of_an_attacker_with_the_model_it_is_said_what_the_rows_alone_give(
    real, honest, holdout, types
):
    known = set(real['height'][:300])
    report = evaluate(
        *(real[:300], honest[:300], types, holdout),
        metrics=['attacks'],
        log_likelihood=lambda rows: rows['height'].isin(known),
        verbose=False,
    )
    view = attacks(report)
    assert view is not None
    assert '(likelihood) tells a person' in view['sentence']
    assert ' By the rows alone the best one gets ' in view['sentence']


def test_the_page_says_what_a_budget_promises(real, honest, types):
    rows = (real[:80], honest[:80], types)
    without = evaluate(*rows, metrics=['shape'], floors=False, verbose=False)
    report = evaluate(
        *rows, metrics=['shape'], floors=False, privacy_budget=(1.0, 1e-6), verbose=False
    )
    assert guarantee(without) is None
    assert 'What no attacker can gain' not in without.to_html()
    assert json.loads(report.to_json())['facts']['spent_epsilon'] == 1.0
    page = report.to_html()
    assert 'epsilon 1, delta 1e-06.' in page
    assert 'is right in 73 of 100 cases at most' in page


def test_a_weak_promise_is_not_told_as_a_strong_one():
    facts = {'spent_epsilon': 10.0, 'spent_delta': 1e-6}
    view = guarantee(ReportData('A report', {}, {}, {}, {}, {}, facts=facts))
    assert view is not None
    assert 'is right nearly always' in view['sentence']


@pytest.mark.parametrize('budget', [(0.0, 1e-6), (3.0, 1.0), (3.0,), 3.0, ('3', 0.0), [3.0, 0.0]])
def test_a_budget_that_is_none_is_refused(real, honest, types, budget):
    with pytest.raises(ValueError, match='must be the epsilon above 0 and the delta'):
        evaluate(real[:80], honest[:80], types, privacy_budget=budget)
