"""What known cells of a row say of its others by themselves, before the network is asked.

Of a net price and a tax the gross price, of a city the state, of an amount and a price the
quantity: what follows from known cells in all training rows is known as well, so that all else is
drawn beside it. Only what its column can be is said: what known cells contradict, or make beyond
the numbers of training, is left to what settles drawn rows; and so is a cell that may be missing.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.calendars import part_cells
from sdv_tabdar.core.codecs.curves import CURVES, source
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import SINGLE, Marks, rounded
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rates import Rate, rates_of
from sdv_tabdar.core.codecs.values import Floats, as_floats, with_columns
from sdv_tabdar.core.inference.choices import agreeing_levels, said_by_choices
from sdv_tabdar.core.inference.summed import SummedColumns
from sdv_tabdar.core.restrictions import Members, Restriction, allows

Cells = npt.NDArray[Any]
"""Of a column in B rows: numbers, or levels."""

Said = tuple[int, Cells, Marks]
"""Of a column's position what its cells would be ``(B,)``, and in which rows."""

Restrictions = Mapping[str, Sequence[Restriction | None]]


@dataclasses.dataclass
class Consequences:
    """Rows, as far as known cells say what they are; written into while that is found out.

    Attributes:
        encoder: The codes, and which columns follow from which.
        frame: Any of the fitted columns.
        known: ``(B, C)``, which cells are known.
        restrictions: By name, what each row's cell may be; such cells are left.
        optional: A column of which is said what it is unless it is missing; None for none.
    """

    encoder: TableEncoder
    frame: pd.DataFrame
    known: Marks
    restrictions: Restrictions
    optional: int | None = None
    _cells: dict[int, Cells] = dataclasses.field(default_factory=dict)
    _said: set[int] = dataclasses.field(default_factory=set)

    @classmethod
    def of(
        cls,
        encoder: TableEncoder,
        frame: pd.DataFrame,
        known: Marks,
        restrictions: Restrictions,
        optional: int | None = None,
    ) -> Consequences:
        """What the known cells of a frame ``(B, len(frame.columns))`` say."""
        return cls(encoder, frame, encoder.by_position(frame, known), restrictions, optional)

    def __post_init__(self) -> None:
        """Take steps from cell to cell until nothing new is said."""
        for _ in range(len(self.encoder.codecs) if self.known.any() else 0):
            before = int(self.known.sum())
            for position, cells, rows in self._steps():
                self._write(position, cells, rows)
            if int(self.known.sum()) == before:
                break

    @property
    def whole(self) -> pd.DataFrame:
        """The frame with what its known cells say."""
        names = self.encoder.schema.names
        return with_columns(
            self.frame, {names[position]: self._of(position) for position in sorted(self._said)}
        )

    def marks(self, frame: pd.DataFrame) -> Marks:
        """Which cells ``(B, len(frame.columns))`` of :attr:`whole` are known."""
        return self.known[:, [self.encoder.schema.position(name) for name in frame.columns]]

    def said(self, position: int) -> tuple[Marks, Cells]:
        """Where a column is known, and its cells ``(B,)``."""
        return self.known[:, position], self._of(position)

    def left(self, position: int) -> Marks:
        """Which levels ``(B, K)``, or all ``(B, 1)``, may say how known numbers are made."""
        found = np.ones((len(self.frame), 1), dtype=bool)
        for rate, one in self._rated:
            if rate.level == position:
                found = found & self._agreeing(rate, one)[0]
        for choice in self.encoder.choices:
            left, levels = agreeing_levels(self.encoder, choice, self._of, self.known)
            if choice.level == position and levels:
                found = found & left
        return found

    def narrowed(self) -> dict[str, list[Restriction | None]]:
        """The restrictions, with those on levels by which known numbers are made."""
        found = {name: list(entries) for name, entries in self.restrictions.items()}
        said = [(rate.level, *self._agreeing(rate, one)) for rate, one in self._rated]
        said += [
            (one.level, *agreeing_levels(self.encoder, one, self._of, self.known))
            for one in self.encoder.choices
        ]
        for position, left, levels in said:
            name = self.encoder.schema.names[position]
            open_rows = left.any(axis=1) & ~left.all(axis=1) & ~self.known[:, position]
            sets: dict[Hashable, Restriction | None] = {}
            for row in np.flatnonzero(open_rows).tolist():
                entries = found.setdefault(name, [None] * len(self.frame))
                key = entries[row], left[row].tobytes()
                if key not in sets:
                    some = tuple(itertools.compress(levels, left[row]))
                    sets[key] = _among(some, entries[row])
                entries[row] = sets[key]
        return found

    def _of(self, position: int) -> Cells:
        """The cells ``(B,)`` of a column; NaN or None where they are not known."""
        if position not in self._cells:
            name, rows = self.encoder.schema.names[position], self.known[:, position]
            is_number = isinstance(self.encoder.codecs[position], NumericalCodec)
            own: Cells = np.full(len(self.frame), np.nan if is_number else None)
            if rows.any():
                given = self.frame[name][rows]
                own[rows] = as_floats(given) if is_number else given.astype(object).to_numpy()
            self._cells[position] = own
        return self._cells[position]

    def _numbers(self, position: int) -> Floats:
        """The same as numbers, of levels as well."""
        cells = self._of(position)
        if cells.dtype != object:
            return cells
        is_number = [isinstance(cell, int | float) for cell in cells.tolist()]
        return np.where(is_number, cells, np.nan).astype(np.float64)

    def _write(self, position: int, cells: Cells, rows: Marks) -> None:
        """Make cells of a column known in some rows, where they can be so."""
        name, codec = self.encoder.schema.names[position], self.encoder.codecs[position]
        rows = rows & ~self.known[:, position]
        if name in self.restrictions:
            rows &= np.array([entry is None for entry in self.restrictions[name]], dtype=bool)
        if isinstance(codec, NumericalCodec):
            there = ~np.isnan(cells)
            rows[there] &= codec.contained(cells[there]) == cells[there]
            for low, high in self.encoder.inequalities if rows.any() else ():
                if low == position:
                    rows &= ~(cells > self._of(high))
                if high == position:
                    rows &= ~(cells < self._of(low))
        if rows.any():
            self._of(position)[rows] = cells[rows]
            self.known[rows, position] = True
            self._said.add(position)

    def _steps(self) -> Iterator[Said]:
        """What single relations say of single cells."""
        yield from self._of_dependencies()
        yield from self._of_lines()
        yield from said_by_choices(self.encoder, self._of, self.known)
        of_numbers = self._of_sums(), self._of_aggregates(), self._of_products(), self._of_rates()
        for steps in (self._of_told_levels(), *of_numbers):
            for position, cells, rows in steps:
                missing = self.encoder.codecs[position].column.missing
                if missing is None or position == self.optional:
                    yield position, cells, rows

    def _of_dependencies(self) -> Iterator[Said]:
        for entry in self.encoder.dependencies:
            rows = np.flatnonzero(self.known[:, entry.determinant])
            name = self.encoder.schema.names[entry.determinant]
            codes, _ = self.encoder.codecs[entry.determinant].encode(
                pd.Series(self._of(entry.determinant)[rows], name=name)
            )
            wanted = np.array(entry.codes, dtype=np.int64)[codes]
            rows, wanted = rows[wanted >= 0], wanted[wanted >= 0]
            found, zeros = self._of(entry.dependent).copy(), np.zeros(len(rows))
            found[rows] = self.encoder.codecs[entry.dependent].decode(wanted, zeros, zeros)
            marks = np.zeros(len(found), dtype=bool)
            marks[rows] = True
            yield entry.dependent, found, marks

    def _of_told_levels(self) -> Iterator[Said]:
        for one in self.encoder.told_by_numbers:
            wanted = one.wanted(one.numbers(self._of))
            found = self._of(one.position).copy()
            rows = wanted >= 0
            found[rows] = part_cells(self.encoder.codecs[one.position], wanted[rows])
            yield one.position, found, rows

    def _of_lines(self) -> Iterator[Said]:
        for echo in self.encoder.echoes:
            missing = self.encoder.codecs[echo.position].column.missing
            if echo.always and (missing is None or echo.position == self.optional):
                found = echo.line.of(self._of(echo.source))
                yield echo.position, found, ~np.isnan(found)

    def _of_sums(self) -> Iterator[Said]:
        summed = SummedColumns(self.encoder)
        for one, total in zip(self.encoder.sums, summed.balance.totals, strict=True):
            known = np.stack([self._of(position) for position in summed.columns], axis=1)
            numbers = summed.with_constants(known)
            for place, position in enumerate(one.columns):
                others = [at for at in one.columns if at != position]
                rows = ~np.isnan(numbers[:, [summed.places[at] for at in others]]).any(axis=1)
                made = numbers.copy()
                parts = made[:, [summed.places[at] for at in one.parts if at != position]]
                found = parts.sum(axis=1)
                if position != one.total:
                    found = made[:, total.place] - found
                found = rounded(found, one.digits[place])
                if one.is_single:
                    size = np.nansum(np.abs(made[:, total.columns]), axis=1)
                    found = self._at_marks(position, found, SINGLE * size)
                made[:, summed.places[position]] = found
                yield position, found, rows & (summed.balance.gaps(made, total) == 0)

    def _at_marks(self, position: int, numbers: Floats, slack: Floats) -> Floats:
        codec = self.encoder.codecs[position]
        assert isinstance(codec, NumericalCodec)
        return codec.at_marks(numbers, slack)

    def _of_aggregates(self) -> Iterator[Said]:
        for one in self.encoder.aggregates:
            if one.is_loose:  # of which the last digit may be another
                continue
            sources = np.stack([self._of(position) for position in one.sources], axis=1)
            found = one.of(sources)
            yield one.result, found, ~np.isnan(found)
            result = self._of(one.result)
            tells = one.kind == 'weighted' or one.kind in CURVES
            for place, position in enumerate(one.sources if tells else ()):
                found, rows = _missing_source(one, place, result, sources)
                if one.digits[1 + place] is None:
                    size = np.abs(found)
                    if one.kind == 'weighted':
                        size = size + np.abs(result / one.weights[place])
                    found = self._at_marks(position, found, SINGLE * size)
                yield position, found, rows

    def _of_products(self) -> Iterator[Said]:
        for one in self.encoder.products:
            cells = [self._numbers(position) for position in one.columns]
            for place, position in enumerate(one.columns):
                if isinstance(self.encoder.codecs[position], NumericalCodec):
                    found, rows = _made(one, place, cells)
                    if one.digits[place] is None:
                        found = self._at_marks(position, found, SINGLE * np.abs(found))
                    yield position, found, rows

    def _of_rates(self) -> Iterator[Said]:
        for rate, one in self._rated:
            name, rows = self.encoder.schema.names[rate.level], self.known[:, rate.level]
            codec, rates = self.encoder.codecs[rate.level], np.full(len(rows), np.nan)
            rates[rows] = rates_of(rate, codec, pd.Series(self._of(rate.level)[rows], name=name))
            cells = [self._of(rate.result), self._of(rate.source), rates]
            for place, position in enumerate((rate.result, rate.source)):
                yield position, *_made(one, place, cells)
            left, levels = self._agreeing(rate, one)
            choice = np.empty(len(levels), dtype=self._of(rate.level).dtype)
            choice[:] = levels
            yield rate.level, choice[left.argmax(axis=1)], left.sum(axis=1) == 1

    @functools.cached_property
    def _rated(self) -> list[tuple[Rate, Product]]:
        """Rates, and the products that they are; a factor that is no column says which."""
        made = {one.factors[1]: one for one in self.encoder.multiplied}
        places = [place for place in range(len(self.encoder.rates)) if -1 - place in made]
        return [(self.encoder.rates[place], made[-1 - place]) for place in places]

    def _agreeing(self, rate: Rate, one: Product) -> tuple[Marks, list[Hashable]]:
        """Which levels ``(B, K)`` may say the rate of known numbers, and the K levels."""
        codes, zeros = np.arange(len(rate.rates)), np.zeros(len(rate.rates))
        levels = self.encoder.codecs[rate.level].decode(codes, zeros, zeros).tolist()
        result, source = self._of(rate.result), self._of(rate.source)
        left = np.ones((len(result), len(rate.rates)), dtype=bool)
        for code, own in enumerate(rate.rates):
            if own is not None:
                left[:, code] = one.holds(result, source, np.full(len(result), own))
        return left, levels


