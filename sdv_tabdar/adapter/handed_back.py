"""Rows of the model as SDV and RDT expect them, in which rounding puts nothing out of order.

Numbers and dates that the model keeps in order may change places when a column of few digits is
rounded beside one of many, or a day beside a time of day.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.made_columns import columns_with_own_values
from sdv_tabdar.adapter.profile import ColumnProfile


def handed_back(table: FittedTable, rows: pd.DataFrame) -> pd.DataFrame:
    """Drawn rows of the model, in the form of the processed table.

    Args:
        table: The fitted table.
        rows: All columns of the model.
    """
    model, processed = table.trained
    pairs = model.ordered_columns
    if pairs:
        own = columns_with_own_values(table)
        rows = rows.copy(deep=False)
        for pair in pairs:
            if all(name in own for name in pair):
                _keep_order(rows, pair, [table.profiles[own[name]] for name in pair])
    return processed.from_model(rows)


def _keep_order(rows: pd.DataFrame, pair: tuple[str, str], profiles: list[ColumnProfile]) -> None:
    """Move the number of fewer digits where rounding would put a row out of order."""
    numbers = [rows[name].to_numpy(np.float64) for name in pair]
    rounded = [profile.rounded(column) for profile, column in zip(profiles, numbers, strict=True)]
    units = [_unit(profile) for profile in profiles]
    broken = (numbers[0] <= numbers[1]) & (rounded[0] > rounded[1])
    if units[0] == units[1] or not broken.any():
        return
    coarse = int(units[1] > units[0])
    aside = rounded[1 - coarse][broken] + (0.5 if coarse else -0.5) * units[coarse]
    moved = numbers[coarse].copy()
    moved[broken] = profiles[coarse].rounded(aside)
    rows[pair[coarse]] = moved


def _unit(profile: ColumnProfile) -> float:
    """What numbers of a column, or dates in nanoseconds, are multiples of; 0 for nothing."""
    return profile.unit or profile.local_unit or profile.date_unit
