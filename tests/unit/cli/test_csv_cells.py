"""CSV: zeros in front stay where they say something, and whole numbers with gaps stay whole."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.cli import csv_cells
from sdv_tabdar.cli.csv_cells import Cells, Reading, read_csv


def _read(cells: list[str], kind: Cells | None = None) -> pd.Series:
    lines = [f'{cell},x' for cell in cells]
    text = '\n'.join(['a,b', *lines]) + '\n'
    return read_csv(io.StringIO(text), {} if kind is None else {'a': Reading(kind)})['a']


@pytest.mark.parametrize(
    ('cells', 'dtype', 'first'),
    [
        (['01234', '10001'], 'object', '01234'),
        (['1', '007', ''], 'object', '1'),
        (['00', '15'], 'object', '00'),
        (['1.5', '-07'], 'object', '1.5'),
        (['0', '-5'], 'int64', 0),
        (['0.5', '00.5'], 'float64', 0.5),
        (['3', ''], 'Int64', 3),
        (['8999999999999999999', ''], 'Int64', 8999999999999999999),
        (['9999999999999999999', ''], 'object', '9999999999999999999'),
        (['3.0', ''], 'float64', 3.0),
        (['true', 'False'], 'bool', True),
        (['"1\n2"', ''], 'object', '1\n2'),
    ],
)
def test_what_cells_are_is_told_by_their_text(cells: list[str], dtype: str, first: Any) -> None:
    found = _read(cells)
    assert (found.dtype, found[0]) == (dtype, first)


@pytest.mark.parametrize(
    ('cells', 'kind', 'dtype'),
    [
        (['01234', '10001'], Cells.VALUES, 'int64'),
        (['007', ''], Cells.VALUES, 'Int64'),
        (['1', '2'], Cells.TEXT, 'object'),
        (['1', '2'], Cells.LEVELS, 'int64'),
        (['1', ''], Cells.LEVELS, 'Int64'),
        (['0.5', '1.0'], Cells.LEVELS, 'float64'),
        (['true', 'FALSE'], Cells.LEVELS, 'bool'),
        (['01', '2'], Cells.LEVELS, 'object'),
        (['2.50', '1.0'], Cells.LEVELS, 'object'),
        (['1', '2.5'], Cells.LEVELS, 'object'),
        (['1e5', '2E6'], Cells.LEVELS, 'object'),
        (['18446744073709551616', ''], Cells.LEVELS, 'object'),
    ],
)
def test_what_a_column_is_may_be_said(cells: list[str], kind: Cells, dtype: str) -> None:
    assert _read(cells, kind).dtype == dtype


def test_levels_are_written_as_they_stood() -> None:
    cells = ['2.50', '1e5', '+3', '', '007']
    written = _read(cells, Cells.LEVELS).to_frame().to_csv(index=False)
    assert written.splitlines()[1:] == ['2.50', '1e5', '+3', '""', '007']


def test_a_level_is_no_gap() -> None:
    text = 'place,country\n1,NA\nNA,\n3,null\n\n4,DE\n5,n/a\n'
    reading = Reading(Cells.TEXT, ['NA', 'DE', ''])
    found = read_csv(io.StringIO(text), {'country': reading})
    assert found['country'].where(found['country'].notna(), None).tolist() == [
        *('NA', None, None, 'DE', None)
    ]
    assert found['place'].tolist() == [1, pd.NA, 3, 4, 5]


def test_all_rows_of_a_long_file_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_cells, '_CHUNK', 2)
    assert list(_read(['1', '2', '3', '04', '5'])) == ['1', '2', '3', '04', '5']
    assert _read(['1', '', '3', '4', '5']).dtype == 'Int64'
    assert _read(['1', '', '3', '4', '5.5']).dtype == 'float64'
    assert _read(['', '', '', '']).dtype == 'float64'
