"""Drawn numbers that add up as in all training rows (``core/codecs/sums.py``).

Each cell has been drawn given others, so that a sum is nearly right and little has to move. A total
that was drawn becomes the sum of its parts; where it was given, or is a number that occurs often or
follows from another one, and where parts make a constant, parts give way instead (``balance.py``).
Cells that were given stay, and what is asked of a cell stays asked: what contradicts itself does
not add up.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.inequalities import Inequality
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Codes, Floats
from sdv_tabdar.core.inference.balance import Ends
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.inference.kept_values import implied
from sdv_tabdar.core.inference.summed import SummedColumns, codec_of, levels_of
from sdv_tabdar.core.restrictions import Interval, Members, Restriction
from sdv_tabdar.core.table import EncodedTable


@dataclasses.dataclass(frozen=True)
class _Attempt:
    """What is asked of rows beside that they add up.

    Attributes:
        keeps_made: Whether columns of products that are no totals stay as they are.
        keeps_told: Whether cells that known ones told stay as well.
        keeps_orders: Whether numbers stay in order with those of no sum, ...
        keeps_apart: ... and with others of sums that may move as well: what came out of order goes
            to the middle, or what is on its own side of the middle stays there.
        keeps_limits: Whether totals, and what makes a constant, stay within the limits of training,
            as other parts do.
    """

    keeps_made: bool = False
    keeps_told: bool = True
    keeps_orders: bool = True
    keeps_apart: bool = False
    keeps_limits: bool = True


_ATTEMPTS = (
    _Attempt(keeps_made=True),
    _Attempt(keeps_made=True, keeps_apart=True),
    _Attempt(),
    _Attempt(keeps_apart=True),
    _Attempt(keeps_told=False),
    _Attempt(keeps_told=False, keeps_apart=True),
    _Attempt(keeps_orders=False),
    _Attempt(keeps_orders=False, keeps_told=False),
    _Attempt(keeps_orders=False, keeps_told=False, keeps_limits=False),
)
"""From the first one on, until a row adds up and is in order."""


@dataclasses.dataclass(frozen=True)
class Adding:
    """Makes decoded rows add up.

    Attributes:
        encoder: The codes, and which columns are sums.
        known: ``(B, C)``, cells that were given.
        told: Likewise, with those that known ones told.
        restrictions: By name, what each row's cell may be.
        sticky: ``(B, C)``, cells that change only where no others can.
        made: Columns of products that are no totals.
        following: Columns of no sum that are made of the others afterwards.
    """

    encoder: TableEncoder
    known: Marks
    told: Marks
    restrictions: Mapping[str, Sequence[Restriction | None]]
    sticky: Marks
    made: frozenset[int] = frozenset()
    following: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls, encoder: TableEncoder, known: Marks, told: Marks, read: ReadRows, table: EncodedTable
    ) -> Adding:
        """For rows whose known cells were read, and which then were completed.

        Args:
            encoder: The codes.
            known: ``(B, C)``, cells that were given.
            told: Likewise, with those that known ones told.
            read: What was known of the rows before they were completed.
            table: The rows.
        """
        codes = table.codes.cpu().numpy()
        sticky = np.zeros(codes.shape, dtype=bool)
        for one in encoder.sums:
            for position, digits in zip(one.columns, one.digits, strict=True):
                codec = codec_of(encoder, position)
                sticky[:, position] = codes[:, position] < len(codec.atoms)
                if not codec.bins:
                    sticky[:, position] = levels_of(encoder, position, digits) is not None
        summed = SummedColumns(encoder).columns
        for echo in encoder.echoes:
            if echo.position in summed:  # else it follows whatever becomes of its source
                follows = codes[:, echo.position] == echo.code
                sticky[follows, echo.position] = sticky[follows, echo.source] = True
        return cls(encoder, known, told, read.restrictions, sticky)

    def add_up(self, frame: pd.DataFrame) -> None:
        """Make rows add up, as far as they can.

        Args:
            frame: Decoded rows, which are written into. Columns that it lacks count as missing.
        """
        if not self.encoder.sums:
            return
        names, lacking = self.encoder.schema.names, np.full(len(frame), np.nan)
        numbers = {
            position: frame[names[position]].to_numpy() if names[position] in frame else lacking
            for position in {*self._columns}.union(*self._orders)
        }
        before = dict(numbers)
        for position in numbers if self.made else ():  # what may follow does not limit products
            free = self._is_free(position, len(frame)) & self._is_loose(position, frame)
            numbers[position] = np.where(free, np.nan, numbers[position])
        values = np.stack([numbers[position] for position in self._columns], axis=1)
        found = self._balanced(values, {at: numbers[at] for at in {*numbers} - {*self._columns}})
        for place, position in enumerate(self._columns):
            cells = np.where(np.isnan(found[:, place]), before[position], found[:, place])
            if not np.array_equal(cells, before[position], equal_nan=True):
                frame[names[position]] = cells
        self._let_others_follow(frame)

    def _let_others_follow(self, frame: pd.DataFrame) -> None:
        """Put what may be anything, and is in no sum of its row, in order with what was moved."""
        names = self.encoder.schema.names
        for pair in self._orders:
            for own in pair if all(names[position] in frame for position in pair) else ():
                low, high = (frame[names[position]].to_numpy() for position in pair)
                rows = np.flatnonzero(low > high)
                if not len(rows):
                    continue
                is_loose = self._is_loose(own, frame.iloc[rows])
                free = rows[is_loose & self._is_free(own, len(frame))[rows]]
                values = frame[names[own]].to_numpy(copy=True)
                values[free] = (high if own == pair[0] else low)[free]
                frame[names[own]] = values

    def _is_free(self, position: int, num_rows: int) -> Marks:
        """In which rows ``(B,)`` a cell may be anything."""
        entries = self.restrictions.get(self.encoder.schema.names[position], [None] * num_rows)
        limited = np.array([isinstance(entry, Interval | Members) for entry in entries], dtype=bool)
        return ~(self.told[:, position] | limited)

    def _is_loose(self, position: int, frame: pd.DataFrame) -> Marks:
        """In which rows ``(B,)`` a column is in no sum that has all of its cells."""
        found = np.ones(len(frame), dtype=bool)
        for one in self.encoder.sums:
            if position in one.columns:
                summed = [self.encoder.schema.names[column] for column in one.columns]
                found &= frame.reindex(columns=summed).isna().to_numpy().any(axis=1)
        return found

    def _balanced(self, values: Floats, others: Mapping[int, Floats]) -> Floats:
        """The numbers ``(B, n)`` of the columns of sums, by the first attempt that does it best.

        Args:
            values: The numbers as they were drawn or given.
            others: By position, those of columns in order with them.
        """
        rounded = self._summed.balance.rounded(values, range(len(self._columns)))
        values = np.where(self.known[:, self._columns], values, rounded)
        best, points, most = values.copy(), np.full(len(values), -1), len(self._orders)
        rows = np.arange(len(values))
        for attempt in _ATTEMPTS:
            if attempt.keeps_made and not self.made:
                continue
            beside = {position: numbers[rows] for position, numbers in others.items()}
            start = best[rows] if attempt.keeps_apart else values[rows]
            ends = self._ends(attempt, rows, start, beside)
            found = self._summed.balance.balanced(self._summed.with_constants(start), ends)
            found = self._contained(rows, start, found)
            reached = (most + 1) * self._summed.balance.num_held(found)
            reached += self._num_in_order(found, beside)
            is_better = reached > points[rows]
            best[rows[is_better]] = found[is_better, : len(self._columns)]
            points[rows[is_better]] = reached[is_better]
            enough = (most + 1) * len(self.encoder.sums) + most * attempt.keeps_orders
            rows = np.flatnonzero(points < enough)
            if not len(rows):
                break
        return best

    def _contained(self, rows: Rows, before: Floats, after: Floats) -> Floats:
        """Numbers of rows, as before where they became what their columns must not have."""
        found = after.copy()
        for place, position in enumerate(self._columns if self.encoder.keeps_values else ()):
            numbers = after[:, place]
            may = np.isnan(numbers) | (
                codec_of(self.encoder, position).contained(numbers) == numbers
            )
            may |= self._implied[rows, position]
            found[:, place] = np.where(may, numbers, before[:, place])
        return found

    @functools.cached_property
    def _implied(self) -> Marks:
        """Cells ``(B, C)`` that may be anything although values are kept, as given ones say so."""
        if self.encoder.keeps_values:
            return implied(self.encoder, self.known)
        return np.zeros_like(self.known)

    @functools.cached_property
    def _summed(self) -> SummedColumns:
        return SummedColumns(self.encoder, self.made)

    @property
    def _columns(self) -> list[int]:
        """The positions of the n columns of sums."""
        return self._summed.columns

    @property
    def _places(self) -> Mapping[int, int]:
        """For each of these positions its place among them."""
        return self._summed.places

    @functools.cached_property
    def _orders(self) -> list[Inequality]:
        """Columns in order of which one at least is in a sum."""
        pairs = [pair for pair in self.encoder.inequalities if {*pair} & {*self._columns}]
        return [pair for pair in pairs if not {*pair} & self.following]

    @functools.cached_property
    def _inner_orders(self) -> list[tuple[int, int]]:
        """Places of columns of sums in order, but those that are the same in all rows."""
        pairs = [(self._places.get(low), self._places.get(high)) for low, high in self._orders]
        found = [(low, high) for low, high in pairs if low is not None and high is not None]
        return [(low, high) for low, high in found if (high, low) not in found]

    def _is_open(self, pair: Inequality, values: Floats) -> Marks:
        """In which rows ``(B,)`` two columns are not in order as a part and its total anyway."""
        found = np.ones(len(values), dtype=bool)
        for one in self.encoder.sums:
            if pair[0] in one.parts and pair[1] == one.total:
                places = [self._places[position] for position in one.columns]
                found &= np.isnan(values[:, places]).any(axis=1)
        return found

    def _ends(
        self, attempt: _Attempt, rows: Rows, values: Floats, others: Mapping[int, Floats]
    ) -> Ends:
        """Between what the numbers ``(B, n)`` of some rows have to be, and the constants."""
        low, high = np.empty_like(values), np.empty_like(values)
        for place, position in enumerate(self._columns):
            least, most = codec_of(self.encoder, position).limits
            is_free = self._implied[rows, position]
            if not attempt.keeps_limits and position in self._summed.unlimited:
                is_free = np.ones_like(is_free)
            low[:, place] = np.where(is_free, 0.0 if least >= 0 else -np.inf, least)
            high[:, place] = np.where(is_free, 0.0 if most <= 0 else np.inf, most)
            self._restrict(position, rows, values[:, place], low[:, place], high[:, place])
        cells = np.ix_(rows, np.array(self._columns))
        fixed = (self.told if attempt.keeps_told else self.known)[cells]
        if attempt.keeps_made:
            fixed = fixed | np.isin(self._columns, [*self.made])
        still = fixed | (low == high)  # members of sets do not move either
        if attempt.keeps_orders:
            self._keep_beside(values, still, others, low, high)
        low, high = np.where(fixed, values, low), np.where(fixed, values, high)
        sticky = np.pad(self.sticky[cells], ((0, 0), (0, len(self._summed.constants))))
        ends = Ends(self._summed.with_constants(low), self._summed.with_constants(high), sticky)
        if attempt.keeps_apart:
            self._keep_apart(values, still, ends)
        numbers = self._summed.with_constants(values)
        sticky &= (numbers >= ends.low) & (numbers <= ends.high)
        return ends

    def _restrict(
        self, position: int, rows: Rows, values: Floats, low: Floats, high: Floats
    ) -> None:
        """Write what is asked of a column into its ends ``(B,)``; members of a set stay."""
        entries = self.restrictions.get(self.encoder.schema.names[position])
        for place, row in enumerate(rows.tolist() if entries is not None else ()):
            entry = entries[row] if entries is not None else None
            if isinstance(entry, Members):
                low[place] = high[place] = values[place]
            elif isinstance(entry, Interval):
                low[place] = max(low[place], -np.inf if entry.low is None else entry.low)
                high[place] = min(high[place], np.inf if entry.high is None else entry.high)

    def _keep_beside(
        self,
        values: Floats,
        still: Marks,
        others: Mapping[int, Floats],
        low: Floats,
        high: Floats,
    ) -> None:
        """Narrow the ends ``(B, n)`` of columns in order with others that do not move.

        Args:
            values: The numbers of all columns.
            still: Which of them do not move.
            others: By position, those of columns of no sum.
            low: Written into.
            high: Likewise.
        """
        for pair in self._orders:
            below, above = (self._places.get(position) for position in pair)
            is_open = self._is_open(pair, values)
            if above is not None:
                floors = others[pair[0]] if below is None else values[:, below]
                rows = is_open if below is None else is_open & still[:, below]
                low[rows, above] = np.fmax(low[rows, above], floors[rows])
            if below is not None:
                ceilings = others[pair[1]] if above is None else values[:, above]
                rows = is_open if above is None else is_open & still[:, above]
                high[rows, below] = np.fmin(high[rows, below], ceilings[rows])

    def _keep_apart(self, values: Floats, still: Marks, ends: Ends) -> None:
        """Narrow the ends of columns in order that both move, to where sums leave room for them.

        Args:
            values: The numbers ``(B, n)`` of all columns.
            still: Which of them do not move.
            ends: Written into.
        """
        least, most, pairs = values.copy(), values.copy(), []
        for below, above in self._inner_orders:
            is_open = self._is_open((self._columns[below], self._columns[above]), values)
            rows = np.flatnonzero(is_open & ~still[:, below] & ~still[:, above])
            least[rows, below] = np.fmin(least[rows, below], values[rows, above])
            most[rows, above] = np.fmax(most[rows, above], values[rows, below])
            pairs.append((below, above, rows))
        low, high = self._summed.balance.narrowed(ends, self._summed.with_constants(values))
        middles = np.clip(self._summed.with_constants((least + most) / 2), low, high)
        settled = middles.copy()  # in order, each as near to what it was as can be
        for below, above, rows in pairs:
            settled[rows, above] = np.fmax(settled[rows, above], middles[rows, below])
        settled = np.fmin(settled, high)
        for below, above, rows in pairs:
            rows = rows[settled[rows, below] <= settled[rows, above]]
            middle = (settled[rows, below] + settled[rows, above]) / 2
            ends.high[rows, below] = np.fmin(ends.high[rows, below], middle)
            ends.low[rows, above] = np.fmax(ends.low[rows, above], middle)

    def _num_in_order(self, values: Floats, others: Mapping[int, Floats]) -> Codes:
        """How many pairs are in order in each row ``(B,)``."""
        found = np.zeros(len(values), dtype=np.int64)
        for pair in self._orders:
            low, high = (
                others[position] if position in others else values[:, self._places[position]]
                for position in pair
            )
            found += ~(low > high) | ~self._is_open(pair, values)
        return found
