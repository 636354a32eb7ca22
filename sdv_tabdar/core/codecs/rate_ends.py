"""Between what the rates, or amounts, of levels lie, by rows of a result and of its source."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdv_tabdar.core.codecs.lines import Marks, finest, slack_of
from sdv_tabdar.core.codecs.sums import Digits
from sdv_tabdar.core.codecs.values import Codes, Floats

LOOKED_AT = 256  # rows of a first look
LEVEL_ROWS = 10  # of a level, on average, at least
_BY_CHANCE = 20  # rows that must not keep to it if levels, or sources, were those of other rows
_NOISE = 1e-12  # of any number, which computing may add, and ...
_REST = 1e-9  # ... of a result that is not rounded


@dataclasses.dataclass(frozen=True)
class Pair:
    """Numbers of a result and of its source, or sources, in the same rows.

    Attributes:
        own: The result's, ``(rows,)``.
        others: The source's, or ``(sources, rows)``.
        digits: Behind the point of results.
        adds: Whether levels say differences, and not ratios.
        other_digits: Behind the point of a source; with no more than results have, differences
            are not rounded.
    """

    own: Floats
    others: Floats
    digits: Digits
    adds: bool
    other_digits: Digits = None

    def rows(self, rows: npt.NDArray[np.int64]) -> Pair:
        """Some of the rows, of one source."""
        return dataclasses.replace(self, own=self.own[rows], others=self.others[rows])

    @property
    def rates(self) -> tuple[Floats, Floats]:
        """Ratios or differences, and by how much they may be off; NaN where there is none."""
        own, others = self.own, self.others
        with np.errstate(all='ignore'):
            slack = self.slack
            if self.adds:
                rates: Floats = own - others
                slack = slack + _NOISE * (np.abs(own) + np.abs(others))
            else:
                rates = own / np.where(others == 0, np.nan, others)
                slack = slack / np.abs(others) + _NOISE * np.abs(rates)
        rates[~np.isfinite(rates) | ~np.isfinite(slack)] = np.nan
        return rates, slack

    @property
    def slack(self) -> Floats:
        """By how much results may be off what they are made of."""
        slack = slack_of(self.own, self.digits, _REST)
        is_exact = self.adds and None not in (self.digits, self.other_digits)
        if is_exact and finest((self.digits, self.other_digits)) == self.digits:
            slack = np.minimum(slack, slack_of(self.own, None, _REST))
        return slack

    @property
    def are_of_nothing(self) -> bool:
        """Whether nothing times a rate is nothing."""
        zeros = np.isfinite(self.own) & (self.others == 0)
        slack = slack_of(self.own[zeros], self.digits, _REST)
        return self.adds or bool((np.abs(self.own[zeros]) <= slack).all())

    def made(self, rates: Floats) -> Floats:
        """Results by other rates."""
        return self.others + rates if self.adds else self.others * rates


@dataclasses.dataclass
class Ends:
    """Between what the rates of levels have to be.

    Attributes:
        low: ``(K,)``, at least.
        high: ``(K,)``, at most; less than ``low`` where no rate makes all results.
        holds: Whether nothing times a rate is nothing.
    """

    low: Floats
    high: Floats
    holds: bool = True

    @classmethod
    def of_levels(cls, number: int) -> Ends:
        """Of levels that no row has yet."""
        return cls(np.full(number, -np.inf), np.full(number, np.inf))

    def add(self, pair: Pair, codes: Codes) -> None:
        """Narrow them to what rows ``(B,)`` have."""
        ratios, slack = pair.rates
        rows = ~np.isnan(ratios) & (codes >= 0)
        np.maximum.at(self.low, codes[rows], (ratios - slack)[rows])
        np.minimum.at(self.high, codes[rows], (ratios + slack)[rows])
        self.holds &= pair.rows(np.flatnonzero(codes >= 0)).are_of_nothing

    @property
    def are_possible(self) -> bool:
        """Whether each level has a rate."""
        return self.holds and bool((self.low <= self.high).all())

    def rates(self) -> tuple[float | None, ...]:
        """For each level the rate of the fewest digits."""
        return tuple(
            None if np.isinf(low) else _roundest(low, high)
            for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)
        )


def _roundest(low: float, high: float) -> float:
    """A number in an interval with as few digits as there can be."""
    middle = (low + high) / 2
    shorter = (float(f'{middle:.{digits}g}') for digits in range(1, 16))
    return next((number for number in shorter if low <= number <= high), middle)


def may_tell(pair: Pair, codes: Codes) -> Marks:
    """Which columns of codes ``(L, rows)`` say a rate for each level in a first look at rows."""
    rows = np.flatnonzero(np.isfinite(pair.own) & np.isfinite(pair.others))
    rows = rows[:: max(len(rows) // LOOKED_AT, 1)]
    number = int(codes.max()) + 1
    starts = np.arange(len(codes))[:, None] * number
    levels = np.where(codes[:, rows] >= 0, codes[:, rows] + starts, -1)
    ends = Ends.of_levels(len(codes) * number)
    ends.add(pair.rows(np.tile(rows, len(codes))), levels.ravel())
    return np.asarray((ends.low <= ends.high).reshape(len(codes), number).all(axis=1))


def tells(pair: Pair, codes: Codes) -> bool:
    """Whether results are made of sources by the rates of their levels, and not of other rows.

    Nor by what levels say without sources, nor by one rate, or one difference, for all.
    """
    ends = Ends.of_levels(int(codes.max()) + 1)
    ends.add(pair, codes)
    ratios, slack = pair.rates
    rows = np.flatnonzero(~np.isnan(ratios) & (codes >= 0))
    if len(rows) < LEVEL_ROWS * len(np.unique(codes)) or not ends.are_possible:
        return False
    is_said = np.isfinite(ends.low)
    middle = np.full(len(is_said), np.nan)
    middle[is_said] = (ends.low[is_said] + ends.high[is_said]) / 2
    half, own = len(rows) // 2, pair.own[rows]
    turned = np.roll(rows, half)
    by_level = np.abs(ratios[rows] - middle[codes[turned]]) > slack[rows]
    made = pair.rows(turned).made(middle[codes[rows]])
    by_source = np.abs(own - made) > pair.rows(rows).slack
    first = np.full(len(is_said), np.nan)
    first[codes[rows[::-1]]] = own[::-1]  # of each level the number of its first row
    by_itself = np.abs(own - first[codes[rows]]) > 2 * pair.rows(rows).slack
    least = min(by_level.sum(), by_source.sum(), by_itself.sum())
    differences, slack = dataclasses.replace(pair.rows(rows), adds=True).rates
    is_one = (differences - slack).max() <= (differences + slack).min()
    return bool(least >= _BY_CHANCE and not is_one)
