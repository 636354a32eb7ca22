"""What holds of codecs for any column: values come back, restrictions contain what they should."""

from __future__ import annotations

import datetime
import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.codec import Codec, ResidualLaw
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import is_missing
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

MEDIANS = ResidualLaw(
    lambda rows, codes, residuals: (residuals > 0) * 1.0,
    lambda rows, codes, levels: np.zeros(len(levels)),
)
"""Residuals that are all zero."""

few = settings(max_examples=50, deadline=None, derandomize=True)

CONFIGS = st.sampled_from(
    [
        ModelConfig(),
        ModelConfig(max_atoms=0, num_bins=1),
        ModelConfig(max_atoms=2, num_bins=4, max_categories=3),
    ]
)

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-300, 1e300, -1e300, 1.7e308, -1.7e308]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(EXTREME)
SMALL = st.integers(-3, 3).map(float)
COLUMNS = st.one_of(
    st.lists(SMALL | st.just(math.nan), min_size=1, max_size=60),
    st.lists(NUMBERS | st.just(math.nan), min_size=1, max_size=60),
    st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
    st.lists(st.floats(0, 1e-307), min_size=1, max_size=60),
    # more numbers than an example can hold, so that there are several bins
    st.builds(
        lambda seed, scale: (np.random.default_rng(seed).normal(size=300) * scale).tolist(),
        st.integers(0, 10),
        st.sampled_from([1e-320, 1e-300, 1.0, 1e300]),
    ),
)

HASHABLES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.sampled_from(['', ' ', 'nan', 'None', '👩‍👩‍👧', 'é', 'é', '\x00']),
    st.binary(max_size=2),
    st.tuples(st.integers(0, 2), st.text(max_size=1)),
    st.tuples(),
    st.frozensets(st.integers(0, 2)),
    st.dates(),
    st.datetimes(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.sampled_from([np.float32(0.1), np.int8(1), np.bool_(True), math.nan, pd.NA, pd.NaT]),
    st.sampled_from([pd.Timestamp('2020-01-01', tz='UTC'), pd.Timedelta('1h'), pd.Interval(0, 1)]),
    st.sampled_from([datetime.time(1), np.datetime64('2020-01-01', 'ns')]),
)


@pytest.fixture
def fitted_pair() -> tuple[Codec, Codec]:
    """A numerical and a categorical codec."""
    column = pd.Series([1.0, 2.0])
    return tuple(  # type: ignore[return-value]
        codec.fit('x', column, ModelConfig()) for codec in (NumericalCodec, CategoricalCodec)
    )


def _numerical(values: list[float], config: ModelConfig) -> NumericalCodec:
    return NumericalCodec.fit('x', pd.Series(values, dtype=float, name='x'), config)


def _objects(values: list[Any]) -> pd.Series:
    """A column that holds just these objects."""
    cells = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        cells[row] = value
    return pd.Series(cells, name='x')


def _round_trip(codec: Codec, values: pd.Series) -> np.ndarray:
    """Encoded and decoded, with residuals in float32, as tables hold them."""
    codes, residuals = codec.encode(values)
    assert ((codes >= 0) & (codes < codec.column.num_codes)).all()
    assert np.isfinite(residuals).all()
    residuals = residuals.astype(np.float32).astype(float)
    return codec.decode(codes, residuals, np.zeros(len(codes)))


def test_what_a_kind_of_column_lacks_is_said(fitted_pair: tuple[Codec, Codec]) -> None:
    number, category = fitted_pair
    for ask in (lambda: number.levels, lambda: number.level_probabilities(np.ones((1, 1)))):
        with pytest.raises(ValueError, match=r"'x' is numerical and has no levels; see limits\("):
            ask()
    for ask in (
        lambda: category.limits,
        lambda: category.quantiles(np.ones((1, 1)), np.array([0.5]), MEDIANS),
    ):
        with pytest.raises(ValueError, match=r"'x' is categorical and has no limits; see levels\("):
            ask()


# Numbers


