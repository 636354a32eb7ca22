"""Causal attention: what is known stays as it is, in every way that contexts are computed."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.codecs.crosses import crosses_of
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.inference.chunk import Chunk
from sdv_tabdar.core.masking import random_ranks
from sdv_tabdar.core.nn import causal
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.losses import batch_loss

from ..networks import random_network

NUM_COLUMNS = 6
CROSSES = [(1, 4), (1, 3, 4)]  # two that become visible with the same cell


@pytest.fixture(params=[2, 3], ids=lambda blocks: f'{blocks} blocks')
def network(
    encoder: TableEncoder, encoded: EncodedTable, tiny: ModelConfig, request: pytest.FixtureRequest
) -> TabDARNetwork:
    """A network with crosses and weights that are far from zero."""
    schema = encoder.with_relations(crosses_of(CROSSES, encoded, encoder.schema)).schema
    config = dataclasses.replace(tiny, attention='causal', num_blocks=request.param)
    return random_network(schema, config, seed=5)


@pytest.fixture(params=[24, 3], ids=lambda size: f'segments of {size}')
def segments(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All places together, or a few at a time, and known rows a few at a time as well."""
    monkeypatch.setattr(causal, '_SEGMENT', request.param)
    monkeypatch.setattr(causal, '_TILE', 100 * request.param)


def _cells(
    network: TabDARNetwork, table: EncodedTable, position: int, rows: torch.Tensor | slice
) -> tuple[torch.Tensor, torch.Tensor | None]:
    numerical = list(network.schema.numerical)
    residuals = None
    if position in numerical:
        residuals = table.residuals[rows, numerical.index(position)]
    return table.codes[rows, position], residuals


@pytest.mark.usefixtures('segments')
@pytest.mark.parametrize('known', ['nothing', 'the same', 'each its own'])
def test_contexts_are_those_of_the_whole_network_as_cells_become_known(
    network: TabDARNetwork, hidden: EncodedTable, known: str
) -> None:
    """From what is known at first, in columns' order, to whole rows, in the order of drawing."""
    observed = torch.zeros_like(hidden.observed)
    if known == 'the same':
        observed[:, [0, 4]] = True
    elif known == 'each its own':
        observed = hidden.observed
    chunk = Chunk(network, EncodedTable(hidden.codes, hidden.residuals, observed))
    ranks = torch.arange(NUM_COLUMNS).repeat(len(hidden), 1)
    for step, position in enumerate([3, 1, 5, 0, 4, 2]):
        asking = ~chunk.observed[:, position]
        if not asking.any():
            continue
        table = EncodedTable(chunk.codes, chunk.residuals, chunk.observed)
        expected = network.contexts(table, ranks)[asking, position]
        rows = slice(None) if asking.all() else asking.nonzero().squeeze(1)
        assert torch.allclose(chunk.context(position, rows), expected, atol=1e-4)
        ranks[asking, position] = NUM_COLUMNS + step
        chunk.put(position, rows, *_cells(network, hidden, position, rows))


