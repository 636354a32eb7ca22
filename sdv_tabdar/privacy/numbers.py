"""Numbers and dates that few rows share, and the ends of a column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.atoms import frequent_ones, recur, runs
from sdv_tabdar.core.codecs.density import LEAST_EQUAL
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.privacy.threshold import Tail, Threshold, generator_of

_FEW = 0.05  # of the rows, at most, if rare values of many that recur become those of groups
_NEIGHBOURS = 16  # kept numbers on either side, of which one takes the place of a rare one


def protected_numbers(
    numbers: Floats,
    threshold: Threshold,
    tail: Tail,
    *,
    max_atoms: int,
    max_categories: int,
    rounded: Callable[[Floats], Floats],
) -> Floats:
    """Numbers of a column without those that would give away a few rows.

    Where numbers are values that recur (atoms), those of too few rows become means of groups, or
    the kept number next to them. Elsewhere the few least and greatest become a bound, the mean of
    some that follow; what is left only says how many numbers lie between some others. Of a number
    that so many rows have that it would be told (atoms, spikes), though too few for the threshold,
    a neighbour takes the place.

    Args:
        numbers: ``(B,)``, NaN where missing.
        threshold: How many rows must share a number.
        tail: How the ends are bounded.
        max_atoms: As in ``ModelConfig``.
        max_categories: Likewise; so many values that recur may be atoms, too.
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
    few = counts < threshold.blurred(generator, len(counts))
    if max_atoms and recur(counts, max_categories) and counts[few].sum() <= _FEW * len(ordered):
        atoms[:] = True
    told = atoms | (counts >= LEAST_EQUAL)
    is_rare = told & few
    found = numbers.copy()
    if atoms.all():
        values = _merged(distinct, counts, is_rare, threshold.rows, rounded)
        found[there] = values[np.searchsorted(distinct, present)]
        return found
    if is_rare.any():
        rare = is_rare[np.searchsorted(distinct, present)]
        kept = np.sort(present[~rare])
        inner = kept[threshold.rows : -threshold.rows]  # the ends are of few rows, and stay so
        kept = inner if len(inner) else kept
        steps = generator.integers(-_NEIGHBOURS, _NEIGHBOURS, int(rare.sum()))
        places = np.searchsorted(kept, present[rare]) + steps
        present = present.copy()
        present[rare] = kept[places.clip(0, len(kept) - 1)]
    low, high = (_bound(present, threshold, tail, rounded, sign=sign) for sign in (1, -1))
    found[there] = present.clip(low, max(low, high))
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


def _merged(
    distinct: Floats,
    counts: npt.NDArray[np.int64],
    is_rare: npt.NDArray[np.bool_],
    rows: int,
    rounded: Callable[[Floats], Floats],
) -> Floats:
    """What each distinct value becomes: itself, or what it shares with rare ones next to it.

    Rare values between two that are kept become means of groups that enough rows have; if all of
    them together are too few, the nearest of the two. The mean of a group is on the grid.
    """
    found = distinct.copy()
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_rare.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        groups = [group + start for group in _groups(counts[start:stop], rows)]
        for group in groups:
            mean = float((distinct[group] * (counts[group] / counts[group].sum())).sum())
            found[group] = rounded(np.array([mean]))[0]
        if not groups:
            ends = [place for place in (start - 1, stop) if 0 <= place < len(distinct)]
            choices = distinct[ends] if ends else np.array([np.median(distinct[start:stop])])
            gaps = np.abs(distinct[start:stop, None] - choices)
            found[start:stop] = choices[gaps.argmin(axis=1)]
    return found


def _groups(counts: npt.NDArray[np.int64], rows: int) -> list[npt.NDArray[np.int64]]:
    """Places of neighbours in groups of at least so many rows; none if all are too few."""
    groups: list[list[int]] = [[]]
    total = 0
    for place, count in enumerate(counts.tolist()):
        groups[-1].append(place)
        total += count
        if total >= rows:
            groups.append([])
            total = 0
    last = groups.pop()
    if not groups:
        return []
    groups[-1] += last
    return [np.array(group) for group in groups]
