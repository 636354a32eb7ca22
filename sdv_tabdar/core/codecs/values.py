"""What cells of a DataFrame are: numbers, missing, or one of a column's distinct values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

SHOWN = 10  # values named in an error message


def as_floats(values: pd.Series) -> Floats:
    """Float64 values of a numerical column, NaN where missing.

    Raises:
        TypeError: If a value is not a number.
        ValueError: If a value is infinite.
    """
    if values.dtype.kind in 'mMc':  # pandas would turn them into integers, and NaT into the least
        raise TypeError(
            f"Column '{values.name}' is numerical but holds values of dtype {values.dtype}. Turn "
            'them into numbers first.'
        )
    try:
        numbers = pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        bad = [value for value in values.tolist() if not is_number(value)][:SHOWN]
        raise TypeError(
            f"Column '{values.name}' is numerical but holds {bad}. Give numbers, or declare the "
            'column categorical.'
        ) from None
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"Column '{values.name}' has {int(infinite.sum())} infinite values (first at row "
            f'{int(infinite.argmax())}). Numbers must be finite; replace them or leave the cells '
            'empty.'
        )
    return numbers


def distinct_values(values: pd.Series) -> tuple[Codes, list[Any]]:
    """Which distinct value each cell has, and these as plain Python objects, None for missing.

    Raises:
        TypeError: If a value cannot be hashed.
    """
    try:
        codes, distinct = pd.factorize(values.astype(object), use_na_sentinel=False)
    except TypeError as error:
        raise TypeError(
            f"Column '{values.name}' is categorical but holds values that cannot be told apart "
            f'({error}). Turn them into text, numbers or tuples.'
        ) from None
    return codes, [None if is_missing(value) else _plain(value) for value in distinct]


def numbers_of(values: pd.Series, lookup: Mapping[Hashable, int]) -> Codes:
    """Numbers ``(B,)`` of values by ``lookup``, -1 where absent; one look-up a distinct value."""
    codes, distinct = distinct_values(values)
    numbers = np.array([lookup.get(value, -1) for value in distinct], dtype=np.int64)
    return numbers[codes] if len(distinct) else np.zeros(0, dtype=np.int64)


def frame_of(columns: Mapping[Any, npt.NDArray[Any]], num_rows: int) -> pd.DataFrame:
    """A DataFrame with a RangeIndex of columns ``(num_rows,)``, which it shares the memory of."""
    index = pd.RangeIndex(num_rows)
    # as series: from bare arrays pandas would make dates of objects
    series = {name: pd.Series(cells, index, cells.dtype) for name, cells in columns.items()}
    return pd.DataFrame(series, index=index, copy=False)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas.NA."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def is_number(value: Any) -> bool:
    """Whether a cell reads as a number, or is missing."""
    try:
        float(value)
    except (TypeError, ValueError):
        return is_missing(value)
    return True


def shown(levels: Sequence[Hashable]) -> str:
    """The first few levels, for an error message."""
    text = ', '.join(repr(level) for level in levels[:SHOWN])
    return text + (', ...' if len(levels) > SHOWN else '')
