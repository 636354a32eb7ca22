"""What metadata tell of values: SDV's detection writes levels and ends of the table into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import item, level_key

_ENDS = ('range_min', 'range_max')
LEVELS = 'range_values'


def protected_entries(
    entries: Mapping[str, Mapping[str, Any]],
    profiles: Mapping[str, ColumnProfile],
    before: pd.DataFrame,
    after: pd.DataFrame,
) -> dict[str, dict[str, Any]]:
    """Descriptions of columns without the values that were taken out of the table.

    What no row had was not taken from the table, and stays.

    Args:
        entries: The metadata's description of each column.
        profiles: What the table had before.
        before: The table before protection, in plain form.
        after: The table after it.

    Returns:
        The descriptions that are others now.
    """
    found = {}
    for key, profile in profiles.items():
        entry = dict(entries.get(key, {}))
        gone = _gone(profile, before[key], after[key])
        for end in _ENDS:
            if entry.get(end) is not None and _comparable(profile, entry[end]) in gone:
                del entry[end]
        if entry.get(LEVELS):
            kept = [level for level in entry[LEVELS] if _comparable(profile, level) not in gone]
            if kept and entry['sdtype'] == 'ordinal':
                entry[LEVELS] = kept
            elif len(kept) < len(entry[LEVELS]):
                del entry[LEVELS]  # without an order they only refuse what a later table may have
        if entry != entries.get(key, {}):
            found[key] = entry
    return found


def _gone(profile: ColumnProfile, before: pd.Series, after: pd.Series) -> set[Any]:
    """The values that a column had and has no longer, as they are compared."""
    if profile.role is Role.GENERATED:
        return set()
    first, second = (profile.comparable(cells.dropna()).tolist() for cells in (before, after))
    return set(first) - set(second)


def _comparable(profile: ColumnProfile, value: Any) -> Any:
    """A value of the metadata as the column's own are compared; None if it is none."""
    column = profile.column
    try:
        if profile.role is Role.NUMBER:
            return float(column.number.plain_number(value))
        if profile.role is Role.DATE:
            dates = column.dates
            moment = dates.parse(value) if dates.time_zone is None else dates.in_utc(value)
            return float(moment.as_unit('ns').value)
    except (TypeError, ValueError, OverflowError):
        return None
    return level_key(item(value))
