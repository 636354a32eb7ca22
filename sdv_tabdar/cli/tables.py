"""Tables in files: which form a file has is told by the ending of its name."""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import io
import json
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sdv_tabdar.cli.csv_cells import Cells, Reading, read_csv
from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.separators import COMMA, TAB, Separators
from sdv_tabdar.paths import why_no_file, writing

if TYPE_CHECKING:
    import pandas as pd

STANDARD = '-'
_EXACT = 2**53  # up to here a float holds every whole number
_FORMS = {
    '.csv': 'csv',
    '.tsv': 'tabs',
    '.parquet': 'parquet',
    '.jsonl': 'lines',
    '.ndjson': 'lines',
}
_COMPRESSED = ('.gz', '.bz2', '.xz', '.zip')
_ALLOWED = (
    '.csv, .tsv, .parquet, .jsonl or .ndjson; all but .parquet also with '
    f'{", ".join(_COMPRESSED[:-1])} or {_COMPRESSED[-1]} behind it'
)
_SHEETS = ('.xlsx', '.xlsm', '.xlsb', '.xls', '.ods')
_INSTEAD = 'In place of a spreadsheet take CSV, which its program saves and opens.'
_DAMAGED = (ValueError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError)


@dataclasses.dataclass(frozen=True)
class TableName:
    """A file of rows, or standard input and output (CSV).

    Attributes:
        text: As the user wrote it.
        form: ``'csv'``, ``'tabs'`` (CSV with tabs), ``'parquet'`` or ``'lines'`` (a JSON object in
            each line).
        table: The name without endings.
    """

    text: str
    form: str
    table: str

    @classmethod
    def of(cls, text: str) -> TableName:
        """The form of a file by its name.

        Raises:
            Refusal: If the ending is none that is known.
        """
        if text == STANDARD:
            return cls(text, 'csv', 'table')
        path = Path(text)
        inner = Path(path.stem) if path.suffix in _COMPRESSED else path
        form = _FORMS.get(inner.suffix.lower())
        if form is None or (form == 'parquet' and inner != path):
            sheet = f'. {_INSTEAD}' if inner.suffix.lower() in _SHEETS else '.'
            raise Refusal(f'{text}: the name of a file of rows must end in {_ALLOWED}{sheet}')
        return cls(text, form, inner.stem)


def check_free(path: str, *, force: bool, read: Collection[str | None] = ()) -> None:
    """Refuse a file that could not be written, before anything takes time.

    Args:
        path: The file.
        force: Whether it may exist.
        read: Files that the command reads, of which it must be none.

    Raises:
        Refusal: If it exists, unless ``force``, or is no file, if its folder does not exist, or if
            it is to be read.
    """
    if path == STANDARD:
        return
    if Path(path).exists() and any(
        name and Path(name).exists() and Path(path).samefile(name) for name in read
    ):
        raise Refusal(f'{path} is a file that this command reads; give another name.')
    reason = why_no_file(Path(path))
    if reason:
        raise Refusal(f"'{path}' cannot be written, as {reason}. Give the name of another file.")
    if Path(path).exists() and not force:
        raise Refusal(f'{path} exists. Give another name, or --force to replace it.')


def read_table(text: str, readings: Mapping[str, Reading] | None = None) -> pd.DataFrame:
    """The rows of a file.

    Args:
        text: The file, or '-' for CSV on standard input.
        readings: How columns of a CSV file are read; guessed where there is none.

    Raises:
        Refusal: If the ending is unknown, the file is damaged, of another form or not in UTF-8, or
            it has no columns.
    """
    name = TableName.of(text)
    if text != STANDARD and not Path(text).is_file():
        raise Refusal(f'{text}: there is no such file.')
    try:
        if name.form == 'parquet':
            with _pyarrow(text):
                table = _read_parquet(text)
        elif name.form == 'lines':
            table = _read_lines(text)
        else:
            source = _standard_input() if text == STANDARD else text
            separators = Separators(TAB) if name.form == 'tabs' else None
            table = read_csv(source, readings or {}, separators)
    except UnicodeDecodeError as error:
        raise Refusal(_not_utf8(text, error)) from error
    except _DAMAGED as error:
        form = {'parquet': 'Parquet', 'lines': 'JSON lines'}.get(name.form, 'CSV')
        reason = ' '.join(str(error).split()).rstrip('.')
        raise Refusal(f'{text} cannot be read as {form}: {reason}.') from error
    if not len(table.columns):
        raise Refusal(f'{text} has no columns.')
    return table


def readings_as_in(rows: pd.DataFrame) -> dict[str, Reading]:
    """How a file with the columns of a table is read: as text where the table has only text."""
    return {
        str(name): Reading(Cells.TEXT, column.dropna().unique().tolist())
        if column.dtype == object and column.dropna().map(type).eq(str).all()
        else Reading(Cells.VALUES)
        for name, column in rows.items()
    }


