"""Dates of one column: read, in nanoseconds, written."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.dates import DateForm, nanosecond_counts


def test_text_is_exact_only_if_it_is_written_just_so() -> None:
    assert DateForm.learn(pd.Series(['01/02/2020']), '%d/%m/%Y').is_text
    assert not DateForm.learn(pd.Series(['1/2/2020', '01/2/2020']), '%d/%m/%Y').is_text
    assert DateForm.learn(pd.Series(['1/2/2020', '13/2/2020']), '%-d/%-m/%Y').is_text
    assert not DateForm.learn(pd.Series(['01/2/2020']), '%-d/%-m/%Y').is_text
    assert not DateForm.learn(pd.Series(['soon']), '%d/%m/%Y').is_text
    assert not DateForm.learn(pd.Series([20200201]), '%Y%m%d').is_text


@pytest.mark.parametrize(
    ('texts', 'text_format', 'written'),
    [
        (['1/2/2020', '13/12/2020'], '%d/%m/%Y', '%-d/%-m/%Y'),
        (['1/2/2020 7:05', '13/12/2020 17:30'], '%d/%m/%Y %H:%M', '%-d/%-m/%Y %-H:%M'),
        (['1/2/2020 07:05', '13/12/2020 17:30'], '%d/%m/%Y %H:%M', '%-d/%-m/%Y %H:%M'),
        (['Mar 5, 2010', 'Mar 15, 2010'], '%b %d, %Y', '%b %-d, %Y'),
        (['2020-01-02 7:05'], '%Y-%m-%d %H:%M', '%Y-%m-%d %-H:%M'),
        (['13/12/2020'], '%d/%m/%Y', '%d/%m/%Y'),
        (['1/2/2020', '03/12/2020'], '%d/%m/%Y', '%d/%m/%Y'),
    ],
)
def test_texts_without_leading_zeros_are_written_so(
    texts: list[str], text_format: str, written: str
) -> None:
    form = DateForm.learn(pd.Series([*texts, None], dtype=object), text_format)
    assert form.text_format == written
    plain = form.plain(pd.Series(texts, dtype=object))
    if form.is_text:
        assert form.restore(plain, np.dtype(object), str).tolist() == texts


@pytest.mark.parametrize(
    ('texts', 'text_format'),
    [
        (['02/28/2020', None, '03/01/2020'], '%m/%d/%Y'),
        (['28.02.2020 12:30'], '%d.%m.%Y %H:%M'),
        (['2020/02/28'], '%Y/%m/%d'),
        (['2020-02-28'], '%Y-%m-%d'),
        (['2020-02-28T12:30:00Z', '2020-03-01T12:30:00+01:00'], '%Y-%m-%dT%H:%M:%S%z'),
        (['2/28/2020'], '%-m/%-d/%Y'),
        (['01/02/2020', '28/02/2020'], None),
        (['soon'], None),
        ([None], None),
        ([5], None),
    ],
)
def test_a_format_that_metadata_do_not_name(texts: list[object], text_format: str | None) -> None:
    form = DateForm.learn(pd.Series(texts, dtype=object), None)

    assert form.text_format == text_format


@pytest.mark.parametrize(
    'value',
    [
        '01.02.2020',
        datetime.date(2020, 2, 1),
        pd.Timestamp(2020, 2, 1),
        np.datetime64('2020-02-01'),
        pd.Period('2020-02-01', 'D'),
    ],
)
def test_a_single_date(value: object) -> None:
    assert DateForm('%d.%m.%Y', True).parse(value) == pd.Timestamp('2020-02-01')


@pytest.mark.parametrize('zoned_first', [True, False])
@pytest.mark.parametrize('dtype', [object, 'category'])
def test_dates_with_and_without_a_zone_are_refused(dtype: object, zoned_first: bool) -> None:
    dates = [pd.Timestamp('2020-01-01', tz='UTC'), None, pd.Timestamp('2020-01-02')]
    values = pd.Series(dates if zoned_first else dates[::-1], dtype=object, name='t')
    message = (
        "Column 't' has dates with a time zone, such as 2020-01-01 00:00:00.00:00, and dates "
        'without one, such as 2020-01-02 00:00:00. All of them must have one, or none.'
    )
    with pytest.raises(InvalidDataError, match=message):
        DateForm.learn(values.astype(dtype), None)


def test_zones_may_differ() -> None:
    dates = [pd.Timestamp('2020-01-01', tz=zone) for zone in ('Asia/Tokyo', 'UTC')]
    form = DateForm.learn(pd.Series(dates, dtype=object), None)
    assert str(form.time_zone) == 'Asia/Tokyo'


def test_what_is_no_date_is_refused() -> None:
    with pytest.raises(TypeError, match='5 is no date'):
        DateForm().parse(5)
    with pytest.raises(ValueError, match="doesn't match format"):
        DateForm('%d.%m.%Y', True).parse('2020-02-01')


def test_nanoseconds_of_every_plain_form() -> None:
    second = pd.Timestamp('1970-01-01 00:00:01')
    for form, values in (
        (DateForm(), pd.Series([second, pd.NaT])),
        (DateForm('%H:%M:%S %Y', True), pd.Series(['00:00:01 1970', None])),
        (DateForm(), pd.Series([1e9, np.nan])),
        (DateForm(), pd.Series([second.tz_localize('UTC'), pd.NaT])),
    ):
        assert form.nanoseconds(values).tolist() == pytest.approx([1e9, np.nan], nan_ok=True)


FAR = {
    'seconds': pd.Series(np.array(['0999-01-01'], dtype='datetime64[s]'), name='x'),
    'months': pd.Series(pd.period_range('0999-01', periods=2, freq='M'), name='x'),
    'days': pd.Series([datetime.date(999, 1, 1), None], dtype=object, name='x'),
    'moments': pd.Series([datetime.datetime(999, 1, 1)], dtype=object, name='x'),
    'Timestamps': pd.Series([pd.Timestamp(year=999, month=1, day=1)], dtype=object, name='x'),
    'days of Arrow': pd.Series(
        [datetime.date(999, 1, 1)], dtype=pd.ArrowDtype(pa.date32()), name='x'
    ),
    'text': pd.Series(['0999-01-01', None], dtype=object, name='x'),
}


@pytest.mark.parametrize('kind', FAR)
def test_dates_beyond_nanoseconds_are_refused(kind: str) -> None:
    text_format = '%Y-%m-%d' if kind == 'text' else None

    with pytest.raises(InvalidDataError, match="'x' has dates from 0?999.* must lie between 1677"):
        DateForm.learn(FAR[kind], text_format).plain(FAR[kind])


@pytest.mark.parametrize('nanoseconds', [0, 123])
def test_dates_drawn_as_floats_are_the_dates_of_training(nanoseconds: int) -> None:
    """A float64 holds a date of today to 256 nanoseconds."""
    start = np.datetime64('2021-03-28T00:00:00.009694', 'ns') + np.timedelta64(nanoseconds, 'ns')
    dates = pd.Series(start + np.arange(20) * np.timedelta64(1, 'us'))
    form = DateForm.learn(dates, None)
    drawn = pd.to_datetime(form.nanoseconds(dates))

    restored = form.as_learnt(drawn)
    assert (drawn != dates).any()
    assert restored.between(dates.min(), dates.max()).all()
    if not nanoseconds:
        assert restored.tolist() == dates.tolist()
    assert form.as_learnt(dates).tolist() == dates.tolist()


def test_a_date_in_another_zone() -> None:
    form = DateForm(time_zone=ZoneInfo('Europe/Berlin'))

    assert form.in_utc('2020-07-01 00:00') == pd.Timestamp('2020-06-30 22:00')
    assert form.in_utc('2020-07-01 00:00+05:45') == pd.Timestamp('2020-06-30 18:15')


@pytest.mark.parametrize('zone', ['Europe/Berlin', 'Asia/Kolkata'])
def test_midnights_of_a_zone_are_found_and_rounded_to(zone: str) -> None:
    days = pd.Series(pd.date_range('2020-02-01', '2020-12-30', tz=zone)).dt.normalize()
    form = DateForm.learn(days, None)
    plain = form.plain(days)
    day = pd.Timedelta(1, 'D').value
    assert form.unit(plain) < day
    assert form.local_unit(plain) == day
    near = nanosecond_counts(plain + pd.Timedelta(5, 'h'))
    assert form.at_units(near, day, 'round').tolist() == nanosecond_counts(plain).tolist()
