"""The law of a number by its distance from another one."""

from __future__ import annotations

import torch

from sdv_tabdar.core.gaps import GapLaw, Marks
from sdv_tabdar.core.tied_bins import TiedBins

GRID = torch.linspace(0, 1, 20_001, dtype=torch.float64).expand(2, -1)


def law(rest: float = 0.1) -> GapLaw:
    """Two cells: two pieces apart, and two of which one has no width."""
    ends = torch.tensor([[[0.2, 0.3], [0.5, 0.6]], [[0.4, 0.4], [0.7, 0.9]]]).double()
    shares = torch.tensor([[0.75, 0.25], [0.5, 0.5]]).double()
    return GapLaw.of(ends, shares, torch.full((2,), rest).double())


def test_pieces_have_their_shares_and_the_column_the_rest() -> None:
    low, high = torch.tensor([[0.2, 0.5, 0.6], [0.3, 0.7, 0.9]]), torch.ones(2, 3)
    found = law().between(low.double(), high.double())
    expected = [[0.1 * 0.8 + 0.9, 0.1 * 0.5 + 0.9 * 0.25, 0.04], [0.97, 0.93, 0.01]]
    assert torch.allclose(found, torch.tensor(expected).double(), atol=1e-5)


def test_densities_are_the_slope_of_what_lies_between() -> None:
    for found in (law(), law().times(law(0.5))):
        density = found.at(GRID)
        assert torch.allclose(torch.trapezoid(density, GRID), torch.ones(2).double(), atol=2e-3)
        begin, end = torch.full((2,), 0.25).double(), torch.full((2,), 0.55).double()
        inside = (GRID[0] >= 0.25) & (GRID[0] <= 0.55)
        mass = torch.trapezoid(density[:, inside], GRID[:, inside])
        assert torch.allclose(found.between(begin, end), mass, atol=5e-3)


def test_a_number_between_two_has_the_product_of_their_laws() -> None:
    ends = torch.tensor([[[0.25, 0.55], [0.55, 0.56]]]).double()
    other = GapLaw.of(ends, torch.tensor([[1.0, 0.0]]).double(), torch.tensor([1e-9]).double())
    ends = torch.tensor([[[0.2, 0.3], [0.5, 0.6]]]).double()
    own = GapLaw.of(ends, torch.tensor([[0.75, 0.25]]).double(), torch.tensor([1e-9]).double())
    found = own.times(other)
    first = found.between(torch.tensor([0.25]).double(), torch.tensor([0.3]).double())
    assert torch.allclose(first, torch.tensor([0.75]).double(), atol=1e-6)
    alone = torch.tensor([1.0]).double()
    same = own.times(GapLaw(other.places, other.shares, alone))
    places = GRID[:1, 1:-1:7]
    assert torch.allclose(same.at(places), own.at(places), atol=1e-9)


def test_where_no_piece_has_a_width_the_column_is_as_it_is() -> None:
    ends = torch.tensor([[[1.0, 1.0], [1.0, 1.0]]]).double()
    found = GapLaw.of(ends, torch.tensor([[0.5, 0.5]]).double(), torch.tensor([0.01]).double())
    assert torch.allclose(found.at(GRID[:1]), torch.ones_like(GRID[:1]))


def test_bins_have_quantiles_of_it() -> None:
    low, span = torch.tensor([0.25, 0.65]).double(), torch.tensor([0.3, 0.1]).double()
    bins = TiedBins(law(), low, span)
    levels = torch.tensor([0.3, 0.8]).double()
    assert torch.allclose(bins.cdf(bins.quantile(levels)), levels, atol=1e-9)
    assert bins.log_density(torch.tensor([0.1, 0.9]).double()).isfinite().all()


def test_marks_are_linear_between_and_constant_beyond() -> None:
    marks = Marks(torch.tensor([0.0, 1.0, 3.0]).double(), torch.tensor([0.0, 2.0, 4.0]).double())
    found = marks(torch.tensor([-1.0, 0.5, 2.0, 9.0]).double())
    assert found.tolist() == [0.0, 1.0, 3.0, 4.0]
