"""Drawn means, weighted sums, greatest and least numbers as in all training rows.

A result that was drawn becomes what its sources make (``codecs/aggregates.py``). Where it was
given, or may not be that, sources that were drawn give way: of a weighted sum all of them, by so
much that it is met; of a greatest number those that are above it, and the one that is next to it
rises; of a curve the one there is; of the years between two dates one of them, by as many years; of
a date so many months after another one that one, or else the months; of a year less a number this
one, or else the date.
Cells that were given stay, and what is asked of a cell stays asked.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.curves import CURVES, source
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import SINGLE, Marks
from sdv_tabdar.core.codecs.number_pieces import ends_of
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.spans import SPANS, moved
from sdv_tabdar.core.codecs.terms import TERMS, between, earlier
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.codecs.years import YEAR_LESS, in_year, year_of
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.restrictions import Restriction, met_by

_TURNS = 2  # in which sources come nearer to a given result
_SEARCHED = 3  # sources of which ...
_NEARBY = range(-3, 4)  # ... numbers so many units further are tried
_SHARES = 1.0, 0.0, *(share / 10 for share in range(9, 0, -1))  # of years, by which the first moves
_DAYS = 0, 1, -1, 3, -3  # by which dates move beside: not all years have 29 February, or a Sunday
_SHIFTS = np.array([*itertools.product((0,), _SHARES, _DAYS), (1, 1.0, 0), (1, 0.0, 0)])
"""Ways ``(ways, 3)`` to move two dates, the last ones to an end."""


@dataclasses.dataclass(frozen=True)
class Aggregating:
    """Makes decoded rows keep their aggregates.

    Attributes:
        encoder: The codes, and which columns are aggregates.
        known: ``(B, C)``, cells that were given.
        told: Likewise, with those that known ones told.
        restrictions: By name, what each row's cell may be.
    """

    encoder: TableEncoder
    known: Marks
    told: Marks
    restrictions: Mapping[str, Sequence[Restriction | None]]

    def aggregate(self, frame: pd.DataFrame, stays: Collection[int] = ()) -> None:
        """Make rows keep their aggregates, as far as they can; ``frame`` is written into.

        Those of columns that it lacks are left.

        Args:
            frame: Decoded rows.
            stays: Results by position to which their sources move sooner than that they become
                what these make.
        """
        names = self.encoder.schema.names
        for one in self.encoder.aggregates:
            if not all(names[position] in frame for position in one.columns):
                continue
            before = np.stack([as_floats(frame[names[at]]) for at in one.columns], axis=1)
            numbers = np.stack(
                [
                    np.where(self.known[:, at], own, one.rounded(place, own))
                    for place, (at, own) in enumerate(zip(one.columns, before.T, strict=True))
                ],
                axis=1,
            )
            if one.result in stays:
                self._lead(one, numbers, frame)
            self._settle(one, numbers, frame)
            for place, position in enumerate(one.columns):
                if not np.array_equal(numbers[:, place], before[:, place], equal_nan=True):
                    frame[names[position]] = numbers[:, place]

    def _settle(self, one: Aggregate, numbers: Floats, frame: pd.DataFrame) -> None:
        """Make one hold in rows ``(B, columns)`` of a frame, which are written into."""
        self._lead(one, numbers, frame, self.told[:, one.result])
        left = ~one.holds(numbers[:, 0], numbers[:, 1:]) & ~self.known[:, one.result]
        made = self._made(one, numbers[:, 1:])
        for wanted in (made, self._nearest(one, made)):
            rows = np.flatnonzero(left)
            done = rows[self._may_be(one.result, rows, wanted[rows])]
            numbers[done, 0] = wanted[done]
            left[done] = False
        self._lead(one, numbers, frame)
        left = ~one.holds(numbers[:, 0], numbers[:, 1:]) & ~self.known[:, one.result]
        rows, made = np.flatnonzero(left), self._made(one, numbers[:, 1:])
        was_missing = self._was_missing(one, rows, made[rows], numbers[rows, 1])
        numbers[rows[was_missing], 0] = np.nan
        rows = rows[~was_missing]
        done = rows[self._may_be(one.result, rows, made[rows], bounded=False)]
        numbers[done, 0] = made[done]

    def _made(self, one: Aggregate, sources: Floats) -> Floats:
        """What sources ``(B, sources)`` make, as the numbers of the result are written."""
        made, codec = one.of(sources), self.encoder.codecs[one.result]
        assert isinstance(codec, NumericalCodec)
        return made if one.digits[0] is not None else codec.at_marks(made, SINGLE * np.abs(made))

    def _was_missing(self, one: Aggregate, rows: Rows, made: Floats, source: Floats) -> Marks:
        """In which of N rows a column that follows from one other was missing in training.

        There the numbers of the source ``(N,)`` made ``(N,)`` what the column never was.
        """
        own, other = (self.encoder.codecs[at] for at in one.columns[:2])
        if len(one.sources) > 1 or own.column.missing is None:
            return np.zeros(len(rows), dtype=bool)
        found = (source >= other.limits[0]) & (source <= other.limits[1])
        found &= (made < own.limits[0]) | (made > own.limits[1])
        entries = self.restrictions.get(own.column.name)
        return found & np.array([entries is None or entries[row] is None for row in rows], bool)

    def _lead(
        self,
        one: Aggregate,
        numbers: Floats,
        frame: pd.DataFrame,
        chosen: Marks | None = None,
    ) -> None:
        """Move the sources of rows ``(B, columns)`` to their results, where one does not hold.

        Of all rows, or of those chosen ``(B,)``.
        """
        left = ~one.holds(numbers[:, 0], numbers[:, 1:])
        rows = np.flatnonzero(left if chosen is None else left & chosen)
        if len(rows):
            numbers[rows] = self._led(one, rows, numbers[rows], frame)

    def _nearest(self, one: Aggregate, made: Floats) -> Floats:
        """The results ``(B,)`` nearest to others, of those in training and in a range asked for."""
        codec = self.encoder.codecs[one.result]
        assert isinstance(codec, NumericalCodec)
        entries = self.restrictions.get(codec.column.name, [None] * len(made))
        lows, highs = ends_of(entries)
        inside = np.minimum(np.maximum(made, lows), highs)
        return one.rounded(0, codec.contained(inside))

    def _led(self, one: Aggregate, rows: Rows, numbers: Floats, frame: pd.DataFrame) -> Floats:
        """Rows ``(N, columns)`` whose sources have moved towards their results.

        A source that other relations hold stays, and one of other aggregates, or that dates or
        ranges tell, if that is enough; a date that others follow from may move with them.
        """
        free = ~self.told[np.ix_(rows, np.array(one.sources))]
        held = self._elsewhere(one)
        others = [{*other.sources} for other in self.encoder.aggregates if other != one]
        told = {part.position for part in self.encoder.relations.told_by_numbers}
        is_dated = one.kind in SPANS or one.kind in TERMS or one.kind == YEAR_LESS
        lines = {echo.source for echo in self.encoder.echoes if is_dated}
        fixed = held - (lines - self.encoder.relations.results)
        may = np.zeros_like(free)
        for stays in (held.union(told, *others), held | told, held, fixed):
            before, may = may, free & np.array([at not in stays for at in one.sources])
            if np.array_equal(may, before):
                continue
            found = self._led_by(one, rows, numbers, may, frame)
            holds = one.holds(found[:, 0], found[:, 1:])
            numbers = np.where(holds[:, None], found, numbers)
        return numbers

    def _led_by(
        self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks, frame: pd.DataFrame
    ) -> Floats:
        """The same, of which free sources ``(N, sources)`` alone have moved."""
        found = numbers.copy()
        if one.kind == 'weighted':
            for _ in range(_TURNS):  # again where one cannot go as far
                self._move(one, rows, found, free)
            fineness = [np.inf if digits is None else digits for digits in one.digits[1:]]
            for place in np.argsort(fineness)[::-1].tolist():
                alone = np.arange(len(one.sources)) == place
                self._move(one, rows, found, free & alone)
            self._search(one, rows, found, free)
        elif one.kind in CURVES:
            wanted = source(one.kind, found[:, 0], found[:, 1])[:, None]
            self._write(one, rows, found, wanted, free)
        elif one.kind in SPANS:
            self._shift(one, rows, found, free, frame)
        elif one.kind in TERMS:
            self._date_back(one, rows, found, free)
        elif one.kind == YEAR_LESS:
            self._year_back(one, rows, found, free)
        else:
            self._cut(one, rows, found, free)
        return found

    def _move(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> None:
        """Move free sources ``(N, sources)`` together by what lacks of a weighted sum."""
        weights, sources = np.array(one.weights), numbers[:, 1:]
        lacks = numbers[:, 0] - one.exactly(sources)
        lacks[one.holds(numbers[:, 0], sources)] = 0.0
        size = (free * weights**2).sum(axis=1)
        share = np.divide(lacks, size, out=np.zeros_like(lacks), where=size > 0)
        self._write(one, rows, numbers, sources + share[:, None] * weights, free)

    def _cut(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> None:
        """Put free sources ``(N, sources)`` on the right side of an extreme, and one to it.

        The one that is nearest to it, of those that may be so.
        """
        sign, left = 1.0 if one.kind == 'greatest' else -1.0, free
        extreme = sign * numbers[:, 0]
        self._write(
            one, rows, numbers, sign * np.minimum(sign * numbers[:, 1:], extreme[:, None]), free
        )
        for _ in one.sources:
            sources = sign * numbers[:, 1:]
            lacks = (sources.max(axis=1) < extreme) & ~one.holds(numbers[:, 0], numbers[:, 1:])
            nearest = np.where(left, sources, -np.inf).argmax(axis=1)
            chosen = left & lacks[:, None] & (np.arange(len(one.sources)) == nearest[:, None])
            if not chosen.any():
                return
            self._write(
                one, rows, numbers, np.where(chosen, numbers[:, :1], numbers[:, 1:]), chosen
            )
            left = left & ~chosen

    def _shift(
        self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks, frame: pd.DataFrame
    ) -> None:
        """Move free dates ``(N, sources)`` by the years that lack of a span, the first one sooner.

        They stay on their day of the month, as far as there is one, and in order with others; in
        the end they may be the first ones or the last ones that there are.
        """
        for ways in (_SHIFTS[:1], _SHIFTS[1:]):
            left = ~one.holds(numbers[:, 0], numbers[:, 1:]) & free.any(axis=1)
            if not left.any():
                return
            places = np.repeat(np.flatnonzero(left), len(ways))
            tried, own = numbers[places], rows[places]
            wanted = self._shifted(one, own, tried, np.tile(ways, (int(left.sum()), 1)))
            self._write(one, own, tried, wanted, free[places])
            holds = one.holds(tried[:, 0], tried[:, 1:]) & self._in_order(one, own, tried, frame)
            holds = holds.reshape(-1, len(ways))
            done, first = holds.any(axis=1), holds.argmax(axis=1)
            found = tried.reshape(len(holds), len(ways), -1)[np.arange(len(holds)), first]
            numbers[np.flatnonzero(left)[done]] = found[done]

    def _shifted(self, one: Aggregate, rows: Rows, numbers: Floats, ways: Floats) -> Floats:
        """Dates ``(N, sources)`` moved by what lacks of a span, each row in its way ``(N, 3)``.

        Those beyond training, or a range asked for, become NaN, or its ends.
        """
        to_ends, shares, days = ways.T
        lacks, fixed = numbers[:, 0] - one.of(numbers[:, 1:]), SPANS[one.kind].fixed
        back = np.rint(shares * lacks)
        if fixed is not None:  # the date that is a column moves alone
            shares = np.full_like(shares, fixed)
            back = shares * lacks
        months = np.column_stack([-back, lacks - back])
        beside = days[:, None] * DAY * np.column_stack([shares > 0, shares == 0])
        if fixed is not None:
            months, beside = (np.delete(both, fixed, axis=1) for both in (months, beside))
        found = np.column_stack(
            [moved(one.kind, *pair) for pair in zip(numbers[:, 1:].T, months.T, strict=True)]
        )
        found += beside
        for place, position in enumerate(one.sources):
            codec = self.encoder.codecs[position]
            assert isinstance(codec, NumericalCodec)
            near = codec.nearest_numbers(found[:, place])
            entries = self.restrictions.get(codec.column.name, [None] * (rows.max() + 1))
            ends = ends_of([entries[row] for row in rows.tolist()])
            low, high = (np.clip(end, *codec.limits) for end in ends)
            inside = np.minimum(np.maximum(near, low), high)
            found[:, place] = np.where((inside == near) | (to_ends > 0), inside, np.nan)
        return found

    def _date_back(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> None:
        """Move the free date before one ``(N, sources)``, or else the months between them.

        And the date once more, where the months could go a part of the way.
        """
        for place in (0, 1, 0) if len(one.sources) > 1 else (0,):
            first, many = numbers[:, 1], one.many(numbers[:, 1:])
            wanted = (
                between(one.kind, first, numbers[:, 0], one.constant)
                if place
                else earlier(one.kind, numbers[:, 0], many, one.constant)
            )
            self._write_one(one, rows, numbers, place, wanted, free)

    def _year_back(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> None:
        """Move the free number of a year less it ``(N, sources)``, or else the date by years."""
        self._write_one(one, rows, numbers, 1, year_of(numbers[:, 1]) - numbers[:, 0], free)
        date = in_year(numbers[:, 1], numbers[:, 0] + numbers[:, 2])
        self._write_one(one, rows, numbers, 0, date, free)

    def _write_one(
        self, one: Aggregate, rows: Rows, numbers: Floats, place: int, wanted: Floats, free: Marks
    ) -> None:
        """Write a wanted source ``(N,)`` where it is free and what is made of it does not hold."""
        left = ~one.holds(numbers[:, 0], numbers[:, 1:])[:, None] & free
        tried = numbers[:, 1:].copy()
        tried[:, place] = wanted
        self._write(one, rows, numbers, tried, left & (np.arange(tried.shape[1]) == place))

    def _in_order(self, one: Aggregate, rows: Rows, numbers: Floats, frame: pd.DataFrame) -> Marks:
        """In which of N rows the sources ``(N, columns)`` are in order with all other columns.

        But for those that follow from them.
        """
        names, found = self.encoder.schema.names, np.ones(len(rows), dtype=bool)
        cells = {at: numbers[:, place] for place, at in enumerate(one.columns)}
        lines = {frozenset({echo.position, echo.source}): echo for echo in self.encoder.echoes}
        for pair in self.encoder.inequalities:
            if {*pair} & {*one.sources} and all(names[at] in frame for at in pair):
                low, high = (
                    cells[at] if at in cells else as_floats(frame[names[at]])[rows] for at in pair
                )
                line = lines.get(frozenset(pair))
                follows = line is not None and line.line.holds(
                    *(as_floats(frame[names[at]])[rows] for at in (line.position, line.source))
                )
                found &= ~(low > high) | follows
        return found

    def _search(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> None:
        """Try other free sources nearby, of few digits, until a weighted sum is met."""
        left = np.flatnonzero(~one.holds(numbers[:, 0], numbers[:, 1:]))
        steps = np.array([0.0 if digits is None else 10.0**-digits for digits in one.digits[1:]])
        for at in left.tolist():
            chosen = np.flatnonzero(free[at] & (steps > 0))[:_SEARCHED]
            offsets = np.zeros((len(_NEARBY) ** len(chosen), len(steps)))
            grid = np.meshgrid(*[_NEARBY] * len(chosen), indexing='ij') if len(chosen) else []
            for place, own in zip(chosen.tolist(), grid, strict=True):
                offsets[:, place] = own.ravel() * steps[place]
            tried = np.repeat(numbers[at : at + 1], len(offsets), axis=0)
            may = np.repeat(free[at : at + 1], len(offsets), axis=0)
            same = np.full(len(offsets), rows[at])
            self._write(one, same, tried, tried[:, 1:] + offsets, may)
            holds = np.flatnonzero(one.holds(tried[:, 0], tried[:, 1:]))
            if len(holds):
                far = np.abs(tried[holds, 1:] - numbers[at, 1:]).sum(axis=1)
                numbers[at] = tried[holds[far.argmin()]]

    def _write(
        self, one: Aggregate, rows: Rows, numbers: Floats, wanted: Floats, free: Marks
    ) -> None:
        """Write wanted sources ``(N, sources)``, rounded, where they are free and may be so."""
        for place, position in enumerate(one.sources, start=1):
            codec = self.encoder.codecs[position]
            assert isinstance(codec, NumericalCodec)
            cells = codec.contained(one.rounded(place, wanted[:, place - 1]))
            may = free[:, place - 1] & (cells != numbers[:, place])
            may[may] = self._may_be(position, rows[may], cells[may])
            numbers[may, place] = cells[may]

    def _elsewhere(self, one: Aggregate) -> set[int]:
        """Columns that other relations hold, but for lines between those of an aggregate."""
        encoder, found = self.encoder, {other.result for other in self.encoder.aggregates}
        relations = [other.columns for other in encoder.sums]
        relations += [other.columns for other in encoder.multiplied]
        lines = [(echo.position, echo.source) for echo in encoder.echoes]
        relations += [line for line in lines if not {*line} <= {*one.columns}]
        return found.union(*relations)

    def _may_be(self, position: int, rows: Rows, numbers: Floats, *, bounded: bool = True) -> Marks:
        """Whether cells of N rows may be numbers ``(N,)``, and are within those of training."""
        codec, found = self.encoder.codecs[position], np.isfinite(numbers)
        assert isinstance(codec, NumericalCodec)
        if self.encoder.keeps_values:
            found &= codec.contained(numbers) == numbers
        elif bounded:
            found &= (numbers >= codec.limits[0]) & (numbers <= codec.limits[1])
        entries = self.restrictions.get(self.encoder.schema.names[position])
        found[found] = met_by(entries, rows[found], numbers[found])
        return found
