"""Crosses: seen where all of their members are, in each of the ways that contexts are computed."""

from __future__ import annotations

import copy

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.chunk import Chunk
from sdv_tabdar.core.nn.incremental import context_beside
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts
from sdv_tabdar.core.schema import Cross, TableSchema
from sdv_tabdar.core.table import EncodedTable

from ..networks import random_network

COLOUR, ROUNDED, FLAG = 1, 3, 4


def _cross(schema: TableSchema, encoded: EncodedTable, *members: int) -> Cross:
    """All combinations of the members' codes that the table contains."""
    groups = tuple(tuple(range(schema.columns[member].num_codes)) for member in members)
    level = torch.zeros(len(encoded), dtype=torch.long)
    for member in members:
        level = level * schema.columns[member].num_codes + encoded.codes[:, member].long()
    return Cross(members, groups, tuple(level.unique().tolist()))


@pytest.fixture(scope='module')
def crossed(encoder: TableEncoder, encoded: EncodedTable, tiny: ModelConfig) -> TabDARNetwork:
    """A network with two crosses and weights that are far from zero."""
    schema = encoder.schema
    crosses = [
        _cross(schema, encoded, COLOUR, FLAG),
        _cross(schema, encoded, ROUNDED, FLAG, COLOUR),
    ]
    return random_network(encoder.with_relations(crosses).schema, tiny, seed=3)


def test_contexts_of_pairs_are_those_of_their_rows(
    crossed: TabDARNetwork, hidden: EncodedTable
) -> None:
    num_pairs, numerical = len(hidden) // 2, list(crossed.schema.numerical)
    side = hidden.observed[:num_pairs]
    first, second = crossed.contexts(hidden).split(num_pairs)
    codes = torch.where(side, *hidden.codes.split(num_pairs))
    residuals = torch.where(side[:, numerical], *hidden.residuals.split(num_pairs))
    found = pair_contexts(crossed, codes, residuals, side).transpose(0, 1)
    assert torch.allclose(found, torch.where(side.unsqueeze(-1), second, first), atol=1e-4)


def test_cached_contexts_are_the_contexts(crossed: TabDARNetwork, hidden: EncodedTable) -> None:
    """At first where each row knows its own cells, then with a member put, then for some rows."""
    chunk = Chunk(crossed, hidden)
    for position in (FLAG, COLOUR):
        rows = (~chunk.observed[:, position]).nonzero().squeeze(1)
        chunk.put(position, rows, hidden.codes[rows, position], None)
    chunk.select(torch.arange(len(hidden) - 1, -1, -1))
    contexts = crossed.contexts(EncodedTable(chunk.codes, chunk.residuals, chunk.observed))
    for position in range(len(crossed.schema.columns)):
        rows = (~chunk.observed[:, position]).nonzero().squeeze(1)
        if len(rows):
            found = chunk.context(position, rows)
            assert torch.allclose(found, contexts[rows, position], atol=1e-4)


def test_contexts_beside_others_are_the_contexts(
    crossed: TabDARNetwork, hidden: EncodedTable
) -> None:
    for position in (ROUNDED, FLAG):
        observed = hidden.observed.clone()
        observed[:, position] = False
        contexts = crossed.contexts(EncodedTable(hidden.codes, hidden.residuals, observed))
        found = context_beside(crossed, hidden, position)
        assert torch.allclose(found, contexts[:, position], atol=1e-4)


def test_a_cross_is_seen_where_all_members_are(
    crossed: TabDARNetwork, encoded: EncodedTable
) -> None:
    for members, matters in (([COLOUR], False), ([COLOUR, FLAG], True), ([ROUNDED, FLAG], False)):
        observed = torch.zeros_like(encoded.observed)
        observed[:, members] = True
        table = EncodedTable(encoded.codes, encoded.residuals, observed)
        before = crossed.contexts(table)
        level = crossed.crosses.level.clone()
        crossed.crosses.level.add_(1.0)
        after = crossed.contexts(table)
        crossed.crosses.level.copy_(level)
        assert torch.equal(before, after) is not matters


def test_a_level_that_training_did_not_contain_is_not_seen(
    encoder: TableEncoder, encoded: EncodedTable, tiny: ModelConfig
) -> None:
    cross = _cross(encoder.schema, encoded.rows(slice(0, 1)), COLOUR, FLAG)
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(encoder.with_relations([cross]).schema, tiny)
    _, known = network.crosses(encoded.codes)
    same = (encoded.codes[:, [COLOUR, FLAG]] == encoded.codes[0, [COLOUR, FLAG]]).all(dim=1)
    assert known.squeeze(1).tolist() == same.tolist()


def test_members_of_the_first_cross_come_first_in_the_order_of_drawing(
    crossed: TabDARNetwork, generator: torch.Generator
) -> None:
    orders = [crossed.draw_order(generator=generator) for _ in range(20)]
    assert all({*order[:2]} == {COLOUR, FLAG} for order in orders)
    assert len({tuple(order) for order in orders}) > 10


def test_weights_decide_about_the_order_in_place_of_crosses(
    crossed: TabDARNetwork, generator: torch.Generator
) -> None:
    weighted = copy.copy(crossed)
    weighted.precedence = tuple(100.0 * place for place in range(len(crossed.schema.columns)))
    assert weighted.draw_order(generator=generator) == [*reversed(range(len(weighted.precedence)))]
