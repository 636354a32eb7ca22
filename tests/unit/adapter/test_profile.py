"""What training saw of a column, and rows checked against restrictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.profile import ColumnProfile
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

from .conftest import profile_of

NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.none())
ENDS = st.one_of(st.integers(-5, 5), st.none())
INTERVALS = (
    st.tuples(ENDS, ENDS)
    .filter(lambda ends: None in ends or ends[0] <= ends[1])
    .map(lambda ends: Interval(*ends))
)
RESTRICTIONS = st.one_of(
    st.none(),
    INTERVALS,
    st.just(NotMissing()),
    st.lists(NUMBERS, min_size=1).map(lambda values: Members(tuple(values))),
)


def is_met(value: float | None, restriction: Restriction | None) -> bool:
    if restriction is None:
        return True
    if isinstance(restriction, Members):
        return value in restriction.values
    if value is None or isinstance(restriction, NotMissing):
        return value is not None
    low = -np.inf if restriction.low is None else restriction.low
    high = np.inf if restriction.high is None else restriction.high
    return bool(low <= value <= high)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(NUMBERS, RESTRICTIONS)))
def test_rows_are_checked_each_against_its_own(
    rows: list[tuple[float | None, Restriction | None]],
) -> None:
    profile = profile_of(pd.Series([-5.0, 5.0, np.nan]), 'numerical')
    values = pd.Series([value for value, _ in rows], dtype='float64')

    found = which_meet(profile, values, [restriction for _, restriction in rows])
    assert found.tolist() == [is_met(*row) for row in rows]


def test_levels_are_told_apart_by_type_and_missing_is_a_member() -> None:
    profile = profile_of(pd.Series([True, 1, 'x', None], dtype=object), 'categorical')
    values = pd.Series([True, 1, 'x', None], dtype=object)

    assert which_meet(profile, values, [Members((1,))] * 4).tolist() == [False, True, False, False]
    assert which_meet(profile, values, [Members((True, None))] * 4).tolist() == [
        True,
        False,
        False,
        True,
    ]


def test_the_effort_does_not_grow_with_different_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Different ranges are one comparison, where one for each of ten thousand took minutes."""
    profile = profile_of(pd.Series([0.0, 1.0]), 'numerical')
    values = pd.Series(np.linspace(0, 1, 10_000))
    different = [Interval(float(low), None) for low in values]
    compared: list[int] = []
    original = ColumnProfile.comparable

    def comparable(self: ColumnProfile, values: pd.Series) -> pd.Series:
        compared.append(len(values))
        return original(self, values)

    monkeypatch.setattr(ColumnProfile, 'comparable', comparable)
    assert which_meet(profile, values, different).all()
    assert compared == [10_000]


@pytest.mark.parametrize(
    ('values', 'sdtype', 'date_format'),
    [
        (pd.Series([1, 2]), 'numerical', None),
        (pd.Series([1.25, np.nan]), 'numerical', None),
        (pd.Series(['x', None, True, 1], dtype=object), 'categorical', None),
        (pd.Series(['01.02.2020'], dtype=object), 'datetime', '%d.%m.%Y'),
        (pd.Series([np.nan, np.nan]), 'numerical', None),
    ],
)
def test_the_state_is_read_back(values: pd.Series, sdtype: str, date_format: str | None) -> None:
    profile = profile_of(values, sdtype, date_format)

    loaded = ColumnProfile.from_state(profile.to_state(), profile.column)
    assert repr(loaded) == repr(profile)


def test_allowed_values_in_words() -> None:
    assert profile_of(pd.Series([3, 9]), 'numerical').allowed_text == (
        'whole numbers (training had 3 to 9)'
    )
    assert profile_of(pd.Series([0.5, np.nan]), 'numerical').allowed_text == (
        'finite numbers (training had 0.5 to 0.5), or missing (None)'
    )
    levels = pd.Series([f'l{number}' for number in range(12)], dtype=object)
    assert profile_of(levels, 'categorical').allowed_text.endswith("'l7' and 2 more")


