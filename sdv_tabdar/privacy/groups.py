"""Groups of the values of a column, so few that pairs of columns can be counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Floats

Groups = npt.NDArray[np.int64]


def groups_of_levels(shares: Floats, most: int) -> Groups:
    """The group ``(K,)`` of each level: the commonest have one of their own, the others share one.

    Args:
        shares: ``(K,)`` of the levels.
        most: How many groups there may be.
    """
    if len(shares) <= most:
        return np.arange(len(shares))
    found = np.full(len(shares), most - 1, dtype=np.int64)
    found[np.argsort(-shares, kind='stable')[: most - 1]] = np.arange(most - 1)
    return found


def groups_of_numbers(values: Floats, shares: Floats, most: int) -> Groups:
    """The group ``(K,)`` of each number or interval: neighbours, of about the same mass together.

    Args:
        values: ``(K,)`` numbers and middles of intervals, in any order; NaN for missing.
        shares: ``(K,)``.
        most: How many groups there are about; a value with a group's mass has one of its own.
    """
    order = np.argsort(values, kind='stable')  # missing last
    ordered = shares[order]
    middles = ordered.cumsum() - ordered / 2
    bands = (middles * most).astype(np.int64)
    alone = (ordered * most >= 1) | np.isnan(values[order])
    begins = np.ones(len(shares), dtype=bool)
    begins[1:] = (np.diff(bands) > 0) | alone[1:] | alone[:-1]
    found = np.empty(len(shares), dtype=np.int64)
    found[order] = begins.cumsum() - 1
    return found
