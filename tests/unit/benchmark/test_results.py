"""Tables show mean and spread, mark the best, and leave nothing out silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.benchmark.jobs import Job, write_json
from sdv_tabdar.benchmark.rendering import to_html, to_markdown
from sdv_tabdar.benchmark.results import (
    FLOOR_LABEL,
    Metric,
    best_labels,
    entries,
    footer,
    format_values,
    grids,
    load_floors,
    load_results,
    print_tables,
)

ENVIRONMENT = {'cpu': 'Chip', 'cores': 2, 'usable_cores': 1, 'python': '3.11', 'versions': {}}


def result(label: str, table: str, seed: int, *, task: str = 'binclass', **scores: Any) -> Any:
    job = Job('data', table, label, label, seed, threads=1)
    cost = {
        'seconds': 2.0,
        'cpu_seconds': 1.9,
        'peak_memory_mib': 300.0,
        'memory_before_mib': 250.0,
    }
    return {
        'job': job.to_dict(),
        'environment': ENVIRONMENT,
        'data': {'task': task},
        'synthetic_rows': 100,
        'fit': cost,
        'sample': {**cost, 'seconds': 0.5},
        'scores': scores,
    }


def test_one_table_has_metrics_as_columns_and_the_best_in_bold() -> None:
    results = [
        result('tabdar', 'adult', 0, shape_error=0.010, xgb_c2st=0.8),
        result('tabdar', 'adult', 1, shape_error=0.012, xgb_c2st=0.9),
        result('ctgan', 'adult', 0, shape_error=0.100, xgb_c2st=0.05),
    ]
    text = to_markdown(grids(entries(results)))
    assert '| synthesizer | Shape error, % | XGB-C2ST | Fit, s |' in text
    assert '| tabdar | **1.10 ± 0.14** | **0.850 ± 0.071** | **2.0 ± 0.0** |' in text
    assert '| ctgan | 10.00 | 0.050 | **2.0** |' in text
    assert '| **200** |' in text


def test_several_tables_have_a_grid_for_each_metric_with_averages() -> None:
    results = [
        result('tabdar', 'adult', 0, shape_error=0.01),
        result('tabdar', 'magic', 0, shape_error=0.03),
        result('ctgan', 'adult', 0, shape_error=0.10),
    ]
    grid = grids(entries(results))[0]
    assert grid.header == ['synthesizer', 'adult', 'magic', 'average']
    assert [(label, [cell.text for cell in cells]) for label, cells in grid.rows] == [
        ('tabdar', ['1.00', '3.00', '2.00']),
        ('ctgan', ['10.00', '-', '-']),
    ]


def test_floors_are_shown_and_do_not_compete() -> None:
    results = [
        result('tabdar', 'adult', 0, shape_error=0.01),
        result('ctgan', 'adult', 0, shape_error=0.10),
    ]
    floors = {'adult': {'shape_error': 0.005}, 'unknown': {'shape_error': 0.1}}
    [grid] = grids(entries(results, floors))
    cells = {label: found[0] for label, found in grid.rows}
    assert cells[FLOOR_LABEL].text == '0.50'
    assert not cells[FLOOR_LABEL].best
    assert cells['tabdar'].best


def test_best_may_be_low_high_or_close_to_a_number() -> None:
    means = {'a': 0.1, 'b': 0.45, 'c': 0.9}
    assert best_labels(means, 'low', Metric('x', 'x')) == {'a'}
    assert best_labels(means, 'high', Metric('x', 'x')) == {'c'}
    assert best_labels(means, 0.5, Metric('x', 'x')) == {'b'}
    assert best_labels(means, None, Metric('x', 'x')) == set()
    assert best_labels({'a': 0.1}, 'low', Metric('x', 'x')) == set()
    assert best_labels({'a': 0.1001, 'b': 0.1002}, 'low', Metric('x', 'x')) == {'a', 'b'}


def test_prediction_is_better_high_or_low_by_task() -> None:
    for task, best in (('binclass', 'high'), ('regression', 'low')):
        results = [
            result('high', 'adult', 0, task=task, mle=0.9),
            result('low', 'adult', 0, task=task, mle=0.5),
        ]
        [grid] = grids(entries(results))
        assert [label for label, cells in grid.rows if cells[0].best] == [best]


def test_what_real_rows_score_is_a_floor_and_spreads_are_not_shown() -> None:
    found = [
        result(
            *('a', 'adult', seed),
            mle=0.8,
            mle_std=0.1,
            mle_real=0.9 + seed / 10,
            mle_real_std=0.1,
        )
        for seed in (0, 1)
    ]
    [grid] = grids(entries(found, {'adult': {'mle': None}}))
    assert grid.header[:3] == ['synthesizer', 'MLE (AUC, or RMSE of a number)', 'Fit, s']
    assert {label: cells[0].text for label, cells in grid.rows} == {
        'a': '0.800 ± 0.000',
        FLOOR_LABEL: '0.950 ± 0.071',
    }


def test_many_metrics_of_one_table_are_shown_in_groups() -> None:
    keys = ['shape_error', 'trend_error', 'xgb_c2st', 'lr_c2st', 'jsd', 'mle', 'dcr_share']
    [*found] = grids(entries([result('a', 'adult', 0, **dict.fromkeys(keys, 0.5))]))
    assert [grid.title for grid in found] == [
        'adult, fidelity',
        'adult, use',
        'adult, privacy',
        'adult, time and memory',
    ]
    assert sum(len(grid.header) - 1 for grid in found) == len(keys) + 5


def test_honest_values_are_named() -> None:
    [grid] = grids(entries([result('a', 'adult', 0, beta_recall=0.4, dcr_share=0.5)]))
    assert grid.header[1:3] == ['beta-recall (0.5 is honest)', 'DCR share (0.5 is honest)']


def test_missing_numbers_and_untimed_rows() -> None:
    untimed = {**result('csv', 'adult', 0, shape_error=None, novelty=0.25), 'fit': None}
    text = to_markdown(grids(entries([untimed, result('tabdar', 'adult', 0, shape_error=0.01)])))
    assert '| csv | - | 0.250 | - | - | - | - | - |' in text
    assert format_values([], Metric('x', 'x')) == '-'


def test_html_is_one_page_that_needs_nothing_and_escapes() -> None:
    results = [
        result('<b>', 'adult', 0, shape_error=0.01),
        result('ctgan', 'adult', 0, shape_error=0.10),
    ]
    page = to_html(grids(entries(results)), footer(results))
    assert '&lt;b&gt;' in page
    assert '<td class=best>1.00</td>' in page
    assert 'prefers-color-scheme: dark' in page
    assert 'http' not in page
    assert '{{' not in page


def test_footer_names_threads_seeds_and_machine() -> None:
    note = footer([result('tabdar', 'adult', seed) for seed in (1, 0)])
    assert note == 'Threads: 1. Seeds: 0, 1. Made with 1 of 2 cores of Chip, Python 3.11.'


def test_a_run_directory_is_read_in_the_order_asked_for_and_printed(tmp_path: Path) -> None:
    for label in ('a', 'b'):
        found = result(label, 'adult', 0, shape_error=0.01)
        write_json(found, tmp_path / 'runs' / 'adult' / label / 'seed=0' / 'result.json')
    asked = {'synthesizers': {'b': 'b', 'a': 'a'}, 'tables': ['adult'], 'seeds': [0]}
    write_json(asked, tmp_path / 'config.json')
    floor = {'job': {}, 'scores': {'shape_error': 0.005}}
    write_json(floor, tmp_path / 'floors' / 'adult' / 'floor.json')
    results = load_results(tmp_path)
    assert [found['job']['label'] for found in results] == ['b', 'a']
    assert load_floors(tmp_path) == {'adult': {'shape_error': 0.005}}
    text = print_tables(tmp_path, results, name='table')
    assert (tmp_path / 'table.md').read_text() == text
    assert FLOOR_LABEL in (tmp_path / 'table.html').read_text()


def test_an_empty_run_directory_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match='There are no finished runs'):
        load_results(tmp_path)
