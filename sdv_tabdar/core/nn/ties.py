"""What visible cells say of numbers that are tied to them: by a distance, or by ranks.

A context is followed by six numbers. Where a number is known that the cell is never far from,
three are that number, as the sum of two in float32, and which law says the rest, from 1
(:mod:`sdv_tabdar.core.gaps`), and three are the same of a known number on the other side, or 0.
A cell whose level says how far two known numbers are from each other has one of these, the pair
that they are, from 1, and the other one. Else the six are the mean and the standard deviation of
the normal score of the cell, given the visible ones, by the Gaussian copula of the table
(:mod:`sdv_tabdar.core.copula`), (0, 1) for a cell that is not tied to any, and 0. The heads measure
their answers by these laws.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import nn

from sdv_tabdar.core.codecs.copulas import CodePlaces
from sdv_tabdar.core.codecs.gap_laws import GapLaws, Numbers, Read
from sdv_tabdar.core.copula import conditional
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula

_FEW_SETS = 0.125  # distinct sets of visible columns, by the number of rows


class Ties(nn.Module):
    """All that ties numbers of a table of C columns to each other.

    Args:
        schema: The columns; some are tied.
    """

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        self._num_columns = len(schema.columns)
        self.by_ranks = None if schema.copula is None else CopulaTies(schema, schema.copula)
        self.by_distance = GapTies(schema) if schema.gaps else None

    def of_cells(self, table: EncodedTable) -> torch.Tensor:
        """What is known ``(B, C, 6)`` of cells, given the observed ones of their rows."""
        found = self._untied(*table.codes.shape)
        if self.by_ranks is not None:
            found[..., :2] = self.by_ranks.of_cells(table)
        if self.by_distance is not None:
            self.by_distance.tell(found, table.codes, table.residuals, table.observed)
        return found

    def of_pairs(
        self, codes: torch.Tensor, residuals: torch.Tensor, observed_by_first: torch.Tensor
    ) -> torch.Tensor:
        """That ``(C, P, 6)`` of the cells that pairs ask for, see ``pair_contexts``."""
        found = self._untied(*codes.shape)
        if self.by_ranks is not None:
            found[..., :2] = self.by_ranks.of_pairs(codes, residuals, observed_by_first)
        if self.by_distance is not None:
            first = observed_by_first
            self.by_distance.tell(found, codes, residuals, first, of_others=True)
        return found.transpose(0, 1)

    def beside(self, table: EncodedTable, position: int) -> torch.Tensor:
        """That ``(B, 6)`` of the cells of one column, given the observed ones of the others."""
        found = self._untied(len(table), 1).squeeze(1)
        if self.by_ranks is not None:
            found[:, :2] = self.by_ranks.beside(table, position)
        if self.by_distance is not None:
            self.by_distance.tell_of(position, found, table)
        return found

    def _untied(self, rows: int, columns: int) -> torch.Tensor:
        module = self.by_ranks or self.by_distance
        assert module is not None, 'some columns are tied'
        found = torch.zeros(rows, columns, 6, device=module.device)
        found[..., 1] = 1
        return found


class GapTies(nn.Module):
    """Numbers that are never far from others, and levels that say how far.

    Args:
        schema: All columns; some have gaps.
    """

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        self.laws = laws = GapLaws(schema)
        self.numbers = Numbers(schema, laws.columns)
        self._sides: dict[int, tuple[list[_Pair], list[_Pair]]] = {}
        self._pairs: dict[int, list[_Pair]] = {}
        places = {at: place for place, at in enumerate(laws.columns)}
        found = [
            _Pair(number, places[source], places[target], laws.levels.get(number))
            for number, (source, target) in enumerate(zip(laws.sources, laws.targets, strict=True))
        ]
        for pair, target, from_below in zip(found, laws.targets, laws.from_below, strict=True):
            self._sides.setdefault(target, ([], []))[not from_below].append(pair)
        for position, numbers in laws.told_levels.items():
            self._pairs[position] = [found[number] for number in numbers]

    @property
    def device(self) -> torch.device:
        """Where its buffers are."""
        return self.numbers.device

    def tell(
        self,
        found: torch.Tensor,
        codes: torch.Tensor,
        residuals: torch.Tensor,
        observed: torch.Tensor,
        *,
        of_others: bool = False,
    ) -> None:
        """Write into ``found`` ``(B, C, 6)`` what is known of cells, given the observed ones.

        Args:
            found: What is known of them else.
            codes: ``(B, C)``.
            residuals: ``(B, numerical columns)``.
            observed: ``(B, C)`` bool.
            of_others: Whether cells that are observed are told what the cells are that are not.
        """
        read = self.numbers(codes, residuals)
        known = read.told(observed[:, self.numbers.columns])
        hidden = read.told(~observed[:, self.numbers.columns]) if of_others else known
        for position in (*self._sides, *self._pairs):
            seen, told = observed, known
            if of_others:
                is_observed = observed[:, position, None]
                seen, told = observed ^ is_observed, torch.where(is_observed, hidden, known)
            rows = _Rows(read, told, codes, seen)
            found[:, position] = self._told(position, found[:, position], rows)

    def tell_of(self, position: int, found: torch.Tensor, table: EncodedTable) -> None:
        """As :meth:`tell`, of the cells ``(B, 6)`` of one column."""
        if position in self._sides or position in self._pairs:
            read = self.numbers(table.codes, table.residuals)
            known = read.told(table.observed[:, self.numbers.columns])
            rows = _Rows(read, known, table.codes, table.observed)
            found[:] = self._told(position, found, rows)

    def _told(self, position: int, before: torch.Tensor, rows: _Rows) -> torch.Tensor:
        """What is known ``(B, 6)`` of the cells of a column; what was before where it is nothing.

        That of a number is the first law on either side.
        """
        if position in self._pairs:
            found = self._of_level(self._pairs[position], rows)
            return torch.where(found[:, 2:3] > 0, found, before)
        below, above = (self._nearest(pairs, rows) for pairs in self._sides[position])
        first = torch.where(below[:, 2:] > 0, below, above)
        second = torch.where(below[:, 2:] > 0, above, 0.0)
        return torch.where(first[:, 2:] > 0, torch.cat([first, second], dim=1), before)

    def _nearest(self, pairs: list[_Pair], rows: _Rows) -> torch.Tensor:
        """The number and the law ``(B, 3)`` that say most, of those that are known; 0 without any.

        The law is that of a known level.
        """
        found = torch.zeros(len(rows.codes), 3, device=rows.codes.device)
        for pair in reversed(pairs):
            law = torch.full_like(found[:, 0], pair.number)
            if pair.level is not None:
                own = self.laws.by_level(pair.number, rows.codes[:, pair.level])
                law = torch.where(rows.seen[:, pair.level], own.to(law), law)
            told = torch.stack([*_parts(rows.read.numbers[:, pair.source]), law + 1], dim=1)
            found = torch.where(rows.known[:, pair.source, None], told, found)
        return found

    @staticmethod
    def _of_level(pairs: list[_Pair], rows: _Rows) -> torch.Tensor:
        """The two numbers and the pair ``(B, 6)`` that say most of a level; 0 without any."""
        found = torch.zeros(len(rows.codes), 6, device=rows.codes.device)
        own = rows.known & rows.read.placed  # an echo of the other is not said by a distance
        for pair in reversed(pairs):
            first, second = (rows.read.numbers[:, at] for at in (pair.source, pair.target))
            number = torch.full_like(found[:, 0], pair.number + 1)
            both = [*_parts(first), number, *_parts(second), torch.zeros_like(number)]
            is_told = own[:, pair.source] & own[:, pair.target]
            found = torch.where(is_told[:, None], torch.stack(both, dim=1), found)
        return found


@dataclasses.dataclass(frozen=True)
class _Pair:
    """A number of a row that another is near to.

    Attributes:
        number: The place of the pair among all, which is that of its law.
        source: The place of the one, which is known, among the columns that have gaps.
        target: That of the other.
        level: The position of the column whose levels have laws of their own, if there is one.
    """

    number: int
    source: int
    target: int
    level: int | None


@dataclasses.dataclass(frozen=True)
class _Rows:
    """What is seen of B rows.

    Attributes:
        read: The numbers of the P columns that have gaps.
        known: ``(B, P)`` bool, which of them are told.
        codes: ``(B, C)``.
        seen: ``(B, C)`` bool, the cells that are visible.
    """

    read: Read
    known: torch.Tensor
    codes: torch.Tensor
    seen: torch.Tensor


def _parts(number: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two numbers in float32 whose sum is ``number``, in float64."""
    high = number.float()
    return high, (number - high.double()).float()


