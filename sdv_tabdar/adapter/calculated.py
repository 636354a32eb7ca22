"""Finished rows whose sums and products hold also beside cells that the model was not shown.

The model is shown the nearest number that it has seen in place of one beyond its range, and the
mean of draws is rounded column by column: such rows nearly add up, and so would be left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import level_key
from sdv_tabdar.core.codecs.products import are_numbers
from sdv_tabdar.core.codecs.values import Floats, with_columns


def calculated(table: FittedTable, rows: pd.DataFrame, known: Known) -> pd.DataFrame:
    """Finished rows that add up and multiply, where known cells leave room for it.

    The days, or years, between dates are what they are from one to the other, which stay.

    Args:
        table: The fitted table.
        rows: Rows in plain form with the known cells, under their positions.
        known: What is known.
    """
    keys = [] if table.model is None else table.model.calculated_columns
    roles = {key: table.profiles[key].role for key in keys if key in rows}
    between = () if table.model is None else table.model.dates_between
    dates = {key for key in between if roles.get(key) is Role.DATE}
    keys = [key for key, role in roles.items() if role is not Role.DATE or key in dates]
    if not any(_has_numbers(table.profiles[key]) for key in keys):
        return rows
    assert table.model is not None
    positions = rows.index.to_numpy()
    numbers = {
        key: _numbers(table.profiles[key], rows[key])
        for key in keys
        if key in dates or _has_numbers(table.profiles[key])
    }
    exact = np.zeros((len(rows), len(keys)), dtype=bool)
    for place, key in enumerate(keys):
        if key in known.exact:
            exact[:, place] = known.exact[key].to_numpy()[positions]
        exact[:, place] |= key in dates
    levels = {key: rows[key].to_numpy(dtype=object) for key in keys if key not in numbers}
    found = pd.DataFrame({**numbers, **levels})[keys]
    restrictions = {
        key: [known.partial[key][position] for position in positions]
        for key in keys
        if key in known.partial
    }
    table.model.settle(found, exact, restrictions)
    made = {}
    for key, before in numbers.items():
        profile, after = table.profiles[key], found[key].to_numpy()
        moved = (after != before) & ~np.isnan(after)
        if moved.any():
            # Of decimals that stand for float32, relations know no digits.
            after = np.where(moved, profile.rounded(after), after)
            made[key] = profile.typed(_plain(profile, after), rows.index)
    return with_columns(rows, made) if made else rows


def _has_numbers(profile: ColumnProfile) -> bool:
    is_discrete = profile.role is Role.DISCRETE
    return profile.role is Role.NUMBER or (is_discrete and are_numbers([*profile.levels.values()]))


def _numbers(profile: ColumnProfile, values: pd.Series) -> Floats:
    """Plain numbers, or dates in nanoseconds, or levels that are numbers."""
    if profile.role in (Role.NUMBER, Role.DATE):
        return profile.comparable(values).to_numpy()
    return pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)


def _plain(profile: ColumnProfile, numbers: Floats) -> list[Any]:
    """The plain values of numbers, None for NaN; levels as training had them."""
    if profile.role is Role.NUMBER:
        return profile.plain_of(numbers)
    return [profile.levels.get(level_key(number)) for number in numbers.tolist()]
