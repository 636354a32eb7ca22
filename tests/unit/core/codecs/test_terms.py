"""Dates so many months after others: how they are counted, and which columns are some."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.terms import between, earlier, later
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 600


def dates(*texts: str) -> Floats:
    return np.array(texts, dtype='M8[ns]').astype(np.int64).astype(np.float64)


def contracts(name: str = 'months later', beside: float = 0.0) -> pd.DataFrame:
    """When contracts begin and end, for how long they are, and what they cost."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'begin': dates('2015-01-31')[0] + DAY * random.integers(0, 2_000, N)})
    frame['term'] = random.choice([1.0, 6.0, 12.0, 24.0], N)
    frame['end'] = later(name, frame['begin'].to_numpy(), frame['term'].to_numpy(), beside)
    frame['cost'] = random.gamma(2, 30, N).round(2)
    return frame


def found_in(frame: pd.DataFrame) -> tuple[Aggregate, ...]:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(frame, kinds, ModelConfig()).aggregates


def test_months_end_on_the_same_day_or_the_last_one() -> None:
    first, months = dates('2024-01-31', '2024-02-29', '2023-11-15'), np.array([1.0, 12.0, 3.0])
    last = dates('2024-02-29', '2025-02-28', '2024-02-15')
    assert later('months later', first, months, 0.0).tolist() == last.tolist()
    assert later('months later', first, months, -DAY).tolist() == (last - DAY).tolist()
    assert between('months later', first, last - DAY, -DAY).tolist() == months.tolist()
    assert earlier('months later', last, months, 0.0).tolist() == (
        dates('2024-01-29', '2024-02-28', '2023-11-15').tolist()
    )
    assert later('years later', first, months, 0.0)[1] == dates('2036-02-29')[0]


@pytest.mark.parametrize('days', [0, -1, 14])
@pytest.mark.parametrize('name', ['months later', 'years later'])
def test_a_column_that_says_how_many_is_found(name: str, days: int) -> None:
    (found,) = found_in(contracts(name, days * DAY))
    assert (found.kind, found.columns) == (name, (2, 0, 1))
    assert found.constant == days * DAY
    less = {0: '', -1: ' - 1 days', 14: ' + 14 days'}[days]
    assert found.written(['begin', 'term']) == f"'term' {name.split()[0]} after 'begin'{less}"


def test_as_many_in_all_rows_are_found() -> None:
    frame = contracts()
    frame['end'] = later('months later', frame['begin'].to_numpy(), np.full(N, 18.0), -DAY)
    (found,) = found_in(frame)
    assert found.columns == (2, 0)
    assert found.weights == (18.0,)
    assert found.written(['begin']) == "18 months after 'begin' - 1 days"


def test_gaps_are_passed_over_and_one_other_row_takes_it_away() -> None:
    frame = contracts()
    frame.loc[::5, 'end'] = np.nan
    frame.loc[1::7, 'term'] = np.nan
    assert [one.kind for one in found_in(frame)] == ['months later']
    frame.loc[2, 'end'] += DAY
    assert 'months later' not in [one.kind for one in found_in(frame)]


def test_days_are_no_months() -> None:
    frame = contracts()
    frame['end'] = frame['begin'] + 30 * DAY * frame['term']
    assert 'months later' not in [one.kind for one in found_in(frame)]
    few = contracts().head(19)
    assert found_in(few) == ()
