"""Numbers moved until totals are the sum of their parts, within ends; knows nothing of a network.

What changes least is changed: a total becomes the sum of its parts where it may, else parts move,
the largest most, so that small ones stay what they are and zeros zeros; so do the last digits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.sums import Digits
from sdv_tabdar.core.codecs.values import Codes, Floats

_POWER = 8  # of their sizes by which parts share what they lack
_SWEEPS = 3  # over sums that have columns in common
_ROUNDS = 4  # of moving parts by their sizes, after which the largest take what is left
_NEAR = 1e-9  # of a number, and ...
_OF_A_UNIT = 1e-3  # ... of the unit of its last digit, by which computing changes it
_HALF = 0.5  # of that unit: rounded numbers that add up are off by less
EXACT = 1e-13  # of the numbers of a sum, by which unrounded ones that add up may be off


@dataclasses.dataclass(frozen=True)
class Total:
    """A column that is to be the sum of others, by their places among n columns.

    Attributes:
        place: The column.
        parts: The others.
        follows: Whether it may become what its parts make; of several sums with the same total
            one may say so.
        rest: By what share of their size numbers that are not rounded may be off.
    """

    place: int
    parts: tuple[int, ...]
    follows: bool = True
    rest: float = EXACT

    @property
    def columns(self) -> list[int]:
        """The total and then the parts."""
        return [self.place, *self.parts]


@dataclasses.dataclass(frozen=True)
class Ends:
    """Between what B rows of n numbers have to be.

    Attributes:
        low: ``(B, n)``, what a number is at least; of one that must not change, that number.
        high: Likewise at most.
        sticky: ``(B, n)``, numbers that change only where no others can.
    """

    low: Floats
    high: Floats
    sticky: Marks


@dataclasses.dataclass(frozen=True)
class Balance:
    """Columns that add up.

    Attributes:
        totals: Each behind those that are parts of it.
        digits: ``(n,)``, behind the point; None for numbers that are not rounded.
        levels: ``(n,)``, all numbers that a column of few has; None for other columns.
        keeps_levels: Whether a total of few numbers becomes no other.
    """

    totals: Sequence[Total]
    digits: Sequence[Digits]
    levels: Sequence[Floats | None]
    keeps_levels: bool = False

    def gaps(self, values: Floats, total: Total) -> Floats:
        """What parts lack ``(B,)`` to make their total; 0 where a cell is missing."""
        gaps = values[:, total.place] - values[:, total.parts].sum(axis=1)
        digits = [self.digits[place] for place in total.columns]
        half = _HALF * 10.0 ** -max((own for own in digits if own is not None), default=0)
        slack = self._rest(values, total) if None in digits else half
        return np.where(np.abs(gaps) > slack, gaps, 0.0)

    def _rest(self, values: Floats, total: Total) -> Floats:
        """By how much ``(B,)`` a sum of numbers that are not rounded may be off."""
        if all(self.digits[place] is not None for place in total.columns):
            return np.zeros(len(values))
        return total.rest * np.abs(values[:, total.columns]).sum(axis=1)

    def num_held(self, values: Floats) -> Codes:
        """How many sums hold in each row ``(B,)``; those that lack a cell do."""
        found = np.zeros(len(values), dtype=np.int64)
        for total in self.totals:
            found += self.gaps(values, total) == 0
        return found

    def rounded(self, values: Floats, columns: Sequence[int]) -> Floats:
        """Numbers ``(B, len(columns))`` of some columns, as these are rounded."""
        found = values.copy()
        for place, column in enumerate(columns):
            digits = self.digits[column]
            if digits is not None:
                found[:, place] = np.round(values[:, place], digits) + 0.0  # no -0
        return found

    def balanced(self, values: Floats, ends: Ends) -> Floats:
        """Numbers ``(B, n)`` within their ends, of which sums hold where they can.

        Sums of which a cell is NaN do not count.
        """
        is_fixed = ends.low == ends.high
        low, high = self.narrowed(ends, values)
        low, high = self._on_grid(low, high, values, is_fixed)
        found = self.rounded(np.clip(values, low, high), range(len(self.digits)))
        found = np.where(is_fixed, ends.low, found)
        moving = _Moving(self, found, Ends(low, high, ends.sticky))
        for sweep in range(_SWEEPS):
            if (self.num_held(moving.values) == len(self.totals)).all():
                break
            moving.sweep(from_below=sweep > 0)
        return moving.values

    def narrowed(self, ends: Ends, values: Floats) -> tuple[Floats, Floats]:
        """Ends between which there is room for the other numbers of all sums."""
        low, high = ends.low.copy(), ends.high.copy()
        for total in (*self.totals, *reversed(self.totals)):
            slack = _NEAR * np.abs(values[:, total.columns]).sum(axis=1, keepdims=True)
            parts, own, rest = list(total.parts), [total.place], self._rest(values, total)[:, None]
            least, most = (end[:, parts].sum(axis=1, keepdims=True) for end in (low, high))
            _narrow(low, high, own, least - rest, most + rest, slack)
            least = low[:, own] - _sums_of_others(high[:, parts])
            most = high[:, own] - _sums_of_others(low[:, parts])
            _narrow(low, high, parts, least - rest, most + rest, slack)
        return low, high

    def _on_grid(
        self, low: Floats, high: Floats, values: Floats, is_fixed: Marks
    ) -> tuple[Floats, Floats]:
        """Ends that the columns' digits can hold; where there are none, the numbers as they are."""
        low, high = low.copy(), high.copy()
        for place, digits in enumerate(self.digits):
            if digits is not None:
                free = ~is_fixed[:, place]
                low[free, place] = -_floor(-low[free, place], digits)
                high[free, place] = _floor(high[free, place], digits)
        nowhere = low > high
        return np.where(nowhere, values, low), np.where(nowhere, values, high)


