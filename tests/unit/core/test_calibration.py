"""Shares of drawn codes, brought to those of the training table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.calibration import calibrate, correction, rows_to_draw
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.trainer import initial_network

SMALL = ModelConfig(
    width=16, num_blocks=1, num_heads=2, head_width=16, denoiser_width=16, denoiser_blocks=1
)


def test_biases_that_were_moved_come_back() -> None:
    """An untrained network draws codes by the training shares, but for a little."""
    counts = (6_000, 3_000, 1_000)
    column = Column(name='a', kind=ColumnKind.CATEGORICAL, counts=counts)
    network = initial_network(TableSchema((column,)), SMALL, torch.Generator().manual_seed(0))
    network = network.eval().requires_grad_(False)
    bias = network.code_head.column_weights(0).bias[0]
    bias += torch.tensor([0.0, 0.5, -0.5])
    calibrate(network, 40_000)
    nothing = EncodedTable(torch.zeros(1, 1).long(), torch.zeros(1, 0), torch.zeros(1, 1).bool())
    shares = network.code_head.logits(network.contexts(nothing)[:, 0], 0).softmax(dim=1)
    wanted = torch.tensor(counts) / sum(counts)
    assert torch.allclose(shares[0], wanted, atol=0.01)


@pytest.mark.parametrize(
    ('counts', 'calls'), [((6_000, 3_000, 1_000), 3), ((600, 300, 100), 100)], ids=['time', 'rows']
)
def test_nothing_changes_if_there_is_no_time_or_no_table_to_speak_of(
    counts: tuple[int, ...], calls: int
) -> None:
    column = Column(name='a', kind=ColumnKind.CATEGORICAL, counts=counts)
    network = initial_network(TableSchema((column,)), SMALL, torch.Generator().manual_seed(0))
    network = network.eval().requires_grad_(False)
    bias = network.code_head.column_weights(0).bias
    bias += torch.tensor([0.0, 0.5, -0.5])
    before = bias.clone()
    asked = iter([*[False] * calls, True])
    calibrate(network, 40_000, lambda: next(asked))
    assert torch.equal(bias, before)


def test_shares_that_are_right_are_left_alone() -> None:
    groups = torch.tensor([[50.0, 50.0], [49.0, 51.0], [51.0, 49.0]])
    assert correction(groups, torch.tensor([500.0, 500.0])).tolist() == [0.0, 0.0]


def test_what_may_be_noise_is_believed_in_part() -> None:
    counts = torch.tensor([600.0, 400.0])
    certain = correction(torch.tensor([[50.0, 50.0]] * 4), counts)
    doubtful = correction(torch.tensor([[62.0, 38.0], [38.0, 62.0]] * 2), counts)
    assert torch.allclose(certain, torch.tensor([1.2, 0.8]).log(), atol=0.01)
    assert 0 < doubtful[0] < certain[0]


def test_codes_that_were_never_drawn_gain_a_finite_bias() -> None:
    found = correction(torch.tensor([[100.0, 0.0]] * 8), torch.tensor([700.0, 300.0]))
    assert torch.isfinite(found).all()
    assert found[1] > 3


def test_rows_follow_the_length_of_training() -> None:
    assert rows_to_draw(10_000, 15) == 0
    assert rows_to_draw(10**6, 15) > rows_to_draw(10**6, 50) > rows_to_draw(10**6, 500) == 0
    assert rows_to_draw(10**9, 10) == rows_to_draw(10**10, 10)


def test_only_the_biases_of_codes_change() -> None:
    generator = np.random.default_rng(0)
    a = generator.integers(0, 3, size=1_600)
    table = pd.DataFrame({'a': a.astype(str), 'x': a + generator.normal(size=1_600)})
    kinds = {'a': ColumnKind.CATEGORICAL, 'x': ColumnKind.NUMERICAL}
    weights = []
    for calibration in (False, True):
        training = TrainingConfig(epochs=8, calibration=calibration)
        model = TabDAR(SMALL, training, random_state=0).fit(table, kinds)
        weights.append(model.trained.network.state_dict())
    changed = [name for name in weights[0] if not torch.equal(weights[0][name], weights[1][name])]
    assert changed
    assert all(name.startswith('code_head.buckets') and name.endswith('bias') for name in changed)
