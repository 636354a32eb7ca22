"""The commands, from their arguments to the printed table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.benchmark import full_report, quality, sampling_speed, settings, synthesizers, tenth
from sdv_tabdar.benchmark.__main__ import EVIDENCE, build_parser, main
from sdv_tabdar.benchmark.arguments import plan_settings, timed_spec
from sdv_tabdar.benchmark.jobs import Job, write_json
from sdv_tabdar.benchmark.synthesizers import parse_spec


class Ours:
    """Stands in for our synthesizer and the three of SDV."""

    made: list[dict[str, object]] = []

    def __init__(self, metadata: object, **options: object) -> None:
        self.made.append(options)

    def fit(self, data: dict[str, Any]) -> None:
        """Keep the table."""
        self.data = data
        self._model = None

    def sample(self, num_rows: int) -> dict[str, Any]:
        """Rows of the table again."""
        return {
            name: table.sample(num_rows, replace=True, random_state=0).reset_index(drop=True)
            for name, table in self.data.items()
        }


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Ours and SDV's synthesizers replaced; the list gets the options of each that is made."""
    monkeypatch.setattr(Ours, 'made', [])
    monkeypatch.setattr(
        synthesizers, '_build_ours', lambda kind, dataset, options: Ours(dataset, **options)
    )
    for name in synthesizers.SDV_CLASSES.values():
        monkeypatch.setattr(f'sdv.single_table.{name}', Ours)
    return Ours.made


def parsed(*arguments: object) -> argparse.Namespace:
    return build_parser().parse_args([str(argument) for argument in arguments])