class CopulaTies(nn.Module):
    """The copula of the P tied ones of a table's C columns."""

    correlations: torch.Tensor
    scales: torch.Tensor

    def __init__(self, schema: TableSchema, copula: Copula) -> None:
        super().__init__()
        self.positions, self._num_columns = copula.positions, len(schema.columns)
        self._reach = copula.reach
        self.places = CodePlaces(schema, copula.positions)
        for name, values in (('correlations', copula.correlations), ('scales', copula.scales)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.float64))

    @property
    def device(self) -> torch.device:
        """Where its buffers are."""
        return self.scales.device

    def of_cells(self, table: EncodedTable) -> torch.Tensor:
        """Means and deviations ``(B, C, 2)`` of cells, given the observed ones of their rows."""
        scores, placed = self.places.scores(table.codes, table.residuals)
        visible = placed & table.observed[:, self.places.positions]
        return self._laid_out(*conditional(self.correlations, scores, visible))

    def of_pairs(
        self, codes: torch.Tensor, residuals: torch.Tensor, observed_by_first: torch.Tensor
    ) -> torch.Tensor:
        """Those ``(P, C, 2)`` of the cells that pairs ask for, see ``pair_contexts``."""
        scores, placed = self.places.scores(codes, residuals)
        of_first = observed_by_first[:, self.places.positions]
        visible = torch.cat([placed & of_first, placed & ~of_first])
        both = self._laid_out(*conditional(self.correlations, scores.repeat(2, 1), visible))
        by_first, by_second = both.split(len(codes))
        return torch.where(observed_by_first.unsqueeze(-1), by_second, by_first)

    def beside(self, table: EncodedTable, position: int) -> torch.Tensor:
        """Those ``(B, 2)`` of the cells of one column, given the observed ones of the others.

        Rows that know the same columns are asked together.
        """
        if position not in self.positions:
            return self._untied(len(table))
        place = self.positions.index(position)
        scores, placed = self.places.scores(table.codes, table.residuals)
        visible = placed & table.observed[:, self.places.positions]
        visible[:, place] = False
        sets, of_row = visible.unique(dim=0, return_inverse=True)
        if len(sets) > max(_FEW_SETS * len(visible), 1):
            mean, deviation = conditional(self.correlations, scores, visible)
            return self._tied(mean[:, place], deviation[:, place], self.scales[place])
        found = self._untied(len(table))
        for number, seen in enumerate(sets):
            if seen.any():
                rows = (of_row == number).nonzero().squeeze(1)
                own = scores[rows][:, seen]
                found[rows] = self._by_same(own, seen, place)
        return found

    def _by_same(self, scores: torch.Tensor, seen: torch.Tensor, place: int) -> torch.Tensor:
        """Mean and deviation ``(N, 2)`` of a column by scores ``(N, V)`` of the same others."""
        among, own = self.correlations[seen][:, seen], self.correlations[seen, place]
        share = torch.linalg.solve(among, own)
        deviation = (1 - share @ own).clamp(1e-6, 1.0).sqrt()
        return self._tied(scores @ share, deviation.expand(len(scores)), self.scales[place])

    def _laid_out(self, mean: torch.Tensor, deviation: torch.Tensor) -> torch.Tensor:
        """``(B, C, 2)`` of what is known of the tied columns ``(B, P)``."""
        found = self._untied(len(mean)).unsqueeze(1).repeat(1, self._num_columns, 1)
        found[:, self.places.positions] = self._tied(mean, deviation, self.scales)
        return found

    def _untied(self, number: int) -> torch.Tensor:
        found = torch.zeros(number, 2, device=self.scales.device)
        found[:, 1] = 1
        return found

    def _tied(
        self, mean: torch.Tensor, deviation: torch.Tensor, scales: torch.Tensor
    ) -> torch.Tensor:
        """Means and deviations, ``(..., 2)``, in float32; (0, 1) where these are large."""
        deviation = deviation * scales
        is_tied = deviation < self._reach
        found = torch.where(is_tied, mean, 0.0), torch.where(is_tied, deviation, 1.0)
        return torch.stack(found, dim=-1).float()
