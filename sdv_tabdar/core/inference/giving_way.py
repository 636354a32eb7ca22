"""Which number of each product gives way to the two others, and in which order that is done.

A result that was drawn mostly becomes what its factors make. A ratio, which is a finer thing than
its factors are, moves what is above its line, or else below it; so do the days between two dates,
which leave a date its time of day.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.formulas import LONG_UNITS, OF_TIME
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rates import behind_factors
from sdv_tabdar.core.codecs.value_places import number_at

RESULT, FIRST, SECOND = 0, 1, 2
"""Places of the result and of the factors among the columns of a product."""

_MOST, _MIDDLE = 0.1, 0.5  # shares of a column: most of it lies between the first and one less it
_BY_THE_WAY = 0.1  # of the rows, in which two counts may be the same as any numbers are


def giving_way(encoder: TableEncoder) -> list[tuple[Product, int]]:
    """The products, and which place of each is to give way, behind what makes the others.

    The first factor of a ratio, which nothing else makes, gives way to it, or the second one where
    the first makes another. Of several the first factor makes the one whose results leave it least
    room, of what has grown its growth and not its density. Of two shares of the same parts one
    moves its own part, which makes the other share as well. Of two dates the second one moves where
    the first one has to stay.
    """
    products = sorted(encoder.multiplied, key=lambda one: _room(encoder, one))
    made = {one.result: (one, RESULT) for one in encoder.multiplied}
    held = {is_time: {*made, *_held_beside(encoder, is_time=is_time)} for is_time in (False, True)}
    for place in (FIRST, SECOND):
        for one in products:
            column, is_time = one.columns[place], one.formula.name in OF_TIME
            stay, is_left = held[is_time], made.get(one.result) == (one, RESULT)
            if place == SECOND and not is_time and one.columns[FIRST] in stay:
                continue
            if not is_left or not _moves_factors(one) or column in stay or column in made:
                continue
            others = {own: entry for own, entry in made.items() if own != one.result}
            others[column] = one, place
            if len(_in_turn(others)) == len(others):  # none follows from itself
                made = others
    return [made[own] for own in _in_turn(made)]


def _moves_factors(one: Product) -> bool:
    """Whether a factor gives way to the result; a date, which is on some day, not to a fraction."""
    is_fraction = one.digits[0] is None and one.formula.scale in LONG_UNITS.values()
    return one.formula.moves_x and not is_fraction


def level_or(encoder: TableEncoder, position: int) -> int:
    """The column that says a rate, in place of a factor that is none."""
    return position if position >= 0 else encoder.rates[-1 - position].level


def _held_beside(encoder: TableEncoder, *, is_time: bool) -> set[int]:
    """Columns that sums, or another one that they often are, hold beside products.

    A date may move that others often are: these go with it.
    """
    found = {place for total in encoder.sums for place in total.columns}
    groups = [{*one.columns} for one in encoder.multiplied]
    for echo in filter(_holds_often, encoder.echoes):
        ends = {echo.position, echo.source}
        if not any(ends <= group for group in groups):  # where the third one says when they are
            found |= {echo.position} if is_time else ends
    return found


def _holds_often(echo: Echo) -> bool:
    """Whether a column is that of another one in more rows than come to be so by the way."""
    return not echo.counts or echo.counts[-1] > _BY_THE_WAY * sum(echo.counts)


def _room(encoder: TableEncoder, one: Product) -> float:
    """How far most results leave the first factor of a ratio to go, beside the middle one."""
    result, _, second = (encoder.codecs[level_or(encoder, place)] for place in one.columns)
    if not isinstance(result, NumericalCodec) or not isinstance(second, NumericalCodec):
        return np.inf
    low, high = (number_at(result, share) for share in (_MOST, 1 - _MOST))
    numbers = one.formula.x(np.array([low, high]), np.full(2, number_at(second, _MIDDLE)))
    return float(np.ptp(numbers)) if np.isfinite(numbers).all() else np.inf


def _in_turn(made: Mapping[int, tuple[Product, int]]) -> list[int]:
    """The columns that products make, each behind those it is made of; none of a circle."""
    needed = {own: {*one.columns} - {own} for own, (one, _) in made.items()}
    return behind_factors({own: needed[own] & {*made} for own in made})
