"""Marginals of three and four columns."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation import evaluate, score


def marginals(real, synthetic, types):
    return score(real, synthetic, types, metrics=['marginals'])


def test_an_honest_sample_is_at_the_floor(real, honest, types):
    ours = marginals(real, honest, types)
    for key in ('marginals_3', 'marginals_4'):
        assert ours[key] == pytest.approx(ours[f'{key}_real'], rel=0.1)


def test_a_copy_is_below_the_floor(real, types):
    ours = marginals(real, real.copy(), types)
    assert ours['marginals_3'] < 0.9 * ours['marginals_3_real']


def test_shuffled_columns_are_far_above_it(real, broken, types):
    ours = marginals(real, broken, types)
    assert ours['marginals_3'] > 1.5 * ours['marginals_3_real']
    assert ours['marginals_4'] > 1.3 * ours['marginals_4_real']


def test_order_of_rows_decides_little(real, honest, types):
    mixed = [frame.sample(frac=1, random_state=seed) for seed, frame in enumerate((real, honest))]
    first, second = marginals(*mixed, types), marginals(real, honest, types)
    assert first['marginals_3'] == pytest.approx(second['marginals_3'], rel=0.1)


def test_floor_is_the_other_half(real, honest, types):
    report = evaluate(real, honest, types, metrics=['marginals'], verbose=False)
    assert report.floors['marginals_3'] == report.scores['marginals_3_real']


def test_gaps_are_a_cell_of_their_own(real, honest, types):
    gaps = honest.assign(city=honest['city'].where(honest.index % 2 == 0))
    gaps['weight'] = gaps['weight'].where(gaps.index % 3 == 0)
    assert (
        marginals(real, gaps, types)['marginals_3']
        > 1.5 * marginals(real, honest, types)['marginals_3']
    )


def test_two_columns_have_no_triple(real, types):
    two = {name: types[name] for name in ('height', 'city')}
    report = evaluate(real[list(two)], real[list(two)], two, metrics=['marginals'], verbose=False)
    assert np.isnan(report.scores['marginals_3'])
    assert 'needs three columns' in report.notes['marginals']


def test_a_number_that_only_synthetic_rows_have_is_an_error(real, types):
    names = ['height', 'weight', 'city']
    types = {name: types[name] for name in names}
    full = real[names]
    empty = full.assign(weight=np.nan)
    assert marginals(empty, empty, types)['marginals_3'] < 0.3
    assert marginals(empty, full, types)['marginals_3'] == 1
