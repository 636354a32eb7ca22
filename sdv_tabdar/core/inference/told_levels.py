"""Levels that a number tells in all rows: a part of a date, the range of an amount."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.bands import Band
from sdv_tabdar.core.codecs.calendars import CalendarPart, part_cells, part_codes
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.restrictions import NotMissing, Restriction, allows


@dataclasses.dataclass(frozen=True)
class ToldLevels:
    """Decoded rows, as far as numbers tell levels.

    Attributes:
        encoder: The codes, and which columns follow from which numbers.
        known: ``(B, C)``, cells that stay.
        restrictions: By name, what each row's cell may be.
    """

    encoder: TableEncoder
    known: Marks
    restrictions: Mapping[str, Sequence[Restriction | None]]

    def tell(self, frame: pd.DataFrame) -> Marks:
        """Write the levels that numbers tell where they may change; ``frame`` is written into.

        Of a frame of some columns only those that tell, or are told by, others in it.

        Returns:
            ``(B, C)``, cells that had another level.
        """
        changed = np.zeros(self.known.shape, dtype=bool)
        names = self.encoder.schema.names
        for one in self.encoder.told_by_numbers:
            if not all(names[at] in frame for at in (one.position, *one.sources)):
                continue
            wanted = one.wanted(one.numbers(functools.partial(self.numbers, frame)))
            codes = self.codes(frame, one)
            may = (wanted >= 0) & (codes >= 0) & ~self.known[:, one.position]
            rows = np.flatnonzero(may & (wanted != codes))
            if not len(rows):
                continue
            told = part_cells(self.encoder.codecs[one.position], wanted[rows])
            entries = self.entries(one.position)
            pairs = zip(rows.tolist(), told.tolist(), strict=True)
            allowed = np.array([allows(entries[row], cell) for row, cell in pairs], dtype=bool)
            own = names[one.position]
            cells = frame[own].to_numpy(copy=True)
            cells[rows[allowed]] = told[allowed]
            frame[own] = cells
            changed[rows[allowed], one.position] = True
        return changed

    def numbers(self, frame: pd.DataFrame, position: int) -> Floats:
        """The numbers ``(B,)`` that a column has now."""
        return as_floats(frame[self.encoder.schema.names[position]])

    def codes(self, frame: pd.DataFrame, one: CalendarPart | Band) -> Codes:
        """The codes ``(B,)`` that the told column has now."""
        name = self.encoder.schema.names[one.position]
        return part_codes(self.encoder.codecs[one.position], frame[name])

    def is_asked(self, position: int) -> Marks:
        """In which rows ``(B,)`` a cell is given, or is to be one of some."""
        some = [entry not in (None, NotMissing()) for entry in self.entries(position)]
        return self.known[:, position] | np.array(some, dtype=bool)

    def entries(self, position: int) -> Sequence[Restriction | None]:
        """What each row's cell may be; None for anything."""
        name = self.encoder.schema.names[position]
        return self.restrictions.get(name, [None] * len(self.known))


def held_together(encoder: TableEncoder, positions: Collection[int]) -> set[int]:
    """Positions of columns with those that relations of numbers hold to them, or to these."""
    relations = [{one.position, *one.sources} for one in encoder.told_by_numbers]
    relations += [{one.position, one.source} for one in encoder.echoes if one.always]
    relations += [{*one.columns} for one in encoder.sums]
    relations += [{at for at in one.columns if at >= 0} for one in encoder.multiplied]
    relations += [{*one.columns} for one in encoder.aggregates]
    relations += [{*one.columns} for one in encoder.rates]
    relations += [{*one.columns} for one in encoder.choices]
    found, before = {*positions}, 0
    while len(found) > before:
        before = len(found)
        found = found.union(*(columns for columns in relations if columns & found))
    return found
