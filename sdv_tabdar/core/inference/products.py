"""Drawn numbers that are products and quotients as in all training rows (``codecs/products.py``).

Each cell has been drawn given others, so that a product is nearly right; a source times the rate of
a level (``codecs/rates.py``) is one with a factor that never changes. A result that was drawn
becomes what its factors make, and a ratio sooner moves what is above its line, or else below it;
where it was given, or would be beyond what training had, a factor gives way, or both where one has
few values (of a given amount a whole quantity and its price).
Factors that are results themselves follow, from above, and the rest again from below. Cells that
were given stay, and what is asked of a cell stays asked: what contradicts itself stays.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.formulas import LONG_UNITS, OF_TIME, UNITS
from sdv_tabdar.core.codecs.lines import Marks, rounded
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rates import rates_of
from sdv_tabdar.core.codecs.value_places import NO_GRID, on_grid
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.inference.carried import carried, carry
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.inference.giving_way import RESULT, SECOND, giving_way, level_or
from sdv_tabdar.core.inference.kept_values import implied
from sdv_tabdar.core.inference.movable import Agrees, MovableColumn
from sdv_tabdar.core.restrictions import Restriction

_SWEEPS = 2  # over all products, from above and then from below
_TOGETHER = 1 << 18  # cells in which the values of a factor are tried at a time


@dataclasses.dataclass(frozen=True)
class Multiplying:
    """Makes decoded rows keep their products.

    Attributes:
        encoder: The codes, and which columns are products.
        known: ``(B, C)``, cells that were given.
        told: Likewise, with those that known ones told.
        restrictions: By name, what each row's cell may be.
        agrees: Whether numbers of a column agree with known levels; None if all do.
    """

    encoder: TableEncoder
    known: Marks
    told: Marks
    restrictions: Mapping[str, Sequence[Restriction | None]]
    agrees: Agrees | None = None

    def multiply(self, frame: pd.DataFrame, locked: Collection[int] = ()) -> None:
        """Make rows keep their products, as far as they can.

        Args:
            frame: Decoded rows, which are written into. Products of columns that it lacks are left.
            locked: Positions of columns that are to stay as they are.
        """
        names = self.encoder.schema.names
        products = [
            one
            for one in self.encoder.multiplied
            if all(names[level_or(self.encoder, position)] in frame for position in one.columns)
        ]
        columns = {
            position: self._column(frame, position, position in locked)
            for one in products
            for position in one.columns
        }
        _keep(products, columns, [step for step in self._plan if step[0] in products])
        for position, column in columns.items():
            if position >= 0 and not np.array_equal(column.numbers, column.before, equal_nan=True):
                frame[names[position]] = column.written(frame[names[position]])
        self._carry(frame, columns, locked)

    def _carry(
        self, frame: pd.DataFrame, columns: Mapping[int, MovableColumn], locked: Collection[int]
    ) -> None:
        """Let dates go with those that have moved beside which they were drawn, by whole units."""
        steps = {}
        for position, source in self._carried.items():
            if source in columns and self.encoder.schema.names[position] in frame:
                unit, column = self._units[source], columns[source]
                steps[position] = unit * np.round((column.numbers - column.before) / unit)
        free = ~(self.known | self.told)
        free[:, [*locked]] = False
        carry(self.encoder, frame, steps, free, self.restrictions, self.agrees)

    @functools.cached_property
    def _units(self) -> dict[int, float]:
        """The units of times between two dates, by the positions of these; days for years."""
        times = [one for one in self.encoder.multiplied if one.formula.name in OF_TIME]
        long = LONG_UNITS.values()
        return {
            position: UNITS['days'] if one.formula.scale in long else one.formula.scale
            for one in times
            for position in one.factors
        }

    @functools.cached_property
    def _carried(self) -> dict[int, int]:
        """The dates that go with others, and with which ones; none that anything else holds."""
        encoder = self.encoder
        held = encoder.relations.calculating.union(*(one.columns for one in encoder.choices))
        held |= {echo.position for echo in encoder.echoes if echo.always}
        return carried(encoder, self._units, held)

    def with_told(self, told: Marks) -> Marks:
        """Cells ``(B, C)`` that are told, and those that products with such a result then tell."""
        found = told.copy()
        for one in reversed(self.encoder.multiplied):
            for factor in one.factors:
                if factor >= 0:
                    found[:, factor] |= found[:, one.result]
        return found

    @functools.cached_property
    def follows(self) -> Marks:
        """Cells ``(B, C)`` that are given, or results that are made of such alone."""
        given, found = self.known.copy(), self.known.copy()
        given[:, [one.level for one in self.encoder.rates]] = True  # which never give way
        for one in self.encoder.multiplied:
            made = given[:, [place for place in one.factors if place >= 0]].all(axis=1)
            given[:, one.result] |= made
            found[:, one.result] |= made
        return found

    def _column(self, frame: pd.DataFrame, position: int, is_locked: bool) -> MovableColumn:
        name = self.encoder.schema.names[level_or(self.encoder, position)]
        codec = self.encoder.codecs[level_or(self.encoder, position)]
        assert isinstance(codec, NumericalCodec | CategoricalCodec)
        if position < 0:
            rates = rates_of(self.encoder.rates[-1 - position], codec, frame[name])
            never = np.zeros(len(frame), dtype=bool)
            return MovableColumn(codec, None, None, None, never, never, rates, rates, None)
        before = as_floats(frame[name])
        digits = next(
            digits
            for one in self.encoder.multiplied
            for place, digits in zip(one.columns, one.digits, strict=True)
            if place == position
        )
        stays = self.known[:, position] | is_locked
        grid = self.encoder.grids.get(position, NO_GRID)
        numbers = np.where(stays, before, on_grid(rounded(before, digits), grid))
        # what an echo told of a source is not that of every level
        is_source = any(one.source == position for one in self.encoder.rates)
        given = self.known if is_source else self.told
        free = ~(given[:, position] | is_locked)
        restrictions = self.restrictions.get(name)
        agrees = None if self.agrees is None else functools.partial(self.agrees, position)
        told = self._implied[:, position] if self.encoder.keeps_values else None
        yields = free & ~self.follows[:, position]
        return MovableColumn(
            codec, digits, restrictions, agrees, free, yields, before, numbers, told
        )

    @functools.cached_property
    def _plan(self) -> list[tuple[Product, int]]:
        return giving_way(self.encoder)

    @functools.cached_property
    def _implied(self) -> Marks:
        """Cells ``(B, C)`` that are given, or follow from such."""
        return implied(self.encoder, self.known)


def _keep(
    products: Sequence[Product],
    columns: Mapping[int, MovableColumn],
    plan: Sequence[tuple[Product, int]],
) -> None:
    """Change numbers until products hold, in each row as many as can be.

    Args:
        products: Each behind those whose results are factors of it.
        columns: By position; their numbers are written into.
        plan: All of them in an order, and the place of each that is to give way.
    """
    for one, place in plan:
        _Open.of(one, columns).mend(place)
    for one in products:
        _Open.of(one, columns).mend()
    best, points = _state(products, columns)
    for _ in range(_SWEEPS if len(products) > 1 else 0):
        if (points == len(products)).all():
            break
        for one in reversed(products):
            _Open.of(one, columns, keeps_result=True).mend()
        for one in products:
            _Open.of(one, columns).mend()
        found, reached = _state(products, columns)
        for position, numbers in found.items():
            best[position] = np.where(reached > points, numbers, best[position])
        points = np.maximum(points, reached)
    for position, numbers in best.items():
        columns[position].numbers = numbers


def _state(
    products: Sequence[Product], columns: Mapping[int, MovableColumn]
) -> tuple[dict[int, Floats], Codes]:
    """The numbers of all columns, and how many products hold in each row ``(B,)``."""
    numbers = {position: column.numbers.copy() for position, column in columns.items()}
    held = [one.holds(*(numbers[position] for position in one.columns)) for one in products]
    return numbers, np.sum(held, axis=0, dtype=np.int64)


@dataclasses.dataclass(frozen=True)
class _Open:
    """A product of which cells are being changed.

    Attributes:
        one: The product.
        columns: The result and both factors.
        keeps_result: Whether the result stays.
    """

    one: Product
    columns: tuple[MovableColumn, MovableColumn, MovableColumn]
    keeps_result: bool

    @classmethod
    def of(
        cls, one: Product, columns: Mapping[int, MovableColumn], *, keeps_result: bool = False
    ) -> _Open:
        """A product among columns by position."""
        result, first, second = (columns[position] for position in one.columns)
        return cls(one, (result, first, second), keeps_result)

    def mend(self, first: int = RESULT) -> None:
        """Make it hold, where it can, by changing one cell, the result or else the factors.

        Args:
            first: The place of what is to change, if it may.
        """
        left = np.flatnonzero(~self.one.holds(*(column.numbers for column in self.columns)))
        finer, coarser = sorted((1, 2), key=lambda place: self.columns[place].coarseness)
        others = (finer, coarser) if self.keeps_result else (RESULT, finer, coarser)
        for place in others if first == RESULT else (first, *others):
            left = self._solve(place, left)
        left = self._solve_both(coarser, finer, self._solve_clipped(finer, coarser, left))
        if not self.keeps_result:
            left = self._solve_clipped(RESULT, finer, left)
        self._come_near(finer if self.keeps_result else RESULT, left)

    def _may_change(self, place: int) -> Marks:
        """In which rows ``(B,)`` a cell may."""
        column = self.columns[place]
        return column.free if place == RESULT else column.yields

    def _solved(self, place: int, cells: Sequence[Floats]) -> Floats:
        """What a cell is by the two others."""
        result, first, second = cells
        if place == RESULT:
            return self.one.of(first, second)
        if place == SECOND:
            return self.one.second(result, first, second)
        return self.one.first(result, second, first)

    def _can_be(self, rows: Rows, cells: list[Floats], *changed: int) -> Marks:
        """Where changed cells of rows may be so, and the product holds.

        A result that may change is written into them: of a price in cents it is near what it was.
        """
        result = self.columns[RESULT]
        if not self.keeps_result:
            made = self._solved(RESULT, cells)
            may = result.free[rows] & result.may_be(rows, made)
            cells[RESULT] = np.where(may, made, cells[RESULT])
        found = self.one.holds(*cells)
        for place in changed:
            found &= self.columns[place].may_be(rows, cells[place])
        return found

    def _solve(self, place: int, rows: Rows) -> Rows:
        """Change one cell of rows in which that is enough; the other rows."""
        asked = rows[self._may_change(place)[rows]]
        cells = [own.numbers[asked] for own in self.columns]
        cells[place] = self._solved(place, cells)
        done = self._can_be(asked, cells, place)
        for column, numbers in zip(self.columns, cells, strict=True):
            column.numbers[asked[done]] = numbers[done]
        return np.setdiff1d(rows, asked[done])

    def _solve_clipped(self, place: int, other: int, rows: Rows) -> Rows:
        """Change a cell as far as it goes, and then a factor; the rows without success."""
        column = self.columns[place]
        if isinstance(column.codec, CategoricalCodec):
            return rows
        asked = rows[self._may_change(place)[rows]]
        solved = self._solved(place, [own.numbers[asked] for own in self.columns])
        ends = rounded(np.clip(solved, *column.codec.limits), column.digits)
        can_be = column.may_be(asked, ends)
        asked, before = asked[can_be], column.numbers[asked[can_be]]
        column.numbers[asked] = ends[can_be]
        failed = np.isin(asked, self._solve(other, asked))
        column.numbers[asked[failed]] = before[failed]
        return np.setdiff1d(rows, asked[~failed])

    def _solve_both(self, coarser: int, finer: int, rows: Rows) -> Rows:
        """Change a factor of few values, and the other one if that may change; the other rows."""
        one, other = self.columns[coarser], self.columns[finer]
        if one.values is None or not len(one.values):
            return rows
        asked = rows[one.yields[rows]]
        size = max(_TOGETHER // len(one.values), 1)
        done = [rows[:0]]
        for changed in ((coarser, finer), (coarser,)):
            group = asked[other.yields[asked] == (finer in changed)]
            parts = [group[start : start + size] for start in range(0, len(group), size)]
            done += [self._solve_by_values(part, changed, one.values) for part in parts]
        return np.setdiff1d(rows, np.concatenate(done))

    def _solve_by_values(self, rows: Rows, changed: Sequence[int], values: Floats) -> Rows:
        """Change the first of some factors to the nearest of values that will do, and the second.

        Args:
            rows: Which N rows.
            changed: The places of the factors.
            values: ``(V,)``, what the first one may be.

        Returns:
            The rows in which there is one.
        """
        same = np.repeat(rows, len(values))
        cells = [column.numbers[same] for column in self.columns]
        first, *others = changed
        cells[first] = np.tile(values, len(rows))
        for place in others:
            cells[place] = self._solved(place, cells)
        before = self.columns[first].numbers[same]
        can_be = self._can_be(same, cells, *changed)
        steps = np.where(can_be, np.abs(cells[first] - before), np.inf).reshape(len(rows), -1)
        best = np.arange(len(rows)) * len(values) + steps.argmin(axis=1)
        best = best[can_be.reshape(len(rows), -1).any(axis=1)]
        for column, numbers in zip(self.columns, cells, strict=True):
            column.numbers[same[best]] = numbers[best]
        done: Rows = same[best]
        return done

    def _come_near(self, place: int, rows: Rows) -> None:
        """Change a cell where nothing makes the product hold.

        A result goes beyond what training had; a factor is rounded, for which others that are made
        of the result may leave room.
        """
        column = self.columns[place]
        asked = rows[self._may_change(place)[rows]]
        numbers = self._solved(place, [own.numbers[asked] for own in self.columns])
        done = column.may_be(asked, numbers, bounded=place != RESULT)
        column.numbers[asked[done]] = numbers[done]
