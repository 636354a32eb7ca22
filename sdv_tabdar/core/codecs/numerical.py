"""The codec of a numerical column.

Values that occur often are *atoms*: they have codes of their own and come back exactly and with
their share. The remaining values are cut into *bins* of equal mass, smaller ones at
the ends of the column, and inside a bin a number is written as the normal score of its place, with
standard deviation 0.5: its *residual*. The map between numbers and places interpolates the bin's
quantiles linearly, in float64. With no atoms and one bin this is the paper's quantile transform.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Codes, Floats, is_missing, is_number
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.schema import Column, ColumnKind

_MIN_ATOM_COUNT = 10
_MIN_ATOM_SHARE = 0.002
_MIN_BIN_COUNT = 64
_FEW_BINS = 16  # with fewer the ends are not worth bins of their own
_MIN_END_COUNT = 32  # the same where bins are cut once more, at the ends of a column
_MAX_KNOTS = 1024  # quantiles kept of a column, over all bins
_BORDER = 0.1  # of a training row lies beyond the end of a bin that borders on another
_VALUES_PER_KNOT = 8  # fewer would make the density between two knots a matter of chance


@dataclasses.dataclass(frozen=True)
class NumericalCodec:
    """Numbers of one column to codes and residuals, and back.

    Attributes:
        column: The codes.
        atoms: ``(A,)`` sorted values with codes 0..A-1.
        knots: For each bin some of its training values, sorted, and where it borders on another
            bin the middle between the two; the map to places is linear between them.
        places: For each bin the places in (0, 1) of its knots.
    """

    column: Column
    atoms: Floats
    knots: tuple[Floats, ...]
    places: tuple[Floats, ...]

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest value of the training column (NaN if it had none)."""
        ends = [*self.atoms[[0, -1]]] if len(self.atoms) else []
        ends += [knots[0] for knots in self.knots] + [knots[-1] for knots in self.knots]
        return (float(min(ends)), float(max(ends))) if ends else (np.nan, np.nan)

    def encode(self, values: Floats) -> tuple[Codes, Floats]:
        """Codes and residuals ``(B,)`` of ``values`` ``(B,)``; NaN is missing.

        Raises:
            ValueError: If there is a number and training saw none.
        """
        codes = np.full(len(values), self.column.missing or 0, dtype=np.int64)
        residuals = np.zeros(len(values))
        missing = np.isnan(values)
        left = ~missing
        if len(self.atoms):
            nearest = np.searchsorted(self.atoms, values).clip(max=len(self.atoms) - 1)
            exact = left & (self.atoms[nearest] == values)
            codes[exact] = nearest[exact]
            left &= ~exact
        if not self.knots:
            if left.any() and not len(self.atoms):
                raise ValueError(
                    f"Column '{self.column.name}' is given as {values[left][0]:g}, but the "
                    'training data had nothing but missing values in it. Leave the cell empty or '
                    'unknown.'
                )
            codes[left] = self._nearest_atom(values[left])
            return codes, residuals
        edges = np.array([knots[0] for knots in self.knots[1:]])
        bins = np.searchsorted(edges, values, side='right')
        for number, knots in enumerate(self.knots):
            rows = left & (bins == number)
            codes[rows] = self.column.bins.start + number
            residuals[rows] = SIGMA_DATA * ndtri(_place(knots, self.places[number], values[rows]))
        return codes, residuals

    def decode(self, codes: Codes, residuals: Floats) -> Floats:
        """Values ``(B,)`` of codes and residuals; NaN where missing."""
        values = np.full(len(codes), np.nan)
        is_atom = codes < len(self.atoms)
        values[is_atom] = self.atoms[codes[is_atom]]
        for number, knots in enumerate(self.knots):
            rows = codes == self.column.bins.start + number
            places = ndtr(residuals[rows] / SIGMA_DATA)
            values[rows] = np.interp(places, self.places[number], knots)
        return values

    def residual_at(self, number: int, value: float) -> float:
        """Residual at a value inside the bin ``number`` (counted from 0)."""
        place = _place(self.knots[number], self.places[number], np.array([value]))
        return float(SIGMA_DATA * ndtri(place[0]))

    def _end(self, number: int, value: float, *, is_low: bool) -> float:
        """Residual at an end of an interval inside a bin; a value that is a spike is inside."""
        knots, grid = self.knots[number], self.places[number]
        left, right = np.searchsorted(knots, value, 'left'), np.searchsorted(knots, value, 'right')
        place = np.interp(value, knots, grid)
        if left < right:
            place = grid[left] if is_low else grid[right - 1]
        return float(SIGMA_DATA * ndtri(place))

    def log_slope(self, values: Floats) -> Floats:
        """Log of d(residual) / d(value) ``(B,)``: what a density per residual is multiplied by.

        0 at atoms and missing cells, whose probability is a mass; -inf at values that the
        encoding gives no density (outside the training range, between two bins or atoms).
        """
        codes, residuals = self.encode(values)
        slopes = np.zeros(len(values))
        for number, knots in enumerate(self.knots):
            rows = codes == self.column.bins.start + number
            slopes[rows] = _log_slope(knots, self.places[number], values[rows], residuals[rows])
        is_atom = (codes < len(self.atoms)) & ~np.isnan(values)
        slopes[is_atom] = np.where(self.atoms[codes[is_atom]] == values[is_atom], 0.0, -np.inf)
        return slopes

    def pieces(self, restriction: Restriction) -> Pieces:
        """Where ``restriction`` lets a number lie.

        Raises:
            ValueError: If no number or missing value that training has seen is allowed.
        """
        if isinstance(restriction, NotMissing):
            spans = [(-np.inf, np.inf)]
        elif isinstance(restriction, Interval):
            low = -np.inf if restriction.low is None else float(restriction.low)
            high = np.inf if restriction.high is None else float(restriction.high)
            spans = [(low, high)]
        else:
            spans = self._around([value for value in restriction.values if not is_missing(value)])
        found = [piece for low, high in spans for piece in self._span_pieces(low, high)]
        can_be_missing = isinstance(restriction, Members) and any(
            map(is_missing, restriction.values)
        )
        if can_be_missing and self.column.missing is not None:
            found.append((self.column.missing, -np.inf, np.inf))
        if not found:
            low, high = self.limits
            seen = 'the training data had nothing but missing values in it.'
            if not np.isnan(low):
                seen = (
                    f'training values lie between {low:g} and {high:g}, and none of them is '
                    'allowed by it.'
                )
            raise ValueError(f"Column '{self.column.name}' cannot meet {restriction}: {seen}")
        return Pieces.of(found)

    def enforce(self, values: Floats, restriction: Restriction, uniforms: Floats) -> Floats:
        """Numbers ``(B,)`` drawn under a restriction, moved onto it by the last rounding error.

        Numbers drawn for a set become its nearest member; ``uniforms`` are not used.
        """
        if isinstance(restriction, Interval):
            return np.clip(values, restriction.low, restriction.high)
        if not isinstance(restriction, Members):
            return values
        numbers = [member for member in restriction.values if not is_missing(member)]
        if not numbers:
            return values
        members = np.array(numbers, dtype=np.float64)
        nearest = np.abs(values[:, None] - members).argmin(axis=1)
        return np.where(np.isnan(values), np.nan, members[nearest])

    def _span_pieces(self, low: float, high: float) -> list[tuple[int, float, float]]:
        inside = np.flatnonzero((self.atoms >= low) & (self.atoms <= high))
        pieces = [(int(atom), -np.inf, np.inf) for atom in inside]
        if low == high and pieces:
            return pieces
        for number, knots in enumerate(self.knots):
            if not (high >= knots[0] and low <= knots[-1]):
                continue
            start = -np.inf if low <= knots[0] else self._end(number, low, is_low=True)
            stop = np.inf if high >= knots[-1] else self._end(number, high, is_low=False)
            pieces.append((self.column.bins.start + number, start, stop))
        return pieces

    def _around(self, members: Sequence[Any]) -> list[tuple[float, float]]:
        """The stretches of numbers that stand for the members of a set.

        An atom stands for itself. Of the others, stretches of equal width are compared, so that
        densities decide between them; members outside every bin have none.
        """
        for value in members:
            if not is_number(value):
                raise ValueError(
                    f"Column '{self.column.name}' is numerical; {value!r} is no number. Give "
                    'numbers as members of a set.'
                )
        numbers = [float(value) for value in members]
        inside = [(number, self._spacing(number)) for number in numbers if number not in self.atoms]
        half = min((spacing / 2 for _, spacing in inside if spacing > 0), default=0.0)
        spans = [(number, number) for number in numbers if number in self.atoms]
        return spans + [(number - half, number + half) for number, gap in inside if gap >= 0]

    def _spacing(self, number: float) -> float:
        """Distance of the distinct knots around a number inside a bin; -1 if it is in none."""
        for knots in self.knots:
            if knots[0] <= number <= knots[-1]:
                distinct = np.unique(knots)
                above = int(np.searchsorted(distinct, number, side='right'))
                above = min(max(above, 1), len(distinct) - 1)
                return float(distinct[above] - distinct[above - 1]) if above else 0.0
        return -1.0

    def _nearest_atom(self, values: Floats) -> Codes:
        """Stand-in for values that training never saw in a column of atoms only."""
        right = np.searchsorted(self.atoms, values).clip(1, max(len(self.atoms) - 1, 1))
        right = right.clip(max=len(self.atoms) - 1)
        left = (right - 1).clip(min=0)
        closer = values - self.atoms[left] <= self.atoms[right] - values
        return np.where(closer, left, right)


