"""Which columns a network should also see together: crosses, found before training.

Some columns explain others only jointly: year, month and day; longitude and latitude. Attention
adds up what it sees of each, and leaves their combination to the layers after it. A set of columns
is scored on validation rows: by the share of the variance of all other columns that the
means of its levels explain beyond the main effects of its columns. A set with about one row a
level, which could only be memorised, therefore scores low.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import torch

from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Column, Cross, TableSchema
from sdv_tabdar.core.table import EncodedTable

_MIN_ROWS = 1_000  # of a table: the choice would be noise below
_ROWS = 12_000  # that the search looks at
_FITTED = 2 / 3  # share of these that means are fitted to; the others validate
_MOST_GROUPS = 32  # of the codes of a numerical column, and fewer where ...
_PAIR_ROWS = 12  # ... a pair of numbers would have fewer rows than this for each level
_INDICATORS = 3  # levels of a category that are targets, the most frequent ones
_MAX_MEMBERS = 4
_CANDIDATES = 20  # columns that may be members: those that explain most of the others
_BEST = 4  # sets that are tried with one more column
_MIN_LEVEL_ROWS = 6  # rows of a level, on average
_MIN_GAIN = 0.25  # share of a column's variance, summed over the other columns
_GROWTH = 1.15  # how much more a set must explain with one more column
_PRIOR_ROWS = 5.0  # rows of mean 0 that a level's mean is shrunk by
_TOGETHER = 1 << 20  # rows whose levels are listed at a time
_SEED = 0  # of the choice of these rows, which does not depend on the model's seed


def find_crosses(table: EncodedTable, schema: TableSchema, most: int) -> tuple[Cross, ...]:
    """The sets of columns that explain most of the others only together.

    Args:
        table: The encoded training table.
        schema: Its columns.
        most: How many to find at most.

    Returns:
        The best first; no two share more than one column.
    """
    if not most or len(table) < _MIN_ROWS or len(schema.columns) < 3:
        return ()
    generator = torch.Generator().manual_seed(_SEED)
    rows = some_rows(len(table), _ROWS, generator)
    groups = _all_groups(schema, len(rows))
    search = _Search(table.codes[rows].cpu().long(), schema, groups)
    kept: list[tuple[int, ...]] = []
    for members in search.ranked():
        if len(kept) < most and all(len({*members} & {*other}) < 2 for other in kept):
            kept.append(members)
    return crosses_of(kept, table, schema)


def crosses_of(
    sets: Iterable[tuple[int, ...]], table: EncodedTable, schema: TableSchema
) -> tuple[Cross, ...]:
    """The crosses of these sets of columns, with the levels that a table contains."""
    groups = _all_groups(schema, min(len(table), _ROWS))
    return tuple(_cross(members, table.codes, groups) for members in sets)


class _Search:
    """Some rows of a table, split into those that means are fitted to and those that validate."""

    def __init__(
        self, codes: torch.Tensor, schema: TableSchema, groups: Sequence[torch.Tensor]
    ) -> None:
        self.sizes = [int(group.max()) + 1 for group in groups]
        self.levels = [group[codes[:, place]] for place, group in enumerate(groups)]
        self.targets, self.owner = _targets(codes, schema)
        self.fitted = int(len(codes) * _FITTED)

    def ranked(self) -> list[tuple[int, ...]]:
        """Sets of columns that explain enough, the best first."""
        candidates = self._candidates()
        gains = self._gains(itertools.combinations(candidates, 2))
        longest = dict(gains)
        for _ in range(_MAX_MEMBERS - 2):
            best = sorted(longest, key=longest.__getitem__, reverse=True)[:_BEST]
            longer = {
                tuple(sorted({*members, column})): longest[members]
                for members in best
                for column in candidates
                if column not in members
            }
            found = self._gains(longer)
            longest = {
                members: gain for members, gain in found.items() if gain > _GROWTH * longer[members]
            }
            gains.update(longest)
        enough = [members for members, gain in gains.items() if gain >= _MIN_GAIN]
        return sorted(enough, key=gains.__getitem__, reverse=True)

    def _candidates(self) -> list[int]:
        """The columns that explain most of the others, each by itself."""
        columns = range(len(self.levels))
        if len(columns) <= _CANDIDATES:
            return list(columns)
        explained = [self._explained((column,), self._cells((column,))) for column in columns]
        order = sorted(columns, key=explained.__getitem__, reverse=True)
        return sorted(order[:_CANDIDATES])

    def _gains(self, sets: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], float]:
        """What each set with enough rows a level explains beyond its columns' own effects."""
        gains = {}
        for members in sets:
            cells = self._cells(members)
            if len(self.targets) >= _MIN_LEVEL_ROWS * len(cells.levels):
                gains[members] = self._explained(members, cells, cells.own_effects())
        return gains

    def _cells(self, members: tuple[int, ...]) -> _Cells:
        """The rows by what levels of some columns they have together."""
        together = torch.zeros_like(self.levels[0])
        for member in members:
            together = together * self.sizes[member] + self.levels[member]
        distinct, cell = together.unique(return_inverse=True)
        levels = []
        for member in reversed(members):
            levels.append(distinct % self.sizes[member])
            distinct = distinct // self.sizes[member]
        sizes = [self.sizes[member] for member in members]
        return _Cells(torch.stack(levels[::-1], dim=1), sizes, cell, self.targets, self.fitted)

    def _explained(
        self, members: tuple[int, ...], cells: _Cells, effects: torch.Tensor | float = 0.0
    ) -> float:
        """Share of variance that cells explain in validation rows beyond effects ``(U, targets)``.

        Summed over columns but ``members``.
        """
        counts, sums = cells.validating
        means = (cells.sums - cells.counts * effects) / (cells.counts + _PRIOR_ROWS)
        # Of a row's rest r and its mean m, r^2 - (r - m)^2.
        gain = (means * (2 * (sums - counts * effects) - counts * means)).sum(dim=0) / counts.sum()
        by_column = gain.new_zeros(len(self.levels)).index_add_(0, self.owner, gain)
        by_column[list(members)] = 0
        return float(by_column.clamp_min(0).sum())


