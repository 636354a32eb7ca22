"""Numbers to residuals and back inside one bin; how bins are cut."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from sdv_tabdar.core.codecs.bins import Bin, cut_into_bins
from sdv_tabdar.core.codecs.cycles import Cycle

PLAIN = Bin(np.array([0.0, 1.0, 3.0]), np.array([0.2, 0.5, 0.8]))
SPIKE = Bin(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.1, 0.3, 0.7, 0.9]))


def test_ends_and_middle_of_a_bin() -> None:
    assert (PLAIN.low, PLAIN.high) == (0.0, 3.0)
    assert PLAIN.residuals(np.array([1.0]))[0] == 0
    assert PLAIN.values(np.array([0.0, -9.0, 9.0])).tolist() == [1.0, 0.0, 3.0]


def test_a_repeated_knot_is_written_at_its_middle_and_is_inside_where_it_ends_an_interval() -> None:
    assert SPIKE.residuals(np.array([1.0]))[0] == pytest.approx(0, abs=1e-12)
    low, high = (SPIKE.ends(np.array([1.0, 0.5]), is_low=is_low) for is_low in (True, False))
    assert low[0] < 0 < high[0]
    assert low[1] == high[1]


def test_the_slope_is_the_derivative_of_the_residual() -> None:
    at, step = np.array([0.3, 2.0]), 1e-6
    slope = (PLAIN.residuals(at + step) - PLAIN.residuals(at - step)) / (2 * step)
    found = PLAIN.log_slope(at, PLAIN.residuals(at))
    assert np.exp(found) == pytest.approx(slope, rel=1e-4)


def test_no_density_outside_and_a_mass_where_all_numbers_are_one() -> None:
    outside = np.array([-0.1, 3.1])
    assert PLAIN.log_slope(outside, np.zeros(2)).tolist() == [-np.inf, -np.inf]
    single = Bin(np.array([2.0, 2.0]), np.array([0.25, 0.75]))
    assert single.log_slope(np.array([2.0, 1.0]), np.zeros(2)).tolist() == [0.0, -np.inf]
    assert single.spacing(2.0) == 0


def test_what_stands_for_a_number_is_a_small_part_of_the_bin_between_two_knots() -> None:
    assert [PLAIN.spacing(number) for number in (0.0, 1.0, 3.0)] == [3 / 32] * 3
    narrow = Bin(np.array([0.0, 0.01, 3.0]), np.array([0.2, 0.5, 0.8]))
    assert [narrow.spacing(number) for number in (0.0, 0.005, 2.0)] == [0.01, 0.01, 3 / 32]


def test_numbers_of_a_bin_with_a_step_are_its_multiples() -> None:
    stepped = Bin(np.array([14_999.0, 20_000.0]), np.array([0.1, 0.9]), 100.0)
    drawn = stepped.values(0.5 * ndtri((np.arange(999) + 0.5) / 999))
    assert set(drawn) == set(np.arange(15_000, 20_001, 100.0))
    lows, highs = stepped.rounded_to(np.array([15_050.0, 15_110.0]), np.array([15_300.0, 15_190.0]))
    assert (lows[0], highs[0]) == (15_050, 15_350)  # become 15,100, 15,200 and 15,300
    assert (lows[1], highs[1]) == (15_110, 15_190)  # hold no multiple, and stay


def test_the_nearest_numbers_of_a_bin() -> None:
    ends = np.array([0.0, 21.0])
    numbers = np.array([0.0, 5.2, 5.9, 20.9])
    assert Bin(ends, ends / 21).nearest(numbers).tolist() == numbers.tolist()
    assert Bin(ends, ends / 21, 5.0).nearest(numbers).tolist() == [0, 5, 5, 20]
    days = Cycle(7.0, -0.5, np.array([1, 1, 1, 1, 1, 0, 0]) / 5)  # of which the last two are free
    moved = Bin(ends, ends / 21, cycles=(days,)).nearest(numbers)
    assert np.rint(moved).tolist() == [0, 4, 7, 21]
    assert moved[[0, 3]].tolist() == numbers[[0, 3]].tolist()


def test_the_density_at_equal_knots_is_their_mass_over_the_cells_around_them() -> None:
    at = SPIKE.log_slope(np.array([1.0, 0.5]), np.zeros(2))
    assert at[0] - at[1] == pytest.approx(np.log((0.9 - 0.1) / 2 / 0.2))


@pytest.mark.parametrize('scale', [5e-324, 1e-310, 1.0, 1.7e308])
def test_bins_of_any_scale(scale: float) -> None:
    part = Bin(np.array([-scale, 0.0, scale]), np.array([0.2, 0.5, 0.8]))
    back = part.values(part.residuals(part.knots))
    assert back == pytest.approx(part.knots, rel=1e-9, abs=0)
    assert np.isfinite(part.log_slope(part.knots, part.residuals(part.knots))).all()


def test_equal_numbers_stay_together_and_neighbours_meet() -> None:
    values = np.sort(np.repeat(np.arange(40.0), 3))
    bins, counts = cut_into_bins(values, 4)
    assert sum(counts) == 120
    assert all(count % 3 == 0 for count in counts)
    assert [part.high for part in bins[:-1]] == [part.low for part in bins[1:]]
    assert (bins[0].low, bins[-1].high) == (0.0, 39.0)


def test_nothing_to_cut() -> None:
    assert cut_into_bins(np.zeros(0), 3) == ([], [])


@pytest.mark.parametrize('num_bins', [1, 4, 32])
def test_no_value_of_a_single_row_is_kept_but_the_ends(num_bins: int) -> None:
    random = np.random.default_rng(0)
    for size in (1, 2, 3, 5, 7, 12, 40, 300, 3000):
        values = np.sort(random.lognormal(3, 1, size))
        bins, _ = cut_into_bins(values, max(1, min(num_bins, size // 64)))
        knots = np.concatenate([part.knots for part in bins])
        assert set(values) & set(knots) == {values[0], values[-1]}


def test_a_number_that_many_rows_share_keeps_its_mass() -> None:
    values = np.sort(np.concatenate([np.linspace(0, 1, 50), np.full(30, 0.5)]))
    (part,), _ = cut_into_bins(values, 1)
    residuals = 0.5 * ndtri((np.arange(10_000) + 0.5) / 10_000)
    assert (part.values(residuals) == 0.5).mean() == pytest.approx(30 / 80, abs=0.2)


def test_what_lies_between_bins_is_short() -> None:
    values = np.sort(np.random.default_rng(1).normal(size=2000))
    bins, _ = cut_into_bins(values, 8)
    assert all(len(repr(part.high)) < 10 for part in bins[:-1])


@pytest.mark.parametrize('size', [1, 2, 4, 9, 300])
def test_where_atoms_are_the_ends_of_a_column_no_value_of_a_single_row_is_kept(size: int) -> None:
    values = np.sort(np.random.default_rng(size).lognormal(3, 1, size))
    bins, _ = cut_into_bins(values, max(1, size // 64), (0.0, 1e6))
    knots = np.concatenate([part.knots for part in bins])
    places = np.concatenate([part.places for part in bins[:1]])
    assert not set(values) & set(knots)
    assert 0 < knots[0] < values[0]
    assert values[-1] < knots[-1] < 1e6
    assert (np.diff(knots) >= 0).all()
    assert (np.diff(places) > 0).all()


def test_numbers_far_from_all_others_have_a_bin_of_their_own() -> None:
    """Beyond a gap that is more than three times as wide as the rest of an outermost bin."""
    near = np.sort(np.random.default_rng(0).normal(size=4000))
    far = np.linspace(1000, 1020, 20)
    bins, counts = cut_into_bins(np.sort(np.concatenate([near, far, -far])), 32)
    assert (counts[0], counts[-1]) == (20, 20)
    assert bins[0].low == -1020 < bins[0].high == bins[1].low < -10
    assert 10 < bins[-2].high == bins[-1].low < bins[-1].high == 1020
    assert sum(counts) == 4040


def test_numbers_that_spread_out_evenly_towards_an_end_are_not_far() -> None:
    values = np.sort(np.random.default_rng(0).exponential(size=4000))
    assert min(cut_into_bins(values, 32)[1]) >= 32
