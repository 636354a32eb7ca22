"""complete(): what is known stays, what is hidden is filled, rows keep to themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import Completion, Restrictions, complete
from sdv_tabdar.core.masking import complementary_observed
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=5, sampling_batch_size=1000, num_particles=8)
NUM_COLUMNS = 6
COLOUR, SPIKED, FLAG, HOLES = 1, 2, 4, 5


def _complete(
    network: TabDARNetwork,
    table: EncodedTable,
    seed: int = 0,
    restrictions: Restrictions | None = None,
    config: SamplingConfig = CONFIG,
) -> Completion:
    generator = torch.Generator().manual_seed(seed)
    return complete(network, table, config=config, generator=generator, restrictions=restrictions)


def _nothing(encoded: EncodedTable, size: int) -> EncodedTable:
    rows = encoded.rows(torch.arange(size) % len(encoded))
    return EncodedTable(rows.codes, rows.residuals, torch.zeros_like(rows.observed))


def test_copies_of_a_row_are_spread_over_its_law(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
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
    # of ten evenly spread points of a distribution function at most one strays at either end
    assert float((counts - expected).abs().max()) < 2


@pytest.fixture
def partial(encoded: EncodedTable) -> EncodedTable:
    generator = torch.Generator().manual_seed(8)
    observed = complementary_observed(len(encoded), NUM_COLUMNS, generator=generator)
    return EncodedTable(encoded.codes, encoded.residuals, observed[: len(encoded)])


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


def test_a_row_with_particles_does_not_depend_on_the_values_of_its_mates(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, [0, 3]] = True
    table = EncodedTable(encoded.codes, encoded.residuals, observed)
    other = _with_other_mates(table, 20)
    wanted: Restrictions = {
        COLOUR: [encoder.codecs[COLOUR].restrict(Members(('blue', 'green')))] * len(table),
        SPIKED: [encoder.codecs[SPIKED].restrict(Interval(1.0, 5.0))] * len(table),
    }
    first = _complete(network, table, restrictions=wanted).table
    second = _complete(network, other, restrictions=wanted).table
    assert torch.equal(first.codes[:20], second.codes[:20])
    assert torch.allclose(first.residuals[:20], second.residuals[:20], atol=1e-4)


def test_chunks_have_the_law_of_the_whole(network: TabDARNetwork, encoded: EncodedTable) -> None:
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
        # two binomial shares: standard deviation at most sqrt(2 * 0.25 / size). The order of
        # the columns is drawn once a chunk, and an untrained network's joint law depends on it
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


# Cells known in part


def _obey(table: EncodedTable, position: int, rows: list[int], pieces: Pieces, place: int) -> bool:
    codes = table.codes[rows, position].tolist()
    residuals = table.residuals[rows, place].tolist() if place >= 0 else [0.0] * len(rows)
    allowed = list(
        zip(pieces.codes.tolist(), pieces.low.tolist(), pieces.high.tolist(), strict=True)
    )
    return all(
        any(code == c and low - 1e-6 <= residual <= high + 1e-6 for c, low, high in allowed)
        for code, residual in zip(codes, residuals, strict=True)
    )


def test_restricted_cells_obey_alone_and_together(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    size = 60
    restrictions: dict[int, Restriction] = {
        COLOUR: Members(('blue',)),
        SPIKED: Interval(0.5, 2.5),
        FLAG: NotMissing(),
        HOLES: Interval(None, 45.0),
    }
    wanted: dict[int, list[Pieces | None]] = {}
    for shift, (position, restriction) in enumerate(restrictions.items()):
        pieces = encoder.codecs[position].restrict(restriction)
        # every row has its own set of restricted columns, some rows none
        wanted[position] = [pieces if row >> shift & 1 else None for row in range(size)]
    completion = _complete(network, _nothing(encoded, size), restrictions=wanted)
    assert bool(completion.table.observed.all())
    for position, entries in wanted.items():
        rows = [row for row in range(size) if entries[row] is not None]
        pieces = encoder.codecs[position].restrict(restrictions[position])
        numerical = network.schema.numerical
        place = numerical.index(position) if position in numerical else -1
        assert _obey(completion.table, position, rows, pieces, place)
    several = torch.tensor([bin(row % 16).count('1') > 1 for row in range(size)])
    sizes = completion.effective_sample_size
    assert torch.equal(sizes.isnan(), ~several)
    assert bool(((sizes[several] >= 1 - 1e-4) & (sizes[several] <= 8 + 1e-4)).all())


def test_restrictions_of_no_row_change_nothing(
    network: TabDARNetwork, partial: EncodedTable
) -> None:
    free: Restrictions = {COLOUR: [None] * len(partial)}
    first, second = _complete(network, partial), _complete(network, partial, restrictions=free)
    assert torch.equal(first.table.codes, second.table.codes)


def test_restrictions_across_chunks(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    codec = encoder.codecs[COLOUR]
    each = [codec.restrict(Members((level,))) for level in codec.levels]
    wanted: Restrictions = {COLOUR: [each[row % 3] for row in range(50)]}
    config = dataclasses.replace(CONFIG, sampling_batch_size=7)
    filled = _complete(network, _nothing(encoded, 50), restrictions=wanted, config=config).table
    assert filled.codes[:, COLOUR].tolist() == [row % 3 for row in range(50)]


def test_an_interval_far_in_the_tail_is_met(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    low, high = encoder.codecs[0].limits
    pieces = encoder.codecs[0].restrict(Interval(high - 1e-6 * (high - low), None))
    filled = _complete(network, _nothing(encoded, 30), restrictions={0: [pieces] * 30}).table
    assert bool(filled.residuals.isfinite().all())
    assert _obey(filled, 0, list(range(30)), pieces, 0)


def test_a_share_of_a_code_weighs_it_down(network: TabDARNetwork, encoded: EncodedTable) -> None:
    size = 2000
    free = np.full(2, np.inf)

    def share(shares: list[float]) -> float:
        pieces = Pieces(np.array([0, 1]), -free, free, np.array(shares))
        wanted: Restrictions = {COLOUR: [pieces] * size}
        filled = _complete(network, _nothing(encoded, size), restrictions=wanted).table
        return float((filled.codes[:, COLOUR] == 0).double().mean())

    base = share([1.0, 1.0])
    expected = 0.2 * base / (0.2 * base + 1 - base)
    assert share([0.2, 1.0]) == pytest.approx(expected, abs=4 * 2**0.5 * (0.25 / size) ** 0.5)
