"""Single values: which are missing, and columns of them as plain Python objects."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

_LONGEST = 200  # characters of a value in a message
_QUIET = np.uint64(1 << 51)  # the bit of a NaN of 64 bits that arithmetic does not complain of


def is_missing(value: object) -> bool:
    """Whether a single value is None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    missing = pd.isna(value)  # an array for a list
    return isinstance(missing, (bool, np.bool_)) and bool(missing)


def item(value: Any) -> Any:
    """A value of NumPy's as the Python object; anything else as it is."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return value.item() if isinstance(value, np.generic) else value


def shown(value: Any) -> str:
    """A value in a message: as Python writes it, long ones by their beginning."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f'{text[:_LONGEST]}... ({len(text):,} characters)'


def level_key(value: Any) -> Hashable:
    """What tells levels apart: True is not 1, but 1 is 1.0."""
    if isinstance(value, bool):
        return ('bool', value)
    return value if isinstance(value, Hashable) else repr(value)


def plain_objects(values: pd.Series) -> pd.Series:
    """Python objects, None where missing; the same series where it holds just these."""
    missing = values.isna().to_numpy()
    cells = values.to_numpy() if values.dtype == object else _shared_objects(values)
    foreign = np.zeros(len(cells), dtype=bool)
    if any(issubclass(kind, np.generic) for kind in set(map(type, cells))):
        foreign[:] = [isinstance(cell, np.generic) for cell in cells]
    foreign[missing] = [cell is not None for cell in cells[missing]]
    if values.dtype == object and not foreign.any():
        return values
    cells = cells.copy()
    for place in np.flatnonzero(foreign & ~missing):
        cells[place] = cells[place].item()
    cells[missing] = None
    return pd.Series(cells, index=values.index, name=values.name, dtype=object)


def with_quiet_gaps(values: pd.Series) -> pd.Series:
    """Floats with NumPy's own NaN in cells without a number; the same series where all have it.

    R writes another one into missing cells, and tables that were read from its files keep it:
    arithmetic warns of it, and ``nanmax`` takes a column with it for one without numbers.
    """
    if values.dtype != np.float64:
        return values
    cells = values.to_numpy()
    is_missing = np.isnan(cells)
    if (cells[is_missing].view(np.uint64) & _QUIET).all():
        return values
    cells = np.where(is_missing, np.nan, cells)
    return pd.Series(cells, index=values.index, name=values.name)


def mapped(values: pd.Series, function: Callable[[Any], Any]) -> pd.Series:
    """``function`` of each value that is not missing, as objects."""
    cells = np.empty(len(values), dtype=object)
    for place, value in enumerate(values.tolist()):
        cells[place] = None if is_missing(value) else function(value)
    return pd.Series(cells, index=values.index, name=values.name, dtype=object)


def _shared_objects(values: pd.Series) -> npt.NDArray[Any]:
    """Cells as objects, of which equal ones are the same object; None where missing."""
    try:
        codes, distinct = values.factorize()
    except (NotImplementedError, TypeError):  # lists and the like
        return values.astype(object).to_numpy()
    objects = np.empty(len(distinct) + 1, dtype=object)
    objects[:-1] = distinct.tolist()
    return objects[codes]  # the last one for the code of missing cells, -1
