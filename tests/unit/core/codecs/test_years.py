"""Ages by the year of a date and another number: that they are found, and which follows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.codecs.years import in_year, year_of
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 500


def dates(*texts: str) -> Floats:
    return np.array(texts, dtype='M8[ns]').astype(np.int64).astype(np.float64)


def sales() -> pd.DataFrame:
    """Houses: when they were sold, the year they were built in, and their age then."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'sold': dates('2012-01-01')[0] + DAY * random.integers(0, 1_500, N)})
    frame['built'] = random.integers(1900, 2012, N).astype(float)
    frame['age'] = year_of(frame['sold'].to_numpy()) - frame['built']
    frame['price'] = random.gamma(5, 40, N).round(2)
    return frame


def found_in(frame: pd.DataFrame) -> tuple[Aggregate, ...]:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(frame, kinds, ModelConfig()).aggregates


def test_years_and_the_same_day_of_others() -> None:
    some = dates('1969-12-31', '2024-02-29', '2000-01-01')
    assert year_of(some).tolist() == [1969.0, 2024.0, 2000.0]
    there = in_year(some, np.array([1970.0, 2023.0, 1999.0]))
    assert there.tolist() == dates('1970-12-31', '2023-02-28', '1999-01-01').tolist()


def test_an_age_is_found_and_written() -> None:
    (found,) = found_in(sales())
    assert {found.result, found.sources[1]} == {1, 2}
    assert found.sources[0] == 0
    assert found.written(['sold', 'other']) == "the year of 'sold' less 'other'"


def test_gaps_are_passed_over_and_one_other_row_takes_it_away() -> None:
    frame = sales()
    frame.loc[::6, 'age'] = np.nan
    assert len(found_in(frame)) == 1
    frame.loc[1, 'age'] += 1
    assert found_in(frame) == ()


def test_within_one_year_it_is_a_line() -> None:
    frame = sales()
    frame['sold'] = dates('2014-01-01')[0] + DAY * (np.arange(N) % 300)
    frame['age'] = 2014 - frame['built']
    assert found_in(frame) == ()
