"""CSV: what the cells of a column are, of which a file has only the text.

Pandas takes what looks like numbers for numbers, and ``NA`` for a gap. Here zeros in front of whole
ones stay, as they do in postcodes, whole numbers with gaps stay whole, and levels are no gaps.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from sdv_tabdar.cli.separators import Separators

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 1 << 16  # rows whose text is in memory at once
_PADDED = re.compile(r' *[+-]?0[0-9]+ *')
_WHOLE = re.compile(r' *[+-]?0*(?:[0-9]{1,18}|[1-8][0-9]{18}) *')  # an int64 holds these
_FLAGS = {'True', 'TRUE', 'true', 'False', 'FALSE', 'false'}  # that pandas reads


class Cells(enum.Enum):
    """What the cells of a column are read as; values are numbers, true and false, or else text."""

    GUESSED = 'values, or text where a whole number has a zero in front'
    VALUES = 'values'
    LEVELS = 'values, or text where numbers would be written in another way'
    TEXT = 'text, whatever they look like'


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a column is read.

    Attributes:
        cells: What its cells are read as.
        levels: Texts that are levels, also those that pandas takes for gaps; of text only. An empty
            cell is always a gap.
    """

    cells: Cells = Cells.GUESSED
    levels: Collection[str] = ()


def read_csv(
    source: str | io.StringIO,
    readings: Mapping[str, Reading],
    separators: Separators | None = None,
) -> pd.DataFrame:
    """A row for each line.

    Args:
        source: The name of a file, or what stood in one.
        readings: How its columns are read; guessed where there is none.
        separators: How it is written; None if its first lines tell.

    Raises:
        ValueError: If it is no CSV, or lines have more fields than the first one, which pandas
            takes for labels.
    """
    import pandas as pd

    written = Separators.of(source) if separators is None else separators
    columns: dict[str, _Column] = {}
    with pd.read_csv(source, sep=written.field, dtype=str, chunksize=_CHUNK) as chunks:
        for chunk in chunks:
            for name, cells in chunk.items():
                kind = readings.get(str(name), Reading()).cells
                columns.setdefault(str(name), _Column(kind)).look_at(cells)
    dtypes = {name: column.dtype for name, column in columns.items() if column.dtype}
    signs: Any = {'sep': written.field, 'decimal': written.decimal}
    table = pd.read_csv(_from_start(source), **signs, dtype=dtypes, low_memory=False)
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(
            f'the first line names {len(table.columns)} columns, and other lines have '
            f'{len(table.columns) + table.index.nlevels} fields'
        )
    return _with_levels(table, _from_start(source), readings, written)


def _from_start(source: str | io.StringIO) -> str | io.StringIO:
    if isinstance(source, io.StringIO):
        source.seek(0)
    return source


def _with_levels(
    table: pd.DataFrame,
    source: str | io.StringIO,
    readings: Mapping[str, Reading],
    written: Separators,
) -> pd.DataFrame:
    """The table with levels in the place of the gaps that pandas has taken them for."""
    import pandas as pd

    levels = {
        name: [level for level in readings[name].levels if level]
        for name in table.columns[table.isna().any()]
        if name in readings and readings[name].levels
    }
    if not levels:
        return table
    texts = pd.read_csv(source, sep=written.field, usecols=list(levels), dtype=str, na_filter=False)
    found = {name: texts[name].where(texts[name].isin(those)) for name, those in levels.items()}
    return table.fillna(found)


class _Column:
    """What a column is, by the text of its cells.

    Args:
        kind: What they are read as.
    """

    def __init__(self, kind: Cells) -> None:
        self._kind = kind
        self._has_cells = self._has_gaps = self._is_padded = False
        self._is_whole = True
        self._kept_by = {int, float, bool}  # types of which all cells are written as they stand

    def look_at(self, cells: pd.Series) -> None:
        """Take note of further cells."""
        if self._kind is Cells.TEXT:
            return
        texts = cells.dropna().unique()
        self._has_cells |= len(texts) > 0
        self._has_gaps |= bool(cells.isna().any())
        self._is_whole = self._is_whole and all(map(_WHOLE.fullmatch, texts))
        if self._kind is Cells.GUESSED:
            self._is_padded = self._is_padded or any(map(_PADDED.fullmatch, texts))
        if self._kind is Cells.LEVELS:
            self._kept_by = {kind for kind in self._kept_by if _are_kept(texts, kind)}

    @property
    def dtype(self) -> Any:
        """What pandas is told; None where it may see for itself."""
        if self._kind is Cells.TEXT or self._is_padded or not self._kept_by:
            return str
        return 'Int64' if self._is_whole and self._has_cells and self._has_gaps else None


def _are_kept(texts: Collection[str], kind: type) -> bool:
    """Whether all cells would be written as they stand if they were read as values of a type."""
    if kind is bool:
        return _FLAGS.issuperset(texts)
    if kind is int:
        return all(_WHOLE.fullmatch(text) and str(int(text)) == text for text in texts)
    try:
        return all(str(float(text)) == text for text in texts)
    except ValueError:
        return False
