"""Straight lines on which the numbers of two columns often lie, and how they are found.

A price with its tax, degrees of two scales, a day and the day thirty days later: what one column
says follows from another in many rows, though not in all, and often rounded. A line is found from
the slopes between pairs of rows: those of two rows on it are the same, all others are scattered.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.values import Floats

Number = TypeVar('Number', Floats, float)
Marks = npt.NDArray[np.bool_]

LEAST = 0.1  # of the rows that a line must hold in to be found
_PAIRS = 1_000  # of rows, whose slopes are compared, and ...
_ALIKE = 10  # ... how many of them are the same if so many rows lie on a line
_NOISE = 1e-9  # of a slope or a shift, by which computing changes it
_ROUNDED = 1e-12  # of a number on a line, which a computer may round away, and ...
_OFF = 0.01  # ... of a rounded number's unit at most: R writes 15 digits, 2001.66666666667 has 11
_UNSURE = 0.02  # of a slope, the most by which rounded numbers may change it
MOST_DIGITS = 9  # behind the point; numbers with more are taken as they are
HALF = 0.5  # of a rounded number's unit, by which it may be off, and ...
REST = 1e-9  # ... of its size, what computing may leave of a sum beside that
SINGLE = 1e-6  # of one that is not rounded: what float32, or a text file, has left of it
_LONGEST = 2.0**63  # nanoseconds that pandas can hold
_FIRST = 1_000  # numbers whose digits are looked at before those of all
_LOSSY = 0.5  # times the rounding unit of a column is the least that a source's may become
_TINY = np.finfo(np.float64).tiny
_TURNS = 4  # of fitting a line to the rows near it
_AS_GOOD = 0.995  # times the rows: a line of fewer digits is the right one


@dataclasses.dataclass(frozen=True)
class Line:
    """What makes a column's number of its source's: ``shift + slope * number``, perhaps rounded.

    Attributes:
        slope: Not 0.
        shift: The number where the source's is 0.
        digits: Behind the point to which the column's numbers are rounded, or None.
        source_digits: Likewise of the source. Of the very number both are None, unless the source
            has fewer.
    """

    slope: float = 1.0
    shift: float = 0.0
    digits: int | None = None
    source_digits: int | None = None

    @property
    def is_same(self) -> bool:
        """Whether it is the same number."""
        return self.slope == 1 and self.shift == 0

    @property
    def is_coarse(self) -> bool:
        """Whether rounding makes one number of several of the source's."""
        if self.digits is None or self.source_digits is None:
            return False
        return abs(self.slope) * 10.0 ** (self.digits - self.source_digits) < 1

    @property
    def log_stretch(self) -> float:
        """Log of the density of the source by that of the column, at numbers on the line.

        Of rounded numbers that is how many units of rounding of the column one of the source is,
        as numbers on the line are no farther from each other than those of the source.
        """
        digits = MOST_DIGITS + 1 if self.is_same and self.digits is None else self.digits
        if digits is None or self.source_digits is None:
            return math.log(abs(self.slope))
        return math.log(10) * (self.source_digits - digits)

    def of(self, source: Number) -> Number:
        """The numbers of the column."""
        number = rounded(source, self.source_digits)  # as it is when it is given to somebody
        return number if self.is_same else rounded(self.shift + self.slope * number, self.digits)

    def back(self, own: Number) -> Number:
        """The numbers of the source."""
        return rounded(self.inverse(own), self.source_digits)

    def inverse(self, own: Number) -> Number:
        """The numbers of the source before they are rounded."""
        return (own - self.shift) / self.slope

    def holds(self, own: Floats, source: Floats) -> Marks:
        """Where numbers are those of the source, to the last digit that a computer keeps."""
        if self.is_same:
            return np.asarray(own == source)
        with np.errstate(over='ignore', invalid='ignore'):
            size = np.maximum(np.maximum(np.abs(own), abs(self.shift)), np.abs(self.slope * source))
            return np.asarray(np.abs(own - self.of(source)) <= _ROUNDED * size)

    def leads_into(self, source: Floats, low: float, high: float) -> Marks:
        """Where numbers of the source lead to ones between two, as exactly as :meth:`holds`."""
        return self.holds(np.clip(self.of(source), low, high), source)

    def written(self, source: str, *, of_dates: bool = False) -> str:
        """What it makes of a column, for a person to read; of dates the shift is a time."""
        if of_dates and self.slope == 1 and abs(self.shift) < _LONGEST:
            sign = '-' if self.shift < 0 else '+'
            return f'{source!r} {sign} {duration(self.shift)}' if self.shift else f'{source!r}'
        factor = '' if abs(self.slope) == 1 else f'{abs(self.slope):.12g} * '
        shift = f' {"-" if self.shift < 0 else "+"} {abs(self.shift):.12g}' if self.shift else ''
        falling = f'{self.shift:.12g} - {factor}{source!r}'
        text = falling if self.slope < 0 else f'{factor}{source!r}{shift}'
        return text if self.is_same or self.digits is None else f'{text}, rounded'

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return dataclasses.asdict(self)