def fit_numerical(name: str, values: Floats, config: ModelConfig) -> NumericalCodec:
    """Learn the codes of a column from its values ``(B,)``, NaN where missing."""
    present = np.sort(values[~np.isnan(values)])
    distinct, counts = _runs(present)
    frequent = _atoms(counts, len(present), config.max_atoms)
    atoms = distinct[frequent]
    rest = present[~np.repeat(frequent, counts)]
    wanted = max(1, min(config.num_bins, len(rest) // _MIN_BIN_COUNT))
    parts = _split_ends(_cut(rest, wanted))
    knots, places = _knots(parts, max(_MAX_KNOTS // wanted, 2))
    codes = [int(count) for count in counts[frequent]] + [len(part) for part in parts]
    missing = None
    if len(present) < len(values):
        missing = len(codes)
        codes.append(len(values) - len(present))
    column = Column(
        name=name,
        kind=ColumnKind.NUMERICAL,
        counts=tuple(codes),
        bins=range(len(atoms), len(atoms) + len(knots)),
        uniform=_intervals(present, atoms, knots, missing is not None),
        missing=missing,
    )
    return NumericalCodec(column, atoms, tuple(knots), tuple(places))


def _runs(present: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The distinct ones of sorted values, and how often each occurs."""
    is_first = np.append(np.ones(min(len(present), 1), dtype=bool), present[1:] != present[:-1])
    starts = np.flatnonzero(is_first)
    return present[starts], np.diff(starts, append=len(present))


def _atoms(counts: npt.NDArray[np.int64], total: int, max_atoms: int) -> npt.NDArray[np.bool_]:
    """Which distinct values become atoms."""
    if not max_atoms or not total:
        return np.zeros(len(counts), dtype=bool)
    if len(counts) <= max_atoms and (total >= 5 * len(counts) or len(counts) == 1):
        return np.ones(len(counts), dtype=bool)
    frequent: npt.NDArray[np.bool_] = counts >= max(_MIN_ATOM_COUNT, _MIN_ATOM_SHARE * total)
    if frequent.sum() > max_atoms:
        frequent &= counts >= np.sort(counts)[-max_atoms]
        frequent[np.flatnonzero(frequent)[max_atoms:]] = False
    return frequent


def _cut(values: Floats, num_bins: int) -> list[Floats]:
    """Sorted values in at most ``num_bins`` parts of about equal size; equal ones together."""
    if not len(values):
        return []
    ends = values[(np.arange(1, num_bins) * len(values)) // num_bins]
    starts = np.searchsorted(values, np.unique(ends))
    return [part for part in np.split(values, starts) if len(part)]


def _split_ends(parts: list[Floats]) -> list[Floats]:
    """Halve the outermost parts of a column again and again, towards its ends.

    Bins of equal mass are widest where numbers are rare, so that most of what a tail depends on
    would be left to its residuals, of which training sees few.
    """
    if len(parts) < _FEW_BINS:
        return parts
    low, high = _halved(parts[0]), _halved(-parts[-1][::-1])
    return low[::-1] + parts[1:-1] + [-part[::-1] for part in high]


def _halved(values: Floats) -> list[Floats]:
    """Sorted values as their upper half, the upper half of the rest, and so on."""
    parts = []
    halves = _cut(values, 2)
    while len(halves) == 2 and len(halves[0]) >= _MIN_END_COUNT:
        rest, upper = halves
        parts.append(upper)
        values, halves = rest, _cut(rest, 2)
    return [*parts, values]


def _knots(parts: Sequence[Floats], most: int) -> tuple[list[Floats], list[Floats]]:
    """Knots and their places for each of the sorted parts of a column.

    Knots are training values of equally spaced ranks; towards the column's own ends also those
    of ranks 1, 2, 4, ..., without which a tail would be a single straight piece. Where two parts
    meet, the space between them belongs half to either.
    """
    knots, places = [], []
    for number, part in enumerate(parts):
        ranks = _ranks(len(part), most, low_end=number == 0, high_end=number == len(parts) - 1)
        values, grid = part[ranks], (ranks + 0.5) / len(part)
        if number:
            values = np.append((parts[number - 1][-1] + part[0]) / 2, values)
            grid = np.append(_BORDER / len(part), grid)
        if number < len(parts) - 1:
            values = np.append(values, (part[-1] + parts[number + 1][0]) / 2)
            grid = np.append(grid, 1 - _BORDER / len(part))
        knots.append(values)
        places.append(grid)
    return knots, places


def _ranks(size: int, most: int, *, low_end: bool, high_end: bool) -> npt.NDArray[np.int64]:
    """Ranks, from 0, of the values of a part that become knots."""
    number = min(max(size // _VALUES_PER_KNOT, 2), most, size)
    ranks = np.linspace(0, size - 1, number).round().astype(np.int64)
    doubling = 2 ** np.arange(max(size - 1, 1).bit_length()) - 1
    tails = [doubling] * low_end + [size - 1 - doubling] * high_end
    found = np.unique(np.concatenate([ranks, *tails]))
    return found[(found >= 0) & (found < size)]


def _intervals(
    present: Floats, atoms: Floats, knots: Sequence[Floats], has_missing: bool
) -> tuple[tuple[float, float], ...]:
    """The interval of the empirical distribution function that each code covers."""
    total = max(len(present), 1)
    spans = [(atom, atom) for atom in atoms] + [(part[0], part[-1]) for part in knots]
    uniform = [
        (
            float(np.searchsorted(present, low, side='left')) / total,
            float(np.searchsorted(present, high, side='right')) / total,
        )
        for low, high in spans
    ]
    return tuple(uniform + ([(0.0, 1.0)] if has_missing else []))


def _place(knots: Floats, grid: Floats, values: Floats) -> Floats:
    """Place in (0, 1) of each value among ``knots``; ties take the middle of their range."""
    left = np.searchsorted(knots, values, side='left')
    right = np.searchsorted(knots, values, side='right')
    tied = left < right
    last = len(knots) - 1
    middle = (grid[left.clip(max=last)] + grid[(right - 1).clip(min=0)]) / 2
    return np.where(tied, middle, np.interp(values, knots, grid))


def _log_slope(knots: Floats, grid: Floats, values: Floats, residuals: Floats) -> Floats:
    """Log of d(residual) / d(value) inside one bin; a bin of a single value is a mass."""
    inside = (values >= knots[0]) & (values <= knots[-1])
    distinct, first, counts = np.unique(knots, return_index=True, return_counts=True)
    if len(distinct) == 1:
        return np.where(inside, 0.0, -np.inf)
    places = (grid[first] + grid[first + counts - 1]) / 2
    cell = np.searchsorted(distinct, values, side='right').clip(1, len(distinct) - 1)
    slope = (np.diff(places) / np.diff(distinct))[cell - 1]
    normal = -((residuals / SIGMA_DATA) ** 2) / 2 - np.log(SIGMA_DATA * np.sqrt(2 * np.pi))
    return np.where(inside, np.log(slope) - normal, -np.inf)
