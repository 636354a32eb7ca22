"""What the sections show, and when they are left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate
from sdv_tabdar.evaluation.report import sections
from sdv_tabdar.evaluation.report.data import ReportData

EMPTY = ReportData('A report', {}, {}, {}, {}, {'columns': [], 'densities': []})


@pytest.mark.parametrize(
    'section',
    [
        sections.giveaways,
        sections.columns,
        sections.pairs,
        sections.densities,
        sections.distances,
    ],
)
def test_nothing_to_show_is_left_out(section):
    assert section(EMPTY) is None


def test_wide_tables_show_the_worst_columns():
    names = [f'c{index}' for index in range(70)]
    pairs = pd.DataFrame(
        [
            {'column_1': first, 'column_2': second, 'score': 1 - max(i, j) / 100}
            for i, first in enumerate(names)
            for j, second in enumerate(names)
            if i < j
        ]
    )
    view = sections.pairs(ReportData('A report', {}, {}, {}, {'pairs': pairs}, {}))
    assert view is not None
    assert view['cut'] == 60
    assert len(view['chart']['headings']) == 60
    assert view['chart']['headings'][-1]['row'] == 'c69'
    assert view['worst'][0] == {'first': 'c0', 'second': 'c69', 'error': '69.00 %'}


def test_suspicious_rows_show_their_cells(real, broken, types):
    gaps = broken.assign(weight=np.nan)
    report = evaluate(real[:200], gaps[:200], types, metrics=['xgb_c2st'], floors=False)
    view = sections.giveaways(report)
    assert view is not None
    assert view['names'] == list(types)
    assert view['suspects'][0]['certainty'].endswith(' %')
    assert {row['cells'][1]['text'] for row in view['suspects']} == {'missing'}
    assert any(cell['telling'] for cell in view['suspects'][0]['cells'])


def test_without_unseen_rows_distances_have_one_distribution(real, honest, types):
    report = evaluate(real[:100], honest[:100], types, metrics=['dcr'], floors=False)
    view = sections.distances(report)
    assert view is not None
    (card,) = view['cards']
    assert card['legend'] is None
    assert card['note'] == 'Pass unseen real rows to see what is normal.'
