"""Tables show mean and spread, mark the best, and leave nothing out silently."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.output.rendering import to_markdown
from sdv_tabdar.benchmark.output.tables import (
    FLOOR_LABEL,
    Number,
    best_keys,
    comparison,
    footer,
    table,
)


def run(label: str, name: str, seed: int = 0, *, task: str = 'binclass', **scores: Any) -> Any:
    return {
        'table': name,
        'synthesizer': label,
        'seed': seed,
        'threads': 1,
        'machine': 'Chip',
        'task': task,
        'fit_seconds': 2.0,
        'rows_per_second': 200.0,
        **scores,
    }


def test_one_table_has_metrics_as_columns_and_the_best_in_bold() -> None:
    rows = [
        run('tabdar', 'adult', 0, shape_error=0.010, xgb_c2st=0.8),
        run('tabdar', 'adult', 1, shape_error=0.012, xgb_c2st=0.9),
        run('ctgan', 'adult', 0, shape_error=0.100, xgb_c2st=0.05),
    ]
    text = to_markdown(comparison(pd.DataFrame(rows)))
    assert '| synthesizer | Shape error, % | XGB-C2ST | Fit, s |' in text
    assert '| tabdar | **1.10 ± 0.14** | **0.850 ± 0.071** | **2.0 ± 0.0** |' in text
    assert '| ctgan | 10.00 | 0.050 | **2.0** |' in text


def test_several_tables_have_a_grid_for_each_metric_with_averages() -> None:
    rows = [
        run('tabdar', 'adult', shape_error=0.01),
        run('tabdar', 'magic', shape_error=0.03),
        run('ctgan', 'adult', shape_error=0.10),
    ]
    grid = comparison(pd.DataFrame(rows))[0]
    assert grid.header == ['synthesizer', 'adult', 'magic', 'average']
    assert [(label, [cell.text for cell in cells]) for label, cells in grid.rows] == [
        ('tabdar', ['1.00', '3.00', '2.00']),
        ('ctgan', ['10.00', '-', '-']),
    ]


def test_floors_are_shown_and_do_not_compete() -> None:
    rows = [
        run('tabdar', 'adult', shape_error=0.01),
        run('ctgan', 'adult', shape_error=0.10),
        {'table': 'adult', 'synthesizer': FLOOR_LABEL, 'shape_error': 0.005},
    ]
    [grid] = comparison(pd.DataFrame(rows))
    cells = {label: found[0] for label, found in grid.rows}
    assert cells[FLOOR_LABEL].text == '0.50'
    assert not cells[FLOOR_LABEL].best
    assert cells['tabdar'].best


def test_best_may_be_low_high_or_close_to_a_number() -> None:
    means = {('a',): 0.1, ('b',): 0.45, ('c',): 0.9}
    number = Number('x', 'x')
    assert best_keys(means, 'low', number) == {('a',)}
    assert best_keys(means, 'high', number) == {('c',)}
    assert best_keys(means, 0.5, number) == {('b',)}
    assert best_keys(means, None, number) == set()
    assert best_keys({('a',): 0.1}, 'low', number) == set()
    # What is printed the same is equally good.
    assert len(best_keys({('a',): 0.1001, ('b',): 0.1002}, 'low', number)) == 2


@pytest.mark.parametrize(('task', 'best'), [('binclass', 'high'), ('regression', 'low')])
def test_prediction_is_better_high_or_low_by_task(task: str, best: str) -> None:
    rows = [run('high', 'adult', task=task, mle=0.9), run('low', 'adult', task=task, mle=0.5)]
    [grid] = comparison(pd.DataFrame(rows))
    assert [label for label, cells in grid.rows if cells[0].best] == [best]


def test_spreads_within_a_run_and_what_is_a_floor_are_not_shown() -> None:
    rows = [run('a', 'adult', mle=0.8, mle_std=0.1, mle_real=0.9, mle_real_std=0.1)]
    [grid] = comparison(pd.DataFrame(rows))
    assert grid.header[:3] == ['synthesizer', 'MLE (AUC, or RMSE of a number)', 'Fit, s']


def test_many_metrics_of_one_table_are_shown_in_groups() -> None:
    keys = ['shape_error', 'trend_error', 'xgb_c2st', 'lr_c2st', 'jsd', 'mle', 'dcr_share']
    keys += ['alpha_precision', 'nndr']
    grids = comparison(pd.DataFrame([run('a', 'adult', **dict.fromkeys(keys, 0.5))]))
    assert [grid.title for grid in grids] == [
        'adult, fidelity',
        'adult, use',
        'adult, privacy',
        'adult, time and memory',
    ]
    assert sum(len(grid.header) - 1 for grid in grids) == len(keys) + 2


def test_honest_values_are_named() -> None:
    [grid] = comparison(pd.DataFrame([run('a', 'adult', beta_recall=0.4, dcr_share=0.5)]))
    assert grid.header[1:3] == ['beta-recall (0.5 is honest)', 'DCR share (0.5 is honest)']


def test_missing_numbers_unknown_metrics_and_untimed_rows() -> None:
    untimed = run('csv', 'adult', novelty=0.25, fit_seconds=None, rows_per_second=None)
    rows = pd.DataFrame([untimed, run('tabdar', 'adult', shape_error=0.01)])
    text = to_markdown(comparison(rows))
    assert '| csv | - | 0.250 | - | - |' in text


def test_the_best_is_marked_within_a_name_and_medians_have_ends() -> None:
    rows = pd.DataFrame(
        {
            'table': ['a', 'a', 'a', 'b', 'b'],
            'method': ['x', 'x', 'y', 'x', 'y'],
            'speed': [1.0, 3.0, 9.0, 5.0, 4.0],
            'verdict': ['yes', 'no', 'yes', 'yes', 'no'],
        }
    )
    numbers = [Number('speed', 'rows/s', 'high', digits=1, center='median')]
    numbers += [Number('verdict', 'within'), Number('speed', 'again', sign='+', digits=0)]
    grid = table(rows, 'T', ['table', 'method'], numbers, within='table', note='N')
    shown = {label: [cell.text for cell in cells] for label, cells in grid.rows}
    assert shown['a: x'] == ['2.0 [1.0, 3.0]', 'yes, no', '+2 ± 1']
    assert [label for label, cells in grid.rows if cells[0].best] == ['a: y', 'b: x']
    assert (grid.header[0], grid.note) == ('method', 'N')


def test_footer_names_threads_seeds_and_machine() -> None:
    rows = pd.DataFrame([run('tabdar', 'adult', seed) for seed in (1, 0)])
    assert footer(rows) == 'Threads: 1. Seeds: 0, 1. Made with Chip.'
    assert footer(rows.assign(limit=2000)).startswith('At most 2,000 training rows a table.')
