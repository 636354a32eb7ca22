"""complete(): what is known stays, what is hidden is filled, rows keep to themselves."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import Completion, complete
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=5, sampling_batch_size=1000, num_particles=8)
COLOUR = 1


@pytest.fixture(params=['bidirectional', 'causal'])
def network(
    network: TabDARNetwork, causal: TabDARNetwork, request: pytest.FixtureRequest
) -> TabDARNetwork:
    """With either kind of attention."""
    return network if request.param == 'bidirectional' else causal


def _complete(
    network: TabDARNetwork,
    table: EncodedTable,
    seed: int = 0,
    config: SamplingConfig = CONFIG,
) -> Completion:
    generator = torch.Generator().manual_seed(seed)
    return complete(network, table, config=config, generator=generator)


def _nothing(encoded: EncodedTable, size: int) -> EncodedTable:
    rows = encoded.rows(torch.arange(size) % len(encoded))
    return EncodedTable(rows.codes, rows.residuals, torch.zeros_like(rows.observed))


def test_copies_of_a_row_are_stratified(network: TabDARNetwork, encoded: EncodedTable) -> None:
    table = _nothing(encoded, 400)
    table.observed[:] = True
    table.observed[:, COLOUR] = False
    table = table.rows(torch.arange(40).repeat_interleave(10))
    generator = torch.Generator().manual_seed(0)
    drawn = complete(network, table, config=CONFIG, generator=generator, num_copies=10)
    found = drawn.table.codes[:, COLOUR].view(40, 10).long()
    context = network.contexts(table)[:, COLOUR]
    logits = network.code_head.logits(context, COLOUR).view(40, 10, -1)[:, 0]
    expected = 10 * logits.softmax(dim=1)
    counts = torch.nn.functional.one_hot(found, logits.shape[1]).sum(dim=1)
    # of ten stratified points of a distribution function at most one strays at either end
    assert float((counts - expected).abs().max()) < 2


def test_observed_cells_are_bit_equal_and_nothing_stays_hidden(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    filled = _complete(network, partial).table
    observed, numerical = partial.observed, list(network.schema.numerical)
    assert bool(filled.observed.all())
    assert torch.equal(filled.codes[observed], partial.codes[observed])
    known = observed[:, numerical]
    assert torch.equal(filled.residuals[known], partial.residuals[known])
    assert bool(filled.residuals.isfinite().all())


def test_codes_are_valid_and_only_bins_have_residuals(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    filled = _complete(network, _nothing(encoded, 400)).table
    assert filled.codes.dtype == encoded.codes.dtype
    for position, column in enumerate(network.schema.columns):
        codes = filled.codes[:, position].long()
        assert int(codes.min()) >= 0
        assert int(codes.max()) < column.num_codes
        if position in network.schema.numerical:
            residuals = filled.residuals[:, network.schema.numerical.index(position)]
            in_bin = (codes >= column.bins.start) & (codes < column.bins.stop)
            assert bool((residuals[~in_bin] == 0).all())
            assert len(residuals[in_bin].unique()) == int(in_bin.sum())


def test_the_given_table_is_not_written_to(network: TabDARNetwork, partial: EncodedTable) -> None:
    before = EncodedTable(*(part.clone() for part in dataclasses.astuple(partial)))
    _complete(network, partial)
    assert torch.equal(before.codes, partial.codes)
    assert torch.equal(before.residuals, partial.residuals)
    assert torch.equal(before.observed, partial.observed)


def test_values_under_hidden_cells_do_not_matter(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    numerical = list(network.schema.numerical)
    emptied = EncodedTable(
        torch.where(partial.observed, partial.codes, 0),
        torch.where(partial.observed[:, numerical], partial.residuals, 99.0),
        partial.observed,
    )
    first, second = _complete(network, partial).table, _complete(network, emptied).table
    assert torch.equal(first.codes, second.codes)
    assert torch.equal(first.residuals, second.residuals)


def test_same_generator_state_same_rows(network: TabDARNetwork, partial: EncodedTable) -> None:
    first, second = _complete(network, partial).table, _complete(network, partial).table
    other = _complete(network, partial, seed=1).table
    assert torch.equal(first.codes, second.codes)
    assert torch.equal(first.residuals, second.residuals)
    assert not torch.equal(first.codes, other.codes)


def _with_other_mates(partial: EncodedTable, kept: int) -> EncodedTable:
    """Other values in all rows but the first ``kept``, under the same observed cells."""
    generator = torch.Generator().manual_seed(9)
    order = torch.cat(
        [torch.arange(kept), kept + torch.randperm(len(partial) - kept, generator=generator)]
    )
    return EncodedTable(partial.codes[order], partial.residuals[order], partial.observed)


def test_a_row_does_not_depend_on_the_values_of_its_mates(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    other = _with_other_mates(partial, 20)
    first, second = _complete(network, partial).table, _complete(network, other).table
    assert not torch.equal(first.codes[20:], second.codes[20:])
    assert torch.equal(first.codes[:20], second.codes[:20])
    # the diffusion runs on another number of cells: the same sums in another order
    assert torch.allclose(first.residuals[:20], second.residuals[:20], atol=1e-4)


def test_chunks_have_the_distribution_of_the_whole(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    size = 2000
    whole = _complete(network, _nothing(encoded, size), seed=1)
    chunked = _complete(
        network,
        _nothing(encoded, size),
        seed=2,
        config=dataclasses.replace(CONFIG, sampling_batch_size=100),
    )
    for position, column in enumerate(network.schema.columns):
        shares = [
            torch.bincount(drawn.table.codes[:, position].long(), minlength=column.num_codes) / size
            for drawn in (whole, chunked)
        ]
        # two binomial shares: standard deviation at most sqrt(2 * 0.25 / size). The order of the
        # columns is drawn once a chunk, and the joint distribution of an untrained network
        # depends on it
        assert float((shares[0] - shares[1]).abs().max()) < 5 * (0.5 / size) ** 0.5 + 0.1


def test_chunks_report_their_progress(network: TabDARNetwork, encoded: EncodedTable) -> None:
    sizes: list[int] = []
    complete(
        network,
        _nothing(encoded, 25),
        config=dataclasses.replace(CONFIG, sampling_batch_size=10),
        generator=torch.Generator(),
        progress=sizes.append,
    )
    assert sizes == [10, 10, 5]


def test_no_rows(network: TabDARNetwork, encoded: EncodedTable) -> None:
    filled = _complete(network, encoded.rows(slice(0, 0)))
    assert len(filled.table) == 0
    assert len(filled.effective_sample_size) == 0


def test_nothing_hidden(network: TabDARNetwork, encoded: EncodedTable) -> None:
    filled = _complete(network, encoded).table
    assert torch.equal(filled.codes, encoded.codes)
    assert torch.equal(filled.residuals, encoded.residuals)


def test_the_global_random_state_stays(network: TabDARNetwork, partial: EncodedTable) -> None:
    before = torch.get_rng_state()
    _complete(network, partial)
    assert torch.equal(torch.get_rng_state(), before)
