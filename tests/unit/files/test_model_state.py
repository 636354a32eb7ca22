"""The state of a model in a file: what is refused of the weights of the order of its columns."""

from __future__ import annotations

import dataclasses

import pytest

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.files import model_state


def test_weights_of_columns_are_kept(model: TabDAR) -> None:
    model.trained.network.precedence = (1.0, -1.0)
    state, weights = model_state.written(model)
    loaded = model_state.made(model_state.checked_state(state, weights, 'model'))
    assert loaded.trained.network.precedence == (1.0, -1.0)


@pytest.mark.parametrize('wrong', [[1.0], [0.0, float('nan')], ['a', 'b'], [0.0, 1.0, 2.0]])
def test_other_than_a_weight_for_each_column_is_refused(model: TabDAR, wrong: list[object]) -> None:
    state, _ = model_state.written(model)
    with pytest.raises(Unfit, match='precedence'):
        model_state.checked_description({**state, 'precedence': wrong}, 'model')


def test_files_of_former_versions_have_neither_weights_nor_gated_layers(model: TabDAR) -> None:
    state, _ = model_state.written(model)
    del state['precedence'], state['model']['feedforward'], state['model']['head_activation']
    del state['training']['dropout']
    found = model_state.checked_description(state, 'model')
    assert 'precedence' not in found
    assert dataclasses.asdict(model.model).items() >= state['model'].items()


GOOD = {'period': 7.0, 'start': -0.5, 'shares': [0.5, 0.5, 0.0], 'monthly': False}


@pytest.mark.parametrize(
    ('cycles', 'reason'),
    [
        ([{**GOOD, 'period': 0.0}], 'is no period'),
        ([{**GOOD, 'shares': []}], 'is no period'),
        ([{**GOOD, 'shares': [0.0, 0.0]}], 'is no period'),
        ([{**GOOD, 'shares': [0.001] * 1_000}], 'is no period'),
        ([{**GOOD, 'start': 1e300}], 'is no period'),
        ([GOOD, GOOD], 'is no period'),
        ([{**GOOD, 'monthly': True}], 'is no period'),
        ([{**GOOD, 'monthly': 1}], 'true or false'),
        ([{**GOOD, 'shares': [2.0]}], 'from 0 to 1'),
        ([{**GOOD, 'period': 'week'}], 'must be'),
    ],
)
def test_cycles_that_are_none_are_refused(
    model: TabDAR, cycles: list[dict[str, object]], reason: str
) -> None:
    state, weights = model_state.written(model)
    codec = next(codec for codec in state['encoder']['codecs'] if 'knots' in codec)
    codec['cycles'] = [GOOD]
    model_state.checked_state(state, weights, 'model')
    codec['cycles'] = cycles
    with pytest.raises(Unfit, match=reason):
        model_state.checked_state(state, weights, 'model')


def test_numbers_that_are_too_large_for_a_period_are_refused(model: TabDAR) -> None:
    state, weights = model_state.written(model)
    codec = next(codec for codec in state['encoder']['codecs'] if 'knots' in codec)
    codec['cycles'] = [{**GOOD, 'period': 1e-5, 'start': 0.0, 'shares': [0.01] * 100}]
    codec['knots'] = codec['knots'] * 1e12
    with pytest.raises(Unfit, match='too short'):
        model_state.checked_state(state, weights, 'model')


@pytest.mark.parametrize(
    ('uniform', 'reason'),
    [
        ([(0.0, 1.0)], 'as many as the codes'),
        ([(0.0, 0.5), (1.0, 0.5)], 'end before they begin'),
        ([(0.0, 0.5), (0.5, 2.0)], 'from 0 to 1'),
        ([(0.0, 0.5), (0.5, float('nan'))], 'from 0 to 1'),
    ],
)
def test_places_of_levels_that_are_none_are_refused(
    model: TabDAR, uniform: list[tuple[float, float]], reason: str
) -> None:
    state, weights = model_state.written(model)
    codec = next(codec for codec in state['encoder']['codecs'] if 'levels' in codec)
    assert len(codec['levels']) == 2
    codec['column']['uniform'] = uniform
    with pytest.raises(Unfit, match=reason):
        model_state.checked_state(state, weights, 'model')
