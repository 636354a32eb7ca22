"""A table that training goes on with, in dtypes that also hold what was learnt before.

A column of levels may have gaps in one table and none in the next, which NumPy then has in other
dtypes. Rows are drawn from the levels of both.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.values import is_missing, level_key
from sdv_tabdar.core.schema import ColumnKind


def with_room(frame: pd.DataFrame, before: FittedTable) -> pd.DataFrame:
    """The table with its columns of levels in dtypes that also hold the levels of a model.

    Args:
        frame: The user's table.
        before: The table that was learnt before, with a model.

    Returns:
        The same table where all dtypes do. Otherwise the columns have the dtype of the table
        before, or where that does not hold the new cells, that of objects.
    """
    model, processed = before.trained
    names = {str(name): name for name in frame}
    earlier = {column.key: column.dtype for column in before.form.columns}
    dtypes: dict[Hashable, Any] = {}
    for key, kind in processed.kinds.items():
        if kind is not ColumnKind.CATEGORICAL or key not in names or key not in earlier:
            continue
        column = frame[names[key]]
        levels = [*model.levels(key), *column.unique().tolist()]
        if not _grows(column.dtype) and not _holds(column.dtype, levels):
            is_enough = not _grows(earlier[key]) and _holds(earlier[key], levels)
            dtypes[column.name] = earlier[key] if is_enough else np.dtype(object)
    for key in processed.presences:
        column = frame[names[key]]
        if not _grows(column.dtype) and not _holds(column.dtype, [None]):
            dtypes[column.name] = earlier[key]
    return frame.astype(dtypes) if dtypes else frame


def _grows(dtype: Any) -> bool:
    """Whether any level can be put into a column of the dtype."""
    return pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype)


def _holds(dtype: Any, levels: Sequence[Any]) -> bool:
    """Whether levels, some of them missing, come out of a dtype as they are."""
    present = [level for level in levels if not is_missing(level)]
    if len(present) < len(levels) and isinstance(dtype, np.dtype) and dtype.kind in 'iub':
        return False
    try:
        held = pd.Series(present, dtype=object).astype(dtype).tolist()
    except (TypeError, ValueError, OverflowError):
        return False
    return list(map(level_key, held)) == list(map(level_key, present))
