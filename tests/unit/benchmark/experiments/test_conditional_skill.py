"""Every column given others, beside trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import conditional_skill
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

from .conftest import TINY


def test_every_column_is_asked_for_twice(tmp_path: Path, on_one: Callable[..., str]) -> None:
    printed = on_one('conditional-skill', '--settings', f'tiny:{TINY},epochs=1', '--test-rows', 10)
    assert '| one: 60: tiny: all others |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'conditional_skill.csv')
    questions = rows.groupby('column')['question'].unique().map(list).to_dict()
    wanted = ['all others', 'half of the others']
    assert questions == dict.fromkeys(('age', 'wage', 'code', 'kind'), wanted)
    assert np.isfinite(rows[['ours', 'trees', 'guess', 'ratio']].to_numpy()).all()


def test_the_worst_column_is_named() -> None:
    rows = pd.DataFrame(
        {
            'table': 'one',
            'rows': 60,
            'setting': 'default',
            'question': 'all others',
            'column': ['x', 'y', 'x', 'y'],
            'is_number': [True, False, True, False],
            'ratio': [1.0, 2.0, 2.0, 4.0],
        }
    )
    (grid,) = conditional_skill.skill_tables(rows)
    assert [cell.text for cell in grid.rows[0][1]] == ['2.250', '1.500', '3.000', 'y, 3.00']


def test_columns_that_cannot_be_asked_for_are_left_out() -> None:
    numbers, levels = ColumnKind.NUMERICAL, ColumnKind.CATEGORICAL
    asked = conditional_skill._is_asked_for
    assert asked(pd.Series([1.0, 2.0]), numbers)
    assert asked(pd.Series(['a', 'b']), levels)
    assert not asked(pd.Series([1.0, np.nan]), numbers)
    assert not asked(pd.Series(map(str, range(101))), levels)


def test_truth_values_are_asked_for_by_their_labels() -> None:
    frame = pd.DataFrame({'size': np.arange(40.0), 'is_large': np.arange(40) > 25})
    kinds = {'size': ColumnKind.NUMERICAL, 'is_large': ColumnKind.CATEGORICAL}
    small = ModelConfig(width=8, num_heads=2, head_width=8, denoiser_width=8)
    model = TabDAR(small, TrainingConfig(epochs=1), random_state=0).fit(frame, kinds)
    found = conditional_skill._errors(model, frame, frame, kinds, 'is_large', ['size'], 0)
    assert np.isfinite(list(found.values())).all()


def test_levels_that_are_numbers_go_by_their_size() -> None:
    sort = conditional_skill._sorted_levels
    assert sort(pd.Series(['10', '9', None, '100'])) == ['9', '10', '100']
    assert sort(pd.Series([3, 1, 2])) == [1, 2, 3]
    assert sort(pd.Series(['b', '10', 'a'])) == ['10', 'a', 'b']


def test_an_impossible_level_costs_as_much_as_one_row_in_training() -> None:
    found = np.array([[1.0, 0.0], [0.5, 0.5]])
    loss = conditional_skill._log_loss(np.array([1, 0]), found, 0.01)
    assert loss == pytest.approx(-(np.log(0.01) + np.log(0.5)) / 2)


def test_the_mean_knows_what_follows_from_another_number() -> None:
    generator = np.random.default_rng(0)
    bill = generator.gamma(2, 100, 400).round(3)
    paid = np.where(generator.random(400) < 0.9, bill, generator.gamma(2, 100, 400).round(3))
    frame = pd.DataFrame({'bill': bill, 'paid': paid})
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    small = ModelConfig(width=8, num_heads=2, head_width=8, denoiser_width=8)
    model = TabDAR(small, TrainingConfig(epochs=8), random_state=0).fit(frame, kinds)
    for column in frame:
        observed = np.tile(frame.columns != column, (400, 1))
        mean = conditional_skill._mean(model, frame, observed, column)
        assert np.corrcoef(mean, frame[column])[0, 1] > 0.8
