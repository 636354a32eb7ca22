"""Whole years and months to, or from, one day that is no column: that it is found, and which."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.spans import BETWEEN, SPANS, span_of
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 1_200


def day(text: str) -> float:
    return float(np.datetime64(text, 'ns').astype(np.int64))


TODAY = day('2024-05-17')


def people(kind: str, last: float = TODAY, num_rows: int = N) -> pd.DataFrame:
    """Dates of birth, or of an end, the years or months to them, and something else."""
    random = np.random.default_rng(0)
    sign = 1 if SPANS[kind].fixed == 1 else -1
    frame = pd.DataFrame({'date': last - sign * DAY * random.integers(0, 15_000, num_rows)})
    frame['count'] = span_of(kind, frame[['date']].to_numpy(), last)
    frame['cost'] = random.gamma(2, 30, num_rows).round(2)
    return frame


def found_in(frame: pd.DataFrame) -> tuple[Aggregate, ...]:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(frame, kinds, ModelConfig()).aggregates


@pytest.mark.parametrize('way', ['until', 'since'])
@pytest.mark.parametrize('between', sorted({*BETWEEN} - {'calendar years'}))  # these are a part
def test_each_kind_holds_with_the_day_that_is_found(between: str, way: str) -> None:
    frame = people(f'{between} {way}')
    (found,) = found_in(frame)
    assert (found.result, found.sources) == (1, (0,))
    dates: Floats = frame[['date']].to_numpy()
    assert found.holds(frame['count'].to_numpy(), dates).all()
    if 'calendar' not in between:
        assert abs(found.constant - TODAY) <= 2 * DAY
    assert found.written(['date']).startswith(SPANS[found.kind].words)


def test_the_day_is_written_and_the_roundest_that_does() -> None:
    (found,) = found_in(people('months until'))
    assert found.written(['born']) == "the whole months from 'born' to 2024-05-17"
    (since,) = found_in(people('months since'))
    assert since.written(['due']) == "the whole months from 2024-05-17 to 'due'"
    (few,) = found_in(people('years until', day('2024-07-01'), num_rows=60))
    assert few.constant == day('2024-07-01')


@pytest.mark.parametrize('way', ['until', 'since'])
@pytest.mark.parametrize('unit', ['years of 365.25 days', 'months of 30.4375 days'])
def test_years_and_months_with_decimals(unit: str, way: str) -> None:
    frame = people(f'{unit} in part {way}')
    frame['count'] = frame['count'].round(1)
    (found,) = found_in(frame)
    assert found.kind == f'{unit} in part {way}'
    assert abs(found.constant - TODAY) <= 3 * DAY
    assert found.holds(frame['count'].to_numpy(), frame[['date']].to_numpy()).all()
    assert found.written(['born']).startswith(f'the {unit}')


def test_a_time_of_day_says_nothing() -> None:
    frame = people('months until')
    frame['date'] += DAY / 48 * np.random.default_rng(1).integers(0, 48, N)
    (found,) = found_in(frame)
    assert found.kind == 'months until'
    assert found.constant == TODAY


def test_one_row_that_is_otherwise_takes_it_away() -> None:
    frame = people('years until')
    frame.loc[7, 'count'] += 1
    assert found_in(frame) == ()


def test_what_the_calendar_or_a_few_rows_say_is_none() -> None:
    frame = people('years until')
    frame['count'] = pd.to_datetime(frame['date']).dt.year.astype(float)
    assert found_in(frame) == ()  # a part of the date
    assert found_in(people('years until', num_rows=19)) == ()
    assert found_in(people('years until').assign(count=3.0)) == ()


def test_missing_cells_are_passed_over() -> None:
    frame = people('months until')
    frame.loc[::5, 'date'] = np.nan
    frame.loc[1::7, 'count'] = np.nan
    (found,) = found_in(frame)
    assert found.constant == TODAY


def test_numbers_of_any_size_are_asked() -> None:
    frame = people('years until')
    frame['count'] = np.where(np.arange(N) % 2, 1e300, 0.1)
    frame['cost'] *= 1e12
    assert found_in(frame) == ()
