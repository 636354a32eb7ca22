"""Cells of one column, read from what the user wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.cells import read_cells
from sdv_tabdar.adapter.conditioning import CellRefusedError
from sdv_tabdar.conditions import Between, NotNull, OneOf

from .conftest import profile_of

WHOLE = profile_of(pd.Series([1, 2, 3], name='x'), 'numerical')
DAYS = profile_of(pd.Series(pd.to_datetime(['2020-01-01', '2020-12-31']), name='t'), 'datetime')
LEVELS = profile_of(pd.Series(['a', 'b', True], name='c', dtype=object), 'categorical')


def test_cells_are_values_or_restrictions() -> None:
    cells = pd.Series([np.int8(2), Between(1, 2), 3.0, None], dtype=object)
    read = read_cells(WHOLE, cells, conditions=True)

    assert [entry is None for entry in read.restrictions] == [True, False, True, True]
    assert read.values.tolist()[::2] == [2, 3]
    assert read.missing.tolist() == [False, False, False, True]
    assert not read.unseen.any()


@pytest.mark.parametrize('dtype', ['int64', 'float64', 'Int64', 'object'])
@pytest.mark.parametrize('conditions', [True, False])
def test_numbers_are_read_alike_in_every_dtype(dtype: str, conditions: bool) -> None:
    read = read_cells(WHOLE, pd.Series([2, 7, -3], dtype=dtype), conditions=conditions)

    assert read.values.tolist() == [2, 7, -3]
    assert read.unseen.tolist() == [False, True, True]


@pytest.mark.parametrize('dtype', ['float64', 'object'])
def test_fractions_are_no_conditions_of_whole_numbers_but_may_be_known(dtype: str) -> None:
    cells = pd.Series([2, 2.5], dtype=dtype)

    assert read_cells(WHOLE, cells, conditions=False).values.tolist() == [2, 2.5]
    with pytest.raises(CellRefusedError, match="'x' cannot be 2.5, because the column holds whole"):
        read_cells(WHOLE, cells, conditions=True)


@pytest.mark.parametrize('conditions', [True, False])
def test_complex_numbers_are_refused(conditions: bool) -> None:
    with pytest.raises(CellRefusedError, match=r"'x' cannot be \(2\+1j\), because the column is"):
        read_cells(WHOLE, pd.Series([np.nan, 2 + 1j]), conditions=conditions)


@pytest.mark.parametrize(('dtype', 'most'), [('int64', 2**63 - 1), ('UInt64', 2**64 - 1)])
def test_one_more_than_the_dtype_holds_is_refused(dtype: str, most: int) -> None:
    """A float64 does not tell the two apart."""
    profile = profile_of(pd.Series([1, 2, 3], name='x', dtype=dtype), 'numerical')

    for kind in ('uint64', object):
        read = read_cells(profile, pd.Series([most], dtype=kind), conditions=True)
        assert read.values.tolist() == [most]
    for cells in (pd.Series([most + 1], dtype=object), pd.Series([float(most)])):
        with pytest.raises(CellRefusedError, match=f'{dtype} cannot hold it'):
            read_cells(profile, cells, conditions=True)


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(CellRefusedError, match="'x' cannot be inf, because numbers must be finite"):
        read_cells(WHOLE, pd.Series([2, np.inf]), conditions=False)


@pytest.mark.parametrize('dtype', [None, object])
def test_dates_beyond_the_range_are_marked(dtype: Any) -> None:
    dates = pd.Series(pd.to_datetime(['2020-05-05', '2031-01-01', None])).astype(dtype or 'M8[ns]')
    read = read_cells(DAYS, dates, conditions=False)

    assert read.unseen.tolist() == [False, True, False]
    assert read.missing.tolist() == [False, False, True]
    assert read.values.dtype == 'datetime64[ns]'


@pytest.mark.parametrize('conditions', [True, False])
def test_dates_with_a_zone_need_a_column_with_one(conditions: bool) -> None:
    zoned = pd.Series(pd.to_datetime(['2020-05-05'])).dt.tz_localize('Asia/Tokyo')
    with pytest.raises(CellRefusedError, match="'t' cannot be Timestamp.* time zone, and the col"):
        read_cells(DAYS, zoned, conditions=conditions)


def test_dates_without_a_zone_are_in_that_of_the_column() -> None:
    days = pd.Series(pd.to_datetime(['2020-01-01', '2020-12-31']))
    profile = profile_of(days.dt.tz_localize('Asia/Tokyo'), 'datetime')

    for conditions in (True, False):
        read = read_cells(profile, days, conditions=conditions)
        expected = days.dt.tz_localize('Asia/Tokyo').dt.tz_convert('UTC').dt.tz_localize(None)
        assert read.values.tolist() == expected.tolist()
        assert not read.unseen.any()


def test_new_levels_are_marked_and_true_is_not_1() -> None:
    read = read_cells(LEVELS, pd.Series(['a', 'z', True, 1, None], dtype=object), conditions=True)

    assert read.unseen.tolist() == [False, True, False, True, False]
    assert read.values.tolist() == ['a', 'z', True, 1, None]


@pytest.mark.parametrize(
    ('cell', 'message'),
    [
        (['a'], r"'c' cannot be \['a'\], because it is a contain"),
        (OneOf(['a']), 'a single value'),
        (NotNull, r'because it is a class; call it, as in NotNull\(...\)'),
    ],
)
def test_what_is_no_known_cell_is_refused(cell: Any, message: str) -> None:
    with pytest.raises(CellRefusedError, match=message):
        read_cells(LEVELS, pd.Series([cell], dtype=object), conditions=False)
