"""Columns of numbers that nearly follow from others: by a copula, or by how far they are apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True)
class Copula:
    """Columns of numbers that are tied to others of them, and the Gaussian copula that ties them.

    Attributes:
        positions: Those of the columns, at least two.
        correlations: Of their normal scores, a row for each of them.
        scales: What the standard deviation of each, given others, is multiplied by.
        weights: For each of them the weights of the mixture of :mod:`sdv_tabdar.core.copula`.
        reach: The standard deviation of a score, given others, below which it is tied to them.
    """

    positions: tuple[int, ...]
    correlations: tuple[tuple[float, ...], ...]
    scales: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    reach: float

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            'positions': list(self.positions),
            'correlations': [list(row) for row in self.correlations],
            'scales': list(self.scales),
            'weights': [list(row) for row in self.weights],
            'reach': self.reach,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Copula:
        """What :meth:`to_state` described."""
        return cls(
            tuple(state['positions']),
            tuple(map(tuple, state['correlations'])),
            tuple(state['scales']),
            tuple(map(tuple, state['weights'])),
            state['reach'],
        )


Grid: TypeAlias = tuple[float, float]
"""A unit, and what multiples of it are added to."""


@dataclasses.dataclass(frozen=True)
class Differences:
    """How much more one number is than another: the shares of intervals.

    Attributes:
        pieces: Intervals of differences, in order, without overlap.
        shares: Of the rows, of which each piece has so many; their sum is 1.
        rest: The weight of numbers that are as in their column, whatever the other is.
    """

    pieces: tuple[tuple[float, float], ...]
    shares: tuple[float, ...]
    rest: float

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        pieces = [list(ends) for ends in self.pieces]
        return {'pieces': pieces, 'shares': list(self.shares), 'rest': self.rest}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Differences:
        """What :meth:`to_state` described."""
        pieces = tuple((low, high) for low, high in state['pieces'])
        return cls(pieces, tuple(state['shares']), state['rest'])


@dataclasses.dataclass(frozen=True)
class LevelDifferences:
    """A column whose levels say how far two numbers are from each other.

    Attributes:
        position: That of the column.
        of_code: For each of its codes which law is its own; -1 where it has none.
        laws: The laws.
        gain: By how many nats they say more of one number given the other than one law of all rows.
    """

    position: int
    of_code: tuple[int, ...]
    laws: tuple[Differences, ...]
    gain: float

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        laws = [law.to_state() for law in self.laws]
        return {**vars(self), 'of_code': list(self.of_code), 'laws': laws}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> LevelDifferences:
        """What :meth:`to_state` described."""
        laws = tuple(map(Differences.from_state, state['laws']))
        return cls(state['position'], tuple(state['of_code']), laws, state['gain'])


@dataclasses.dataclass(frozen=True)
class Gap:
    """Two columns of numbers that are never far from each other.

    Attributes:
        first: The position of one of them.
        second: That of the other.
        grids: Of which number those of either are multiples, 0 for none, and what they have beside
            that: days, from some hour.
        law: What the second is more than the first.
        gain: By how many nats the law of the difference says more of one given the other than the
            columns by themselves.
        by_level: The levels that say more of the difference; None if no column has such.
    """

    first: int
    second: int
    grids: tuple[Grid, Grid]
    law: Differences
    gain: float
    by_level: LevelDifferences | None = None

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            'first': self.first,
            'second': self.second,
            'grids': [list(grid) for grid in self.grids],
            **self.law.to_state(),
            'gain': self.gain,
            'by_level': None if self.by_level is None else self.by_level.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Gap:
        """What :meth:`to_state` described; former versions knew one law of all rows."""
        (unit, phase), (own_unit, own_phase) = state['grids']
        by_level = state.get('by_level')
        return cls(
            first=state['first'],
            second=state['second'],
            grids=((unit, phase), (own_unit, own_phase)),
            law=Differences.from_state(state),
            gain=state['gain'],
            by_level=None if by_level is None else LevelDifferences.from_state(by_level),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class ValuePlaces:
    """Where numbers lie in their column.

    Attributes:
        marks: ``(T,)`` float64, numbers in order.
        places: ``(T,)`` the shares of the column that are less; linear in between.
        numbers: ``(T - 1,)`` the only number between two marks each; None where there are many.
        atoms: ``(A,)`` the numbers of the first codes, which are no bins.
        echo: The position of another such column, and what its number is multiplied by, and what
            is added, where the code is the column's echo; None if there is none.
    """

    marks: npt.NDArray[np.float64]
    places: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.float64] | None
    atoms: npt.NDArray[np.float64]
    echo: tuple[int, float, float] | None = None
