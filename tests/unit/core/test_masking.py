"""Hidden sets and orders have the laws they claim."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.masking import random_observed, random_order


def test_number_of_hidden_cells_is_uniform(generator: torch.Generator) -> None:
    size, columns = 20_000, 5
    hidden = (~random_observed(size, columns, generator=generator)).sum(dim=1)
    counts = torch.bincount(hidden, minlength=columns + 1)
    assert counts[0] == 0
    expected = size / columns
    # chi-squared with 4 degrees of freedom: 23.5 is exceeded with probability 1e-4
    assert float(((counts[1:] - expected) ** 2 / expected).sum()) < 23.5


def test_hidden_cells_are_placed_uniformly(generator: torch.Generator) -> None:
    size, columns = 20_000, 4
    observed = random_observed(size, columns, generator=generator)
    single = observed[(~observed).sum(dim=1) == 1]
    share = (~single).double().mean(dim=0)
    tolerance = 4 * (0.25 * 0.75 / len(single)) ** 0.5
    assert torch.allclose(share, torch.full((4,), 0.25, dtype=torch.float64), atol=tolerance)


def test_rows_are_masked_on_their_own(generator: torch.Generator) -> None:
    observed = random_observed(64, 6, generator=generator)
    assert len(observed.unique(dim=0)) > 10


def test_one_column_is_always_hidden(generator: torch.Generator) -> None:
    assert not random_observed(50, 1, generator=generator).any()


@pytest.mark.parametrize('columns', [1, 7])
def test_an_order_holds_each_column_once(columns: int, generator: torch.Generator) -> None:
    order = random_order(columns, generator=generator)
    assert sorted(order) == list(range(columns))
    assert all(type(position) is int for position in order)


def test_orders_are_uniform(generator: torch.Generator) -> None:
    draws = [tuple(random_order(3, generator=generator)) for _ in range(3000)]
    counts = torch.tensor([draws.count(order) for order in set(draws)], dtype=torch.float64)
    assert len(counts) == 6
    # chi-squared with 5 degrees of freedom: 25.7 is exceeded with probability 1e-4
    assert float(((counts - 500) ** 2 / 500).sum()) < 25.7


def test_same_generator_state_same_draws() -> None:
    first, second = (torch.Generator().manual_seed(3) for _ in range(2))
    assert torch.equal(
        random_observed(9, 4, generator=first), random_observed(9, 4, generator=second)
    )
    assert random_order(9, generator=first) == random_order(9, generator=second)
