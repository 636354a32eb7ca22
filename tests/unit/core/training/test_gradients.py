"""Gradients of a step: the same in one share or several, with exact weights or rounded ones."""

from __future__ import annotations

import copy

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.gradients import LowPrecisionCopy, StepGradient


def _loss(network: TabDARNetwork, rows: EncodedTable, _: torch.Generator) -> torch.Tensor:
    hidden = EncodedTable(rows.codes, rows.residuals, torch.zeros_like(rows.observed))
    contexts = network.contexts(hidden).transpose(0, 1)
    return network.code_head.loss(rows.codes.t(), contexts).mean()


@pytest.mark.parametrize('number', [1, 2, 3])
def test_the_gradient_of_shares_is_that_of_the_mean(
    network: TabDARNetwork, encoded: EncodedTable, number: int
) -> None:
    network = copy.deepcopy(network).requires_grad_(True)
    rows = torch.arange(10, 31)
    generator = torch.Generator().manual_seed(0)
    mean = _loss(network, encoded.rows(rows), generator)
    gradients = torch.autograd.grad(mean, list(network.parameters()), materialize_grads=True)
    step = StepGradient(network, encoded, _loss, len(rows), Workers(number, None), generator)
    loss = step.compute(rows)
    assert float(loss) == pytest.approx(float(mean.detach()), rel=1e-5)
    assert not loss.requires_grad
    for parameter, gradient in zip(network.parameters(), gradients, strict=True):
        assert parameter.grad is not None
        assert torch.allclose(parameter.grad, gradient, atol=1e-6)


def test_rounded_weights_follow_the_exact_ones(encoder: TableEncoder, tiny: ModelConfig) -> None:
    config = ModelConfig(**{**vars(tiny), 'precision': 'bfloat16'})
    with torch.random.fork_rng(devices=[]):
        exact = TabDARNetwork(encoder.schema, config)
    working = LowPrecisionCopy(exact)
    pairs = list(zip(working.parameters, exact.parameters(), strict=True))
    assert any(rounded is not weight for rounded, weight in pairs)
    with torch.no_grad():
        for weight in exact.parameters():
            weight.add_(0.5)
    working.update()
    for rounded, weight in pairs:
        assert torch.equal(rounded, weight.to(rounded.dtype))


def test_without_rounding_it_is_the_network_itself(network: TabDARNetwork) -> None:
    working = LowPrecisionCopy(network)
    working.update()
    assert working.network is network


@pytest.mark.parametrize('most', [8, 3])
def test_a_step_that_does_not_fit_is_computed_in_pieces(
    network: TabDARNetwork,
    encoded: EncodedTable,
    most: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def limited(
        network: TabDARNetwork, rows: EncodedTable, generator: torch.Generator
    ) -> torch.Tensor:
        if len(rows) > most:
            raise torch.cuda.OutOfMemoryError('CUDA out of memory')
        return _loss(network, rows, generator)

    network = copy.deepcopy(network).requires_grad_(True)
    rows, generator = torch.arange(22), torch.Generator().manual_seed(0)
    mean = _loss(network, encoded.rows(rows), generator)
    gradients = torch.autograd.grad(mean, list(network.parameters()), materialize_grads=True)
    step = StepGradient(network, encoded, limited, len(rows), Workers(1, None), generator)
    assert float(step.compute(rows)) == pytest.approx(float(mean.detach()), rel=1e-5)
    for parameter, gradient in zip(network.parameters(), gradients, strict=True):
        assert parameter.grad is not None
        assert torch.allclose(parameter.grad, gradient, atol=1e-6)
    assert 'The GPU is out of memory' in caplog.text
    messages = len(caplog.records)
    step.compute(rows)
    assert len(caplog.records) == messages


def test_a_row_that_does_not_fit_is_an_error(network: TabDARNetwork, encoded: EncodedTable) -> None:
    def full(*_: object) -> torch.Tensor:
        raise torch.cuda.OutOfMemoryError('CUDA out of memory')

    generator = torch.Generator().manual_seed(0)
    step = StepGradient(network, encoded, full, 4, Workers(1, None), generator)
    with pytest.raises(torch.cuda.OutOfMemoryError):
        step.compute(torch.arange(4))
