"""What the columns of a table are: detected or read from a file, and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.terminal import say

if TYPE_CHECKING:
    import pandas as pd


def metadata_of(rows: pd.DataFrame, table: str, file: str | None) -> Any:
    """SDV's metadata of a table, which are shown.

    Args:
        rows: The table.
        table: Its name.
        file: A JSON file with metadata; None detects them.

    Raises:
        Refusal: If the file holds none, or columns hold what SDV detects nothing of.
    """
    from sdv.metadata import Metadata

    if file is None:
        found = _detected(rows, table)
    else:
        try:
            found = Metadata.load_from_json(file)
        except Exception as error:  # whatever it is that SDV stumbles over in a strange file
            reason = str(error).rstrip('.') or type(error).__name__
            raise Refusal(f'{file} holds no SDV metadata: {reason}.') from error
    _show(found, rows, 'detected; --metadata FILE.json says otherwise' if file is None else file)
    return found


def _detected(rows: pd.DataFrame, table: str) -> Any:
    """What SDV takes the columns for; decimal numbers, which it does not know, are numbers.

    Raises:
        Refusal: If columns hold objects that metadata cannot be written of.
    """
    from pandas.api.types import infer_dtype
    from sdv.metadata import Metadata

    kinds = {name: infer_dtype(column) for name, column in rows.items() if column.dtype == object}
    decimals = [name for name, kind in kinds.items() if kind == 'decimal']
    try:
        return Metadata.detect_from_dataframes({table: rows.astype(dict.fromkeys(decimals, float))})
    except TypeError as error:  # SDV logs them as JSON
        known = ('string', 'boolean', 'decimal', 'empty')
        odd = [f'{name!r} ({kind})' for name, kind in kinds.items() if kind not in known]
        raise Refusal(
            f'What the columns of {table!r} are cannot be detected: {error}. Columns of objects '
            f'are {", ".join(odd)}. Write them as text or numbers, or say with '
            '--metadata FILE.json what they are.'
        ) from error


def _show(metadata: Any, rows: pd.DataFrame, source: str) -> None:
    """A line for each column."""
    for name, table in metadata.to_dict()['tables'].items():
        columns = table.get('columns', {})
        say(f'Table {name!r}: {len(rows):,} rows, {len(columns)} columns (sdtypes {source})')
        width = max((len(str(column)) for column in columns), default=0)
        for column, facts in columns.items():
            told = [facts.get('sdtype'), facts.get('datetime_format'), facts.get('regex_format')]
            if facts.get('pii'):
                told.append('personal data, made anew')
            if column == table.get('primary_key'):
                told.append('primary key')
            say(f'  {column!s:<{width}}  {", ".join(str(fact) for fact in told if fact)}')
