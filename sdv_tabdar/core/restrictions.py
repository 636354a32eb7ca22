"""Cells that are known only in part: an interval, a set of values, or 'not missing'."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True)
class _Named:
    """What messages call a restriction.

    Attributes:
        asked: The condition as whoever asked for it wrote it, which messages then show; None for
            the restriction's own representation. It does not count in comparisons.
    """

    asked: object = dataclasses.field(default=None, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return repr(self if self.asked is None else self.asked)


@dataclasses.dataclass(frozen=True)
class Interval(_Named):
    """A number in ``[low, high]``; None leaves an end open. Never missing."""

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        """Refuse intervals that hold nothing."""
        for end in (self.low, self.high):
            if end is not None and end != end:
                raise ValueError('An end of an Interval is NaN. Use None for an open end.')
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(
                f'Interval(low={self.low}, high={self.high}) is empty: low must be at most high.'
            )


@dataclasses.dataclass(frozen=True)
class Members(_Named):
    """One of the given values. A None or NaN among them stands for 'missing'."""

    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        """Refuse an empty set."""
        if not self.values:
            raise ValueError('Members needs at least one value, however: values=().')


@dataclasses.dataclass(frozen=True)
class NotMissing(_Named):
    """Any value at all, so long as it is not missing."""


Restriction = Interval | Members | NotMissing


def meets(restriction: Restriction, number: float) -> bool:
    """Whether a number, perhaps NaN for a missing one, is what a cell may be."""
    if isinstance(restriction, Members):
        return any(
            number == value or (number != number and (value is None or value != value))
            for value in restriction.values
        )
    low, high = (getattr(restriction, end, None) for end in ('low', 'high'))
    return number == number and (low is None or number >= low) and (high is None or number <= high)


def met_by(
    entries: Sequence[Restriction | None] | None,
    rows: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Which numbers cells of a column may be.

    Args:
        entries: What the cell of each of B rows may be; None where it may be anything, and for a
            column in which each of them may.
        rows: ``(N,)``, which of them.
        numbers: ``(N,)``; NaN for a missing cell.
    """
    if entries is None:
        return np.ones(len(rows), dtype=bool)
    cells = zip(rows.tolist(), numbers.tolist(), strict=True)
    found = ((entry := entries[row]) is None or meets(entry, number) for row, number in cells)
    return np.fromiter(found, dtype=bool, count=len(rows))


def allows(restriction: Restriction | None, level: Hashable) -> bool:
    """Whether a level, or a number, None for missing, is what a cell may be; None for anything."""
    if restriction is None:
        return True
    if isinstance(restriction, Members):
        return level in restriction.values
    if isinstance(level, int | float):
        return meets(restriction, float(level))
    return level is not None


def both(first: Restriction | None, second: Restriction | None) -> Restriction | None:
    """What meets two restrictions, of which one may be None for anything; None if nothing does.

    Of sets, their numbers that meet the other.
    """
    given = [entry for entry in (first, second) if entry is not None]
    if len(given) < 2:
        return given[0]
    if not any(isinstance(entry, Members) for entry in given):
        lows = [low for entry in given if (low := getattr(entry, 'low', None)) is not None]
        highs = [high for entry in given if (high := getattr(entry, 'high', None)) is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        if low is None and high is None:
            return NotMissing() if NotMissing() in given else Interval()
        return None if low is not None and high is not None and low > high else Interval(low, high)
    one, other = given if isinstance(given[0], Members) else given[::-1]
    assert isinstance(one, Members)
    common = tuple(
        value for value in one.values if isinstance(value, int | float) and meets(other, value)
    )
    return Members(common) if common else None


class NothingAllowedError(ValueError):
    """A restriction that no value of the training column meets.

    Attributes:
        column: Name of the column.
        restriction: The restriction.
    """

    def __init__(self, column: str, restriction: Restriction, reason: str) -> None:
        super().__init__(f"Column '{column}' cannot be {restriction}: {reason}")
        self.column = column
        self.restriction = restriction
