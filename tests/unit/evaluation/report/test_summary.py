"""The top of the page."""

from __future__ import annotations

import math

import pytest

from sdv_tabdar.evaluation.report import summary
from sdv_tabdar.evaluation.report.data import ReportData


def data_of(scores, **floors):
    return ReportData('A report', scores, floors, {'jsd': 'left out.'}, {}, {})


def test_lead_shows_the_strong_test_beside_the_weak():
    view = summary.lead(data_of({'xgb_c2st': 0.9, 'lr_c2st': 0.99}, xgb_c2st=0.95))
    assert view is not None
    assert (view['score'], view['floor'], view['weak']) == ('0.900', '0.950', '0.990')
    assert view['right'] == '55\N{NO-BREAK SPACE}%'
    assert view['copying'] is False


def test_without_the_strong_test_nothing_leads():
    assert summary.lead(data_of({'lr_c2st': 0.9})) is None
    assert summary.lead(data_of({'xgb_c2st': math.nan})) is None


def test_copying_is_seen_by_the_verdicts():
    view = summary.lead(data_of({'xgb_c2st': 1.0, 'dcr_share': 0.9}))
    assert view is not None
    assert view['copying'] is True


@pytest.mark.parametrize(
    ('scores', 'floors', 'value', 'beside'),
    [
        ({'shape_error': 0.0123}, {'shape_error': 0.01}, '1.23\N{THIN SPACE}%', 'floor: 1.00'),
        ({'shape_error': math.nan}, {}, '\N{EN DASH}', 'ideal: 0.00'),
        ({'mle': 512.34}, {'mle': 500.0}, '512.3', 'trained on real rows: 500.0'),
        ({'nndr': 0.5}, {'nndr': 0.6}, '0.500', 'unseen real rows: 0.600'),
        (
            {'dcr_share': 0.5, 'dcr_share_low': 0.49, 'dcr_share_high': 0.51},
            {},
            '0.500',
            'ideal: 0.500 · 95 % interval 0.490 to 0.510',
        ),
    ],
)
def test_cards_show_a_score_beside_its_floor(scores, floors, value, beside):
    (group,) = summary.scores(data_of(scores, **floors))['groups']
    (card,) = group['cards']
    assert card['value'] == value
    assert card['beside'].startswith(beside)


def test_notes_are_kept():
    assert summary.scores(data_of({}))['notes'] == {'jsd': 'left out.'}