@dataclasses.dataclass
class _Moving:
    """Numbers ``(B, n)`` while they are moved between their ends.

    Attributes:
        held: ``(B, n)``, totals that parts have been moved to make, and these parts.
    """

    balance: Balance
    values: Floats
    ends: Ends
    held: Marks = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        """Nothing has been moved yet."""
        self.held = np.zeros_like(self.ends.sticky)

    def sweep(self, *, from_below: bool) -> None:
        """Let totals become sums where that is best, then parts make the others.

        Args:
            from_below: Whether what has become a sum is to stay it when it is itself a part, which
                leaves less to choose from and holds more often where parts have few digits.
        """
        self.held = np.zeros_like(self.held)
        for total in self.balance.totals:
            broken = self.balance.gaps(self.values, total) != 0
            self._become_sum(total, ~self._parts_give_way(total))
            if from_below:
                broken &= self.balance.gaps(self.values, total) == 0
                self.held[np.ix_(broken, np.array(total.columns))] = True
        for total in reversed(self.balance.totals):
            broken = self.balance.gaps(self.values, total) != 0
            self._move_parts(total, ~self.held & ~self.ends.sticky)
            self._become_sum(total, broken)
            self._move_parts(total, ~self.held)
            self._move_parts(total, np.ones_like(self.held))
            self.held[np.ix_(broken, np.array(total.columns))] = True

    def _parts_give_way(self, total: Total) -> Marks:
        """In which rows parts rather than their total are to change."""
        loose = (self.ends.low < self.ends.high) & ~self.ends.sticky & ~self.held
        levels, is_sticky = self.balance.levels[total.place], self.ends.sticky[:, total.place]
        if levels is not None:
            is_sticky = ~np.isin(self._sums(total), levels)
        return is_sticky & loose[:, total.parts].any(axis=1)

    def _sums(self, total: Total) -> Floats:
        sums = self.values[:, total.parts].sum(axis=1)
        return self.balance.rounded(sums[:, None], [total.place])[:, 0]

    def _become_sum(self, total: Total, may: Marks) -> None:
        """Let a total become the sum of its parts in some rows, where it has not been made."""
        if total.follows:
            sums, place = self._sums(total), total.place
            rows = may & ~self.held[:, place] & (self.balance.gaps(self.values, total) != 0)
            rows &= (sums >= self.ends.low[:, place]) & (sums <= self.ends.high[:, place])
            levels = self.balance.levels[place]
            if self.balance.keeps_levels and levels is not None:
                rows &= np.isin(sums, levels)
            self.values[rows, place] = sums[rows]

    def _move_parts(self, total: Total, may: Marks) -> None:
        """Move the parts of a total that may change ``(B, n)`` towards what makes it."""
        self._step_parts(total, may)
        rows = np.flatnonzero(self.balance.gaps(self.values, total))
        if not len(rows):
            return
        cells, parts = np.ix_(rows, np.array(total.parts)), list(total.parts)
        before, wanted = self.values[cells], self.values[rows, total.place]
        may = (may & (self.ends.low < self.ends.high))[cells]  # what is given is not even rounded
        low = np.where(may, self.ends.low[cells], before)
        high = np.where(may, self.ends.high[cells], before)
        values = before
        for _ in range(_ROUNDS):
            values = _by_size(values, wanted, low, high)
            values = np.where(may, self.balance.rounded(values, parts), before)
        digits = [self.balance.digits[part] for part in parts]
        values = _with_last_digits(values, wanted, low, high, digits)
        over = _a_unit_over(values, wanted, low, high, digits)
        over = _with_last_digits(over, wanted, low, high, digits)
        lacks = [np.abs(wanted - numbers.sum(axis=1)) for numbers in (values, over)]
        values = np.where((lacks[1] < lacks[0])[:, None], over, values)
        self.values[cells] = np.where(may, self.balance.rounded(values, parts), before)

    def _step_parts(self, total: Total, may: Marks) -> None:
        """Where only columns of few numbers may change: from one of these to others, if that does.

        Percentages in steps of five stay such.
        """
        parts = list(total.parts)
        levels = [self.balance.levels[part] for part in parts]
        loose = may[:, parts] & (self.ends.low < self.ends.high)[:, parts]
        others = loose & np.array([own is None for own in levels])
        broken = self.balance.gaps(self.values, total) != 0
        rows = np.flatnonzero(broken & loose.any(axis=1) & ~others.any(axis=1))
        if len(rows):
            found = self.values[rows]
            before = found[:, parts]
            low = np.where(loose[rows], self.ends.low[rows][:, parts], before)
            high = np.where(loose[rows], self.ends.high[rows][:, parts], before)
            found[:, parts] = _through_levels(before, found[:, total.place], low, high, levels)
            made = self.balance.gaps(found, total) == 0
            self.values[rows[made]] = found[made]


