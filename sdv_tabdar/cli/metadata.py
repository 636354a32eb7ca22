"""What the columns of a table are: detected or read from a file, and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdv_tabdar.cli.csv_cells import Cells, Reading
from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.tables import TableName, read_table
from sdv_tabdar.cli.terminal import say

if TYPE_CHECKING:
    import pandas as pd

# Sdtypes whose values are numbers or booleans; those whose values may also be text that looks so.
# All others are text.
_VALUES = ('numerical', 'boolean', 'latitude', 'longitude')
_LEVELS = ('categorical', 'ordinal', 'id', 'datetime')
_DETECTED = 'detected; --metadata FILE.json says otherwise'


def read_described(
    data: str, file: str | None, readings: Mapping[str, Reading] | None = None
) -> tuple[pd.DataFrame, Any]:
    """The rows of a file, and SDV's metadata of them, which are shown.

    Args:
        data: The file of rows.
        file: A JSON file with metadata, which also say how columns are read; None detects them.
        readings: How columns are read where there is no such file; guessed where it is None.

    Raises:
        Refusal: If one of the files is not what it should be, or columns hold what SDV detects
            nothing of.
    """
    if file is None:
        rows = read_table(data, readings)
        found, source = _detected(rows, TableName.of(data).table), _DETECTED
    else:
        found, source = _loaded(file), file
        rows = read_table(data, _readings(found))
    _show(found, rows, source)
    return rows, found


def _loaded(file: str) -> Any:
    """The metadata of a file.

    Raises:
        Refusal: If it holds none.
    """
    from sdv.metadata import Metadata

    try:
        return Metadata.load_from_json(file)
    except Exception as error:  # whatever it is that SDV stumbles over in a strange file
        reason = str(error).rstrip('.') or type(error).__name__
        raise Refusal(f'{file} holds no SDV metadata: {reason}.') from error


def _readings(metadata: Any) -> dict[str, Reading]:
    """How each column is read by its metadata."""
    return {
        str(name): _reading(facts)
        for table in metadata.to_dict()['tables'].values()
        for name, facts in table.get('columns', {}).items()
    }


def _reading(facts: Mapping[str, Any]) -> Reading:
    """How a column is read by its metadata: as its levels are, if these are there."""
    if facts.get('sdtype') in _VALUES:
        return Reading(Cells.VALUES)
    if facts.get('datetime_format'):
        return Reading(Cells.TEXT)
    levels = facts.get('range_values')
    if levels:
        is_text = all(isinstance(level, str) for level in levels)
        return Reading(Cells.TEXT, levels) if is_text else Reading(Cells.VALUES)
    return Reading(Cells.LEVELS if facts.get('sdtype') in _LEVELS else Cells.TEXT)


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
