"""Hidden sets and orders have the distributions they claim."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.masking import (
    complementary_observed,
    leading_observed,
    random_order,
    random_ranks,
    weighted_order,
)


def test_number_of_hidden_cells_is_uniform(generator: torch.Generator) -> None:
    pairs, columns = 12_000, 5
    hidden = (~complementary_observed(pairs, columns, generator=generator)).sum(dim=1)
    counts = torch.bincount(hidden, minlength=columns + 1)
    # the numbers are stratified over the pairs
    assert float((counts - 2 * pairs / (columns + 1)).abs().max()) <= 2


def test_a_pair_hides_every_column_once(generator: torch.Generator) -> None:
    observed = complementary_observed(50, 7, generator=generator)
    assert torch.equal(observed[50:], ~observed[:50])


def test_of_columns_in_order_the_last_are_hidden(generator: torch.Generator) -> None:
    observed = leading_observed(100, 4, generator=generator)
    assert bool((observed.int().diff(dim=1) <= 0).all())
    assert torch.equal(torch.bincount((~observed).sum(dim=1)), torch.tensor([0, 25, 25, 25, 25]))


def test_hidden_cells_are_placed_uniformly(generator: torch.Generator) -> None:
    observed = complementary_observed(10_000, 4, generator=generator)
    single = observed[(~observed).sum(dim=1) == 1]
    share = (~single).double().mean(dim=0)
    tolerance = 4 * (0.25 * 0.75 / len(single)) ** 0.5
    assert torch.allclose(share, torch.full((4,), 0.25, dtype=torch.float64), atol=tolerance)


def test_first_rows_of_half_the_pairs_see_the_beginning_of_weighted_orders() -> None:
    pairs = 4_000

    def drawn(log_weights: list[float] | None) -> torch.Tensor:
        weights = None if log_weights is None else torch.tensor(log_weights)
        generator = torch.Generator().manual_seed(0)
        return complementary_observed(pairs, 3, generator=generator, log_weights=weights)

    plain, weighted = drawn(None), drawn([0.0, 8.0, 0.0])
    assert torch.equal(drawn([0.0, 0.0, 0.0]), plain)
    assert torch.equal(weighted.sum(dim=1), plain.sum(dim=1))
    assert torch.equal(weighted[:pairs], ~weighted[pairs:])
    assert torch.equal(weighted[pairs // 2 : pairs], plain[pairs // 2 : pairs])
    alone = weighted[: pairs // 2]
    alone = alone[alone.sum(dim=1) == 1]
    assert float(alone[:, 1].double().mean()) > 0.99


def test_rows_are_masked_on_their_own(generator: torch.Generator) -> None:
    observed = complementary_observed(32, 6, generator=generator)
    assert len(observed.unique(dim=0)) > 10


@pytest.mark.parametrize('columns', [1, 7])
def test_an_order_holds_each_column_once(columns: int, generator: torch.Generator) -> None:
    order = random_order(columns, generator=generator)
    assert sorted(order) == list(range(columns))
    assert all(type(position) is int for position in order)


def test_ranks_are_a_uniform_order_of_each_row(generator: torch.Generator) -> None:
    ranks = random_ranks(6000, 3, generator=generator)
    assert torch.equal(ranks.sort(dim=1).values, torch.arange(3).expand(6000, 3))
    shares = (ranks * torch.tensor([9, 3, 1])).sum(dim=1).bincount().double() / 6000
    assert torch.allclose(shares[shares > 0], torch.full((6,), 1 / 6).double(), atol=0.03)


def test_orders_are_uniform(generator: torch.Generator) -> None:
    draws = [tuple(random_order(3, generator=generator)) for _ in range(3000)]
    counts = torch.tensor([draws.count(order) for order in set(draws)], dtype=torch.float64)
    assert len(counts) == 6
    # chi-squared with 5 degrees of freedom: 25.7 is exceeded with probability 1e-4
    assert float(((counts - 500) ** 2 / 500).sum()) < 25.7


def test_same_generator_state_same_draws() -> None:
    first, second = (torch.Generator().manual_seed(3) for _ in range(2))
    assert torch.equal(
        complementary_observed(9, 4, generator=first),
        complementary_observed(9, 4, generator=second),
    )
    assert random_order(9, generator=first) == random_order(9, generator=second)


def test_a_column_is_next_with_a_probability_in_proportion_to_its_weight(
    generator: torch.Generator,
) -> None:
    weights = torch.tensor([1.0, 2.0, 5.0])
    draws = 4_000
    orders = torch.tensor(
        [weighted_order(weights.log().tolist(), generator=generator) for _ in range(draws)]
    )
    assert torch.equal(orders.sort(dim=1).values, torch.arange(3).expand(draws, 3))
    first = torch.bincount(orders[:, 0], minlength=3) / draws
    second = torch.bincount(orders[orders[:, 0] == 2, 1], minlength=3)
    tolerance = 4 * 0.5 / draws**0.5
    assert torch.allclose(first, weights / 8, atol=tolerance)
    assert float(second[1] / second.sum()) == pytest.approx(2 / 3, abs=2 * tolerance)
