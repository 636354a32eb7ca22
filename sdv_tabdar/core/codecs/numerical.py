"""The codec of a numerical column.

Values that occur often are *atoms* (:mod:`~sdv_tabdar.core.codecs.atoms`): they have codes of
their own and come back exactly and with their share. The remaining values are cut into *bins* of
equal mass, smaller ones at the ends of the column, and inside a bin a number is written as the
normal score of its place, with standard deviation 0.5: its *residual*
(:mod:`~sdv_tabdar.core.codecs.bins`, by the law in :mod:`~sdv_tabdar.core.codecs.density`). With
no atoms and one bin this is the paper's quantile transform. What restrictions leave of either is in
:mod:`~sdv_tabdar.core.codecs.number_pieces`, quantiles are in
:mod:`~sdv_tabdar.core.codecs.quantiles`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.atoms import frequent_numbers, frequent_ones, nearest
from sdv_tabdar.core.codecs.bins import Bin, cut_into_bins
from sdv_tabdar.core.codecs.codec import Codec, Points, ResidualLaw
from sdv_tabdar.core.codecs.counted import Counted, Numbers
from sdv_tabdar.core.codecs.cycles import Cycle
from sdv_tabdar.core.codecs.number_pieces import NumberPieces, ends_of, member_numbers
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.quantiles import Mixture
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NothingAllowedError, Restriction
from sdv_tabdar.core.schema import Column, ColumnKind

_MIN_BIN_COUNT = 64
_TOGETHER = 1 << 20  # numbers whose codes are counted at a time
_ROUNDING = 1e-6  # of an interval, by which rounding moves what was drawn in it at most
_FEW = 0.5  # of the numbers between a column's ends; columns of fewer keep to those they have
_MOST_CHANGE = 0.05  # of a distribution function, for the same codes to go on with other rows


@dataclasses.dataclass(frozen=True, eq=False)
class NumericalCodec(Codec):
    """Numbers of one column to codes and residuals, and back.

    Attributes:
        column: The codes: atoms, then bins, then missing if training had missing cells.
        atoms: ``(A,)`` sorted values with codes 0..A-1.
        bins: The bins with codes ``column.bins``.
    """

    column: Column
    atoms: Floats
    bins: tuple[Bin, ...]

    @classmethod
    def fit(
        cls,
        name: str,
        values: Counted,
        config: ModelConfig,
        order: Sequence[Hashable] = (),
        *,
        belongs: bool = False,
    ) -> NumericalCodec:
        """Learn the codes of a column, see :meth:`Codec.fit`; numbers need no ``order``.

        Where they belong to what another column names, and recur, all of up to ``max_categories``
        values are atoms.
        """
        numbers = Numbers.of(values)
        present = numbers.present
        most = config.max_categories if belongs else 0
        atoms, counts = frequent_numbers(present, config.max_atoms, most)
        rest = numbers.without(atoms)
        wanted = max(1, min(config.num_bins, len(rest) // _MIN_BIN_COUNT))
        limits = (float(present[0]), float(present[-1])) if len(present) else None
        bins, bin_counts = cut_into_bins(rest, wanted, limits)
        code_counts = [int(count) for count in counts] + bin_counts
        missing = None
        if numbers.num_missing:
            missing = len(code_counts)
            code_counts.append(numbers.num_missing)
        column = Column(
            name=name,
            kind=ColumnKind.NUMERICAL,
            counts=tuple(code_counts),
            bins=range(len(atoms), len(atoms) + len(bins)),
            uniform=_intervals(present, atoms, bins, missing is not None),
            missing=missing,
        )
        return cls(column, atoms, tuple(bins))

    def grown(
        self, values: Counted, config: ModelConfig, order: Sequence[Hashable] = ()
    ) -> NumericalCodec:
        """This codec if ``values`` suit it, or a new one of them, see :meth:`Codec.grown`.

        They suit it if they lie within its limits, are missing only if some were before, and no
        point of the distribution function differs by more than ``_MOST_CHANGE``. Where all numbers
        had codes of their own although they were many, new ones get such codes too.
        """
        numbers = Numbers.of(values)
        present, (low, high) = numbers.present, self.limits
        within = not len(present) or (present[0] >= low and present[-1] <= high)
        belongs = self._belongs(config)
        if belongs:
            within = not len(numbers.without(self.atoms))
            numbers = numbers.with_more(self.atoms[~np.isin(self.atoms, present)])
            present = numbers.present
        if within and (self.column.missing is not None or not numbers.num_missing):
            before, now = np.array(self.column.counts), self._counts_of(numbers)
            ranking = np.argsort([sum(interval) for interval in self.column.uniform])
            change = (now / now.sum() - before / before.sum())[ranking].cumsum()
            if np.abs(change).max() <= _MOST_CHANGE:
                column = dataclasses.replace(self.column, counts=tuple(now.clip(min=1).tolist()))
                return dataclasses.replace(self, column=column)
        inner = present[[0, -1]] if len(present) else np.array([np.inf, -np.inf])
        kept = [end for end in self.limits if not inner[0] <= end <= inner[1]]
        outer = [end for end in kept if not np.isnan(end)]
        num_missing = len(kept) - len(outer) + (self.column.missing is not None)
        wider = numbers.extended(outer, num_missing)
        return self.fit(self.column.name, wider, config, belongs=belongs)

    def _belongs(self, config: ModelConfig) -> bool:
        """Whether all numbers are atoms only because they belong to what another column names."""
        counts = np.array(self.column.counts[: len(self.atoms)])
        is_usual = frequent_ones(counts, int(counts.sum()), config.max_atoms).all()
        return not self.bins and not is_usual

    def _counts_of(self, numbers: Numbers) -> Codes:
        """How often each code ``(K,)`` stands for one of the numbers, or for a missing cell."""
        counts = np.zeros(self.column.num_codes, dtype=np.int64)
        for start in range(0, len(numbers.present), _TOGETHER):
            piece = pd.Series(numbers.present[start : start + _TOGETHER], name=self.column.name)
            counts += np.bincount(self.encode(piece)[0], minlength=len(counts))
        if self.column.missing is not None:
            counts[self.column.missing] += numbers.num_missing
        return counts

    def codes_in(self, before: Codec) -> Codes:
        """The codes of the same atoms, and of the middles of the bins, see :meth:`Codec.codes_in`.

        -1 where nothing but missing cells was known, and for a new number among atoms alone, as for
        a new level: what it belongs to may be new as well.
        """
        assert isinstance(before, NumericalCodec)
        codes = np.full(self.column.num_codes, -1, dtype=np.int64)
        if not np.isnan(before.limits[0]):
            middles = [part.values(np.zeros(1))[0] for part in self.bins]
            places = pd.Series([*self.atoms, *middles], dtype=float, name=self.column.name)
            codes[: len(places)], _ = before.encode(places)
            if not self.bins and not before.bins:
                codes[: len(places)][~np.isin(places, before.atoms)] = -1
        if self.column.missing is not None and before.column.missing is not None:
            codes[self.column.missing] = before.column.missing
        return codes

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest value of the training column (NaN if it had none)."""
        ends = self.atoms[[0, -1]].tolist() if len(self.atoms) else []
        ends += [part.low for part in self.bins] + [part.high for part in self.bins]
        return (min(ends), max(ends)) if ends else (np.nan, np.nan)

    def contained(self, numbers: Floats) -> Floats:
        """The nearest numbers ``(B,)`` that the column has; NaN stays.

        That is an atom, or any number between the ends where there are bins.
        """
        if self.bins or not len(self.atoms):
            return np.clip(numbers, *self.limits)
        return np.where(np.isnan(numbers), np.nan, self.atoms[nearest(self.atoms, numbers)])

    def at_marks(self, numbers: Floats, slack: Floats) -> Floats:
        """Numbers ``(B,)``, or the atoms and limits that they are but for so much ``(B,)``.

        What others make of numbers in float64, training may have in float32.
        """
        marks = np.unique([*self.atoms, *self.limits])
        found = marks[nearest(marks, numbers)]
        return np.where(np.abs(numbers - found) <= slack, found, numbers)

    def nearest_numbers(self, numbers: Floats) -> Floats:
        """The nearest numbers ``(B,)`` that the steps and the cycles of their bins have."""
        found = numbers.copy()
        for part in self.bins:
            rows = (numbers >= part.low) & (numbers <= part.high)
            found[rows] = part.nearest(numbers[rows])
        return found

    def few_numbers(self, digits: int | None) -> Floats | None:
        """All numbers of a column, where they are few of those between its ends; else None.

        Args:
            digits: Behind the point; None if numbers are not rounded.
        """
        steps = np.inf if digits is None else self.steps(digits)
        return self.atoms if not self.bins and len(self.atoms) < _FEW * steps else None

    def steps(self, digits: int) -> float:
        """How many numbers with so many digits behind the point there are between the ends."""
        return float(np.ptp(self.limits)) * 10.0**digits + 1

    @property
    def cycles(self) -> tuple[Cycle, ...]:
        """Those of the column's numbers."""
        return next((part.cycles for part in self.bins if part.cycles), ())

    @property
    def num_single(self) -> int:
        """All of them: a code and its residual stand for a single number."""
        return self.column.num_codes

    def encode(self, values: pd.Series) -> tuple[Codes, Floats]:
        """Codes and residuals ``(B,)``, see :meth:`Codec.encode`.

        Numbers outside the training range are written as its nearest end, numbers between atoms
        as the nearest atom where there are no bins.
        """
        numbers = self._checked(as_floats(values))
        codes = np.full(len(numbers), self.column.missing or 0, dtype=np.int64)
        residuals = np.zeros(len(numbers))
        left = ~np.isnan(numbers)
        if len(self.atoms):
            places = np.searchsorted(self.atoms, numbers).clip(max=len(self.atoms) - 1)
            exact = left & (self.atoms[places] == numbers)
            codes[exact] = places[exact]
            left &= ~exact
        if not self.bins:
            codes[left] = nearest(self.atoms, numbers[left])
            return codes, residuals
        edges = np.array([part.low for part in self.bins[1:]])
        places = np.searchsorted(edges, numbers, side='right')
        for place, part in enumerate(self.bins):
            rows = left & (places == place)
            codes[rows] = self.column.bins[place]
            residuals[rows] = part.residuals(numbers[rows])
        return codes, residuals

    def _checked(self, numbers: Floats) -> Floats:
        """Numbers ``(B,)`` within the training range.

        Raises:
            ValueError: If one is missing, or is not, where training had no such cell.
        """
        missing = np.isnan(numbers)
        if self.column.missing is None and missing.any():
            raise ValueError(
                f"Column '{self.column.name}' is given as missing in {int(missing.sum())} rows, "
                'but the training data had no missing value in it. Give a number, or leave the '
                'cell unknown.'
            )
        if not np.isnan(self.limits[0]):
            return numbers.clip(*self.limits)
        if not missing.all():
            raise ValueError(
                f"Column '{self.column.name}' is given as {numbers[~missing][0]:g}, but the "
                'training data had nothing but missing values in it. Leave the cell empty or '
                'unknown.'
            )
        return numbers

    def decode(self, codes: Codes, residuals: Floats, uniforms: Floats) -> Floats:
        """Numbers ``(B,)`` of codes and residuals; NaN where missing. No use of ``uniforms``."""
        values = np.full(len(codes), np.nan)
        is_atom = codes < len(self.atoms)
        values[is_atom] = self.atoms[codes[is_atom]]
        for code, part in zip(self.column.bins, self.bins, strict=True):
            rows = np.flatnonzero(codes == code)
            if len(rows):
                values[rows] = part.values(residuals[rows])
        return values

    def log_volume(self, values: pd.Series) -> Floats:
        """Log of d(residual) / d(value) ``(B,)``: what a density per residual is multiplied by.

        0 at atoms and missing cells, whose probability is a mass; -inf at values that the
        encoding gives no density (outside the training range, between two bins or atoms).
        """
        numbers = as_floats(values)
        codes, residuals = self.encode(values)
        slopes = np.zeros(len(numbers))
        for code, part in zip(self.column.bins, self.bins, strict=True):
            rows = codes == code
            slopes[rows] = part.log_slope(numbers[rows], residuals[rows])
        is_atom = (codes < len(self.atoms)) & ~np.isnan(numbers)
        slopes[is_atom] = np.where(self.atoms[codes[is_atom]] == numbers[is_atom], 0.0, -np.inf)
        return slopes

    @property
    def log_unseen(self) -> float:
        """As :attr:`Codec.log_unseen`; where numbers have a density, over the training range."""
        low, high = self.limits
        half = high / 2 - low / 2 if self.bins else 0.0  # the whole might be infinite
        return super().log_unseen - (math.log(half) + math.log(2) if half > 0 else 0.0)

    def restrict(self, restriction: Restriction) -> Pieces:
        """The atoms and parts of bins that a restriction allows, see :meth:`Codec.restrict`."""
        return self.restrict_each([restriction])[0]

    def restrict_each(self, restrictions: Sequence[Restriction]) -> list[Pieces]:
        """As :meth:`restrict`, all intervals together."""
        found = self._pieces.of(restrictions)
        for entry, allowed in zip(restrictions, found, strict=True):
            if not len(allowed.codes):
                self._refuse(entry)
        return found

    def allows_each(self, restrictions: Sequence[Restriction]) -> npt.NDArray[np.bool_]:
        """Which restrictions some number of training meets, see :meth:`Codec.allows_each`."""
        return np.array([len(found.codes) > 0 for found in self._pieces.of(restrictions)], bool)

    @property
    def _pieces(self) -> NumberPieces:
        return NumberPieces(self.column, self.atoms, self.bins)

    def _refuse(self, restriction: Restriction) -> NoReturn:
        low, high = self.limits
        reason = 'the training data had nothing but missing values in it.'
        if not np.isnan(low):
            reason = (
                f'training values lie between {low:g} and {high:g}, and none of them is allowed '
                'by it.'
            )
        raise NothingAllowedError(self.column.name, restriction, reason)

    def enforce(
        self, values: npt.NDArray[Any], restriction: Restriction, uniforms: Floats
    ) -> npt.NDArray[Any]:
        """Numbers ``(B,)`` drawn under a restriction, moved onto it by the last rounding error.

        Numbers drawn for a set become its nearest member. In an interval without a multiple of its
        bin's step they are spread by ``uniforms``.
        """
        if isinstance(restriction, Interval):
            return self._within(values, *ends_of([restriction]), uniforms)
        if not isinstance(restriction, Members):
            return values
        members = np.unique(member_numbers(self.column.name, restriction))
        if not len(members):
            return values
        return np.where(np.isnan(values), np.nan, members[nearest(members, values)])

    def enforce_each(
        self,
        values: npt.NDArray[Any],
        restrictions: Sequence[Restriction | None],
        uniforms: Floats,
    ) -> npt.NDArray[Any]:
        """As :meth:`enforce`, all intervals together."""
        sets = [entry if isinstance(entry, Members) else None for entry in restrictions]
        within = self._within(values, *ends_of(restrictions), uniforms)
        return super().enforce_each(within, sets, uniforms)

    def _within(
        self, values: npt.NDArray[Any], lows: Floats, highs: Floats, uniforms: Floats
    ) -> Floats:
        """Numbers ``(B,)`` that were drawn in intervals, see :meth:`enforce`."""
        found: Floats = np.clip(values, lows, highs)
        if any(part.step or part.cycles for part in self.bins):
            with np.errstate(over='ignore', invalid='ignore'):
                widths = highs - lows
                beyond = np.isfinite(widths) & (np.abs(values - found) > _ROUNDING * widths)
                found = np.where(beyond, lows + uniforms * widths, found)
        return found

    def quantiles(
        self,
        masses: Floats,
        shares: Floats,
        law: ResidualLaw,
        points: Points | None = None,
    ) -> Floats:
        """Quantiles ``(B, Q)`` of the numbers of B rows, see :meth:`Codec.quantiles`."""
        mixture = Mixture(self.atoms, self.bins, masses, law, points)
        return mixture.quantiles(shares, self.limits)

    def to_state(self) -> dict[str, Any]:
        """See :meth:`Codec.to_state`."""
        return {
            'column': self.column.to_state(),
            'atoms': self.atoms,
            'knots': [part.knots for part in self.bins],
            'places': [part.places for part in self.bins],
            'steps': [part.step for part in self.bins],
            'cycles': [cycle.to_state() for cycle in self.cycles],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> NumericalCodec:
        """See :meth:`Codec.from_state`."""
        steps = state.get('steps', [0.0] * len(state['knots']))  # older ones have none, ...
        cycles = tuple(map(Cycle.from_state, state.get('cycles', ())))  # ... and of these
        parts = zip(state['knots'], state['places'], steps, strict=True)
        bins = tuple(
            Bin(knots, places, step, () if step else cycles) for knots, places, step in parts
        )
        return cls(Column.from_state(state['column']), state['atoms'], bins)


def _intervals(
    present: Floats, atoms: Floats, bins: Sequence[Bin], has_missing: bool
) -> tuple[tuple[float, float], ...]:
    """The interval of the empirical distribution function that each code covers."""
    total = max(len(present), 1)
    spans = [(atom, atom) for atom in atoms] + [(part.low, part.high) for part in bins]
    uniform = [
        (
            float(np.searchsorted(present, low, side='left')) / total,
            float(np.searchsorted(present, high, side='right')) / total,
        )
        for low, high in spans
    ]
    return tuple(uniform + ([(0.0, 1.0)] if has_missing else []))
