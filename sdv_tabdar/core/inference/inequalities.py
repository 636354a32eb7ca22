"""Drawn numbers in the order that all training rows have (``core/codecs/inequalities.py``).

A row in which a number came out above one that it never exceeds has the one drawn again, given all
other cells, from its distribution cut off where the others are: so far as it is the last cell of
the row, rows are distributed as if it had been cut off in the first place. Cells that were given
stay, and what is asked of a cell stays asked.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.value_places import on_grid
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.echoes.cells import Rows, write_code, write_numbers
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.inference.predict import drawn_again
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Interval, Members, Restriction, both
from sdv_tabdar.core.table import EncodedTable


@dataclasses.dataclass
class Ordering:
    """Puts completed rows in order; written into while that is done.

    Attributes:
        encoder: The codes, and which columns are in order.
        network: A trained network.
        config: Sampling settings.
        generator: Source of all randomness.
        read: What was known of the rows before they were completed.
        table: B completed rows.
        held: Positions of columns that do not change.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig
    generator: torch.Generator
    read: ReadRows
    table: EncodedTable
    held: frozenset[int] = frozenset()
    _told: Marks = dataclasses.field(init=False)
    _free_rows: dict[int, Marks] = dataclasses.field(default_factory=dict)
    _decoded: dict[int, Floats] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Nothing has been drawn again yet."""
        self._told = self.read.told
        self._told[:, list(self.held)] = True
        for echo in self._leading:
            echoing = self.table.codes[:, echo.position].cpu().numpy() == echo.code
            self._told[echoing, echo.position] = True

    def ordered(self) -> EncodedTable:
        """The rows, in which numbers that were out of order are drawn again."""
        upwards = self._positions()
        for position in upwards:
            rows = np.flatnonzero(self._limited(position))
            self._settle(position, rows, self.read.limits(position, rows))
        for position in upwards:  # known in part: above what is given, and with room for the rest
            ends = self._ends(position)[0], self._room(position)
            self._draw_outside(position, self._limited(position), ends)
        for position in upwards:  # not known: between what is given, ...
            self._draw_outside(position, self._free(position), self._ends(position))
        # ... and then, so that neither end gives way more often, every other row from above.
        is_even = np.arange(len(self.table)) % 2 == 0
        for position in reversed(upwards):
            ends = self._ends(position, below_all=True)
            self._draw_outside(position, self._free(position) & is_even, ends)
        for position in upwards:
            ends = self._ends(position, above_all=True)
            self._draw_outside(position, self._free(position), ends)
        for position in reversed(upwards):  # below what cannot be as high as it came out
            ends = self._ends(position, below_all=True)
            self._draw_outside(position, self._free(position), ends)
        for position in upwards:
            self._leave_missing(position)
        return self.table

    def clip(self, frame: pd.DataFrame) -> None:
        """Put what rounding has left out of order in order, in the decoded table."""
        names = self.encoder.schema.names
        for position in self._positions():
            if not self.encoder.codecs[position].column.bins:
                continue  # nothing is rounded there
            values = frame[names[position]].to_numpy(copy=True)
            floors, ceilings = np.full(len(frame), -np.inf), np.full(len(frame), np.inf)
            for low in self._below(position):
                floors = np.fmax(floors, frame[names[low]].to_numpy())
            for high in self._above(position):  # what is drawn there gives way in its turn
                rows = ~self._free(high)
                ceilings[rows] = np.fmin(ceilings, frame[names[high]].to_numpy())[rows]
            may = self._free(position)
            rows = may & (values < floors)
            values[rows] = floors[rows]
            rows = may & (values > ceilings) & (floors <= ceilings)
            values[rows] = ceilings[rows]
            frame[names[position]] = values

    def _positions(self) -> list[int]:
        """The columns that are in order with others, each behind those below it."""
        columns = {place for pair in self.encoder.inequalities for place in pair}
        columns |= {echo.source for echo in self._leading}
        return sorted(columns, key=lambda place: (len(self._below(place)), place))

    def _below(self, position: int) -> list[int]:
        return [low for low, high in self.encoder.inequalities if high == position]

    def _above(self, position: int) -> list[int]:
        return [high for low, high in self.encoder.inequalities if low == position]

    @functools.cached_property
    def _leading(self) -> list[Echo]:
        """What follows in all rows and is in order with others: its source moves in its place."""
        ordered = {place for pair in self.encoder.inequalities for place in pair}
        found: list[Echo] = []
        for echo in reversed(self.encoder.echoes):
            if echo.always and echo.position in ordered:
                ordered.add(echo.source)
                found.append(echo)
        return found

    def _family(self, position: int) -> set[int]:
        """A column and those that follow from it in all rows, which are in order with it anyway."""
        followers = [echo.position for echo in self._leading if echo.source == position]
        return {position}.union(*map(self._family, followers))

    def _through(self, position: int, but: Collection[int]) -> Iterator[tuple[Floats, Floats]]:
        """Between which numbers ``(B,)`` a cell has to be for those that follow from it.

        Args:
            position: The column.
            but: Columns that do not count.
        """
        for echo in self._leading:
            if echo.source == position:
                low, high = (echo.line.inverse(end) for end in self._ends(echo.position, but=but))
                if echo.line.slope < 0:
                    low, high = high, low
                echoing = self.table.codes[:, echo.position].cpu().numpy() == echo.code
                yield np.where(echoing, low, -np.inf), np.where(echoing, high, np.inf)

    def _free(self, position: int) -> Marks:
        """In which rows ``(B,)`` a cell may be anything."""
        if position not in self._free_rows:
            self._free_rows[position] = self._drawn(position) & self.read.free(position)
        return self._free_rows[position]

    def _limited(self, position: int) -> Marks:
        """In which rows a cell is known in part."""
        return self._drawn(position) & ~self._free(position)

    def _drawn(self, position: int) -> Marks:
        return ~self._told[:, position]

    def _ends(
        self,
        position: int,
        *,
        above_all: bool = False,
        below_all: bool = False,
        but: Collection[int] = (),
    ) -> tuple[Floats, Floats]:
        """Between which numbers ``(B,)`` a cell has to be; infinite where there is no end.

        Args:
            position: The column.
            above_all: Whether all lower cells count, not only those given, in part at least.
            below_all: Likewise of higher cells.
            but: Columns that do not count.
        """
        low, high = (np.full(len(self.table), end) for end in (-np.inf, np.inf))
        left_out = self._family(position).union(but)
        for below in self._below(position):
            if below not in left_out:
                low = np.fmax(low, self._numbers(below, of_all=above_all))
        for above in self._above(position):
            if above not in left_out:
                high = np.fmin(high, self._numbers(above, of_all=below_all))
        for least, most in self._through(position, left_out):
            low, high = np.fmax(low, least), np.fmin(high, most)
        return low, high

    def _room(self, position: int) -> Floats:
        """What a cell may be at most ``(B,)`` for those above it that are given, or in part."""
        most, family = np.full(len(self.table), np.inf), self._family(position)
        for _, end in self._through(position, family):
            most = np.fmin(most, end)
        for above in set(self._above(position)) - family:
            greatest = np.where(self._drawn(above), np.inf, self._numbers(above, of_all=True))
            rows = np.flatnonzero(self._limited(above))
            greatest[rows] = [_greatest(limit) for limit in self.read.limits(above, rows)]
            most = np.fmin(most, greatest)
        return most

    def _numbers(self, position: int, *, of_all: bool) -> Floats:
        """The numbers of a column; NaN where missing, or where not given if not all count."""
        if position not in self._decoded:
            numbers = self.encoder.numbers(self.table, position, self.read.numbers)
            within = np.clip(
                numbers, *self.encoder.codecs[position].limits
            )  # an echo may be beyond
            if position in self.encoder.grids:  # as they will be rounded
                within = on_grid(within, self.encoder.grids[position])
            self._decoded[position] = np.where(self._drawn(position), within, numbers)
        numbers = self._decoded[position]
        return numbers if of_all else np.where(self._free(position), np.nan, numbers)

    def _draw_outside(self, position: int, may: Marks, ends: tuple[Floats, Floats]) -> None:
        """Draw cells of a column again that may change and are not between two numbers."""
        low, high = ends
        numbers = self._numbers(position, of_all=True)
        rows = np.flatnonzero(may & ((numbers < low) | (numbers > high)))
        if not len(rows):
            return
        wanted = [
            None if least > most else both(Interval(_end(least), _end(most)), limit)
            for least, most, limit in zip(
                low[rows], high[rows], self.read.limits(position, rows), strict=True
            )
        ]
        rows, allowed = self._allowed(position, rows, wanted)
        if len(rows):
            self._draw(position, rows, allowed)

    def _leave_missing(self, position: int) -> None:
        """Have cells missing for which given numbers of training leave none: there they were."""
        codec = self.encoder.codecs[position]
        if codec.column.missing is None:
            return
        low, high = self._ends(position)
        rows = self._free(position) & ((low > codec.limits[1]) | (high < codec.limits[0]))
        for other in (*self._below(position), *self._above(position)):
            least, most = self.encoder.codecs[other].limits
            given = self._numbers(other, of_all=False)
            rows &= ~((given < least) | (given > most))
        write_code(self.encoder, self.table, position, np.flatnonzero(rows), codec.column.missing)
        self._forget(position)

    def _allowed(
        self, position: int, rows: Rows, wanted: list[Restriction | None]
    ) -> tuple[Rows, list[Restriction]]:
        """The rows in which a column can have what is wanted, and that."""
        distinct = list(dict.fromkeys(entry for entry in wanted if entry is not None))
        is_allowed = self.encoder.codecs[position].allows_each(distinct).tolist()
        allowed = {entry for entry, can in zip(distinct, is_allowed, strict=True) if can}
        kept = [place for place, entry in enumerate(wanted) if entry in allowed]
        return rows[kept], [entry for place in kept if (entry := wanted[place]) is not None]

    def _draw(self, position: int, rows: Rows, wanted: list[Restriction]) -> None:
        """Draw cells of a column again, given all others and what they are to be."""
        pieces = self.encoder.restrict({self.encoder.schema.names[position]: wanted})[position]
        self.table = drawn_again(
            self.network,
            self.table,
            position,
            torch.from_numpy(rows),
            [piece for piece in pieces if piece is not None],
            self.config,
            self.generator,
        )
        self._forget(position)
        self._settle(position, rows, wanted)

    def _settle(self, position: int, rows: Rows, wanted: Sequence[Restriction | None]) -> None:
        """Write members of sets into the cells that stand for them by a number near to one."""
        codec = self.encoder.codecs[position]
        codes = self.table.codes[torch.from_numpy(rows), position].cpu().numpy()
        is_in_bin = (codes >= codec.column.bins.start) & (codes < codec.column.bins.stop)
        is_near = is_in_bin & np.array([isinstance(entry, Members) for entry in wanted], dtype=bool)
        if is_near.any():
            near = rows[is_near]
            numbers = self._numbers(position, of_all=True)[near]
            members = [wanted[place] for place in np.flatnonzero(is_near).tolist()]
            values = codec.enforce_each(numbers, members, np.zeros(len(near)))
            write_numbers(self.encoder, self.table, position, near, values)
            self._forget(position)

    def _forget(self, position: int) -> None:
        """Have the numbers of a column that has changed decoded again."""
        for changed in (position, *(echo.position for echo in self.encoder.echoes)):
            self._decoded.pop(changed, None)


def _greatest(limit: Restriction | None) -> float:
    """The greatest number that a cell may be."""
    if isinstance(limit, Members):
        numbers = [value for value in limit.values if isinstance(value, int | float)]
        return max((value for value in numbers if value == value), default=np.inf)
    high = limit.high if isinstance(limit, Interval) else None
    return np.inf if high is None else high


def _end(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
