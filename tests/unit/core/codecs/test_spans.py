"""Whole years and months between dates: how they are counted, and which columns are some."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.aggregates import Aggregate, kept_aggregates
from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.spans import BETWEEN, moved, span
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400


def dates(*texts: str) -> Floats:
    return (
        pd.to_datetime(pd.Series(texts), format='ISO8601').to_numpy().astype('M8[ns]').astype(float)
    )


def some_dates(seed: int, first: str = '1950-01-01', num_days: int = 20_000) -> Floats:
    random = np.random.default_rng(seed)
    return dates(first)[0] + DAY * random.integers(0, num_days, N)


def visits(kind: str = 'years', seed: int = 0) -> pd.DataFrame:
    """Dates of birth and of a visit, and what lies between them."""
    frame = pd.DataFrame({'birth': some_dates(seed)})
    frame['visit'] = some_dates(seed + 1, '2015-01-01', 3_000)
    frame['age'] = span(kind, frame['birth'].to_numpy(), frame['visit'].to_numpy())
    frame['cost'] = np.random.default_rng(seed).gamma(2, 30, N).round(2)
    return frame


def found_in(frame: pd.DataFrame) -> tuple[TableEncoder, tuple[Aggregate, ...]]:
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    return encoder, encoder.aggregates


def named(frame: pd.DataFrame) -> dict[str, str]:
    names = list(frame)
    return {
        names[one.result]: one.written([names[source] for source in one.sources])
        for one in found_in(frame)[1]
    }


AGE = {'age': "the whole years from 'birth' to 'visit'"}


def test_years_and_months_are_those_of_people() -> None:
    first, last = some_dates(0), some_dates(1)
    for kind, unit in (('years', 12), ('months', 1)):
        wanted = []
        for pair in zip(first, last, strict=True):
            begin, end = (datetime.date(1970, 1, 1) + datetime.timedelta(x / DAY) for x in pair)
            months = 12 * (end.year - begin.year) + end.month - begin.month
            wanted.append((months - (end.day < begin.day)) // unit)
        assert span(kind, first, last).tolist() == wanted
        assert span(kind, first + 0.3 * DAY, last + 0.7 * DAY).tolist() == wanted


@pytest.mark.parametrize(
    ('kind', 'numbers'),
    [
        ('years', [0, 1, 3, 4]),
        ('years to ends', [1, 1, 3, 4]),
        ('months', [11, 12, 47, 48]),
        ('months to ends', [12, 12, 47, 48]),
        ('calendar years', [1, 1, 4, 4]),
        ('calendar months', [12, 13, 48, 48]),
        ('years of 365.25 days', [0, 1, 3, 4]),
        ('years of 365 days', [1, 1, 4, 4]),
    ],
)
def test_on_29_february_kinds_differ(kind: str, numbers: list[int]) -> None:
    last = dates('2021-02-28', '2021-03-01', '2024-02-28', '2024-02-29')
    assert span(kind, dates(*['2020-02-29'] * 4), last).tolist() == numbers


def test_a_missing_date_has_no_years() -> None:
    none, there = np.array([np.nan, np.inf, 1e300, 0.0]), np.zeros(4)
    for kind in BETWEEN:
        for pair in ((none, there), (there, none)):
            assert np.isnan(span(kind, *pair)).tolist() == [True, True, True, False]
    assert np.isnan(moved('years', none, there)).tolist() == [True, True, True, False]
    assert np.isnan(moved('years', there, none)).tolist() == [True, True, True, False]


def test_dates_move_by_years_and_months_and_keep_their_day_and_time() -> None:
    before = dates('2020-02-29 13:30', '2021-01-31', '1969-12-31 01:00')
    years = dates('2021-02-28 13:30', '2019-01-31', '1971-12-31 01:00')
    assert moved('years', before, np.array([1.0, -2.0, 2.0])).tolist() == years.tolist()
    months = dates('2020-03-29 13:30', '2020-11-30', '1970-02-28 01:00')
    assert moved('months', before, np.array([1.0, -2.0, 2.0])).tolist() == months.tolist()


@pytest.mark.parametrize('kind', BETWEEN)
def test_each_kind_is_found(kind: str) -> None:
    frame = visits(kind)
    frame.loc[:2, 'birth'] = dates('1956-02-29', '1960-02-29', '1957-03-01')
    frame.loc[:2, 'visit'] = dates('2019-02-28', '2018-02-28', '2019-03-01')
    frame['age'] = span(kind, frame['birth'].to_numpy(), frame['visit'].to_numpy())
    frame.loc[5::40, 'age'] = frame.loc[6::40, 'birth'] = np.nan
    (one,) = found_in(frame)[1]
    assert one.kind == kind
    assert one.columns == (2, 0, 1)
    assert one.steps == (DAY, DAY)
    assert named(frame) == {'age': f"{BETWEEN[kind].words} from 'birth' to 'visit'"}


def test_one_row_that_is_otherwise_takes_it_away() -> None:
    frame = visits()
    assert named(frame) == AGE
    frame.loc[3, 'age'] += 1
    assert named(frame) == {}


def test_few_rows_and_what_one_date_says_alone_are_none() -> None:
    assert named(visits().head(19)) == {}
    assert named(visits().head(40)) == AGE
    frame = visits()
    frame['visit'] = dates('2024-01-02')[0] + DAY * np.random.default_rng(0).integers(0, 3, N)
    frame['age'] = span('years', frame['birth'].to_numpy(), frame['visit'].to_numpy())
    assert named(frame) == {}  # of few people a birthday lies between


def test_times_of_day_and_several_spans() -> None:
    frame = visits()
    frame['visit'] += 0.5 * DAY
    frame['left'] = frame['visit'] + DAY * np.random.default_rng(4).integers(1, 2_000, N)
    frame['stay'] = span('months', frame['visit'].to_numpy(), frame['left'].to_numpy())
    _, found = found_in(frame)
    assert [(one.kind, one.columns) for one in found] == [
        ('years', (2, 0, 1)),
        ('months', (5, 1, 4)),
    ]
    assert found[0].steps == (DAY, DAY / 24)
    places = np.array([0.2, 0.6]) * DAY
    assert found[0].rounded(2, places).tolist() == (np.array([5, 14]) / 24 * DAY).tolist()


def test_other_rows_keep_what_holds_in_them() -> None:
    encoder, found = found_in(visits())
    assert kept_aggregates(visits(seed=5), encoder.codecs, found) == found
    assert kept_aggregates(visits('calendar years', seed=5), encoder.codecs, found) == ()


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = visits()
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    with StoredTable(tmp_path, kinds) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        found = TableEncoder.fit(stored, kinds, ModelConfig()).aggregates
    assert found == found_in(frame)[1]


def test_a_state_is_plain_and_comes_back() -> None:
    encoder, found = found_in(visits())
    assert TableEncoder.from_state(encoder.to_state()).aggregates == found
    former = {name: cells for name, cells in found[0].to_state().items() if name != 'steps'}
    assert Aggregate.from_state(former | {'kind': 'greatest'}).steps == ()