@few
@given(COLUMNS, CONFIGS)
def test_numbers_come_back(values: list[float], config: ModelConfig) -> None:
    codec = _numerical(values, config)
    given_ = np.array(values)
    back = _round_trip(codec, pd.Series(given_))
    missing = np.isnan(given_)
    assert np.array_equal(np.isnan(back), missing)
    is_atom = np.isin(given_, codec.atoms)
    assert np.array_equal(back[is_atom], given_[is_atom])
    low, high = codec.limits
    present, back = given_[~missing], back[~missing]
    if len(present):
        assert (low, high) == (present.min(), present.max())
        assert ((back >= low) & (back <= high)).all()
        # in halves and quarters, because the range itself may be beyond float64
        error = np.abs(back / 4 - present / 4)
        # 5e-324 is what rounding of the smallest numbers leaves
        assert (error <= 3e-6 * (high / 4 - low / 4) + 5e-324).all()


@few
@given(COLUMNS, CONFIGS)
def test_counts_are_of_the_codes(values: list[float], config: ModelConfig) -> None:
    codec = _numerical(values, config)
    codes, _ = codec.encode(pd.Series(values))
    assert np.bincount(codes, minlength=codec.column.num_codes).sum() == len(values)
    assert sum(codec.column.counts) == len(values)
    assert all(count > 0 for count in codec.column.counts)


@few
@given(COLUMNS, CONFIGS, st.lists(NUMBERS, min_size=1, max_size=20))
def test_any_number_becomes_one_in_the_training_range(
    values: list[float], config: ModelConfig, others: list[float]
) -> None:
    codec = _numerical(values, config)
    low, high = codec.limits
    if math.isnan(low):
        with pytest.raises(ValueError, match='nothing but missing values'):
            codec.encode(pd.Series(others))
        return
    back = _round_trip(codec, pd.Series(others))
    assert ((back >= low) & (back <= high)).all()


@few
@given(COLUMNS, CONFIGS)
def test_training_numbers_have_a_likelihood(values: list[float], config: ModelConfig) -> None:
    codec = _numerical(values, config)
    volumes = codec.log_volume(pd.Series(values))
    assert np.isfinite(volumes).all()
    if not math.isnan(codec.limits[0]) and codec.limits[1] < 1e308:
        assert codec.log_volume(pd.Series([np.nextafter(codec.limits[1], np.inf)]))[0] == -np.inf


def _holds(codec: NumericalCodec, restriction: Restriction, value: float) -> bool:
    """Whether the code and the residual of a value are in the pieces of a restriction."""
    pieces = codec.restrict(restriction)
    (code,), (residual,) = codec.encode(pd.Series([value], dtype=float))
    # places, and so residuals, are known up to rounding
    above, below = pieces.low <= residual + 1e-9, residual - 1e-9 <= pieces.high
    return bool(((pieces.codes == code) & above & below).any())


@few
@given(COLUMNS, CONFIGS, st.data())
def test_an_interval_holds_what_lies_in_it(
    values: list[float], config: ModelConfig, data: st.DataObject
) -> None:
    codec = _numerical(values, config)
    numbers = [value for value in values if not math.isnan(value)]
    if not numbers:
        return
    low, high = sorted(data.draw(st.tuples(*[st.sampled_from(numbers)] * 2)))
    for interval in (Interval(low, high), Interval(None, high), Interval(low, None), Interval()):
        pieces = codec.restrict(interval)
        assert len(set(pieces.codes.tolist())) == len(pieces.codes)
        assert codec.column.missing not in pieces.codes.tolist()
        assert not np.isnan([pieces.low, pieces.high]).any()
        assert (pieces.low <= pieces.high).all()
        assert (pieces.share == 1).all()
        least = -math.inf if interval.low is None else interval.low
        most = math.inf if interval.high is None else interval.high
        for number in numbers:
            if least <= number <= most:
                assert _holds(codec, interval, number)
        for code in pieces.codes[pieces.codes < len(codec.atoms)]:
            assert least <= codec.atoms[code] <= most
        ends = np.concatenate([pieces.low, pieces.high]).clip(-20, 20)
        back = codec.decode(np.tile(pieces.codes, 2), ends, np.zeros(len(ends)))
        kept = codec.enforce(back, interval, np.zeros(len(ends)))
        assert ((kept >= least) & (kept <= most)).all()
        slack = 1e-9 * (codec.limits[1] / 2 - codec.limits[0] / 2) + 5e-324
        assert (np.abs(kept / 2 - back / 2) <= slack).all()


