"""The plain implementation is the same network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments.core_table import core_table
from sdv_tabdar.benchmark.methods import plain
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.training import losses


def test_the_plain_network_is_the_same_network(prepared: Path) -> None:
    frame, kinds = core_table(load_dataset(prepared, 'one'))
    model = ModelConfig(width=16, precision='float32')
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    with torch.random.fork_rng(devices=[]):
        fast = TabDARNetwork(encoder.schema, model)
        with plain.plain_implementation():
            slow = TabDARNetwork(encoder.schema, model)
        again = TabDARNetwork(encoder.schema, model)
    assert all(isinstance(block, plain.PlainBlock) for block in slow.blocks)
    assert all(type(block) is Block for block in (*fast.blocks, *again.blocks))
    slow.load_state_dict(fast.state_dict())
    table.observed[::2, 0] = False
    table.observed[1::2, 1:] = False
    assert torch.allclose(fast.contexts(table), slow.contexts(table), atol=1e-5)


def test_the_plain_loss_is_the_same_in_expectation(prepared: Path) -> None:
    frame, kinds = core_table(load_dataset(prepared, 'one'))
    model = ModelConfig(width=16, precision='float32', numerical_head='bins')
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    table = table.rows(torch.arange(4000) % len(table))
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(encoder.schema, model)
    network.requires_grad_(False)
    fast, slow = (
        float(loss(network, table, TrainingConfig(), generator=torch.Generator().manual_seed(0)))
        for loss in (losses.batch_loss, plain.plain_loss)
    )
    assert fast == pytest.approx(slow, rel=0.05)
