"""Tables in files: what is written is read again; what cannot be is said in a sentence."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from sdv_tabdar.cli.csv_cells import Cells
from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.tables import check_free, read_table, readings_as_in, whole_file, write_table
from sdv_tabdar.cli.terminal import use_utf8


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            'number': [0.1 + 0.2, np.nan, 1e-300],
            'whole': [1, 2**53 + 1, -3],
            'gaps': pd.array([3, None, -1], dtype='Int64'),
            'text': ['007', 'a, "b"\nc', None],
            'flag': [True, False, True],
            '0.05': [True, False, True],  # labels are text, also where they look like something
            'date': pd.Series(['2020-01-01', None, '2021-02-03'], dtype=object),
        }
    )


@pytest.mark.parametrize(
    'ending',
    [
        *('csv', 'csv.gz', 'csv.bz2', 'csv.xz', 'csv.zip', 'CSV', 'tsv', 'tsv.gz'),
        *('parquet', 'jsonl', 'ndjson', 'jsonl.gz', 'jsonl.zip'),
    ],
)
def test_rows_come_back_as_they_were_written(
    rows: pd.DataFrame, ending: str, tmp_path: Path
) -> None:
    file = str(tmp_path / f'rows.{ending}')

    write_table(rows, file)

    found = read_table(file)
    pd.testing.assert_frame_equal(found.where(found.notna(), None), rows.where(rows.notna(), None))
    assert [path.name for path in tmp_path.iterdir()] == [f'rows.{ending}']


@pytest.mark.parametrize('name', ['rows.xlsx', 'rows', 'rows.json', 'rows.parquet.gz', 'rows.gz'])
def test_an_unknown_ending_is_told_the_known_ones(name: str) -> None:
    with pytest.raises(Refusal, match=rf'{name}: the name of a file of rows must end in \.csv'):
        read_table(name)


def test_a_spreadsheet_is_told_what_to_do() -> None:
    with pytest.raises(Refusal, match='In place of a spreadsheet take CSV'):
        read_table('rows.XLSX')


@pytest.mark.parametrize(
    ('name', 'content', 'message'),
    [
        ('empty.csv', b'', 'cannot be read as CSV: No columns to parse from file'),
        ('ragged.csv', b'a,b\n1,2\n1,2,3\n', 'cannot be read as CSV: .*Expected 2 fields'),
        ('longer.csv', b'a,b\n1,2,3\n', 'the first line names 2 columns, and other lines have 3'),
        ('bytes.csv', b'a\n\xff\xfe', r'bytes\.csv is not in UTF-8.*0xff at 2.*iconv -f LATIN1'),
        ('latin.jsonl', b'{"a": "\xfc"}\n', r'latin\.jsonl is not in UTF-8.*iconv -f LATIN1'),
        ('wide.csv', 'a\n1\n'.encode('utf-16'), r'wide\.csv is not in UTF-8.*iconv -f UTF-16'),
        ('plain.csv.gz', b'a\n1\n', 'cannot be read as CSV: Not a gzipped file'),
        ('text.parquet', b'a\n1\n', 'cannot be read as Parquet'),
        ('text.jsonl', b'a\n1\n', 'cannot be read as JSON lines'),
        ('lists.jsonl', b'{"a": 1}\n[1, 2]\n', 'as JSON lines: not every line is a JSON object'),
        ('no.jsonl', b'', 'has no columns'),
    ],
)
def test_a_damaged_file_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Refusal, match=message):
        read_table(str(tmp_path / name))


def test_columns_that_pandas_has_as_an_index_are_columns(tmp_path: Path) -> None:
    file = str(tmp_path / 'rows.parquet')
    keyed = pd.DataFrame({'key': [7, 8], 'age': [30, 40]}).set_index('key')
    keyed.to_parquet(file)
    pd.testing.assert_frame_equal(read_table(file), keyed.reset_index())
    keyed.rename_axis(None).to_parquet(file)
    pd.testing.assert_frame_equal(read_table(file), keyed.reset_index(drop=True))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match='there is no such file'):
        read_table(str(tmp_path / 'rows.csv'))


def test_only_free_names_are_written_to(tmp_path: Path) -> None:
    (tmp_path / 'there.csv').touch()
    check_free('-', force=False)
    check_free(str(tmp_path / 'new.csv'), force=False)
    check_free(str(tmp_path / 'there.csv'), force=True)
    for name, message in {
        'there.csv': 'exists. Give another name, or --force',
        'no/rows.csv': 'there is no folder',
        '': 'is a folder',
    }.items():
        with pytest.raises(Refusal, match=message):
            check_free(str(tmp_path / name), force=False)


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / 'people.csv').touch()
    read = (
        None,
        str(tmp_path / 'not there.json'),
        str(tmp_path / '..' / tmp_path.name / 'people.csv'),
    )
    with pytest.raises(Refusal, match='people.csv is a file that this command reads'):
        check_free(str(tmp_path / 'people.csv'), force=True, read=read)
    check_free(str(tmp_path / 'people.tabdar'), force=True, read=read)


def test_rows_for_an_output_that_is_closed_are_refused(
    rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, 'stdout', None)
    with pytest.raises(Refusal, match='Standard output is closed; give -o'):
        write_table(rows, '-')


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / 'pipe.csv'
    os.mkfifo(pipe)
    with pytest.raises(Refusal, match='is no file that can be replaced'):
        check_free(str(pipe), force=True)


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path: Path) -> None:
    old = tmp_path / 'rows.csv'
    old.write_text('a\n1\n')

    def write() -> None:
        with whole_file(str(old)) as part:
            part.write_text('a\n')
            raise RuntimeError('stop')

    with pytest.raises(RuntimeError, match='stop'):
        write()

    assert old.read_text() == 'a\n1\n'
    assert list(tmp_path.iterdir()) == [old]


def test_whole_numbers_of_other_writers_are_whole_beside_gaps(tmp_path: Path) -> None:
    file = str(tmp_path / 'rows.parquet')
    columns = {
        'signed': pa.array([2**53 + 1, None]),
        'unsigned': pa.array([2**64 - 1, None], pa.uint64()),
        'float': pa.array([3.0, None]),
        'full': pa.array([1, 2]),
    }
    parquet.write_table(pa.table(columns), file)

    found = read_table(file)

    assert list(found.dtypes) == ['Int64', 'UInt64', 'float64', 'int64']
    assert list(found.iloc[0]) == [2**53 + 1, 2**64 - 1, 3.0, 1]


def test_numbers_of_json_are_whole_beside_gaps_where_all_are(tmp_path: Path) -> None:
    lines = ['{"whole": 3, "half": 1, "huge": 1e300}', '{"whole": null, "half": 0.5}', '{}']
    (tmp_path / 'rows.jsonl').write_text('\n'.join(lines))
    found = read_table(str(tmp_path / 'rows.jsonl'))
    assert list(found.dtypes) == ['Int64', 'float64', 'float64']


def test_text_is_read_where_a_table_has_nothing_else(rows: pd.DataFrame) -> None:
    rows['mixed'] = pd.Series(['a', 1, None], dtype=object)
    found = {name: reading.cells for name, reading in readings_as_in(rows).items()}
    assert {name for name, cells in found.items() if cells is Cells.TEXT} == {'text', 'date'}
    assert set(found.values()) == {Cells.TEXT, Cells.VALUES}


def test_levels_of_a_table_are_none_of_its_gaps_in_a_file(rows: pd.DataFrame) -> None:
    assert set(readings_as_in(rows)['text'].levels) == {'007', 'a, "b"\nc'}


def test_input_that_is_closed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stdin', None)
    with pytest.raises(Refusal, match='Standard input is closed'):
        read_table('-')


def test_standard_streams_are_utf8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO('\ufeffgröße,n\n€,1\n'.encode()), encoding='ascii')
    written = io.BytesIO()
    monkeypatch.setattr(sys, 'stdin', given)
    monkeypatch.setattr(sys, 'stdout', io.TextIOWrapper(written, encoding='cp1252'))
    use_utf8()

    rows = read_table('-')
    write_table(rows, '-')

    assert list(rows) == ['größe', 'n']
    assert written.getvalue().decode() == f'größe,n{os.linesep}€,1{os.linesep}'


def test_standard_input_in_another_encoding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(b'a\n\xfc\n'), encoding='ascii', errors='surrogateescape')
    monkeypatch.setattr(sys, 'stdin', given)
    use_utf8()
    with pytest.raises(Refusal, match='Standard input is not in UTF-8'):
        read_table('-')
