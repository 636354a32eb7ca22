"""Cells of one column: what both heads say together."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.column import (
    draw_cells,
    draw_pieces,
    log_codes,
    log_density,
    log_mass,
)
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Interval
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=10)
SMOOTH, COLOUR, SPIKED = 0, 1, 2


@pytest.fixture
def context(network: TabDARNetwork, encoded: EncodedTable) -> torch.Tensor:
    """``(2000, D)`` of 'spiked', the same in all rows: nothing is known."""
    nothing = EncodedTable(encoded.codes, encoded.residuals, torch.zeros_like(encoded.observed))
    return network.contexts(nothing.rows(slice(1)))[:, SPIKED].expand(2000, -1)


def test_only_codes_in_bins_have_residuals(
    network: TabDARNetwork, context: torch.Tensor, generator: torch.Generator
) -> None:
    codes, residuals = draw_cells(network, SPIKED, context, config=CONFIG, generator=generator)
    bins = network.schema.columns[SPIKED].bins
    in_bin = (codes >= bins.start) & (codes < bins.stop)
    assert 0 < int(in_bin.sum()) < len(codes)
    assert torch.equal(residuals != 0, in_bin)


def test_categories_have_no_residuals(
    network: TabDARNetwork, context: torch.Tensor, generator: torch.Generator
) -> None:
    codes, residuals = draw_cells(network, COLOUR, context, config=CONFIG, generator=generator)
    assert set(codes.tolist()) <= {0, 1, 2}
    assert not residuals.any()


def test_codes_that_are_not_possible_are_not_drawn(
    network: TabDARNetwork, context: torch.Tensor, generator: torch.Generator
) -> None:
    possible = torch.zeros(len(context), 3, dtype=torch.bool)
    possible[:, 1:] = True
    codes, _ = draw_cells(
        network, COLOUR, context, possible=possible, config=CONFIG, generator=generator
    )
    assert set(codes.tolist()) == {1, 2}
    pieces = [Pieces.of_codes({0: 1.0, 1: 1.0})] * len(context)
    codes, _, logs = draw_pieces(
        network, COLOUR, context, pieces, possible=possible, config=CONFIG, generator=generator
    )
    assert set(codes.tolist()) == {1}
    shares = network.code_head.log_probabilities(context[:1], COLOUR).exp()[0]
    assert float(logs[0].exp()) == pytest.approx(float(shares[1] / shares[1:].sum()), rel=1e-5)


def test_codes_that_are_not_possible_share_what_one_row_more_would_bring(
    network: TabDARNetwork, context: torch.Tensor
) -> None:
    plain = network.code_head.log_probabilities(context[:2], COLOUR)
    possible = torch.tensor([[False, True, True], [True, True, True]])
    found = log_codes(network, COLOUR, context[:2], possible)
    assert torch.allclose(found.exp().sum(dim=1), torch.ones(2), atol=1e-5)
    assert torch.equal(found[1], plain[1])
    unseen = 1 / (sum(network.schema.columns[COLOUR].counts) + 1)
    assert float(found[0, 0].exp()) == pytest.approx(unseen, rel=1e-4)
    assert torch.allclose((found - plain)[0, 1], (found - plain)[0, 2], atol=1e-5)
    assert torch.equal(log_codes(network, COLOUR, context[:2], None), plain)


def test_what_was_asked_for_comes_before_what_is_possible(
    network: TabDARNetwork, context: torch.Tensor, generator: torch.Generator
) -> None:
    possible = torch.tensor([[False, True, True]]).expand(len(context), 3)
    pieces = [Pieces.of_codes({0: 1.0})] * len(context)
    codes, _, logs = draw_pieces(
        network, COLOUR, context, pieces, possible=possible, config=CONFIG, generator=generator
    )
    assert not codes.any()
    assert torch.equal(logs, log_mass(network, COLOUR, context, pieces, config=CONFIG))


def test_the_probability_of_pieces_is_the_share_of_free_draws_in_them(
    network: TabDARNetwork,
    encoder: TableEncoder,
    context: torch.Tensor,
    generator: torch.Generator,
) -> None:
    pieces = encoder.codecs[SPIKED].restrict(Interval(0.5, 4.0))
    codes, residuals = draw_cells(network, SPIKED, context, config=CONFIG, generator=generator)
    inside = torch.zeros(len(codes), dtype=torch.bool)
    for code, low, high in zip(pieces.codes, pieces.low, pieces.high, strict=True):
        inside |= (codes == code) & (residuals >= low) & (residuals <= high)
    _, _, logs = draw_pieces(
        network, SPIKED, context[:1], [pieces], config=CONFIG, generator=generator
    )
    share = float(inside.double().mean())
    assert float(logs.exp()) == pytest.approx(share, abs=4 * (0.25 / len(codes)) ** 0.5)


def test_draws_of_pieces_stay_in_them(
    network: TabDARNetwork,
    encoder: TableEncoder,
    context: torch.Tensor,
    generator: torch.Generator,
) -> None:
    pieces = encoder.codecs[SPIKED].restrict(Interval(0.5, 4.0))
    other = encoder.codecs[SPIKED].restrict(Interval(0.0, 0.0))
    codes, residuals, _ = draw_pieces(
        network, SPIKED, context[:60], [pieces, other] * 30, config=CONFIG, generator=generator
    )
    for own, each in ((slice(0, None, 2), pieces), (slice(1, None, 2), other)):
        ends = {int(c): (a, b) for c, a, b in zip(each.codes, each.low, each.high, strict=True)}
        for code, residual in zip(codes[own].tolist(), residuals[own].tolist(), strict=True):
            low, high = ends[code]
            assert low - 1e-6 <= residual <= high + 1e-6


def test_pieces_without_probability_still_give_a_finite_weight(
    network: TabDARNetwork, context: torch.Tensor, generator: torch.Generator
) -> None:
    pieces = Pieces(np.array([0]), np.array([-np.inf]), np.array([np.inf]), np.array([0.0]))
    codes, _, logs = draw_pieces(
        network, COLOUR, context[:3], [pieces] * 3, config=CONFIG, generator=generator
    )
    assert codes.tolist() == [0, 0, 0]
    assert bool(logs.isfinite().all())


@pytest.mark.parametrize('width', [0.01, 1e-4, 1e-12])
def test_intervals_as_narrow_as_rounding_have_their_probability(
    network: TabDARNetwork, context: torch.Tensor, width: float
) -> None:
    code, middle = network.schema.columns[SPIKED].bins[0], 0.2
    ends = np.array([middle - width / 2]), np.array([middle + width / 2])
    pieces = Pieces(np.array([code]), *ends, np.array([1.0]))
    found = log_mass(network, SPIKED, context[:1], [pieces], config=CONFIG)
    place = torch.tensor([middle])
    density = log_density(network, SPIKED, context[:1], torch.tensor([code]), place, config=CONFIG)
    assert float(found) == pytest.approx(float(density) + np.log(width), abs=1e-3)


def test_densities_of_a_column_integrate_to_one(
    network: TabDARNetwork, context: torch.Tensor
) -> None:
    column, places = network.schema.columns[SPIKED], torch.linspace(-4, 4, 2000)
    total = 0.0
    for code in range(column.num_codes):
        codes = torch.full((2000,), code)
        logs = log_density(network, SPIKED, context, codes, places, config=CONFIG).double()
        if code in column.bins:
            total += float(torch.trapezoid(logs.exp(), places.double()))
        else:
            total += float(logs[0].exp())
    assert total == pytest.approx(1, abs=0.01)


def test_densities_of_categories_are_their_probabilities(
    network: TabDARNetwork, context: torch.Tensor
) -> None:
    logs = log_density(network, COLOUR, context[:3], torch.arange(3), None, config=CONFIG)
    assert float(logs.exp().sum()) == pytest.approx(1, abs=1e-5)
