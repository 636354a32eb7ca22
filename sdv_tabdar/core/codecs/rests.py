"""Sums whose total is what their parts are made of, told as what is left of it.

A tax is a share of the net price, which is the tax and what is left; a profit is the revenue less
the costs, and the revenue a quantity times a price. If the total became what its parts make, they
would no longer be made of it: so one of two parts is the total less the other one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.sums import Sum

_PARTS = 2  # of more, the rest would have to take what all others are off


@dataclasses.dataclass(frozen=True)
class Rest:
    """A sum of two parts, one of which follows from the total.

    Attributes:
        summed: The sum.
        own: The position of that part.
    """

    summed: Sum
    own: int

    @property
    def sources(self) -> tuple[int, int]:
        """The total and the other part."""
        assert self.summed.total is not None
        (other,) = (part for part in self.summed.parts if part != self.own)
        return self.summed.total, other

    @property
    def as_made(self) -> Sum:
        """A sum of the same columns whose total is the rest: what follows from which, no more."""
        return Sum(self.own, self.sources, self.summed.digits)


def find_rests(
    sums: Sequence[Sum], made: Mapping[int, Collection[int]], rated: Mapping[int, Collection[int]]
) -> tuple[tuple[Sum, ...], tuple[Rest, ...]]:
    """The sums that are better told as rests, and the others before them.

    Args:
        sums: Columns that are the sum of others.
        made: Columns that other relations make, and of which.
        rated: Those that rates make, which may be left to rests: of a net price that a tax is a
            share of, what is left is one as well.

    Returns:
        Those that stay, and the rests.
    """
    totals = {one.total: {*one.parts} for one in sums if one.total is not None}
    stay, rests = list[Sum](), list[Rest]()
    for one in sums:
        others = {own: parts for own, parts in totals.items() if own != one.total}
        others |= {rest.own: {*rest.sources} for rest in rests}
        own = _rest_of(one, {**others, **rated, **made}, [*made, *others], {**rated, **made})
        if own is None:
            stay.append(one)
        else:
            rests.append(Rest(one, own))
            totals = {own: parts for own, parts in totals.items() if own != one.total}
    return tuple(stay), tuple(rests)


def _rest_of(
    one: Sum,
    every: Mapping[int, Collection[int]],
    fixed: Collection[int],
    asking: Mapping[int, Collection[int]],
) -> int | None:
    """The part of a sum that is to follow from the total; None if the total is to follow.

    Args:
        one: The sum.
        every: Columns that others make, all but by this sum.
        fixed: Those of them that cannot follow from the total.
        asking: Those of them for which the total may not follow from its parts.
    """
    if one.total is None or len(one.parts) != _PARTS:
        return None
    is_made = one.total in asking and all_below(asking[one.total], asking).isdisjoint(one.parts)
    if not is_made and one.total not in all_below(one.parts, asking):
        return None
    for own in sorted(one.parts, key=lambda part: (part in every, -part)):
        left = {column: parts for column, parts in every.items() if column != own}
        sources = {one.total, *one.parts} - {own}
        if own not in fixed and own not in all_below(sources, left):
            return own
    return None
