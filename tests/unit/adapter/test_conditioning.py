"""Conditions read for one column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_tabdar.adapter.conditioning import plain_cells, plain_value, read_restrictions
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing

from .conftest import profile_of


@settings(max_examples=80, deadline=None)
@given(
    ends=st.tuples(st.integers(0, 200), st.integers(0, 200)).map(sorted),
    decimals=st.integers(0, 2),
    scale=st.sampled_from([1, 3, 10]),
)
def test_a_range_admits_the_rounded_numbers_inside(
    ends: list[int], decimals: int, scale: int
) -> None:
    """Whatever rounds to a number of the column in the range, and nothing else."""
    unit = 10.0**-decimals
    column = pd.Series(np.round(np.arange(0, 201) * unit, decimals))
    profile = profile_of(column.astype('int64') if not decimals else column, 'numerical')
    low, high = (end * unit / scale for end in ends)
    inside = column[(column >= low - 1e-9) & (column <= high + 1e-9)]
    if not len(inside):
        with pytest.raises(ValueError, match='multiples of'):
            read_restrictions(profile, [Between(low, high)])
        return

    (restriction,) = read_restrictions(profile, [Between(low, high)])

    assert isinstance(restriction, Interval)
    assert profile.meets(column, [restriction] * len(column)).sum() == len(inside)
    between = np.random.default_rng(0).uniform(restriction.low, restriction.high, 50)
    rounded = between.round(decimals)
    assert rounded.min() >= inside.min() - 1e-9
    assert rounded.max() <= inside.max() + 1e-9


def test_each_condition_becomes_a_restriction_of_the_core() -> None:
    numbers = profile_of(pd.Series([1.0, 2.0, np.nan]), 'numerical')
    dates = profile_of(pd.Series(['01.02.2020', '09.02.2020']), 'datetime', '%d.%m.%Y')
    levels = profile_of(pd.Series([1, 2, 5]), 'categorical')

    assert read_restrictions(numbers, [NotNull(), OneOf([2, None])]) == [
        NotMissing(),
        Members((2.0, None)),
    ]
    start = pd.Timestamp('2020-02-03').value
    assert read_restrictions(dates, [Between('03.02.2020', None), OneOf(['03.02.2020'])]) == [
        Interval(float(start), None),
        Members((float(start),)),
    ]
    assert read_restrictions(levels, [Between(2, 9)]) == [Members((2, 5))]


def test_messages_of_the_model_show_what_was_asked() -> None:
    profile = profile_of(pd.Series([0.1, 0.9]), 'numerical')

    (restriction,) = read_restrictions(profile, [Between(0.3, 0.6)])
    assert str(restriction) == 'Between(low=0.3, high=0.6)'
    assert 'Interval(low=0.2' in repr(restriction)


def test_cells_are_values_or_restrictions() -> None:
    profile = profile_of(pd.Series([1, 2, 3]), 'numerical')

    values, restrictions = plain_cells(profile, [np.int8(2), Between(1, 2), 3.0])
    assert values == [2, None, 3]
    assert [entry is None for entry in restrictions] == [True, False, True]


@pytest.mark.parametrize(
    ('value', 'message'),
    [
        ([1], r"'x' cannot be \[1\], because the column is numerical"),
        (9, "'x' cannot be 9, because it lies outside .* Allowed: whole numbers from 1 to 3"),
        (None, "'x' cannot be None, because the training data had no missing value"),
    ],
)
def test_values_that_can_never_be_met_are_refused(value: object, message: str) -> None:
    profile = profile_of(pd.Series([1, 2, 3], name='x'), 'numerical')

    with pytest.raises(ValueError, match=message):
        plain_value(profile, value)
