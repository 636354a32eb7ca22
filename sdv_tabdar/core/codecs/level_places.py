"""Where the levels of a categorical column lie, if they are in an order.

Years, hours, ratings, bands of age and months are categories whose neighbours act alike. What
neighbours share is learnt by place (``core/nn/ordinal.py``), and a level's place is what a number's
is: the part of the training table that is below it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Codes, Floats, LevelIndex
from sdv_tabdar.core.schema import NO_PLACE

Interval = tuple[float, float]

Orders = Mapping[Any, Sequence[Hashable]]
"""For categorical columns, their levels in an order that has been declared."""

NO_ORDERS: Orders = {}
"""None has been declared."""

_BEGINS = re.compile(r'[^\w-]*\d')
_NUMBER = re.compile(r'\d[\d,]*(?:\.\d+)?')
_MONTHS = [
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
    'november',
    'december',
]
_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
_SHORTEST = 3  # letters of the name of a month or a day
_FEWEST = 3  # levels in an order: two have no neighbours but each other


def level_places(
    levels: Sequence[Hashable],
    counts: npt.NDArray[np.int64],
    codes: Codes,
    order: Sequence[Hashable] = (),
) -> tuple[Interval, ...]:
    """The intervals of a column's codes, see :attr:`Column.uniform`.

    Args:
        levels: ``(L,)``, None for missing.
        counts: ``(L,)`` how often each occurs.
        codes: ``(L,)`` the code of each. The place of one that several levels share is the mean of
            theirs.
        order: Levels in their order. If none of the column is among them, its levels are in the
            order of the numbers that they are or begin with, or in that of months or days of the
            week.

    Returns:
        One for each code, :data:`NO_PLACE` for those that are not in the order; none if fewer than
        three levels are in one.
    """
    ranks = _declared(levels, order)
    if np.isnan(ranks).all():
        ranks = _by_value(levels)
    placed = np.isfinite(ranks)
    if len(np.unique(ranks[placed])) < _FEWEST:
        return ()
    weights = np.where(placed, counts, 0) / counts[placed].sum()
    ranking = np.argsort(ranks, kind='stable')
    middles = np.empty(len(ranks))
    middles[ranking] = weights[ranking].cumsum() - weights[ranking] / 2
    shares = np.bincount(codes, weights=weights)
    moments = np.bincount(codes, weights=weights * middles)
    intervals = []
    for share, moment in zip(shares.tolist(), moments.tolist(), strict=True):
        if not share:
            intervals.append(NO_PLACE)
            continue
        middle = moment / share
        intervals.append((max(middle - share / 2, 0.0), min(middle + share / 2, 1.0)))
    return tuple(intervals)


def _declared(levels: Sequence[Hashable], order: Sequence[Hashable]) -> Floats:
    """The rank ``(L,)`` of each level in a declared order; NaN without one."""
    numbers = LevelIndex(order).of_distinct(levels)[: len(levels)]
    return np.where(numbers >= 0, numbers, np.nan)


def _by_value(levels: Sequence[Hashable]) -> Floats:
    """The rank ``(L,)`` of each level by the numbers it is, or begins with; NaN without any."""
    keys = _calendar(levels) or [_numbers(level) for level in levels]
    ranks = {key: rank for rank, key in enumerate(sorted({key for key in keys if key}))}
    return np.array([ranks.get(key, math.nan) for key in keys])


def _numbers(level: Hashable) -> tuple[float, ...]:
    """A number, or all those in a text that begins with one ('25-34', '< 1 year', '08:30')."""
    if isinstance(level, bool) or not isinstance(level, Real | Decimal | str):
        return ()
    try:
        number = float(level)
    except (ValueError, OverflowError):
        if not isinstance(level, str) or not _BEGINS.match(level):
            return ()
        return tuple(float(part.replace(',', '')) for part in _NUMBER.findall(level))
    return (number,) if math.isfinite(number) else ()


def _calendar(levels: Sequence[Hashable]) -> list[tuple[float, ...]]:
    """Months or days of the week, in full or short, if all levels are such but a missing one."""
    for names in (_MONTHS, _DAYS):
        if all(level is None or _place_among(names, level) for level in levels):
            return [_place_among(names, level) for level in levels]
    return []


def _place_among(names: Sequence[str], level: Hashable) -> tuple[float, ...]:
    """The place of the name that a text of three letters or more begins; nothing for others."""
    text = level.lower().rstrip('.') if isinstance(level, str) else ''
    found = [place for place, name in enumerate(names) if name.startswith(text)]
    return (float(found[0]),) if len(found) == 1 and len(text) >= _SHORTEST else ()
