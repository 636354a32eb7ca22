"""Whole numbers that are clock times, 517 for 5:17 and 2359 for 23:59, as minutes since midnight.

Between 1159 and 1200 there is a minute and not 41 of something. The core sees the minutes, so that
what is so long after something else is so in its numbers; whoever asks it has the clock times. Of
numbers in between, ends of ranges say, each scale has its own: the map is monotone on all of them.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.stored import StoredTable, Table
from sdv_tabdar.core.codecs.values import Floats, as_floats, with_columns
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import (
    Interval,
    Members,
    NothingAllowedError,
    Restriction,
)
from sdv_tabdar.core.schema import ColumnKind

_logger = logging.getLogger(__name__)

NO_CLOCK_TIME = 'no clock time, as hhmm, lies there'

_HOUR = 60
_DAY = 24
_WRITTEN_HOUR = 100
_LAST = 2400  # the end of a day, which some write so
_LAST_MINUTE = 59
_LEAP = _WRITTEN_HOUR - _LAST_MINUTE  # from the last minute of an hour, as it is written
_HALF = 0.499  # of a minute: what is drawn inside rounds to one in the range
_BY_CHANCE = 14.0  # -log of the probability at most that other numbers look like that
_MOST_MINUTES = 0.75  # of those on its grid a column must have, ...
_ENOUGH_MINUTES = 30  # ... or so many: as many other ends are all below 60 once in e**15
_LATE = 54  # from here on it must have one: weeks of a year, written 1901 to 1953, have none

Marks = npt.NDArray[np.bool_]


def minutes_of(clocks: Floats) -> Floats:
    """Minutes since midnight of clock times, and of the numbers between them."""
    hours = np.floor(clocks / _WRITTEN_HOUR)
    rest = clocks - _WRITTEN_HOUR * hours
    within = np.where(rest <= _LAST_MINUTE, rest, _LAST_MINUTE + (rest - _LAST_MINUTE) / _LEAP)
    return _HOUR * hours + within


def clocks_of(minutes: Floats) -> Floats:
    """What :func:`minutes_of` is the inverse of."""
    hours = np.floor(minutes / _HOUR)
    rest = minutes - _HOUR * hours
    within = np.where(rest <= _LAST_MINUTE, rest, _LAST_MINUTE + (rest - _LAST_MINUTE) * _LEAP)
    return _WRITTEN_HOUR * hours + within


def whole_minutes_of(clocks: Floats) -> Floats:
    """The whole minutes nearest to clock times, and to other numbers; NaN stays."""
    return np.rint(minutes_of(clocks))


def nearest_clock_times(clocks: Floats) -> Floats:
    """The clock times nearest to some numbers; NaN stays."""
    return clocks_of(whole_minutes_of(clocks))


def mean_time(clocks: Floats) -> Floats:
    """The clock times ``(rows,)`` that are the means of others ``(rows, samples)``."""
    return clocks_of(np.rint(minutes_of(clocks).mean(axis=1)))


def quantiles_of_times(clocks: Floats, shares: Sequence[float]) -> Floats:
    """The clock times ``(len(shares),)`` that are quantiles of others ``(samples,)``."""
    return clocks_of(np.rint(np.quantile(minutes_of(clocks), shares)))


def are_clock_times(numbers: Floats) -> Marks:
    """Which numbers are written as hhmm, of any day; not NaN."""
    return (numbers == np.floor(numbers)) & (numbers % _WRITTEN_HOUR <= _LAST_MINUTE)


def has_clock_time(low: float, high: float) -> bool:
    """Whether a clock time lies between two numbers, ends included."""
    first, last = minutes_of(np.array([low, high])).tolist()
    return math.ceil(first) <= math.floor(last)


def look_like_clock_times(numbers: Floats) -> bool:
    """Whether a column's numbers, NaN where missing, can hardly be anything but clock times."""
    seen = _seen(numbers)
    return seen is not None and _is_evident(seen)


