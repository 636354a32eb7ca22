"""A runner of commands, and a model that the command line has fitted on a small table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from sdv_tabdar.cli.__main__ import cli

Run = Callable[..., Result]
TINY = [
    f'--set={name}={value}'
    for name, value in {
        'width': 16,
        'num_blocks': 1,
        'num_heads': 2,
        'head_width': 8,
        'denoiser_width': 8,
        'denoiser_blocks': 1,
        'num_steps': 3,
        'num_particles': 4,
        'enable_gpu': False,
    }.items()
]


def make_people(num_rows: int = 80) -> pd.DataFrame:
    """Whole numbers, decimals with gaps, text, text that looks like numbers, booleans, dates."""
    generator = np.random.default_rng(0)
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(generator.integers(0, 900, num_rows), 'D')
    income = np.round(generator.lognormal(7, 0.4, num_rows), 2)
    return pd.DataFrame(
        {
            'age': generator.integers(18, 80, num_rows),
            'income': np.where(generator.random(num_rows) < 0.2, np.nan, income),
            'marital status': generator.choice(['single', 'married, again', "widow's"], num_rows),
            'code': generator.choice(['A1', '007', '7'], num_rows),
            'rooms': generator.integers(1, 4, num_rows),
            'member': generator.random(num_rows) < 0.4,
            'since': pd.Series(days.strftime('%d/%m/%Y'), dtype=object),
        }
    )


@pytest.fixture
def run() -> Run:
    """Runs a command in this process; an exception that is no answer fails the test."""

    def invoke(*arguments: object, code: int = 0, **options: object) -> Result:
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments], **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture(scope='session')
def tiny() -> list[str]:
    return TINY


@pytest.fixture(scope='session')
def people() -> pd.DataFrame:
    return make_people()


@pytest.fixture(scope='session')
def folder(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds people.csv, its metadata and the model of it."""
    path = tmp_path_factory.mktemp('people')
    people.to_csv(path / 'people.csv', index=False)
    detected = CliRunner().invoke(
        cli, ['detect', str(path / 'people.csv'), '-o', str(path / 'people.json')]
    )
    assert detected.exit_code == 0, detected.output
    metadata = json.loads((path / 'people.json').read_text())
    date = {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'}
    metadata['tables']['people']['columns']['since'] = date
    (path / 'people.json').write_text(json.dumps(metadata))
    fitted = CliRunner().invoke(
        cli,
        [
            *('fit', str(path / 'people.csv'), '-o', str(path / 'people.tabdar')),
            *('--metadata', str(path / 'people.json'), '--epochs', '1', '--seed', '0', *TINY),
        ],
    )
    assert fitted.exit_code == 0, fitted.output
    return path


@pytest.fixture(scope='session')
def model(folder: Path) -> Path:
    return folder / 'people.tabdar'
