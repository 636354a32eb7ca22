"""Rows on disk: what is written is what is drawn, batch by batch, in either format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar import TabDARSynthesizer

READERS = {'csv': pd.read_csv, 'parquet': pd.read_parquet}


def _drawn(fitted: TabDARSynthesizer, **arguments: Any) -> pd.DataFrame:
    fitted.reset_sampling()
    rows: pd.DataFrame = fitted.sample(10, batch_size=4, **arguments)
    return rows


def test_csv_has_the_rows_that_are_returned(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    rows = _drawn(fitted, output_folder_path=str(tmp_path))

    rows.to_csv(tmp_path / 'returned.csv', index=False)
    assert (tmp_path / 'table.csv').read_text() == (tmp_path / 'returned.csv').read_text()
    assert len(rows) == 10
    assert rows['key'].is_unique
    pd.testing.assert_index_equal(rows.index, pd.RangeIndex(10))


def test_parquet_has_them_with_their_types(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    rows = _drawn(fitted, output_folder_path=str(tmp_path), output_format='parquet')

    written = pd.read_parquet(tmp_path / 'table.parquet')
    pd.testing.assert_frame_equal(written, rows, check_dtype=False)
    for column in ('age', 'income', 'moment', 'level'):
        assert written[column].dtype == rows[column].dtype, column


@pytest.mark.parametrize('output_format', READERS)
def test_rows_may_be_written_only(
    fitted: TabDARSynthesizer, tmp_path: Path, output_format: str
) -> None:
    kept = _drawn(fitted)
    target = {'output_folder_path': str(tmp_path), 'output_format': output_format}
    nothing = _drawn(fitted, **target, return_rows=False)

    assert len(nothing) == 0
    pd.testing.assert_series_equal(nothing.dtypes, kept.dtypes)
    written = READERS[output_format](tmp_path / f'table.{output_format}')
    assert written['key'].tolist() == kept['key'].tolist()
    assert written['city'].isna().tolist() == kept['city'].isna().tolist()


@pytest.mark.parametrize('output_format', READERS)
def test_what_was_drawn_before_an_error_is_kept(
    fitted: TabDARSynthesizer,
    tmp_path: Path,
    output_format: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw, calls = BaseSingleTableSynthesizer._sample_rows, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return draw(*arguments)

    monkeypatch.setattr(BaseSingleTableSynthesizer, '_sample_rows', interrupted)
    with pytest.raises(KeyboardInterrupt, match=f'are stored in .*table.{output_format}'):
        _drawn(fitted, output_folder_path=str(tmp_path), output_format=output_format)
    assert len(READERS[output_format](tmp_path / f'table.{output_format}')) == 8


def test_a_file_is_never_overwritten(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    for output_format in READERS:
        path = tmp_path / f'table.{output_format}'
        path.write_text('mine')
        with pytest.raises(AssertionError, match='already exist'):
            fitted.sample(1, output_folder_path=str(tmp_path), output_format=output_format)
        assert path.read_text() == 'mine'


def test_an_unknown_format_is_refused(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one of \['csv', 'parquet'\], however: 'xlsx'"):
        fitted.sample(1, output_folder_path=str(tmp_path), output_format='xlsx')


def test_rows_must_go_somewhere(fitted: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match="give 'output_folder_path'"):
        fitted.sample(1, return_rows=False)


def test_without_pyarrow_it_says_what_to_do(
    fitted: TabDARSynthesizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    with pytest.raises(ModuleNotFoundError, match=r'sdv_tabdar\[parquet\]'):
        fitted.sample(1, output_folder_path=str(tmp_path), output_format='parquet')


def test_a_folder_that_is_a_file_is_refused_before_anything_is_drawn(
    fitted: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'rows'
    path.touch()
    for folder in (path, path / 'inner'):
        with pytest.raises(ValueError, match='output_folder_path.* is a file and no folder'):
            fitted.sample(1, output_folder_path=str(folder))
        with pytest.raises(ValueError, match='output_folder_path.* is a file and no folder'):
            fitted.sample_remaining_columns(fitted.sample(1), output_folder_path=str(folder))
