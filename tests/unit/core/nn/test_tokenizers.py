"""Tokens: one row a code, a number's place on top, the same for a table and for a column."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.tokenizers import Tokenizer
from sdv_tabdar.core.schema import NO_PLACE, Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable


@pytest.fixture
def tokenizer(network: TabDARNetwork) -> Tokenizer:
    return network.tokenizer


def test_column_agrees_with_whole_rows(tokenizer: Tokenizer, encoded: EncodedTable) -> None:
    tokens = tokenizer(encoded.codes, encoded.residuals)
    numerical = tokenizer.numerical.tolist()
    assert tokens.shape[:2] == encoded.codes.t().shape
    for position in range(len(tokens)):
        residuals = None
        if position in numerical:
            residuals = encoded.residuals[:, numerical.index(position)]
        column = tokenizer.column(position, encoded.codes[:, position], residuals)
        assert torch.allclose(column, tokens[position], atol=1e-6)


def test_a_token_depends_on_its_own_cell_only(tokenizer: Tokenizer, encoded: EncodedTable) -> None:
    tokens = tokenizer(encoded.codes, encoded.residuals)
    codes = encoded.codes.clone()
    codes[:, 1] = (codes[:, 1] + 1) % 3
    changed = tokenizer(codes, encoded.residuals)
    others = [0, 2, 3, 4, 5]
    assert torch.equal(changed[others], tokens[others])
    assert bool((changed[1] != tokens[1]).any(dim=1).all())


def test_normal_score_is_that_of_the_whole_column(
    tokenizer: Tokenizer, encoded: EncodedTable
) -> None:
    numerical = tokenizer.numerical
    flat = (encoded.codes.long() + tokenizer.offsets)[:, numerical]
    smooth = tokenizer.normal_score(flat, encoded.residuals)[:, 0]
    # 'smooth' is continuous and in bins: the scores of n values are normal quantiles
    assert float(smooth.mean()) == pytest.approx(0, abs=0.02)
    assert float(smooth.std()) == pytest.approx(0.5, abs=0.03)


def test_normal_score_rises_over_bins_and_atoms() -> None:
    column = Column(
        'x',
        ColumnKind.NUMERICAL,
        (20, 40, 40),
        bins=range(1, 3),
        uniform=((0.4, 0.6), (0.0, 0.4), (0.6, 1.0)),
    )
    with torch.random.fork_rng(devices=[]):
        tokenizer = Tokenizer(TableSchema((column,)), 4, 4)
    codes = torch.tensor([1, 1, 1, 0, 2, 2, 2])
    residuals = torch.tensor([-9.0, 0.0, 0.9, 0.0, -0.9, 0.0, 9.0])
    scores = tokenizer.normal_score(codes, residuals)
    assert bool(scores.isfinite().all())
    assert bool((scores.diff() > 0).all())
    assert float(scores[3]) == pytest.approx(0)


def test_without_scales_a_numbers_token_is_the_papers_linear_map() -> None:
    column = Column('x', ColumnKind.NUMERICAL, (100,), bins=range(1), uniform=(NO_PLACE,))
    with torch.random.fork_rng(devices=[]):
        tokenizer = Tokenizer(TableSchema((column,)), 4, 0)
    numbers = torch.linspace(-1, 1, 5).unsqueeze(1)
    tokens = tokenizer(torch.zeros(5, 1, dtype=torch.int8), numbers)[0]
    expected = tokenizer.code[0] + numbers * tokenizer.score[0]
    assert torch.allclose(tokens, expected, atol=1e-6)


def test_a_table_without_numbers_needs_no_residuals() -> None:
    column = Column('x', ColumnKind.CATEGORICAL, (3, 1))
    with torch.random.fork_rng(devices=[]):
        tokenizer = Tokenizer(TableSchema((column, column)), 4, 4)
    tokens = tokenizer(torch.tensor([[0, 1], [1, 1]]), torch.zeros(2, 0))
    assert tokens.shape == (2, 2, 4)
    assert not torch.equal(tokens[1, 0], tokens[0, 0])


def _ordered(place: float) -> Tokenizer:
    """Of two columns: levels without an order, and three in one and one beside it."""
    places = ((0.0, 0.2), (0.2, place), (place, 1.0), NO_PLACE)
    columns = (
        Column('plain', ColumnKind.CATEGORICAL, (3, 1)),
        Column('ordered', ColumnKind.CATEGORICAL, (2, 3, 5, 1), uniform=places),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Tokenizer(TableSchema(columns), 4, 4)


def test_levels_in_an_order_have_a_place() -> None:
    codes = torch.tensor([[0, 0], [1, 1], [0, 2], [1, 3]])
    tokenizer, other = _ordered(0.5), _ordered(0.9)
    tokens = tokenizer(codes, torch.zeros(4, 0))
    for position in range(2):
        column = tokenizer.column(position, codes[:, position], None)
        assert torch.allclose(column, tokens[position], atol=1e-6)
    changed = (other(codes, torch.zeros(4, 0)) - tokens).abs().amax(dim=2) > 1e-6
    assert changed.tolist() == [[False] * 4, [False, True, True, False]]


def test_levels_at_one_place_differ_by_what_sets_them_apart_alone() -> None:
    tokenizer = _ordered(0.5)
    with torch.no_grad():
        tokenizer.code.zero_()
    tokens = tokenizer.column(1, torch.arange(4), None)
    assert not tokens[3].any()
    assert bool((tokens[0] - tokens[2]).norm() > (tokens[0] - tokens[1]).norm())
