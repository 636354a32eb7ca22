"""What a table must be to be encoded: rows, columns, and names by which to tell these apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.codecs.values import SHOWN
from sdv_tabdar.core.schema import ColumnKind


def check_training_table(frame: Table, kinds: Mapping[Any, ColumnKind]) -> None:
    """Refuse a table that cannot be learnt.

    Raises:
        ValueError: If it has no rows or columns, a name occurs twice or a column has no kind.
        TypeError: If a name is not a string.
    """
    if not len(frame) or not len(frame.columns):
        raise ValueError(
            f'The table to fit has {len(frame)} rows and {len(frame.columns)} columns; it '
            'needs at least one of each.'
        )
    if isinstance(frame, pd.DataFrame):
        check_names(frame)
    absent = [name for name in frame.columns if not isinstance(kinds.get(name), ColumnKind)]
    if absent:
        raise ValueError(f'The columns {absent} have no kind. Give a ColumnKind for each column.')


def check_names(frame: pd.DataFrame) -> None:
    """Refuse names of columns that are not strings, or occur twice.

    Raises:
        ValueError: If one occurs twice.
        TypeError: If one is not a string.
    """
    strange = [name for name in frame.columns if not isinstance(name, str)]
    if strange:
        raise TypeError(
            f'Column names must be strings, however: {strange[:SHOWN]}. Rename the columns, for '
            'example with frame.rename(columns=str).'
        )
    twice = frame.columns[frame.columns.duplicated()].unique().tolist()
    if twice:
        raise ValueError(f'Column names must be unique, but these occur more than once: {twice}.')
