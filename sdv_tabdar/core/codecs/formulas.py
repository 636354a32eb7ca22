"""What one number may be of two others: products, quotients and sums, shares, and per cent.

An amount is a quantity times a price, interest a principal times a rate in per cent, a margin one
less a cost by a price, a rate of wins their share of wins and losses. All of these are linear in
each of the three numbers, so that any of them can be told by the two others; so can those of a
body-mass index, a weight by the square of a height. A stay is the days between two dates, which are
nanoseconds here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Floats


class _Terms(NamedTuple):
    """Factors of the terms of an equation of a result r and of x and y, which add up to 0."""

    r: float = 0.0
    x: float = 0.0
    y: float = 0.0
    rx: float = 0.0
    ry: float = 0.0
    xy: float = 0.0
    one: float = 0.0


@dataclasses.dataclass(frozen=True)
class _Kind:
    """What is known of the formulas of one name.

    Attributes:
        terms: Their equations, by the scale.
        text: How they are written.
        adds: Whether they have a sum or a difference.
        is_fine: Whether the result is a finer thing than x and y are.
        is_of_time: Whether the scale is a unit of time; then the text ends with it.
        scales_y: Whether the scale is that of y, and not of the result.
        has_square: Whether the y of the equation is the square of a number.
        is_exact: Whether results are not rounded, of however few digits they are.
        is_clipped: Whether results below 0 are 0.
    """

    terms: Callable[[float], _Terms]
    text: str
    adds: bool = True
    is_fine: bool = False
    is_of_time: bool = False
    scales_y: bool = False
    has_square: bool = False
    is_exact: bool = False
    is_clipped: bool = False


_ALMOST_HALF = 0.5 - 1e-9  # by which whole units are less than those that are rounded


def _ratio(scale: float) -> _Terms:
    return _Terms(ry=1, x=-scale)


def _difference(unit: float) -> _Terms:
    return _Terms(r=unit, x=-1, y=1)


def _whole_difference(unit: float) -> _Terms:
    return _difference(unit)._replace(one=_ALMOST_HALF * unit)


_KINDS = {
    'product': _Kind(lambda scale: _Terms(r=1, xy=-scale), '{x} * {y}', adds=False),
    'sum': _Kind(lambda scale: _Terms(r=1, x=-1, y=-scale), '{x} + {y}', scales_y=True),
    'excess': _Kind(
        lambda scale: _Terms(r=1, x=-scale, y=scale),
        '{x} - {y} (0 where that is less)',
        is_clipped=True,
    ),
    'quotient': _Kind(_ratio, '{x} / {y}', adds=False, is_fine=True),
    'per_square': _Kind(_ratio, '{x} / {y}^2', adds=False, is_fine=True, has_square=True),
    'increased': _Kind(
        lambda scale: _Terms(r=1, x=-1, xy=-scale), '{x} * (1 + {y})', scales_y=True
    ),
    'reduced': _Kind(lambda scale: _Terms(r=1, x=-1, xy=scale), '{x} * (1 - {y})', scales_y=True),
    'change': _Kind(
        lambda scale: _Terms(ry=1, x=-scale, y=scale), '({x} - {y}) / {y}', is_fine=True
    ),
    'rest': _Kind(lambda scale: _Terms(ry=1, x=scale, y=-scale), '({y} - {x}) / {y}', is_fine=True),
    'share': _Kind(lambda scale: _Terms(rx=1, ry=1, x=-scale), '{x} / ({x} + {y})', is_fine=True),
    'balance': _Kind(
        lambda scale: _Terms(rx=1, ry=1, x=-scale, y=scale),
        '({x} - {y}) / ({x} + {y})',
        is_fine=True,
    ),
    'between': _Kind(_difference, '{x} - {y} in', is_fine=True, is_of_time=True, is_exact=True),
    'about_between': _Kind(_difference, '{x} - {y} in rounded', is_fine=True, is_of_time=True),
    'whole_between': _Kind(_whole_difference, '{x} - {y} in whole', is_fine=True, is_of_time=True),
}

NAMES = tuple(_KINDS)
"""Those of all formulas."""

OF_TIME = tuple(name for name, kind in _KINDS.items() if kind.is_of_time)
"""Those of times, whose scale is a unit."""

UNITS = {'days': 8.64e13, 'hours': 3.6e12, 'weeks': 6.048e14, 'minutes': 6e10, 'seconds': 1e9}
"""Nanoseconds of what times are counted in, the most frequent first."""

LONG_UNITS = {
    f'{name} of {days:g} days': days * UNITS['days']
    for name, days in (
        ('years', 365.25),
        ('years', 365.0),
        ('months', 30.4375),
        ('months', 30.0),
        ('months', 30.44),
    )
}
"""The same of what times are divided by, rounded or not: whole ones are those of the calendar."""


@dataclasses.dataclass(frozen=True)
class Formula:
    """What a result is of two numbers x and y.

    Attributes:
        name: Which formula.
        scale: What its product, its quotient, or of ``x * (1 + y)`` its y, is multiplied by; the
            unit of a time between two others.
    """

    name: str
    scale: float = 1.0

    @property
    def is_symmetric(self) -> bool:
        """Whether x and y may change their places."""
        return self.name == 'product'

    @property
    def moves_x(self) -> bool:
        """Whether x is to give way to the result, which is a finer thing than x and y are."""
        return self._kind.is_fine

    @property
    def adds(self) -> bool:
        """Whether it has a sum or a difference."""
        return self._kind.adds

    @property
    def is_exact(self) -> bool:
        """Whether results are not rounded, of however few digits they are."""
        return self._kind.is_exact

    @property
    def is_clipped(self) -> bool:
        """Whether results below 0 are 0."""
        return self._kind.is_clipped

    def result(self, x: Floats, y: Floats) -> Floats:
        """Results; infinite or NaN where there is none, as in all of these."""
        one, y = self._terms, self._in_terms(y)
        found = _solved(
            [(one.x, x), (one.y, y), (one.xy, x, y), (one.one,)],
            [(one.r,), (one.rx, x), (one.ry, y)],
        )
        return np.maximum(found, 0.0) if self._kind.is_clipped else found

    def tells(self, result: Floats) -> npt.NDArray[np.bool_]:
        """Where a result says what x and y have to do with each other, and not only a limit."""
        return np.asarray((result != 0) | (not self._kind.is_clipped))

    def x(self, result: Floats, y: Floats) -> Floats:
        """What x must be."""
        one, r, y = self._terms, result, self._in_terms(y)
        return _solved(
            [(one.r, r), (one.y, y), (one.ry, r, y), (one.one,)],
            [(one.x,), (one.rx, r), (one.xy, y)],
        )

    def rest(self, x: Floats, y: Floats, step: float) -> Floats:
        """What a time between x and y has beside its result, as the seconds of whole minutes.

        Args:
            x: The later times.
            y: The earlier ones.
            step: What all results are multiples of.
        """
        if not self._kind.is_of_time or self._kind.is_exact:
            return np.zeros_like(x)
        result = self.result(x, y)
        return (result - step * np.round(result / step)) * self.scale

    def y(self, result: Floats, x: Floats) -> Floats:
        """What y must be."""
        one, r = self._terms, result
        found = _solved(
            [(one.r, r), (one.x, x), (one.rx, r, x), (one.one,)],
            [(one.y,), (one.ry, r), (one.xy, x)],
        )
        with np.errstate(invalid='ignore'):
            return np.sqrt(found) if self._kind.has_square else found

    def written(self, x: str, y: str) -> str:
        """The formula with the names of two columns, for a person to read."""
        x, y = repr(x), repr(y)
        if self._kind.is_of_time:
            units = {size: unit for unit, size in (*UNITS.items(), *LONG_UNITS.items())}
            unit = units.get(self.scale, f'parts of {self.scale:g} ns')
            return f'{self._kind.text.format(x=x, y=y)} {unit}'
        scaled = '{}'
        if self.scale != 1:
            scaled = f'{{}} * {self.scale:g}' if self.scale > 1 else f'{{}} / {1 / self.scale:g}'
        if self._kind.scales_y:
            return self._kind.text.format(x=x, y=scaled.format(y))
        return scaled.format(self._kind.text.format(x=x, y=y))

    def _in_terms(self, y: Floats) -> Floats:
        """What its equation has as y."""
        with np.errstate(over='ignore'):
            return y**2 if self._kind.has_square else y

    @property
    def _terms(self) -> _Terms:
        return self._kind.terms(self.scale)

    @property
    def _kind(self) -> _Kind:
        return _KINDS[self.name]


_Sum = Sequence[tuple[float | Floats, ...]]
"""Terms: the factors of each, of which the first one is a number."""


def _solved(rest: _Sum, of_it: _Sum) -> Floats:
    """The number in some terms of an equation, of which the others add up to ``rest``."""
    with np.errstate(all='ignore'):  # of the largest numbers and of divisors of 0
        solved: Floats = -_added(rest) / _added(of_it)
    return solved


def _added(terms: _Sum) -> Floats:
    """The sum of terms; what has a factor of 0 may be infinite, and does not count."""
    products = [math.prod(term[1:], start=term[0]) for term in terms if term[0]]
    return np.asarray(sum(products), dtype=np.float64)
