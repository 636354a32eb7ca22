"""Levels of two columns that never meet, told by all of them together: sparse supports.

A survey was out on some days of some months, a shop sells some of the products: no one pair of
levels is missed enough to be told from chance (``zeros.py``), and yet a tenth of what a smooth law
makes of the two columns never occurs. How probable pairs are that training has not seen is
estimated by those seen once, their share of the rows (I. J. Good, doi:10.1093/biomet/40.3-4.237).
Where that is next to nothing beside what the pairs around would lead to expect, they do not exist.
"""

from __future__ import annotations

import dataclasses
import math

import torch

from sdv_tabdar.core.schema import NO_PLACE, Column

_LEAST_ROWS = 20  # of a level that something is said of
_LEAST_EXPECTED = 0.02  # share of the rows that pairs never seen would have, by those around
_COST = 1 / 3  # of it, at most, is what rows lose, in nats, if pairs occur all the same
_ONCE = 0.05  # of a level's rows, the most that may be with levels it meets once


@dataclasses.dataclass(frozen=True)
class Levels:
    """Which codes of a column are levels, and which are next to each other.

    Attributes:
        are: ``(K,)``, which are: not bins of numbers, and no echo.
        order: ``(m,)``, those that are numbers or in an order; None if none are.
    """

    are: torch.Tensor
    order: torch.Tensor | None

    @classmethod
    def of(cls, column: Column) -> Levels:
        """Those of a column."""
        are = torch.ones(column.num_codes, dtype=torch.bool)
        are[list(column.bins)] = False
        are[[code for code in (column.echo,) if code is not None]] = False
        placed = [
            code
            for code in are.nonzero().flatten().tolist()
            if column.uniform and code != column.missing and column.uniform[code] != NO_PLACE
        ]
        placed.sort(key=lambda code: column.uniform[code])
        return cls(are, torch.tensor(placed) if placed else None)


@dataclasses.dataclass(frozen=True)
class Support:
    """Pairs of levels of two columns of which no row was seen.

    Attributes:
        never: ``(K1, K2)``, those that were not.
        expected: Their share of the rows by the pairs around: the fewer of the two neighbours in a
            column's order, along whichever has more of them, and without an order by chance.
        once: Rows of pairs that were seen once.
    """

    never: torch.Tensor
    expected: float
    once: int

    @classmethod
    def of(cls, counts: torch.Tensor, first: Levels, second: Levels) -> Support | None:
        """From the rows ``(K1, K2)`` of each pair of codes; None if hardly any pair is missed."""
        num_rows = max(int(counts.sum()), 1)
        told = _told(counts, first)[:, None] & _told(counts.t(), second)
        never = told & (counts == 0)
        by_chance = counts.sum(dim=1).double()[:, None] * counts.sum(dim=0) / num_rows
        if (by_chance[never].sum() / num_rows) < _LEAST_EXPECTED:
            return None
        around = torch.stack([_between(counts, first), _between(counts.t(), second).t()]).amax(0)
        is_nominal = first.order is None and second.order is None
        expected = by_chance if is_nominal else torch.minimum(around, by_chance)
        share = float(expected[never].sum()) / num_rows
        return cls(never, share, int((told & (counts == 1)).sum()))

    def is_whole(self, num_rows: int) -> bool:
        """Whether pairs that were not seen are so improbable that rows lose little without them.

        A row that has one all the same costs the log of the number of rows, in nats.

        Args:
            num_rows: Of the training table. If those seen are some of them, it is asked whether the
                pairs may turn out to be all that there are.
        """
        probability = (self.once + 2 * math.sqrt(self.once) + 3) / num_rows
        cost = probability * math.log(num_rows)
        return self.expected >= _LEAST_EXPECTED and cost <= _COST * self.expected


def _told(counts: torch.Tensor, levels: Levels) -> torch.Tensor:
    """Which codes ``(K1,)`` are levels of enough rows, few of them with codes met once."""
    rows = counts.sum(dim=1)
    return levels.are & (rows >= _LEAST_ROWS) & ((counts == 1).sum(dim=1) <= _ONCE * rows)


def _between(counts: torch.Tensor, levels: Levels) -> torch.Tensor:
    """The fewer rows ``(K1, K2)`` of the two levels beside each one in their order, or none."""
    found = torch.zeros(counts.shape, dtype=torch.double)
    if levels.order is not None:
        before, own, after = (levels.order[start : start - 2 or None] for start in range(3))
        found[own] = torch.minimum(counts[before], counts[after]).double()
    return found
