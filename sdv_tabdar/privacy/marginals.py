"""Distributions of single columns from noisy counts, and values that have these distributions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.values import Floats, LevelIndex, level_order
from sdv_tabdar.core.runtime.secret import secret_uniforms
from sdv_tabdar.privacy.groups import Groups, groups_of_levels, groups_of_numbers
from sdv_tabdar.privacy.questions import Questions

LEVELS_WEIGHT = 1.0
ATOMS_WEIGHT, GRID_WEIGHT, OCTAVES_WEIGHT, HALVING_WEIGHT = 1.0, 0.2, 1.0, 0.2
HALVINGS = 10
NUMBER_WEIGHT = ATOMS_WEIGHT + GRID_WEIGHT + OCTAVES_WEIGHT + HALVINGS * HALVING_WEIGHT
_LEAST_POWER, _MOST_POWER = -40, 63  # octaves of the numbers: from 2 ** -40 to 2 ** 64
_SURE = 4.0  # standard deviations of the noise above which a count is more than noise; and ...
_SURE_OF_AN_OCTAVE = 5.5  # ... that of one of 208, each of which would be far from all numbers, ...
_SURE_OF_A_NEIGHBOUR = 2.0  # ... and that of one beside it, which is likely to have some
_FINEST = 64  # parts of a column that no interval is halved below
_UNROUNDED_SHARE = 0.01  # of the numbers, that a grid need not have
MISSING = None


@dataclasses.dataclass(frozen=True)
class LevelMarginal:
    """Shares of the values of a column; None is missing.

    Attributes:
        levels: ``(K,)``.
        shares: ``(K,)``.
    """

    levels: Sequence[Hashable]
    shares: Floats

    @classmethod
    def asked(
        cls,
        questions: Questions,
        name: str,
        index: LevelIndex,
        places: npt.NDArray[np.int64],
        known: Sequence[Hashable] = (),
    ) -> LevelMarginal:
        """Ask for the levels of a column.

        Args:
            questions: What pays.
            name: Of the column.
            index: The distinct values of its rows.
            places: ``(B,)`` which of them each row has.
            known: The values if they are known beforehand, all of them.
        """
        counts = np.bincount(places, minlength=len(index.levels))
        if known:
            listed = list(known)
            found = np.zeros(len(listed), dtype=np.int64)
            own = LevelIndex(listed).of_distinct(index.levels)
            np.add.at(found, own[own >= 0], counts[: len(own)][own >= 0])
            noisy = questions.counts(f'levels of {name}', found, LEVELS_WEIGHT)
            kept = [
                (level, count)
                for level, count in zip(listed, noisy.tolist(), strict=True)
                if count > (_SURE if level is MISSING else 1) * questions.noise(LEVELS_WEIGHT)
            ]
        else:
            kept = questions.levels(f'levels of {name}', index.levels, counts, LEVELS_WEIGHT)
        kept.sort(key=lambda entry: level_order(entry[0]))
        if not kept:
            return cls([MISSING], np.ones(1))
        shares = np.array([count for _, count in kept])
        return cls([level for level, _ in kept], shares / shares.sum())

    def cells(self, num_rows: int) -> npt.NDArray[np.int64]:
        """Which value each of the cells of :meth:`spread` has."""
        counts = shared_out(self.shares, num_rows)
        return np.repeat(np.arange(len(counts)), counts)

    def grouped(self, most: int) -> Groups:
        """The group ``(K,)`` of each value, of so many at most."""
        return groups_of_levels(self.shares, most)

    def spread(self, num_rows: int) -> list[Hashable]:
        """So many values in their shares, in order; each of them at least once."""
        return [self.levels[place] for place in self.cells(num_rows).tolist()]

    def drawn(self, number: int) -> list[Hashable]:
        """So many values by chance."""
        uniforms = secret_uniforms(number).numpy()
        places = np.searchsorted(self.shares.cumsum(), uniforms).clip(max=len(self.levels) - 1)
        return [self.levels[place] for place in places]


@dataclasses.dataclass(frozen=True)
class NumberMarginal:
    """The distribution of a column of numbers: single values, and intervals of even density.

    Attributes:
        atoms: ``(A,)`` values that many rows have.
        lows: ``(I,)`` where intervals begin.
        highs: ``(I,)`` where they end.
        shares: ``(A + I + 1,)`` of atoms, intervals and missing cells.
        grid: What numbers are multiples of; 0 if of nothing.
    """

    atoms: Floats
    lows: Floats
    highs: Floats
    shares: Floats
    grid: float

    @classmethod
    def asked(
        cls,
        questions: Questions,
        name: str,
        numbers: Floats,
        grids: Sequence[float],
        ends: tuple[float, float] | None = None,
    ) -> NumberMarginal:
        """Ask for the distribution of a column.

        Args:
            questions: What pays.
            name: Of the column.
            numbers: ``(B,)``, NaN where missing.
            grids: What the numbers may be multiples of, coarsest first; a single one is known.
            ends: Between which all of them are, if that is known beforehand.
        """
        missing = np.isnan(numbers)
        distinct, places = np.unique(numbers[~missing], return_inverse=True)
        counts = np.append(np.bincount(places, minlength=len(distinct)), missing.sum())
        levels: list[Hashable] = [*distinct.tolist(), MISSING]
        told = dict(questions.levels(f'values of {name}', levels, counts, ATOMS_WEIGHT))
        is_missing = told.pop(MISSING, 0.0)
        atoms = distinct[[value in told for value in distinct.tolist()]]
        rest = numbers[~missing]
        rest = rest[~np.isin(rest, atoms)]
        grid = _grid(questions, name, numbers[~missing], grids)
        lows, highs, masses = _intervals(questions, name, rest, grid, ends)
        shares = np.array([*(told[atom] for atom in atoms.tolist()), *masses, is_missing])
        if not shares.sum():
            shares[-1] = 1.0
        return cls(atoms, lows, highs, shares / shares.sum(), grid)

    def cells(self, num_rows: int) -> npt.NDArray[np.int64]:
        """Which atom or interval each of the cells of :meth:`spread` has; missing is the last."""
        counts = shared_out(self.shares, num_rows)
        return np.repeat(np.arange(len(counts)), counts)

    def grouped(self, most: int) -> Groups:
        """The group ``(A + I + 1,)`` of each atom and interval, of about so many."""
        middles = self.lows / 2 + self.highs / 2
        values = np.concatenate([self.atoms, middles, [np.nan]])
        return groups_of_numbers(values, self.shares, most)

    def places(self, numbers: Floats) -> npt.NDArray[np.int64]:
        """The atom or interval of each number ``(B,)``; -1 where there is none."""
        found = np.full(len(numbers), -1, dtype=np.int64)
        if len(self.lows):
            inside = np.searchsorted(self.lows, numbers, side='right') - 1
            there = (inside >= 0) & (numbers < self.highs[inside])
            found[there] = len(self.atoms) + inside[there]
        if len(self.atoms):
            nearest = np.searchsorted(self.atoms, numbers).clip(max=len(self.atoms) - 1)
            there = self.atoms[nearest] == numbers
            found[there] = nearest[there]
        found[np.isnan(numbers)] = len(self.shares) - 1
        return found

    def spread(self, num_rows: int) -> Floats:
        """So many numbers with this distribution, sorted by kind; NaN where missing."""
        places = self.cells(num_rows)
        counts = np.bincount(places, minlength=len(self.shares))
        ranks = np.arange(num_rows) - np.repeat(counts.cumsum() - counts, counts)
        inside = (ranks + 0.5) / counts[places]
        lows = np.concatenate([self.atoms, self.lows, [np.nan]])[places]
        highs = np.concatenate([self.atoms, self.highs, [np.nan]])[places]
        spread = _evenly(lows, highs, inside, self.grid)
        return np.where(places < len(self.atoms), lows, spread)


Marginal = LevelMarginal | NumberMarginal


def shared_out(shares: Floats, number: int) -> npt.NDArray[np.int64]:
    """Whole numbers ``(K,)`` with a sum, in proportion to shares; 1 at least where there is one.

    Args:
        shares: ``(K,)`` with sum 1, no more of them above 0 than the sum.
        number: The sum.
    """
    ends = np.rint(shares.cumsum() * number).astype(np.int64)
    counts = np.maximum(np.diff(ends, prepend=0), shares > 0)
    while (over := counts.sum() - number) > 0:
        most = counts.argmax()
        counts[most] -= min(over, max(counts[most] // 2, 1))
    counts[counts.argmax()] -= over
    return counts


def _rounded(numbers: Floats, grid: float) -> Floats:
    """Numbers as multiples of a whole number, or to the digits of a power of ten."""
    if grid >= 1:
        return np.round(numbers / grid) * grid
    return np.round(numbers, -round(math.log10(grid)))


def _evenly(lows: Floats, highs: Floats, inside: Floats, grid: float) -> Floats:
    """Numbers of intervals [low, high), of which those on a grid are as likely as each other.

    Args:
        lows: ``(N,)``.
        highs: ``(N,)``.
        inside: ``(N,)`` from 0 to 1, how far up in its interval each of them is.
        grid: What they are multiples of; 0 for nothing. Where an interval has no multiple, the
            nearest one of its middle.
    """
    if not grid:
        found: Floats = lows + (highs - lows) * inside
        return found
    first = np.ceil(lows / grid)
    number = np.ceil(highs / grid) - first
    among = (first + np.floor(number * inside)) * grid
    return _rounded(np.where(number > 0, among, lows / 2 + highs / 2), grid)


def _grid(questions: Questions, name: str, numbers: Floats, grids: Sequence[float]) -> float:
    """The coarsest grid that has almost all numbers."""
    if len(grids) == 1:
        return grids[0]
    first = np.full(len(numbers), len(grids), dtype=np.int64)
    for place in reversed(range(len(grids))):
        near = _rounded(numbers, grids[place])
        first[np.isclose(near, numbers, rtol=1e-12, atol=0.0)] = place
    counts = np.bincount(first, minlength=len(grids) + 1)
    noisy = questions.counts(f'rounding of {name}', counts, GRID_WEIGHT)
    doubt = _SURE * questions.noise(GRID_WEIGHT)
    for place, grid in enumerate(grids):
        if noisy[place + 1 :].sum() <= max(doubt, _UNROUNDED_SHARE * noisy.sum()):
            return grid
    return 0.0


def _intervals(
    questions: Questions,
    name: str,
    numbers: Floats,
    grid: float,
    ends: tuple[float, float] | None,
) -> tuple[Floats, Floats, Floats]:
    """Intervals of numbers and how many are in each: octaves, of which full ones are halved."""
    edges = _octaves(grid, ends)
    lows, highs = edges[:-1], edges[1:]
    noisy = questions.counts(f'octaves of {name}', _counted(lows, highs, numbers), OCTAVES_WEIGHT)
    least = _SURE_OF_AN_OCTAVE if ends is None else _SURE
    sure = _with_neighbours(noisy / questions.noise(OCTAVES_WEIGHT), least)
    lows, highs, masses = lows[sure], highs[sure], noisy[sure]
    precisions = np.full(len(lows), questions.noise(OCTAVES_WEIGHT) ** -2.0)
    noise = questions.noise(HALVING_WEIGHT)
    for _ in range(HALVINGS):
        split = masses > max(_SURE * noise, masses.sum() / _FINEST)
        middles = lows / 2 + highs / 2
        halves_lows = np.stack([lows[split], middles[split]], axis=1).ravel()
        halves_highs = np.stack([middles[split], highs[split]], axis=1).ravel()
        noisy = questions.counts(
            f'halves of {name}', _counted(halves_lows, halves_highs, numbers), HALVING_WEIGHT
        ).reshape(-1, 2)
        # the parent's count and the sum of its halves are two answers to one question
        own, both = precisions[split], noise**-2.0 / 2
        sums = (masses[split] * own + noisy.sum(axis=1) * both) / (own + both)
        noisy = (noisy + ((sums - noisy.sum(axis=1)) / 2)[:, None]).clip(min=0)
        lows = np.concatenate([lows[~split], halves_lows])
        highs = np.concatenate([highs[~split], halves_highs])
        masses = np.concatenate([masses[~split], noisy.ravel()])
        precisions = np.concatenate([precisions[~split], np.full(noisy.size, noise**-2.0)])
    order = np.argsort(lows)
    order = order[masses[order] > 0]
    return lows[order], highs[order], masses[order]


def _octaves(grid: float, ends: tuple[float, float] | None) -> Floats:
    """Edges of the octaves of either sign; of those between the ends, where these are known.

    Args:
        grid: What numbers are multiples of: between 0 and it there are none.
        ends: The least and the greatest number that there can be.
    """
    powers = 2.0 ** np.arange(_LEAST_POWER, _MOST_POWER + 2)
    powers = powers[powers >= grid]
    edges = np.concatenate([-powers[::-1], powers])
    if ends is None:
        return edges
    low, high = ends[0], np.nextafter(ends[1], np.inf)  # intervals are without their higher end
    return np.array([low, *edges[(edges > low) & (edges < high)], high])


def _with_neighbours(deviations: Floats, least: float) -> npt.NDArray[np.bool_]:
    """Which octaves have numbers: those far above the noise, and clear ones beside them.

    Args:
        deviations: ``(K,)`` noisy counts, in standard deviations of the noise.
        least: Of an octave without one beside it.
    """
    sure = deviations > least
    for _ in deviations:
        beside = np.zeros_like(sure)
        beside[1:] |= sure[:-1]
        beside[:-1] |= sure[1:]
        more = beside & ~sure & (deviations > _SURE_OF_A_NEIGHBOUR)
        if not more.any():
            break
        sure |= more
    return sure


def _counted(lows: Floats, highs: Floats, numbers: Floats) -> npt.NDArray[np.int64]:
    """How many numbers are in each of some intervals [low, high) that do not overlap."""
    if not len(lows):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(lows)
    places = np.searchsorted(lows[order], numbers, side='right') - 1
    inside = places >= 0
    inside[inside] &= numbers[inside] < highs[order][places[inside]]
    counts = np.zeros(len(lows), dtype=np.int64)
    counts[order] = np.bincount(places[inside], minlength=len(lows))
    return counts
