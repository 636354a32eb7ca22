"""Numbers and dates that few rows share, and the ends of a column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.atoms import frequent_ones, runs
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.privacy.threshold import Tail, Threshold, generator_of

_NEIGHBOURS = 16  # kept numbers on either side, of which one takes the place of a rare one


def protected_numbers(
    numbers: Floats,
    threshold: Threshold,
    tail: Tail,
    *,
    max_atoms: int,
    rounded: Callable[[Floats], Floats],
) -> Floats:
    """Numbers of a column without those that would give away a few rows.

    Where numbers are values that recur (atoms), those of too few rows become one of the kept
    numbers next to them. Elsewhere the few least and greatest become a bound, the mean of some
    that follow; what is left is only kept as means of several rows.

    Args:
        numbers: ``(B,)``, NaN where missing.
        threshold: How many rows must share a number.
        tail: How the ends are bounded.
        max_atoms: As in ``ModelConfig``.
        rounded: Puts a bound on the grid of the column.

    Returns:
        ``(B,)``; all missing if fewer rows than the threshold have a number.
    """
    there = np.flatnonzero(~np.isnan(numbers))
    present = numbers[there]
    if len(present) < threshold.rows:
        return np.full(len(numbers), np.nan)
    ordered = np.sort(present)
    generator = generator_of(ordered.tobytes())
    distinct, counts = runs(ordered)
    atoms = frequent_ones(counts, len(ordered), max_atoms)
    is_rare = atoms & (counts < threshold.blurred(generator, len(counts)))
    found = numbers.copy()
    if is_rare.all():
        found[there] = _grouped(present, threshold.rows, rounded)
        return found
    if is_rare.any():
        rare = is_rare[np.searchsorted(distinct, present)]
        kept = np.sort(present[~rare])
        steps = generator.integers(-_NEIGHBOURS, _NEIGHBOURS, int(rare.sum()))
        places = np.searchsorted(kept, present[rare]) + steps
        present = present.copy()
        present[rare] = kept[places.clip(0, len(kept) - 1)]
    if not atoms.all():
        low, high = (_bound(present, threshold, tail, rounded, sign=sign) for sign in (1, -1))
        present = present.clip(low, max(low, high))
    found[there] = present
    return found


def ends_are_shared(numbers: Floats, threshold: Threshold) -> bool:
    """Whether enough rows have the least number of a column, and the greatest; NaN is missing."""
    present = numbers[~np.isnan(numbers)]
    return not len(present) or all(
        int((present == end).sum()) >= threshold.rows for end in (present.min(), present.max())
    )


def grid(numbers: Floats) -> float:
    """What whole numbers are multiples of; 0 for others, and for more than fit a float64."""
    present = numbers[~np.isnan(numbers)]
    if not len(present) or (np.abs(present) > 2**53).any() or (present != np.rint(present)).any():
        return 0.0
    return float(np.gcd.reduce(present.astype(np.int64)))


def _bound(
    present: Floats,
    threshold: Threshold,
    tail: Tail,
    rounded: Callable[[Floats], Floats],
    *,
    sign: int,
) -> float:
    """The least number that is left (``sign`` 1), or the greatest (-1)."""
    outermost: npt.NDArray[np.float64] = np.sort(sign * present) * sign
    if int((outermost == outermost[0]).sum()) >= threshold.rows:
        return float(outermost[0])
    window = outermost[tail.cut : tail.cut + len(tail.weights)]
    if len(window) < len(tail.weights):
        window = outermost[-min(len(tail.weights), len(outermost)) :]
    weights = tail.weights[: len(window)]
    mean = float((window * (weights / weights.sum())).sum())
    return float(rounded(np.array([min(max(mean, window.min()), window.max())]))[0])


def _grouped(present: Floats, rows: int, rounded: Callable[[Floats], Floats]) -> Floats:
    """Numbers as the means of groups of neighbours, each of about so many rows."""
    order = np.argsort(present, kind='stable')
    found = np.empty(len(present))
    for group in np.array_split(order, max(len(present) // rows, 1)):
        found[group] = rounded(np.array([present[group].mean()]))[0]
    return found