def write_table(rows: pd.DataFrame, text: str) -> None:
    """Write rows to a file that is there whole or not at all, or to standard output.

    Raises:
        Refusal: If it is to be Parquet and PyArrow is not installed, or the output is closed.
    """
    name = TableName.of(text)
    rows = rows.rename(columns=str)
    if text == STANDARD:
        if sys.stdout is None:
            raise Refusal('Standard output is closed; give -o the name of a file.')
        rows.to_csv(sys.stdout, index=False)
        sys.stdout.flush()
        return
    with whole_file(text) as part:
        packed: Any = 'infer'
        if part.suffix == '.zip':
            packed = {'method': 'zip', 'archive_name': Path(text).stem}
        if name.form == 'parquet':
            with _pyarrow(text):
                rows.to_parquet(part, index=False)
        elif name.form in ('csv', 'tabs'):
            between = TAB if name.form == 'tabs' else COMMA
            rows.to_csv(part, sep=between, index=False, compression=packed)
        else:
            from pandas.io.common import get_handle

            with get_handle(part, 'w', encoding='utf-8', compression=packed) as opened:
                _write_lines(rows, opened.handle)


@contextlib.contextmanager
def whole_file(text: str) -> Iterator[Path]:
    """A file beside the one meant, in the place of which it comes when all has gone well."""
    path = Path(text)
    part = path.with_name(f'.unfinished-{os.getpid()}-{path.name}')
    try:
        with writing(path):
            yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _standard_input() -> io.StringIO:
    """What comes on standard input.

    Raises:
        Refusal: If it is closed.
    """
    if sys.stdin is None:
        raise Refusal('Standard input is closed; give the name of a file.')
    return io.StringIO(sys.stdin.read())


def _not_utf8(text: str, error: UnicodeDecodeError) -> str:
    """What is wrong with text in another encoding, and what to do."""
    is_wide = error.start == 0 and error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    encoding = 'UTF-16' if is_wide else 'LATIN1'
    what = 'Standard input' if text == STANDARD else text
    return (
        f'{what} is not in UTF-8, in which files of rows are read (byte '
        f'0x{error.object[error.start]:02x} at {error.start}: {error.reason}). Save it as UTF-8 '
        "(a spreadsheet: 'CSV UTF-8'), or convert it, as in: "
        f'iconv -f {encoding} -t UTF-8 OLD > NEW.'
    )


def _read_parquet(text: str) -> pd.DataFrame:
    """The rows of a file; whole numbers are so also where some of a column are missing."""
    import pyarrow.parquet

    read = pyarrow.parquet.read_table(text)
    table = _with_its_index(read.to_pandas())
    whole = {
        field.name: cells.to_pandas(types_mapper=_nullable)
        for field, cells in zip(read.schema, read.columns, strict=True)
        if field.name in table and cells.null_count and pyarrow.types.is_integer(field.type)
    }
    return table.assign(**whole)


def _nullable(kind: Any) -> Any:
    """The dtype with gaps for one of Arrow's types of whole numbers."""
    from pandas.api.types import pandas_dtype

    return pandas_dtype(str(kind).replace('uint', 'UInt').replace('int', 'Int'))


def _with_its_index(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose named index is columns again, in front; other indices say nothing."""
    named = [level for level in table.index.names if level is not None]
    return table.reset_index(level=named).reset_index(drop=True)


def _read_lines(text: str) -> pd.DataFrame:
    """A row for each JSON object; numbers with gaps are whole where all that are there are.

    Raises:
        ValueError: If a line is no JSON object.
    """
    import pandas as pd

    as_written = {'dtype': False, 'convert_dates': False, 'convert_axes': False}
    try:
        table = pd.read_json(text, lines=True, precise_float=True, **as_written)
    except AttributeError as error:  # pandas asks each line for its keys
        raise ValueError('not every line is a JSON object') from error
    whole = [name for name, column in table.items() if _is_whole_with_gaps(column)]
    return table.reset_index(drop=True).astype(dict.fromkeys(whole, 'Int64'))


def _is_whole_with_gaps(column: pd.Series) -> bool:
    """Whether a column of floats holds gaps, and whole numbers that a float keeps exactly."""
    present = column.dropna()
    if column.dtype != float or not 0 < len(present) < len(column):
        return False
    return bool((present.mod(1).eq(0) & present.abs().le(_EXACT)).all())


def _write_lines(rows: pd.DataFrame, file: TextIO) -> None:
    """A JSON object for each row, numbers to the last digit, null where missing."""
    plain = rows.astype(object).where(rows.notna(), None)
    for record in plain.to_dict('records'):
        file.write(json.dumps(record, ensure_ascii=False, default=str) + '\n')


@contextlib.contextmanager
def _pyarrow(text: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise Refusal(
            f'{text}: Parquet needs PyArrow: pip install "sdv_tabdar[parquet]".'
        ) from error
