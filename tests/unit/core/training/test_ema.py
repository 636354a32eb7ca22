"""EMA: what is averaged, how fast, and what it leaves alone."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from sdv_tabdar.core.training.ema import Ema


@pytest.fixture
def layer() -> nn.Linear:
    with torch.random.fork_rng(devices=[]):
        layer = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(layer.weight)
    return layer


def test_it_starts_with_the_present_weights_and_needs_no_gradient(layer: nn.Linear) -> None:
    ema = Ema(layer, 0.9)
    assert torch.equal(ema.network.weight, layer.weight)
    assert ema.network.weight is not layer.weight
    assert not ema.network.weight.requires_grad


def test_its_memory_is_short_at_first(layer: nn.Linear) -> None:
    ema = Ema(layer, 0.9)
    nn.init.ones_(layer.weight)
    ema.update()
    assert float(ema.network.weight) == pytest.approx(1 - 1 / 11)


def test_later_the_decay_is_the_given_one(layer: nn.Linear) -> None:
    ema = Ema(layer, 0.9)
    for _ in range(1000):
        ema.update()
    nn.init.ones_(layer.weight)
    for _ in range(3):
        ema.update()
    assert float(ema.network.weight) == pytest.approx(1 - 0.9**3)
