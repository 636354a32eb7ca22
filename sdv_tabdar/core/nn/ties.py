"""What visible cells say of numbers that are tied to them: by a distance, or by ranks.

A context is followed by six numbers. Where a number is known that the cell is never far from,
three are that number, as the sum of two in float32, and which law says the rest, from 1
(:mod:`sdv_tabdar.core.gaps`), and three are the same of a known number on the other side, or 0.
Else they are the mean and the standard deviation of the normal score of the cell, given the visible
ones, by the Gaussian copula of the table (:mod:`sdv_tabdar.core.copula`), (0, 1) for a cell that is
not tied to any, and 0. The heads measure their answers by these laws.
"""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import nn

from sdv_tabdar.core.codecs.copulas import CodePlaces
from sdv_tabdar.core.codecs.gap_laws import GapLaws, Numbers
from sdv_tabdar.core.copula import conditional
from sdv_tabdar.core.schema import Copula, TableSchema
from sdv_tabdar.core.table import EncodedTable

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
    """Numbers that are never far from others.

    Args:
        schema: All columns; some have gaps.
    """

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        laws = GapLaws(schema)
        self.numbers = Numbers(schema, laws.columns)
        self._laws: dict[int, tuple[_Side, _Side]] = {target: ([], []) for target in laws.targets}
        pairs = zip(laws.sources, laws.targets, laws.from_below, strict=True)
        for law, (source, target, from_below) in enumerate(pairs):
            self._laws[target][not from_below].append((law, laws.columns.index(source)))

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
        seen = observed[:, self.numbers.columns]
        known = read.told(seen)
        hidden = read.told(~seen) if of_others else known
        for position, laws in self._laws.items():
            own = torch.where(observed[:, position, None], hidden, known)
            found[:, position] = _told(found[:, position], read.numbers, own, laws)

    def tell_of(self, position: int, found: torch.Tensor, table: EncodedTable) -> None:
        """As :meth:`tell`, of the cells ``(B, 6)`` of one column."""
        laws = self._laws.get(position)
        if laws is not None:
            read = self.numbers(table.codes, table.residuals)
            known = read.told(table.observed[:, self.numbers.columns])
            found[:] = _told(found, read.numbers, known, laws)


_Side: TypeAlias = list[tuple[int, int]]
"""Laws of a column by lesser numbers, or by greater ones: the places of law and number."""


def _told(
    before: torch.Tensor, numbers: torch.Tensor, known: torch.Tensor, sides: tuple[_Side, _Side]
) -> torch.Tensor:
    """What is known ``(B, 6)`` of the cells of a column, by the first law on either side."""
    below, above = (_nearest(numbers, known, laws) for laws in sides)
    first = torch.where(below[:, 2:] > 0, below, above)
    second = torch.where(below[:, 2:] > 0, above, 0.0)
    return torch.where(first[:, 2:] > 0, torch.cat([first, second], dim=1), before)


def _nearest(numbers: torch.Tensor, known: torch.Tensor, laws: _Side) -> torch.Tensor:
    """The number and the law ``(B, 3)`` that say most, of those that are known; 0 without any."""
    found = torch.zeros(len(numbers), 3, device=numbers.device)
    for law, place in reversed(laws):
        number = numbers[:, place]
        high = number.float()
        low = (number - high.double()).float()
        told = torch.stack([high, low, torch.full_like(high, law + 1)], dim=1)
        found = torch.where(known[:, place, None], told, found)
    return found


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
