"""The page: self-contained, complete, and honest about what it shows."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sdv_tabdar.evaluation import evaluate


@pytest.fixture(scope='module')
def page(real, broken, holdout, types):
    found = evaluate(
        real[:150],
        broken[:150],
        types,
        holdout[:80],
        target='member',
        density_pairs=[('height', 'weight'), ('city', 'height')],
        title='A & B',
    )
    return found.to_html()


def test_page_works_offline(page):
    assert not re.search(r'<script|<link|@import|url\(|https?://', page)
    assert 'prefers-color-scheme: dark' in page
    assert 'name="viewport"' in page
    assert len(page) < 2_000_000


def test_page_leads_with_the_strong_test_and_explains_the_weak_one(page):
    assert page.index('XGB-C2ST') < page.index('LR-C2ST') < page.index('Marginal error')
    assert 'It cannot see' in page


def test_page_has_all_sections(page):
    for heading in (
        'Scores',
        'What gives it away',
        'Columns, worst first',
        'Pairs of columns',
        'Two columns at a time',
        'Distance to the closest record',
    ):
        assert f'<h2>{heading}</h2>' in page
    assert 'weight over height' in page
    assert 'height over city' in page


def test_page_warns_of_copies(real, holdout, types, page):
    warning = 'But training rows were copied'
    copied = evaluate(real[:150], real[:150], types, holdout[:150], metrics=['xgb_c2st', 'dcr'])
    assert warning in copied.to_html()
    assert warning not in page


def test_text_is_escaped(page):
    assert '<h1>A &amp; B</h1>' in page


def test_tags_are_balanced(page):
    for tag in ('div', 'svg', 'section', 'p', 'table', 'figure', 'g', 'details'):
        opened = len(re.findall(rf'<{tag}[\s>]', page))
        assert opened == page.count(f'</{tag}>'), tag


def test_gaps_dates_and_spikes_are_drawn(mixed_table, mixed_metadata):
    table = mixed_table.assign(savings=np.where(mixed_table.index % 3, 0, mixed_table['savings']))
    found = evaluate(table, table, mixed_metadata, metrics=['shape'], floors=False)
    text = found.to_html()
    assert 'Missing: real' in text
    assert re.search(r'Exactly 0 in \d+\.\d % of the real', text)
    assert re.search(r'>20\d\d-\d\d-\d\d<', text)
