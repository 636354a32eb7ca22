"""Experiments that run synthesizers on tables, from their arguments to the printed table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import comparison
from sdv_tabdar.benchmark.methods import sdv_networks, synthesizers
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec

from .conftest import Repeated

Command = Callable[..., str]


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Ours and SDV's synthesizers replaced; the list gets the options of each that is made."""
    made: list[dict[str, Any]] = []

    def build(request: Request) -> Repeated:
        made.append(dict(request.spec.options))
        return Repeated()

    monkeypatch.setattr(synthesizers, 'build_ours', build)
    monkeypatch.setattr(synthesizers, 'build_of_sdv', build)
    monkeypatch.setattr(sdv_networks, 'build', build)
    return made


@pytest.mark.usefixtures('called', 'scored')
def test_run_prints_tables_and_table_prints_them_again(
    prepared: Path, tmp_path: Path, bootstrap: str, command: Command
) -> None:
    out = tmp_path / 'out'
    arguments = ['run', '--data', prepared, '--out', out, '--floors', '--seeds', 0, 1]
    printed = command(*arguments, '--synthesizers', f'boot={bootstrap}')
    assert '### Shape error, %' in printed
    assert 'floor (real against real)' in printed
    assert command('table', out).strip() in printed
    rows = pd.read_csv(out / 'run.csv')
    assert rows.groupby('synthesizer').size().to_dict() == {
        'boot': 4,
        'floor (real against real)': 2,
    }


@pytest.mark.usefixtures('called', 'scored')
def test_quality_trains_once_for_each_budget(
    prepared: Path, tmp_path: Path, replaced: list[dict[str, Any]], command: Command
) -> None:
    printed = command(
        *('quality', '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out'),
        *('--budgets', 1, 2.5, '--settings', 'width=8', '--floors'),
    )
    assert [made['max_training_time'] for made in replaced] == [1.0, 2.5]
    assert all(made['width'] == 8 and made['epochs'] == 100_000 for made in replaced)
    assert '| tabdar 2.5 s |' in printed
    assert 'Rows sampled per second' in printed
    assert (tmp_path / 'out' / 'quality.md').is_file()


@pytest.mark.usefixtures('called', 'scored', 'replaced')
def test_time_quality_keeps_a_table_and_a_picture(
    prepared: Path, tmp_path: Path, command: Command
) -> None:
    out = tmp_path / 'out'
    printed = command(
        *('time-quality', '--data', prepared, '--tables', 'one', '--out', out),
        *('--budgets', 90, 120, '--others', 'ctgan'),
    )
    assert '| tabdar 90 s |' in printed
    assert '| tabdar 2 min |' in printed
    assert 'floor (real against real)' in printed
    assert 'Plotly.newPlot' in (out / 'time_quality.html').read_text(encoding='utf-8')


@pytest.mark.parametrize(
    ('others', 'python', 'count'),
    [([], None, 0), ([], 'python', 1), (['tabularargn'], 'python', 1)],
)
def test_tabularargn_joins_where_it_can_run(
    others: list[str], python: str | None, count: int
) -> None:
    options = argparse.Namespace(others=others, argn_python=python, settings='', budgets=[60.0])
    assert comparison.budgets(options).count('tabularargn') == count


@pytest.mark.usefixtures('scored', 'replaced')
def test_tenth_gives_ours_a_tenth_of_ctgans_time_and_can_be_taken_up(
    prepared: Path, tmp_path: Path, called: list[dict[str, Any]], command: Command
) -> None:
    out = tmp_path / 'out'
    arguments = ('tenth', '--data', prepared, '--tables', 'one', 'two', '--out', out)
    printed = command(*arguments, '--threads', 1)
    rows = pd.read_csv(out / 'tenth.csv').set_index(['table', 'synthesizer'])
    for table in ('one', 'two'):
        given = parse_spec(rows.loc[(table, 'tabdar'), 'spec']).options['max_training_time']
        # The reserve is at most half.
        assert given == pytest.approx(rows.loc[(table, 'ctgan'), 'fit_seconds'] * 0.1 / 2)
    assert len(called) == 16
    assert '| one, seed 0 |' in printed
    command(*arguments, '--threads', 1)
    assert len(called) == 16
    assert '--share: must be above 0, but it is 0' in command(*arguments, '--share', 0, code=2)


def run(table: str, label: str, *values: float | None, seconds: float = 10.0) -> dict[str, Any]:
    scores = dict(zip(comparison.CLAIM, values, strict=True))
    return {'table': table, 'synthesizer': label, 'seed': 0, 'fit_seconds': seconds, **scores}


def test_the_verdict_names_what_is_lost() -> None:
    rows = [
        run('one', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        run('one', 'tvae', 0.1, 0.1, 0.5),
        run('one', 'gaussian_copula', 0.1, 0.1, 0.5),
        run('one', 'tabdar', 0.01, 0.01, 0.8),
        run('two', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        run('two', 'tvae', 0.1, 0.01, 0.8),
        run('two', 'gaussian_copula', 0.1, 0.1, None),
        run('two', 'tabdar', 0.01, 0.01, 0.9),
        run('three', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        run('three', 'tabdar', 0.01, 0.01, 0.8),
    ]
    grid = comparison.share_tables(pd.DataFrame(rows))[0]
    lost = 'trend_error against tvae, xgb_c2st against gaussian_copula'
    assert {label: [cell.text for cell in cells] for label, cells in grid.rows} == {
        'one, seed 0': ['100.0', '10.0', '0.100', 'yes'],
        'two, seed 0': ['100.0', '10.0', '0.100', lost],
        'three, seed 0': ['100.0', '10.0', '0.100', 'runs are missing'],
    }


@pytest.mark.usefixtures('called', 'scored')
def test_settings_are_compared_in_turns_at_one_budget(
    prepared: Path, tmp_path: Path, replaced: list[dict[str, Any]], command: Command
) -> None:
    printed = command(
        *('settings', '--data', prepared, '--tables', 'one', 'two', '--out', tmp_path / 'out'),
        *('--settings', 'defaults', 'wide:width=128,epochs=7', '--budget', 7),
    )
    assert {made['max_training_time'] for made in replaced} == {7.0}
    assert [made.get('width') for made in replaced] == [None, 128, None, 128]
    assert '| defaults | the defaults |' in printed
    assert '| wide | epochs=7, width=128 |' in printed
    assert '| synthesizer | one | two | average |' in printed


def test_named_settings() -> None:
    assert comparison.read_settings(['a', 'c:epochs=2']) == {'a': {}, 'c': {'epochs': 2}}
    with pytest.raises(ValueError, match="name 'a' must occur once"):
        comparison.read_settings(['a', 'a:width=8'])
    with pytest.raises(ValueError, match="name '' must occur once, and must not be empty"):
        comparison.read_settings([':width=8'])


def test_what_real_rows_score_beside_a_run_is_a_floor() -> None:
    job = {'data': 'd', 'table': 'one', 'label': 'a', 'spec': 'tabdar', 'metrics': []}
    result = {
        'job': job,
        'environment': {},
        'data': {'task': 'binclass'},
        'fit': None,
        'sample': None,
        'scores': {'mle': 0.8, 'mle_real': 0.9},
    }
    rows = comparison.run_rows([result], {'one': {'shape_error': 0.1}, 'unknown': {'x': 1.0}})
    assert [row.get('mle') for row in rows] == [0.8, 0.9, None]
    assert [row['synthesizer'] for row in rows] == ['a', *[comparison.FLOOR_LABEL] * 2]
    assert rows[2]['shape_error'] == 0.1