@dataclasses.dataclass(frozen=True)
class ClockTimes:
    """The columns of a table that hold clock times.

    Attributes:
        names: Their names.
    """

    names: frozenset[str] = frozenset()

    @classmethod
    def find(
        cls,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        config: ModelConfig,
        known: Collection[str] = (),
    ) -> ClockTimes:
        """The columns of a training table that can hardly be anything else.

        Args:
            frame: The table.
            kinds: Kind of each of its columns.
            config: Whether sums are kept; else numbers stay what they are.
            known: Columns of numbers that are known to be.
        """
        if 'sums' not in config.kept_relations:
            return cls()
        stored = isinstance(frame, StoredTable)
        found = _stored_times(frame) if stored else _times_in_memory(frame, kinds)
        return cls(frozenset(name for name, seen in found if _is_evident(seen)).union(known))

    def tell(self, told: Mapping[Any, str] | None) -> None:
        """Log which these are, of those with a name in ``told``; None for all by their names."""
        names = self.names if told is None else {told[name] for name in self.names & told.keys()}
        if names:
            known = ', '.join(map(repr, sorted(names)))
            _logger.info(f'{known} are read as clock times (hhmm), in minutes beside others.')

    def learnt(self, table: Table) -> Table:
        """A training table with minutes in these columns."""
        if isinstance(table, StoredTable):
            return (
                table.read_by(dict.fromkeys(self.names, whole_minutes_of)) if self.names else table
            )
        return self.in_minutes(table)

    def in_minutes(self, frame: pd.DataFrame, known: Marks | None = None) -> pd.DataFrame:
        """A table with minutes in these columns; itself if there are none.

        Args:
            frame: Any columns.
            known: ``(B, len(frame.columns))``, cells that count, the others become missing; None
                for all.
        """
        columns = {}
        for place, name in enumerate(frame.columns):
            if name in self.names:
                rows = slice(None) if known is None else known[:, place]
                cells = np.full(len(frame), np.nan)
                cells[rows] = whole_minutes_of(as_floats(frame[name][rows]))
                columns[name] = cells
        return with_columns(frame, columns) if columns else frame

    def written(self, minutes: pd.DataFrame) -> pd.DataFrame:
        """A table of the core, with the nearest clock times in these columns."""
        own = [name for name in minutes if name in self.names]
        return with_columns(minutes, {name: self.clocks(name, minutes[name]) for name in own})

    def write_moved(self, minutes: pd.DataFrame, frame: pd.DataFrame) -> None:
        """Write into a table what has changed since it was :meth:`in_minutes`."""
        if minutes is frame:
            return
        before, written = self.in_minutes(frame), self.written(minutes)
        for name in frame.columns:
            moved = minutes[name].to_numpy() != before[name].to_numpy()
            frame[name] = np.where(moved, written[name].to_numpy(), frame[name].to_numpy())

    def clocks(self, name: str, minutes: Any) -> Any:
        """The nearest clock times to numbers of the core, if this column has such."""
        return clocks_of(np.rint(minutes)) if name in self.names else minutes

    def minutes(self, name: str, clocks: Floats) -> Floats:
        """The numbers of the core for some of a column."""
        return whole_minutes_of(clocks) if name in self.names else clocks

    def restricted(
        self, restrictions: Mapping[str, Sequence[Restriction | None]]
    ) -> dict[str, Sequence[Restriction | None]]:
        """Restrictions of columns, in the terms of the core.

        Raises:
            NothingAllowedError: If one allows no clock time.
        """
        found = dict(restrictions)
        for name in self.names & restrictions.keys():
            distinct = dict.fromkeys(entry for entry in restrictions[name] if entry is not None)
            told = {entry: self.restriction(name, entry) for entry in distinct}
            for entry in (entry for entry, own in told.items() if own is None):
                raise NothingAllowedError(name, entry, NO_CLOCK_TIME)
            found[name] = [None if entry is None else told[entry] for entry in restrictions[name]]
        return found

    def restriction(self, name: str, entry: Restriction) -> Restriction | None:
        """A restriction of a column, in the terms of the core; None if it allows no clock time."""
        return _in_minutes(entry) if name in self.names else entry

    def strange(self, frame: pd.DataFrame, known: Marks) -> Marks:
        """Known cells ``(B, len(frame.columns))`` of these columns that hold no clock time."""
        found = np.zeros(known.shape, dtype=bool)
        for place, name in enumerate(frame.columns):
            if name in self.names:
                rows = np.flatnonzero(known[:, place])
                numbers = as_floats(frame[name].iloc[rows])
                found[rows, place] = ~are_clock_times(numbers) & ~np.isnan(numbers)
        return found


