"""The paper's tables: what is run for each, and how ours and the published numbers stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.experiments import paper
from sdv_tabdar.benchmark.jobs import steps
from sdv_tabdar.benchmark.methods import binned, synthesizers
from sdv_tabdar.benchmark.methods.spec import parse_spec
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL
from sdv_tabdar.core.presets import PAPER

from .conftest import Repeated

SCORES = {
    'shape': {'shape_error': 0.01},
    'trend': {'trend_error': 0.03, 'trend_real_edges_error': 0.02},
    'alpha_precision': {'alpha_precision': 0.99, 'beta_recall': 0.5},
    'lr_c2st': {'lr_c2st': 0.98},
    'xgb_c2st': {'xgb_c2st': 0.75},
    'jsd': {'jsd': 0.1, 'jsd_paper': 0.001},
    'mle': {'mle': 0.7, 'mle_real': 0.8, 'mle_paper': 0.75},
    'dcr': {'dcr_share': 0.51, 'dcr_share_paper': 0.5},
}


def test_the_command_prints_every_table_and_runs_nothing_twice(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    called: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., str],
) -> None:
    asked: list[bool] = []

    def fixed(*_: object, metrics: list[str], paper_compatible: bool, **__: object) -> Any:
        asked.append(paper_compatible)
        return {key: value for name in metrics for key, value in SCORES[name].items()}

    monkeypatch.setattr(steps, 'evaluation', SimpleNamespace(score=fixed, floor_scores=fixed))
    for module in (synthesizers, binned):
        monkeypatch.setattr(module, 'build_ours', lambda request: Repeated())
    arguments = ['paper', '--data', prepared, '--tables', 'one', 'two', '--out', tmp_path]
    arguments += ['--floors', '--synthesizers', 'tabdar', f'ctgan-like={bootstrap}']
    text = command(*arguments)
    assert '| tabdar | 1.00 ± 0.00 | 2.00 ± 0.00 | 1.00 ± 0.00 | 50.00 ± 0.00 |' in text
    assert '| TabDAR, published | 1.21 ± 0.51 | 1.8 ± 0.72 |' in text
    assert '| floor (real against real) | 1.00 ± 0.00 |' in text
    assert '### MLE by the published protocol' in text
    assert '| Real data | 0.800 | 0.800 |' in text
    assert '| tabdar | 51.00 | 50.00 | 51.00 | 50.00 |' in text
    assert '| w/o diffusion loss, published | 12.35 | 6.11 |' in text
    assert '### Dimension of tabdar, averages over one, two' in text
    assert '| CTGAN, published | 3798 | 1.9 | - |' in text
    assert "printed by the command 'imputation'" in text
    # What is published of tables that were not run stands beside them.
    assert '| method | one | two | adult | beijing | car |' in text
    assert '| TabDAR, published | - | - | 1.607 | 2.481 |' in text
    assert set(asked) == {True}
    # tabdar, ctgan-like, 7 ablations, 3 depths, 4 dimensions on two tables; 2 runs on halves.
    fits = [call for call in called if call['function'] == 'generate']
    assert len(fits) == 2 * (2 + 7 + 3 + 4) + 2 * 2
    done = len(called)
    command(*arguments)
    assert len(called) == done


def parsed(*arguments: object) -> Any:
    return build_parser().parse_args(['paper', *map(str, arguments)])


def test_only_some_tables_and_time_for_ours_alone(
    prepared: Path, command: Callable[..., str]
) -> None:
    options = parsed('--data', prepared, '--only', 'timing', '--max-training-time', 7)
    jobs = paper.planned('timing', options)
    assert {job.max_training_time for job in jobs if job.spec.startswith('tabdar')} == {7.0}
    assert {job.max_training_time for job in jobs if not job.spec.startswith('tabdar')} == {None}
    assert {job.metrics for job in jobs} == {()}
    printed = command('paper', '--data', prepared, '--only', 'nonsense', code=2)
    assert "--only must be of ['fidelity'" in printed


def test_a_table_takes_the_papers_tables_of_data_where_they_are_wanted(prepared: Path) -> None:
    (prepared / 'one').rename(prepared / 'shoppers')
    options = parsed('--data', prepared, '--synthesizers', 'tabdar')
    assert [job.table for job in paper.planned('dcr', options)] == ['shoppers']
    assert all(job.halved for job in paper.planned('dcr', options))
    assert [job.table for job in paper.planned('fidelity', options)] == ['shoppers', 'two']
    options.tables = ['two']
    assert [job.table for job in paper.planned('dcr', options)] == ['two']


def test_variants_change_one_thing_and_reuse_the_base() -> None:
    base = parse_spec('tabdar')
    depths = paper.variants('depth', base)
    assert depths['2'] is base  # the default depth
    assert depths['8'].options == {'num_blocks': 8}
    assert depths['8'].label == 'tabdar depth 8'
    assert 'tabdar as it is' in paper.variants('dimension', base)
    published_settings = parse_spec('tabdar-paper')
    assert paper.variants('depth', published_settings)['6'] is published_settings
    assert paper.variants('dimension', published_settings)['32'] is published_settings
    rows = paper.variants('ablation', parse_spec('tabdar:width=16'))
    both = rows['bins of equal width and left to right']
    assert both.kind == 'tabdar-binned'
    assert both.options == {
        'width': 16,
        'edges': 'width',
        'column_order': 'fixed',
        'attention': 'causal',
    }
    settings = paper.variants('ablation', published_settings)['bins by k-means'].options
    assert settings == {**PAPER, 'edges': 'kmeans'}
    for spec in rows.values():
        text = str(spec) if spec.label == str(spec) else f'{spec.label}={spec}'
        assert parse_spec(text) == spec


def test_a_base_that_is_not_ours_is_refused() -> None:
    with pytest.raises(ValueError, match=r"--base must be one of .*, but it is 'ctgan'"):
        paper.variants('depth', parse_spec('ctgan'))


def test_a_grid_puts_published_numbers_below_and_the_others_last() -> None:
    table = paper.PaperTable('A table', numbers=paper.MARGINALS, published='fidelity')
    common = {'base': 'tabdar', 'seed': 0}
    rows = [
        {'row': 'ours', 'kind': 'tabdar', 'table': 'one', 'shape_error': 0.1},
        {'row': 'ours', 'kind': 'tabdar', 'table': 'two', 'shape_error': 0.3},
        {'row': 'ours, large', 'kind': 'tabdar-paper', 'table': 'one', 'shape_error': 0.1},
        {'row': 'ours, large', 'kind': 'tabdar-paper', 'table': 'one', 'shape_error': 0.2},
        {'row': 'new', 'kind': 'object', 'table': 'one', 'shape_error': None},
        {'row': 'new', 'kind': 'object', 'table': 'two', 'shape_error': 0.5},
        {'row': FLOOR_LABEL, 'kind': None, 'table': 'one', 'shape_error': 0.01},
    ]
    frame = pd.DataFrame([{**common, 'synthesizer': row['row'], **row} for row in rows])
    grid = paper.paper_grid(table, frame)
    shown = [(label, [cell.text for cell in cells]) for label, cells in grid.rows]
    assert shown[:5] == [
        ('ours', ['20.00 ± 14.14', '-']),
        ('ours, large (1 of 2 tables)', ['15.00', '-']),
        ('TabDAR, published', ['1.21 ± 0.51', '1.8 ± 0.72']),
        ('new', ['50.00', '-']),
        ('floor (real against real) (1 of 2 tables)', ['1.00', '-']),
    ]
    assert ('GReaT, published', ['12.9 ± 6.05', '44.3 ± 27.3']) in shown
    assert 'Published: the TabDAR paper' in grid.note
    assert grid.title == 'A table, averages over one, two'
