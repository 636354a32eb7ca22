"""What kind of column each is under a privacy budget, by dtype, metadata and public values."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.privacy.columns import Column, Dates, Generated, Levels, Numbers
from sdv_tabdar.privacy.public import is_generated, public_ends, public_levels

_UNREADABLE = (
    "Column '{}' has the dtype {}, of which the form of a cell may depend on other rows. With "
    "'epsilon' it must be read cell by cell: give it the dtype {}."
)


def columns_of(
    frame: pd.DataFrame,
    described: Mapping[str, Mapping[str, Any]],
    keys: Sequence[str],
    public: Mapping[str, Any],
) -> list[Column]:
    """How each column is read.

    Args:
        frame: The rows.
        described: The metadata's description of each column.
        keys: Columns whose values are generated because they are keys.
        public: What is known of columns beforehand: ends of numbers and dates, levels of others.

    Raises:
        InvalidDataError: If the columns are not those of the metadata, or a dtype is not known.
    """
    labels = [str(name) for name in frame.columns]
    if sorted(labels) != sorted(described):
        differing = sorted({*labels} ^ {*described})
        raise InvalidDataError(
            [f'The columns of the table are not those of the metadata: {differing} differ.']
        )
    found: list[Column] = []
    for name in frame.columns:
        key, dtype = str(name), frame[name].dtype
        entry = described[key]
        if is_generated(entry, is_key=key in keys):
            found.append(Generated(name, key, dtype))
        else:
            found.append(_column(name, dtype, entry, public.get(key)))
    return found


def _column(name: Hashable, dtype: Any, entry: Mapping[str, Any], public: Any) -> Column:
    key, sdtype = str(name), entry.get('sdtype')
    if sdtype == 'numerical':
        is_number = pd.api.types.is_numeric_dtype(dtype)
        if not is_number or getattr(dtype, 'kind', None) not in ('i', 'u', 'f'):
            raise InvalidDataError([_UNREADABLE.format(name, dtype, "'float64' or 'Int64'")])
        ends = None if public is None else public_ends(name, public, entry)
        return Numbers(name, key, dtype, ends=ends)
    if sdtype == 'datetime':
        text_format, zone = entry.get('datetime_format'), getattr(dtype, 'tz', None)
        is_date = pd.api.types.is_datetime64_any_dtype(dtype)
        if not is_date and text_format is None:
            raise InvalidDataError([_UNREADABLE.format(name, dtype, "'datetime64[ns]'")])
        ends = None if public is None else public_ends(name, public, entry, zone)
        return Dates(name, key, dtype, ends=ends, text_format=None if is_date else text_format)
    return Levels(name, key, dtype, known=_known(name, dtype, public))


def _known(name: Hashable, dtype: Any, public: Any) -> Sequence[Hashable]:
    """All values that a cell of a column of levels may have, if its dtype or the user says so."""
    levels: Sequence[Hashable] = ()
    if public is not None:
        levels = public_levels(name, public)
    elif pd.api.types.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
        levels = (False, True)
    holds_none = not (isinstance(dtype, np.dtype) and dtype.kind in 'iub')
    if holds_none or not levels:
        return (*levels, None) if levels else ()
    if not all(isinstance(level, (numbers.Number, np.bool_)) for level in levels):
        raise InvalidDataError(
            [
                f"Column '{name}' has the dtype {dtype}, and 'public_values' has levels for it "
                f'that are none of its values: {list(levels)!r}. Give numbers, or make it text '
                'with .astype(str).'
            ]
        )
    return levels
