"""The one writer of rows, by itself; whole synthesizers write in the tests of integration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.rows_on_disk import TableFile, append_csv, batches

FULL = Path('/dev/full')


@pytest.mark.parametrize(
    ('rows', 'size', 'expected'),
    [(10, 4, [4, 4, 2]), (4, 4, [4]), (3, None, [3]), (0, 5, []), (0, None, [])],
)
def test_sizes_of_batches(rows: int, size: int | None, expected: list[int]) -> None:
    assert list(batches(rows, size)) == expected


def test_rows_are_added_under_one_header(tmp_path: Path) -> None:
    path = tmp_path / 'rows.csv'
    path.touch()
    for part in (pd.DataFrame({'x': ['ü']}), pd.DataFrame({'x': ['b']})):
        append_csv(str(path), part)

    assert path.read_text(encoding='utf-8') == 'x\nü\nb\n'


def test_a_parquet_column_that_starts_empty_is_text(tmp_path: Path) -> None:
    with TableFile(str(tmp_path), 'table', 'parquet') as file:
        file.write(pd.DataFrame({'x': [None]}, dtype=object))
        file.write(pd.DataFrame({'x': ['a']}))

    assert pd.read_parquet(tmp_path / 'table.parquet')['x'].tolist() == [None, 'a']


def test_what_parquet_has_no_type_for_is_refused(tmp_path: Path) -> None:
    with (
        TableFile(str(tmp_path), 'table', 'parquet') as file,
        pytest.raises(ValueError, match="cannot be written as Parquet .* output_format='csv'"),
    ):
        file.write(pd.DataFrame({'x': ['a', 1]}))


@pytest.mark.skipif(not FULL.exists(), reason='the system has no disk that is always full')
@pytest.mark.parametrize('form', ['csv', 'parquet'])
def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path, form: str) -> None:
    file = TableFile(str(tmp_path), 'table', form)
    Path(file.path).symlink_to(FULL)
    rows = pd.DataFrame({'x': np.random.default_rng(0).random(100_000)})
    with pytest.raises(OSError, match=f'table.{form}'):
        file.write(rows)
