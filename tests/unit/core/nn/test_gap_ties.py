"""Numbers that are never far from others: what visible cells say of them, on every way."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from sdv_tabdar.core.codecs.copulas import CodePlaces
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.gap_laws import Numbers
from sdv_tabdar.core.codecs.gaps import find_gaps
from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.inference.column import draw_cells, log_density
from sdv_tabdar.core.nn.heads.tied import TiedCodes
from sdv_tabdar.core.nn.incremental import context_beside
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts, pair_losses
from sdv_tabdar.core.nn.ties import Ties
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula

from ..networks import random_network

CONFIG = SamplingConfig(num_steps=30, sigma_max=20.0)
ORDER, SENT, BACK, BY = 0, 2, 3, 4
UNTIED = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])


@pytest.fixture(scope='module')
def frame() -> pd.DataFrame:
    """Days on which something was ordered, sent and, where there is a third one, came back.

    How soon it came back is by a level.
    """
    random = np.random.default_rng(0)
    order = random.integers(0, 500, 800)
    sent = order + random.choice([0, 1, 3, 4], 800)
    by = random.choice(['air', 'sea'], 800)
    after = random.integers(2, 20, 800) + np.where(by == 'sea', 15, 0)
    back = np.where(random.random(800) < 0.8, sent + after, np.nan)
    days = {'order': order, 'amount': random.normal(size=800), 'sent': sent, 'back': back}
    return pd.DataFrame(days).astype(float).assign(by=by)


@pytest.fixture(scope='module')
def encoder(frame: pd.DataFrame, tiny: ModelConfig) -> TableEncoder:
    kinds = {**dict.fromkeys(frame, ColumnKind.NUMERICAL), 'by': ColumnKind.CATEGORICAL}
    found = TableEncoder.fit(frame, kinds, dataclasses.replace(tiny, num_bins=8))
    table = found.encode_all(frame)
    return found.with_relations((), gaps=find_gaps(table, found.codecs, found.schema))


@pytest.fixture(params=['by distance', 'also by ranks', 'committee'])
def tied(request: pytest.FixtureRequest, encoder: TableEncoder, tiny: ModelConfig) -> TabDARNetwork:
    schema = encoder.schema
    if request.param == 'also by ranks':
        correlations = ((1.0, 0.999, 0.0), (0.999, 1.0, 0.0), (0.0, 0.0, 1.0))
        weights = ((0.8, 0.15, 0.05),) * 3
        copula = Copula((ORDER, 1, SENT), correlations, (1.0, 1.0, 1.0), weights, 0.2)
        schema = dataclasses.replace(schema, copula=copula)
    members = 2 if request.param == 'committee' else 1
    config = dataclasses.replace(tiny, num_members=members)
    return random_network(schema, config, seed=11, size=0.05)


@pytest.fixture
def ties(tied: TabDARNetwork) -> Ties:
    assert tied.ties is not None
    return tied.ties


@pytest.fixture
def rows(encoder: TableEncoder, frame: pd.DataFrame) -> EncodedTable:
    return encoder.encode_all(frame.head(120))


@pytest.fixture
def hidden(rows: EncodedTable) -> EncodedTable:
    generator = torch.Generator().manual_seed(3)
    observed = torch.rand(rows.codes.shape, generator=generator) < 0.5
    half = len(observed) // 2
    observed[half:] = ~observed[:half]
    return EncodedTable(rows.codes, rows.residuals, observed)


def known(table: EncodedTable, *columns: int) -> EncodedTable:
    observed = torch.zeros_like(table.observed)
    observed[:, list(columns)] = True
    return EncodedTable(table.codes, table.residuals, observed)


def test_cells_are_told_the_number_and_its_law(
    ties: Ties, encoder: TableEncoder, rows: EncodedTable
) -> None:
    found = ties.of_cells(known(rows, SENT))
    read = Numbers(encoder.schema, (ORDER, SENT, BACK))(rows.codes, rows.residuals)
    told = read.told(torch.tensor([[False, True, False]]).expand(len(rows.codes), -1))[:, 1]
    for position in (ORDER, BACK):
        own = found[told, position]
        assert (own[:, 2] > 0).all()
        assert (own[:, 3:] == 0).all()
        number = own[:, 0].double() + own[:, 1].double()
        assert torch.allclose(number, read.numbers[told, 1], atol=1e-12)
    assert (ties.of_cells(known(rows))[:, SENT] == UNTIED).all()


def test_a_cell_between_two_is_told_both(ties: Ties, rows: EncodedTable) -> None:
    has_all = (rows.codes[:, BACK] != rows.codes[:, BACK].max()).numpy()
    found = ties.of_cells(known(rows, ORDER, BACK))[has_all, SENT]
    both = (found[:, 2] > 0) & (found[:, 5] > 0)
    assert both.float().mean() > 0.5


def test_a_known_level_says_which_law(
    ties: Ties, encoder: TableEncoder, rows: EncodedTable
) -> None:
    without, beside = (ties.of_cells(known(rows, SENT, *more))[:, BACK] for more in ((), (BY,)))
    assert torch.equal(without[:, :2], beside[:, :2])
    told = without[:, 2] > 0
    laws = [beside[told & (rows.codes[:, BY] == code), 2].unique().tolist() for code in (0, 1)]
    assert len(without[told, 2].unique()) == len(laws[0]) == len(laws[1]) == 1
    assert len({without[told, 2][0].item(), *laws[0], *laws[1]}) == 3
    assert (ties.of_cells(known(rows, SENT))[:, BY] == UNTIED).all()


def test_a_level_is_told_by_two_numbers(
    tied: TabDARNetwork, ties: Ties, encoder: TableEncoder, rows: EncodedTable
) -> None:
    table = known(rows, SENT, BACK)
    found = ties.of_cells(table)[:, BY]
    read = Numbers(encoder.schema, (ORDER, SENT, BACK))(rows.codes, rows.residuals)
    told = found[:, 2] > 0
    assert torch.equal(told, read.placed[:, 1] & read.placed[:, 2])
    assert 0.5 < told.float().mean() < 1
    numbers = torch.stack([part[:, :2].double().sum(dim=1) for part in found.split(3, dim=1)], 1)
    assert torch.allclose(numbers[told], read.numbers[told, 1:], atol=1e-12)
    codes = tied.codes.logits(context_beside(tied, table, BY), BY).argmax(dim=1)
    assert (codes == rows.codes[:, BY])[told].float().mean() > 0.85


def test_every_way_says_the_same(ties: Ties, hidden: EncodedTable) -> None:
    cells = ties.of_cells(hidden)
    for position in range(cells.shape[1]):
        asked = ~hidden.observed[:, position]
        found = ties.beside(hidden, position)
        assert torch.allclose(found[asked], cells[asked, position], atol=1e-5)
    half = len(hidden) // 2
    side = hidden.observed[:half]
    pairs = ties.of_pairs(hidden.codes[:half], hidden.residuals[:half], side)
    expected = torch.where(side.unsqueeze(-1), cells[half:], cells[:half])
    same = EncodedTable(hidden.codes[:half], hidden.residuals[:half], side)
    other = EncodedTable(hidden.codes[:half], hidden.residuals[:half], ~side)
    expected = torch.where(side.unsqueeze(-1), ties.of_cells(other), ties.of_cells(same))
    assert torch.allclose(pairs.transpose(0, 1), expected, atol=1e-5)


def test_pairs_have_the_same_contexts_and_losses(
    tied: TabDARNetwork, rows: EncodedTable, hidden: EncodedTable, generator: torch.Generator
) -> None:
    half = len(rows) // 2
    side = hidden.observed[:half]
    codes, residuals = rows.codes[:half], rows.residuals[:half]
    ranks = torch.arange(side.shape[1]).expand(side.shape)
    found = pair_contexts(tied, codes, residuals, side, ranks).transpose(0, 1)
    first = tied.contexts(EncodedTable(codes, residuals, side))
    second = tied.contexts(EncodedTable(codes, residuals, ~side))
    assert torch.allclose(found, torch.where(side.unsqueeze(-1), second, first), atol=1e-4)
    tied.requires_grad_(True)
    losses = pair_losses(tied, hidden, noise_draws=2, generator=generator, ranks=ranks)
    assert bool(losses.isfinite().all())
    losses.mean().backward()
    gradients = [own.grad for own in tied.parameters() if own.grad is not None]
    assert all(bool(own.isfinite().all()) for own in gradients)


class OneDevice(TorchDispatchMode):
    """Refuses operations on tensors of another device than 'meta', but for single numbers."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tensors = [t for t in tree_leaves((args, kwargs, result)) if isinstance(t, torch.Tensor)]
        assert {t.device.type for t in tensors if t.dim()} <= {'meta'}, f'{func} leaves the device'
        return result


