"""decode(encode(x)) is x, whatever real tables hold; and what cannot be encoded is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.numerical import NumericalCodec, fit_numerical
from sdv_tabdar.core.codecs.values import as_floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.schema import ColumnKind

NUMERICAL, CATEGORICAL = ColumnKind.NUMERICAL, ColumnKind.CATEGORICAL
DEFAULT = ModelConfig()
PAPER_LIKE = ModelConfig(max_atoms=0, num_bins=1)
RNG = np.random.default_rng(0)


def _fit(values: Any, kind: ColumnKind, config: ModelConfig = DEFAULT) -> TableEncoder:
    return TableEncoder.fit(pd.DataFrame({'x': values}), {'x': kind}, config)


def _numerical(values: Any, config: ModelConfig = DEFAULT) -> NumericalCodec:
    codec = _fit(values, NUMERICAL, config).codecs[0]
    assert isinstance(codec, NumericalCodec)
    return codec


def _categorical(values: Any, config: ModelConfig = DEFAULT) -> CategoricalCodec:
    codec = _fit(values, CATEGORICAL, config).codecs[0]
    assert isinstance(codec, CategoricalCodec)
    return codec


def _round_trip(encoder: TableEncoder, values: Any) -> pd.Series:
    frame = pd.DataFrame({'x': values})
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    return encoder.decode(table, generator=torch.Generator().manual_seed(0))['x']


# Numbers


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
    back = _round_trip(_fit(values, NUMERICAL, config), values).to_numpy()
    assert np.array_equal(np.isnan(back), np.isnan(values))
    present = ~np.isnan(values)
    error = np.abs(back - values)[present]
    # a residual is a float32: its place is known to about 1e-6 of the range
    assert error.max() <= 3e-6 * _range(values)


@pytest.mark.parametrize('name', EXACT)
def test_frequent_numbers_come_back_exactly(name: str) -> None:
    values = EXACT[name]
    back = _round_trip(_fit(values, NUMERICAL), values).to_numpy()
    assert np.array_equal(back, values, equal_nan=True)


@pytest.mark.parametrize('name', EXACT)
def test_ties_come_back_from_a_single_bin(name: str) -> None:
    values = EXACT[name]
    back = _round_trip(_fit(values, NUMERICAL, PAPER_LIKE), values).to_numpy()
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
    codes, _ = codec.encode(values)
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
    edges = [knots[-1] for knots in codec.knots[:-1]]
    assert edges == [knots[0] for knots in codec.knots[1:]]
    assert edges == sorted(edges)


def test_residuals_are_normal_scores_of_standard_deviation_one_half() -> None:
    values = SMOOTH['log-normal']
    for config in (DEFAULT, PAPER_LIKE):
        _, residuals = _numerical(values, config).encode(values)
        assert residuals.mean() == pytest.approx(0, abs=0.01)
        assert residuals.std() == pytest.approx(0.5, abs=0.02)


def test_at_most_so_many_atoms_the_most_frequent_first() -> None:
    values = np.repeat(np.arange(40.0), np.arange(40) + 20)
    codec = _numerical(values, ModelConfig(max_atoms=5))
    assert codec.atoms.tolist() == [35, 36, 37, 38, 39]
    assert np.array_equal(_round_trip(_fit(values, NUMERICAL), values), values)


def test_more_bins_than_quantiles_are_kept_still_works() -> None:
    values = np.random.default_rng(1).normal(size=64 * 1100)
    codec = _numerical(values, ModelConfig(num_bins=1100))
    assert len(codec.knots) == 1102  # the outermost are cut in halves
    decoded = codec.decode(*codec.encode(values[:100]))
    assert np.abs(decoded - values[:100]).max() < 0.5


def test_numbers_beyond_the_training_range_become_its_ends() -> None:
    encoder = _fit(SMOOTH['normal'], NUMERICAL)
    low, high = encoder.codecs[0].limits  # type: ignore[union-attr]
    back = _round_trip(encoder, [-1e9, 1e9]).to_numpy()
    assert back == pytest.approx([low, high])


def test_numbers_between_atoms_become_the_nearest() -> None:
    encoder = _fit(np.repeat([0.0, 10.0, 100.0], 10), NUMERICAL)
    back = _round_trip(encoder, [-5.0, 4.0, 6.0, 54.0, 56.0, 1e9])
    assert back.tolist() == [0, 0, 10, 10, 100, 100]


def test_limits_are_those_of_the_training_column() -> None:
    values = np.concatenate([SMOOTH['holes'], np.full(200, -50.0)])
    assert _numerical(values).limits == (-50.0, np.nanmax(values))
    assert np.isnan(_numerical(np.full(3, np.nan)).limits).all()


def test_decoded_residuals_stay_inside_their_bin() -> None:
    values = SMOOTH['normal']
    codec = _numerical(values)
    for code in codec.column.bins:
        knots = codec.knots[code - codec.column.bins.start]
        decoded = codec.decode(np.full(3, code), np.array([-50.0, 0.0, 50.0]))
        assert decoded[0] == knots[0]
        assert decoded[2] == knots[-1]


def test_a_number_in_a_column_that_was_all_missing_is_an_error() -> None:
    encoder = _fit(np.full(5, np.nan), NUMERICAL)
    with pytest.raises(ValueError, match="Column 'x' is given as 2, .* nothing but missing"):
        _round_trip(encoder, [2.0])


def test_missing_where_training_had_none_is_an_error() -> None:
    encoder = _fit([1.0, 2.0, 3.0], NUMERICAL)
    with pytest.raises(ValueError, match="Column 'x' is given as missing in 2 rows, but the tr"):
        _round_trip(encoder, [1.0, np.nan, np.nan])


# Reading numbers


@pytest.mark.parametrize(
    ('values', 'expected'),
    [
        (pd.Series([1, None, 3], dtype='Int64'), [1, np.nan, 3]),
        (pd.Series([1.5, None], dtype='Float64'), [1.5, np.nan]),
        (pd.Series([True, None, False], dtype='boolean'), [1, np.nan, 0]),
        (pd.Series([True, False]), [1, 0]),
        (pd.Series([1, None, pd.NA, np.nan, 2.5], dtype=object), [1, *[np.nan] * 3, 2.5]),
        (pd.Series([1.0, 2.0, 1.0]).astype('category'), [1, 2, 1]),
        (pd.Series(['1', '2.5', None]), [1, 2.5, np.nan]),
        (pd.Series([10**30, 1]), [1e30, 1]),
        (pd.Series([3, 4], dtype='uint8', index=[7, 7]), [3, 4]),
        (pd.Series([], dtype=float), []),
    ],
)
def test_numbers_are_read_from_every_dtype(values: pd.Series, expected: list[float]) -> None:
    numbers = as_floats(values)
    assert numbers.dtype == np.float64
    assert np.array_equal(numbers, np.array(expected, dtype=float), equal_nan=True)


def test_text_is_no_number() -> None:
    with pytest.raises(TypeError, match=r"Column 'x' is numerical but holds \['one'\]. Give numb"):
        _fit([1, 'one', None], NUMERICAL)


@pytest.mark.parametrize(
    'values',
    [
        pd.to_datetime(['2020-01-01', None]),
        pd.to_datetime(['2020-01-01', None]).tz_localize('UTC'),
        pd.to_timedelta(['1D', None]),
        np.array([1 + 2j]),
    ],
)
def test_dates_and_complex_numbers_are_no_numbers(values: Any) -> None:
    with pytest.raises(TypeError, match="Column 'x' is numerical but holds values of dtype"):
        _fit(values, NUMERICAL)


def test_infinite_numbers_are_an_error_that_says_where() -> None:
    with pytest.raises(ValueError, match="Column 'x' has 2 infinite values .first at row 1"):
        _fit([1.0, np.inf, -np.inf], NUMERICAL)


# Categories

LEVELS: dict[str, Callable[[], Any]] = {
    'text': lambda: list('abacab'),
    'one category': lambda: ['a'] * 5,
    'one row': lambda: ['a'],
    'missing': lambda: ['a', None, 'b', None],
    'all missing': lambda: [None] * 4,
    'bool': lambda: [True, False, True],
    'bool and missing': lambda: pd.Series([True, None, False], dtype=object),
    'numbers': lambda: [3, 1, 3, 2],
    'floats': lambda: [0.5, 1.5, 0.5],
    'mixed types': lambda: pd.Series(['1', 1, (1, 2), None, 2.5, b'x', 'nan'], dtype=object),
    'tuples': lambda: pd.Series([(1, 2), (3, 4), (1, 2)], dtype=object),
    'nested tuples': lambda: pd.Series([(1, (2, 3)), ('a', 4)], dtype=object),
    'times': lambda: list(pd.to_datetime(['2020-01-01', '2021-01-01'])),
    'empty text': lambda: ['', ' ', ''],
    'pandas category': lambda: pd.Categorical(['b', 'a', None], categories=['a', 'b', 'unused']),
    'nullable integers': lambda: pd.array([1, None, 2], dtype='Int64'),
    'nullable booleans': lambda: pd.array([True, None, False], dtype='boolean'),
    'nullable text': lambda: pd.array(['a', None, 'b'], dtype='string'),
    'thousands': lambda: [f'level {i % 2000}' for i in range(5000)],
}


@pytest.mark.parametrize('name', LEVELS)
def test_levels_come_back(name: str) -> None:
    values = LEVELS[name]()
    back = _round_trip(_fit(values, CATEGORICAL), values)
    given = pd.Series(values).astype(object)
    expected = given.where(given.notna(), None).tolist()
    assert back.dtype == object
    assert back.tolist() == expected


@pytest.mark.parametrize('missing', [None, np.nan, pd.NA, pd.NaT])
def test_all_ways_to_be_missing_are_one_level(missing: Any) -> None:
    codec = _categorical(pd.Series(['a', None, np.nan, pd.NA], dtype=object))
    assert codec.levels == (None, 'a')
    assert codec.encode(pd.Series([missing], dtype=object))[0].tolist() == [0]
    assert codec.column.missing == 0


def test_levels_are_ordered_by_frequency_and_plain_python_objects() -> None:
    codec = _categorical(np.array([2, 1, 1, 3, 1, 2]))
    assert codec.levels == (1, 2, 3)
    assert codec.column.counts == (3, 2, 1)
    assert all(type(level) is int for level in codec.levels)


def test_unseen_category_is_an_error_that_names_column_value_and_what_is_allowed() -> None:
    encoder = _fit(list('aab'), CATEGORICAL)
    with pytest.raises(
        ValueError,
        match=r"Column 'x' has values that the model has never seen: \['z', nan\]. "
        r"Allowed are the 2 values of the training data: 'a', 'b'\.",
    ):
        _round_trip(encoder, ['a', 'z', np.nan, 'z'])


def test_unseen_category_of_many_lists_the_first_only() -> None:
    encoder = _fit([f'{i:04d}' for i in range(3000)], CATEGORICAL)
    with pytest.raises(ValueError, match=r'the 3000 values .* \.\.\.') as error:
        _round_trip(encoder, ['z'])
    assert len(str(error.value)) < 400


def test_values_that_cannot_be_hashed_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"Column 'x' is categorical .*unhashable type: 'list'"):
        _fit(pd.Series([[1], [2]], dtype=object), CATEGORICAL)


# Rare levels that share a code


@pytest.fixture
def rare() -> CategoricalCodec:
    """5 frequent levels; missing and 'a'..'e' are rare, and the letters share a code."""
    values: list[str | None] = [f'f{i}' for i in range(5) for _ in range(100)]
    values += ['a'] * 5 + ['b'] * 4 + ['c'] * 3 + ['d'] * 2 + ['e'] + [None]
    return _categorical(values, ModelConfig(max_categories=7))


def test_rare_levels_share_the_last_code_and_missing_does_not(rare: CategoricalCodec) -> None:
    assert rare.column.num_codes == 7
    assert rare.num_shared == 5
    assert rare.levels[5] is None
    assert rare.column.missing == 5
    assert rare.column.counts[5:] == (1, 15)
    codes, _ = rare.encode(pd.Series(list('abcde')))
    assert codes.tolist() == [6] * 5


def test_rare_levels_are_drawn_by_their_frequency(rare: CategoricalCodec) -> None:
    size = 15_000
    uniforms = (np.arange(size) + 0.5) / size
    levels, counts = np.unique(
        rare.decode(np.full(size, 6), uniforms).astype(str), return_counts=True
    )
    assert dict(zip(levels.tolist(), counts.tolist(), strict=True)) == {
        'a': 5000,
        'b': 4000,
        'c': 3000,
        'd': 2000,
        'e': 1000,
    }


def test_shares_within_codes(rare: CategoricalCodec) -> None:
    assert rare.code_shares().tolist() == pytest.approx([1] * 6 + [n / 15 for n in (5, 4, 3, 2, 1)])


def test_members_that_share_a_code_have_their_share_of_it(rare: CategoricalCodec) -> None:
    pieces = rare.pieces(Members(('f0', 'b', 'd', 'b')))
    assert pieces.codes.tolist() == [0, 6]
    assert pieces.share.tolist() == pytest.approx([1, 6 / 15])
    drawn = np.array(['f0', 'a', 'e', 'd', 'b'], dtype=object)
    obeying = rare.enforce(drawn, Members(('f0', 'b', 'd')), np.array([0.0, 0.1, 0.9, 0.6, 0.7]))
    assert obeying.tolist() == ['f0', 'b', 'd', 'b', 'd']
    assert rare.enforce(drawn, NotMissing(), np.zeros(5)) is drawn


def test_not_missing_leaves_the_rare_levels(rare: CategoricalCodec) -> None:
    assert rare.pieces(NotMissing()).codes.tolist() == [0, 1, 2, 3, 4, 6]


# Pieces


def _pieces(codec: NumericalCodec | CategoricalCodec, restriction: Restriction) -> list[Any]:
    pieces = codec.pieces(restriction)
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
        ValueError, match=r"Column 'x' cannot meet .* lie between -0.999 and 0.999, and none"
    ):
        atoms_and_bins.pieces(restriction)


def test_missing_only_is_an_error_where_training_had_none() -> None:
    with pytest.raises(ValueError, match="Column 'x' cannot meet Members"):
        _numerical([1.0, 2.0]).pieces(Members((None,)))


@pytest.mark.parametrize('restriction', [Interval(0, 1), NotMissing(), Members((1,))])
def test_a_number_where_all_were_missing_is_an_error(restriction: Restriction) -> None:
    with pytest.raises(ValueError, match='the training data had nothing but missing values'):
        _numerical([np.nan, np.nan]).pieces(restriction)


def test_members_of_a_numerical_column_are_numbers(atoms_and_bins: NumericalCodec) -> None:
    with pytest.raises(ValueError, match="Column 'x' is numerical; 'many' is no number"):
        atoms_and_bins.pieces(Members((0, 'many')))


def test_a_spike_below_the_share_of_an_atom_is_inside_the_interval_that_it_ends() -> None:
    values = np.sort(np.concatenate([RNG.normal(size=200), np.full(60, 0.5)]))
    codec = _numerical(values, PAPER_LIKE)
    places = {}
    for name, restriction in (('above', Interval(0.5, None)), ('below', Interval(None, 0.5))):
        ((_, low, high),) = _pieces(codec, restriction)
        places[name] = low if name == 'above' else high
    assert places['above'] < places['below']


def test_categorical_pieces() -> None:
    codec = _categorical(['a', 'a', 'b', None])
    assert codec.pieces(NotMissing()).codes.tolist() == [0, 1]
    assert codec.pieces(Members(('b', None, 'b'))).codes.tolist() == [1, 2]


def test_an_interval_of_categories_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Column 'x' is categorical; Interval\(.* needs a numer"):
        _categorical(['a']).pieces(Interval(0, 1))


def test_an_unseen_member_is_an_error() -> None:
    with pytest.raises(ValueError, match="never seen: \\['z'\\]. Allowed are the 1 values"):
        _categorical(['a']).pieces(Members(('a', 'z')))


def test_not_missing_where_all_were_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Column 'x' cannot meet NotMissing.* nothing but miss"):
        _categorical(pd.Series([None, None], dtype=object)).pieces(NotMissing())


def test_drawn_numbers_are_moved_onto_their_restriction(atoms_and_bins: NumericalCodec) -> None:
    drawn, none = np.array([0.1, np.nan, 0.7000001]), np.zeros(3)
    clipped = atoms_and_bins.enforce(drawn, Interval(0.2, 0.7), none)
    assert np.array_equal(clipped, [0.2, np.nan, 0.7], equal_nan=True)
    snapped = atoms_and_bins.enforce(drawn, Members((0.0, 1, None)), none)
    assert np.array_equal(snapped, [0, np.nan, 1], equal_nan=True)
    assert atoms_and_bins.enforce(drawn, Members((None,)), none) is drawn
    assert atoms_and_bins.enforce(drawn, NotMissing(), none) is drawn


# Whole tables


def test_tables_come_back(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    table = encoder.encode(mixed, np.ones(mixed.shape, dtype=bool))
    back = encoder.decode(table, generator=torch.Generator())
    assert list(back.columns) == list(mixed.columns)
    assert back['colour'].tolist() == mixed['colour'].tolist()
    assert back['flag'].tolist() == mixed['flag'].tolist()
    for name in ('smooth', 'spiked', 'rounded', 'holes'):
        assert np.allclose(back[name], mixed[name], rtol=1e-4, atol=1e-4, equal_nan=True)
    assert np.array_equal(back['spiked'] == 0, mixed['spiked'] == 0)
    assert isinstance(back.index, pd.RangeIndex)


def test_hidden_cells_are_not_even_looked_at(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    strange = mixed.head(3).astype(object)
    strange[:] = 'never seen'
    table = encoder.encode(strange, np.zeros(strange.shape, dtype=bool))
    assert not table.observed.any()
    assert not table.codes.any()
    assert not table.residuals.any()


def test_absent_columns_are_hidden_and_order_does_not_matter(
    encoder: TableEncoder, mixed: pd.DataFrame
) -> None:
    some = mixed[['flag', 'smooth']]
    table = encoder.encode(some, np.ones(some.shape, dtype=bool))
    assert table.observed[0].tolist() == [True, False, False, False, True, False]
    whole = encoder.encode(mixed, np.ones(mixed.shape, dtype=bool))
    assert torch.equal(table.codes[:, [0, 4]], whole.codes[:, [0, 4]])


def test_an_index_with_duplicates_is_ignored(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    other = mixed.set_axis([5] * len(mixed), axis=0)
    observed = np.ones(mixed.shape, dtype=bool)
    assert torch.equal(encoder.encode(other, observed).codes, encoder.encode(mixed, observed).codes)


@pytest.mark.parametrize(
    ('num_levels', 'dtype'), [(256, torch.uint8), (257, torch.int16), (40_000, torch.int32)]
)
def test_codes_take_the_smallest_dtype(num_levels: int, dtype: torch.dtype) -> None:
    encoder = _fit(np.arange(num_levels), CATEGORICAL, ModelConfig(max_categories=50_000))
    frame = pd.DataFrame({'x': [0]})
    assert encoder.encode(frame, np.ones((1, 1), dtype=bool)).codes.dtype == dtype
    assert _round_trip(encoder, [0, num_levels - 1]).tolist() == [0, num_levels - 1]


def test_an_unknown_column_is_an_error(encoder: TableEncoder) -> None:
    frame = pd.DataFrame({'size': [1]})
    with pytest.raises(ValueError, match="no column 'size' in the fitted table"):
        encoder.encode(frame, np.ones((1, 1), dtype=bool))


@pytest.mark.parametrize('shape', [(0, 2), (2, 0)])
def test_an_empty_table_is_an_error(shape: tuple[int, int]) -> None:
    frame = pd.DataFrame(np.zeros(shape), columns=[f'c{i}' for i in range(shape[1])])
    with pytest.raises(ValueError, match=f'has {shape[0]} rows and {shape[1]} columns; it needs'):
        TableEncoder.fit(frame, dict.fromkeys(frame, NUMERICAL), DEFAULT)


@pytest.mark.parametrize('kinds', [{}, {'x': 'numerical'}])
def test_a_column_without_a_kind_is_an_error(kinds: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"columns \['x'\] have no kind. Give a ColumnKind"):
        TableEncoder.fit(pd.DataFrame({'x': [1.0]}), kinds, DEFAULT)


def test_a_name_that_is_no_string_is_an_error() -> None:
    with pytest.raises(TypeError, match=r'must be strings, however: \[0\]. Rename'):
        TableEncoder.fit(pd.DataFrame([[1.0]]), {0: NUMERICAL}, DEFAULT)


def test_a_name_that_occurs_twice_is_an_error(encoder: TableEncoder) -> None:
    frame = pd.DataFrame([[1.0, 2.0]], columns=['smooth', 'smooth'])
    with pytest.raises(ValueError, match=r"must be unique, but .* more than once: \['smooth'\]"):
        TableEncoder.fit(frame, {'smooth': NUMERICAL}, DEFAULT)
    with pytest.raises(ValueError, match='must be unique'):
        encoder.encode(frame, np.ones(frame.shape, dtype=bool))


@pytest.fixture(scope='module')
def bell() -> NumericalCodec:
    """A column of 20,000 normal quantiles: bins only."""
    values = ndtri((np.arange(20_000) + 0.5) / 20_000)
    codec = fit_numerical('x', values, ModelConfig())
    assert len(codec.knots) > ModelConfig().num_bins
    assert not len(codec.atoms)
    return codec


def test_no_value_between_the_limits_falls_into_a_gap(bell: NumericalCodec) -> None:
    ends = np.array([knots[-1] for knots in bell.knots[:-1]])
    assert np.isfinite(bell.log_slope(ends)).all()
    assert np.isfinite(bell.log_slope(np.nextafter(ends, np.inf))).all()
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
            if bell.knots[code][0] <= member <= bell.knots[code][-1]
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
    decoded = bell.decode(codes, 0.5 * ndtri(in_bin))
    assert decoded == pytest.approx(ndtri(places), abs=0.05)
