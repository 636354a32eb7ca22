"""Scaling: generated tables, one small measurement, and the exponents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.benchmark import fresh, generated, scaling
from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.runner import RunFailed


def parsed(*arguments: object) -> argparse.Namespace:
    return build_parser().parse_args(['scaling', *map(str, arguments)])


def answered(
    module: str, question: Mapping[str, Any], *, threads: int | None = None
) -> dict[str, Any]:
    """Linear in rows, quadratic in columns, independent of levels."""
    assert module == 'sdv_tabdar.benchmark.generated'
    size = question['rows'] * question['columns'] ** 2
    cost = {'seconds': size / 1e5, 'memory_before_mib': 100.0, 'peak_memory_mib': 100 + size / 1e4}
    return {
        'fit': cost,
        'sample': {**cost, 'peak_memory_mib': 90.0},
        'epoch_seconds': size / 1e6,
        'rows': question['rows'],
        'columns': question['columns'],
        'table_mib': 3.0,
    }


def test_exponents_and_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = parsed(
        '--out', tmp_path, '--up-to', 'rows=1e5', 'columns=20', 'levels=100', 'streamed=1e5'
    )
    found = scaling.main(options, ask_for=answered)
    assert {sweep: list(sizes) for sweep, sizes in found.items()} == {
        'rows': [10_000, 100_000],
        'columns': [5, 10, 20],
        'levels': [10, 100],
        'streamed': [10_000, 100_000],
    }
    text = capsys.readouterr().out
    assert '| 10,000 | 10.00 | - | 1.00 | - | 100 | - | 10.00 | - | 0 | - |' in text
    assert (
        '| 100,000 | 100.00 | 1.00 | 10.00 | 1.00 | 1,000 | 1.00 | 100.00 | 1.00 | 0 | - |' in text
    )
    assert '| 20 | 40.00 | 2.00 |' in text
    assert '| 100 | 4.00 | 0.00 |' in text
    assert 'Tables of 100,000 rows and 2 columns; the largest takes 3 MiB' in text
    assert (tmp_path / 'scaling.html').is_file()


def test_what_is_there_is_not_measured_again(tmp_path: Path) -> None:
    arguments = ('--out', tmp_path, '--sweeps', 'rows', '--rows', '1e3', 2000)
    first = scaling.main(parsed(*arguments), ask_for=answered)

    def refuse(*_: object, **__: object) -> dict[str, Any]:
        raise AssertionError('it was there')

    assert scaling.main(parsed(*arguments), ask_for=refuse) == first
    with pytest.raises(ValueError, match=r"1000.json' was measured with .* Choose another --out"):
        scaling.main(parsed(*arguments, '--settings', 'width=8'), ask_for=refuse)


def test_a_failure_is_told_and_the_next_size_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_once(module: str, question: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
        if question['rows'] == 1000:
            raise RunFailed('no memory')
        return answered(module, question, **rest)

    options = parsed('--out', tmp_path, '--sweeps', 'rows', '--rows', 1000, 2000)
    assert list(scaling.main(options, ask_for=fails_once)['rows']) == [2000]
    assert 'FAILED  rows 1,000, columns 10: no memory' in capsys.readouterr().out


@pytest.mark.parametrize('text', ['rows', 'rows=', 'rows=0', 'rows=1.5', 'depth=3', 'rows=many'])
def test_a_limit_must_name_a_sweep_and_a_number(text: str) -> None:
    with pytest.raises(ValueError, match=f"--up-to must look like SWEEP=N.*it is '{text}'"):
        scaling.read_limits([text])


def test_a_size_is_a_whole_number(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed('--rows', '0.5')
    assert "a size must be a whole number from 1, but it is '0.5'" in capsys.readouterr().err


def test_generated_tables() -> None:
    table = generated.make_table(1000, 4, levels=300)
    assert list(table.columns) == ['levels', 'number_0', 'category_1', 'number_2', 'category_3']
    assert table['levels'].nunique() == 300
    assert table['category_1'].nunique() == generated.FEW_LEVELS
    assert abs(table['number_0'].corr(table['number_2'])) > 0.3
    assert table.equals(generated.make_table(1000, 4, levels=300))
    assert 'levels' not in generated.make_table(10, 2)
    with pytest.raises(ValueError, match='Each of the 11 levels must occur, which 10 rows'):
        generated.make_table(10, 2, levels=11)


@pytest.mark.parametrize('streamed', [None, 30])
def test_one_measurement(streamed: int | None) -> None:
    small = {'width': 8, 'num_heads': 2, 'denoiser_width': 8, 'head_width': 8}
    question = {'rows': 200, 'columns': 2, 'levels': 20, 'sample_rows': 30, 'seed': 0}
    found = generated.measure({**question, 'settings': small, 'streamed': streamed})
    assert found['fit']['seconds'] > found['epoch_seconds'] > 0
    assert (found['rows'], found['columns']) == (200, 3)
    assert found['sample']['seconds'] > 0
    json.dumps(found)


def test_a_question_is_answered_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'doubles.py').write_text(
        'import json, os, sys\n'
        'asked = json.load(sys.stdin)\n'
        'print("chatter")\n'
        'asked["number"] *= 2\n'
        'asked["omp"] = os.environ["OMP_NUM_THREADS"]\n'
        'print(json.dumps(asked))\n'
    )
    (tmp_path / 'breaks.py').write_text('raise SystemExit("out of luck")\n')
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    found = fresh.ask('doubles', {'number': 4}, threads=1)
    assert found == {'number': 8, 'omp': '1', 'threads': 1}
    with pytest.raises(RunFailed, match=r'breaks ended with code 1 when asked .*\n.*out of luck'):
        fresh.ask('breaks', {})


def test_an_answer_is_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    monkeypatch.setattr('sys.stdin', io.StringIO('{"threads": 1, "x": 2}'))
    fresh.answer(lambda question: {'given': question})
    assert json.loads(capsys.readouterr().out) == {'given': {'x': 2}}