def _among(levels: Sequence[Hashable], asked: Restriction | None) -> Restriction | None:
    """What is asked of a cell that can have some levels; as it is where none of them meets it."""
    found = tuple(level for level in levels if allows(asked, level))
    return Members(found) if found else asked


def _missing_source(
    one: Aggregate, place: int, result: Floats, sources: Floats
) -> tuple[Floats, Marks]:
    """What one source of a weighted sum, or of a curve, is, and where there is no other way."""
    made = sources.copy()
    made[:, place] = 0.0
    if one.kind in CURVES:
        found = source(one.kind, result, np.ones_like(result))
    else:
        found = (result - one.exactly(made)) / one.weights[place]
    found = rounded(found, one.digits[1 + place])
    made[:, place] = found
    rows = np.isfinite(found) & one.holds(result, made)
    if one.kind in CURVES and CURVES[one.kind].is_even:  # of what is below 0 as well
        rows &= found == 0
    digits = one.digits[1 + place]
    if digits is None:  # of a number without digits there is another way beside rounded ones
        return found, rows & (one.digits[0] is None)
    for step in (-(10.0**-digits), 10.0**-digits):
        made[:, place] = found + step
        rows &= ~one.holds(result, made)
    return found, rows


def _made(one: Product, place: int, cells: Sequence[Floats]) -> tuple[Floats, Marks]:
    """What one cell of a product is by the two others ``(B,)``, and where there is no other way.

    Args:
        one: The product.
        place: 0 for the result, 1 and 2 for the factors.
        cells: The result and both factors; NaN for what is not known.
    """
    made, (result, first, second) = list(cells), cells
    with np.errstate(all='ignore'):
        if place == 0:
            made[0] = one.of(first, second)
            return made[0], np.isfinite(made[0])
        made[place] = one.first(result, second) if place == 1 else one.second(result, first)
        found, rows = made[place], np.isfinite(made[place]) & one.holds(*made)
        rows &= one.formula.tells(result)
        digits = one.digits[place]
        if digits is None:  # of a number without digits there is another way beside rounded ones
            return found, rows & (one.digits[0] is None)
        for step in (-(10.0**-digits), 10.0**-digits):
            made[place] = found + step
            rows &= ~one.holds(*made)
        return found, rows
