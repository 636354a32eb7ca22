"""Conditions that are not a single value: a range, a set of values, or 'not missing'.

They stand where SDV expects a value, in a ``Condition`` or in a cell of a ``DataFrameCondition``
or of the known columns:

    Condition({'age': Between(18, 25), 'region': OneOf(['north', 'west'])}, num_rows=100)
"""

from __future__ import annotations

import dataclasses
import datetime
import numbers
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

_DATES = (datetime.date, np.datetime64, str)


@dataclasses.dataclass(frozen=True)
class Between:
    """A number or a date from ``low`` to ``high``, both ends included; never missing.

    Attributes:
        low: Least value; None leaves the lower end open. Dates may be ``datetime``,
            ``pandas.Timestamp`` or strings in the format of the column; of a ``pandas.Period``
            it is the first moment.
        high: Greatest value; None leaves the upper end open. Of a ``pandas.Period`` it is the last
            moment.

    Raises:
        TypeError: If an end is neither a number nor a date, or one is a number and one a date.
        ValueError: If both ends are open, an end is missing (NaN, NaT), or ``low > high``.
    """

    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        """Validate the ends."""
        if isinstance(self.low, pd.Period):
            object.__setattr__(self, 'low', self.low.start_time)
        if isinstance(self.high, pd.Period):
            object.__setattr__(self, 'high', self.high.end_time)
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends:
            raise ValueError(
                'Between(None, None) restricts nothing. Give low, high or both, or use NotNull().'
            )
        for end in ends:
            if not _is_number(end) and not isinstance(end, _DATES):
                raise TypeError(
                    'The ends of Between must be numbers or dates (datetime, pandas.Timestamp or '
                    f"a string in the column's format), however: {end!r}."
                )
            if not isinstance(end, str) and pd.isna(end):
                raise ValueError(f'An end of {self!r} is missing. Use None for an open end.')
        if len(ends) == 2:
            self._check_order()

    def _check_order(self) -> None:
        if _is_number(self.low) != _is_number(self.high):
            raise TypeError(
                'Both ends of Between must be numbers or both must be dates, however: '
                f'low={self.low!r}, high={self.high!r}.'
            )
        if isinstance(self.low, str) or isinstance(self.high, str):
            return  # compared once the column's date format is known
        low, high = self.low, self.high
        if not _is_number(low):
            low, high = pd.Timestamp(low), pd.Timestamp(high)
            if (low.tz is None) != (high.tz is None):
                raise TypeError(
                    f'Both ends of Between must have a time zone or neither, however: {self!r}.'
                )
        if low > high:
            raise ValueError(f'{self!r} is empty: low must be at most high.')


@dataclasses.dataclass(frozen=True, init=False)
class OneOf:
    """One of the given values; a None among them allows the cell to be missing.

    Attributes:
        values: The allowed values, without repetitions, in the order given.

    Raises:
        TypeError: If ``values`` is a string, not iterable, or holds something unhashable.
        ValueError: If there are no values.
    """

    values: tuple[Hashable, ...]

    def __init__(self, values: Iterable[Hashable]) -> None:
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise TypeError(
                f"OneOf needs a list of values, as in OneOf(['a']), however: {values!r}."
            )
        distinct: dict[Hashable, Hashable] = {}
        for value in values:
            if isinstance(value, (Between, OneOf, NotNull)) or not isinstance(value, Hashable):
                raise TypeError(f'The values of OneOf must be plain values, however: {value!r}.')
            plain = value.item() if isinstance(value, np.generic) else value
            plain = None if pd.isna(value) else plain
            distinct.setdefault((isinstance(plain, bool), plain), plain)
        if not distinct:
            raise ValueError('OneOf needs at least one value, however: OneOf([]).')
        object.__setattr__(self, 'values', tuple(distinct.values()))

    def __repr__(self) -> str:
        return f'OneOf({list(self.values)!r})'


@dataclasses.dataclass(frozen=True)
class NotNull:
    """Any value, so long as the cell is not missing."""


PartialValue = Between | OneOf | NotNull


def _is_number(value: object) -> bool:
    if isinstance(value, (bool, np.bool_, np.datetime64)):
        return False
    return isinstance(value, (numbers.Number, np.number)) and not isinstance(value, complex)
