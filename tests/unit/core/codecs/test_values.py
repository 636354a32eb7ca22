"""Numbers are read from every dtype; distinct values are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.values import LevelIndex, as_floats, is_number


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
        as_floats(pd.Series([1, 'one', None], name='x'))


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
        as_floats(pd.Series(values, name='x'))


def test_infinite_numbers_are_an_error_that_says_where() -> None:
    with pytest.raises(ValueError, match="Column 'x' has 2 infinite values .first at row 1"):
        as_floats(pd.Series([1.0, np.inf, -np.inf], name='x'))


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'uint64', 'Float32', 'int64[pyarrow]'])
def test_narrow_and_wide_dtypes_keep_their_values(dtype: str) -> None:
    values = pd.Series([1, 2, 65_504]).astype(dtype)
    assert as_floats(values).tolist() == [1.0, 2.0, 65_504.0]


def test_a_number_beyond_float64_is_no_number() -> None:
    assert not is_number(10**400)
    assert is_number(10**300)


# Distinct values


def _objects(*values: Any) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def test_truth_values_are_not_numbers() -> None:
    index, numbers = LevelIndex.of(_objects(1, True, 0, 1.0, False, np.bool_(True), None))
    assert [index.levels[number] for number in numbers] == [1, True, 0, 1, False, True, None]
    assert [type(level) for level in index.levels] == [int, int, type(None), bool, bool]
    assert index.numbers(_objects(False, 0)).tolist() == [4, 1]


def test_a_truth_value_stands_for_its_number_where_it_is_no_level() -> None:
    index, _ = LevelIndex.of(_objects(True, 'a'))
    assert index.numbers(_objects(1, 1.0, 0)).tolist() == [0, 0, -1]


def test_text_is_compared_beyond_a_nul() -> None:
    index, numbers = LevelIndex.of(_objects('a', 'a\0', 'a\0b', 'a'))
    assert numbers.tolist() == [0, 1, 2, 0]
    assert index.levels == ['a', 'a\0', 'a\0b']


def test_all_ways_to_be_missing_are_one_value() -> None:
    index, numbers = LevelIndex.of(_objects(None, np.nan, pd.NA, pd.NaT, 'nan'))
    assert numbers.tolist() == [0, 0, 0, 0, 1]
    assert index.levels == [None, 'nan']


def test_numpy_times_become_those_of_pandas() -> None:
    times = _objects(np.datetime64('2020-01-01', 'ns'), np.timedelta64(1, 'h'))
    assert LevelIndex.of(times)[0].levels == [pd.Timestamp('2020-01-01'), pd.Timedelta('1h')]


def test_no_values_have_no_positions() -> None:
    index = LevelIndex(['a'])
    assert index.numbers(_objects()).tolist() == []
