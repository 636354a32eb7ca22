"""What visible cells say of numbers that are tied to them, by the Gaussian copula of a table.

A context is followed by two numbers, the mean and the standard deviation of the normal score of its
cell, given the visible ones; (0, 1) for a cell that is not tied to any. The heads measure their
answers by the law that these say (:mod:`sdv_tabdar.core.copula`).
"""

from __future__ import annotations

import torch
from torch import nn

from sdv_tabdar.core.codecs.copulas import CodePlaces
from sdv_tabdar.core.copula import conditional
from sdv_tabdar.core.schema import Copula, TableSchema
from sdv_tabdar.core.table import EncodedTable

_FEW_SETS = 0.125  # distinct sets of visible columns, by the number of rows


class Ties(nn.Module):
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

    def of_cells(self, table: EncodedTable) -> torch.Tensor:
        """Means and deviations ``(B, C, 2)`` of cells, given the observed ones of their rows."""
        scores, placed = self.places.scores(table.codes, table.residuals)
        visible = placed & table.observed[:, self.places.positions]
        return self._laid_out(*conditional(self.correlations, scores, visible))

    def of_pairs(
        self, codes: torch.Tensor, residuals: torch.Tensor, observed_by_first: torch.Tensor
    ) -> torch.Tensor:
        """Those ``(C, P, 2)`` of the cells that pairs ask for, see ``pair_contexts``."""
        scores, placed = self.places.scores(codes, residuals)
        of_first = observed_by_first[:, self.places.positions]
        visible = torch.cat([placed & of_first, placed & ~of_first])
        both = self._laid_out(*conditional(self.correlations, scores.repeat(2, 1), visible))
        by_first, by_second = both.split(len(codes))
        return torch.where(observed_by_first.unsqueeze(-1), by_second, by_first).transpose(0, 1)

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
