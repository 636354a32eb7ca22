"""Contexts from the attention cache are those of the whole network."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.incremental import Cache, context_beside
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

NUM_COLUMNS = 6


def _cached(network: TabDARNetwork, table: EncodedTable, slots: list[int]) -> Cache:
    """The observed cells of some columns."""
    cache = Cache(network, len(table))
    numerical = list(network.schema.numerical)
    for place, position in enumerate(slots, start=1):
        rows: torch.Tensor | slice = table.observed[:, position].nonzero().squeeze(1)
        if len(rows) == len(table):
            rows = slice(None)
        residuals = None
        if position in numerical:
            residuals = table.residuals[rows, numerical.index(position)]
        cache.insert_cells(place, rows, position, table.codes[rows, position], residuals)
    return cache


@pytest.mark.parametrize('slots', [[], [3], [5, 0, 2], [4, 3, 2, 1, 0]])
def test_cached_contexts_are_the_contexts_where_all_rows_know_the_same(
    network: TabDARNetwork, encoded: EncodedTable, slots: list[int]
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, slots] = True
    table = EncodedTable(encoded.codes, encoded.residuals, observed)
    contexts = network.contexts(table)
    cache = _cached(network, table, slots)
    for position in set(range(NUM_COLUMNS)) - set(slots):
        alone = cache.context(position, slice(None))
        assert torch.allclose(alone, contexts[:, position], atol=1e-4)


def test_cached_contexts_are_the_contexts_where_each_row_knows_its_own(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    contexts = network.contexts(hidden)
    cache = _cached(network, hidden, list(range(NUM_COLUMNS)))
    for position in range(NUM_COLUMNS):
        rows = (~hidden.observed[:, position]).nonzero().squeeze(1)
        alone = cache.context(position, rows)
        assert torch.allclose(alone, contexts[rows, position], atol=1e-4)


@pytest.mark.parametrize('change', [{'num_blocks': 1}, {'num_blocks': 3}, {'num_members': 3}])
def test_cached_contexts_are_the_contexts_of_any_architecture(
    network: TabDARNetwork, hidden: EncodedTable, tiny: ModelConfig, change: dict[str, int]
) -> None:
    with torch.random.fork_rng(devices=[]):
        other = TabDARNetwork(network.schema, dataclasses.replace(tiny, **change))
    other.eval().requires_grad_(False)
    contexts = other.contexts(hidden)
    rows = (~hidden.observed[:, 0]).nonzero().squeeze(1)
    cache = _cached(other, hidden, list(range(NUM_COLUMNS)))
    assert torch.allclose(cache.context(0, rows), contexts[rows, 0], atol=1e-4)


@pytest.mark.parametrize('attention', ['bidirectional', 'causal'])
@pytest.mark.parametrize('num_blocks', [1, 3])
def test_a_context_beside_others_is_that_of_the_whole_network(
    network: TabDARNetwork,
    encoded: EncodedTable,
    hidden: EncodedTable,
    tiny: ModelConfig,
    num_blocks: int,
    attention: str,
) -> None:
    config = dataclasses.replace(tiny, num_blocks=num_blocks, attention=attention)
    with torch.random.fork_rng(devices=[]):
        other = TabDARNetwork(network.schema, config)
    other.eval().requires_grad_(False)
    complete = EncodedTable(encoded.codes, encoded.residuals, torch.ones_like(encoded.observed))
    for table in (complete, hidden):
        for position in range(NUM_COLUMNS):
            observed = table.observed.clone()
            observed[:, position] = False
            beside = other.contexts(EncodedTable(table.codes, table.residuals, observed))
            alone = context_beside(other, table, position)
            assert torch.allclose(alone, beside[:, position], atol=1e-4)
