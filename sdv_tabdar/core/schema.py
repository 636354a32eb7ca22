"""What the model knows of a table's columns: kinds, codes, and which codes carry a residual.

Every cell is written as a *code*, a whole number, and a *residual*, a real one. A categorical
level is a code. A number is a code as well: one of its column's *atoms* (values that occur often
and come back exactly) or a *bin* of the remaining values, and then the residual says where in the
bin it lies. A missing value has a code of its own, so missingness is modelled jointly with
everything else. What codes stand for, only the codecs know (:mod:`sdv_tabdar.core.codecs`).
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt


class ColumnKind(enum.Enum):
    """How a column's values are to be read, in SDV's words."""

    NUMERICAL = 'numerical'
    CATEGORICAL = 'categorical'


NO_PLACE = (0.0, 1.0)
"""The interval of a level that has none in the order of the others."""


@dataclasses.dataclass(frozen=True)
class Column:
    """The codes of one column.

    Attributes:
        name: Name in the data frame.
        kind: Numerical or categorical.
        counts: How often each code occurs in the training table; its length is ``K``.
        bins: The codes that carry a residual, a contiguous range (empty for a categorical).
        uniform: For each code the interval ``(low, high)`` of the column's empirical
            distribution function that it covers. Of a categorical those of levels in an order, with
            :data:`NO_PLACE` for the others; empty without an order.
        missing: The code of a missing value, or None if training had none.
        echo: The code, the last one, that stands for the number of another column of the row; None
            if there is none.
    """

    name: str
    kind: ColumnKind
    counts: tuple[int, ...]
    bins: range = range(0)
    uniform: tuple[tuple[float, float], ...] = ()
    missing: int | None = None
    echo: int | None = None

    @property
    def num_codes(self) -> int:
        """Number of codes, K."""
        return len(self.counts)

    @property
    def has_place(self) -> tuple[bool, ...]:
        """For each code of a number whether it has a place among the others, and rows there."""
        beside = (self.missing, self.echo)
        ends = enumerate(self.uniform)
        return tuple(code not in beside and high > low for code, (low, high) in ends)

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values; a column with an echo is not saved as such."""
        return {
            'name': self.name,
            'kind': self.kind.value,
            'counts': list(self.counts),
            'bins': [self.bins.start, self.bins.stop],
            'uniform': [list(interval) for interval in self.uniform],
            'missing': self.missing,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Column:
        """The column that :meth:`to_state` described."""
        return cls(
            name=state['name'],
            kind=ColumnKind(state['kind']),
            counts=tuple(state['counts']),
            bins=range(*state['bins']),
            uniform=tuple((low, high) for low, high in state['uniform']),
            missing=state['missing'],
        )


@dataclasses.dataclass(frozen=True)
class Cross:
    """Columns whose joint level is one more token that the model sees of a row.

    The codes of each member fall into groups; a level of the cross is a combination of groups,
    numbered with the first member as the most significant digit.

    Attributes:
        members: Positions of the columns, at least two.
        groups: For each member the group of each of its codes.
        levels: The combinations that training contains, sorted.
    """

    members: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    levels: tuple[int, ...]

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            'members': list(self.members),
            'groups': [list(groups) for groups in self.groups],
            'levels': list(self.levels),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Cross:
        """The cross that :meth:`to_state` described."""
        groups = tuple(tuple(groups) for groups in state['groups'])
        return cls(tuple(state['members']), groups, tuple(state['levels']))


@dataclasses.dataclass(frozen=True)
class Zeros:
    """Codes of two columns that never meet: structural zeros.

    Attributes:
        determinant: The position of a column.
        dependent: That of the other one.
        allowed: Sets of codes of the dependent, each sorted.
        says: For each code of the determinant the number of the set that it allows; -1 for all.
    """

    determinant: int
    dependent: int
    allowed: tuple[tuple[int, ...], ...]
    says: tuple[int, ...]

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        allowed = [list(codes) for codes in self.allowed]
        return {**dataclasses.asdict(self), 'allowed': allowed, 'says': list(self.says)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Zeros:
        """The structural zeros that :meth:`to_state` described."""
        allowed = tuple(tuple(codes) for codes in state['allowed'])
        return cls(state['determinant'], state['dependent'], allowed, tuple(state['says']))


@dataclasses.dataclass(frozen=True)
class Dependency:
    """A column that follows from another.

    Attributes:
        determinant: The position of the other.
        dependent: That of the column.
        codes: For each code of the determinant that of the dependent; -1 where nothing is said.
    """

    determinant: int
    dependent: int
    codes: tuple[int, ...]

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {**dataclasses.asdict(self), 'codes': list(self.codes)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Dependency:
        """The dependency that :meth:`to_state` described."""
        return cls(state['determinant'], state['dependent'], tuple(state['codes']))


@dataclasses.dataclass(frozen=True)
class Joint:
    """A column that follows from two others together.

    Attributes:
        first: The position of one of the others.
        second: That of the other one, behind it.
        dependent: That of the column.
        num_second: How many codes the second has.
        codes: The code of the dependent for each pair of codes, those of the second next to each
            other; -1 where nothing is said.
    """

    first: int
    second: int
    dependent: int
    num_second: int
    codes: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, int, int]:
        """The positions of the three."""
        return self.first, self.second, self.dependent

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {**dataclasses.asdict(self), 'codes': list(self.codes)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Joint:
        """What :meth:`to_state` described."""
        return cls(**{**state, 'codes': tuple(state['codes'])})


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


@dataclasses.dataclass(frozen=True)
class TableSchema:
    """The columns of a table in their order.

    Attributes:
        columns: One entry a column; names are unique.
        crosses: Columns that are also seen together, those that explain most first.
        zeros: Codes of two columns that never meet.
        dependencies: Columns that follow from others.
        joints: Columns that follow from two others together.
        copula: What ties numbers to each other; None where there are no such.
        gaps: Pairs of columns whose difference ties them.
        value_places: Of the columns of these pairs, by their positions.
    """

    columns: tuple[Column, ...]
    crosses: tuple[Cross, ...] = ()
    zeros: tuple[Zeros, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    joints: tuple[Joint, ...] = ()
    copula: Copula | None = None
    gaps: tuple[Gap, ...] = ()
    value_places: Mapping[int, ValuePlaces] = dataclasses.field(default_factory=dict)

    @property
    def has_ties(self) -> bool:
        """Whether some numbers nearly follow from others."""
        return self.copula is not None or bool(self.gaps)

    @property
    def leading(self) -> tuple[int, ...]:
        """Positions of the columns that are drawn first: the members of the first cross."""
        return self.crosses[0].members if self.crosses else ()

    @property
    def ordered(self) -> tuple[int, ...]:
        """Positions of the categorical columns whose levels are in an order."""
        return tuple(
            position
            for position, column in enumerate(self.columns)
            if column.kind is ColumnKind.CATEGORICAL and column.uniform
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def numerical(self) -> tuple[int, ...]:
        """Positions of the numerical columns."""
        return tuple(
            position
            for position, column in enumerate(self.columns)
            if column.kind is ColumnKind.NUMERICAL
        )

    def position(self, name: str) -> int:
        """Position of the column called ``name``.

        Raises:
            ValueError: If no column has that name.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise ValueError(
                f"There is no column '{name}' in the fitted table. Its columns are "
                f'{list(self.names)}.'
            ) from None
