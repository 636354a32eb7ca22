"""The first pass keeps what is rare, and a fair sample of the rest."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter import survey
from sdv_tabdar.adapter.dates import DateForm
from sdv_tabdar.adapter.survey import Summary, Survey, common_dtype

ENTRIES: dict[str, dict[str, Any]] = {
    'number': {'sdtype': 'numerical'},
    'level': {'sdtype': 'categorical'},
    'date': {'sdtype': 'datetime'},
}


@pytest.fixture(autouse=True)
def _small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, 'SAMPLE_ROWS', 50)
    monkeypatch.setattr(survey, '_FEWEST_ROWS', 20)
    monkeypatch.setattr(survey, '_FIRST_ROWS', 3)


def _surveyed(table: pd.DataFrame, size: int = 100) -> Summary:
    found = Survey('table', ENTRIES)
    for start in range(0, len(table), size):
        found.add(table.iloc[start : start + size])
    return found.summary()


def _table(rows: int = 2000) -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            'number': random.integers(10, 20, rows).astype(float),
            'level': random.choice(['a', 'b'], rows),
            'date': pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 9, rows), 'D'),
        }
    )


def test_the_rarest_of_each_column_is_kept() -> None:
    table = _table()
    table.loc[1234, 'number'] = -7.0
    table.loc[1235, 'number'] = 99.0
    table.loc[1236, 'number'] = 15.125
    table.loc[1237, 'number'] = np.nan
    table.loc[777, 'level'] = 'rare'
    table.loc[1999, 'date'] = pd.Timestamp('2020-01-05 03:00')
    table.loc[1998, 'date'] = pd.Timestamp('2031-01-01')
    found = _surveyed(table)
    assert {1234, 1235, 1236, 1237, 777, 1999, 1998} <= set(found.frame.index)
    assert found.num_rows == 2000
    assert found.missing['number'] == 1 / 2000
    pd.testing.assert_frame_equal(found.frame, table.loc[found.frame.index])


@pytest.mark.parametrize('sdtype', ['email', 'unknown', 'numerical', 'categorical'])
def test_a_value_is_kept_where_nearly_all_are_missing(sdtype: str) -> None:
    table = _table().assign(contact=None)
    table.loc[1234, 'contact'] = 7 if sdtype == 'numerical' else 'one'
    found = Survey('table', {**ENTRIES, 'contact': {'sdtype': sdtype}})
    for start in range(0, len(table), 100):
        found.add(table.iloc[start : start + 100])
    summary = found.summary()
    assert summary.frame['contact'].dropna().index.tolist() == [1234]
    assert summary.frame.index.is_unique
    assert summary.missing['contact'] == 1 - 1 / len(table)


@pytest.mark.parametrize('kind', ['pandas', 'arrow', 'python'])
@pytest.mark.parametrize('zone', ['Europe/Berlin', 'Asia/Kolkata'])
def test_the_unit_of_dates_is_that_of_their_clocks(zone: str, kind: str) -> None:
    table = _table()[['date']]
    table['date'] += pd.to_timedelta(table.index % 200, 'D')
    table.loc[1777, 'date'] += pd.Timedelta(3, 'h')
    dates = table['date'].dt.tz_localize(zone)
    table['date'] = dates
    if kind == 'arrow':
        table['date'] = dates.astype(f'timestamp[us, tz={zone}][pyarrow]')
    elif kind == 'python':
        table['date'] = pd.Series([date.to_pydatetime() for date in dates], dtype=object)
    found = _surveyed(table)
    whole, part = (DateForm.learn(rows['date'], None) for rows in (table, found.frame))
    assert 1777 in found.frame.index
    unit = part.local_unit(part.plain(found.frame['date']))
    assert unit == whole.local_unit(whole.plain(table['date'])) == 3600e9


def test_the_zone_of_the_first_date_is_kept() -> None:
    zones = [datetime.timezone(datetime.timedelta(hours=hours)) for hours in (2, 1)]
    dates = pd.Series([pd.NaT] * 600 + [pd.Timestamp('2020-01-01', tz=zones[0])], dtype=object)
    later = [pd.Timestamp('2020-01-02', tz=zones[1])] * 1400
    table = pd.DataFrame({'date': pd.concat([dates, pd.Series(later, dtype=object)])})
    found = _surveyed(table.reset_index(drop=True))
    assert DateForm.learn(found.frame['date'], None).time_zone == zones[0]


def test_the_sample_is_of_the_size_asked_for_and_fair() -> None:
    found = _surveyed(_table(20_000))
    assert 50 <= len(found.frame) < 90
    assert 0.25 < (found.frame.index < 10_000).mean() < 0.75


def test_a_small_table_is_its_own_summary() -> None:
    table = _table(50)
    pd.testing.assert_frame_equal(_surveyed(table, 7).frame, table)


@pytest.mark.parametrize(
    ('first', 'second', 'expected'),
    [
        ('int64', 'int64', 'int64'),
        ('int64', 'float64', 'float64'),
        ('int8', 'int32', 'int32'),
        ('bool', 'object', 'object'),
        ('bool', 'int64', 'object'),
        ('datetime64[s]', 'datetime64[ns]', 'datetime64[ns]'),
    ],
)
def test_parts_of_a_column_have_a_dtype_in_common(first: str, second: str, expected: str) -> None:
    assert common_dtype(np.dtype(first), np.dtype(second)) == np.dtype(expected)


def test_categories_of_all_parts_are_known() -> None:
    first, second = (pd.CategoricalDtype(list(text)) for text in ('ab', 'cb'))
    assert common_dtype(first, second) == pd.CategoricalDtype(list('abc'))
