"""Drawn dates and their parts: which date has what was drawn, and what one that stays says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.broken import num_broken
from sdv_tabdar.core.inference.calendars import Calendars
from sdv_tabdar.core.inference.told_levels import ToldLevels
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.schema import ColumnKind

N = 3000


def as_numbers(dates: pd.DatetimeIndex) -> np.ndarray:
    return dates.to_numpy(dtype='datetime64[ns]').astype(np.int64).astype(float)


def as_dates(numbers: pd.Series) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(numbers.to_numpy().astype(np.int64).view('datetime64[ns]'))


def orders(seed: int = 0) -> pd.DataFrame:
    """Working days of 2020 to 2023, their year, month and weekday."""
    random = np.random.default_rng(seed)
    days = pd.bdate_range('2020-01-01', '2023-12-31')
    dates = days[random.integers(0, len(days), N)]
    return pd.DataFrame(
        {
            'date': as_numbers(dates),
            'year': dates.year.astype(str).astype(object),
            'month': dates.month_name().astype(object),
            'weekday': dates.day_name().astype(object),
        }
    )


def broken(rows: pd.DataFrame) -> np.ndarray:
    dates = as_dates(rows['date'])
    is_other = dates.year.astype(str) != rows['year']
    is_other |= dates.month_name() != rows['month']
    return np.asarray(is_other | (dates.day_name() != rows['weekday']))


@pytest.fixture(scope='module')
def encoder() -> TableEncoder:
    kinds = dict.fromkeys(orders(), ColumnKind.CATEGORICAL) | {'date': ColumnKind.NUMERICAL}
    found = TableEncoder.fit(orders(), kinds, ModelConfig())
    assert {one.part for one in found.calendar_parts} == {'year', 'month', 'weekday'}
    return found


def shuffled() -> pd.DataFrame:
    """Dates beside the parts of other rows."""
    frame = orders()
    frame['date'] = frame['date'].to_numpy()[::-1]
    return frame


def settled(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    known: Sequence[str] = (),
    restrictions: Mapping[str, Sequence[Restriction | None]] | None = None,
) -> pd.DataFrame:
    rows = frame.copy()
    marks = np.tile([name in known for name in frame], (len(frame), 1))
    levels = ToldLevels(encoder, marks, restrictions or {})
    Calendars(levels).lead(rows)
    levels.tell(rows)
    return rows


def test_dates_move_to_what_was_drawn_beside_them(encoder: TableEncoder) -> None:
    frame = shuffled()
    assert broken(frame).mean() > 0.9
    rows = settled(encoder, frame)
    assert not broken(rows).any()
    assert rows.drop(columns='date').equals(frame.drop(columns='date'))
    days = as_dates(rows['date']).day
    assert np.abs(np.bincount(days, minlength=32)[1:29] / N - 12 / 365).max() < 0.02


def test_what_fits_already_stays(encoder: TableEncoder) -> None:
    pd.testing.assert_frame_equal(settled(encoder, orders()), orders())


def test_of_a_known_date_the_parts_follow(encoder: TableEncoder) -> None:
    frame = shuffled()
    rows = settled(encoder, frame, known=['date'])
    assert not broken(rows).any()
    assert rows['date'].equals(frame['date'])
    both = settled(encoder, frame, known=['date', 'weekday'])
    assert both[['date', 'weekday']].equals(frame[['date', 'weekday']])
    assert both['month'].equals(rows['month'])


def test_where_no_date_has_all_parts_it_has_those_asked_for(encoder: TableEncoder) -> None:
    frame = orders()
    asked: dict[str, Sequence[Restriction | None]] = {
        'weekday': [Members(('Monday', 'Friday'))] * N,
        'date': [Interval(*as_numbers(pd.DatetimeIndex(['2022-05-02', '2022-05-09'])))] * N,
        'year': [NotMissing()] * N,
    }
    frame['date'] = as_numbers(pd.DatetimeIndex(['2022-05-04']))[0]
    frame['weekday'] = np.where(np.arange(N) % 2, 'Monday', 'Friday').astype(object)
    rows = settled(encoder, frame, restrictions=asked)
    assert not broken(rows).any()
    assert rows['weekday'].equals(frame['weekday'])
    assert {*as_dates(rows['date']).strftime('%m-%d')} == {'05-02', '05-06'}


def test_nothing_is_said_of_missing_cells(encoder: TableEncoder) -> None:
    frame = shuffled()
    frame.loc[::3, 'date'] = np.nan
    rows = settled(encoder, frame)
    gone = frame['date'].isna()
    pd.testing.assert_frame_equal(rows[gone], frame[gone])
    assert not broken(rows[~gone]).any()


def test_broken_parts_are_counted(encoder: TableEncoder) -> None:
    frame, none = shuffled(), np.zeros((N, 4), dtype=bool)
    assert (num_broken(encoder, orders(), none) == 0).all()
    assert ((num_broken(encoder, frame, none) > 0) == broken(frame)).all()
    assert (num_broken(encoder, frame, ~none) == 0).all()
