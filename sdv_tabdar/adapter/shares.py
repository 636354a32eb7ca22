"""Conditions under which rows have given shares of a column's levels or ranges."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.conditioning import CellRefusedError, plain_value, read_restrictions
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.parameters import check_count
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import is_missing, level_key
from sdv_tabdar.conditions import OneOf, PartialValue
from sdv_tabdar.core.restrictions import Interval, Members

_SLACK = 1e-9  # by which shares that should add up to 1 may miss it

Shares = Mapping[Hashable, Mapping[Any, float]]


def share_conditions(table: FittedTable, num_rows: int, shares: Shares) -> pd.DataFrame:
    """One condition for each row, in random order, so that the shares hold over all rows.

    Args:
        table: The fitted table.
        num_rows: How many rows.
        shares: For columns of the user's the share of each level, range or set. What is left is
            for the other levels. Columns are put together at random.

    Returns:
        Conditions by SDV's labels.

    Raises:
        ValueError: If ``num_rows`` is no whole number, a column or a level is unknown, shares are
            no numbers from 0 to 1, two of them speak of the same value, or they do not add up.
    """
    check_count('num_rows', num_rows, 0)
    if not isinstance(shares, Mapping) or not shares:
        raise ValueError(
            "Parameter 'shares' must name columns and the shares of their levels, as in "
            f"{{'colour': {{'red': 0.5}}}}, however: {shares!r}."
        )
    columns = {}
    for name, wanted in shares.items():
        profile = _profile_of(table, name)
        cells, parts = _parts(profile, wanted)
        counts = rounded_counts(parts, num_rows)
        listed = np.empty(len(cells), dtype=object)
        listed[:] = cells
        model, _ = table.trained
        order = np.argsort(model.random_numbers(num_rows))
        columns[str(name)] = np.repeat(listed, counts)[order]
    return pd.DataFrame(columns, index=pd.RangeIndex(num_rows), dtype=object)


def rounded_counts(parts: Sequence[float], total: int) -> npt.NDArray[np.int64]:
    """Whole numbers in the proportion of ``parts`` that add up to ``total``.

    By largest remainder: each is its exact number rounded down, and those that lost most get one
    more; of equal ones the first.

    Args:
        parts: Not negative; they add up to 1.
        total: What the numbers add up to.
    """
    exact = np.asarray(parts, dtype=np.float64) * total
    counts = np.floor(exact + _SLACK).astype(np.int64)
    order = np.argsort(-(exact - counts), kind='stable')
    counts[order[: total - int(counts.sum())]] += 1
    return counts


def _profile_of(table: FittedTable, name: Hashable) -> ColumnProfile:
    profile = table.profiles.get(str(name))
    if profile is None:
        raise ValueError(
            f"'shares' speaks of a column '{name}' that the training table had not. Its columns "
            f'are {table.form.names}.'
        )
    if profile.role is Role.GENERATED:
        raise ValueError(
            f"'shares' speaks of the column '{name}', whose values are generated and not learnt."
        )
    return profile


def _parts(profile: ColumnProfile, wanted: Any) -> tuple[list[Any], list[float]]:
    """The conditions of a column and the share of each, with one for all that is left."""
    if not isinstance(wanted, Mapping) or not wanted:
        _refuse(profile, f'must be a dictionary of levels and shares, however: {wanted!r}')
    for value, share in wanted.items():
        is_number = isinstance(share, numbers.Real) and not isinstance(share, bool)
        if not is_number or not 0 <= float(share) <= 1:
            _refuse(profile, f'must lie from 0 to 1, however: {share!r} for {value!r}')
    cells, parts = list(wanted), [float(share) for share in wanted.values()]
    left = 1 - math.fsum(parts)
    if left < -_SLACK:
        _refuse(profile, f'must not add up to more than 1, however: {math.fsum(parts):.15g}')
    others = _others(profile, cells)
    if left > _SLACK:
        if others is None:
            _refuse(
                profile,
                f'must add up to 1, because "anything else" is no range; they add up to '
                f'{math.fsum(parts):.15g}. Give the rest of the range a share as well',
            )
        if not others:
            _refuse(
                profile,
                f'name every level and must add up to 1, however: {math.fsum(parts):.15g}',
            )
        return [*cells, OneOf(others)], [*parts, left]
    return cells, parts


def _others(profile: ColumnProfile, cells: Sequence[Any]) -> list[Any] | None:
    """The levels that are not spoken of, None for missing; None for a column of numbers.

    Raises:
        ValueError: If training has not seen one, or two cells speak of the same.
    """
    if profile.role is not Role.DISCRETE:
        _check_ranges(profile, cells)
        return None
    levels: dict[Hashable, Any] = dict(profile.levels)
    if profile.has_missing:
        levels[None] = None
    for cell in cells:
        for key in _level_keys(profile, cell):
            if key not in levels:
                is_known = key in profile.levels or (key is None and profile.has_missing)
                reason = 'speak twice of' if is_known else 'speak of what training had not:'
                _refuse(profile, f'{reason} {cell!r}. Allowed: {profile.allowed_text}')
            del levels[key]
    return list(levels.values())


def _level_keys(profile: ColumnProfile, cell: Any) -> Iterator[Hashable]:
    """The levels that a key of the shares speaks of, None for missing."""
    values: Sequence[Any] = [cell]
    if isinstance(cell, PartialValue):
        (restriction,) = _read(profile, cell)
        is_set = isinstance(restriction, Members)
        values = restriction.values if is_set else list(profile.levels.values())
    for value in values:
        yield None if is_missing(value) else level_key(plain_value(profile, value))


def _check_ranges(profile: ColumnProfile, cells: Sequence[Any]) -> None:
    """Refuse ranges, sets and numbers of which two have a value in common."""
    spans: list[tuple[float, float, Any]] = []
    num_missing = 0
    for cell in cells:
        if is_missing(cell):
            if not profile.has_missing:
                _refuse(profile, 'speak of missing cells, and training had none')
            num_missing += 1
            continue
        asked = cell if isinstance(cell, PartialValue) else OneOf([cell])
        (restriction,) = _read(profile, asked)
        if isinstance(restriction, Interval):
            low = -math.inf if restriction.low is None else restriction.low
            high = math.inf if restriction.high is None else restriction.high
            spans.append((low, high, cell))
        elif isinstance(restriction, Members):
            missing = sum(map(is_missing, restriction.values))
            num_missing += missing
            points = [float(v) for v in restriction.values if not is_missing(v)]  # type: ignore[arg-type]
            spans.extend((point, point, cell) for point in points)
        else:
            spans.append((-math.inf, math.inf, cell))
    spans.sort(key=lambda span: span[:2])
    for (_, high, cell), (low, _, other) in itertools.pairwise(spans):
        if low <= high:
            _refuse(profile, f'must not overlap, however: {cell!r} and {other!r}')
    if num_missing > 1:
        _refuse(profile, 'speak twice of missing cells')


def _read(profile: ColumnProfile, cell: PartialValue) -> Sequence[Any]:
    try:
        return read_restrictions(profile, [cell])
    except CellRefusedError as error:
        raise ValueError(f"'shares': {error}") from None


def _refuse(profile: ColumnProfile, what: str) -> NoReturn:
    raise ValueError(f"The shares of column '{profile.column.name}' {what}.")
