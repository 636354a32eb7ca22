"""What the metadata of a file say of its columns, cells are read as."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.cli.metadata import read_described


@pytest.mark.parametrize(
    ('facts', 'first'),
    [
        ({'sdtype': 'categorical'}, '0501'),
        ({'sdtype': 'id'}, '0501'),
        ({'sdtype': 'postcode', 'pii': True}, '0501'),
        ({'sdtype': 'numerical'}, 501),
        ({'sdtype': 'categorical', 'range_values': [501, 1234]}, 501),
        ({'sdtype': 'ordinal', 'range_values': ['0501', '1234']}, '0501'),
    ],
)
def test_zeros_stay_unless_a_column_holds_numbers(
    facts: dict[str, Any], first: Any, tmp_path: Path
) -> None:
    assert _read(tmp_path, facts, '0501', '1234')[0] == first


@pytest.mark.parametrize(
    ('facts', 'first'),
    [
        ({'sdtype': 'categorical'}, 501),
        ({'sdtype': 'id'}, 501),
        ({'sdtype': 'datetime', 'datetime_format': '%H%M'}, '501'),
        ({'sdtype': 'postcode', 'pii': True}, '501'),
        ({'sdtype': 'categorical', 'range_values': ['501', '1234']}, '501'),
    ],
)
def test_levels_that_are_written_as_numbers_are_numbers(
    facts: dict[str, Any], first: Any, tmp_path: Path
) -> None:
    assert _read(tmp_path, facts, '501', '1234')[0] == first


def test_a_level_that_is_named_is_no_gap(tmp_path: Path) -> None:
    facts = {'sdtype': 'categorical', 'range_values': ['DE', 'NA']}
    assert _read(tmp_path, facts, 'NA', 'DE') == ['NA', 'DE']
    assert _read(tmp_path, {'sdtype': 'categorical'}, 'NA', 'DE')[1:] == ['DE']


def _read(folder: Path, facts: dict[str, Any], *cells: str) -> list[Any]:
    (folder / 'rows.csv').write_text('\n'.join(['zip,age', *(f'{cell},3' for cell in cells)]))
    columns = {'zip': facts, 'age': {'sdtype': 'numerical'}}
    (folder / 'rows.json').write_text(json.dumps({'tables': {'rows': {'columns': columns}}}))
    rows, _ = read_described(str(folder / 'rows.csv'), str(folder / 'rows.json'))
    return rows['zip'].tolist()
