"""The user's form, the plain form, and back."""

from __future__ import annotations

import datetime
import decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_tabdar.adapter.formats import ColumnFormat, with_categories

WHOLE = st.integers(-100, 100)
QUARTERS = st.integers(-400, 400).map(lambda number: number / 4)
DECIMALS = st.integers(-10_000, 10_000).map(lambda number: decimal.Decimal(number).scaleb(-2))
DATES = st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2030, 1, 1)).map(
    lambda date: date.replace(microsecond=0, fold=0)
)
DAYS = DATES.map(datetime.datetime.date)
MOMENTS = st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2030, 1, 1))
CENTS = WHOLE.map(lambda number: number / 100)
WORDS = st.sampled_from(['u', 'v', 'w', ''])
# dtype, sdtype, values, whether a cell may be missing
FORMS: dict[str, tuple[Any, str, st.SearchStrategy[Any], bool]] = {
    'int16': ('int16', 'numerical', WHOLE, False),
    'float32': ('float32', 'numerical', QUARTERS, False),
    'float64': ('float64', 'numerical', QUARTERS, True),
    'Int64': ('Int64', 'numerical', WHOLE, True),
    'Float32': ('Float32', 'numerical', QUARTERS, True),
    'arrow int64': (pd.ArrowDtype(pa.int64()), 'numerical', WHOLE, True),
    'arrow double': (pd.ArrowDtype(pa.float64()), 'numerical', QUARTERS, True),
    'float16': ('float16', 'numerical', QUARTERS, True),
    'arrow float': (pd.ArrowDtype(pa.float32()), 'numerical', CENTS, True),
    'float32 of cents': ('float32', 'numerical', CENTS, True),
    'arrow decimal': (pd.ArrowDtype(pa.decimal128(38, 2)), 'numerical', DECIMALS, True),
    'nullable keys': ('Int64', 'id', st.integers(-(2**63), 2**63 - 1), True),
    'arrow keys': (pd.ArrowDtype(pa.uint64()), 'id', st.integers(0, 2**64 - 1), True),
    'keys of float16': ('float16', 'id', WHOLE, False),
    'integers': (object, 'numerical', WHOLE, True),
    'category of numbers': ('category', 'numerical', WHOLE, False),
    'text': (object, 'categorical', WORDS, True),
    'string': ('string', 'categorical', WORDS, True),
    'arrow string': (pd.ArrowDtype(pa.string()), 'categorical', WORDS, True),
    'category': ('category', 'categorical', WORDS, True),
    'codes': ('int64', 'categorical', WHOLE, False),
    'mixed': (object, 'categorical', st.one_of(WORDS, WHOLE, st.booleans()), True),
    'boolean': ('boolean', 'boolean', st.booleans(), True),
    'bool': ('bool', 'boolean', st.booleans(), False),
    'objects': (object, 'boolean', st.booleans(), True),
    'dates': ('datetime64[ns]', 'datetime', DATES, True),
    'dates in seconds': ('datetime64[s]', 'datetime', DATES, True),
    'UTC': (pd.DatetimeTZDtype('ns', 'UTC'), 'datetime', DATES, True),
    'Rome': (pd.DatetimeTZDtype('us', 'Europe/Rome'), 'datetime', DATES, True),
    'datetimes': (object, 'datetime', DATES, True),
    'days': (object, 'datetime', DAYS, True),
    'arrow days': (pd.ArrowDtype(pa.date32()), 'datetime', DAYS, True),
    'arrow milliseconds': (pd.ArrowDtype(pa.date64()), 'datetime', DAYS, True),
    'arrow moments': (pd.ArrowDtype(pa.timestamp('us')), 'datetime', MOMENTS, True),
    'arrow moments in a zone': (
        pd.ArrowDtype(pa.timestamp('us', 'Europe/Rome')),
        'datetime',
        MOMENTS.map(lambda date: date.replace(tzinfo=datetime.timezone.utc)),
        True,
    ),
    'periods': (pd.PeriodDtype('M'), 'datetime', DAYS.map(lambda day: pd.Period(day, 'M')), True),
}


def column_of(dtype: Any, cells: list[Any]) -> pd.Series:
    if isinstance(dtype, pd.DatetimeTZDtype):
        return pd.to_datetime(pd.Series(cells, dtype='datetime64[ns]'), utc=True).astype(dtype)
    return pd.Series(cells, dtype=dtype)


