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
from typing import Any

from sdv_tabdar.core.tied_columns import Copula, Gap, ValuePlaces


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
