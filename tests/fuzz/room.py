"""Whether a constraint leaves any value for the unknown cells of a row, worked out without SDV."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .tables import Case

Comparable = Callable[[Hashable, pd.Series], list[Any]]

_STEPS = {'strict inequality': 1.0, 'range': 0.01}  # between columns that may not be equal


def without_room(
    case: Case, comparable: Comparable, gaps: pd.DataFrame, name: Hashable
) -> npt.NDArray[np.bool_]:
    """``(rows,)``, where nothing fits in a gap of a column.

    Args:
        case: The table.
        comparable: Present values of a column as plain numbers or dates.
        gaps: A table with gaps.
        name: A column of the training table.
    """
    found = np.zeros(len(gaps), dtype=bool)
    for kind, names in case.groups:
        if name not in names or kind in ('increments', 'one hot'):
            continue
        for row in range(len(gaps)):
            known = {
                other: gaps[other].iloc[row]
                for other in names
                if other in gaps and not pd.isna(gaps[other].iloc[row])
            }
            if kind == 'combinations':
                found[row] = not _combines(case.data[names], known)
            else:
                found[row] = not _has_order(case, comparable, kind, names, known)
    return found


def _combines(training: pd.DataFrame, known: Mapping[Hashable, Any]) -> bool:
    """Whether a training row without gaps has the known values."""
    filled = [name for name in training if training[name].notna().any()]
    rows = training[training[filled].notna().all(axis=1)]
    return any(all(row[name] == known[name] for name in known) for _, row in rows.iterrows())


def _has_order(
    case: Case,
    comparable: Comparable,
    kind: str,
    names: list[Hashable],
    known: Mapping[Hashable, Any],
) -> bool:
    """Whether known cells leave room for the others within the ranges of training."""
    last = -np.inf
    for name in names:
        values = case.data[name]
        if name in known:
            present = pd.Series([known[name]], dtype=object)
            low = high = _as_number(comparable(name, present)[0])
        elif not values.notna().any():
            continue
        elif case.spec.limits:
            numbers = [_as_number(value) for value in comparable(name, values)]
            low, high = min(numbers), max(numbers)
        else:
            low, high = -np.inf, np.inf
        last = max(low, last + _STEPS.get(kind, 0.0))
        if last > high + 1e-6:
            return False
    return True


def _as_number(value: Any) -> float:
    if isinstance(value, (datetime.datetime, datetime.date)):
        return pd.Timestamp(value).timestamp()
    return float(value)
