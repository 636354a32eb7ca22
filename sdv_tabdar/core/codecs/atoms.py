"""Atoms of a numerical column: which numbers have a code of their own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Codes, Floats

_MIN_COUNT = 10
_MIN_SHARE = 0.002  # of the numbers of a column
_ROWS_PER_VALUE = 5  # on average, in a column of which all values are atoms, ...
_FEW_VALUES = 32  # ... also beside its most frequent value, if it has more than these
_FEW_ROWS, _MOST = 3, 2  # on average, and of most values, in a column of which many recur
_TOGETHER = 1 << 20  # numbers that are looked at at a time


def runs(present: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The distinct ones of sorted values, and how often each occurs."""
    is_first = np.append(np.ones(min(len(present), 1), dtype=bool), present[1:] != present[:-1])
    starts = np.flatnonzero(is_first)
    return present[starts], np.diff(starts, append=len(present))


def frequent_numbers(
    present: Floats, max_atoms: int, max_recurring: int = 0
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The sorted atoms of a column ``(A,)``, and how often each occurs.

    Args:
        present: Sorted numbers. They may be a file, of which a part at a time is in memory.
        max_atoms: How many atoms there may be.
        max_recurring: How many there may be if they are all values and these :func:`recur`.
    """
    least = max(_MIN_COUNT, _MIN_SHARE * len(present))
    distinct, counts = runs(present[:0])
    num_distinct, stop = 0, 0
    while stop < len(present):
        start, stop = stop, min(stop + _TOGETHER, len(present))
        stop = int(np.searchsorted(present, present[stop - 1], side='right'))
        values, number = runs(present[start:stop])
        num_distinct += len(values)
        distinct, counts = np.append(distinct, values), np.append(counts, number)
        if num_distinct > max(max_atoms, max_recurring):  # too many for all of them
            distinct, counts = distinct[counts >= least], counts[counts >= least]
    if num_distinct == len(counts) and recur(counts, max_recurring):
        return distinct, counts
    frequent = frequent_ones(counts, len(present), max_atoms)
    return distinct[frequent], counts[frequent]


def frequent_ones(
    counts: npt.NDArray[np.int64], total: int, max_atoms: int
) -> npt.NDArray[np.bool_]:
    """Which distinct values become atoms.

    All of them where they are few and recur, else the most frequent ones.

    Args:
        counts: ``(V,)`` how often each distinct value occurs.
        total: Their sum.
        max_atoms: How many atoms there may be.

    Returns:
        ``(V,)``, True = an atom.
    """
    if not max_atoms or not total:
        return np.zeros(len(counts), dtype=bool)
    if len(counts) <= max_atoms and _are_few(counts, total):
        return np.ones(len(counts), dtype=bool)
    frequent: npt.NDArray[np.bool_] = counts >= max(_MIN_COUNT, _MIN_SHARE * total)
    if frequent.sum() > max_atoms:
        frequent &= counts >= np.sort(counts)[-max_atoms]
        frequent[np.flatnonzero(frequent)[max_atoms:]] = False
    return frequent


def _are_few(counts: npt.NDArray[np.int64], total: int) -> bool:
    """Whether values that occur so often ``(V,)`` are few beside their rows, and not a spike's."""
    beside = total - int(counts.max(initial=0))
    if len(counts) > _FEW_VALUES and beside < _ROWS_PER_VALUE * (len(counts) - 1):
        return False
    return total >= _ROWS_PER_VALUE * len(counts) or len(counts) == 1


def recur(counts: npt.NDArray[np.int64], most: int) -> bool:
    """Whether values that occur so often ``(V,)`` are at most so many, and most of them recur.

    Not if one of them recurs, and the others are those of single rows.
    """
    is_few = 1 < len(counts) <= most and counts.sum() >= _FEW_ROWS * len(counts)
    return bool(is_few) and float(np.median(counts)) >= _MOST


def nearest(choices: Floats, values: Floats) -> Codes:
    """Position ``(B,)`` in sorted ``choices`` of the number nearest to each value."""
    right = np.searchsorted(choices, values).clip(max=len(choices) - 1)
    left = (right - 1).clip(min=0)
    with np.errstate(over='ignore'):
        closer = values - choices[left] <= choices[right] - values
    return np.where(closer, left, right)
