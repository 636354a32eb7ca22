"""A small prepared table on disk, a stand-in for the evaluation, and processes that are calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.__main__ import main
from sdv_tabdar.benchmark.jobs import process, steps

ROWS = 60
ENVIRONMENT = {'cpu': 'Chip', 'cores': 2, 'usable_cores': 1, 'python': '3.11', 'versions': {}}
# The simplest synthesizer with frames in and out: rows of the training table again.
BOOTSTRAP = """
class Bootstrap:
    def __init__(self, metadata, fails=False, state=0):
        self.fails, self.state = fails, state

    def fit(self, data):
        if self.fails:
            raise RuntimeError('this one always fails')
        self.data = data

    def sample(self, num_rows):
        rows = self.data.sample(num_rows, replace=True, random_state=self.state)
        return rows.reset_index(drop=True)


class Mute:
    def __init__(self, metadata):
        pass
"""
COLUMNS = {'age': 'numerical', 'wage': 'numerical', 'code': 'categorical', 'kind': 'categorical'}


def make_table(rows: int, seed: int) -> pd.DataFrame:
    """Whole numbers, decimals with gaps, codes that are digits, and two classes."""
    generator = np.random.default_rng(seed)
    wage = generator.normal(size=rows).round(4)
    wage[:3] = np.nan
    return pd.DataFrame(
        {
            'age': generator.integers(18, 80, rows),
            'wage': wage,
            'code': generator.integers(1, 4, rows),
            'kind': generator.choice(['a', 'b'], rows, p=[0.7, 0.3]),
        }
    )


@pytest.fixture
def table() -> pd.DataFrame:
    return make_table(ROWS, 0)


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A folder with the prepared tables 'one' and 'two'."""
    for seed, name in enumerate(('one', 'two')):
        folder = tmp_path / 'data' / name
        folder.mkdir(parents=True)
        make_table(ROWS, seed).to_csv(folder / 'train.csv.gz', index=False)
        make_table(20, seed + 10).to_csv(folder / 'test.csv.gz', index=False)
        info = {'name': name, 'task': 'binclass', 'target': 'kind', 'columns': COLUMNS}
        (folder / 'info.json').write_text(json.dumps(info))
    return tmp_path / 'data'


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The text that names a user's own synthesizer."""
    (tmp_path / 'bootstrap_model.py').write_text(BOOTSTRAP)
    monkeypatch.syspath_prepend(tmp_path)
    return 'object:bootstrap_model:Bootstrap'


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Replaces the evaluation's score; the list gets the arguments of each call."""
    calls: list[dict[str, Any]] = []

    def score(
        real_train: pd.DataFrame,
        synthetic: pd.DataFrame,
        metadata: object,
        real_test: pd.DataFrame | None = None,
        **settings: Any,
    ) -> dict[str, float]:
        calls.append({'train': real_train, 'synthetic': synthetic, **settings})
        error = abs(real_train['age'].mean() - synthetic['age'].mean()) / 100
        known = {
            'shape': {'shape_error': error},
            'trend': {'trend_error': error},
            'xgb_c2st': {'xgb_c2st': 1 - error},
        }
        return {key: value for name in settings['metrics'] for key, value in known[name].items()}

    def floor_scores(
        real_train: pd.DataFrame,
        metadata: object,
        real_test: pd.DataFrame | None = None,
        **settings: Any,
    ) -> dict[str, float]:
        half = len(real_train) // 2
        return score(real_train[:half], real_train[half:], metadata, real_test, **settings)

    fake = SimpleNamespace(score=score, floor_scores=floor_scores)
    monkeypatch.setattr(steps, 'evaluation', fake)
    return calls


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Processes become calls in this one; the list gets what each was asked."""
    calls: list[dict[str, Any]] = []

    def call(measure: Callable[..., Any], arguments: Mapping[str, Any], **rest: Any) -> Any:
        arguments = json.loads(json.dumps(arguments))
        calls.append({'function': measure.__name__, **rest, **arguments})
        try:
            found = measure(**arguments)
        except Exception as error:
            raise process.RunFailed(str(error)) from error
        return json.loads(json.dumps({**found, 'environment': ENVIRONMENT}))

    monkeypatch.setattr(process, 'call', call)
    return calls


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command and gives back what it printed."""

    def run(*arguments: object, code: int = 0) -> str:
        capsys.readouterr()
        try:
            ended = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse refuses an argument
            ended = int(str(end.code))
        assert ended == code
        captured = capsys.readouterr()
        return captured.err if code > 1 else captured.out

    return run