@few
@given(COLUMNS, CONFIGS, st.data())
def test_a_set_holds_its_members_and_no_other_atom(
    values: list[float], config: ModelConfig, data: st.DataObject
) -> None:
    codec = _numerical(values, config)
    members = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=5))
    pieces = codec.restrict(Members(tuple(members)))
    asked = {value for value in members if not math.isnan(value)}
    atoms = codec.atoms[pieces.codes[pieces.codes < len(codec.atoms)]].tolist()
    assert sorted(atoms) == sorted(value for value in asked if value in codec.atoms)
    assert (codec.column.missing in pieces.codes.tolist()) == any(map(math.isnan, members))
    for value in asked:
        assert _holds(codec, Members(tuple(members)), value)
    drawn = codec.enforce(
        _round_trip(codec, pd.Series(values)), Members(tuple(members)), np.zeros(len(values))
    )
    if asked:
        assert set(drawn[~np.isnan(drawn)]) <= asked


@few
@given(COLUMNS, CONFIGS)
def test_not_missing_holds_all_but_missing(values: list[float], config: ModelConfig) -> None:
    codec = _numerical(values, config)
    if math.isnan(codec.limits[0]):
        with pytest.raises(ValueError, match='nothing but missing values'):
            codec.restrict(NotMissing())
        return
    codes = set(codec.restrict(NotMissing()).codes.tolist())
    assert codes == set(range(codec.column.num_codes)) - {codec.column.missing}


@few
@given(COLUMNS, CONFIGS)
def test_a_numerical_codec_comes_back_from_its_state(
    values: list[float], config: ModelConfig
) -> None:
    codec = _numerical(values, config)
    loaded = NumericalCodec.from_state(codec.to_state())
    assert loaded.column == codec.column
    column = pd.Series(values)
    for one, other in zip(loaded.encode(column), codec.encode(column), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(_round_trip(loaded, column), _round_trip(codec, column), equal_nan=True)


@few
@given(COLUMNS, CONFIGS, st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_quantiles_lie_in_the_range_and_are_in_order(
    values: list[float], config: ModelConfig, shares: list[float]
) -> None:
    codec = _numerical(values, config)
    counts = np.array(codec.column.counts, dtype=float)
    present = counts[: len(counts) - (codec.column.missing is not None)]
    if not len(present):
        return
    masses = np.tile(present / present.sum(), (2, 1))
    found = codec.quantiles(masses, np.sort(shares), MEDIANS)
    low, high = codec.limits
    assert found.shape == (2, len(shares))
    assert np.array_equal(found[0], found[1])
    assert ((found >= low) & (found <= high)).all()
    assert (np.diff(found[0]) >= 0).all()


# Categories


def _plain(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return value.item() if isinstance(value, np.generic) else value


def _same(given_: Any, level: Hashable) -> bool:
    """Equal, and a truth value is not a number."""
    if is_missing(given_) or is_missing(level):
        return is_missing(given_) and level is None
    plain = _plain(given_)
    return bool(plain == level) and isinstance(plain, bool) == isinstance(level, bool)


@few
@given(st.lists(HASHABLES, min_size=1, max_size=30))
def test_levels_come_back(values: list[Any]) -> None:
    column = _objects(values)
    codec = CategoricalCodec.fit('x', column, ModelConfig())
    back = _round_trip(codec, column).tolist()
    assert all(map(_same, values, back))
    assert list(codec.column.counts) == sorted(codec.column.counts, reverse=True)
    assert sum(codec.column.counts) == len(values)
    assert (codec.column.missing is not None) == any(map(is_missing, values))
    assert not codec.needs_uniforms
    assert not codec.log_volume(column).any()


@few
@given(st.lists(HASHABLES, min_size=1, max_size=30), st.floats(0, 1, exclude_max=True))
def test_levels_that_share_a_code_become_one_that_does(values: list[Any], uniform: float) -> None:
    column = _objects(values)
    codec = CategoricalCodec.fit('x', column, ModelConfig(max_categories=3))
    codes, residuals = codec.encode(column)
    drawn = codec.decode(codes, residuals, np.full(len(codes), uniform))
    again, _ = codec.encode(_objects(drawn.tolist()))
    assert np.array_equal(codes, again)
    assert np.array_equal(np.bincount(codes), codec.column.counts)
    exact = codes < codec.column.num_codes - codec.needs_uniforms
    assert all(_same(values[row], drawn[row]) for row in np.flatnonzero(exact))
    probabilities = codec.level_probabilities(np.eye(codec.column.num_codes))
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(codec.column.num_codes))


@few
@given(st.lists(HASHABLES, min_size=1, max_size=30), CONFIGS, st.data())
def test_a_set_of_levels_is_what_is_drawn(
    values: list[Any], config: ModelConfig, data: st.DataObject
) -> None:
    codec = CategoricalCodec.fit('x', _objects(values), config)
    members = Members(tuple(data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))))
    pieces = codec.restrict(members)
    assert ((pieces.share > 0) & (pieces.share <= 1 + 1e-12)).all()
    uniforms = np.linspace(0, 0.999, 7)
    for code in pieces.codes.tolist():
        drawn = codec.decode(np.full(7, code), np.zeros(7), uniforms)
        kept = codec.enforce(drawn, members, uniforms)
        assert all(any(_same(member, level) for member in members.values) for level in kept)


