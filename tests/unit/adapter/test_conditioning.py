"""Conditions read for one column."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_tabdar.adapter.cells import read_cells
from sdv_tabdar.adapter.conditioning import (
    CellRefusedError,
    plain_value,
    plain_values,
    read_restrictions,
)
from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.profile import ColumnProfile
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
    inside = column[(column >= low) & (column <= high)]
    if not len(inside):
        with pytest.raises(ValueError, match='multiples of'):
            read_restrictions(profile, [Between(low, high)])
        return

    (restriction,) = read_restrictions(profile, [Between(low, high)])

    assert isinstance(restriction, Interval)
    assert which_meet(profile, column, [restriction] * len(column)).sum() == len(inside)
    between = np.random.default_rng(0).uniform(restriction.low, restriction.high, 50)
    rounded = between.round(decimals)
    assert rounded.min() >= inside.min() - 1e-9
    assert rounded.max() <= inside.max() + 1e-9


def test_a_range_of_short_floats_ends_with_the_numbers_that_they_are_written_as() -> None:
    cells = pd.Series([0.13, 0.14, 0.87], dtype='float32')
    profile = profile_of(cells, 'numerical')

    (restriction,) = read_restrictions(profile, [Between(cells[0], cells[1])])

    met = which_meet(profile, profile.column.plain(cells), [restriction] * 3)
    assert met.tolist() == [True, True, False]


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


@pytest.mark.parametrize(
    ('value', 'message'),
    [
        (
            '3',
            r"'x' cannot be '3', because the column is numerical. Allowed: whole numbers",
        ),
        (1 + 2j, r"'x' cannot be \(1\+2j\), because the column is numerical"),
        ('9' * 500, r"'x' cannot be '9{199}... \(502 characters\), because the"),
        (2.5, "'x' cannot be 2.5, because the column holds whole numbers"),
        (300, "'x' cannot be 300, because uint8 cannot hold it"),
        (decimal.Decimal('3e18') + decimal.Decimal('.5'), 'because the column holds whole numbers'),
    ],
)
def test_what_is_no_value_of_the_column_is_refused(value: object, message: str) -> None:
    profile = profile_of(pd.Series([1, 2, 3], name='x', dtype='uint8'), 'numerical')

    with pytest.raises(CellRefusedError, match=message):
        plain_value(profile, value)


def test_values_that_training_has_not_seen_are_values() -> None:
    whole = profile_of(pd.Series([1, 2, 3]), 'numerical')
    assert plain_value(whole, np.int8(9)) == 9
    assert plain_value(whole, 2.5, fits_dtype=False) == 2.5
    assert plain_value(profile_of(pd.Series(['a']), 'categorical'), 'z') == 'z'
    assert plain_value(profile_of(pd.Series([True]), 'boolean'), False) is False
    with pytest.raises(CellRefusedError, match='the column is boolean'):
        plain_value(profile_of(pd.Series([True]), 'boolean'), 'yes')
    with pytest.raises(CellRefusedError, match='the column is boolean'):
        plain_value(profile_of(pd.Series([True]), 'categorical'), 2)


@pytest.mark.parametrize(
    ('wanted', 'message'),
    [
        (OneOf([1, None]), 'cannot be None, because the training data had no missing value'),
        (OneOf([1, 9]), 'cannot be 9, because it lies outside the range'),
        (Between(8, 9), r'cannot be Between\(low=8, high=9\), because it lies outside the range'),
    ],
)
def test_ranges_and_sets_are_of_what_training_has_seen(wanted: Any, message: str) -> None:
    profile = profile_of(pd.Series([1, 2, 3], name='x'), 'numerical')

    with pytest.raises(CellRefusedError, match=message):
        read_restrictions(profile, [wanted])


@pytest.mark.parametrize('text', ['03/04/2020', '3 Apr 2020', '20200403', '2020-04-03T12:00+02:00'])
def test_text_that_is_no_clear_date_of_the_column_is_refused(text: str) -> None:
    profile = profile_of(pd.Series(pd.to_datetime(['2020-01-01', '2020-12-31'])), 'datetime')

    assert plain_value(profile, '2020-04-03T12:00') == pd.Timestamp('2020-04-03 12:00')
    with pytest.raises(CellRefusedError, match=f'{text[:8]}'):
        plain_value(profile, text)


DAYS = pd.Series(pd.date_range('2020-01-01', periods=9))
STEPS = {
    'datetime64[us]': (DAYS.astype('datetime64[us]'), 1_000, 'microseconds'),
    'in a zone': (DAYS.astype('datetime64[ms]').dt.tz_localize('UTC'), 10**6, 'milliseconds'),
    'arrow': (DAYS.astype('timestamp[s][pyarrow]'), 10**9, 'seconds'),
    'date': (DAYS.dt.date.astype(object), 86_400 * 10**9, 'days'),
    'period[us]': (DAYS.dt.to_period('us'), 1_000, 'microseconds'),
    'period[min]': (DAYS.dt.to_period('min'), 60 * 10**9, 'minutes'),
    'period[D]': (DAYS.dt.to_period('D'), 86_400 * 10**9, 'days'),
}


@pytest.mark.parametrize(('column', 'step', 'name'), STEPS.values(), ids=STEPS)
def test_dates_between_those_that_the_column_can_hold_are_refused(
    column: pd.Series, step: int, name: str
) -> None:
    profile = profile_of(column, 'datetime')
    date = pd.Timestamp('2020-01-02')
    beside = date + pd.Timedelta(1, 'ns')

    for read in (
        lambda: plain_value(profile, beside),
        lambda: read_cells(profile, pd.Series([beside]), conditions=True),
        lambda: read_restrictions(profile, [OneOf([date, beside])]),
        lambda: read_restrictions(profile, [Between(beside, beside)]),
    ):
        with pytest.raises(CellRefusedError, match=f'the column holds whole {name}'):
            read()
    assert pd.Timestamp(plain_value(profile, date)) == date


@pytest.mark.parametrize(('column', 'step', 'name'), STEPS.values(), ids=STEPS)
def test_ranges_end_at_dates_that_the_column_can_hold(
    column: pd.Series, step: int, name: str
) -> None:
    profile = profile_of(column, 'datetime')
    low, high = pd.Timestamp('2020-01-02'), pd.Timestamp('2020-01-05')
    one = pd.Timedelta(1, 'ns')

    (restriction,) = read_restrictions(profile, [Between(low - one, high + one)])
    (narrower,) = read_restrictions(profile, [Between(low + one, high - one)])

    assert (restriction.low, restriction.high) == (low.value, high.value)
    assert narrower.low == float(low.value + step)
    assert narrower.high == float(high.value - step)


WITHIN = {
    'text': (DAYS.dt.strftime('%d.%m.%Y').astype(object), '%d.%m.%Y'),
    'string': (DAYS.dt.strftime('%Y%m%d').astype('string'), '%Y%m%d'),
    'ns': (DAYS, None),
    'in a zone': (DAYS.dt.tz_localize('Asia/Tokyo'), None),
    'period': (DAYS.dt.to_period('D'), None),
}


@pytest.mark.parametrize(('column', 'text_format'), WITHIN.values(), ids=WITHIN)
def test_ranges_may_end_within_days(column: pd.Series, text_format: str | None) -> None:
    profile = profile_of(column, 'datetime', text_format)
    plain = profile.column.plain(column)
    noon = Between(pd.Timestamp('2020-01-02 12:00'), pd.Timestamp('2020-01-05 12:00'))
    days = Between(pd.Period('2020-01-03', 'D'), pd.Period('2020-01-05', 'D'))
    assert days.high == pd.Timestamp('2020-01-05 23:59:59.999999999')
    for asked in (noon, days):
        (restriction,) = read_restrictions(profile, [asked])
        met = which_meet(profile, plain, [restriction] * len(plain))
        assert np.flatnonzero(met).tolist() == [2, 3, 4]


def test_periods_are_compared_by_their_ends() -> None:
    assert Between(pd.Period('2020-02'), pd.Period('2020')).low == pd.Timestamp('2020-02-01')
    with pytest.raises(ValueError, match='is empty: low must be at most high'):
        Between(pd.Period('2021-01'), pd.Period('2020-12'))


@pytest.mark.parametrize('date', ['2020-02-02', pd.Timestamp('2020-02-01 00:00:00.000000001')])
def test_dates_within_a_month_are_no_months(date: Any) -> None:
    profile = profile_of(DAYS.dt.to_period('M'), 'datetime')

    for first in (pd.Timestamp('2020-02-01'), pd.Period('2020-02', 'M'), '2020-02'):
        assert plain_value(profile, first) == pd.Timestamp('2020-02-01')
    for read in (
        lambda: plain_value(profile, date),
        lambda: read_cells(profile, pd.Series([pd.Timestamp(date)]), conditions=True),
    ):
        with pytest.raises(CellRefusedError, match=r'periods \(period\[M\]\), each of which'):
            read()


TEXTS = DAYS.dt.strftime('%Y-%m-%d %H:%M:%S.%f')
FORMAT = '%Y-%m-%d %H:%M:%S.%f'
WRITTEN = {
    'text': profile_of(TEXTS.astype(object), 'datetime', FORMAT),
    'string': profile_of(TEXTS.astype('string'), 'datetime', FORMAT),
    'with a zone': profile_of((TEXTS + '+0000').astype(object), 'datetime', f'{FORMAT}%z'),
    'number': profile_of(DAYS.dt.strftime('%Y%m%d').astype(int), 'datetime', '%Y%m%d'),
}


@pytest.mark.parametrize('profile', WRITTEN.values(), ids=WRITTEN)
def test_dates_that_the_format_would_cut_are_refused(profile: ColumnProfile) -> None:
    zone = 'UTC' if profile.column.dates.has_zone else None
    date = pd.Timestamp('2020-01-02', tz=zone)
    assert profile.column.dates.counts(pd.Series([plain_value(profile, date)])) == [date.value]
    beside = date + pd.Timedelta(1, 'ns')
    text = '2020-01-02 00:00:00.000000001' + ('+0000' if zone else '')
    for wrong in [beside, *([] if profile.dtype == int else [text])]:
        for read in (
            lambda wrong=wrong: plain_value(profile, wrong),
            lambda wrong=wrong: plain_values(profile, [wrong] * 3),
            lambda wrong=wrong: read_restrictions(profile, [OneOf([wrong])]),
        ):
            with pytest.raises(CellRefusedError, match='the column holds dates in the format'):
                read()


@pytest.mark.parametrize('wrong', [99999999, 5, 2.5, 20200231, True, float('inf')])
@pytest.mark.parametrize('dtype', ['int64', 'Int64'])
def test_numbers_that_are_no_dates_are_refused(dtype: str, wrong: float) -> None:
    days = DAYS.dt.strftime('%Y%m%d').astype(dtype)
    if dtype == 'Int64':
        days = pd.concat([days, pd.Series([pd.NA], dtype=dtype)], ignore_index=True)
    profile = profile_of(days, 'datetime', '%Y%m%d')
    assert plain_value(profile, int(days[0])) == days[0]
    with pytest.raises(CellRefusedError, match="the column holds dates in the format '%Y%m%d'"):
        plain_value(profile, wrong)


@pytest.mark.parametrize(
    ('categories', 'sdtype', 'other'),
    [
        (pd.to_datetime(['2020-01-01', '2020-01-02', '2020-01-04']), 'datetime', '2020-01-03'),
        (
            pd.to_datetime(['2020-01-01', '2020-01-04']).tz_localize('Europe/Berlin'),
            'datetime',
            pd.Timestamp('2020-01-03', tz='Europe/Berlin'),
        ),
        ([1, 2, 4], 'numerical', 3),
        ([decimal.Decimal('0.1'), decimal.Decimal('0.7')], 'numerical', decimal.Decimal('0.2')),
    ],
)
def test_a_set_holds_categories_of_the_column(categories: Any, sdtype: str, other: Any) -> None:
    profile = profile_of(pd.Series(pd.Categorical(categories)), sdtype)
    (members,) = read_restrictions(profile, [OneOf(list(categories)[:2])])
    assert isinstance(members, Members)
    assert len(members.values) == 2
    with pytest.raises(CellRefusedError, match='it is no category of the column'):
        read_restrictions(profile, [OneOf([categories[0], other])])


@pytest.mark.parametrize(
    ('dates', 'unit', 'low', 'high'),
    [
        (['2020-03-01', '2020-03-09'], 'days', '2020-03-05 03:00', '2020-03-05 09:00'),
        (['2020-03-01 01:00', '2020-03-09'], 'hours', '2020-03-05 03:10', '2020-03-05 03:50'),
    ],
)
@pytest.mark.parametrize('zone', [None, 'Europe/Berlin'])
def test_a_range_between_two_dates_of_the_column_is_refused(
    dates: list[str], unit: str, low: str, high: str, zone: str | None
) -> None:
    column = pd.Series(pd.DatetimeIndex(dates).tz_localize(zone))
    profile, first = profile_of(column, 'datetime'), column[0]
    ends = [pd.Timestamp(end).tz_localize(zone) for end in (low, high)]
    with pytest.raises(CellRefusedError, match=f'all dates of the training data are whole {unit}'):
        read_restrictions(profile, [Between(*ends)])
    with pytest.raises(CellRefusedError, match=f'all dates of the training data are whole {unit}'):
        read_restrictions(profile, [OneOf([first, ends[0]])])
    read_restrictions(profile, [Between(ends[0], ends[1] + pd.Timedelta(days=1))])
    read_restrictions(profile, [Between(ends[0], None)])


ISO_TEXTS = {
    'days': (['2020-01-01', '2020-12-31'], None),
    'days with a format': (['2020-01-01', '2020-12-31'], '%Y-%m-%d'),
    'slashes': (['2020/01/01', '2020/12/31'], None),
    'minutes': (['2020-01-01 00:00', '2020-12-31 12:00'], None),
    'milliseconds': (['2020-01-01T00:00:00.000', '2020-12-31T00:00:00.125'], None),
}


@pytest.mark.parametrize('kind', ISO_TEXTS)
@pytest.mark.parametrize(
    'text', ['2020-04-03', '2020-04-03T00:00:00', '2020-04-03 00:00', '20200403']
)
def test_another_form_of_iso_8601_is_read_where_it_is_clear(kind: str, text: str) -> None:
    texts, text_format = ISO_TEXTS[kind]
    profile = profile_of(pd.Series(texts), 'datetime', text_format)
    if text == '20200403' and not profile.column.dates.is_text:  # their digits are not all written
        with pytest.raises(CellRefusedError, match='the column holds dates in the format'):
            plain_value(profile, text)
        return
    plain = pd.Series([plain_value(profile, text)])
    assert profile.comparable(plain)[0] == pd.Timestamp('2020-04-03').value
    with pytest.raises(CellRefusedError, match='has a time zone, and the column has none'):
        plain_value(profile, '2020-04-03T00:00:00Z')


def test_iso_8601_is_not_read_where_days_come_before_months() -> None:
    profile = profile_of(pd.Series(['2020-01-02', '2020-31-12']), 'datetime', '%Y-%d-%m')
    assert plain_value(profile, '2020-03-04') == pd.Timestamp('2020-04-03')
    with pytest.raises(CellRefusedError, match="the column holds dates in the format '%Y-%d-%m'"):
        plain_value(profile, '2020-03-31')


def test_texts_with_a_zone_and_no_format_are_known_again() -> None:
    column = pd.Series(['2020-01-01T00:00:00Z', '2020-12-31T12:00:00+02:00'])
    profile = profile_of(column, 'datetime')
    assert plain_values(profile, column.tolist()) == column.tolist()
    assert plain_value(profile, pd.Timestamp('2020-04-03', tz='UTC')) == '2020-04-03T00:00:00+0000'
    with pytest.raises(CellRefusedError, match='the column holds dates in the format .*%z'):
        plain_value(profile, '2020-04-03')
