"""Losses: their scale is the same with every weighting and every way to compute them."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses
from sdv_tabdar.core.training.losses import batch_loss


def test_weightings_agree_in_expectation_of_a_constant_loss(
    network: TabDARNetwork, encoded: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ones(_: TabDARNetwork, table: EncodedTable, **__: object) -> torch.Tensor:
        return torch.ones(len(table) // 2, table.codes.shape[1])

    monkeypatch.setattr(losses, 'pair_losses', ones)
    many = encoded.rows(torch.arange(6000) % len(encoded))
    for weighting, spread in (('order', 1e-3), ('sum', 1e-6)):
        config = dataclasses.replace(TrainingConfig(), loss_weighting=weighting)
        loss = batch_loss(network, many, config, generator=torch.Generator().manual_seed(0))
        # 'sum': 2 M / C with M ~ U{1..C} has mean (C + 1) / C
        expected = 1.0 if weighting == 'order' else 7 / 6
        assert float(loss) == pytest.approx(expected, abs=spread)


def test_the_weights_of_rows_in_order_are_right(
    encoder: TableEncoder,
    tiny: ModelConfig,
    encoded: EncodedTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a fixed order hidden cells are weighted by 1 / M, so that a constant loss is itself."""
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(encoder.schema, dataclasses.replace(tiny, column_order='fixed'))

    def ones(table: EncodedTable, **_: object) -> torch.Tensor:
        return (~table.observed).float()

    monkeypatch.setattr(network, 'losses', ones)
    loss = batch_loss(
        network, encoded, TrainingConfig(), generator=torch.Generator().manual_seed(0)
    )
    assert float(loss) == pytest.approx(1)


def test_an_odd_number_of_rows_is_a_batch_as_well(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    for size in (1, 7):
        generator = torch.Generator().manual_seed(0)
        loss = batch_loss(network, encoded.rows(slice(size)), TrainingConfig(), generator=generator)
        assert loss.shape == ()
        assert bool(loss.isfinite())
