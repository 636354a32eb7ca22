"""Visibility: hidden values have no influence, observed ones do, and both paths agree."""

from __future__ import annotations

import itertools

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.masking import complementary_observed
from sdv_tabdar.core.nn.cache import SeenTokens
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


@pytest.fixture
def hidden(encoded: EncodedTable) -> EncodedTable:
    """The table with random hidden cells."""
    generator = torch.Generator().manual_seed(3)
    num_pairs = len(encoded) // 2
    observed = complementary_observed(num_pairs, NUM_COLUMNS, generator=generator)
    return _hiding(encoded.rows(slice(2 * num_pairs)), observed)


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


def test_hidden_values_change_no_context_exactly_in_short_numbers(
    network: TabDARNetwork, hidden: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = network.contexts(hidden)
    monkeypatch.setattr(network, 'precision', 'bfloat16')
    changed = _mixed(hidden, _random_values(hidden, network, 4), network)
    assert torch.equal(network.contexts(changed), network.contexts(hidden))
    # eight bits of precision, layer after layer
    assert float((network.contexts(hidden) - exact).abs().mean()) < 0.1


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


def _seen(network: TabDARNetwork, table: EncodedTable, slots: list[int]) -> SeenTokens:
    """The observed cells of some columns."""
    seen = network.nothing_seen(len(table))
    numerical = list(network.schema.numerical)
    for place, position in enumerate(slots, start=1):
        rows: torch.Tensor | slice = table.observed[:, position].nonzero().squeeze(1)
        if len(rows) == len(table):
            rows = slice(None)
        residuals = None
        if position in numerical:
            residuals = table.residuals[rows, numerical.index(position)]
        network.see(seen, place, rows, position, table.codes[rows, position], residuals)
    return seen


@pytest.mark.parametrize('slots', [[], [3], [5, 0, 2], [4, 3, 2, 1, 0]])
def test_context_of_agrees_with_contexts_where_all_rows_know_the_same(
    network: TabDARNetwork, encoded: EncodedTable, slots: list[int]
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, slots] = True
    table = _hiding(encoded, observed)
    contexts = network.contexts(table)
    seen = _seen(network, table, slots)
    for position in set(range(NUM_COLUMNS)) - set(slots):
        alone = network.context_of(position, seen, slice(None))
        assert torch.allclose(alone, contexts[:, position], atol=1e-4)


def test_context_of_agrees_with_contexts_where_each_row_knows_its_own(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    contexts = network.contexts(hidden)
    seen = _seen(network, hidden, list(range(NUM_COLUMNS)))
    for position in range(NUM_COLUMNS):
        rows = (~hidden.observed[:, position]).nonzero().squeeze(1)
        alone = network.context_of(position, seen, rows)
        assert torch.allclose(alone, contexts[rows, position], atol=1e-4)


@pytest.mark.parametrize('precision', ['float32', 'bfloat16'])
def test_pairs_agree_with_rows(
    network: TabDARNetwork, hidden: EncodedTable, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, 'precision', precision)
    num_pairs, numerical = len(hidden) // 2, list(network.schema.numerical)
    side = hidden.observed[:num_pairs]
    first, second = network.contexts(hidden).split(num_pairs)
    expected = torch.where(side.unsqueeze(-1), second, first)
    codes = torch.where(side, *hidden.codes.split(num_pairs))
    residuals = torch.where(side[:, numerical], *hidden.residuals.split(num_pairs))
    found = network.pair_contexts(codes, residuals, side).transpose(0, 1)
    if precision == 'float32':
        assert torch.allclose(found, expected, atol=1e-4)
    assert float((found - expected).abs().mean()) < 0.1


def test_losses_of_pairs_are_those_of_their_rows(
    network: TabDARNetwork, hidden: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noiseless(target: torch.Tensor, *_: object, **condition: torch.Tensor) -> torch.Tensor:
        return target + condition['bins']

    monkeypatch.setattr(network.residual_head, 'loss', noiseless)
    generator = torch.Generator()
    losses = network.losses(hidden, noise_draws=1, generator=generator)
    pairs = network.pair_losses(hidden, noise_draws=1, generator=generator)
    assert torch.allclose(pairs, sum(losses.split(len(pairs))), atol=1e-4)


def test_key_bias_hides_and_shows(network: TabDARNetwork) -> None:
    bias = network.key_bias(torch.tensor([[True, False], [False, False]]))
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


def test_every_parameter_gets_a_gradient(
    network: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    network.requires_grad_(True)
    try:
        loss = network.pair_losses(hidden, noise_draws=1, generator=generator).sum()
        gradients = torch.autograd.grad(loss, list(network.parameters()))
    finally:
        network.requires_grad_(False)
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)


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
