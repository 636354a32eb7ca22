"""What training leaves comes back from its state, and answers the same."""

from __future__ import annotations

import dataclasses
import pickle

import pandas as pd
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.trained import Trained


def test_a_state_is_plain_and_comes_back(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    trained = fitted.trained
    state = trained.to_state()
    assert set(state) == {'history', 'encoder', 'weights', 'precedence', 'clock_times'}
    assert {value.device.type for value in state['weights'].values()} == {'cpu'}
    back = Trained.from_state(state, fitted.model, torch.device('cpu'))
    assert back.history.plain() == trained.history.plain()
    assert not any(parameter.requires_grad for parameter in back.network.parameters())
    found, expected = (
        each.answers(SamplingConfig(), torch.Generator()).predict_proba(mixed.head(5), None, 'flag')
        for each in (back, trained)
    )
    pd.testing.assert_frame_equal(found, expected)


def test_weights_are_rounded_once_for_all_calls(fitted: TabDAR) -> None:
    rounding = dataclasses.replace(fitted.model, precision='bfloat16')
    back = Trained.from_state(fitted.trained.to_state(), rounding, torch.device('cpu'))
    first, second = (back.answers(SamplingConfig(), torch.Generator()).network for _ in range(2))
    assert first is second
    assert first is not back.network


def test_columns_have_weights_where_the_order_is_weighted(
    mixed: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig
) -> None:
    many = mixed.sample(1_000, replace=True, random_state=0)
    quick = TrainingConfig(epochs=20, batch_size=500)
    found = {}
    for order in ('weighted', 'random', 'fixed'):
        config = dataclasses.replace(tiny, column_order=order, max_crosses=0)
        model = TabDAR(config, quick, device='cpu', random_state=0).fit(many, kinds)
        found[order] = model.trained.network.precedence
        assert pickle.loads(pickle.dumps(model)).trained.network.precedence == found[order]
    assert len(found['weighted']) == len(kinds)
    assert found['random'] == found['fixed'] == ()
