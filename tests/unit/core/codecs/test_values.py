"""Numbers are read from every dtype; distinct values are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.values import as_floats


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
