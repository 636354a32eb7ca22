"""Synthetic rows as CSV files: read back in the types of the training table.

A CSV file does not say what its cells are. ``'1'`` in a column of codes may be a number or a
text, and a synthetic column may lack the one level that made pandas read it as text. What
counts is how the training table holds the same value.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.spec import Request


def build(request: Request) -> RowsFromFile:
    """Rows that were made elsewhere for the table and the seed of a request."""
    return RowsFromFile(path_for(request.spec.place, request.dataset.name, request.seed))


def path_for(text: str, table: str, seed: int) -> str:
    """A path with the name of the table and the seed in the places for them."""
    return text.replace('{table}', table).replace('{seed}', str(seed))


def write_rows(rows: pd.DataFrame, path: Path) -> None:
    """Write rows without their index; the path's ending decides about compression."""
    rows.to_csv(path, index=False)


def read_rows(path: str | Path, like: pd.DataFrame) -> pd.DataFrame:
    """Read rows written here or elsewhere, with the columns and types of a table.

    Args:
        path: A CSV file with a header line; empty cells are missing values. Columns that the
            table does not have are left out.
        like: The training table.

    Returns:
        The columns of ``like`` in its order, RangeIndex.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a column of the table is missing, or a number cannot be read.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file '{path}' with synthetic rows.")
    texts = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[''])
    absent = [name for name in like.columns if name not in texts.columns]
    if absent:
        raise ValueError(
            f"The synthetic rows in '{path}' lack the columns {absent}. Needed are all columns of "
            f'the table, {list(like.columns)}; the file has {list(texts.columns)}.'
        )
    return pd.DataFrame({name: _cast(texts[name], like[name], path) for name in like.columns})


def _cast(texts: pd.Series, like: pd.Series, path: str | Path) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(like) or pd.api.types.is_bool_dtype(like):
        # Each text becomes the value whose text it is; unknown ones stay what they are.
        values = {str(value): value for value in like.dropna().unique()}
        cells = [values.get(text, text) for text in texts]
        column = pd.Series(cells, index=texts.index, dtype=object)
        is_plain_bool = like.dtype == bool and column.isin([True, False]).all()
        return column.astype(bool) if is_plain_bool else column
    try:
        # Python reads back exactly what pandas wrote; pandas' own readers may be off by one bit.
        numbers = texts.map(float).astype(float)
    except ValueError as error:
        raise ValueError(
            f"Column '{like.name}' in '{path}' must hold numbers, as it does in the training "
            f'table: {error}.'
        ) from error
    whole = np.isfinite(numbers).all() and (numbers == numbers.round()).all()
    return numbers.astype(like.dtype) if whole and like.dtype.kind in 'iu' else numbers


def read_filled(path: str | Path, gaps: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Read rows whose gaps were filled elsewhere.

    Args:
        path: A CSV file as for :func:`read_rows`, its rows in the order of ``gaps``.
        gaps: The rows before, their gaps missing.
        like: The training table.

    Returns:
        The rows, as ``read_rows`` gives them.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it has another number of rows, or other values where there was no gap.
    """
    found = read_rows(path, like)
    if len(found) != len(gaps):
        raise ValueError(
            f"'{path}' must have the {len(gaps)} rows that were to be filled, in their order, but "
            f'it has {len(found)}.'
        )
    for name in gaps.columns:
        known = gaps[name].notna().to_numpy()
        before, after = gaps.loc[known, name], found.loc[known, name]
        if pd.api.types.is_numeric_dtype(gaps[name]):
            is_kept = np.allclose(before.astype(float), after.astype(float))
        else:
            is_kept = before.astype(str).tolist() == after.astype(str).tolist()
        if not is_kept:
            raise ValueError(
                f"Column '{name}' in '{path}' has other values where there was no gap. Only gaps "
                'may be filled, and the rows must stay in their order.'
            )
    return found


class RowsFromFile:
    """Synthetic rows from a CSV file, for models that run elsewhere.

    Args:
        path: The file; columns in any order.
    """

    # What this takes says nothing about the model that made the rows.
    timed = False

    def __init__(self, path: str) -> None:
        self.path = path

    def fit(self, data: pd.DataFrame) -> None:
        """Read the file, in the types of the training table."""
        self._rows = read_rows(self.path, data)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """The first ``num_rows`` rows, or all that the file has."""
        return self._rows.head(num_rows)
