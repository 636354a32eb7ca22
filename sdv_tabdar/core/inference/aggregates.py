"""Drawn means, weighted sums, greatest and least numbers as in all training rows.

A result that was drawn becomes what its sources make (``codecs/aggregates.py``). Where it was
given, or may not be that, sources that were drawn give way: of a weighted sum all of them, by so
much that it is met; of a greatest number those that are above it, and the one that is next to it
rises; of a curve the one there is. Cells that were given stay, and what is asked of a cell stays
asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.curves import CURVES, source
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks, rounded
from sdv_tabdar.core.codecs.number_pieces import ends_of
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.restrictions import Restriction, meets

_TURNS = 2  # in which sources come nearer to a given result
_SEARCHED = 3  # sources of which ...
_NEARBY = range(-3, 4)  # ... numbers so many units further are tried


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
                    np.where(self.known[:, at], own, rounded(own, digits))
                    for at, own, digits in zip(one.columns, before.T, one.digits, strict=True)
                ],
                axis=1,
            )
            if one.result in stays:
                self._lead(one, numbers)
            self._settle(one, numbers)
            for place, position in enumerate(one.columns):
                if not np.array_equal(numbers[:, place], before[:, place], equal_nan=True):
                    frame[names[position]] = numbers[:, place]

    def _settle(self, one: Aggregate, numbers: Floats) -> None:
        """Make one hold in rows ``(B, columns)``, which are written into."""
        left = ~one.holds(numbers[:, 0], numbers[:, 1:]) & ~self.known[:, one.result]
        made = one.of(numbers[:, 1:])
        for wanted in (made, self._nearest(one, made)):
            rows = np.flatnonzero(left)
            done = rows[self._may_be(one.result, rows, wanted[rows])]
            numbers[done, 0] = wanted[done]
            left[done] = False
        self._lead(one, numbers)
        left = ~one.holds(numbers[:, 0], numbers[:, 1:]) & ~self.known[:, one.result]
        rows, made = np.flatnonzero(left), one.of(numbers[:, 1:])
        done = rows[self._may_be(one.result, rows, made[rows], bounded=False)]
        numbers[done, 0] = made[done]

    def _lead(self, one: Aggregate, numbers: Floats) -> None:
        """Move the sources of rows ``(B, columns)`` to their results, where one does not hold."""
        rows = np.flatnonzero(~one.holds(numbers[:, 0], numbers[:, 1:]))
        if len(rows):
            numbers[rows] = self._led(one, rows, numbers[rows])

    def _nearest(self, one: Aggregate, made: Floats) -> Floats:
        """The results ``(B,)`` nearest to others, of those in training and in a range asked for."""
        codec = self.encoder.codecs[one.result]
        assert isinstance(codec, NumericalCodec)
        entries = self.restrictions.get(codec.column.name, [None] * len(made))
        lows, highs = ends_of(entries)
        inside = np.minimum(np.maximum(made, lows), highs)
        return rounded(codec.contained(inside), one.digits[0])

    def _led(self, one: Aggregate, rows: Rows, numbers: Floats) -> Floats:
        """Rows ``(N, columns)`` whose sources have moved towards their results.

        A source that other relations hold stays, and one of other aggregates, or that dates or
        ranges tell, if that is enough.
        """
        free = ~self.told[np.ix_(rows, np.array(one.sources))]
        held = self._elsewhere(one)
        others = [{*other.sources} for other in self.encoder.aggregates if other != one]
        told = {part.position for part in self.encoder.relations.told_by_numbers}
        for stays in (held.union(told, *others), held | told, held):
            may = free & np.array([at not in stays for at in one.sources])
            found = self._led_by(one, rows, numbers, may)
            holds = one.holds(found[:, 0], found[:, 1:])
            numbers = np.where(holds[:, None], found, numbers)
        return numbers

    def _led_by(self, one: Aggregate, rows: Rows, numbers: Floats, free: Marks) -> Floats:
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
        """Put free sources ``(N, sources)`` on the right side of an extreme, and one to it."""
        sign = 1.0 if one.kind == 'greatest' else -1.0
        extreme, sources = sign * numbers[:, 0], sign * numbers[:, 1:]
        sources = np.where(free, np.minimum(sources, extreme[:, None]), sources)
        nearest = np.where(free, sources, -np.inf).argmax(axis=1)
        lacks = (sources.max(axis=1) < extreme) & free.any(axis=1)
        sources[lacks, nearest[lacks]] = extreme[lacks]
        self._write(one, rows, numbers, sign * sources, free)

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
            cells = codec.contained(rounded(wanted[:, place - 1], one.digits[place]))
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
        for place in np.flatnonzero(found).tolist() if entries is not None else ():
            entry = entries[rows[place]] if entries is not None else None
            found[place] = entry is None or meets(entry, float(numbers[place]))
        return found
