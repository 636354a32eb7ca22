"""The report in hand: a tidy frame, JSON, a page."""

from __future__ import annotations

import html
import json

import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate


@pytest.fixture(scope='module')
def report(real, broken, holdout, types):
    return evaluate(real[:300], broken[:300], types, holdout[:150], target='member')


def test_frame_is_tidy(report, types):
    frame = report.to_frame()
    assert frame.columns.tolist() == ['metric', 'level', 'detail', 'score', 'floor', 'goal']
    assert frame['level'].value_counts()[['column', 'pair']].tolist() == [6, 15]
    means = frame[frame['level'] == 'column']['score'].mean()
    assert means == pytest.approx(report.scores['shape_error'])


def test_json_can_be_read_back(report, tmp_path):
    text = report.to_json(tmp_path / 'report.json')
    content = json.loads((tmp_path / 'report.json').read_text(encoding='utf-8'))
    assert json.loads(text) == content
    assert content['scores'] == report.scores
    assert content['versions']['sdmetrics']
    assert len(content['pairs']) == 15


def test_page_can_be_written(real, honest, types, tmp_path):
    found = evaluate(real[:100], honest[:100], types, metrics=['shape'], floors=False)
    text = found.to_html()
    assert found.to_html(str(tmp_path / 'report.html')) == tmp_path / 'report.html'
    assert (tmp_path / 'report.html').read_text(encoding='utf-8') == text
    assert '<h2>What gives it away</h2>' not in text


def test_page_with_half_a_pair_of_utf_16_can_be_written(tmp_path):
    table = pd.DataFrame({'\ud800<b>': ['a', '\udfff'] * 5})
    types = dict.fromkeys(table, 'categorical')
    found = evaluate(table, table, types, metrics=['shape'], floors=False, verbose=False)
    written = found.to_html(tmp_path / 'report.html').read_text(encoding='utf-8')
    assert '?&lt;b&gt;' in written


def test_notebooks_show_the_page_in_a_frame(real, honest, types):
    found = evaluate(real[:100], honest[:100], types, metrics=['shape'], floors=False)
    shown = found._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert html.unescape(shown.split('"')[1]) == found.to_html()
