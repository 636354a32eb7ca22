"""Between, OneOf and NotNull by themselves."""

from __future__ import annotations

import datetime
import decimal
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar.conditions import Between, NotNull, OneOf


def test_equal_hash_repr_and_pickle() -> None:
    values = [Between(1, 2), Between(low=3), OneOf(['a', 'b']), NotNull()]

    assert len({*values, Between(1, 2), Between(3), OneOf(['a', 'b', 'a']), NotNull()}) == 4
    assert [repr(value) for value in values] == [
        'Between(low=1, high=2)',
        'Between(low=3, high=None)',
        "OneOf(['a', 'b'])",
        'NotNull()',
    ]
    assert pickle.loads(pickle.dumps(values)) == values


def test_one_of_keeps_order_types_and_missing() -> None:
    values = OneOf([np.int64(2), 'x', True, 1, float('nan'), None, 2.0]).values

    assert values == (2, 'x', True, 1, None)
    assert [type(value) for value in values] == [int, str, bool, int, type(None)]


@pytest.mark.parametrize(
    'low',
    [
        0,
        0.5,
        np.float32(1),
        decimal.Decimal('0.1'),
        datetime.date(2020, 1, 1),
        pd.Timestamp('2020-01-01', tz='UTC'),
        np.datetime64('2020-01-01'),
        '2020-01-01',
    ],
)
def test_between_takes_numbers_and_dates(low: Any) -> None:
    assert Between(low, low) == Between(low=low, high=low)


@pytest.mark.parametrize(
    ('make', 'error', 'message'),
    [
        (lambda: Between(), ValueError, r'Between\(None, None\) restricts nothing'),
        (lambda: Between(2, 1), ValueError, r'low=2, high=1\) is empty'),
        (
            lambda: Between(datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)),
            ValueError,
            'is empty',
        ),
        (lambda: Between(float('nan'), 1), ValueError, 'An end of .* is missing'),
        (lambda: Between(pd.NaT), ValueError, 'An end of .* is missing'),
        (lambda: Between(True, 3), TypeError, 'must be numbers or dates .* True'),
        (lambda: Between([1], 3), TypeError, r'must be numbers or dates .* \[1\]'),
        (lambda: Between(1, '2020-01-01'), TypeError, 'Both ends of Between must be numbers'),
        (
            lambda: Between(pd.Timestamp('2020'), pd.Timestamp('2021', tz='UTC')),
            TypeError,
            'must have a time zone or neither',
        ),
        (lambda: OneOf([]), ValueError, 'at least one value'),
        (lambda: OneOf('abc'), TypeError, 'needs a list of values'),
        (lambda: OneOf(5), TypeError, 'needs a list of values'),
        (lambda: OneOf([Between(1)]), TypeError, 'plain values'),
        (lambda: OneOf([['a']]), TypeError, 'plain values'),
    ],
)
def test_what_restricts_nothing_or_everything_is_refused(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_they_are_values_to_sdv_and_pandas() -> None:
    condition = Condition({'x': Between(1, 2), 'y': OneOf([1, 2])}, num_rows=2)
    frame = pd.DataFrame(condition.get_column_values(), index=range(2))

    assert list(frame['y']) == [OneOf([1, 2])] * 2
    assert frame.notna().all(axis=None)
