"""What the page says of attacks."""

from __future__ import annotations

from sdv_tabdar.evaluation import evaluate
from sdv_tabdar.evaluation.report.attackers import attacks
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