def test_help_names_every_command_and_synthesizer(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(['--help'])
    assert end.value.code == 0
    text = capsys.readouterr().out
    for name in ('run', 'table', *EVIDENCE, *synthesizers.KINDS):
        assert name in text


def test_wrong_input_is_one_line_and_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(['run', '--data', str(tmp_path / 'nowhere')]) == 2
    assert capsys.readouterr().err.startswith('error: There is no data folder')
    assert main(['table', str(tmp_path)]) == 2


def test_targets_are_read(prepared: Path) -> None:
    options = parsed('run', '--data', prepared, '--target', 'one=age', 'two=code')
    assert plan_settings(options)['targets'] == {'one': 'age', 'two': 'code'}
    options.target = ['age']
    with pytest.raises(ValueError, match="must look like TABLE=COLUMN, but it is 'age'"):
        plan_settings(options)


def test_run_and_table_print_the_same(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    launch_here: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr('sdv_tabdar.benchmark.runner.launch_process', launch_here)
    out = tmp_path / 'out'
    arguments = ['run', '--data', prepared, '--out', out, '--floors', '--seeds', 0, 1]
    arguments += ['--synthesizers', f'boot={bootstrap}']
    assert main([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr().out
    assert '### Shape error, %' in printed
    assert 'floor (real against real)' in printed
    assert main(['table', str(out)]) == 0
    assert capsys.readouterr().out.strip() in printed


def test_an_interrupted_command_says_that_it_can_go_on(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr('sdv_tabdar.benchmark.__main__.plan', interrupt)
    assert main(['run', '--data', str(prepared)]) == 130
    assert 'goes on where this one ended' in capsys.readouterr().err


def test_timed_spec_reads_back() -> None:
    spec = parse_spec(timed_spec('tabdar 300 s', 300, {'width': 8, 'epochs': 3}))
    assert spec.label == 'tabdar 300 s'
    assert spec.options == {'epochs': 3, 'max_training_time': 300.0, 'width': 8}


@pytest.mark.usefixtures('scored')
def test_quality_trains_once_for_each_budget(
    prepared: Path,
    tmp_path: Path,
    launch_here: Any,
    replaced: list[dict[str, object]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = parsed(
        *('quality', '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out'),
        *('--budgets', 1, 2.5, '--settings', 'width=8', '--floors'),
    )
    quality.main(options, launch=launch_here)
    assert [made['max_training_time'] for made in replaced] == [1.0, 2.5]
    assert all(made['width'] == 8 and made['epochs'] == 100_000 for made in replaced)
    printed = capsys.readouterr().out
    assert '| tabdar 2.5 s |' in printed
    assert 'Rows sampled per second' in printed
    assert (tmp_path / 'out' / 'quality.md').is_file()


@pytest.mark.usefixtures('replaced')
def test_tenth_gives_ours_a_tenth_of_ctgans_time_and_can_be_taken_up(
    prepared: Path, tmp_path: Path, launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed(
        *('tenth', '--data', prepared, '--tables', 'one', 'two', '--out', tmp_path / 'out'),
        *('--threads', 1),
    )
    results = tenth.main(options, launch=launch_here)
    seconds = {
        (found['job']['table'], found['job']['label']): found['fit']['seconds'] for found in results
    }
    for table in ('one', 'two'):
        [ours] = [
            r for r in results if r['job']['table'] == table and r['job']['label'] == 'tabdar'
        ]
        given = parse_spec(ours['job']['spec']).options['max_training_time']
        # The reserve is at most half.
        assert given == seconds[table, 'ctgan'] * 0.1 / 2
        assert ours['job']['threads'] == 1
    done = len(launch_here.steps)
    assert done == 16
    assert tenth.main(options, launch=launch_here) == results
    assert len(launch_here.steps) == done
    assert '| one, seed 0 |' in capsys.readouterr().out


def test_tenth_of_no_time_is_refused(prepared: Path) -> None:
    with pytest.raises(ValueError, match='must be above 0 and at most 1'):
        tenth.main(parsed('tenth', '--data', prepared, '--share', 0))
    with pytest.raises(ValueError, match='--reserve must be at least 0'):
        tenth.main(parsed('tenth', '--data', prepared, '--reserve', -1))


def scores(table: str, label: str, *values: float | None, seconds: float = 10.0) -> dict[str, Any]:
    return {
        'job': {'table': table, 'seed': 0, 'label': label},
        'fit': {'seconds': seconds},
        'scores': dict(zip(tenth.CLAIM, values, strict=True)),
    }


def test_verdict_names_what_is_lost() -> None:
    results = [
        scores('one', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        scores('one', 'tvae', 0.1, 0.1, 0.5),
        scores('one', 'gaussian_copula', 0.1, 0.1, 0.5),
        scores('one', 'tabdar', 0.01, 0.01, 0.8),
        scores('two', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        scores('two', 'tvae', 0.1, 0.01, 0.8),
        scores('two', 'gaussian_copula', 0.1, 0.1, None),
        scores('two', 'tabdar', 0.01, 0.01, 0.9),
        scores('three', 'ctgan', 0.1, 0.1, 0.5, seconds=100.0),
        scores('three', 'tabdar', 0.01, 0.01, 0.8),
    ]
    rows = {label: [cell.text for cell in cells] for label, cells in tenth.verdict(results).rows}
    assert rows == {
        'one, seed 0': ['100.0', '10.0', '0.100', 'yes'],
        'two, seed 0': [
            '100.0',
            '10.0',
            '0.100',
            'trend_error against tvae, xgb_c2st against gaussian_copula',
        ],
        'three, seed 0': ['100.0', '10.0', '0.100', 'runs are missing'],
    }


def test_settings_are_compared_in_turns_at_one_budget(
    prepared: Path,
    tmp_path: Path,
    launch_here: Any,
    replaced: list[dict[str, object]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = parsed(
        *('settings', '--data', prepared, '--tables', 'one', 'two', '--out', tmp_path / 'out'),
        *('--settings', 'defaults', 'wide:width=128,batch_size=64', '--budget', 7),
    )
    settings.main(options, launch=launch_here)
    assert {made['max_training_time'] for made in replaced} == {7.0}
    assert [made.get('width') for made in replaced] == [None, 128, None, 128]
    printed = capsys.readouterr().out
    assert '| wide | width=128, batch_size=64 |' in printed
    assert '### Averages over one, two' in printed
    assert '| synthesizer | one | two | average |' in printed


def test_settings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'settings.json'
    path.write_text(json.dumps({'a': {'width': 8}, 'b': {}}))
    assert settings.read_settings([str(path), 'c:epochs=2']) == {
        'a': {'width': 8},
        'b': {},
        'c': {'epochs': 2},
    }
    path.write_text('[1, 2]')
    with pytest.raises(ValueError, match='must hold one JSON object'):
        settings.read_settings([str(path)])
    with pytest.raises(ValueError, match="name 'a' must occur once"):
        settings.read_settings(['a', 'a:width=8'])
    with pytest.raises(ValueError, match="name '' must occur once, and must not be empty"):
        settings.read_settings([':width=8'])


@pytest.mark.usefixtures('replaced')
def test_sampling_speed_leaves_out_the_first_draw(
    prepared: Path, tmp_path: Path, launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed(
        *('sampling-speed', '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out'),
        *('--repeats', 3, '--sample-rows', 50),
    )
    [found] = sampling_speed.main(options, launch=launch_here)
    assert [draw['rows'] for draw in found['samplings']] == [50] * 4
    assert '### Sampling speed' in capsys.readouterr().out
    options.repeats = 0
    with pytest.raises(ValueError, match='--repeats must be at least 1, but it is 0'):
        sampling_speed.main(options, launch=launch_here)


@pytest.mark.usefixtures('replaced')
def test_full_report_has_every_score_its_cost_and_a_page(
    prepared: Path, tmp_path: Path, launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask_here(module: str, question: Any, *, threads: int | None = None) -> dict[str, Any]:
        assert module == full_report.__name__
        answered = full_report.measure(question)
        return json.loads(json.dumps(answered))  # type: ignore[no-any-return]

    out = tmp_path / 'out'
    options = parsed('full-report', '--data', prepared, '--tables', 'one', '--out', out)
    [found] = full_report.main(options, launch=launch_here, ask_for=ask_here)
    assert {'shape_error', 'xgb_c2st', 'dcr_share'} <= {row['metric'] for row in found['scores']}
    assert found['cost']['seconds'] > 0
    printed = capsys.readouterr().out
    assert '### one, tabdar 5 min, seed 0' in printed
    assert '| shape_error |' in printed
    [page] = out.rglob('full_report.html')
    assert 'tabdar 5 min on one' in page.read_text(encoding='utf-8')


def test_sampling_speed_is_the_median() -> None:
    draws = [{'rows': 100, 'seconds': s, 'peak_memory_mib': 9.0} for s in (50.0, 1.0, 2.0, 4.0)]
    job = {'table': 'one', 'label': 'tabdar', 'seed': 0, 'threads': 2}
    [(label, cells)] = sampling_speed.speed_grid([{'job': job, 'samplings': draws}]).rows
    assert label == 'one, tabdar, seed 0'
    assert [cell.text for cell in cells] == ['100', '50', '25', '100', '9', '2']


def test_evidence_that_is_printed_again_does_not_need_the_data(tmp_path: Path) -> None:
    job = Job('gone', 'one', 'tabdar', 'tabdar')
    kept = {
        'job': job.to_dict(),
        'environment': {},
        'data': {'task': None},
        'synthetic_rows': 1,
        'fit': None,
        'sample': None,
        'scores': {'shape_error': 0.5},
    }
    write_json(kept, tmp_path / job.folder / 'result.json')
    assert main(['table', str(tmp_path)]) == 0