@pytest.mark.parametrize('form', FORMS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_column_comes_back_as_it_was(form: str, data: st.DataObject) -> None:
    dtype, sdtype, values, may_be_missing = FORMS[form]
    cells = data.draw(
        st.lists(st.one_of(values, st.none()) if may_be_missing else values, min_size=1)
    )
    given = column_of(dtype, cells)
    before = given.copy(deep=True)

    column = ColumnFormat.learn(given, sdtype, None)
    restored = column.restore(column.plain(given))

    pd.testing.assert_series_equal(restored, before, check_names=False)
    pd.testing.assert_series_equal(given, before)
    loaded = ColumnFormat.from_state(column.to_state())
    assert repr(loaded) == repr(column)
    pd.testing.assert_series_equal(loaded.restore(loaded.plain(given)), restored)


@settings(max_examples=25, deadline=None)
@given(cells=st.lists(DECIMALS, min_size=1))
def test_decimals_keep_their_digits(cells: list[decimal.Decimal]) -> None:
    given = pd.Series(cells, dtype=object)
    column = ColumnFormat.learn(given, 'numerical', None)

    restored = column.restore(column.plain(given)).tolist()
    assert restored == cells
    assert {type(value) for value in restored} == {decimal.Decimal}
    assert {value.as_tuple().exponent for value in restored} == {-column.number.decimals}


@settings(max_examples=25, deadline=None)
@given(
    cells=st.lists(st.one_of(DATES, st.none()), min_size=1),
    text=st.sampled_from(['%Y-%m-%d', '%d/%m/%y %H:%M', '%Y%m%d']),
)
def test_dates_as_text_come_back(cells: list[Any], text: str) -> None:
    written = [None if cell is None else cell.strftime(text) for cell in cells]
    given = pd.Series(written, dtype=object)
    column = ColumnFormat.learn(given, 'datetime', text)

    pd.testing.assert_series_equal(column.restore(column.plain(given)), given)


@pytest.mark.parametrize(
    ('cells', 'drawn', 'expected'),
    [
        (['2020-01-01', '2020-01-09'], pd.Timestamp('2020-01-03'), '2020-01-01'),
        ([1.5, 7.0], 5.0, 7.0),
    ],
)
def test_drawn_values_take_the_nearest_category_and_known_ones_stay(
    cells: list[Any], drawn: Any, expected: Any
) -> None:
    given = pd.Series(cells).astype('category')
    sdtype = 'datetime' if isinstance(drawn, pd.Timestamp) else 'numerical'
    column = ColumnFormat.learn(given, sdtype, '%Y-%m-%d')
    plain = pd.Series([drawn, drawn])
    known = '2020-01-03' if sdtype == 'datetime' else drawn

    nearest = column.restore(plain)
    assert nearest.tolist() == [expected] * 2
    assert nearest.dtype == given.dtype
    assert column.restore(plain, pd.Series([known, None])).tolist() == [known, expected]
    restored = column.restore(plain, pd.Series([known, known]))
    pd.testing.assert_series_equal(column.restore(restored), restored)


def test_added_levels_leave_an_ordered_column_ordered() -> None:
    dtype = pd.CategoricalDtype(['low', 'high'], ordered=True)

    grown = with_categories(dtype, pd.Series(['low', 'top', None]))
    assert grown == pd.CategoricalDtype(['low', 'high', 'top'], ordered=True)


def test_generated_numbers_that_a_short_float_cannot_hold_stay() -> None:
    column = ColumnFormat.learn(pd.Series([1, 2], dtype='float16'), 'id', None)

    assert column.restore(pd.Series([3.0, 4_456_726.0])).tolist() == [3, 4_456_726]
    assert column.restore(pd.Series([3.0, 4.0])).dtype == np.float16


def test_a_column_of_arrows_null_stays_one() -> None:
    arrow = pytest.importorskip('pyarrow')
    column = pd.Series([None, None], dtype=pd.ArrowDtype(arrow.null()))
    form = ColumnFormat.learn(column, 'numerical', None)

    pd.testing.assert_series_equal(form.restore(pd.Series([np.nan, np.nan])), column)


def test_ranges_of_the_metadata_in_plain_form() -> None:
    short = ColumnFormat.learn(pd.Series([2.81], dtype='float32'), 'numerical', None)
    zoned = pd.Series(pd.date_range('2020-07-01', periods=2, tz='Europe/Berlin'))
    entry = {'sdtype': 'datetime', 'range_min': '2020-07-01 00:00:00+02:00'}

    assert short.plain_entry({'range_max': float(np.float32(2.81))}) == {'range_max': 2.81}
    assert ColumnFormat.learn(zoned, 'datetime', None).plain_entry(entry) == {
        'sdtype': 'datetime',
        'range_min': '2020-06-30 22:00:00',
    }


def test_datetimes_with_a_zone_of_pythons() -> None:
    zone = ZoneInfo('Europe/Berlin')
    given = pd.Series([datetime.datetime(2020, 7, day, tzinfo=zone) for day in (1, 2)]).astype(
        object
    )
    given = given.map(lambda value: value.to_pydatetime()).astype(object)
    column = ColumnFormat.learn(given, 'datetime', None)

    plain = column.plain(given)
    assert plain.dtype == np.dtype('datetime64[ns]')
    assert plain.iloc[0] == pd.Timestamp('2020-06-30 22:00')
    assert column.restore(plain).tolist() == given.tolist()
