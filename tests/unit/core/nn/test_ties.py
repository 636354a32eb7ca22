"""Numbers that are tied: what visible cells say of them, on every way to a context."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.inference.chunk import Chunk
from sdv_tabdar.core.inference.column import draw_cells, log_density
from sdv_tabdar.core.nn.heads.tied import parted
from sdv_tabdar.core.nn.incremental import context_beside
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts, pair_losses
from sdv_tabdar.core.nn.ties import Ties
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula

from ..networks import random_network

CONFIG = SamplingConfig(num_steps=30, sigma_max=20.0)
UNTIED = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
SMOOTH, SPIKED, HOLES = 0, 2, 5  # 'holes' is nearly 'smooth', where it is not missing


@pytest.fixture(scope='session')
def schema(network: TabDARNetwork) -> TableSchema:
    copula = Copula(
        positions=(SMOOTH, SPIKED, HOLES),
        correlations=((1.0, 0.1, 0.998), (0.1, 1.0, 0.1), (0.998, 0.1, 1.0)),
        scales=(1.0, 1.0, 1.1),
        weights=((0.8, 0.15, 0.05),) * 3,
        reach=0.2,
    )
    return dataclasses.replace(network.schema, copula=copula)


@pytest.fixture(params=['bidirectional', 'causal', 'committee'])
def tied(request: pytest.FixtureRequest, schema: TableSchema, tiny: ModelConfig) -> TabDARNetwork:
    changed = {'num_members': 2} if request.param == 'committee' else {'attention': request.param}
    return random_network(schema, dataclasses.replace(tiny, **changed), seed=11, size=0.05)


@pytest.fixture
def ties(tied: TabDARNetwork) -> Ties:
    assert tied.ties is not None
    return tied.ties


def known(table: EncodedTable, *columns: int) -> EncodedTable:
    """The same rows, of which some columns are known."""
    observed = torch.zeros_like(table.observed)
    observed[:, list(columns)] = True
    return EncodedTable(table.codes, table.residuals, observed)


def test_a_tied_cell_is_near_what_it_is_tied_to(
    ties: Ties, schema: TableSchema, encoded: EncodedTable
) -> None:
    found = ties.of_cells(known(encoded, SMOOTH))
    missing = encoded.codes[:, HOLES] == schema.columns[HOLES].missing
    assert ties.by_ranks is not None
    scores, placed = ties.by_ranks.places.scores(encoded.codes, encoded.residuals)
    assert torch.equal(~placed[:, 2], missing)
    mean, deviation = found[:, HOLES, :2].unbind(dim=1)
    assert torch.allclose(deviation, torch.tensor(1.1 * (1 - 0.998**2) ** 0.5))
    assert torch.allclose(mean.double(), 0.998 * scores[:, 0], atol=1e-5)
    others = torch.arange(found.shape[1]) != HOLES
    free = found[:, others & (torch.arange(found.shape[1]) != SMOOTH)]
    assert torch.equal(free, UNTIED.expand_as(free))


def test_a_missing_cell_says_nothing(
    ties: Ties, schema: TableSchema, encoded: EncodedTable
) -> None:
    missing = encoded.codes[:, HOLES] == schema.columns[HOLES].missing
    found = ties.of_cells(known(encoded, HOLES))[:, SMOOTH]
    assert (found[missing] == UNTIED).all()
    assert (found[~missing, 1] < 0.2).all()


def test_every_way_says_the_same(ties: Ties, hidden: EncodedTable) -> None:
    cells = ties.of_cells(hidden)
    for position in range(cells.shape[1]):
        asked = ~hidden.observed[:, position]
        for rows in (slice(None), slice(3)):
            some = hidden.rows(rows)
            found = ties.beside(some, position)
            assert torch.allclose(found[asked[rows]], cells[rows][asked[rows], position], atol=1e-5)
    half = len(hidden) // 2
    side = hidden.observed[:half]
    numerical = side[:, [0, 2, 3, 5]]
    first, second = (hidden.rows(rows) for rows in (slice(half), slice(half, None)))
    pairs = ties.of_pairs(
        first.codes.where(side, second.codes),
        first.residuals.where(numerical, second.residuals),
        side,
    )
    expected = torch.where(side.unsqueeze(-1), cells[half:], cells[:half])
    assert torch.allclose(pairs.transpose(0, 1), expected, atol=1e-5)


def test_rows_that_know_the_same_are_asked_as_others_are(ties: Ties, encoded: EncodedTable) -> None:
    same = known(encoded, SMOOTH, SPIKED)
    together = ties.beside(same, HOLES)
    assert torch.allclose(together, ties.of_cells(same)[:, HOLES], atol=1e-5)
    nothing = known(encoded)
    assert (ties.beside(nothing, HOLES) == UNTIED).all()


def test_contexts_end_with_it_on_every_way(tied: TabDARNetwork, encoded: EncodedTable) -> None:
    table = known(encoded, SMOOTH, SPIKED, 3)
    contexts = tied.contexts(table)
    for position in (1, HOLES):
        beside = context_beside(tied, table, position)
        assert torch.allclose(beside, contexts[:, position], atol=1e-4)
        chunk = Chunk(tied, table)
        found = chunk.context(position, torch.arange(7))
        assert torch.allclose(found, contexts[:7, position], atol=1e-4)
    assert (parted(contexts)[1][:, HOLES, 1] < 0.2).all()


def test_pairs_have_the_same_contexts_and_losses(
    tied: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    half = len(hidden) // 2
    side = hidden.observed[:half]
    numerical = side[:, [0, 2, 3, 5]]
    first, second = (hidden.rows(rows) for rows in (slice(half), slice(half, None)))
    codes = first.codes.where(side, second.codes)
    residuals = first.residuals.where(numerical, second.residuals)
    ranks = torch.arange(side.shape[1]).expand(side.shape)
    found = pair_contexts(tied, codes, residuals, side, ranks).transpose(0, 1)
    contexts = tied.contexts(hidden, ranks[:1].expand(hidden.codes.shape))
    expected = torch.where(side.unsqueeze(-1), contexts[half:], contexts[:half])
    assert torch.allclose(found, expected, atol=1e-4)
    losses = pair_losses(tied, hidden, noise_draws=2, generator=generator, ranks=ranks)
    assert bool(losses.isfinite().all())


def test_draws_lie_where_the_copula_says(
    tied: TabDARNetwork, ties: Ties, encoded: EncodedTable, generator: torch.Generator
) -> None:
    table = known(encoded, SMOOTH)
    codes, residuals = draw_cells(
        tied, HOLES, tied.contexts(table)[:, HOLES], config=CONFIG, generator=generator
    )
    drawn = EncodedTable(table.codes.clone(), table.residuals.clone(), table.observed)
    drawn.codes[:, HOLES], drawn.residuals[:, 3] = codes.to(drawn.codes), residuals
    assert ties.by_ranks is not None
    scores, placed = ties.by_ranks.places.scores(drawn.codes, drawn.residuals)
    distance = (scores[:, 2] - scores[:, 0]).abs()[placed[:, 2]]
    assert float(distance.median()) < 0.2  # beside about .7 of numbers that have nothing in common


def test_densities_of_a_tied_number_integrate_to_one(
    tied: TabDARNetwork, schema: TableSchema, encoded: EncodedTable
) -> None:
    context = tied.contexts(known(encoded, SMOOTH))[:1, HOLES]
    column, grid = schema.columns[HOLES], torch.linspace(-3, 3, 4001)
    total = 0.0
    for code in column.bins:
        logs = log_density(
            tied,
            HOLES,
            context.expand(len(grid), -1),
            torch.full_like(grid, code).long(),
            grid,
            config=CONFIG,
        )
        total += float(torch.trapezoid(logs.double().exp(), grid))
    missing = tied.codes.log_probabilities(context, HOLES)[0, column.missing]
    assert total + float(missing.exp()) == pytest.approx(1, abs=0.02)


def test_quantiles_turn_the_distribution_function_around(
    tied: TabDARNetwork, schema: TableSchema, encoded: EncodedTable
) -> None:
    context = tied.contexts(known(encoded, SMOOTH))[:, HOLES]
    levels = torch.linspace(0.02, 0.98, len(context), dtype=torch.float64)
    bins = tied.residuals.bins(HOLES, torch.full((len(context),), schema.columns[HOLES].bins[0]))
    residuals = tied.residuals.quantiles(context, bins, levels, config=CONFIG)
    found = tied.residuals.cdf(context, bins, residuals, config=CONFIG)
    inside = residuals.abs() < 2  # beyond, float32 has few numbers left
    assert torch.allclose(found[inside], levels[inside], atol=0.01)


def test_a_table_without_ties_has_no_more_numbers(network: TabDARNetwork) -> None:
    assert network.ties is None
    assert not network.code_head.tied
    assert network.residual_head.tied is None
