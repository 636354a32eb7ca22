"""What experiments have in common: pairs, targets, models, one table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments.experiment import (
    Experiment,
    OneTable,
    carry_out,
    plan_models,
    plan_settings,
    print_again,
    split_pair,
)
from sdv_tabdar.benchmark.output.tables import Number

ROW = {'table': 'one', 'x': 1.0, 'seed': 0, 'threads': 1, 'machine': 'Chip'}
TOY = Experiment(
    'a toy',
    {'repeats': 1, 'out': Path('toy')},
    lambda options: [ROW] * options.repeats,
    OneTable('Toy', ['table'], [Number('x', 'X')]),
    note='{repeats} times.',
)


def test_an_experiment_is_rows_then_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert carry_out('a-toy', TOY, argparse.Namespace(repeats=2, out=tmp_path)) == 0
    printed = capsys.readouterr().out
    assert '### Toy' in printed
    assert '| one | 1.000 ± 0.000 |' in printed
    assert '2 times. Threads: 1. Seeds: 0. Made with Chip.' in printed
    assert print_again('a_toy', TOY, tmp_path).strip() == printed.strip()
    assert len(pd.read_csv(tmp_path / 'a_toy.csv')) == 2


def test_without_rows_there_is_nothing_to_print(tmp_path: Path) -> None:
    empty = Experiment('nothing', {}, lambda options: [], TOY.tables)
    assert carry_out('empty', empty, argparse.Namespace(out=tmp_path / 'out')) == 1
    assert not (tmp_path / 'out').exists()


def test_targets_and_metrics_are_read(prepared: Path) -> None:
    options = argparse.Namespace(data=prepared, target=['one=age', 'two=code'], metrics=['all'])
    settings = plan_settings(options)
    assert settings['targets'] == {'one': 'age', 'two': 'code'}
    assert {'shape', 'mle', 'dcr'} <= set(settings['metrics'])
    with pytest.raises(ValueError, match="A target must look like TABLE=COLUMN, but it is 'age'"):
        plan_settings(argparse.Namespace(target=['age']))


def test_a_model_is_planned_with_its_settings(prepared: Path) -> None:
    options: Any = argparse.Namespace(
        data=prepared, tables=['one'], seeds=[3], settings='width=8', epochs=2
    )
    [job] = plan_models(options)
    assert (job.label, job.spec, job.seed) == ('tabdar', 'tabdar:width=8,epochs=2', 3)


def test_a_pair_has_two_ends() -> None:
    assert split_pair('income=>50K', 'condition', 'A=B') == ('income', '>50K')
    with pytest.raises(ValueError, match="A condition must look like A=B, but it is '=2'"):
        split_pair('=2', 'condition', 'A=B')
