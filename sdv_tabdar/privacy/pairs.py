"""A forest of pairs of columns from noisy counts.

How far each pair of columns is from independence is asked for all pairs at once; the most dependent
ones that form no circle are counted.

Source: the choice of a tree of pairs follows McKenna et al. 2021, doi:10.29012/jpc.778 (MST).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.privacy.groups import Groups
from sdv_tabdar.privacy.marginals import Marginal
from sdv_tabdar.privacy.questions import Questions

_DISTANCES_SHARE = 0.15  # of what pairs may cost; the rest is for their counts
_SURE = 3.0  # standard deviations of the noise above which a dependence is more than noise
_GROUPS = 8  # of a column, by which its dependence on others is measured
_NOISE_SHARE = 0.2  # of the rows: what noise may move between the cells of a pair
_LEAST = 1e-3  # of what a cell has by chance, that each has at least
_ROUNDS = 100  # of scaling a table to the shares of its columns
_TOGETHER = 20_000  # rows that are counted together

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two columns and the shares of their groups together.

    Attributes:
        parent: Place of the first column.
        child: Of the other one.
        parent_groups: ``(K_parent,)`` group of each of its values.
        child_groups: ``(K_child,)`` likewise.
        shares: ``(G_parent, G_child)``, with sum 1.
    """

    parent: int
    child: int
    parent_groups: Groups
    child_groups: Groups
    shares: Floats


def asked_forest(
    questions: Questions,
    marginals: Sequence[Marginal],
    places: Sequence[Ints],
    num_rows: float,
    weight: float,
) -> list[Pair]:
    """Ask for the pairs of a forest, parents before their children.

    Args:
        questions: What pays.
        marginals: ``(C,)`` what is known of each column.
        places: ``(C,)`` of ``(B,)``: which value of its column each row has; -1 for none.
        num_rows: About how many rows there are.
        weight: Of all that is asked here.
    """
    if len(marginals) < 2:
        return []
    num_rows = max(num_rows, 1.0)
    edges = _edges(questions, marginals, places, num_rows, _DISTANCES_SHARE * weight)
    # However many there are: each row is in one cell of each, so that together they are one
    # Gaussian mechanism of this weight.
    own = (1 - _DISTANCES_SHARE) * weight / max(len(edges), 1)
    noise = questions.noise(own) / num_rows
    most = max(math.isqrt(int(_NOISE_SHARE / noise)), 2)
    found = []
    for parent, child in edges:
        above, below = (marginals[place].grouped(most) for place in (parent, child))
        counts = _counted((above, below), (places[parent], places[child]))
        noisy = questions.counts(f'columns {parent} and {child}', counts.ravel(), own)
        shares = _fitted(
            noisy.reshape(counts.shape) / num_rows,
            _shares(above, marginals[parent]),
            _shares(below, marginals[child]),
            noise,
        )
        found.append(Pair(parent, child, above, below, shares))
    return found


def _shares(groups: Groups, marginal: Marginal) -> Floats:
    return np.bincount(groups, weights=marginal.shares).astype(np.float64)


def _edges(
    questions: Questions,
    marginals: Sequence[Marginal],
    places: Sequence[Ints],
    num_rows: float,
    weight: float,
) -> list[tuple[int, int]]:
    """The pairs of a forest of the greatest dependence, each from its parent to its child."""
    groups = [marginal.grouped(_GROUPS) for marginal in marginals]
    margins = [_shares(*both) for both in zip(groups, marginals, strict=True)]
    pairs, distances, chance = [], [], []
    for a, b, counts in _all_counted(groups, places):
        expected = np.rint(np.outer(margins[a], margins[b]) * num_rows).astype(np.int64)
        pairs.append((a, b))
        distances.append(np.abs(counts - expected).sum())
        chance.append(np.sqrt(expected * 2 / np.pi).sum())  # of independent columns
    noisy = questions.distances('dependence of pairs', np.array(distances), weight)
    excess = noisy - np.array(chance)
    least = _SURE * questions.noise(weight) * math.sqrt(len(pairs))
    trees = np.arange(len(groups))
    kept = []
    for number in np.argsort(-excess).tolist():
        a, b = pairs[number]
        if excess[number] > least and trees[a] != trees[b]:
            kept.append((a, b))
            trees[trees == trees[b]] = trees[a]
    return list(_from_roots(kept, len(groups)))


def _from_roots(edges: Sequence[tuple[int, int]], number: int) -> Iterator[tuple[int, int]]:
    """Edges of a forest of so many columns, from one that came before to one that did not."""
    beside: list[list[int]] = [[] for _ in range(number)]
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    reached: set[int] = set()
    for root in range(number):
        waiting = [] if root in reached else [root]
        reached.add(root)
        while waiting:
            parent = waiting.pop()
            for child in beside[parent]:
                if child not in reached:
                    reached.add(child)
                    waiting.append(child)
                    yield parent, child


def _all_counted(
    groups: Sequence[Groups], places: Sequence[Ints]
) -> Iterator[tuple[int, int, Ints]]:
    """Each pair of columns, and how many rows are in each pair of their groups."""
    numbers = [int(group.max()) + 1 for group in groups]
    ends = np.cumsum(numbers)
    starts = ends - numbers
    total = np.zeros((ends[-1], ends[-1]), dtype=np.int64)
    for begin in range(0, len(places[0]), _TOGETHER):
        parts = [own[begin : begin + _TOGETHER] for own in places]
        marks = np.zeros((len(parts[0]), ends[-1]), dtype=np.float32)
        for start, group, part in zip(starts, groups, parts, strict=True):
            there = np.flatnonzero(part >= 0)
            marks[there, start + group[part[there]]] = 1
        total += (marks.T @ marks).astype(np.int64)
    for a in range(len(groups)):
        for b in range(a + 1, len(groups)):
            yield a, b, total[starts[a] : ends[a], starts[b] : ends[b]]


def _counted(groups: Sequence[Groups], places: Sequence[Ints]) -> Ints:
    """How many rows are in each pair of groups; those without a value in one are in none."""
    first, second = (int(group.max()) + 1 for group in groups)
    there = (places[0] >= 0) & (places[1] >= 0)
    own = groups[0][places[0][there]] * second + groups[1][places[1][there]]
    return np.bincount(own, minlength=first * second).reshape(first, second)


def _fitted(table: Floats, first: Floats, second: Floats, noise: float) -> Floats:
    """Shares near a noisy table that have the shares of both columns.

    What is not clear of the noise is drawn to independence (the positive-part garrote).

    Args:
        table: ``(G, H)`` noisy shares.
        first: ``(G,)`` shares of its rows.
        second: ``(H,)`` of its columns.
        noise: Standard deviation of the noise of a cell.
    """
    alone = np.outer(first, second)
    apart = table - alone
    kept = 1 - noise**2 / np.maximum(apart**2, noise**2)
    found = np.maximum(alone + apart * kept, _LEAST * alone)
    tiny = np.finfo(float).tiny
    for _ in range(_ROUNDS):
        found *= (first / np.maximum(found.sum(axis=1), tiny))[:, None]
        found *= second / np.maximum(found.sum(axis=0), tiny)
    fitted: Floats = found / found.sum()
    return fitted
