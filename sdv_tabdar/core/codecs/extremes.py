"""Numbers that are the greatest, or the least, of others in all rows: the best of three results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.codecs.weighted import MOST_SOURCES

EXTREMES = 'greatest', 'least'

_BY_CHANCE = 20  # rows that say so of each source


def extremes_among(numbers: Floats) -> Iterator[tuple[int, tuple[int, ...], str]]:
    """Columns ``(columns, rows)`` that are the greatest or the least of others, and of which."""
    for kind, signed in zip(EXTREMES, (numbers, -numbers), strict=True):
        for place, own in enumerate(signed):
            below = [
                other
                for other in range(len(signed))
                if other != place and not (signed[other] > own).any()
            ]
            below = [other for other in below if _is_below_by_itself(signed[other], own)]
            sources = _covering(own, signed[below])
            if sources:
                yield place, tuple(below[at] for at in sources), kind


def _is_below_by_itself(low: Floats, high: Floats) -> bool:
    """Whether numbers are not above those of their row that are above those of another."""
    return bool((low > np.roll(high, len(high) // 2)).sum() >= _BY_CHANCE)


def _covering(own: Floats, sources: Floats) -> list[int]:
    """Which sources ``(sources, rows)`` are equal to a number in all rows together.

    None of them if a row has none, or if one is hardly needed.
    """
    if len(sources) < 2:
        return []
    with_all = ~(np.isnan(own) | np.isnan(sources).any(axis=0))
    equal, chosen = sources[:, with_all] == own[with_all], list[int]()
    left = np.ones(int(with_all.sum()), dtype=bool)
    while left.any() and len(left) >= FEWEST_ROWS:
        best = int(equal[:, left].sum(axis=1).argmax())
        if not equal[best, left].any() or len(chosen) == MOST_SOURCES:
            return []
        chosen.append(best)
        left[equal[best]] = False
    alone = equal[chosen].sum(axis=0) == 1
    is_needed = all((equal[at] & alone).sum() >= _BY_CHANCE for at in chosen)
    return sorted(chosen) if len(chosen) > 1 and is_needed else []
