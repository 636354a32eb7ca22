"""Relations between columns that hold in every row of a table: copies and sums."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.core.codecs.dependencies import LEVEL_ROWS
from sdv_tabdar.core.codecs.evidence import varies
from sdv_tabdar.core.codecs.sums import Named, sums_in

_LOOKED_AT = 500  # rows of a first check


def copies_in(plain: pd.DataFrame, profiles: Mapping[str, ColumnProfile]) -> dict[str, str]:
    """Columns that are copies of an earlier one, if need be with other levels; and that one."""
    sample = plain.iloc[:: max(1, len(plain) // _LOOKED_AT)]
    first: dict[tuple[Any, bytes], list[str]] = {}
    copies: dict[str, str] = {}
    for key, profile in profiles.items():
        if not _can_be_related(plain[key], profile):
            continue
        found = first.setdefault((profile.role, _pattern(sample[key], profile).tobytes()), [])
        pattern = None
        for other in found:
            pattern = _pattern(plain[key], profile) if pattern is None else pattern
            if np.array_equal(pattern, _pattern(plain[other], profiles[other])):
                copies[key] = other
                break
        else:
            found.append(key)
    return copies


def _can_be_related(values: pd.Series, profile: ColumnProfile) -> bool:
    """Whether a column varies enough for an equal pattern elsewhere to be no coincidence."""
    if profile.role is Role.GENERATED or not profile.has_values:
        return False
    if profile.role is Role.DISCRETE:
        # Where each level occurs once, the pattern is that of every other such column.
        few = 1 < len(profile.levels) + profile.has_missing <= len(values) / 2
        return few and varies(_pattern(values, profile))
    return profile.low < profile.high


def _pattern(values: pd.Series, profile: ColumnProfile) -> npt.NDArray[Any]:
    """Numbers that are equal for two columns if and only if one is a copy of the other.

    Levels are numbered in the order in which they first occur, so that renaming them changes
    nothing.
    """
    comparable = profile.comparable(values)
    if profile.role is Role.DISCRETE:
        return np.asarray(pd.factorize(comparable, use_na_sentinel=False)[0], dtype=np.int64)
    numbers = comparable.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isnan(numbers), np.inf, numbers + 0.0)  # -0.0 becomes 0.0


def about_copy(
    profiles: Mapping[str, ColumnProfile],
    key: str,
    copied: str,
    num_rows: int,
    kept: Collection[str],
) -> str | None:
    """What to say of a column that is a copy of another one; None if synthetic rows keep that.

    Args:
        profiles: The columns.
        key: The copy.
        copied: What it is a copy of.
        num_rows: Of the table.
        kept: Which relations synthetic rows keep, see ``ModelConfig.kept_relations``.
    """
    name, original = profiles[key].column.name, profiles[copied].column.name
    if profiles[key].role is Role.DISCRETE:
        levels = len(profiles[key].levels) + profiles[key].has_missing
        if 'dependencies' in kept and num_rows >= LEVEL_ROWS * levels:
            return None
        return (
            f"Column '{name}' is a copy of '{original}' in other words: each level of one has a "
            'level of the other. Synthetic rows keep that only under the constraint '
            f'FixedCombinations([{original!r}, {name!r}]).'
        )
    equals_stay = 'inequalities' in kept
    if equals_stay and not profiles[key].has_missing:
        return None
    how = 'which synthetic rows keep only nearly'
    if equals_stay:
        how = 'and synthetic rows keep that, but not that the same cells are missing'
    return (
        f"Column '{name}' is a copy of '{original}', {how}. Leave it out and add it to the "
        'synthetic rows, or keep it by a programmable constraint.'
    )


def sum_with(
    plain: pd.DataFrame, key: str, profiles: Mapping[str, ColumnProfile]
) -> tuple[str, ...]:
    """A total and its parts, where a column that counts as no number is one of them; or nothing."""
    numbers = [other for other, profile in profiles.items() if profile.role is Role.NUMBER]
    for total, parts in sums_in(plain, [key, *numbers]):
        if isinstance(total, str) and key in (total, *parts):
            return total, *parts
    return ()


def sums_among(plain: pd.DataFrame, profiles: Mapping[str, ColumnProfile]) -> list[Named]:
    """Numerical columns that are the sum of others, or what some make; and these others."""
    names = [key for key, profile in profiles.items() if profile.role is Role.NUMBER]
    return sums_in(plain, names)


def about_sum(
    profiles: Mapping[str, ColumnProfile], total: str | float, parts: Sequence[str]
) -> str:
    """What to say of parts that make a column or a number."""
    named = ' and '.join(f"'{profiles[part].column.name}'" for part in parts)
    if isinstance(total, str):
        return (
            f"Column '{profiles[total].column.name}' is the sum of {named}, which synthetic rows "
            f'keep only nearly. The constraint FixedSum({[*parts]!r}, total_column={total!r}) '
            'keeps it exactly.'
        )
    return (
        f'Columns {named} make {total:.15g} in all rows, which synthetic rows keep only nearly. '
        f'The constraint FixedSum({[*parts]!r}, total={total:.15g}) keeps it exactly.'
    )