def duration(nanoseconds: float) -> str:
    """A time without a sign, for a person to read."""
    return str(pd.Timedelta(abs(int(nanoseconds)), unit='ns')).removesuffix(' 00:00:00')


def rounded(numbers: Number, digits: int | None) -> Number:
    """Numbers with so many digits behind the point; None leaves them as they are."""
    if digits is None:
        return numbers
    found: Number = np.round(numbers, digits) + 0.0  # no -0
    return found


def to_steps(numbers: Number, step: float) -> Number:
    """The nearest multiples of a step."""
    found: Number = np.rint(numbers / step) * step
    return found


def slack_of(
    numbers: Number, digits: int | None, rest: float = SINGLE, noise: float = _ROUNDED
) -> Number:
    """By how much what others make of numbers may be off.

    Args:
        numbers: The numbers, or their sizes.
        digits: Behind their point; None if they are not rounded.
        rest: The part of those that are not.
        noise: The part of those that are, which computing may add to half of a unit.
    """
    size: Number = np.abs(numbers)
    return rest * size if digits is None else HALF * 10.0**-digits + noise * size


def digits_of(numbers: Floats) -> int | None:
    """Digits behind the point of numbers that have few; NaN does not count.

    The decimals that stand for numbers in float32 are no few digits: their last one is not exact.
    """
    present = numbers[np.isfinite(numbers)]
    for digits in range(MOST_DIGITS + 1):
        if _have_digits(present[:_FIRST], digits) and _have_digits(present, digits):
            return None if _are_written_floats(present[:_FIRST], digits) else digits
    return None


def _are_written_floats(numbers: Floats, digits: int) -> bool:
    """Whether numbers with such digits, finer than a float32 is, stand for one each: 5.9215784."""
    with np.errstate(over='ignore'):
        floats = numbers.astype(np.float32)
    largest = np.abs(floats).max(initial=0)
    if digits == 0 or not np.isfinite(largest) or 10.0**-digits >= np.spacing(largest):
        return False
    return bool((floats.astype(str).astype(np.float64) == numbers).all())


def _have_digits(numbers: Floats, digits: int) -> bool:
    """Whether finite numbers have no more digits behind the point."""
    with np.errstate(over='ignore'):  # of the largest ones
        rest = np.abs(np.round(numbers, digits) - numbers)
    return bool((rest <= np.minimum(_ROUNDED * np.abs(numbers), _OFF * 10.0**-digits)).all())


def finest(digits: Iterable[int | None]) -> int | None:
    """The most digits; None if some numbers are not rounded."""
    found = list(digits)
    known = [number for number in found if number is not None]
    return max(known, default=0) if len(known) == len(found) else None


def lines_through(
    own: Floats, sources: Floats, digits: int | None, source_digits: list[int | None]
) -> Iterator[tuple[int, Line]]:
    """Lines that may hold for a column and its possible sources; whether they do is to be counted.

    Numbers may be too large to be multiplied, so that NumPy's warnings are to be switched off.

    Args:
        own: ``(rows,)``, the numbers of the column; NaN does not count.
        sources: ``(columns, rows)``, those of others.
        digits: What :func:`digits_of` says of the column.
        source_digits: Likewise of the others.

    Yields:
        Which of the others, and a line that is no mere equality.
    """
    pairs = _pairs(own.size)
    if pairs.shape[1] < _ALIKE:
        return
    slopes = _slopes(own, sources, pairs)
    order = slopes.argsort(axis=1)
    ordered = np.take_along_axis(slopes, order, axis=1)
    for place in _close(ordered, _NOISE * np.abs(ordered)):
        for line in _exact_lines(own, sources[place], slopes[place]):
            units = (None, None) if line.slope == 1 else (digits, source_digits[place])
            yield place, Line(line.slope, line.shift, *units)
    unsure = _unsure(slopes, _steps(sources, pairs), digits, source_digits)
    for place in _close(ordered, np.take_along_axis(unsure, order, axis=1)):
        others = source_digits[place]
        if digits is not None and others is not None:
            found = _rounded_line(
                own, sources[place], slopes[place], unsure[place], pairs, (digits, others)
            )
            yield from () if found is None else [(place, found)]


