"""The program: help, wrong input, interruption."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sdv_tabdar.benchmark.__main__ import main
from sdv_tabdar.benchmark.experiments.declared import EXPERIMENTS
from sdv_tabdar.benchmark.methods.spec import KINDS


def test_help_names_every_command_and_synthesizer(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(['--help'])
    assert end.value.code == 0
    text = capsys.readouterr().out
    for name in ('table', *EXPERIMENTS, *KINDS):
        assert name in text


@pytest.mark.parametrize('name', EXPERIMENTS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, '--help'])
    assert end.value.code == 0
    assert '--out' in capsys.readouterr().out


def test_wrong_input_is_one_line_and_code_2(tmp_path: Path, command: Callable[..., str]) -> None:
    printed = command('run', '--data', tmp_path / 'nowhere', code=2)
    assert printed.startswith('error: There is no data folder')
    assert 'There is nothing to print in' in command('table', tmp_path, code=2)


def test_an_interrupted_command_says_that_it_can_go_on(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr('sdv_tabdar.benchmark.experiments.comparison.plan', interrupt)
    printed = command('run', '--data', prepared, code=130)
    assert 'goes on where this one ended' in printed
