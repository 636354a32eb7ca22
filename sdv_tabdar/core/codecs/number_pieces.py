"""What restrictions leave of a column of numbers: atoms, and parts of bins."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.bins import Bin
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Codes, Floats, is_missing, is_number
from sdv_tabdar.core.restrictions import Interval, Members, Restriction
from sdv_tabdar.core.schema import Column


@dataclasses.dataclass(frozen=True, eq=False)
class NumberPieces:
    """Finds the pieces of one column.

    Attributes:
        column: Its codes.
        atoms: ``(A,)`` sorted values.
        bins: The bins, whose codes follow those of the atoms.
    """

    column: Column
    atoms: Floats
    bins: Sequence[Bin]

    def of(self, restrictions: Sequence[Restriction]) -> list[Pieces]:
        """The atoms and parts of bins that each restriction allows, perhaps none."""
        spans = [entry for entry in restrictions if not isinstance(entry, Members)]
        of_spans = iter(self._between(*ends_of(spans)))
        return [
            self._of_members(entry) if isinstance(entry, Members) else next(of_spans)
            for entry in restrictions
        ]

    def _between(self, lows: Floats, highs: Floats) -> list[Pieces]:
        """The atoms and parts of bins in N intervals; an atom alone if that is the interval."""
        first = np.searchsorted(self.atoms, lows, side='left')
        num_atoms = (np.searchsorted(self.atoms, highs, side='right') - first).clip(min=0)
        return self._assembled(lows, highs, first, num_atoms, (lows == highs) & (num_atoms > 0))

    def _assembled(
        self,
        lows: Floats,
        highs: Floats,
        first_atom: Codes,
        num_atoms: Codes,
        without_bins: npt.NDArray[np.bool_],
    ) -> list[Pieces]:
        """Pieces of N cells: some atoms in a row, and the parts of bins in [lows, highs]."""
        edges = np.array([(part.low, part.high) for part in self.bins]).reshape(-1, 2)
        bin_lows, bin_highs = edges.T
        first_bin = np.searchsorted(bin_highs, lows, side='left')
        num_bins = (np.searchsorted(bin_lows, highs, side='right') - first_bin).clip(min=0)
        num_bins[without_bins] = 0
        starts, stops = self._cut(lows, highs, first_bin, num_bins)
        counts = num_atoms + num_bins
        rows = np.repeat(np.arange(len(lows)), counts)
        place = np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
        of_bin = place - num_atoms[rows]
        codes = np.where(
            of_bin < 0,
            first_atom[rows] + place,
            self.column.bins.start + first_bin[rows] + of_bin,
        )
        low = np.where(of_bin == 0, starts[rows], -np.inf)
        high = np.where((of_bin >= 0) & (of_bin == num_bins[rows] - 1), stops[rows], np.inf)
        return Pieces.parted(counts, codes, low, high)

    def _cut(
        self, lows: Floats, highs: Floats, first_bin: Codes, num_bins: Codes
    ) -> tuple[Floats, Floats]:
        """Where [lows, highs] ``(N,)`` start in their first bin and stop in their last, if there.

        As residuals; infinite where that is the bin's end.
        """
        last_bin = first_bin + num_bins - 1
        starts, stops = np.full(len(lows), -np.inf), np.full(len(lows), np.inf)
        for place in np.unique(first_bin[num_bins > 0]):
            part = self.bins[place]
            cut = (first_bin == place) & (num_bins > 0) & (lows > part.low)
            begin, _ = part.rounded_to(lows[cut], np.minimum(highs[cut], part.high))
            starts[cut] = part.ends(begin, is_low=True)
        for place in np.unique(last_bin[num_bins > 0]):
            part = self.bins[place]
            cut = (last_bin == place) & (num_bins > 0) & (highs < part.high)
            _, end = part.rounded_to(np.maximum(lows[cut], part.low), highs[cut])
            stops[cut] = part.ends(end, is_low=False)
        return starts, stops

    def _of_members(self, members: Members) -> Pieces:
        """The atoms and parts of bins that stand for the members of a set.

        An atom stands for itself. For the others there are intervals of equal width, so that
        densities decide between them; members outside every bin have none.
        """
        numbers = member_numbers(self.column.name, members)
        atoms = [number for number in numbers if number in self.atoms]
        spacings = {number: self._spacing(number) for number in numbers if number not in atoms}
        half = min((gap / 2 for gap in spacings.values() if gap), default=0.0)
        places = np.searchsorted(self.atoms, atoms)
        inside = np.array([number for number, gap in spacings.items() if gap is not None])
        none = np.zeros(len(inside), dtype=np.int64)
        parts = [Pieces.of_codes(dict.fromkeys(places.tolist(), 1.0))]
        with np.errstate(over='ignore'):  # beyond the largest number there is no end
            ends = inside - half, inside + half
        parts += self._assembled(*ends, none, none, none > 0)
        if self.column.missing is not None and any(map(is_missing, members.values)):
            parts.append(Pieces.of_codes({self.column.missing: 1.0}))
        return Pieces.joined(parts)

    def _spacing(self, number: float) -> float | None:
        """Distance of the distinct knots around a number inside a bin; None if it is in none."""
        for part in self.bins:
            if part.low <= number <= part.high:
                return part.spacing(number)
        return None


def member_numbers(name: str, members: Members) -> list[float]:
    """The members of a set that are not missing, each once.

    Raises:
        ValueError: If one is no number.
    """
    present: list[Any] = [value for value in members.values if not is_missing(value)]
    for value in present:
        if not is_number(value):
            raise ValueError(
                f"Column '{name}' is numerical; {value!r} is no number. Give "
                'numbers as members of a set.'
            )
    return list(dict.fromkeys(float(value) for value in present))


def ends_of(restrictions: Sequence[Restriction | None]) -> tuple[Floats, Floats]:
    """Least and greatest numbers ``(N,)`` that restrictions allow, infinite where open."""
    lows, highs = np.full(len(restrictions), -np.inf), np.full(len(restrictions), np.inf)
    for row, entry in enumerate(restrictions):
        if isinstance(entry, Interval):
            lows[row] = -np.inf if entry.low is None else entry.low
            highs[row] = np.inf if entry.high is None else entry.high
    return lows, highs
