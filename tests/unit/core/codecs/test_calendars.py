"""Columns that follow from parts of dates: which they are, and that they are saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.calendars import (
    DAY,
    HOUR,
    PARTS,
    CalendarPart,
    kept_calendar_parts,
    part_cells,
    part_codes,
)
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 900
NUMBERS = 'time', 'year', 'price', 'never'


def visits(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """Times in nanoseconds, with the year, weekday, season and shift that they are in."""
    random = np.random.default_rng(seed)
    minutes = random.integers(0, 40 * 365 * 1440, num_rows)
    dates = pd.Timestamp('1980-01-01') + pd.to_timedelta(minutes, 'min')
    return pd.DataFrame(
        {
            'price': random.gamma(2, 9, num_rows).round(2),
            'weekday': dates.day_name().astype(object),
            'time': dates.to_numpy(dtype='datetime64[ns]').astype(np.int64).astype(float),
            'year': dates.year,
            'season': np.array(['winter', 'spring', 'summer', 'autumn'])[dates.month % 12 // 3],
            'shift': np.where(dates.hour < 8, 'night', np.where(dates.hour < 17, 'day', 'late')),
            'place': random.choice(list('abc'), num_rows),
        }
    ).astype({'season': object, 'shift': object, 'place': object})


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    return {
        name: ColumnKind.NUMERICAL if name in NUMBERS else ColumnKind.CATEGORICAL for name in frame
    }


def found_in(
    frame: pd.DataFrame, replaced: pd.DataFrame | None = None
) -> tuple[TableEncoder, Sequence[CalendarPart]]:
    config = ModelConfig(max_atoms=16)
    encoder = TableEncoder.fit(frame, kinds_of(frame), config, replaced)
    return encoder, encoder.calendar_parts


def named(frame: pd.DataFrame, replaced: pd.DataFrame | None = None) -> dict[str, str]:
    names = list(frame)
    return {names[one.position]: one.part for one in found_in(frame, replaced)[1]}


ALL = {'weekday': 'weekday', 'year': 'year', 'season': 'month', 'shift': 'hour'}


def test_what_follows_from_a_date_is_found_with_its_part() -> None:
    frame = visits()
    encoder, found = found_in(frame)
    assert named(frame) == ALL
    assert {one.source for one in found} == {2}
    assert {one.step for one in found} == {6e10}  # minutes
    for one in found:
        codec = encoder.codecs[one.position]
        wanted = one.wanted(frame['time'].to_numpy())
        assert (wanted == part_codes(codec, frame[codec.column.name])).all()
        assert part_cells(codec, wanted).tolist() == frame[codec.column.name].tolist()


@pytest.mark.parametrize('part', PARTS)
def test_every_part_is_found(part: str) -> None:
    minutes = np.sort(np.random.default_rng(0).integers(0, 2 * 365 * 1440, 4000))
    dates = pd.Timestamp('2023-01-01') + pd.to_timedelta(minutes, 'min')
    own = np.asarray(PARTS[part](dates)).astype(str).astype(object)
    times = dates.to_numpy(dtype='datetime64[ns]').astype(np.int64).astype(float)
    assert named(pd.DataFrame({'time': times, 'own': own})) == {'own': part}


def test_missing_cells_say_nothing() -> None:
    frame = visits()
    frame.loc[::5, 'time'] = np.nan
    frame.loc[::7, ['weekday', 'shift']] = None
    frame.loc[1::7, 'year'] = np.nan
    encoder, found = found_in(frame)
    assert named(frame) == ALL
    rows = frame['time'].isna().to_numpy()
    for one in found:
        codec = encoder.codecs[one.position]
        own = part_codes(codec, frame[codec.column.name])
        assert ((own == -1) == frame[codec.column.name].isna()).all()
        assert (one.wanted(frame['time'].to_numpy())[rows] == -1).all()


@pytest.mark.parametrize(
    ('column', 'cell'), [('weekday', 'Monday'), ('year', 1999), ('season', 'winter')]
)
def test_one_row_that_is_otherwise_takes_it_away(column: str, cell: object) -> None:
    frame = visits()
    frame.loc[frame.index[frame[column] != cell][0], column] = cell
    assert named(frame) == {name: part for name, part in ALL.items() if name != column}


def test_cells_that_were_replaced_say_nothing() -> None:
    frame = visits()
    replaced = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    frame.loc[3, 'year'] = 2011
    frame.loc[4, 'weekday'] = 'Monday' if frame.loc[4, 'weekday'] != 'Monday' else 'Sunday'
    frame.loc[5, 'time'] += 200 * DAY
    replaced.loc[3, 'year'] = replaced.loc[4, 'weekday'] = replaced.loc[5, 'time'] = True
    assert named(frame, replaced) == ALL


def test_a_date_of_few_rows_is_one_although_it_has_one_bin() -> None:
    assert named(visits(num_rows=90)) == ALL


@pytest.mark.parametrize('num_rows', [1, 2, 20, 60])
def test_few_rows_say_little(num_rows: int) -> None:
    frame = visits(num_rows=num_rows)
    frame['year'] = 2100.0 - frame['year']
    found = named(frame)
    assert 'year' not in found  # three rows at least for each
    assert found.items() <= ALL.items()


def test_the_year_itself_needs_few_rows_and_is_that_of_all_between_them() -> None:
    frame = visits(num_rows=60)
    parts = found_in(frame)[1]
    (year,) = (one for one in parts if one.part == 'year')
    assert year.keys == year.codes == tuple(range(frame['year'].min(), frame['year'].max() + 1))
    frame.loc[7, 'year'] += 1
    assert 'year' not in named(frame)


def test_nothing_follows_by_chance_or_from_other_numbers() -> None:
    frame = visits()
    frame['time'] = frame['time'].to_numpy()[::-1]
    assert named(frame) == {}
    frame = visits()
    frame['time'] /= 1e9  # seconds are no dates here
    assert named(frame) == {}
    frame = visits()[['time']]
    frame['one'] = pd.Series('same', index=frame.index, dtype=object)
    frame['never'] = np.nan
    frame['rare'] = np.where(frame.index < 2, 'a', 'b').astype(object)
    assert named(frame) == {}


def test_dates_are_no_parts_of_each_other() -> None:
    frame = visits()
    frame['time'] = np.floor(frame['time'] / DAY % 40) * DAY
    frame['never'] = frame['time'] + 30 * DAY
    assert named(frame) == {}


def test_fractions_are_no_parts() -> None:
    frame = visits()
    frame['year'] = frame['year'] + 0.5
    assert 'year' not in named(frame)


def test_dates_of_other_years_say_no_more() -> None:
    _, found = found_in(visits())
    year = next(one for one in found if one.part == 'year')
    beyond = pd.Timestamp('2150-05-01').value
    assert year.wanted(np.array([beyond, np.nan, 1e300])).tolist() == [-1, -1, -1]
    assert year.rounded(np.array([7 * HOUR + 2.9e10, 7 * HOUR + 3.1e10])).tolist() == [
        7 * HOUR,
        7 * HOUR + 6e10,
    ]


def test_other_rows_keep_what_holds_in_them() -> None:
    encoder, found = found_in(visits())
    more = visits(1)
    more.loc[0, 'season'] = 'winter' if more.loc[0, 'season'] != 'winter' else 'summer'
    kept = kept_calendar_parts(more, encoder.codecs, found)
    assert {one.part for one in kept} == {'weekday', 'year', 'hour'}


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = visits()
    _, found = found_in(frame)
    with StoredTable(tmp_path, kinds_of(frame)) as stored:
        for start in range(0, N, 350):
            stored.append(frame[start : start + 350])
        config = ModelConfig(max_atoms=16)
        assert TableEncoder.fit(stored, kinds_of(frame), config).calendar_parts == tuple(found)


def test_a_state_is_plain_and_comes_back() -> None:
    encoder, found = found_in(visits())
    assert TableEncoder.from_state(encoder.to_state()).calendar_parts == tuple(found)
    state = encoder.to_state()
    del state['calendar_parts']  # as files of former versions
    assert TableEncoder.from_state(state).calendar_parts == ()
