"""The law of a number in a Gaussian copula, beside what SciPy and integration say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from sdv_tabdar.core import copula
from sdv_tabdar.core.copula import (
    TiedLaw,
    conditional,
    scores_of,
    variance_between,
)
from sdv_tabdar.core.tied_bins import TiedBins

CORRELATIONS = torch.tensor(
    [[1.0, 0.9, 0.3], [0.9, 1.0, 0.5], [0.3, 0.5, 1.0]], dtype=torch.float64
)


def law(mean: float, deviation: float, *weights: float, size: int = 1) -> TiedLaw:
    """The law of as many cells alike."""
    numbers = (torch.full((size,), value, dtype=torch.float64) for value in (mean, deviation))
    shares = torch.tensor(weights or (0.7, 0.2, 0.1), dtype=torch.float64)
    return TiedLaw(*numbers, shares.expand(size, 3))


def test_the_conditional_is_that_of_the_normal_law() -> None:
    scores = torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64)
    mean, deviation = conditional(CORRELATIONS, scores, torch.tensor([[False, True, True]]))
    among, own = CORRELATIONS[1:, 1:].numpy(), CORRELATIONS[0, 1:].numpy()
    share = np.linalg.solve(among, own)
    assert float(mean[0, 0]) == pytest.approx(share @ np.array([-1.0, 2.0]))
    assert float(deviation[0, 0]) == pytest.approx(np.sqrt(1 - share @ own))


def test_many_rows_are_asked_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(50, 3, generator=generator, dtype=torch.float64)
    visible = torch.rand(50, 3, generator=generator) < 0.5
    together = conditional(CORRELATIONS, scores, visible)
    monkeypatch.setattr(copula, '_AT_ONCE', 9 * 7)
    apart = conditional(CORRELATIONS, scores, visible)
    for one, other in zip(together, apart, strict=True):
        assert torch.allclose(one, other, rtol=1e-12)


def test_without_visible_cells_it_is_that_of_the_columns() -> None:
    scores = torch.ones(2, 3, dtype=torch.float64)
    mean, deviation = conditional(CORRELATIONS, scores, torch.zeros(2, 3, dtype=torch.bool))
    assert not mean.any()
    assert (deviation == 1).all()


def test_exact_copies_leave_a_small_deviation() -> None:
    same = torch.ones(2, 2, dtype=torch.float64) * (1 - 1e-9)
    same.fill_diagonal_(1)
    _, deviation = conditional(same, torch.ones(1, 2).double(), torch.tensor([[True, False]]))
    assert float(deviation[0, 1]) == pytest.approx(1e-3)


@pytest.mark.parametrize('mean', [-4.0, 0.0, 1.5, 4.0])
def test_the_density_is_that_of_the_mixture(mean: float) -> None:
    at = np.linspace(-5, 5, 11)
    found = law(mean, 0.3, size=len(at)).density(torch.from_numpy(at))
    wanted = 0.7 * stats.norm.pdf(at, mean, 0.3) + 0.2 * stats.norm.pdf(at, mean, 0.9)
    assert found.numpy() == pytest.approx(wanted / stats.norm.pdf(at) + 0.1)


def test_masses_of_a_partition_add_up_to_one() -> None:
    places = torch.linspace(0, 1, 33, dtype=torch.float64)
    low, high = scores_of(places[:-1]), scores_of(places[1:])
    width = places.diff()
    mass = law(0.4, 0.01, size=32).mass(low, high, width) * width
    assert float(mass.sum()) == pytest.approx(1, abs=1e-6)
    assert float(mass[int(32 * stats.norm.cdf(0.4))]) > 0.5


def test_masses_far_from_zero_are_precise() -> None:
    low, high = torch.tensor([5.0, -5.1]).double(), torch.tensor([5.1, -5.0]).double()
    width = torch.from_numpy(stats.norm.sf([5.0, 5.0]) - stats.norm.sf([5.1, 5.1]))
    above = law(0.0, 1.0 - 1e-12, 1.0, 0.0, 0.0, size=2).mass(low, high, width)
    assert above.numpy() == pytest.approx([1, 1], abs=1e-6)


def test_a_cell_that_is_not_tied_has_the_law_of_its_column() -> None:
    free = law(0.0, 1.0)
    assert float(free.density(torch.tensor([2.0]).double())) == 1
    bins = TiedBins(free, torch.tensor([0.2]).double(), torch.tensor([0.1]).double())
    place = torch.tensor([0.37]).double()
    assert float(bins.cdf(place)) == pytest.approx(0.37)
    assert float(bins.log_density(place)) == pytest.approx(0)


def test_places_in_a_bin_are_distributed_as_the_law_says() -> None:
    places = torch.linspace(0, 1, 2001, dtype=torch.float64)
    size = len(places)
    low, span = (torch.full((size,), value).double() for value in (0.6, 0.1))
    bins = TiedBins(law(stats.norm.ppf(0.63), 0.02, size=size), low, span)
    cdf = bins.cdf(places)
    assert float(cdf[0]) == pytest.approx(0)
    assert float(cdf[-1]) == pytest.approx(1)
    assert (cdf.diff() > 0).all()
    slope = cdf.diff() / places.diff()
    middle = TiedBins(bins.law, low, span).log_density((places + 1 / 4000).clamp(max=1)).exp()
    assert slope.numpy() == pytest.approx(middle[:-1].numpy(), rel=1e-2)
    assert bins.quantile(cdf).numpy() == pytest.approx(places.numpy(), abs=1e-9)


def test_the_variance_between_two_places() -> None:
    low, high = torch.tensor([0.0, 0.2, 0.5]).double(), torch.tensor([1.0, 0.3, 0.5]).double()
    found = variance_between(low, high)
    ends = stats.norm.ppf([0.2, 0.3])
    wanted = stats.truncnorm(*ends).var()
    assert found.numpy() == pytest.approx([1, wanted, 0], abs=1e-6)
