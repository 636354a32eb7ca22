"""Completed cells against exact distributions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.experiments.conditional_truth import describe, truth_tables
from sdv_tabdar.benchmark.output import raw
from sdv_tabdar.conditions import Between, OneOf

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


def test_conditions_are_told_in_short() -> None:
    given = {'x': Between(None, 2.5), 'y': np.float64(1.23456), 'g': None, 'c': OneOf(['a'])}
    told = describe(given)
    assert told == "x in [, 2.5], y = 1.235, g = None, c is OneOf(['a'])"
    frame = pd.DataFrame({'x': [1], 'w': [2]})
    assert describe(frame) == 'other values of x, w in each row'
