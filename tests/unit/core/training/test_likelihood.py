"""The any-order likelihood: its expectation, its parts, and that it does not vary."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.likelihood import log_likelihood
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.likelihood import cell_losses, make_questions, row_loss
from sdv_tabdar.core.training.losses import batch_loss


def _network(encoder: TableEncoder, config: ModelConfig) -> TabDARNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(3)
        return TabDARNetwork(encoder.schema, config).eval().requires_grad_(False)


@pytest.mark.parametrize('attention', ['bidirectional', 'causal'])
@pytest.mark.parametrize('order', ['random', 'fixed'])
def test_the_part_of_the_codes_is_that_of_the_training_loss(
    encoder: TableEncoder, encoded: EncodedTable, tiny: ModelConfig, order: str, attention: str
) -> None:
    """Without diffusion the training loss is the bound itself, per cell."""
    config = dataclasses.replace(
        tiny, column_order=order, numerical_head='bins', attention=attention
    )
    network = _network(encoder, config)
    generator = torch.Generator().manual_seed(0)
    fixed = order == 'fixed'
    questions = make_questions(encoded, 20, fixed_order=fixed, generator=generator)
    many = encoded.rows(torch.arange(6000) % len(encoded))
    expected = batch_loss(network, many, TrainingConfig(), generator=generator)
    found = row_loss(network, questions)
    assert found.total == pytest.approx(float(expected) * len(encoder.schema.columns), rel=0.02)
    assert np.abs(found.residuals).max() < 1e-5


def test_it_bounds_the_likelihood_of_orders(network: TabDARNetwork, encoded: EncodedTable) -> None:
    """The mean log-likelihood over orders is its expectation, from another implementation."""
    generator = torch.Generator().manual_seed(0)
    rows = encoded.rows(slice(60))
    found = row_loss(network, make_questions(rows, 60, fixed_order=False, generator=generator))
    one_order = SamplingConfig()
    logs = [
        log_likelihood(network, rows, num_orders=1, config=one_order, generator=generator)
        for _ in range(30)
    ]
    by_row = -torch.stack(logs).mean(dim=0).double()
    columns = torch.tensor(network.schema.numerical)
    bins = torch.tensor(
        [
            [network.schema.columns[c].bins.start, network.schema.columns[c].bins.stop]
            for c in network.schema.numerical
        ]
    )
    codes = rows.codes[:, columns]
    in_bin = (codes >= bins[:, 0]) & (codes < bins[:, 1])
    normal = torch.distributions.Normal(0.0, 0.5).log_prob(rows.residuals) * in_bin
    expected = by_row + normal.sum(dim=1)
    assert found.total == pytest.approx(float(expected.mean()), rel=0.02)


def test_parts_and_rows_add_up(network: TabDARNetwork, encoded: EncodedTable) -> None:
    generator = torch.Generator().manual_seed(0)
    rows = encoded.rows(slice(50))
    questions = make_questions(rows, 3, fixed_order=False, generator=generator)
    found = row_loss(network, questions)
    assert found.rows.shape == (50,)
    assert found.codes.shape == found.residuals.shape == (len(network.schema.columns),)
    assert found.rows.mean() == pytest.approx(found.total)
    categorical = [
        position for position in range(len(found.codes)) if position not in network.schema.numerical
    ]
    assert not found.residuals[categorical].any()


def test_the_same_questions_have_the_same_answer(
    network: TabDARNetwork, encoded: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = torch.Generator().manual_seed(0)
    questions = make_questions(encoded.rows(slice(40)), 2, fixed_order=False, generator=generator)
    first = row_loss(network, questions)
    monkeypatch.setattr('sdv_tabdar.core.training.likelihood._CHUNK_TOKENS', 70)
    second = row_loss(network, questions)
    assert np.allclose(first.rows, second.rows, atol=1e-4)


def test_a_pair_of_hidden_sets_asks_for_every_cell(encoded: EncodedTable) -> None:
    generator = torch.Generator().manual_seed(0)
    questions = make_questions(encoded, 2, fixed_order=False, generator=generator)
    assert len(questions.table) == 2 * len(encoded)
    assert torch.equal(questions.table.codes[: len(encoded)], encoded.codes)
    shares = questions.table.observed.float().mean(dim=0)
    assert torch.allclose(shares, torch.full_like(shares, 0.5), atol=0.1)


def test_cells_are_asked_for_given_those_on_the_other_side(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    rows, position = encoded.rows(slice(30)), network.schema.position('colour')
    observed = torch.rand(rows.codes.shape, generator=torch.Generator().manual_seed(0)) < 0.5
    found = cell_losses(network, EncodedTable(rows.codes, rows.residuals, observed))
    sides = torch.stack([observed, ~observed])
    contexts = torch.stack(
        [network.contexts(EncodedTable(rows.codes, rows.residuals, side)) for side in sides]
    )
    other_side = observed[:, position].long()
    context = contexts[other_side, torch.arange(len(rows)), position]
    logs = network.code_head.log_probabilities(context, position)
    expected = -logs[torch.arange(len(rows)), rows.codes[:, position].long()]
    torch.testing.assert_close(found[:, position], expected, atol=1e-5, rtol=1e-4)
