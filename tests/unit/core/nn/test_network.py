"""Visibility: hidden values have no influence, observed ones do."""

from __future__ import annotations

import itertools

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable

NUM_COLUMNS = 6


def _hiding(table: EncodedTable, observed: torch.Tensor) -> EncodedTable:
    return EncodedTable(table.codes, table.residuals, observed)


def _random_values(table: EncodedTable, network: TabDARNetwork, seed: int) -> EncodedTable:
    """Other values in every cell."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.stack(
        [
            torch.randint(column.num_codes, (len(table),), generator=generator)
            for column in network.schema.columns
        ],
        dim=1,
    )
    residuals = torch.randn(table.residuals.shape, generator=generator)
    return EncodedTable(codes.to(table.codes.dtype), residuals, table.observed)


def _mixed(table: EncodedTable, other: EncodedTable, network: TabDARNetwork) -> EncodedTable:
    """Values of ``table`` where observed, of ``other`` where hidden."""
    numerical = list(network.schema.numerical)
    observed = table.observed
    return EncodedTable(
        torch.where(observed, table.codes, other.codes),
        torch.where(observed[:, numerical], table.residuals, other.residuals),
        observed,
    )


def test_hidden_values_change_no_context_exactly(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    changed = _mixed(hidden, _random_values(hidden, network, 4), network)
    assert not torch.equal(changed.codes, hidden.codes)
    assert torch.equal(network.contexts(changed), network.contexts(hidden))


def test_hidden_values_change_no_context_exactly_in_training_mode(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    changed = _mixed(hidden, _random_values(hidden, network, 4), network)
    network.train()
    try:
        assert torch.equal(network.contexts(changed), network.contexts(hidden))
    finally:
        network.eval()


@pytest.mark.parametrize('position', range(NUM_COLUMNS))
def test_an_observed_code_changes_the_context_of_every_other_column(
    network: TabDARNetwork, encoded: EncodedTable, position: int
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, position] = True
    table = _hiding(encoded, observed)
    changed = _random_values(table, network, 5)
    rows = changed.codes[:, position] != table.codes[:, position]
    assert bool(rows.any())
    before, after = network.contexts(table)[rows], network.contexts(changed)[rows]
    others = [column for column in range(NUM_COLUMNS) if column != position]
    assert bool(((before - after).abs().amax(dim=2) > 1e-5)[:, others].all())


def test_an_observed_residual_changes_the_contexts(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, 0] = True
    residuals = encoded.residuals.clone()
    residuals[:, 0] += 0.3
    before = network.contexts(_hiding(encoded, observed))
    after = network.contexts(EncodedTable(encoded.codes, residuals, observed))
    assert bool(((before - after).abs().amax(dim=2) > 1e-5)[:, 1:].all())


def test_hidden_columns_can_be_told_apart(network: TabDARNetwork, encoded: EncodedTable) -> None:
    nothing = _hiding(encoded, torch.zeros_like(encoded.observed)).rows(slice(0, 1))
    contexts = network.contexts(nothing)[0]
    for first, second in itertools.combinations(range(NUM_COLUMNS), 2):
        assert not torch.allclose(contexts[first], contexts[second], atol=1e-3)


def test_nothing_observed_gives_every_row_the_same_contexts(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    contexts = network.contexts(_hiding(encoded, torch.zeros_like(encoded.observed)))
    assert torch.allclose(contexts, contexts[:1].expand_as(contexts), atol=1e-5)


def test_key_bias_hides_and_shows(network: TabDARNetwork) -> None:
    observed = torch.tensor([[True, False], [False, False]])
    bias = network.key_bias(observed, observed[:, :0])
    assert bias.shape == (2 * 2, 1, 3)
    assert bias[::2, 0].tolist() == [[0, 0, -torch.inf], [0, -torch.inf, -torch.inf]]


def test_losses_are_exactly_zero_at_observed_cells_and_finite(
    network: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    losses = network.losses(hidden, noise_draws=2, generator=generator)
    assert losses.shape == hidden.codes.shape
    assert bool(losses.isfinite().all())
    assert bool((losses[hidden.observed] == 0).all())
    assert bool((losses[~hidden.observed] > 0).all())


def test_a_code_with_a_residual_costs_more_than_its_code(
    network: TabDARNetwork, encoded: EncodedTable, generator: torch.Generator
) -> None:
    table = _hiding(encoded, torch.zeros_like(encoded.observed))
    losses = network.losses(table, noise_draws=2, generator=generator)
    contexts = network.contexts(table).transpose(0, 1)
    codes_only = network.code_head.loss(table.codes.t(), contexts).t()
    extra = losses - codes_only
    for position, column in enumerate(network.schema.columns):
        codes = table.codes[:, position]
        in_bin = (codes >= column.bins.start) & (codes < column.bins.stop)
        assert bool((extra[in_bin, position] > 0).all())
        assert torch.allclose(extra[~in_bin, position], torch.zeros(()), atol=1e-6)


def test_a_table_of_categories_only(generator: torch.Generator, tiny: ModelConfig) -> None:
    schema = TableSchema(
        (
            Column('a', ColumnKind.CATEGORICAL, (2, 1)),
            Column('b', ColumnKind.CATEGORICAL, (3,)),
        )
    )
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(schema, tiny)
    table = EncodedTable(
        torch.zeros(4, 2, dtype=torch.uint8), torch.zeros(4, 0), torch.zeros(4, 2, dtype=torch.bool)
    )
    losses = network.losses(table, noise_draws=1, generator=generator)
    assert losses.shape == (4, 2)
