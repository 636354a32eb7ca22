"""Global utility: every column in turn as the target."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation import evaluate, score


def utility(real, synthetic, types, holdout):
    return score(real, synthetic, types, holdout, metrics=['utility'])


def test_honest_rows_teach_as_much_as_real_ones(real, honest, types, holdout):
    ours = utility(real, honest, types, holdout)
    assert ours['utility'] == pytest.approx(1, abs=0.05)
    assert 0.85 < ours['utility_worst'] <= ours['utility']


def test_a_copy_teaches_the_same(real, types, holdout):
    ours = utility(real, real.copy(), types, holdout)
    assert ours['utility'] == pytest.approx(1, abs=0.05)


def test_shuffled_columns_teach_little(real, broken, types, holdout):
    ours = utility(real, broken, types, holdout)
    assert ours['utility'] < 0.9
    assert ours['utility_worst'] < 0.7


def test_the_breakdown_names_the_column(real, honest, types, holdout):
    generator = np.random.default_rng(0)
    changed = honest.assign(member=generator.permutation(honest['member']))
    found = evaluate(
        real, changed, types, holdout, metrics=['utility'], floors=False, verbose=False
    )
    table = found.tables['utility'].set_index('column')
    assert list(table.index) == list(types)
    assert table['share'].idxmin() == 'member'
    assert table['share'].min() == found.scores['utility_worst']


def test_floor_is_that_of_two_halves(real, honest, types, holdout):
    report = evaluate(real, honest, types, holdout, metrics=['utility'], verbose=False)
    assert report.floors['utility'] == pytest.approx(1, abs=0.06)


def test_small_or_narrow_tables_have_no_value(real, types, holdout):
    report = evaluate(real[:20], real[:20], types, holdout, metrics=['utility'], verbose=False)
    assert 'needs at least 30 rows' in report.notes['utility']
    one = {'height': 'numerical'}
    frames = [frame[['height']] for frame in (real, real, holdout)]
    report = evaluate(*frames[:2], one, frames[2], metrics=['utility'], verbose=False)
    assert 'no other column' in report.notes['utility']


def test_columns_that_do_not_vary_are_left_out(real, types, holdout):
    frames = [frame.assign(code=1, weight=0.0) for frame in (real, real, holdout)]
    report = evaluate(*frames[:2], types, frames[2], metrics=['utility'], floors=False)
    assert set(types) - set(report.tables['utility']['column']) == {'code', 'weight'}


def test_a_number_that_is_learned_wrong_has_no_utility_rather_than_less(
    real, honest, types, holdout
):
    """Where nearly all numbers are equal, ranks that are somewhere else are far off."""
    spike = {'spike': 'numerical', 'height': 'numerical'}
    frames = []
    for frame, share in ((real, 0.02), (honest, 0.98), (holdout, 0.02)):
        generator = np.random.default_rng(0)
        high = generator.random(len(frame)) < share
        frames.append(frame[['height']].assign(spike=np.where(high, frame['height'], 0.0)))
    report = evaluate(*frames[:2], spike, frames[2], metrics=['utility'], floors=False)
    table = report.tables['utility'].set_index('column')
    assert table['synthetic'].min() == report.scores['utility_worst'] == 0
