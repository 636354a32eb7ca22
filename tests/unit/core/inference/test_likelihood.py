"""Log-likelihoods: the chain rule over given orders, from the cache as from whole rows."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.column import log_density
from sdv_tabdar.core.inference.likelihood import (
    log_likelihood,
    ordered_log_densities,
)
from sdv_tabdar.core.masking import column_order
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=5, sampling_batch_size=1000)
NUM_COLUMNS = 6


@pytest.fixture
def partial(encoded: EncodedTable, generator: torch.Generator) -> EncodedTable:
    """Random cells are not observed; one row has none that is, one has all."""
    observed = torch.rand(encoded.observed.shape, generator=generator) < 0.7
    observed[0], observed[1] = False, True
    return EncodedTable(encoded.codes, encoded.residuals, observed)


def _from_whole_rows(network: TabDARNetwork, table: EncodedTable, order: list[int]) -> torch.Tensor:
    """:func:`ordered_log_densities` by one pass of the whole network for every column."""
    found, known = torch.zeros(table.codes.shape), torch.zeros_like(table.observed)
    numerical = list(network.schema.numerical)
    ranks = torch.tensor(order).argsort()
    for position in order:
        before = EncodedTable(table.codes, table.residuals, known.clone())
        residuals = None
        if position in numerical:
            residuals = table.residuals[:, numerical.index(position)]
        cells = log_density(
            network,
            position,
            network.contexts(before, ranks)[:, position],
            table.codes[:, position],
            residuals,
            config=CONFIG,
        )
        found[:, position] = cells * table.observed[:, position]
        known[:, position] = table.observed[:, position]
    return found


@pytest.mark.parametrize('order', [[0, 1, 2, 3, 4, 5], [3, 5, 0, 4, 1, 2]])
def test_log_densities_from_the_cache_are_those_of_whole_rows(
    network: TabDARNetwork, partial: EncodedTable, order: list[int]
) -> None:
    with torch.no_grad():
        found = ordered_log_densities(network, partial, order, CONFIG)
    assert torch.allclose(found, _from_whole_rows(network, partial, order), atol=1e-4)
    assert bool((found[~partial.observed] == 0).all())


def test_log_densities_with_causal_attention_are_those_of_whole_rows(
    causal: TabDARNetwork, partial: EncodedTable
) -> None:
    order = [3, 5, 0, 4, 1, 2]
    found = ordered_log_densities(causal, partial, order, CONFIG)
    assert torch.allclose(found, _from_whole_rows(causal, partial, order), atol=1e-4)


def test_the_mean_over_orders_is_of_probabilities(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    generator = torch.Generator().manual_seed(3)
    found = log_likelihood(network, partial, num_orders=3, config=CONFIG, generator=generator)
    generator.manual_seed(3)
    orders = [column_order(NUM_COLUMNS, fixed=False, generator=generator) for _ in range(3)]
    logs = [_from_whole_rows(network, partial, order).sum(dim=1) for order in orders]
    expected = torch.stack(logs).logsumexp(dim=0) - math.log(3)
    assert torch.allclose(found, expected, atol=3e-4)
    assert float(found[0]) == pytest.approx(0, abs=1e-6)


def test_the_parts_of_columns_are_means_over_orders(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    """They add up to at most the whole (Jensen), and to all of it in one order."""
    found = {}
    for num_orders, by_column in ((1, False), (1, True), (3, False), (3, True)):
        found[num_orders, by_column] = log_likelihood(
            network,
            partial,
            num_orders=num_orders,
            config=CONFIG,
            generator=torch.Generator().manual_seed(3),
            by_column=by_column,
        )
    assert torch.allclose(found[1, True].sum(dim=1), found[1, False], atol=1e-4)
    assert bool((found[3, True].sum(dim=1) <= found[3, False] + 1e-4).all())
    assert bool((found[3, True][~partial.observed] == 0).all())


def test_a_fixed_order_is_followed(
    network: TabDARNetwork,
    encoded: EncodedTable,
    generator: torch.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network, 'fixed_order', True)
    found = log_likelihood(network, encoded, num_orders=2, config=CONFIG, generator=generator)
    expected = _from_whole_rows(network, encoded, list(range(NUM_COLUMNS))).sum(dim=1)
    assert torch.allclose(found, expected, atol=3e-4)


def test_chunks_change_nothing_in_a_fixed_order_and_report_their_progress(
    network: TabDARNetwork,
    encoded: EncodedTable,
    generator: torch.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network, 'fixed_order', True)
    sizes: list[int] = []
    whole, parts = (
        log_likelihood(
            network,
            encoded.rows(slice(25)),
            num_orders=1,
            config=dataclasses.replace(CONFIG, sampling_batch_size=size),
            generator=generator,
            progress=sizes.append,
        )
        for size in (1000, 10)
    )
    assert torch.allclose(whole, parts, atol=1e-4)
    assert sizes == [25, 10, 10, 5]


def test_threads_change_nothing(
    network: TabDARNetwork, encoded: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, before = dataclasses.replace(CONFIG, sampling_batch_size=60), torch.get_num_threads()
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            generator = torch.Generator().manual_seed(0)
            found.append(
                log_likelihood(network, encoded, num_orders=2, config=config, generator=generator)
            )
        finally:
            torch.set_num_threads(before)
    assert torch.allclose(*found, atol=1e-4)


def test_the_probabilities_of_all_rows_of_two_columns_add_up_to_one(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    first, second = 1, 4  # the categorical columns
    sizes = [network.schema.columns[position].num_codes for position in (first, second)]
    pairs = torch.cartesian_prod(*(torch.arange(size) for size in sizes))
    codes = encoded.codes[: len(pairs)].clone()
    codes[:, [first, second]] = pairs.to(codes.dtype)
    observed = torch.zeros(len(pairs), NUM_COLUMNS, dtype=torch.bool)
    observed[:, [first, second]] = True
    table = EncodedTable(codes, encoded.residuals[: len(pairs)], observed)
    generator = torch.Generator().manual_seed(0)
    found = log_likelihood(network, table, num_orders=4, config=CONFIG, generator=generator)
    assert float(found.exp().sum()) == pytest.approx(1, abs=1e-4)


def test_no_rows(network: TabDARNetwork, encoded: EncodedTable, generator: torch.Generator) -> None:
    nothing = encoded.rows(slice(0, 0))
    found = log_likelihood(network, nothing, num_orders=2, config=CONFIG, generator=generator)
    assert found.shape == (0,)
