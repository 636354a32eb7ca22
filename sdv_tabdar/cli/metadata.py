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
        Refusal: If the file holds none.
    """
    from sdv.metadata import Metadata

    if file is None:
        found = Metadata.detect_from_dataframes({table: rows})
    else:
        try:
            found = Metadata.load_from_json(file)
        except Exception as error:  # whatever it is that SDV stumbles over in a strange file
            reason = str(error).rstrip('.') or type(error).__name__
            raise Refusal(f'{file} holds no SDV metadata: {reason}.') from error
    _show(found, rows, 'detected; --metadata FILE.json says otherwise' if file is None else file)
    return found


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