class _Cells:
    """Rows that have the same levels of some columns, together.

    Args:
        levels: ``(U, members)`` of each of U cells.
        sizes: How many levels each member has.
        cell: ``(B,)``, of each row.
        targets: ``(B, targets)``.
        fitted: Of how many rows, the first ones, means are taken; the others validate.

    Attributes:
        levels: As given.
        counts: ``(U, 1)`` fitted rows of each cell.
        sums: ``(U, targets)`` of their targets.
        validating: Both of the other rows.
    """

    def __init__(
        self,
        levels: torch.Tensor,
        sizes: Sequence[int],
        cell: torch.Tensor,
        targets: torch.Tensor,
        fitted: int,
    ) -> None:
        self.levels, self._sizes = levels, sizes
        self.counts, self.sums = _summed(len(levels), cell[:fitted], targets[:fitted])
        self.validating = _summed(len(levels), cell[fitted:], targets[fitted:])

    def own_effects(self) -> torch.Tensor:
        """What single members say of each cell ``(U, targets)``: fitted in turn, twice."""
        effects = [torch.zeros_like(self.sums) for _ in self._sizes]
        rest = self.sums
        for _ in range(2):
            for place, number in enumerate(self._sizes):
                rest = rest + self.counts * effects[place]
                effects[place] = self._means(self.levels[:, place], number, rest)
                rest = rest - self.counts * effects[place]
        return torch.stack(effects).sum(dim=0)

    def _means(self, level: torch.Tensor, number: int, sums: torch.Tensor) -> torch.Tensor:
        """For each cell the shrunk mean ``(U, targets)`` of the cells of its level of a member."""
        counts, of_level = (
            own.new_zeros(number, own.shape[1]).index_add_(0, level, own)
            for own in (self.counts, sums)
        )
        return (of_level / (counts + _PRIOR_ROWS))[level]


def _summed(
    number: int, cell: torch.Tensor, targets: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """How many rows each of some cells has ``(U, 1)``, and the sums of their targets."""
    sums = targets.new_zeros(number, targets.shape[1]).index_add_(0, cell, targets)
    return torch.bincount(cell, minlength=number).to(targets)[:, None], sums


def _all_groups(schema: TableSchema, num_rows: int) -> list[torch.Tensor]:
    """The groups of the codes of each column, for a search in so many rows."""
    most = min(int((num_rows / _PAIR_ROWS) ** 0.5), _MOST_GROUPS)
    return [_groups(column, most) for column in schema.columns]


def _groups(column: Column, most: int) -> torch.Tensor:
    """The group of each code ``(K,)``: numbers of similar rank are one, a category is its own."""
    if not column.uniform or column.num_codes <= most:
        return torch.arange(column.num_codes)
    middle = torch.tensor(column.uniform).mean(dim=1)
    groups = (middle * most).long().clamp_max(most - 1)
    if column.missing is not None:
        groups[column.missing] = most
    if column.echo is not None:
        groups[column.echo] = most + 1
    return groups


def _targets(codes: torch.Tensor, schema: TableSchema) -> tuple[torch.Tensor, torch.Tensor]:
    """What is to be explained ``(B, targets)``, and the column that each target belongs to.

    Normal scores of numbers and indicators of levels, with mean 0; the variances of a column's
    targets add up to 1.
    """
    parts, owner = [], []
    for place, column in enumerate(schema.columns):
        if column.uniform:
            middle = torch.tensor(column.uniform).mean(dim=1).clamp(1e-4, 1 - 1e-4)
            part = torch.special.ndtri(middle)[codes[:, place], None]
        else:
            frequent = torch.tensor(column.counts).argsort(descending=True, stable=True)
            part = (codes[:, place, None] == frequent[:_INDICATORS]).float()
        part = part - part.mean(dim=0)
        scale = part.square().mean(dim=0).sum().sqrt()
        if scale > 1e-6:
            parts.append(part / scale)
            owner += [place] * part.shape[1]
    if not parts:
        return torch.zeros(len(codes), 0), torch.zeros(0, dtype=torch.long)
    return torch.cat(parts, dim=1), torch.tensor(owner)


def _cross(members: tuple[int, ...], codes: torch.Tensor, groups: Sequence[torch.Tensor]) -> Cross:
    """The cross of some columns, with the levels that a table contains."""
    found = []
    for part in codes.split(_TOGETHER):
        level = torch.zeros(len(part), dtype=torch.long)
        for member in members:
            level = level * (int(groups[member].max()) + 1)
            level += groups[member][part[:, member].cpu().long()]
        found.append(level.unique())
    return Cross(
        members,
        tuple(tuple(groups[member].tolist()) for member in members),
        tuple(torch.cat(found).unique().tolist()),
    )
