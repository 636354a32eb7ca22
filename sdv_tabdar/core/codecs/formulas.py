"""What one number may be of two others: products and quotients, shares of them, and per cent.

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


_ALMOST_HALF = 0.5 - 1e-9  # by which whole units are less than those that are rounded
_EQUATIONS: dict[str, Callable[[float], _Terms]] = {
    'product': lambda scale: _Terms(r=1, xy=-scale),
    'quotient': lambda scale: _Terms(ry=1, x=-scale),
    'per_square': lambda scale: _Terms(ry=1, x=-scale),
    'increased': lambda scale: _Terms(r=1, x=-1, xy=-scale),
    'reduced': lambda scale: _Terms(r=1, x=-1, xy=scale),
    'change': lambda scale: _Terms(ry=1, x=-scale, y=scale),
    'rest': lambda scale: _Terms(ry=1, x=scale, y=-scale),
    'share': lambda scale: _Terms(rx=1, ry=1, x=-scale),
    'balance': lambda scale: _Terms(rx=1, ry=1, x=-scale, y=scale),
    'between': lambda scale: _Terms(r=scale, x=-1, y=1),
    'about_between': lambda scale: _Terms(r=scale, x=-1, y=1),
    'whole_between': lambda scale: _Terms(r=scale, x=-1, y=1, one=_ALMOST_HALF * scale),
}
_WRITTEN = {
    'product': '{x} * {y}',
    'quotient': '{x} / {y}',
    'per_square': '{x} / {y}^2',
    'increased': '{x} * (1 + {y})',
    'reduced': '{x} * (1 - {y})',
    'change': '({x} - {y}) / {y}',
    'rest': '({y} - {x}) / {y}',
    'share': '{x} / ({x} + {y})',
    'balance': '({x} - {y}) / ({x} + {y})',
    'between': '{x} - {y}',
    'about_between': '{x} - {y}',
    'whole_between': '{x} - {y}',
}
_OF_RATE = 'increased', 'reduced'  # whose scale is that of y
OF_TIME = 'between', 'about_between', 'whole_between'
"""Those of times, whose scale is a unit."""
_FINE = 'quotient', 'per_square', 'change', 'rest', 'share', 'balance', 'between', 'about_between'
NAMES = tuple(_EQUATIONS)
"""Those of all formulas."""

UNITS = {'days': 8.64e13, 'hours': 3.6e12, 'weeks': 6.048e14, 'minutes': 6e10, 'seconds': 1e9}
"""Nanoseconds of what times are counted in, the most frequent first."""


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
        return self.name in _FINE

    @property
    def adds(self) -> bool:
        """Whether it has a sum or a difference."""
        return self.name not in ('product', 'quotient', 'per_square')

    @property
    def is_exact(self) -> bool:
        """Whether results are not rounded, of however few digits they are."""
        return self.name == 'between'

    @property
    def _is_squared(self) -> bool:
        """Whether its y is the square of a number."""
        return self.name == 'per_square'

    def result(self, x: Floats, y: Floats) -> Floats:
        """Results; infinite or NaN where there is none, as in all of these."""
        one, y = self._terms, self._in_terms(y)
        return _solved(
            [(one.x, x), (one.y, y), (one.xy, x, y), (one.one,)],
            [(one.r,), (one.rx, x), (one.ry, y)],
        )

    def x(self, result: Floats, y: Floats) -> Floats:
        """What x must be."""
        one, r, y = self._terms, result, self._in_terms(y)
        return _solved(
            [(one.r, r), (one.y, y), (one.ry, r, y), (one.one,)],
            [(one.x,), (one.rx, r), (one.xy, y)],
        )

    def y(self, result: Floats, x: Floats) -> Floats:
        """What y must be."""
        one, r = self._terms, result
        found = _solved(
            [(one.r, r), (one.x, x), (one.rx, r, x), (one.one,)],
            [(one.y,), (one.ry, r), (one.xy, x)],
        )
        with np.errstate(invalid='ignore'):
            return np.sqrt(found) if self._is_squared else found

    def written(self, x: str, y: str) -> str:
        """The formula with the names of two columns, for a person to read."""
        if self.name in OF_TIME:
            units = {size: unit for unit, size in UNITS.items()}
            unit = units.get(self.scale, f'parts of {self.scale:g} ns')
            kind = {'whole_between': 'whole ', 'about_between': 'rounded '}.get(self.name, '')
            return f'{_WRITTEN[self.name].format(x=repr(x), y=repr(y))} in {kind}{unit}'
        scaled = '{}'
        if self.scale != 1:
            scaled = f'{{}} * {self.scale:g}' if self.scale > 1 else f'{{}} / {1 / self.scale:g}'
        x, y = repr(x), repr(y)
        if self.name in _OF_RATE:
            return _WRITTEN[self.name].format(x=x, y=scaled.format(y))
        return scaled.format(_WRITTEN[self.name].format(x=x, y=y))

    def _in_terms(self, y: Floats) -> Floats:
        """What its equation has as y."""
        with np.errstate(over='ignore'):
            return y**2 if self._is_squared else y

    @property
    def _terms(self) -> _Terms:
        return _EQUATIONS[self.name](self.scale)


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