def test_a_step_of_fixed_shapes_waits_for_no_number(
    tied: TabDARNetwork, rows: EncodedTable
) -> None:
    """The device 'meta' has no numbers: a step that a GPU can record works there."""
    meta = torch.device('meta')
    network, table = copy.deepcopy(tied).to(meta), rows.to(meta)
    side = torch.zeros_like(table.codes, dtype=torch.bool)
    assert network.ties is not None
    with OneDevice():
        ties = network.ties.of_pairs(table.codes, table.residuals, side)
        bins = torch.zeros(len(table.codes), dtype=torch.long, device=meta)
        placed = network.residual_head.tied
        assert placed is not None
        found, slopes = placed.measured(ties[SENT], bins, table.residuals[:, 0])
        logits = torch.zeros(len(table.codes), network.schema.columns[SENT].num_codes, device=meta)
        rest = [head.of(row, logits, ties[SENT]) for head, row in _places(network, SENT)]
        levels = torch.zeros(len(table.codes), network.schema.columns[BY].num_codes, device=meta)
        told = [head.of(row, levels, ties[BY]) for head, row in _places(network, BY)]
    assert found.shape == slopes.shape == (len(table.codes),)
    assert all(own.shape == logits.shape for own in rest)
    assert all(own.shape == levels.shape for own in told)


