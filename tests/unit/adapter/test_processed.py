"""Dates of the model as multiples of their unit, in their time zone; orders that are declared."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.presences import THERE
from sdv_tabdar.adapter.processed import ProcessedFormat, declared_orders
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.core.schema import ColumnKind

DAY = 86_400e9
ZONES = ['America/New_York', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe']


def nanoseconds(dates: pd.DatetimeIndex) -> pd.Series:
    counts = dates.tz_convert('UTC').tz_localize(None).as_unit('ns').asi8
    return pd.Series(counts, dtype='float64', name='t')


@pytest.mark.parametrize('zone', ZONES)
@pytest.mark.parametrize('hours', [-10, -1, 0, 1, 10])
def test_days_begin_at_midnight_in_their_zone(zone: str, hours: int) -> None:
    days = pd.date_range('2020-01-01', periods=366, tz=zone)
    form = ProcessedFormat({}, {}, {'t': DAY}, {'t': ZoneInfo(zone)})
    drawn = nanoseconds(days) + hours * 3_600e9

    assert form.rounded(drawn).tolist() == nanoseconds(days).tolist()


def test_numbers_without_a_unit_stay() -> None:
    values = pd.Series([1.25, None], name='x')

    assert ProcessedFormat({}, {}, {}).rounded(values) is values
    assert ProcessedFormat({}, {}, {'x': 1e3}).rounded(values * 1e3).tolist()[0] == 1e3


def test_orders_are_those_of_ordered_categories_or_of_the_metadata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        private_names, 'level_order', lambda _, key: {'a': [np.int64(2), 1]}.get(key)
    )
    frame = pd.DataFrame(
        {
            'a': [1, 2],
            'b': pd.Categorical(['x', 'y'], ['y', 'x'], ordered=True),
            'c': pd.Categorical(['x', 'y'], ['y', 'x']),
            'd': [1, 2],
        }
    )
    sdtypes = {'a': 'ordinal', 'b': 'categorical', 'c': 'categorical', 'd': 'ordinal'}
    form = TableFormat.learn(frame, {key: {'sdtype': sdtype} for key, sdtype in sdtypes.items()})
    assert declared_orders(None, form) == {'a': [2, 1], 'b': ['y', 'x']}


def test_gaps_of_invented_columns_are_a_level_and_missing_in_the_model() -> None:
    frame = pd.DataFrame({'x': [1.0, 2.0], 'e (missing)': [True, False]}, index=[7, 8])
    kinds = {'x': ColumnKind.NUMERICAL, 'e (missing)': ColumnKind.CATEGORICAL}
    form = ProcessedFormat(kinds, dict(frame.dtypes), {}, presences={'e': 'e (missing)'})
    rows = form.to_model(frame)

    assert rows['e (missing)'].tolist() == [None, THERE]
    pd.testing.assert_frame_equal(form.from_model(rows), frame.reset_index(drop=True))
    assert ProcessedFormat.from_state(form.to_state()) == form
