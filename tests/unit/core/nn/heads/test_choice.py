"""Every head can be chosen by the name that the settings have for it."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.heads.choice import RESIDUAL_HEADS, make_residual_head
from sdv_tabdar.core.schema import TableSchema


@pytest.mark.parametrize('name', RESIDUAL_HEADS)
def test_the_settings_choose_the_head(name: str, schema: TableSchema, config: ModelConfig) -> None:
    chosen = dataclasses.replace(config, numerical_head=name)
    with torch.random.fork_rng(devices=[]):
        head = make_residual_head(schema, chosen)
    assert type(head) is RESIDUAL_HEADS[name]


def test_the_settings_allow_no_other_name(config: ModelConfig) -> None:
    with pytest.raises(ValueError, match='numerical_head') as error:
        dataclasses.replace(config, numerical_head='other')
    assert all(repr(name) in str(error.value) for name in RESIDUAL_HEADS)
