"""The command line from a file of rows to a report; once as processes of a shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from sdv_tabdar.cli.__main__ import cli

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

FIT = 'fit people.csv -o people.tabdar --epochs 2 --seed 0 --set width=16 --set num_blocks=1'
# `head` closes the pipe long before all rows are written.
SCRIPT = """
set -eu -o pipefail
tabdar() { "$PYTHON" -m sdv_tabdar.cli "$@"; }
tabdar sample people.tabdar -n 20000 --set 2> /dev/null || echo "wrong usage is $?"
tabdar sample people.tabdar -n 20000 | head -n 2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 60 people, and five of them with gaps."""
    generator = np.random.default_rng(0)
    team = generator.choice(['red', 'blue', 'green'], 60)
    people = pd.DataFrame({'age': generator.integers(20, 60, 60), 'team': team})
    people['income'] = np.round(people['age'] * generator.lognormal(4, 0.2, 60), 1)
    people.to_csv(tmp_path / 'people.csv', index=False)
    people.head(5).assign(income=np.nan).to_csv(tmp_path / 'gaps.csv', index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(line: str) -> str:
    result = CliRunner().invoke(cli, line.split())
    assert result.exit_code == 0, result.output
    return result.stdout


def test_from_a_file_of_rows_to_a_report(folder: Path) -> None:
    fitted = CliRunner().invoke(cli, FIT.split())
    assert fitted.exit_code == 0, fitted.output
    assert fitted.stderr.splitlines()[-1] == 'Wrote people.tabdar'
    script = SCRIPT.replace('"$PYTHON"', f"'{sys.executable}'")
    shell = subprocess.run(['bash', '-c', script], capture_output=True, text=True, check=False)
    assert shell.returncode == 0, shell.stderr
    assert shell.stdout.splitlines()[:2] == ['wrong usage is 2', 'age,team,income']
    assert shell.stderr == ''  # the closed pipe is no news

    _run('sample people.tabdar -n 60 --seed 0 --where age>=30 -o rows.csv')
    filled = _run('impute people.tabdar gaps.csv --seed 0 -o filled.parquet')
    _run('predict people.tabdar gaps.csv team -o shares.jsonl')
    scores = _run('evaluate people.csv rows.csv --target team --report report.html --json')
    told = _run('describe people.tabdar')

    assert filled == ''
    assert (pd.read_csv('rows.csv')['age'] >= 30).all()
    assert pd.read_parquet('filled.parquet').notna().all(axis=None)
    assert pd.read_json('shares.jsonl', lines=True).sum(axis=1).tolist() == pytest.approx([1] * 5)
    assert json.loads(scores)['facts']['target'] == 'team'
    assert (folder / 'report.html').stat().st_size > 10_000
    assert "'income'" in told


def test_help_needs_neither_sdv_nor_torch() -> None:
    code = (
        'import sys, sdv_tabdar.cli.__main__\n'
        'print([name for name in ("sdv", "torch", "pandas", "numpy") if name in sys.modules])\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def test_the_package_itself_is_the_command_line() -> None:
    command = [sys.executable, '-m', 'sdv_tabdar', '--version']
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('sdv-tabdar, version')