def _narrow(
    low: Floats, high: Floats, places: list[int], least: Floats, most: Floats, slack: Floats
) -> None:
    """Narrow the ends ``(B, n)`` of k columns, but where nothing would be left.

    Args:
        low: They are written into.
        high: Likewise.
        places: The columns.
        least: ``(B, k)``, the new lower ends where they are higher.
        most: Likewise.
        slack: ``(B, 1)``, what computing has changed at most; NaN in rows that stay as they are.
    """
    lowest, highest = np.fmax(low[:, places], least), np.fmin(high[:, places], most)
    room = lowest <= highest + slack
    low[:, places] = np.where(room, lowest, low[:, places])
    high[:, places] = np.where(room, np.fmax(lowest, highest), high[:, places])


def _sums_of_others(numbers: Floats) -> Floats:
    """For each of ``(B, P)`` numbers the sum of the others; some may be infinite, of one sign."""
    zeros = np.zeros((len(numbers), 1))
    before = np.cumsum(np.hstack([zeros, numbers[:, :-1]]), axis=1)
    after = np.cumsum(np.hstack([zeros, numbers[:, :0:-1]]), axis=1)[:, ::-1]
    return before + after


def _floor(numbers: Floats, digits: int) -> Floats:
    """Numbers ``(B,)`` rounded down to digits, but for what computing has added or taken."""
    nearest, unit = np.round(numbers, digits), 10.0**-digits
    with np.errstate(invalid='ignore'):  # of infinite ones
        off = np.abs(nearest - numbers)
        is_near = (off <= _NEAR * (1 + np.abs(numbers))) & (off <= _OF_A_UNIT * unit)
        below = np.round(np.floor(numbers / unit) * unit, digits)
    return np.where(is_near | ~np.isfinite(numbers), nearest, below)