def test_numbers_and_dates_go_both_ways() -> None:
    days = pd.Series(pd.to_datetime(['2020-01-01', '2020-03-05', None]))
    text = pd.Series(['01/01/2020', '05/03/2020'], dtype=object)
    numbers = pd.Series([1.25, 3.5])
    whole = pd.Series([1, 5])
    for values, sdtype, date_format in (
        (days, 'datetime', None),
        (text, 'datetime', '%d/%m/%Y'),
        (numbers, 'numerical', None),
        (whole, 'numerical', None),
    ):
        profile = profile_of(values, sdtype, date_format)
        plain = profile.column.plain(values)
        found = profile.plain_of(profile.comparable(plain).to_numpy())
        pd.testing.assert_series_equal(profile.typed(found, plain.index), plain, check_names=False)


def test_numbers_and_dates_are_rounded_as_in_training() -> None:
    days = profile_of(pd.Series(pd.to_datetime(['2020-01-01', '2020-03-05'])), 'datetime')
    noon = pd.Timestamp('2020-02-02 13:00:00').value
    assert days.date_unit == 86_400e9
    assert days.rounded(np.array([float(noon)])) == pd.Timestamp('2020-02-03').value
    numbers = profile_of(pd.Series([1.25, 3.5]), 'numerical')
    assert numbers.rounded(np.array([2.0 / 3])) == 0.67


def test_ranges_of_dates_are_in_the_zone_of_the_column() -> None:
    dates = pd.Series(pd.date_range('2020-01-01', periods=3, tz='Asia/Kathmandu'))

    assert profile_of(dates, 'datetime').range_text == f'{dates.iloc[0]} to {dates.iloc[2]}'
    assert profile_of(dates, 'datetime').range_text.startswith('2020-01-01 00:00:00+05:45')


def test_ranges_of_dates_are_in_the_format_of_the_column() -> None:
    days = pd.Series([20200101, 20200102])
    hours = pd.Series(pd.to_datetime(['2020-01-01 06:00', '2020-01-02 18:00']))

    assert profile_of(days, 'datetime', '%Y%m%d').range_text == '20200101 to 20200102'
    # A format that loses something says less than the date.
    assert profile_of(hours, 'datetime', '%Y%m%d').range_text == f'{hours[0]} to {hours[1]}'


def test_the_nearest_end_of_the_range_stands_for_what_is_beyond() -> None:
    whole = pd.Series([3, 9])
    found = profile_of(whole, 'numerical').nearest(pd.Series([1, 5, 2**40]))
    assert found.tolist() == [3, 5, 9]
    assert found.dtype == whole.dtype
    dates = pd.Series(pd.to_datetime(['2020-01-01', '2020-12-31', None]))
    far = pd.Series(pd.to_datetime(['1999-01-01', '2020-05-05', None]))
    expected = pd.Series(pd.to_datetime(['2020-01-01', '2020-05-05', None]))
    pd.testing.assert_series_equal(profile_of(dates, 'datetime').nearest(far), expected)


def test_limits_are_those_of_the_dtype() -> None:
    for dtype in ('uint8', 'UInt8', 'uint8[pyarrow]'):
        assert profile_of(pd.Series([3, 9], dtype=dtype), 'numerical').limits_of_dtype == (0, 255)
    assert profile_of(pd.Series([3.0, 9]), 'numerical').limits_of_dtype == (-np.inf, np.inf)


def test_whole_numbers_that_a_dtype_cannot_hold_stay_numbers() -> None:
    profile = profile_of(pd.Series([3, 9], dtype='uint8'), 'numerical')
    assert profile.typed([1.5, 2], pd.RangeIndex(2)).tolist() == [1.5, 2.0]
    assert profile.typed([300, 2], pd.RangeIndex(2)).tolist() == [300, 2]
