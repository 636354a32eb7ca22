"""The paper's tables: what is run for each, and how ours and the published numbers stand."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sdv_tabdar
from sdv_tabdar.benchmark import paper, published, synthesizers
from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.datasets import load_dataset
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.benchmark.paper_tables import Column, Row, cost, score, table_grid
from sdv_tabdar.benchmark.synthesizers import parse_spec

SCORES = {
    'shape': {'shape_error': 0.01},
    'trend': {'trend_error': 0.02},
    'alpha_precision': {'alpha_precision': 0.99, 'beta_recall': 0.5},
    'lr_c2st': {'lr_c2st': 0.98},
    'xgb_c2st': {'xgb_c2st': 0.75},
    'jsd': {'jsd': 0.1, 'jsd_paper': 0.001},
    'mle': {'mle': 0.7, 'mle_real': 0.8, 'mle_paper': 0.75},
    'dcr': {'dcr_share': 0.51, 'dcr_share_paper': 0.5},
}


class Repeated:
    """Stands in for our synthesizer: rows of the table again."""

    _model = None

    def fit(self, data: dict[str, Any]) -> None:
        self.data = data

    def sample(self, num_rows: int) -> dict[str, Any]:
        return {
            name: table.sample(num_rows, replace=True, random_state=0).reset_index(drop=True)
            for name, table in self.data.items()
        }


def parsed(*arguments: object) -> argparse.Namespace:
    return build_parser().parse_args(['paper', *map(str, arguments)])


def result(label: str, table: str, value: float | None, seed: int = 0) -> dict[str, Any]:
    return {
        'job': {'label': label, 'table': table, 'seed': seed},
        'scores': {'shape_error': value},
        'fit': {'seconds': 4.0},
    }


@pytest.mark.usefixtures('scored')
def test_the_command_prints_every_table_and_runs_nothing_twice(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    launch_here: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[bool] = []

    def fixed(*_: object, metrics: list[str], paper_compatible: bool, **__: object) -> Any:
        asked.append(paper_compatible)
        return {key: value for name in metrics for key, value in SCORES[name].items()}

    monkeypatch.setattr(sdv_tabdar, 'evaluation', SimpleNamespace(score=fixed, floor_scores=fixed))
    monkeypatch.setattr(synthesizers, '_build_ours', lambda *_: Repeated())
    out = tmp_path / 'out'
    options = parsed(
        *('--data', prepared, '--tables', 'one', 'two', '--out', out, '--floors'),
        *('--synthesizers', 'tabdar', f'ctgan-like={bootstrap}'),
    )
    paper.main(options, launch=launch_here)
    text = capsys.readouterr().out
    assert '| tabdar | 1.00 ± 0.00 | 2.00 ± 0.00 | 1.00 ± 0.00 | 50.00 ± 0.00 |' in text
    assert '| TabDAR, published | 1.21 ± 0.51 | 1.8 ± 0.72 |' in text
    assert '| real against real |' in text
    assert '### MLE by the published protocol' in text
    assert '| Real data | 0.800 | 0.800 |' in text
    assert '| tabdar | 51.00 | 50.00 | 51.00 | 50.00 |' in text
    assert '| w/o diffusion loss, published | 12.35 | 6.11 |' in text
    assert '### Dimension of tabdar, averages over one, two' in text
    assert '| CTGAN, published | 3798 | 1.9 | - |' in text
    assert "printed by the command 'imputation'" in text
    assert set(asked) == {True}
    assert (out / 'paper.html').is_file()
    done = len(launch_here.steps)
    # tabdar, ctgan-like, 3 ablations, 3 depths, 4 dimensions on two tables; 2 runs on halves.
    fits = [step for step in launch_here.steps if step[0] == 'generate']
    assert len(fits) == 2 * (2 + 3 + 3 + 4) + 2 * 2
    paper.main(options, launch=launch_here)
    assert len(launch_here.steps) == done


def test_only_some_tables_and_time_for_ours_alone(prepared: Path) -> None:
    options = parsed('--data', prepared, '--only', 'timing', '--max-training-time', 7)
    assert options.only == ['timing']
    jobs = paper.planned('timing', options)
    assert {job.max_training_time for job in jobs if job.spec.startswith('tabdar')} == {7.0}
    assert {job.max_training_time for job in jobs if not job.spec.startswith('tabdar')} == {None}
    assert {job.metrics for job in jobs} == {()}
    with pytest.raises(SystemExit):
        parsed('--data', prepared, '--only', 'nonsense')


def test_a_table_takes_the_papers_tables_of_data_where_they_are_wanted() -> None:
    table = paper.TABLES['dcr']
    options = argparse.Namespace(tables=['adult', 'shoppers'])
    assert paper._data(table, options) == ['shoppers']
    options.tables = ['mine']
    assert paper._data(table, options) == ['mine']


def test_dcr_runs_see_one_half_of_all_rows(prepared: Path) -> None:
    [job] = paper.planned(
        'dcr', parsed('--data', prepared, '--tables', 'one', '--synthesizers', 'tabdar')
    )
    whole, half = load_dataset(prepared, 'one'), job.load()
    assert len(half.train) == len(half.test) == (len(whole.train) + len(whole.test)) // 2
    assert sorted([*half.train['age'], *half.test['age']]) == sorted(
        [*whole.train['age'], *whole.test['age']]
    )
    assert half.train.equals(job.load().train)


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
    assert rows['w/o both'].options == {
        'width': 16,
        'numerical_head': 'bins',
        'num_bins': 100,
        'column_order': 'fixed',
    }
    for spec in rows.values():
        text = str(spec) if spec.label == str(spec) else f'{spec.label}={spec}'
        assert parse_spec(text) == spec


def test_a_base_that_is_not_ours_is_refused() -> None:
    with pytest.raises(ValueError, match=r"--base must be one of .*, but it is 'ctgan'"):
        paper.variants('depth', parse_spec('ctgan'))


def test_runs_of_two_tables_are_merged_and_labels_must_agree() -> None:
    first, second = (
        Job('data', 'one', 'tabdar', 'tabdar', metrics=metrics)
        for metrics in (('shape', 'trend'), ('trend', 'mle'))
    )
    [job] = paper.merged([[first], [second]])
    assert job.metrics == ('shape', 'trend', 'mle')
    other = Job('data', 'one', 'tabdar', 'tabdar:width=8')
    with pytest.raises(ValueError, match=r"'tabdar' stands for both 'tabdar' and 'tabdar:width=8'"):
        paper.merged([[first], [other]])


def test_a_grid_puts_published_numbers_below_and_the_others_last() -> None:
    beside = published.Table(
        'a book',
        ('marginal',),
        {
            'TabDAR': (published.Number(1.21, 0.5),),
            'GReaT': (None,),
        },
        'Read it.',
    )
    rows = [Row('ours', 'a', 'TabDAR'), Row('ours, large', 'b', 'TabDAR'), Row('new', 'c')]
    results = [
        *(result('a', table, value) for table, value in (('one', 0.1), ('two', 0.3))),
        *(result('b', 'one', value, seed) for seed, value in enumerate((0.1, 0.2))),
        result('c', 'one', None),
        result('c', 'two', 0.5),
    ]
    columns = [
        Column('Marginal, %', score('shape_error', factor=100), 'marginal', 1),
        Column('exactness', score('shape_error', error=True), table='two'),
        Column('Fit, s', cost('fit', 'seconds'), digits=0),
    ]
    grid = table_grid('A table', results, rows, columns, beside)
    shown = {label: [cell.text for cell in cells] for label, cells in grid.rows}
    assert shown == {
        'ours': ['20.0 ± 14.1', '0.70', '4 ± 0'],
        'ours, large (1 of 2 tables)': ['15.0', '-', '4'],
        'TabDAR, published': ['1.21 ± 0.5', '-', '-'],
        'new': ['50.0', '0.50', '4 ± 0'],
    }
    assert grid.note == 'Read it. Published: a book.'
    assert cost('fit', 'seconds')({'fit': None}) is None


def test_published_tables_are_rectangular() -> None:
    tables = [found for found in vars(published).values() if isinstance(found, published.Table)]
    for table in [*tables, *published.BEST.values()]:
        assert {len(row) for row in table.rows.values()} == {len(table.columns)}
        assert table.source
    assert set(published.NAMES.values()) <= {name for table in tables for name in table.rows}


def test_the_best_published_number_depends_on_the_direction() -> None:
    assert published.best_published('adult', 'shape_error') == ('TabPC', 0.0058)
    assert published.best_published('default', 'xgb_c2st') == ('TabDiff', 0.5914)
    assert published.best_published('nowhere', 'xgb_c2st') is None
    assert published.FIDELITY.number('GOGGLE', 'c2st') is None
    assert published.FIDELITY.number('unknown', 'c2st') is None