@pytest.mark.usefixtures('segments')
def test_known_cells_are_the_same_whether_they_come_together_or_one_by_one(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    together = Chunk(network, hidden)
    one_by_one = Chunk(network, dataclasses.replace(hidden, observed=hidden.observed & False))
    for position in range(NUM_COLUMNS):
        rows = hidden.observed[:, position].nonzero().squeeze(1)
        one_by_one.put(position, rows, *_cells(network, hidden, position, rows))
    rows = (~hidden.observed[:, 2]).nonzero().squeeze(1)
    assert torch.allclose(together.context(2, rows), one_by_one.context(2, rows), atol=1e-4)


def test_what_becomes_visible_later_changes_nothing_before_it(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    ranks = random_ranks(len(encoded), NUM_COLUMNS, generator=torch.Generator().manual_seed(1))
    before = network.contexts(encoded, ranks)
    other = encoded.rows(torch.arange(len(encoded)).roll(1))
    late = ranks >= NUM_COLUMNS // 2
    changed = EncodedTable(
        torch.where(late, other.codes, encoded.codes),
        torch.where(late[:, list(network.schema.numerical)], other.residuals, encoded.residuals),
        encoded.observed,
    )
    after = network.contexts(changed, ranks)
    assert torch.equal(after[~late], before[~late])
    assert not torch.allclose(after[late], before[late])


def test_a_cell_that_is_asked_for_sees_all_visible_ones_and_no_hidden_one(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    ranks = torch.arange(NUM_COLUMNS).flip(0).expand(hidden.codes.shape)
    expected = network.contexts(hidden, ranks)
    other = hidden.rows(torch.arange(len(hidden)).roll(1))
    numerical = list(network.schema.numerical)
    for seen in (False, True):
        kept = hidden.observed != seen
        changed = EncodedTable(
            torch.where(kept, hidden.codes, other.codes),
            torch.where(kept[:, numerical], hidden.residuals, other.residuals),
            hidden.observed,
        )
        found = network.contexts(changed, ranks)
        some = ~hidden.observed & hidden.observed.any(dim=1, keepdim=True)
        assert torch.equal(found[some], expected[some]) is not seen


def test_rows_keep_to_themselves(network: TabDARNetwork, hidden: EncodedTable) -> None:
    some = torch.tensor([3, 0, 7])
    alone, all_rows = Chunk(network, hidden.rows(some)), Chunk(network, hidden)
    for position in range(NUM_COLUMNS):
        rows = (~hidden.observed[some, position]).nonzero().squeeze(1)
        found = alone.context(position, rows)
        assert torch.allclose(found, all_rows.context(position, some[rows]), atol=1e-4)


def test_selected_rows_keep_what_they_know(network: TabDARNetwork, hidden: EncodedTable) -> None:
    chunk = Chunk(network, dataclasses.replace(hidden, observed=hidden.observed & False))
    chunk.put(0, slice(None), *_cells(network, hidden, 0, slice(None)))
    index = torch.tensor([4, 4, 1])
    chunk.select(index)  # with a cell that has not been through the network
    expected = chunk.context(2, slice(None))
    chunk.put(2, slice(None), *_cells(network, hidden, 2, index))
    chunk.select(torch.tensor([1, 0, 2]))
    fresh = Chunk(network, dataclasses.replace(hidden, observed=hidden.observed & False))
    fresh.put(0, slice(None), *_cells(network, hidden, 0, slice(None)))
    assert torch.allclose(fresh.context(2, slice(None))[index], expected, atol=1e-4)
    fresh.put(2, slice(None), *_cells(network, hidden, 2, slice(None)))
    expected = fresh.context(4, slice(None))[index]
    assert torch.allclose(chunk.context(4, slice(None)), expected, atol=1e-4)


def test_contexts_of_pairs_are_those_of_their_rows(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    num_pairs, numerical = len(hidden) // 2, list(network.schema.numerical)
    ranks = random_ranks(num_pairs, NUM_COLUMNS, generator=torch.Generator().manual_seed(2))
    side = hidden.observed[:num_pairs]
    first, second = network.contexts(hidden, ranks.repeat(2, 1)).split(num_pairs)
    codes = torch.where(side, *hidden.codes.split(num_pairs))
    residuals = torch.where(side[:, numerical], *hidden.residuals.split(num_pairs))
    found = pair_contexts(network, codes, residuals, side, ranks).transpose(0, 1)
    assert torch.allclose(found, torch.where(side.unsqueeze(-1), second, first), atol=1e-4)


def test_a_step_of_training_has_a_gradient_everywhere(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    network.requires_grad_(True)
    generator = torch.Generator().manual_seed(0)
    loss = batch_loss(network, encoded, TrainingConfig(), generator=generator)
    gradients = torch.autograd.grad(loss, list(network.parameters()))
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_a_shorter_type_gives_nearly_the_same(network: TabDARNetwork, hidden: EncodedTable) -> None:
    rows = (~hidden.observed[:, 2]).nonzero().squeeze(1)
    expected = Chunk(network, hidden).context(2, rows)
    network.precision = 'bfloat16'
    shorter = lowered(network)
    assert shorter is not network
    assert torch.allclose(Chunk(shorter, hidden).context(2, rows), expected, atol=0.1)