def _by_size(values: Floats, totals: Floats, low: Floats, high: Floats) -> Floats:
    """Parts ``(B, P)`` moved by a high power of their sizes, as far as there is room.

    So the largest one takes nearly all, equal ones share it, and small ones, which are drawn to a
    small part of a total, stay what they are. Zeros come after all others.
    """
    lack = (totals - values.sum(axis=1))[:, None]
    room = np.where(lack > 0, high - values, values - low).clip(min=0.0)
    sizes = np.where(room > 0, np.abs(values), 0.0)
    largest = sizes.max(axis=1, keepdims=True)
    sizes = np.divide(sizes, largest, out=np.zeros_like(sizes), where=largest > 0) ** _POWER
    is_widest = np.arange(values.shape[1]) == room.argmax(axis=1)[:, None]
    sizes = np.where(sizes.any(axis=1, keepdims=True), sizes, is_widest)
    shares = sizes / sizes.sum(axis=1, keepdims=True)
    return np.asarray(values + np.sign(lack) * np.minimum(np.abs(lack) * shares, room))


def _with_last_digits(
    values: Floats, totals: Floats, low: Floats, high: Floats, digits: Sequence[Digits]
) -> Floats:
    """Parts ``(B, P)`` with what they still lack, in whole units, the largest ones first."""
    values, rows = values.copy(), np.arange(len(values))
    for column in (-np.abs(values)).argsort(axis=1, kind='stable').T:
        lack = totals - values.sum(axis=1)
        here = values[rows, column]
        moved = np.clip(here + lack, low[rows, column], high[rows, column])
        for place in np.unique(column).tolist():
            own, number = column == place, digits[place]
            if number is not None:
                steps = (moved[own] - here[own]) * 10.0**number
                whole = np.trunc(steps + np.sign(steps) * _OF_A_UNIT)
                changed = np.round(here[own] + whole / 10.0**number, number)
                moved[own] = np.where(whole != 0, changed, here[own])
        values[rows, column] = moved
    return values


def _through_levels(
    values: Floats,
    totals: Floats,
    low: Floats,
    high: Floats,
    levels: Sequence[Floats | None],
) -> Floats:
    """Parts ``(B, P)`` moved to other levels towards their total, the largest ones first."""
    values, rows = values.copy(), np.arange(len(values))
    for column in (-np.abs(values)).argsort(axis=1, kind='stable').T:
        here = values[rows, column]
        lack = totals - values.sum(axis=1)
        moved = np.clip(here + lack, low[rows, column], high[rows, column])
        for place in np.unique(column).tolist():
            own, numbers = column == place, levels[place]
            moved[own] = here[own] if numbers is None else _level(numbers, here[own], moved[own])
        values[rows, column] = moved
    return values


def _level(levels: Floats, start: Floats, end: Floats) -> Floats:
    """The last level on the way of numbers ``(B,)``; where they start if there is none."""
    slack = _NEAR * (1 + np.abs(end))
    last = levels[np.searchsorted(levels, end + slack, side='right') - 1]
    first = levels[np.searchsorted(levels, end - slack).clip(max=len(levels) - 1)]
    found = np.where(end > start, last, first)
    on_way = (found >= np.minimum(start, end) - slack) & (found <= np.maximum(start, end) + slack)
    return np.where(on_way, found, start)


def _a_unit_over(
    values: Floats, totals: Floats, low: Floats, high: Floats, digits: Sequence[Digits]
) -> Floats:
    """Parts ``(B, P)`` of which the largest that has few digits is moved by a whole unit.

    Others, which have more digits, may then take back what is too much.
    """
    lack = (totals - values.sum(axis=1))[:, None]
    units = np.array([0.0 if number is None else 10.0**-number for number in digits])
    moved = values + np.sign(lack) * units
    may = (units > units.min()) & (moved >= low) & (moved <= high) & (lack != 0)
    sizes = np.where(may, np.abs(values), -1.0)
    is_largest = np.arange(values.shape[1]) == sizes.argmax(axis=1)[:, None]
    return np.where(may & is_largest, moved, values)
