"""What is learnt of test rows: by settings, by the length of training, on parts of tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import held_out
from sdv_tabdar.core.schema import ColumnKind

from .conftest import TINY

MEASURED = ['test', 'train', 'near', 'near_low', 'near_high', 'near_columns', 'xgb_c2st']


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer rows to draw and fewer passes."""
    monkeypatch.setattr(held_out, '_JUDGED_ROWS', 15)
    monkeypatch.setattr(held_out, 'default_epochs', lambda rows, *_: rows // 20)


def test_test_rows_are_made_known() -> None:
    train = pd.DataFrame({'x': [0.0, 2.0], 'y': ['a', 'b']})
    test = pd.DataFrame({'x': [3.0, 1.0, np.nan, 1.0], 'y': ['a', 'c', 'a', 'b']})
    kinds = {'x': ColumnKind.NUMERICAL, 'y': ColumnKind.CATEGORICAL}
    found = held_out.known_rows(test, train, kinds)
    assert found.to_dict('list') == {'x': [2.0, 1.0], 'y': ['a', 'b']}


def test_lengths_are_compared_on_parts_of_tables_and_not_trained_again(
    prepared: Path, tmp_path: Path, command: Callable[..., str], called: list[dict[str, object]]
) -> None:
    settings = [f'before:{TINY},epochs=by-size', f'now:{TINY},epochs=1']
    given = ['stopping', '--data', prepared, '--out', tmp_path / 'out', '--rows', 40, 0]
    given += ['--tables', 'one', '--settings', *settings]
    command(*given)
    assert len(called) == 4  # rows x settings
    printed = command(*given, '--seeds', 0, 1)
    assert len(called) == 8
    assert '| one: 40: before |' in printed
    assert '| one: 60: now |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'stopping.csv')
    assert rows['seed'].tolist() == [0] * 4 + [1] * 4
    passes = rows.groupby(['rows', 'setting'])['epochs'].unique().map(list).to_dict()
    assert passes == {(40, 'before'): [2], (40, 'now'): [1], (60, 'before'): [3], (60, 'now'): [1]}
    assert np.isfinite(rows[MEASURED].to_numpy()).all()


def test_going_on_is_compared_with_a_new_model(tmp_path: Path, on_one: Callable[..., str]) -> None:
    settings = [f'refit:{TINY},epochs=2', f'warm:{TINY},epochs=1,warm_start=True']
    printed = on_one('warm-start', '--rows', 0, '--settings', *settings)
    assert '| one: 60: warm |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'warm_start.csv')
    assert rows['epochs'].tolist() == [2, 1]
    assert np.isfinite(rows[MEASURED].to_numpy()).all()