def _pairs(num_rows: int) -> npt.NDArray[np.int64]:
    """Pairs of rows ``(2, N)``."""
    rows = np.random.default_rng(0).permutation(num_rows)[: 2 * _PAIRS]
    return rows[: rows.size // 2 * 2].reshape(2, -1)


def _steps(numbers: Floats, pairs: npt.NDArray[np.int64]) -> Floats:
    """By how much the numbers ``(..., rows)`` of two rows differ; NaN for nothing."""
    found: Floats = numbers[..., pairs[0]] - numbers[..., pairs[1]]
    found[found == 0] = np.nan
    return found


def _slopes(own: Floats, sources: Floats, pairs: npt.NDArray[np.int64]) -> Floats:
    """Slopes ``(columns, N)`` of lines through two rows; NaN where there is none."""
    slopes = _steps(own, pairs) / _steps(sources, pairs)
    slopes[~np.isfinite(slopes) | (slopes == 0)] = np.nan
    return slopes


def _close(ordered: Floats, reach: Floats) -> list[int]:
    """In which rows some neighbours of ordered slopes ``(columns, N)`` are within their reach."""
    last, first = ordered[:, _ALIKE - 1 :], ordered[:, : 1 - _ALIKE]
    found = last - first <= reach[:, _ALIKE - 1 :] + reach[:, : 1 - _ALIKE]
    return np.flatnonzero(found.any(axis=1)).tolist()


def _unsure(
    slopes: Floats, steps: Floats, digits: int | None, source_digits: list[int | None]
) -> Floats:
    """By how much rounding may have changed slopes ``(columns, N)``.

    It is 0 where there was none, where so much of a slope says nothing, and where rounding leaves
    too little of the source's number to tell it again.
    """
    if digits is None:
        return np.zeros(slopes.shape)
    unit = 10.0**-digits
    units = np.array([0.0 if others is None else 10.0**-others for others in source_digits])
    found, size = unit / np.abs(steps), np.abs(slopes)
    trusted = (found <= _UNSURE * size) & (size * units[:, None] >= _LOSSY * unit)
    return np.where(trusted, found, 0.0)


def _exact_lines(own: Floats, source: Floats, slopes: Floats) -> Iterator[Line]:
    """The line on which most rows lie, with a slope and a shift of fewer or more digits."""
    for digits in (4, 6, 9, 12, 17):
        slope = _most_frequent(slopes, np.abs(slopes), digits)
        size = np.nanmax(np.abs(own))
        shift = _most_frequent(own - slope * source, size, digits)
        line = Line(slope, shift if abs(shift) > _NOISE * size else 0.0)
        if not line.is_same:
            yield line


def _most_frequent(values: Floats, size: Floats | float, digits: int) -> float:
    """The most frequent of numbers that computing has changed by a part of their size."""
    order = np.argsort(values)[: int(np.isfinite(values).sum())]
    found, near = values[order], (_NOISE * np.broadcast_to(size, values.shape))[order]
    starts = np.flatnonzero(np.diff(found, prepend=-np.inf) > near)
    counts = np.diff(starts, append=found.size)
    middle = starts[counts.argmax()] + counts.max() // 2
    return float(f'{found[middle]:.{digits}g}')


def _rounded_line(
    own: Floats,
    source: Floats,
    slopes: Floats,
    unsure: Floats,
    pairs: npt.NDArray[np.int64],
    digits: tuple[int, int],
) -> Line | None:
    """The line on which most rows lie that were rounded; None if there is none.

    Args:
        own: ``(rows,)``.
        source: ``(rows,)``.
        slopes: ``(N,)`` of the pairs of rows.
        unsure: ``(N,)``, what :func:`_unsure` says of them.
        pairs: ``(2, N)``.
        digits: Of the column and of the source.
    """
    chosen = np.flatnonzero(unsure > 0)
    if chosen.size < _ALIKE:
        return None
    chosen = chosen[np.argsort(slopes[chosen])]
    ordered, unit = slopes[chosen], 10.0 ** -digits[0]
    widths = (ordered[_ALIKE - 1 :] - ordered[: 1 - _ALIKE]) / np.abs(ordered[_ALIKE - 1 :])
    start = int(widths.argmin())
    chosen = chosen[start : start + _ALIKE]
    rows, slope = np.unique(pairs[:, chosen]), float(np.median(slopes[chosen]))
    shift, middle = float(np.median((own - slope * source)[rows])), np.median(source[rows])
    on_it = np.zeros(own.size, dtype=bool)
    for turn in range(_TURNS):
        wide = np.median(unsure[chosen]) * np.abs(source - middle) / 10**turn
        on_it = np.abs(own - shift - slope * source) <= unit + wide
        if on_it.sum() < LEAST * own.size:
            return None
        across = source[on_it] - source[on_it].mean()
        slope = float(across @ own[on_it] / np.maximum(across @ across, _TINY))
        shift = float((own - slope * source)[on_it].mean())
    return _of_few_digits(own, source, on_it, slope, digits)


def _of_few_digits(
    own: Floats, source: Floats, on_it: Marks, slope: float, digits: tuple[int, int]
) -> Line | None:
    """Of lines near a slope that of the fewest digits, of those that hold nearly most often."""
    lines = []
    for kept in (*range(1, 10), 17):
        short = float(f'{slope:.{kept}g}')
        middle = float(np.median(own[on_it] - short * source[on_it]))
        lines += [Line(short, shift, *digits) for shift in (0.0, round(middle, digits[0]), middle)]
    counts = [int(line.holds(own, source).sum()) for line in lines]
    return next(
        (
            line
            for line, count in zip(lines, counts, strict=True)
            if count >= _AS_GOOD * max(counts) and not line.is_same
        ),
        None,
    )
