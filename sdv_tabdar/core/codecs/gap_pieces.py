"""The law of some differences, as pieces and their shares.

Differences that recur have a piece each, a day or an hour; many are cut into parts of about equal
size, and a part that is mostly a hole is two.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from sdv_tabdar.core.codecs.values import Codes, Floats
from sdv_tabdar.core.tied_columns import Differences

PARTS = 16
"""Of equal shares, where differences are many."""

DIGITS = 12
"""Of the greatest number, beyond which differences are noise."""

_MANY = 20  # rows of a part, of which ...
_HOLE = 0.5  # ... so much may be without any; then it is two, and the hole is none
_FEW = 5  # rows that a difference, or an end of all differences, is kept of
_LEAST_COVERED = 0.95  # of the rows have a difference of those, where these are few
_LEAST_REST = 1e-3  # for what no row has shown
_MOST_BEYOND = 3.0  # means of what lies beyond the usual differences


def law_of(differences: Floats, unit: float, parts: int) -> Differences:
    """That of some differences ``(N,)``.

    Args:
        differences: In any order.
        unit: What all are multiples of; 0 if there is none.
        parts: Into how many they are cut where they are many.
    """
    pieces, counts = _pieces(differences, unit, parts)
    covered = counts.sum()
    rest = (len(differences) - covered + 1) / (len(differences) + 2)
    return Differences(
        pieces=tuple((low, high) for low, high in pieces.tolist()),
        shares=tuple((counts / covered).tolist()),
        rest=max(float(rest), _LEAST_REST),
    )


def _pieces(differences: Floats, unit: float, parts: int) -> tuple[Floats, Codes]:
    """Intervals ``(M, 2)`` of differences, and how many lie in each.

    Each of few differences has its own, a unit wide, if there is one; many are cut into so many
    parts of about equal size.
    """
    values, counts = np.unique(differences, return_counts=True)
    usual = counts >= _FEW
    if usual.sum() <= PARTS and counts[usual].sum() >= _LEAST_COVERED * len(differences):
        half = np.diff(values[usual]).min() / 2 if usual.sum() > 1 else 0.0
        half = unit / 2 or half or max(float(np.abs(values).max()), 1.0) * 10.0**-DIGITS
        pieces = np.stack([values[usual] - half, values[usual] + half], axis=1)
        low, high = pieces[0, 0], pieces[-1, 1]
        below = [] if (width := _beyond(low - differences)) is None else [[low - width, low]]
        above = [] if (width := _beyond(differences - high)) is None else [[high, high + width]]
        pieces = np.array([*below, *pieces.tolist(), *above])
        pieces = np.maximum.accumulate(pieces.ravel()).reshape(-1, 2)  # in spite of rounding
        return pieces, _counted(pieces, differences)
    ordered = np.sort(differences)
    inner = ordered[np.arange(1, parts) * len(ordered) // parts]
    at = np.searchsorted(values, np.unique(inner))
    between = values[at[at > 0] - 1] / 2 + values[at[at > 0]] / 2
    low, high = _end(ordered, unit), -_end(-ordered[::-1], unit)
    edges = np.unique(np.concatenate([[low], between[(between > low) & (between < high)], [high]]))
    pieces = np.array(
        [part for ends in itertools.pairwise(edges) for part in _solid(ordered, *ends, unit)]
    )
    return pieces, _counted(pieces, differences)


def _solid(ordered: Floats, low: float, high: float, unit: float) -> Iterator[tuple[float, float]]:
    """A piece, or what is on either side of a hole that takes up most of it."""
    inside = ordered[slice(*np.searchsorted(ordered, [low, high]))]
    if len(inside) >= _MANY:
        steps = np.diff(inside)[_FEW - 1 : -_FEW + 1]
        widest = float(steps.max())
        if widest > _HOLE * (high - low):
            at = _FEW - 1 + int(steps.argmax())
            beside = unit / 2 or (high - low - widest) / len(inside)
            yield low, float(inside[at]) + beside
            yield float(inside[at + 1]) - beside, high
            return
    yield low, high


def _counted(pieces: Floats, differences: Floats) -> Codes:
    """How many differences lie in each piece ``(M,)``."""
    ordered = np.sort(differences)
    return np.diff(np.searchsorted(ordered, pieces), axis=1)[:, 0]


def _beyond(distances: Floats) -> float | None:
    """How wide a piece is in which most positive ones of some distances are; None for few."""
    found = distances[distances > 0]
    return _MOST_BEYOND * float(found.mean()) if len(found) >= _FEW else None


def _end(ordered: Floats, unit: float) -> float:
    """Where differences begin: with the least that some rows have, or a little below few rows."""
    if ordered[_FEW - 1] == ordered[0]:
        return float(ordered[0] - unit / 2)
    few, more = ordered[_FEW - 1], ordered[4 * _FEW - 1]
    return float(max(few - (more - few), 2 * ordered[0] - few) - unit / 2)
