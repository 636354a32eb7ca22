"""Numbers that are the logarithm, the size or the like of another in all rows, mostly rounded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.lines import REST, SINGLE, digits_of, slack_of
from sdv_tabdar.core.codecs.values import Floats

_FIRST_ROWS = 16  # that are looked at before all
_LARGEST = 1e100  # size of numbers that are looked at
_SEVEN_DIGITS = 6.5e-7  # of a number's size, which seven digits and float32 leave, ...
_LAST_DIGITS = 100.0  # ... if that is at most so many units
_FEWEST_UNITS = 10  # that a rounded result's numbers must be apart: or any curve would do


@dataclasses.dataclass(frozen=True)
class Curve:
    """A number as a function of another.

    Attributes:
        words: What it is, before the other's name.
        of: The function.
        back: Of the result ``(B,)`` and the number so far ``(B,)``: the number with such a result.
        least_size: What results near to 0 count as when it is said how far they may be off: the
            logarithm of a number that is off by a share is off by as much.
        is_even: Whether a number and what is as far below 0 have the same result.
    """

    words: str
    of: Callable[[Floats], Floats]
    back: Callable[[Floats, Floats], Floats]
    least_size: float = 0.0
    is_even: bool = False


def _monotone(
    words: str,
    of: Callable[[Floats], Floats],
    back: Callable[[Floats], Floats],
    least_size: float = 0.0,
) -> Curve:
    return Curve(words, of, lambda result, _: back(result), least_size)


def _log_or_zero(numbers: Floats) -> Floats:
    return np.where(numbers > 0, np.log(numbers), np.where(numbers == 0, 0.0, np.nan))


def _exp_or_zero(result: Floats, numbers: Floats) -> Floats:
    return np.where((result == 0) & (numbers == 0), 0.0, np.exp(result))


CURVES: Mapping[str, Curve] = {
    'log': _monotone('the natural logarithm of', np.log, np.exp, 1.0),
    'log or 0': Curve('the natural logarithm, 0 for 0, of', _log_or_zero, _exp_or_zero, 1.0),
    'log1p': _monotone('the natural logarithm of 1 +', np.log1p, np.expm1, 1.0),
    'log10': _monotone('the decimal logarithm of', np.log10, lambda result: 10.0**result, 1.0),
    'log2': _monotone('the binary logarithm of', np.log2, np.exp2, 1.0),
    'sqrt': _monotone('the square root of', np.sqrt, np.square),
    'square': Curve('the square of', np.square, lambda y, x: np.copysign(np.sqrt(y), x), 0.0, True),
    'absolute': Curve('the absolute value of', np.abs, np.copysign, 0.0, True),
    'reciprocal': _monotone('1 /', np.reciprocal, np.reciprocal),
    'exp': _monotone('e to the power of', np.exp, np.log),  # last: of what else is no result
}
"""By the names under which they are saved."""


def value(name: str, numbers: Floats) -> Floats:
    """The numbers ``(B,)`` that a curve makes of others; not finite where it makes none."""
    with np.errstate(all='ignore'):
        return CURVES[name].of(numbers)


def source(name: str, result: Floats, numbers: Floats) -> Floats:
    """The numbers ``(B,)`` of which a curve makes a result, near others; not finite for none."""
    with np.errstate(all='ignore'):
        return CURVES[name].back(result, numbers)


def curve_slack(sizes: Floats, digits: int | None) -> Floats:
    """By how much results of such sizes ``(B,)`` may be off, that are rounded so.

    Software that writes seven digits in all gives large ones fewer behind the point than small
    ones, and may have computed them in float32.
    """
    slack: Floats = slack_of(sizes, digits, noise=REST)
    if digits is None:
        return slack
    seven = _SEVEN_DIGITS * sizes
    return slack + np.where(seven <= _LAST_DIGITS * 10.0**-digits, seven, 0.0)


def curves_among(numbers: Floats, num_results: int) -> Iterator[tuple[int, int, str]]:
    """Pairs of columns ``(columns, rows)`` of which the first is a curve of the second.

    Of each pair one curve; what is one of another is not its source as well.

    Args:
        numbers: The columns; NaN where a cell is missing.
        num_results: Of the first columns, which alone may be a curve.
    """
    slack = np.array([_slack(own) for own in numbers])
    told = set[tuple[int, int]]()
    for name in CURVES:
        made = value(name, numbers)
        made[((made == numbers) | np.isnan(numbers)).all(axis=1)] = np.inf  # a copy tells nothing
        for own in range(num_results):
            rows = np.flatnonzero(~np.isnan(numbers[own]))[:_FIRST_ROWS]
            with np.errstate(invalid='ignore', over='ignore'):
                off = np.abs(made[:, rows] - numbers[own, rows]) > slack[own]
            for other in np.flatnonzero(~off.any(axis=1)).tolist():
                if own == other or {(own, other), (other, own)} & told:
                    continue
                both = ~(np.isnan(numbers[own]) | np.isnan(numbers[other]))
                gap = np.abs(made[other, both] - numbers[own, both])
                if name == 'sqrt' and _is_exact_square(numbers[other, both], numbers[own, both]):
                    continue
                if both.sum() < FEWEST_ROWS or not np.ptp(numbers[own, both]):
                    continue  # a constant is one of anything
                if (gap <= slack[own]).all():
                    told.add((own, other))
                    yield own, other, name


def _is_exact_square(numbers: Floats, roots: Floats) -> bool:
    """Whether rounded roots ``(B,)`` are what numbers were made of, and not the other way round."""
    is_near = np.abs(numbers - roots**2) <= SINGLE * np.abs(numbers)
    return digits_of(roots) is not None and bool(is_near.all())


def _slack(numbers: Floats) -> float:
    """By how much a result may be off; below 0 if its numbers are huge or near to each other."""
    largest = float(np.nanmax(np.abs(numbers)))
    if largest > _LARGEST:
        return -1.0
    digits = digits_of(numbers)
    unit = 0.0 if digits is None else 10.0**-digits
    if np.nanstd(numbers) < _FEWEST_UNITS * unit:
        return -1.0
    return float(curve_slack(np.array(largest), digits))
