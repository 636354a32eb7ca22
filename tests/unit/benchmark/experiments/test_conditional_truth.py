"""Completed cells against exact distributions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.data.distributions import Case
from sdv_tabdar.benchmark.experiments.conditional_truth import describe, seen, truth_tables
from sdv_tabdar.benchmark.output import raw
from sdv_tabdar.conditions import Between, NotNull, OneOf

TINY = 'width=8,num_blocks=1,num_heads=1,denoiser_width=8,head_width=8,num_steps=2'


def test_from_tables_to_verdict(
    tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ['conditional-truth', '--rows', 256, '--draws', 100, '--tables', 'spiked']
    asked += ['--out', tmp_path, '--settings', TINY, '--epochs', 1]
    printed = command(*asked)
    rows, _ = raw.load(tmp_path, 'conditional_truth')
    assert set(rows['condition']) == {'value', 'range', 'set', 'null', 'several'}
    assert rows['distance'].between(0, 1).all()
    assert '| spiked: all |' in printed
    assert '| spiked: range: x in [15, ]: x: TV |' in printed
    assert command(*asked).partition('###')[2] == printed.partition('###')[2]
    assert len(called) == 2
    assert '--draws: must be at least 100' in command(*asked, '--draws', 99, code=2)


def test_the_verdict_counts_what_is_beyond() -> None:
    found = (('value', 0.05), ('value', 0.2), ('range', 0.1))
    common = {'table': 'one', 'given': 'x', 'column': 'y', 'statistic': 'KS', 'count': 9}
    rows = [
        {**common, 'condition': kind, 'distance': distance, 'bound': 0.1, 'within': 'yes'}
        for kind, distance in found
    ]
    grid = truth_tables(pd.DataFrame(rows))[0]
    shown = {label: [cell.text for cell in cells] for label, cells in grid.rows}
    assert shown['one: value'] == ['2', '1', '1', '1.25', '2.00']
    assert shown['one: range'] == ['1', '0', '0', '1.00', '1.00']
    assert shown['one: all'][:2] == ['3', '1']


def test_conditions_beyond_a_small_table_are_left_out(
    tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ['conditional-truth', '--rows', 128, '--draws', 100, '--tables', 'gaussian']
    printed = command(*asked, '--out', tmp_path, '--settings', TINY, '--epochs', 1)
    assert '| gaussian: range: x in [19.27, ]: x, y: - | 0 | - | - | no such training rows |' in (
        printed
    )
    assert '| gaussian: several |' in printed


def test_a_condition_is_asked_if_training_has_seen_its_cells() -> None:
    train = pd.DataFrame({'x': [0.0, 2.0, np.nan], 'g': ['a', 'b', 'b']})

    def is_seen(given: dict[str, Any]) -> bool:
        return seen(Case('any', given, {}), train) is not None

    for cell in (Between(1, 3), Between(None, 0), 1.0, OneOf([0.0, 2.0]), None, NotNull()):
        assert is_seen({'x': cell})
    for cell in (Between(3, None), 2.5, OneOf([1.0, 3.0])):
        assert not is_seen({'x': cell, 'g': 'a'})
    assert not is_seen({'g': 'c'})
    assert not is_seen({'g': None})
    several = seen(Case('any', pd.DataFrame({'x': [1.0, 3.0]}), {}), train)
    assert several is not None
    assert len(several.given) == 1


def test_conditions_are_told_in_short() -> None:
    given = {'x': Between(None, 2.5), 'y': np.float64(1.23456), 'g': None, 'c': OneOf(['a'])}
    told = describe(given)
    assert told == "x in [, 2.5], y = 1.235, g = None, c is OneOf(['a'])"
    frame = pd.DataFrame({'x': [1], 'w': [2]})
    assert describe(frame) == 'other values of x, w in each row'