def _places(network: TabDARNetwork, position: int) -> list[tuple[TiedCodes, int]]:
    """The head of a column's bucket that knows ties, and its row there."""
    _, number, row = network.code_head._cells[position]
    head = network.code_head.tied[number]
    assert isinstance(head, TiedCodes)
    return [(head, row)]


def test_draws_lie_where_differences_say(
    tied: TabDARNetwork, encoder: TableEncoder, rows: EncodedTable, generator: torch.Generator
) -> None:
    table = known(rows, ORDER)
    context = context_beside(tied, table, SENT)
    codes, residuals = draw_cells(tied, SENT, context, config=CONFIG, generator=generator)
    drawn = EncodedTable(table.codes.clone(), table.residuals.clone(), table.observed)
    drawn.codes[:, SENT] = codes.to(drawn.codes)
    drawn.residuals[:, encoder.schema.numerical.index(SENT)] = residuals
    numbers = encoder.decode(drawn, generator=generator)
    days = (numbers['sent'] - numbers['order']).round()
    assert days.between(0, 4).mean() > 0.9


def test_densities_integrate_to_one(
    tied: TabDARNetwork, encoder: TableEncoder, rows: EncodedTable
) -> None:
    context = context_beside(tied, known(rows, ORDER, BACK), SENT)[:1]
    column, grid = encoder.schema.columns[SENT], torch.linspace(-3, 3, 1001)
    at = torch.full_like(grid, 0).long()
    total = float(tied.codes.log_probabilities(context, SENT)[0].exp().sum())
    assert total == pytest.approx(1, abs=1e-4)
    total = 0.0
    for code in column.bins:
        own = context.expand(len(grid), -1)
        logs = log_density(tied, SENT, own, at + code, grid, config=CONFIG)
        total += float(torch.trapezoid(logs.double().exp(), grid))
    beside = [code for code in range(column.num_codes) if code not in column.bins]
    total += float(tied.codes.log_probabilities(context, SENT)[0, beside].exp().sum())
    assert total == pytest.approx(1, abs=0.03)


def test_places_are_those_of_the_column(
    encoder: TableEncoder, frame: pd.DataFrame, rows: EncodedTable
) -> None:
    places = CodePlaces(encoder.schema, (ORDER,))
    own = encoder.schema.value_places[ORDER]
    shares, _ = places.shares(rows.codes, rows.residuals)
    expected = np.interp(frame['order'].head(len(rows)), own.marks, own.places)
    assert np.abs(shares[:, 0].numpy() - expected).max() < 0.01
