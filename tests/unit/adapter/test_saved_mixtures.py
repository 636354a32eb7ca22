"""Mixtures and sums are written and read again; what cannot be one is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.mixture import BayesianGaussianMixture

from sdv_tabdar import FixedSum
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.private_names import saved_constraints, saved_mixtures

NUMBERS = np.concatenate([np.linspace(0, 1, 40), np.linspace(8, 9, 40)]).reshape(-1, 1)


@pytest.fixture(scope='module')
def mixture() -> Any:
    return BayesianGaussianMixture(
        n_components=3, weight_concentration_prior_type='dirichlet_process', random_state=0
    ).fit(NUMBERS)


def test_a_mixture_predicts_as_before(mixture: Any) -> None:
    again = saved_mixtures.read(saved_mixtures.written(mixture), 'here')
    assert np.array_equal(again.predict_proba(NUMBERS), mixture.predict_proba(NUMBERS))
    assert saved_mixtures.written(again) == saved_mixtures.written(mixture)


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (lambda state: state.update(extra=[1.0]), 'does not know'),
        (lambda state: state.update(means_=[1.0, 2.0]), 'one number of each kind'),
        (lambda state: state['covariances_'].__setitem__(0, -1.0), 'not positive'),
        (lambda state: state['means_'].__setitem__(0, 'two'), 'means_'),
        (lambda state: state.update({key: [] for key in state}), 'one number of each kind'),
    ],
)
def test_what_is_no_mixture(mixture: Any, change: Callable[[Any], Any], words: str) -> None:
    state = saved_mixtures.written(mixture)
    change(state)
    with pytest.raises(Unfit, match=words):
        saved_mixtures.read(state, 'here')


def test_components_fit_the_transformer(mixture: Any) -> None:
    valid = np.array([True, False, True])
    fitted = {'valid_component_indicator': valid, '_bgm_transformer': mixture}
    saved_mixtures.check_valid(fitted, 3, 'here')
    for wrong, count in ((valid, 4), (np.zeros(3, dtype=bool), 3), (valid[:2], 3)):
        with pytest.raises(Unfit, match='components'):
            saved_mixtures.check_valid(
                {**fitted, 'valid_component_indicator': wrong}, count, 'here'
            )


def test_a_sum_with_other_parts_than_it_says() -> None:
    entry = {
        'class': 'FixedSum',
        'arguments': {
            'part_columns': ['a', 'b'],
            'total_column': 'c',
            'total': None,
            'table_name': None,
        },
        'learnt': {'_decimals': {'a': 2}, '_lowest': np.array([0.0, -np.inf])},
        'fit': None,
    }
    saved_constraints.check(entry, 'here')
    own = saved_constraints.made(entry).programmable_constraint
    assert isinstance(own, FixedSum)
    assert own.column_names == ['a', 'b', 'c']
    for wrong in (np.array([0.0]), np.array([0.0, 3.0])):
        entry['learnt'] = {'_decimals': {}, '_lowest': wrong}
        with pytest.raises(Unfit, match='must be 0 or -inf for each of'):
            saved_constraints.check(entry, 'here')
    entry['arguments']['part_columns'] = ['a', 'a']
    with pytest.raises(Unfit, match='must name distinct columns'):
        saved_constraints.check(entry, 'here')
