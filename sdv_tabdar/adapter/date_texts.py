"""Dates as texts: in which format they are, and how far they may go."""

from __future__ import annotations

import re
import warnings

import pandas as pd
from pandas.tseries.api import guess_datetime_format
from sdv.errors import InvalidDataError

_LOOKED_AT = 100  # texts, before all
_WITHOUT_ZEROS = ('dm', 'dmHI', 'HI', 'd', 'm')  # parts of dates that are so together
POSSIBLE = f'between {pd.Timestamp.min:%Y-%m-%d} and {pd.Timestamp.max:%Y-%m-%d}'
"""Dates that a count of nanoseconds reaches."""


def is_exact_text(present: pd.Series, text_format: str | None) -> bool:
    """Whether all dates are text that the format reads, and writes just so."""
    special = ('%z', '%Z')
    if not text_format or any(mark in text_format for mark in special):
        return False
    texts = _texts(present)
    dates = None if texts is None else _read(texts, text_format)
    if dates is None:
        return False
    try:
        return bool((dates.dt.strftime(text_format) == texts).all())
    except ValueError:  # a format that this system does not write
        return False


def as_written(present: pd.Series, text_format: str | None) -> str | None:
    """A format that writes all texts as they are: this one, or without some of its leading zeros.

    Where none does, as it is given.
    """
    if text_format is None or is_exact_text(present, text_format):
        return text_format
    for bare in _WITHOUT_ZEROS:
        for sign in '-#':  # of glibc and macOS, and of Windows
            other = re.sub(f'%([{bare}])', rf'%{sign}\1', text_format)
            if other != text_format and all(
                is_exact_text(part, other) for part in (present.head(_LOOKED_AT), present)
            ):
                return other
    return text_format


def guessed_format(present: pd.Series) -> str | None:
    """The format of texts without one, guessed by the first one as SDV guesses it."""
    texts = _texts(present)
    if texts is None:
        return None
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Parsing dates in', UserWarning)  # the day comes first
        guess = guess_datetime_format(texts[0])
    return guess if guess and _read(texts, guess) is not None else None


def _texts(present: pd.Series) -> pd.Series | None:
    """The different texts of a column, none of them missing; None if there is anything else."""
    dtype = present.dtype
    cells = dtype.categories if isinstance(dtype, pd.CategoricalDtype) else present
    # To look at single dates before 1677 in a time zone ends the process, in pandas itself.
    if not len(present) or pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return None
    if not all(isinstance(value, str) for value in present):
        return None
    return pd.Series(present.astype(object).unique(), dtype=object, name=present.name)


def _read(texts: pd.Series, text_format: str) -> pd.Series | None:
    """The dates that texts are in a format; None if one of them is none."""
    try:
        aware = '%z' in text_format.lower()
        return pd.to_datetime(texts, format=readable(text_format), utc=aware)
    except pd.errors.OutOfBoundsDatetime:
        raise too_far(texts) from None
    except ValueError:
        return None


def readable(text_format: str) -> str:
    """A format as pandas reads it, in which days and months without a zero are no others."""
    return text_format.replace('%-', '%').replace('%#', '%')


def too_far(present: pd.Series) -> InvalidDataError:
    """The error of a column with dates beyond those that nanoseconds reach."""
    try:
        low, high = present.min(), present.max()
    except TypeError:  # dates and times in one column
        low, high = present.map(str).min(), present.map(str).max()
    return InvalidDataError(
        [
            f"Column '{present.name}' has dates from {low} to {high}. Dates must lie {POSSIBLE}. "
            'Replace the others, or leave the cells empty.'
        ]
    )
