"""Single values and columns of plain objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.values import (
    is_missing,
    item,
    level_key,
    mapped,
    plain_objects,
    with_quiet_gaps,
)


@pytest.mark.parametrize('value', [None, np.nan, pd.NaT, pd.NA])
def test_missing(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize('value', [0, '', False, [None], np.array([np.nan, 1.0])])
def test_not_missing(value: Any) -> None:
    assert not is_missing(value)


def test_keys_tell_true_from_one_but_not_one_from_its_float() -> None:
    assert level_key(True) != level_key(1)
    assert level_key(1) == level_key(1.0)
    assert level_key(['a']) == "['a']"


def test_plain_objects_are_pythons() -> None:
    found = plain_objects(pd.Series([1, None, 1], dtype='Int64'))

    assert found.tolist() == [1, None, 1]
    assert type(found[0]) is int
    assert plain_objects(found) is found
    assert plain_objects(pd.Series([np.nan, 'a'], dtype=object)).tolist() == [None, 'a']
    assert plain_objects(pd.Series([[1], [2]])).tolist() == [[1], [2]]


def test_gaps_of_r_become_gaps_of_numpy() -> None:
    """R's missing number is a signalling NaN."""
    cells = np.array([0.5, np.nan, -0.0, 3.0])
    written_by_r = cells.copy()
    written_by_r[1:2] = np.array([0x7FF0_0000_0000_07A2], dtype=np.uint64).view(np.float64)
    values = pd.Series(written_by_r, index=list('abcd'), name='x')

    found = with_quiet_gaps(values)

    assert found.to_numpy().tobytes() == cells.tobytes()
    pd.testing.assert_series_equal(found, values)
    assert with_quiet_gaps(found) is found


def test_functions_of_values_leave_out_missing_ones() -> None:
    assert mapped(pd.Series([1.4, np.nan]), round).tolist() == [1, None]
    assert item(np.datetime64('2020-01-01')) == pd.Timestamp('2020-01-01')