def _in_minutes(restriction: Restriction) -> Restriction | None:
    """A restriction of clock times as one of minutes that round to them; None if there are none."""
    asked = restriction if restriction.asked is None else restriction.asked
    if isinstance(restriction, Members):
        minutes = tuple(_members_in_minutes(restriction.values))
        return Members(minutes, asked=asked) if minutes else None
    if not isinstance(restriction, Interval):
        return restriction
    ends = (restriction.low, restriction.high)
    low, high = (None if _is_open(end) else float(minutes_of(np.array(end))) for end in ends)
    low = None if low is None else math.ceil(low) - _HALF
    high = None if high is None else math.floor(high) + _HALF
    is_empty = low is not None and high is not None and low > high
    return None if is_empty else Interval(low, high, asked=asked)


def _is_open(end: float | None) -> bool:
    return end is None or math.isinf(end)


def _members_in_minutes(values: Sequence[Hashable]) -> Iterator[float | None]:
    for value in values:
        if value is None or value != value:
            yield None
        elif isinstance(value, int | float) and are_clock_times(np.array(float(value))):
            yield float(minutes_of(np.array(float(value))))


def _times_in_memory(
    frame: pd.DataFrame, kinds: Mapping[Any, ColumnKind]
) -> Iterator[tuple[str, Marks]]:
    """The columns whose numbers may all be clock times, and which of these they have."""
    for name, values in frame.items():
        is_number = isinstance(values.dtype, np.dtype) and values.dtype.kind in 'iuf'
        if is_number and kinds.get(name) is ColumnKind.NUMERICAL:
            seen = _seen(values.to_numpy(dtype=np.float64))
            if seen is not None:
                yield str(name), seen


def _stored_times(table: StoredTable) -> Iterator[tuple[str, Marks]]:
    """As :func:`_times_in_memory`, in one pass over a table in files."""
    found = {name: np.zeros(_LAST + 1, dtype=bool) for name in table.numbers}
    ends = {name: table.limits(name) for name in table.numbers}
    left = [name for name, (low, high) in ends.items() if low >= 0 and high <= _LAST]
    for part in table.parts(left) if left else ():
        for name in [*left]:
            seen = _seen(part[name])
            if seen is None:
                left.remove(name)
            else:
                found[name] |= seen
    yield from ((name, found[name]) for name in left)


def _seen(numbers: Floats) -> Marks | None:
    """Which of 0 to 2400 ``(2401,)`` some numbers are; None if one is no clock time of a day."""
    present = numbers[~np.isnan(numbers)]
    if not len(present) or present.min() < 0 or present.max() > _LAST:
        return None if len(present) else np.zeros(_LAST + 1, dtype=bool)
    if not are_clock_times(present).all():
        return None
    return np.bincount(present.astype(np.int64), minlength=_LAST + 1) > 0


def _is_evident(seen: Marks) -> bool:
    """Whether these clock times are too many, in too many hours, for other numbers to be so.

    Numbers that lie as densely on either side of an hour as in it would have ends above 59, too.
    Each distinct one tells by how round it is, as people round: 50 and 100 say nothing. Numbers
    with other ends that never are above 59, days of a month or weeks of a year behind its number,
    lack many minutes of the grid that these are on, or the last ones.

    Args:
        seen: ``(2401,)``, which there are.
    """
    grid = seen[:_LAST].reshape(_DAY, _WRITTEN_HOUR)[:, :_HOUR]
    minutes = np.flatnonzero(grid.any(axis=0))
    if not len(minutes) or minutes[0] != 0:
        return False
    step = math.gcd(_HOUR, *minutes.tolist())
    is_whole = len(minutes) >= min(_MOST_MINUTES * _HOUR / step, _ENOUGH_MINUTES)
    if not is_whole or minutes[-1] < min(_LATE, _HOUR - step):
        return False
    told = grid @ _NATS
    beside = np.minimum(np.minimum(told[:-2], told[2:]), told[1:-1])
    return bool(beside.sum() > _BY_CHANCE)


def _nats() -> Floats:
    """By how much it speaks for clock times ``(60,)`` that a number ends so, and not above 59."""
    ends = np.arange(_WRITTEN_HOUR)
    roundness = np.select([ends % unit == 0 for unit in (50, 25, 10, 5)], [50, 25, 10, 5], 1)
    low = np.array([(roundness[:_HOUR] == own).sum() for own in roundness[:_HOUR]])
    both = np.array([(roundness == own).sum() for own in roundness[:_HOUR]])
    return np.log(both / low)


_NATS = _nats()
