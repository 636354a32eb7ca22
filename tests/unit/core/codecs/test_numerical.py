"""Numbers come back, exactly or to a part of the range; restrictions and quantiles of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

DEFAULT = ModelConfig()
PAPER_LIKE = ModelConfig(max_atoms=0, num_bins=1)
RNG = np.random.default_rng(0)


def _numerical(values: Any, config: ModelConfig = DEFAULT) -> NumericalCodec:
    return NumericalCodec.fit('x', pd.Series(values, name='x'), config)


def _round_trip(codec: NumericalCodec, values: Any) -> np.ndarray:
    """Encoded and decoded, with residuals in float32, as tables hold them."""
    codes, residuals = codec.encode(pd.Series(values))
    return codec.decode(codes, residuals.astype(np.float32).astype(float), np.zeros(len(codes)))


def _with_holes(values: np.ndarray) -> np.ndarray:
    return np.where(RNG.random(len(values)) < 0.3, np.nan, values)


# values that come back up to the float32 of their residual, relative to the column's range
SMOOTH: dict[str, np.ndarray] = {
    'normal': RNG.normal(size=1500),
    'heavy tails': RNG.standard_cauchy(1500),
    'log-normal': np.exp(RNG.normal(0, 3, 1500)),
    'timestamps in ns': 1.6e18 + RNG.integers(0, 10**15, 1500).astype(float),
    'tiny': RNG.normal(size=1500) * 1e-12,
    'tiny spread, large mean': 1e6 + RNG.normal(size=1500) * 1e-6,
    'huge': RNG.normal(size=1500) * 1e300,
    'wide integers': RNG.integers(-(10**9), 10**9, 1500).astype(float),
    'holes': _with_holes(RNG.normal(size=1500)),
    'few rows': RNG.normal(size=7),
    'two rows': np.array([1.5, 2.5]),
    'spiked': np.where(RNG.random(1500) < 0.4, 3.25, RNG.normal(size=1500)),
    'rounded, many': np.round(RNG.normal(0, 100, 3000), 1),
    'all duplicates twice': np.repeat(RNG.normal(size=700), 2),
}

# values that come back exactly
EXACT: dict[str, np.ndarray] = {
    'constant': np.full(50, 7.7),
    'constant with holes': np.array([np.nan, 2.5, 2.5, np.nan]),
    'one row': np.array([3.5]),
    'one missing row': np.array([np.nan]),
    'all missing': np.full(20, np.nan),
    'integers': RNG.integers(0, 30, 500).astype(float),
    'binary': RNG.integers(0, 2, 500).astype(float),
    'few huge values': RNG.choice([1.6e18, 1.7e18 + 256], 100),
    'few tiny values': RNG.choice([1e-12, -1e-12, 3e-300], 100),
    'rounded': np.round(RNG.normal(size=2000), 1),
}


def _range(values: np.ndarray) -> float:
    present = values[~np.isnan(values)]
    return float(present.max() / 2 - present.min() / 2) * 2 if len(present) else 0.0


@pytest.mark.parametrize('config', [DEFAULT, PAPER_LIKE], ids=['default', 'paper'])
@pytest.mark.parametrize('name', SMOOTH)
def test_numbers_come_back(name: str, config: ModelConfig) -> None:
    values = SMOOTH[name]
    back = _round_trip(_numerical(values, config), values)
    assert np.array_equal(np.isnan(back), np.isnan(values))
    present = ~np.isnan(values)
    error = np.abs(back - values)[present]
    # a residual is a float32: its place is known to about 1e-6 of the range
    assert error.max() <= 3e-6 * _range(values)


@pytest.mark.parametrize('name', EXACT)
def test_frequent_numbers_come_back_exactly(name: str) -> None:
    values = EXACT[name]
    back = _round_trip(_numerical(values), values)
    assert np.array_equal(back, values, equal_nan=True)


@pytest.mark.parametrize('name', EXACT)
def test_ties_come_back_from_a_single_bin(name: str) -> None:
    values = EXACT[name]
    back = _round_trip(_numerical(values, PAPER_LIKE), values)
    assert np.array_equal(np.isnan(back), np.isnan(values))
    if not np.isnan(values).all():
        assert np.nanmax(np.abs(back - values)) <= 3e-6 * _range(values)


def test_a_spike_is_an_atom_with_its_count() -> None:
    values = SMOOTH['spiked']
    codec = _numerical(values)
    assert codec.atoms.tolist() == [3.25]
    assert codec.column.counts[0] == (values == 3.25).sum()
    assert sum(codec.column.counts) == len(values)


@pytest.mark.parametrize('name', [*SMOOTH, *EXACT])
def test_counts_add_up_and_codes_have_them(name: str) -> None:
    values = {**SMOOTH, **EXACT}[name]
    codec = _numerical(values)
    codes, _ = codec.encode(pd.Series(values))
    counts = np.bincount(codes, minlength=codec.column.num_codes)
    assert counts.tolist() == list(codec.column.counts)


def test_bins_have_about_equal_mass() -> None:
    codec = _numerical(SMOOTH['heavy tails'], ModelConfig(num_bins=8))
    counts = np.array(codec.column.counts)
    assert len(counts) == 8
    assert counts.max() - counts.min() <= 2


def test_bins_get_smaller_towards_the_ends() -> None:
    codec = _numerical(np.random.default_rng(0).normal(size=16_384))
    counts = np.array(codec.column.counts)
    assert counts.sum() == 16_384
    for ends in (counts, counts[::-1]):
        assert ends[:5].tolist() == [32, 32, 64, 128, 256]
        assert ends[5] == 512
    edges = [part.high for part in codec.bins[:-1]]
    assert edges == [part.low for part in codec.bins[1:]]
    assert edges == sorted(edges)


def test_residuals_are_normal_scores_of_standard_deviation_one_half() -> None:
    values = SMOOTH['log-normal']
    for config in (DEFAULT, PAPER_LIKE):
        _, residuals = _numerical(values, config).encode(pd.Series(values))
        assert residuals.mean() == pytest.approx(0, abs=0.06)
        assert residuals.std() == pytest.approx(0.5, abs=0.05)


def test_at_most_so_many_atoms_the_most_frequent_first() -> None:
    values = np.repeat(np.arange(40.0), np.arange(40) + 20)
    codec = _numerical(values, ModelConfig(max_atoms=5))
    assert codec.atoms.tolist() == [35, 36, 37, 38, 39]
    assert np.array_equal(_round_trip(_numerical(values), values), values)


def test_more_bins_than_quantiles_are_kept_still_works() -> None:
    values = np.random.default_rng(1).normal(size=64 * 1100)
    codec = _numerical(values, ModelConfig(num_bins=1100))
    assert len(codec.bins) == 1102  # the outermost are cut in halves
    assert np.abs(_round_trip(codec, values[:100]) - values[:100]).max() < 0.5


def test_numbers_beyond_the_training_range_become_its_ends() -> None:
    codec = _numerical(SMOOTH['normal'])
    assert _round_trip(codec, [-1e9, 1e9]) == pytest.approx(codec.limits)


def test_numbers_between_atoms_become_the_nearest() -> None:
    codec = _numerical(np.repeat([0.0, 10.0, 100.0], 10))
    back = _round_trip(codec, [-5.0, 4.0, 6.0, 54.0, 56.0, 1e9])
    assert back.tolist() == [0, 0, 10, 10, 100, 100]


def test_limits_are_those_of_the_training_column() -> None:
    values = np.concatenate([SMOOTH['holes'], np.full(200, -50.0)])
    assert _numerical(values).limits == (-50.0, np.nanmax(values))
    assert np.isnan(_numerical(np.full(3, np.nan)).limits).all()


def test_decoded_residuals_stay_inside_their_bin() -> None:
    values = SMOOTH['normal']
    codec = _numerical(values)
    for code in codec.column.bins:
        part = codec.bins[code - codec.column.bins.start]
        decoded = codec.decode(np.full(3, code), np.array([-50.0, 0.0, 50.0]), np.zeros(3))
        assert decoded[0] == part.low
        assert decoded[2] == part.high


def test_a_number_in_a_column_that_was_all_missing_is_an_error() -> None:
    codec = _numerical(np.full(5, np.nan))
    with pytest.raises(ValueError, match="Column 'x' is given as 2, .* nothing but missing"):
        _round_trip(codec, [2.0])


def test_missing_where_training_had_none_is_an_error() -> None:
    codec = _numerical([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Column 'x' is given as missing in 2 rows, but the tr"):
        _round_trip(codec, [1.0, np.nan, np.nan])


# Restrictions


def _pieces(codec: NumericalCodec, restriction: Restriction) -> list[Any]:
    pieces = codec.restrict(restriction)
    return list(zip(pieces.codes.tolist(), pieces.low.tolist(), pieces.high.tolist(), strict=True))


@pytest.fixture
def atoms_and_bins() -> NumericalCodec:
    """An atom at 0 (code 0), two bins in (-1, 0) and (0, 1) (codes 1 and 2), missing (3)."""
    grid = np.linspace(0.001, 0.999, 200)
    values = np.concatenate([-grid, grid, np.zeros(100), [np.nan]])
    return _numerical(values, ModelConfig(num_bins=2))


def test_an_interval_cuts_bins_and_picks_atoms(atoms_and_bins: NumericalCodec) -> None:
    assert [code for code, *_ in _pieces(atoms_and_bins, Interval(-0.5, 0.5))] == [0, 1, 2]
    (_, below_low, below_high), (_, above_low, above_high) = _pieces(
        atoms_and_bins, Interval(-0.5, 0.5)
    )[1:]
    # the ends lie in the middle of the bins, whose residuals there are 0
    assert below_low == pytest.approx(0, abs=0.01)
    assert below_high == np.inf
    assert above_low == -np.inf
    assert above_high == pytest.approx(0, abs=0.01)


def test_open_ends_and_ends_beyond_the_range_cut_nothing(atoms_and_bins: NumericalCodec) -> None:
    free = [(code, -np.inf, np.inf) for code in (0, 1, 2)]
    for restriction in (NotMissing(), Interval(), Interval(-9, 9), Interval(None, 9)):
        assert _pieces(atoms_and_bins, restriction) == free


def test_an_interval_of_one_point_is_an_atom(atoms_and_bins: NumericalCodec) -> None:
    assert _pieces(atoms_and_bins, Interval(0, 0)) == [(0, -np.inf, np.inf)]


def test_many_restrictions_allow_what_each_allows(atoms_and_bins: NumericalCodec) -> None:
    ends = np.sort(RNG.uniform(-1.2, 1.2, (60, 2)), axis=1)
    many: list[Restriction] = [Interval(*pair) for pair in ends if pair[1] > -0.99]
    many = [entry for entry in many if isinstance(entry, Interval) and (entry.low or 0) < 0.99]
    many += [Interval(0, 0), Members((0.0, 0.5)), NotMissing(), Interval(None, 0.3)]

    for restriction, found in zip(many, atoms_and_bins.restrict_each(many), strict=True):
        alone = atoms_and_bins.restrict(restriction)
        for name in ('codes', 'low', 'high', 'share'):
            assert np.array_equal(getattr(found, name), getattr(alone, name))


def test_of_many_restrictions_the_one_that_allows_nothing_is_named(
    atoms_and_bins: NumericalCodec,
) -> None:
    with pytest.raises(ValueError, match=r"'x' cannot be Interval\(low=5, high=6\)"):
        atoms_and_bins.restrict_each([Interval(0, 1), Interval(5, 6)])


def test_of_many_restrictions_those_that_allow_something_are_told(
    atoms_and_bins: NumericalCodec,
) -> None:
    low, high = atoms_and_bins.limits
    wanted = [Interval(low, high), Interval(high + 1, None), Members((high + 1,))]
    assert atoms_and_bins.allows_each(wanted).tolist() == [True, False, False]


def test_members_are_atoms_stretches_and_missing(atoms_and_bins: NumericalCodec) -> None:
    pieces = _pieces(atoms_and_bins, Members((0.0, 0.5, None)))
    assert [code for code, *_ in pieces] == [0, 2, 3]
    _, low, high = pieces[1]
    assert -0.1 < low < high < 0.1


def test_a_member_that_training_never_came_near_is_left_out(atoms_and_bins: NumericalCodec) -> None:
    assert _pieces(atoms_and_bins, Members((0, 50))) == [(0, -np.inf, np.inf)]


@pytest.mark.parametrize('restriction', [Interval(5, 6), Interval(None, -3), Members((50,))])
def test_nothing_allowed_is_an_error_with_the_range(
    atoms_and_bins: NumericalCodec, restriction: Restriction
) -> None:
    with pytest.raises(
        ValueError, match=r"Column 'x' cannot be .* lie between -0.999 and 0.999, and none"
    ):
        atoms_and_bins.restrict(restriction)


def test_missing_only_is_an_error_where_training_had_none() -> None:
    with pytest.raises(ValueError, match="Column 'x' cannot be Members"):
        _numerical([1.0, 2.0]).restrict(Members((None,)))


@pytest.mark.parametrize('restriction', [Interval(0, 1), NotMissing(), Members((1,))])
def test_a_number_where_all_were_missing_is_an_error(restriction: Restriction) -> None:
    with pytest.raises(ValueError, match='the training data had nothing but missing values'):
        _numerical([np.nan, np.nan]).restrict(restriction)


def test_members_of_a_numerical_column_are_numbers(atoms_and_bins: NumericalCodec) -> None:
    with pytest.raises(ValueError, match="Column 'x' is numerical; 'many' is no number"):
        atoms_and_bins.restrict(Members((0, 'many')))


def test_a_spike_below_the_share_of_an_atom_is_inside_the_interval_that_it_ends() -> None:
    values = np.sort(np.concatenate([RNG.normal(size=200), np.full(60, 0.5)]))
    codec = _numerical(values, PAPER_LIKE)
    places = {}
    for name, restriction in (('above', Interval(0.5, None)), ('below', Interval(None, 0.5))):
        ((_, low, high),) = _pieces(codec, restriction)
        places[name] = low if name == 'above' else high
    assert places['above'] < places['below']


def test_drawn_numbers_are_moved_onto_their_restriction(atoms_and_bins: NumericalCodec) -> None:
    drawn, none = np.array([0.1, np.nan, 0.7000001]), np.zeros(3)
    clipped = atoms_and_bins.enforce(drawn, Interval(0.2, 0.7), none)
    assert np.array_equal(clipped, [0.2, np.nan, 0.7], equal_nan=True)
    snapped = atoms_and_bins.enforce(drawn, Members((0.0, 1, None)), none)
    assert np.array_equal(snapped, [0, np.nan, 1], equal_nan=True)
    assert atoms_and_bins.enforce(drawn, Members((None,)), none) is drawn
    assert atoms_and_bins.enforce(drawn, NotMissing(), none) is drawn


def test_numbers_are_moved_onto_restrictions_of_their_own(atoms_and_bins: NumericalCodec) -> None:
    drawn = np.array([0.1, np.nan, 0.7, 0.4, -3.0])
    wanted = [Interval(0.2, None), Interval(0, 1), Members((0.0, 1)), None, NotMissing()]
    moved = atoms_and_bins.enforce_each(drawn, wanted, np.zeros(5))
    assert np.array_equal(moved, [0.2, np.nan, 1, 0.4, -3], equal_nan=True)


def test_numbers_beyond_the_range_are_encoded_as_its_end(atoms_and_bins: NumericalCodec) -> None:
    ends, beyond = pd.Series(atoms_and_bins.limits), pd.Series([-50.0, 50.0])
    assert np.array_equal(atoms_and_bins.encode(beyond), atoms_and_bins.encode(ends))
    few = _numerical([1.0, 2.5, *[9.0] * 80])  # the greatest number is an atom above all bins
    assert np.array_equal(few.encode(pd.Series([99.0])), few.encode(pd.Series([9.0])))


def test_a_member_does_not_bring_the_atoms_around_it(atoms_and_bins: NumericalCodec) -> None:
    assert [code for code, *_ in _pieces(atoms_and_bins, Members((0.01,)))] == [1, 2]


def test_a_member_given_twice_counts_once(atoms_and_bins: NumericalCodec) -> None:
    once, twice = Members((0.0, 0.5)), Members((0.5, 0.0, 0.5, 0))
    assert sorted(_pieces(atoms_and_bins, once)) == sorted(_pieces(atoms_and_bins, twice))


# A normal column


@pytest.fixture(scope='module')
def bell() -> NumericalCodec:
    """A column of 20,000 normal quantiles: bins only."""
    values = ndtri((np.arange(20_000) + 0.5) / 20_000)
    codec = _numerical(values)
    assert len(codec.bins) > ModelConfig().num_bins
    assert not len(codec.atoms)
    return codec


def test_no_value_between_the_limits_falls_into_a_gap(bell: NumericalCodec) -> None:
    ends = np.array([part.high for part in bell.bins[:-1]])
    assert np.isfinite(bell.log_volume(pd.Series(ends))).all()
    assert np.isfinite(bell.log_volume(pd.Series(np.nextafter(ends, np.inf)))).all()
    assert _pieces(bell, Members((float(ends[3]),)))


def test_members_of_bins_compare_by_density(bell: NumericalCodec) -> None:
    def mass(code: int, low: float, high: float) -> float:
        share = bell.column.counts[code] / 20_000
        return float(share * (ndtr(high / 0.5) - ndtr(low / 0.5)))

    members = (0.1, 1.1)
    masses = [
        sum(
            mass(code, low, high)
            for code, low, high in _pieces(bell, Members(members))
            if bell.bins[code].low <= member <= bell.bins[code].high
        )
        for member in members
    ]
    density = [math.exp(-(member**2) / 2) for member in members]
    assert masses[0] / masses[1] == pytest.approx(density[0] / density[1], rel=0.2)


def test_tails_keep_their_shape(bell: NumericalCodec) -> None:
    places = np.array([0.9991, 0.9995, 0.9998])
    share = bell.column.counts[-1] / 20_000
    in_bin = 1 - (1 - places) / share
    codes = np.full(3, bell.column.bins.stop - 1)
    decoded = bell.decode(codes, 0.5 * ndtri(in_bin), np.zeros(3))
    assert decoded == pytest.approx(ndtri(places), abs=0.05)


def test_codes_stay_where_other_numbers_suit_them(bell: NumericalCodec) -> None:
    low, high = bell.limits
    now = np.random.default_rng(5).normal(size=4000).clip(low, high)
    codec = bell.grown(pd.Series(now, name='x'), DEFAULT)
    assert codec.bins == bell.bins
    assert sum(codec.column.counts) == len(now)
    assert codec.codes_in(bell).tolist() == list(range(bell.column.num_codes))


@pytest.mark.parametrize(
    'change',
    [lambda x: x + 1, lambda x: np.append(x, 99.0), lambda x: np.append(x, np.nan)],
    ids=['moved', 'beyond', 'missing'],
)
def test_codes_are_made_anew_where_they_do_not(bell: NumericalCodec, change: Any) -> None:
    now = pd.Series(change(np.random.default_rng(5).normal(size=4000)), name='x')
    codec = bell.grown(now, DEFAULT)
    codec.encode(now)
    assert codec.limits[0] <= bell.limits[0]
    assert codec.limits[1] >= bell.limits[1]
    known = codec.codes_in(bell)
    bins = np.array(codec.column.bins)
    middles = [part.values(np.zeros(1))[0] for part in codec.bins]
    assert known[bins].tolist() == bell.encode(pd.Series(middles))[0].tolist()
    if codec.column.missing is not None:
        assert known[codec.column.missing] == -1


def test_missing_stays_possible() -> None:
    before = _numerical([1.0, 2.0, np.nan] * 5)
    codec = before.grown(pd.Series([1.0, 2.0, 3.0] * 5, name='x'), DEFAULT)
    assert codec.column.missing is not None
    assert codec.codes_in(before).tolist() == [0, 1, -1, 2]  # of 3.0 nothing is known


def test_only_missing_before_is_nothing_to_go_on_from() -> None:
    before = _numerical([np.nan] * 5)
    codec = before.grown(pd.Series([1.0, 2.0] * 5, name='x'), DEFAULT)
    assert codec.codes_in(before).tolist() == [-1, -1, before.column.missing]
