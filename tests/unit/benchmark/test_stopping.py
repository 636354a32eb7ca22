"""The script that compares lengths of training: its rows, its scores, and that it resumes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark import stopping
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training import trainer


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one small table."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {'x': random.normal(size=160), 'y': random.choice(['a', 'b', 'c'], size=160)}
    )
    folder = tmp_path / 'data' / 'one'
    folder.mkdir(parents=True)
    frame[:120].to_csv(folder / 'train.csv.gz', index=False)
    frame[120:].to_csv(folder / 'test.csv.gz', index=False)
    columns = {'x': 'numerical', 'y': 'categorical'}
    (folder / 'info.json').write_text(json.dumps({'columns': columns}))
    return tmp_path / 'data'


def test_test_rows_are_made_known() -> None:
    train = pd.DataFrame({'x': [0.0, 2.0], 'y': ['a', 'b']})
    test = pd.DataFrame({'x': [3.0, 1.0, np.nan, 1.0], 'y': ['a', 'c', 'a', 'b']})
    kinds = {'x': ColumnKind.NUMERICAL, 'y': ColumnKind.CATEGORICAL}
    found = stopping.known_rows(train, test, kinds)
    assert found.to_dict('list') == {'x': [2.0, 1.0], 'y': ['a', 'b']}


def test_copies_of_training_rows_are_near_and_other_rows_are_not() -> None:
    random = np.random.default_rng(0)
    train, test, other = (
        pd.DataFrame({'x': random.normal(size=400), 'y': random.choice(['a', 'b'], size=400)})
        for _ in range(3)
    )
    assert stopping.near_training_share(train, test, train) > 0.95
    assert stopping.near_training_share(train, test, test) < 0.05
    assert 0.4 < stopping.near_training_share(train, test, other) < 0.6


def test_trainings_are_printed_and_not_repeated(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (stopping, trainer):
        monkeypatch.setattr(module, 'default_epochs', lambda *_: 2)
    monkeypatch.setattr(trainer, 'longest_training', lambda *_: 4)
    results = data.parent / 'results.jsonl'
    arguments = ['--data', str(data), '--results', str(results), '--tables', 'one', '--rows', '110']
    stopping.main([*arguments, '--seeds', '0'])
    kept = results.read_text()
    entries = [json.loads(line) for line in kept.splitlines()]
    assert [entry['variant'] for entry in entries] == [stopping.BEFORE, stopping.NOW]
    for entry in entries:
        assert entry['rows'] == 110
        assert np.isfinite([entry['test'], entry['train'], entry['near']]).all()
    shown = capsys.readouterr().out
    assert shown.count('| one | 110 |') == 2
    stopping.main([*arguments, '--seeds', '0'])
    assert results.read_text() == kept
