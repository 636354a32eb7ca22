"""Conditions are met to the last digit, also where a float64 has fewer of them."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import fit_tiny

ROWS = 60
DRAWN = 40
FIRST = 1_500_000_000_000_000_000  # where neighbouring floats are 256 apart
COUNTS = FIRST + np.sort(np.random.default_rng(0).choice(10**6, ROWS, replace=False))
DECIMALS = [decimal.Decimal(f'0.{count}') for count in COUNTS.tolist()]
DATES = pd.Series(pd.to_datetime(COUNTS))
STEP = decimal.Decimal('1E-19')

NUMBERS: dict[str, pd.Series] = {
    'int64': pd.Series(COUNTS),
    'uint64': pd.Series(COUNTS).astype('uint64'),
    'nullable': pd.Series([*COUNTS.tolist(), None], dtype='Int64'),
    'objects': pd.Series(COUNTS.tolist(), dtype=object),
    'beyond int64': pd.Series([2**65 + count for count in COUNTS.tolist()], dtype=object),
    'some floats': pd.Series([0.5, *COUNTS.tolist()[1:]], dtype=object),
    'categories': pd.Series(COUNTS).astype('category'),
    'decimals': pd.Series(DECIMALS, dtype=object),
}
MOMENTS: dict[str, pd.Series] = {
    'dates': DATES,
    'in a zone': DATES.dt.tz_localize('Europe/Berlin'),
    'timestamps': DATES.astype(object),
    'whole microseconds': DATES.dt.floor('us'),
    'categories of dates': DATES.astype('category'),
}


def fitted(values: pd.Series, **settings: Any) -> TabDARSynthesizer:
    """A model of one column, and of another beside it."""
    sdtype = 'datetime' if isinstance(values.iloc[0], pd.Timestamp) else 'numerical'
    table = pd.DataFrame({'x': values, 'y': np.resize(['a', 'b', 'c'], len(values))})
    return fit_tiny(table, {'x': {'sdtype': sdtype}, 'y': {'sdtype': 'categorical'}}, **settings)


def drawn(synthesizer: TabDARSynthesizer, wanted: Any, num_rows: int = DRAWN) -> list[Any]:
    """Values of the column in rows that meet a condition."""
    rows = synthesizer.sample_from_conditions([Condition({'x': wanted}, num_rows=num_rows)])
    return rows['x'].tolist()


@pytest.mark.parametrize('form', [*NUMBERS, *MOMENTS])
def test_sets_and_ranges_are_met_to_the_last_digit(form: str) -> None:
    values = {**NUMBERS, **MOMENTS}[form]
    synthesizer = fitted(values)
    low, middle, high = values.iloc[20], values.iloc[21], values.iloc[40]

    assert set(drawn(synthesizer, OneOf([low, high]))) <= {low, high}
    assert all(low <= value <= middle for value in drawn(synthesizer, Between(low, middle)))
    assert all(value >= high for value in drawn(synthesizer, Between(high, None)))
    assert set(drawn(synthesizer, Between(middle, middle))) == {middle}


def test_what_a_float_does_not_tell_apart_is_drawn_evenly() -> None:
    synthesizer = fitted(NUMBERS['int64'])
    between = FIRST + 500_100  # two neighbouring floats are at 499,968 and 500,224

    found = drawn(synthesizer, Between(between - 5, between + 5), num_rows=200)
    assert set(found) == set(range(between - 5, between + 6))
    members = [between, between + 1]
    found = drawn(synthesizer, OneOf(members), num_rows=200)
    assert 60 < found.count(between) < 140
    assert set(found) == set(members)


def test_ranges_of_few_nanoseconds_hold_several_dates() -> None:
    synthesizer = fitted(DATES)
    start = pd.Timestamp(FIRST + 500_070)
    wanted = Between(start, start + pd.Timedelta(20, 'ns'))

    for found in (
        drawn(synthesizer, wanted),
        synthesizer.sample(DRAWN, shares={'x': {wanted: 1.0}})['x'].tolist(),
        synthesizer.sample_remaining_columns(pd.DataFrame({'x': [wanted] * DRAWN}))['x'].tolist(),
    ):
        assert len(set(found)) > 5
        assert all(wanted.low <= date <= wanted.high for date in found)


def test_frames_of_conditions_mix_values_sets_and_ranges() -> None:
    synthesizer = fitted(NUMBERS['decimals'])
    low, high = DECIMALS[20] - STEP, DECIMALS[20] + STEP
    cells = [DECIMALS[3], OneOf([low, high]), Between(low, high), low]

    rows = synthesizer.sample_from_conditions([DataFrameCondition(pd.DataFrame({'x': cells}))])

    assert rows['x'].iloc[[0, 3]].tolist() == [DECIMALS[3], low]
    assert rows['x'].iloc[1] in (low, high)
    assert low <= rows['x'].iloc[2] <= high


def test_numbers_that_are_rounded_to_the_digits_of_the_column_stay_in_the_range() -> None:
    whole = pd.Series([*range(50), None], dtype='Int64')
    synthesizer = fitted(whole, enforce_rounding=False)

    assert set(drawn(synthesizer, Between(2.5, 4.5))) <= {3, 4}
    with pytest.raises(ValueError, match='the column holds multiples of 1'):
        drawn(synthesizer, Between(2.2, 2.8))


def test_a_number_that_is_a_float_short_of_a_range_is_not_in_it() -> None:
    synthesizer = fitted(pd.Series(np.arange(10, 110) / 100))
    first, last = np.nextafter(0.3, 1), np.nextafter(0.33, 0)

    assert set(drawn(synthesizer, Between(first, last))) == {0.31, 0.32}
    with pytest.raises(ValueError, match=r'the column holds multiples of 0\.01'):
        drawn(synthesizer, Between(first, np.nextafter(0.31, 0)))


def test_categories_of_numbers_are_those_in_the_range() -> None:
    synthesizer = fitted(pd.Series(np.arange(60) / 2).astype('category'))

    assert set(drawn(synthesizer, Between(5.4, 6.2))) <= {5.5, 6.0}
    with pytest.raises(ValueError, match='no category of the column lies there'):
        drawn(synthesizer, Between(5.1, 5.4))


def test_a_range_with_nothing_between_the_last_digits_is_refused() -> None:
    synthesizer = fitted(NUMBERS['decimals'])

    with pytest.raises(ValueError, match='the column holds multiples of 1e-19'):
        drawn(synthesizer, Between(DECIMALS[9] + STEP / 10, DECIMALS[9] + STEP / 5))
