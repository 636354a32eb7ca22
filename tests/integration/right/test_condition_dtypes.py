"""Conditions whose value has another type than the column."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import fit_tiny

N = 120
RANDOM = np.random.default_rng(0)
WHOLE = RANDOM.integers(0, 100, N)
GAPS = RANDOM.random(N) < 0.2
DAYS = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D'))
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}


def numbers(dtype: str, *, gaps: bool) -> TabDARSynthesizer:
    cells = [
        None if gaps and gap else value for value, gap in zip(WHOLE.tolist(), GAPS, strict=True)
    ]
    data = pd.DataFrame({'n': pd.Series(cells, dtype=dtype), 'c': RANDOM.choice(list('ab'), N)})
    return fit_tiny(data, {'n': NUMBER, 'c': LEVEL})


INTEGERS = [
    ('int64', False),
    ('Int64', False),
    ('Int64', True),
    ('int64[pyarrow]', True),
    ('object', True),
]


@pytest.mark.parametrize(('dtype', 'gaps'), INTEGERS)
def test_whole_numbers_cannot_be_fractions(dtype: str, gaps: bool) -> None:
    synthesizer = numbers(dtype, gaps=gaps)
    message = "'n' cannot be 30.5, because the column holds whole numbers"

    for value in (30.5, OneOf([30.5]), OneOf([30.5, 31])):
        with pytest.raises(ValueError, match=message):
            synthesizer.sample_from_conditions(
                [Condition({'n': value}, num_rows=2)], max_tries_per_batch=1
            )
    with pytest.raises(ValueError, match=message):
        synthesizer.sample_remaining_columns(pd.DataFrame({'n': [30.5, 2]}))


@pytest.mark.parametrize(('dtype', 'gaps'), [('Int64', True), ('int64', False)])
def test_whole_numbers_may_be_written_as_floats(dtype: str, gaps: bool) -> None:
    synthesizer = numbers(dtype, gaps=gaps)
    sampled = synthesizer.sample_from_conditions([Condition({'n': 30.0}, num_rows=2)])

    assert list(sampled['n']) == [30, 30]
    assert sampled['n'].dtype == dtype


def test_gaps_in_floats_leave_room_for_fractions() -> None:
    """A column of floats that happen to be whole is one of floats."""
    data = pd.DataFrame({'n': np.where(GAPS, np.nan, WHOLE), 'c': RANDOM.choice(list('ab'), N)})
    synthesizer = fit_tiny(data, {'n': NUMBER, 'c': LEVEL})
    sampled = synthesizer.sample_from_conditions([Condition({'n': 30.5}, num_rows=2)])

    assert list(sampled['n']) == [30.5, 30.5]


def test_numbers_that_the_dtype_cannot_hold_are_named() -> None:
    data = pd.DataFrame({'n': WHOLE.astype('uint8'), 'c': RANDOM.choice(list('ab'), N)})
    synthesizer = fit_tiny(data, {'n': NUMBER, 'c': LEVEL}, enforce_min_max_values=False)

    for value in (300, -1):
        with pytest.raises(ValueError, match=f"'n' cannot be {value}.*uint8"):
            synthesizer.sample_from_conditions([Condition({'n': value}, num_rows=2)])


@pytest.mark.parametrize('dtype', ['int64', 'int16', 'Int64'])
def test_whole_numbers_are_whole_again_when_their_gaps_are_filled(dtype: str) -> None:
    """Pandas holds whole numbers with gaps as floats; without gaps they need not stay so."""
    synthesizer = numbers(dtype, gaps=False)
    gaps = pd.DataFrame({'n': np.where(GAPS, np.nan, WHOLE)})
    filled = synthesizer.impute(gaps)

    assert filled['n'].dtype == dtype
    assert list(filled['n'][~GAPS]) == list(WHOLE[~GAPS])


def test_fractions_keep_a_filled_column_a_float() -> None:
    synthesizer = numbers('int64', gaps=False)
    filled = synthesizer.impute(pd.DataFrame({'n': [1.5, np.nan, 3.0]}))

    assert filled['n'].dtype == np.float64
    assert list(filled['n'][[0, 2]]) == [1.5, 3.0]


KINDS: dict[str, tuple[pd.Series, dict[str, Any]]] = {
    'datetime64': (DAYS, {'sdtype': 'datetime'}),
    'datetime64 with a zone': (
        DAYS.dt.tz_localize('Europe/Berlin'),
        {'sdtype': 'datetime'},
    ),
    'date': (
        pd.Series(DAYS.dt.date, dtype=object),
        {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    ),
    'text': (
        DAYS.dt.strftime('%d/%m/%Y').astype(object),
        {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    ),
}


@pytest.fixture(scope='module', params=KINDS)
def dates(request: pytest.FixtureRequest) -> tuple[str, TabDARSynthesizer, pd.Series]:
    values, entry = KINDS[request.param]
    data = pd.DataFrame({'t': values, 'c': RANDOM.choice(list('ab'), N)})
    with warnings.catch_warnings():  # SDV says that it cannot verify the format of dates
        warnings.filterwarnings('ignore', message='The datetime format for column')
        return request.param, fit_tiny(data, {'t': entry, 'c': LEVEL}), values


Dates = tuple[str, TabDARSynthesizer, pd.Series]


def drawn(synthesizer: TabDARSynthesizer, value: Any) -> pd.Series:
    return synthesizer.sample_from_conditions([Condition({'t': value}, num_rows=2)])['t']


@pytest.mark.parametrize('text', ['03/04/2020', '04.05.2020', '3 Apr 2020', '20200403'])
def test_text_in_an_order_of_its_own_is_refused(dates: Dates, text: str) -> None:
    """3 April or 4 March? ISO 8601 is clear, and so is the format of the column, if it has one."""
    kind, synthesizer, _ = dates
    if kind == 'text' and text == '03/04/2020':
        assert list(drawn(synthesizer, text)) == [text, text]
        return
    with pytest.raises(ValueError, match=f"'t' cannot be '{text}'"):
        drawn(synthesizer, text)
    with pytest.raises(ValueError, match=f"'{text}'"):
        drawn(synthesizer, Between(text, None))
    with pytest.raises(ValueError, match=f"'{text}'"):
        synthesizer.impute(pd.DataFrame({'t': [text], 'c': [None]}))


@pytest.mark.parametrize('text', ['2020-04-03', '2020-04-03 12:30', '2020-04-03T12:30:15'])
def test_iso_text_is_read(dates: Dates, text: str) -> None:
    kind, synthesizer, values = dates
    if not kind.startswith('datetime64'):
        return  # the column has a format of its own
    expected = pd.Timestamp(text)
    zone = getattr(values.dtype, 'tz', None)
    expected = expected if zone is None else expected.tz_localize(zone)

    sampled = drawn(synthesizer, text)
    assert list(sampled) == [expected, expected]
    assert sampled.dtype == values.dtype


@pytest.mark.parametrize(
    'value',
    [pd.Timestamp('2020-04-03'), datetime.datetime(2020, 4, 3), datetime.date(2020, 4, 3)],
    ids=lambda value: type(value).__name__,
)
def test_dates_of_python_are_read_in_the_form_of_the_column(dates: Dates, value: Any) -> None:
    kind, synthesizer, values = dates
    sampled = drawn(synthesizer, value)

    assert sampled.dtype == values.dtype
    assert {type(cell) for cell in sampled} == {type(cell) for cell in values}
    stamps = pd.to_datetime(sampled, format='%d/%m/%Y' if kind == 'text' else None)
    assert {stamp.date() for stamp in stamps} == {datetime.date(2020, 4, 3)}


@pytest.mark.parametrize('zone', ['UTC', 'Asia/Tokyo'])
def test_zoned_stamps_need_a_column_with_a_zone(dates: Dates, zone: str) -> None:
    """Which day it is depends on a zone that the column does not have, so it is refused.

    ``Between`` refuses one end with a zone beside one without for the same reason.
    """
    kind, synthesizer, values = dates
    value = pd.Timestamp('2020-04-03 20:00', tz=zone)
    if kind == 'datetime64 with a zone':
        sampled = drawn(synthesizer, value)
        assert sampled.dtype == values.dtype
        assert list(sampled) == [value, value]
        return
    for wanted in (value, OneOf([value]), Between(value, None)):
        with pytest.raises(ValueError, match="'t' cannot be .*time zone"):
            drawn(synthesizer, wanted)
    with pytest.raises(ValueError, match="'t' cannot be .*time zone"):
        synthesizer.sample_remaining_columns(pd.DataFrame({'t': [value]}))


TRUTHS: dict[str, pd.Series] = {
    'bool': pd.Series(GAPS),
    'boolean': pd.Series(GAPS, dtype='boolean').mask(WHOLE > 90),
    'object': pd.Series(GAPS, dtype=object).where(WHOLE < 90, None),
    'bool[pyarrow]': pd.Series(GAPS, dtype='bool[pyarrow]'),
}


@pytest.fixture(scope='module', params=TRUTHS)
def truths(request: pytest.FixtureRequest) -> tuple[TabDARSynthesizer, Any]:
    values = TRUTHS[request.param]
    data = pd.DataFrame({'t': values, 'n': WHOLE})
    return fit_tiny(data, {'t': {'sdtype': 'boolean'}, 'n': NUMBER}), values.dtype


@pytest.mark.parametrize(
    'value', [1, 1.0, np.int64(1), np.float32(1), OneOf([1]), OneOf([1, True])]
)
def test_one_and_zero_are_true_and_false(truths: tuple[TabDARSynthesizer, Any], value: Any) -> None:
    synthesizer, dtype = truths
    sampled = drawn(synthesizer, value)

    assert [cell is True for cell in sampled.tolist()] == [True, True]
    assert sampled.dtype == dtype


def test_columns_of_ones_and_zeros_are_truth_values(
    truths: tuple[TabDARSynthesizer, Any],
) -> None:
    synthesizer, dtype = truths
    for known in ([0, 1], [0.0, 1.0], pd.array([0, 1], dtype='Int8')):
        sampled = synthesizer.sample_remaining_columns(pd.DataFrame({'t': known}))['t']
        assert [cell is True for cell in sampled.tolist()] == [False, True]
        assert sampled.dtype == dtype
    truth = synthesizer.log_likelihood(pd.DataFrame({'t': [False, True], 'n': [3, 4]}), seed=0)
    number = synthesizer.log_likelihood(pd.DataFrame({'t': [0.0, 1.0], 'n': [3, 4]}), seed=0)
    assert truth.tolist() == number.tolist()


def test_gaps_among_ones_and_zeros_are_filled(truths: tuple[TabDARSynthesizer, Any]) -> None:
    synthesizer, dtype = truths
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        filled = synthesizer.impute(pd.DataFrame({'t': [1.0, np.nan, 0.0], 'n': [3, 4, 5]}))['t']
    assert filled.dtype == (np.float64 if str(dtype) == 'object' else dtype)
    assert filled.notna().all()
    assert list(filled[[0, 2]]) == [1, 0]


@pytest.mark.parametrize('levels', [['yes', 'no'], [True, 1], [True, 'no']])
def test_one_is_no_truth_value_among_other_levels(levels: list[Any]) -> None:
    data = pd.DataFrame({'c': pd.Series(levels * 30, dtype=object), 'n': range(60)})
    synthesizer = fit_tiny(data, {'c': LEVEL, 'n': NUMBER})
    with warnings.catch_warnings():  # that training had no such value
        warnings.simplefilter('ignore')
        sampled = synthesizer.sample_from_conditions([Condition({'c': 1}, num_rows=2)])['c']
    assert [type(cell) for cell in sampled] == [int, int]
