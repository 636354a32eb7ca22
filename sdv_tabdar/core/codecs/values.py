"""What cells of a DataFrame are: numbers, missing, or one of a column's distinct values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Number, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

_NO_TEXT = object()

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

    Numbers that are equal are one value (1 and 1.0), but a truth value is not a number, although
    Python calls True and 1 equal. Missing may occur more than once, for its several spellings.

    Raises:
        TypeError: If a value cannot be hashed.
    """
    try:
        # A last cell that is no text: pandas compares columns of nothing but text up to a NUL.
        cells = np.full(len(values) + 1, _NO_TEXT, dtype=object)
        cells[:-1] = values.astype(object).to_numpy()
        codes, found = pd.factorize(cells, use_na_sentinel=False)
    except TypeError as error:
        raise TypeError(
            f"Column '{values.name}' is categorical but holds values that cannot be told apart "
            f'({error}). Turn them into text, numbers or tuples.'
        ) from None
    codes = codes[:-1]
    distinct = [None if is_missing(value) else _plain(value) for value in found[:-1]]
    if values.dtype == object:
        for number in [i for i, value in enumerate(distinct) if isinstance(value, Number)]:
            if distinct[number] in (0, 1):
                _part_truth_values(values.to_numpy(), codes, distinct, number)
    return codes, distinct


def _part_truth_values(
    cells: npt.NDArray[Any], codes: Codes, distinct: list[Any], number: int
) -> None:
    """Give the cells of distinct value ``number`` two codes if some are bool and some numbers."""
    rows = np.flatnonzero(codes == number)
    is_bool = np.array([isinstance(cell, (bool, np.bool_)) for cell in cells[rows]])
    others = rows[is_bool != isinstance(distinct[number], bool)]
    if len(others):
        codes[others] = len(distinct)
        distinct.append(_plain(cells[others[0]]))


class LevelIndex:
    """Positions of a column's levels.

    A truth value that is no level stands for the number that equals it, and the other way round.

    Attributes:
        levels: Distinct values, None for missing.
    """

    def __init__(self, levels: Iterable[Hashable]) -> None:
        """Number the levels in the order given; repetitions are left out."""
        self._numbers: dict[tuple[bool, Hashable], int] = {}
        self.levels: list[Hashable] = []
        self._add(levels)

    @classmethod
    def of(cls, values: pd.Series) -> tuple[LevelIndex, Codes]:
        """The index of the distinct values of a column, and the position ``(B,)`` of each cell."""
        codes, distinct = distinct_values(values)
        index = cls(distinct)
        return index, index.of_distinct(distinct)[codes]

    def _add(self, levels: Iterable[Hashable]) -> None:
        for level in levels:
            key = isinstance(level, bool), level
            if self._numbers.setdefault(key, len(self.levels)) == len(self.levels):
                self.levels.append(level)

    def added(self, distinct: Sequence[Hashable]) -> Codes:
        """Positions ``(K,)`` of distinct values, of which those that are new get the next ones."""
        self._add(distinct)
        return self.of_distinct(distinct)

    def numbers(self, values: pd.Series) -> Codes:
        """Positions ``(B,)`` of values, -1 where absent; one look-up a distinct value."""
        codes, distinct = distinct_values(values)
        return self.of_distinct(distinct)[codes]

    def of_distinct(self, distinct: Sequence[Hashable]) -> Codes:
        """Positions ``(K,)`` of distinct values, -1 where absent; at least one entry."""
        numbers = np.full(max(len(distinct), 1), -1, dtype=np.int64)
        for place, value in enumerate(distinct):
            is_bool = isinstance(value, bool)
            other = self._numbers.get((not is_bool, value), -1)
            numbers[place] = self._numbers.get((is_bool, value), other)
        return numbers


def frame_of(columns: Mapping[Any, npt.NDArray[Any]], num_rows: int) -> pd.DataFrame:
    """A DataFrame with a RangeIndex of columns ``(num_rows,)``, which it shares the memory of."""
    index = pd.RangeIndex(num_rows)
    # as series: from bare arrays pandas would make dates of objects
    series = {name: pd.Series(cells, index, cells.dtype) for name, cells in columns.items()}
    return pd.DataFrame(series, index=index, copy=False)


def _plain(value: Any) -> Any:
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return pd.Series([value])[0]  # item() would make a whole number of nanoseconds
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas.NA."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def with_columns(frame: pd.DataFrame, columns: Mapping[Any, Any]) -> pd.DataFrame:
    """A copy of a frame with other values in some columns, or with more columns.

    ``DataFrame.assign`` takes names as arguments, so that none may be ``self``.
    """
    found = frame.copy()
    for name, values in columns.items():
        found[name] = values
    return found


def level_order(level: Hashable) -> tuple[Any, ...]:
    """A key by which the levels of a column can be sorted, whatever their types.

    Truth values come first, then numbers, text, bytes, tuples by their members, all else by the
    name of the type and its text, and last missing. The order is that of the values and says
    nothing of the rows in which they are.
    """
    if level is None:
        return (7,)
    if isinstance(level, bool):
        return (1, level)
    if isinstance(level, Real):
        return (2, level)
    if isinstance(level, str):
        return (3, level)
    if isinstance(level, bytes):
        return (4, level)
    if isinstance(level, tuple):
        return (5, tuple(level_order(member) for member in level))
    return (6, type(level).__name__, str(level))


def is_number(value: Any) -> bool:
    """Whether a cell reads as a number, or is missing."""
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return is_missing(value)
    return True


def shown(levels: Sequence[Hashable]) -> str:
    """The first few levels, for an error message."""
    text = ', '.join(repr(level) for level in levels[:SHOWN])
    return text + (', ...' if len(levels) > SHOWN else '')
