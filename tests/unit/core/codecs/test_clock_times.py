"""Clock times as hhmm: the map to minutes, and which columns can be nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.clock_times import (
    ClockTimes,
    are_clock_times,
    clocks_of,
    has_clock_time,
    look_like_clock_times,
    mean_time,
    minutes_of,
    nearest_clock_times,
    quantiles_of_times,
)
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import (
    Interval,
    Members,
    NothingAllowedError,
    NotMissing,
)
from sdv_tabdar.core.schema import ColumnKind

OWN = ClockTimes(frozenset({'at'}))


def _clocks(first: int, last: int, step: int) -> list[int]:
    """All clock times of some hours that are multiples of some minutes."""
    return [100 * hour + minute for hour in range(first, last) for minute in range(0, 60, step)]


def _behind(numbers: range, ends: range) -> list[int]:
    return [100 * number + end for number in numbers for end in ends]


def test_minutes_of_clock_times_are_whole_and_come_back() -> None:
    clocks = np.array([*_clocks(0, 24, 1), 2400], dtype=np.float64)

    np.testing.assert_array_equal(minutes_of(clocks), np.arange(1441))
    np.testing.assert_array_equal(clocks_of(np.arange(1441)), clocks)
    assert are_clock_times(clocks).all()
    assert not are_clock_times(np.array([60, 99, 1275, 12.5, np.nan])).any()


def test_the_map_is_monotone_and_has_an_inverse() -> None:
    numbers = np.sort(np.random.default_rng(0).uniform(-3000, 5000, 5000))

    minutes = minutes_of(numbers)
    assert (np.diff(minutes) > 0).all()
    np.testing.assert_allclose(clocks_of(minutes), numbers)
    assert are_clock_times(nearest_clock_times(numbers)).all()


def test_means_and_quantiles_are_those_of_minutes() -> None:
    assert mean_time(np.array([[1050.0, 1150.0], [1259.0, 1301.0]])).tolist() == [1120, 1300]
    assert quantiles_of_times(np.array([1059.0, 1101.0]), [0, 0.5, 1]).tolist() == [
        1059,
        1100,
        1101,
    ]


@pytest.mark.parametrize(
    'numbers',
    [
        _clocks(5, 22, 1),
        _clocks(9, 17, 5),
        _clocks(8, 20, 10),
        _clocks(6, 22, 15),
        _clocks(0, 24, 30),
    ],
)
def test_clock_times_are_recognised(numbers: list[int]) -> None:
    assert look_like_clock_times(np.array([*numbers, np.nan]))
    assert not look_like_clock_times(np.array([*numbers, 1275.0]))
    assert not look_like_clock_times(np.array([*numbers, 700.5]))
    assert not look_like_clock_times(np.array([*numbers, 2401.0]))


@pytest.mark.parametrize(
    'numbers',
    [
        [np.nan],
        _behind(range(1, 13), range(1, 32)),  # month and day
        _behind(range(24), range(1, 54)),  # year and week
        _behind(range(1, 24), range(1, 60)),  # floor and room
        _behind(range(24), range(30, 31)),
        [*range(0, 2401, 100)],
        [*range(0, 2401, 50), 733, 1254, 1801],
        [*range(18, 60)],
        [*range(60), 100, 200],
        [1999, 2050, 1950, 1850, 999, 1299],
        [*range(1900, 1960), *range(2000, 2024)],
    ],
)
def test_other_numbers_are_not(numbers: list[float]) -> None:
    assert not look_like_clock_times(np.array(numbers, dtype=np.float64))


def test_numbers_without_a_grid_of_hours_are_hardly_ever() -> None:
    random = np.random.default_rng(0)
    for size in (3, 10, 30, 100):
        for _ in range(200):
            assert not look_like_clock_times(random.integers(0, 2400, size).astype(float))


def test_a_table_in_files_is_read_as_one_in_memory(tmp_path: Path) -> None:
    numbers = np.array(_clocks(5, 22, 1), dtype=np.float64)
    frame = pd.DataFrame({'at': numbers, 'n': np.arange(len(numbers)) * 1.0, 'k': 'a'})
    kinds = {'at': ColumnKind.NUMERICAL, 'n': ColumnKind.NUMERICAL, 'k': ColumnKind.CATEGORICAL}
    with StoredTable(tmp_path, kinds) as table:
        table.append(frame.head(500))
        table.append(frame.tail(-500))
        found = ClockTimes.find(table, kinds, ModelConfig())
        assert found == OWN == ClockTimes.find(frame, kinds, ModelConfig())
        learnt = found.learnt(table)
        assert isinstance(learnt, StoredTable)
        parts = [part['at'] for part in learnt.parts(['at'])]
        np.testing.assert_array_equal(np.concatenate(parts), minutes_of(numbers))
        assert learnt.limits('at') == (300, 1319)
        assert table.limits('at') == (500, 2159)
    for off in ({'sums': False}, {'column_order': 'fixed'}):
        assert not ClockTimes.find(frame, kinds, ModelConfig(**off)).names


def test_restrictions_are_moved_by_their_ends() -> None:
    asked = Interval(1150, 1215)
    found = OWN.restriction('at', asked)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (709.501, 735.499)
    assert found.asked is asked
    assert OWN.restriction('at', Interval(1300, None)) == Interval(779.501, None)
    assert OWN.restriction('at', Members((1259, 1275, None))) == Members((779.0, None))
    assert OWN.restriction('at', NotMissing()) == NotMissing()
    assert OWN.restriction('n', asked) is asked
    for nothing in (Interval(1160, 1199), Members((1275,))):
        assert OWN.restriction('at', nothing) is None
        with pytest.raises(NothingAllowedError, match='no clock time'):
            OWN.restricted({'at': [None, nothing]})
    assert has_clock_time(1159.5, 1200)
    assert not has_clock_time(1160, 1199)


def test_only_what_has_moved_is_written() -> None:
    frame = pd.DataFrame({'at': [1275.0, 1259.0, np.nan], 'n': [1.0, 2.0, 3.0]})
    minutes = OWN.in_minutes(frame)
    assert minutes['at'].tolist()[:2] == [779, 779]
    minutes.loc[1, 'at'] += 1
    minutes.loc[2, 'n'] = 0
    OWN.write_moved(minutes, frame)
    assert frame['at'].tolist()[:2] == [1275, 1300]
    assert np.isnan(frame['at'][2])
    assert frame['n'].tolist() == [1, 2, 0]
    known = np.array([[True, True], [True, False], [False, True]])
    np.testing.assert_array_equal(OWN.strange(frame, known)[:, 0], [True, False, False])
    assert ClockTimes().in_minutes(frame) is frame
