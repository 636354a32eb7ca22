"""The first pass keeps what is rare, and a fair sample of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter import survey
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