@few
@given(st.lists(HASHABLES, min_size=1, max_size=30), HASHABLES)
def test_an_unseen_level_is_refused(values: list[Any], other: Any) -> None:
    codec = CategoricalCodec.fit('x', _objects(values), ModelConfig())
    seen = any(_same(other, level) for level in codec.levels)
    # a truth value stands for the number that equals it, and the other way round
    seen |= isinstance(other, (bool, np.bool_)) and int(other) in codec.levels
    seen |= any(isinstance(level, bool) and level == _plain(other) for level in codec.levels)
    if seen:
        return
    with pytest.raises(ValueError, match="Column 'x' has values that the model has never seen"):
        codec.encode(_objects([other]))


@few
@given(st.lists(HASHABLES, min_size=1, max_size=30), CONFIGS)
def test_a_categorical_codec_comes_back_from_its_state(
    values: list[Any], config: ModelConfig
) -> None:
    column = _objects(values)
    codec = CategoricalCodec.fit('x', column, config)
    loaded = CategoricalCodec.from_state(codec.to_state())
    assert loaded.column == codec.column
    assert loaded.levels == codec.levels
    assert np.array_equal(loaded.encode(column)[0], codec.encode(column)[0])


def test_a_value_never_seen_counts_as_one_row_more() -> None:
    levels = CategoricalCodec.fit('x', pd.Series(['a', 'b', None]), ModelConfig())
    atoms = NumericalCodec.fit('x', pd.Series([1.0, 2.0, 2.0]), ModelConfig())
    bins = NumericalCodec.fit('x', pd.Series([0.0, 1.0, 5.0]), ModelConfig(max_atoms=0))
    huge = NumericalCodec.fit('x', pd.Series([-1e308, 0.5, 1.7e308]), ModelConfig(max_atoms=0))

    assert levels.log_unseen == pytest.approx(-math.log(4))
    assert atoms.log_unseen == pytest.approx(-math.log(4))
    assert bins.log_unseen == pytest.approx(-math.log(4) - math.log(5))
    assert math.isfinite(huge.log_unseen)
