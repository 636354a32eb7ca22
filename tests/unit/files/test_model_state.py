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
