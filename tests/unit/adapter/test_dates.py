"""Dates of one column: read, in nanoseconds, written."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.dates import DateForm


def test_text_is_exact_only_if_it_is_written_just_so() -> None:
    assert DateForm.learn(pd.Series(['01/02/2020']), '%d/%m/%Y').is_text
    assert not DateForm.learn(pd.Series(['1/2/2020']), '%d/%m/%Y').is_text
    assert not DateForm.learn(pd.Series(['soon']), '%d/%m/%Y').is_text
    assert not DateForm.learn(pd.Series([20200201]), '%Y%m%d').is_text


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


def test_dates_beyond_nanoseconds_are_refused() -> None:
    dates = pd.Series(np.array(['0999-01-01'], dtype='datetime64[s]'), name='x')

    with pytest.raises(InvalidDataError, match="'x' has dates from 0999.* must lie between 1677"):
        DateForm().plain(dates)
