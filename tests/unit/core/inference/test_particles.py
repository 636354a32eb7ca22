"""Cells known in part are met, alone and together, and weighed by their probability."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import Completion, complete
from sdv_tabdar.core.inference.particles import Restrictions
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=5, sampling_batch_size=1000, num_particles=8)
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


def test_a_row_with_particles_does_not_depend_on_the_values_of_its_mates(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    observed = torch.zeros_like(encoded.observed)
    observed[:, [0, 3]] = True
    table = EncodedTable(encoded.codes, encoded.residuals, observed)
    generator = torch.Generator().manual_seed(9)
    shuffled = 20 + torch.randperm(len(table) - 20, generator=generator)
    mates = torch.cat([torch.arange(20), shuffled])
    other = EncodedTable(table.codes[mates], table.residuals[mates], observed)
    wanted: Restrictions = {
        COLOUR: [encoder.codecs[COLOUR].restrict(Members(('blue', 'green')))] * len(table),
        SPIKED: [encoder.codecs[SPIKED].restrict(Interval(1.0, 5.0))] * len(table),
    }
    first = _complete(network, table, restrictions=wanted).table
    second = _complete(network, other, restrictions=wanted).table
    assert torch.equal(first.codes[:20], second.codes[:20])
    assert torch.allclose(first.residuals[:20], second.residuals[:20], atol=1e-4)


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
    assert isinstance(codec, CategoricalCodec)
    each = [codec.restrict(Members((level,))) for level in codec.levels]
    wanted: Restrictions = {COLOUR: [each[row % 3] for row in range(50)]}
    config = dataclasses.replace(CONFIG, sampling_batch_size=7)
    filled = _complete(network, _nothing(encoded, 50), restrictions=wanted, config=config).table
    assert filled.codes[:, COLOUR].tolist() == [row % 3 for row in range(50)]


def test_an_interval_far_in_the_tail_is_met(
    network: TabDARNetwork, encoded: EncodedTable, encoder: TableEncoder
) -> None:
    low, high = encoder.codecs[0].limits  # type: ignore[union-attr]
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


def test_a_chain_of_particles_follows_the_joint_probability(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    """Two restricted categories, each allowed as a whole, are drawn as if they were free."""
    size, free = 1500, np.full(3, np.inf)
    sizes = {COLOUR: 3, FLAG: network.schema.columns[FLAG].num_codes}
    wanted = {
        position: [Pieces(np.arange(codes), -free[:codes], free[:codes], np.ones(codes))] * size
        for position, codes in sizes.items()
    }
    many_orders = dataclasses.replace(CONFIG, sampling_batch_size=50)  # one for each chunk
    nothing = _nothing(encoded, size)
    with_particles = _complete(network, nothing, restrictions=wanted, config=many_orders)
    drawn = _complete(network, nothing, seed=1, config=many_orders)
    for position, codes in sizes.items():
        shares = [
            torch.bincount(each.table.codes[:, position].long(), minlength=codes) / size
            for each in (with_particles, drawn)
        ]
        # restricted cells come first, which the order of an untrained network does not forgive
        assert float((shares[0] - shares[1]).abs().max()) < 5 * (0.5 / size) ** 0.5 + 0.1
    # the probability of what is allowed is one, so that all particles weigh the same
    assert torch.allclose(with_particles.effective_sample_size, torch.tensor(8.0), atol=1e-3)
