"""What attackers learn, by settings and by the number of rows."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import attacked
from sdv_tabdar.evaluation.attacks import battery

from ..conftest import make_table
from .conftest import TINY


@pytest.fixture(autouse=True)
def few_rows(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More rows in the table than usual, but few to draw."""
    make_table(240, 0).to_csv(prepared / 'one' / 'train.csv.gz', index=False)
    monkeypatch.setattr(attacked, '_UNSEEN', 100)
    monkeypatch.setattr(attacked, '_DRAWN', 60)
    monkeypatch.setattr(battery, 'HALVINGS', 3)


def test_what_was_attacked_is_not_attacked_again(
    prepared: Path, tmp_path: Path, command: Callable[..., str], called: list[dict[str, object]]
) -> None:
    given = ['attacks', '--data', prepared, '--out', tmp_path / 'out', '--rows', 30]
    settings = [f'{name}:{TINY},epochs={epochs}' for name, epochs in (('a', 1), ('b', 2))]
    command(*given, '--tables', 'one', '--settings', settings[0])
    command(*given, '--tables', 'one', '--settings', *settings)
    assert len(called) == 2
    printed = command(*given, '--tables', 'one', attacked.UNIQUE, '--settings', settings[0])
    assert len(called) == 3
    rows = pd.read_csv(tmp_path / 'out' / 'attacks.csv')
    places = list(zip(rows['table'], rows['setting'], strict=True))
    assert places == [('one', 'a'), (attacked.UNIQUE, 'a')]
    assert (rows['rows'] == 30).all()
    measured = ['attack_auc', 'attack_tpr_1', 'near', 'gap', 'likelihood', 'likelihood_ratio']
    assert np.isfinite(rows[measured].to_numpy()).all()
    for title in ('The worst attack', 'AUC of each attack', 'Signs of memorising'):
        assert title in printed


def test_settings_take_turns(prepared: Path) -> None:
    asked = {'data': str(prepared), 'tables': ['one', attacked.UNIQUE], 'seeds': [0, 1]}
    settings = {'named_settings': ['a', 'b:width=48'], 'parts': [30, 0], 'threads': None}
    planned = attacked.jobs(argparse.Namespace(**asked, **settings))
    assert [job.label for job in planned] == ['a', 'b'] * 8
    assert [job.table for job in planned[:4]] == ['one', 'one', attacked.UNIQUE, attacked.UNIQUE]


def test_rows_that_were_fitted_on_are_nobody_elses(prepared: Path) -> None:
    for table in ('one', attacked.UNIQUE):
        job = attacked.Job(data=str(prepared), table=table, label='a', spec='tabdar', rows=30)
        dataset, others = attacked._split(job)
        number = next(name for name in dataset.train if dataset.sdtypes[name] == 'numerical')
        parts = [dataset.train, others, dataset.test]
        assert [len(part) for part in parts[:2]] == [30, 30]
        if table == attacked.UNIQUE:
            seen = pd.concat([part[number] for part in parts])
            assert seen.is_unique
