"""What heads measure their answers by where a number is tied to visible ones: a base measure.

The probabilities of codes are multiplied by how much of the tied law lies in them, beside what lies
there in the column by itself, and the place in a bin is that of its distribution function. A head
learns what is left. See :mod:`sdv_tabdar.core.copula`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from sdv_tabdar.core.copula import TiedBins, TiedLaw, scores_of
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.runtime.device import shapes_are_fixed
from sdv_tabdar.core.schema import Copula, TableSchema

_INNER = 1e-9  # of levels in (0, 1), whose normal scores are finite


def with_ties(context: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
    """Contexts ``(..., D)`` of all members of a committee, followed by what is known of ties."""
    return torch.cat([context, ties], dim=-1)


def parted(context: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Contexts, and the mean and the deviation ``(..., 2)`` of their cells behind them."""
    return context[..., :-2], context[..., -2:]


def of_members(context: torch.Tensor, number: int, *, has_ties: bool) -> tuple[torch.Tensor, ...]:
    """The contexts of each of so many members, each followed by what is known of ties."""
    if not has_ties:
        return context.chunk(number, dim=-1)
    context, ties = parted(context)
    return tuple(with_ties(part, ties) for part in context.chunk(number, dim=-1))


class TiedCodes(nn.Module):
    """How much likelier the codes of tied columns are by what their cells are tied to.

    Args:
        schema: All columns; some are tied.
        positions: Those G that are meant, among them perhaps tied ones.
        num_codes: K; what a column has not is never likelier.
    """

    rows: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor
    width: torch.Tensor
    placed: torch.Tensor
    weights: torch.Tensor

    def __init__(self, schema: TableSchema, positions: Sequence[int], num_codes: int) -> None:
        super().__init__()
        assert schema.copula is not None, 'some of its columns are tied'
        tied = [position for position in positions if position in schema.copula.positions]
        ends = torch.zeros(2, len(tied), 1, num_codes, dtype=torch.float64)
        placed = torch.zeros(len(tied), 1, num_codes, dtype=torch.bool)
        for place, column in enumerate(schema.columns[position] for position in tied):
            own = torch.tensor(column.uniform, dtype=torch.float64)
            ends[:, place, 0, : len(own)] = own.t()
            placed[place, 0, : len(own)] = torch.tensor(column.has_place)
        low, high = ends
        self.register_buffer('rows', torch.tensor([positions.index(at) for at in tied]).long())
        self.register_buffer('low', scores_of(low).float())
        self.register_buffer('high', scores_of(high).float())
        self.register_buffer('width', (high - low).clamp_min(1e-12).float())
        self.register_buffer('placed', placed)
        self.register_buffer('weights', _weights(schema.copula, tied)[:, None, None])
        self._places = {positions.index(at): place for place, at in enumerate(tied)}

    def forward(self, logits: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
        """Logits ``(G, B, K)`` of all columns, by ties ``(G, B, 2)``."""
        if not len(self.rows):
            return logits
        added = self._added(ties.index_select(0, self.rows), slice(None))
        return logits.index_add(0, self.rows, added)

    def of(self, row: int, logits: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
        """Logits ``(N, K)`` of the column at ``row``, by ties ``(N, 2)``."""
        if row not in self._places:
            return logits
        return logits + self._added(ties, self._places[row])

    def _added(self, ties: torch.Tensor, places: slice | int) -> torch.Tensor:
        """What is added to the logits of some of the tied columns."""
        mean, deviation = (part.unsqueeze(-1) for part in ties.unbind(dim=-1))
        law = TiedLaw(mean, deviation, self.weights[places])
        found = law.mass(self.low[places], self.high[places], self.width[places])
        return torch.where(self.placed[places], found, 1.0).log()


class TiedPlaces(nn.Module):
    """Residuals as they are in bins by themselves, and as the law of their cells has them.

    Args:
        schema: All columns; they are tied.
    """

    low: torch.Tensor
    span: torch.Tensor
    weights: torch.Tensor

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        assert schema.copula is not None, 'its columns are tied'
        bins = [
            (position, *column.uniform[code])
            for position, column in enumerate(schema.columns)
            for code in column.bins
        ]
        ends = torch.tensor([(low, high) for _, low, high in bins], dtype=torch.float64)
        ends = ends.reshape(-1, 2)  # also without any
        self.register_buffer('low', ends[:, 0].clone())
        self.register_buffer('span', ends[:, 1] - ends[:, 0])
        positions = [position for position, *_ in bins]
        self.register_buffer('weights', _weights(schema.copula, positions).double())

    def measured(
        self, ties: torch.Tensor, bins: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Residuals ``(N,)`` as the law has them, and the logs of the derivatives of that.

        Args:
            ties: ``(N, 2)``.
            bins: ``(N,)``, none of them -1.
            residuals: ``(N,)``, as they are in bins by themselves.
        """
        if shapes_are_fixed(ties.device):
            found, slopes = self._measured(ties, bins, residuals)
            is_tied = ties[:, 1] < 1
            return torch.where(is_tied, found, residuals), torch.where(is_tied, slopes, 0.0)
        found, slopes = residuals.clone(), torch.zeros_like(residuals)
        cells = (ties[:, 1] < 1).nonzero().squeeze(1)
        if len(cells):
            found[cells], slopes[cells] = self._measured(ties[cells], bins[cells], residuals[cells])
        return found, slopes

    def _measured(
        self, ties: torch.Tensor, bins: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As :meth:`measured`, of cells that are tied."""
        own, score = self._bins(ties, bins), residuals.double() / SIGMA_DATA
        place = torch.special.ndtr(score)
        found = torch.special.ndtri(own.cdf(place).clamp(_INNER, 1 - _INNER))
        slopes = own.log_density(place) + (found**2 - score**2) / 2
        return (SIGMA_DATA * found).float(), slopes.float()

    def placed(
        self, ties: torch.Tensor, bins: torch.Tensor, measured: torch.Tensor
    ) -> torch.Tensor:
        """The residuals ``(N,)`` that :meth:`measured` makes ``measured`` of."""
        found = measured.clone()
        cells = (ties[:, 1] < 1).nonzero().squeeze(1)
        if len(cells):
            level = torch.special.ndtr(measured[cells].double() / SIGMA_DATA)
            place = self._bins(ties[cells], bins[cells]).quantile(level)
            score = torch.special.ndtri(place.clamp(_INNER, 1 - _INNER))
            found[cells] = (SIGMA_DATA * score).float()
        return found

    def _bins(self, ties: torch.Tensor, bins: torch.Tensor) -> TiedBins:
        mean, deviation = ties.double().unbind(dim=-1)
        law = TiedLaw(mean, deviation, self.weights[bins])
        return TiedBins(law, self.low[bins], self.span[bins])


def _weights(copula: Copula, positions: Sequence[int]) -> torch.Tensor:
    """Weights ``(len(positions), 3)`` of the laws of columns; any for those that are not tied."""
    of_column = dict(zip(copula.positions, copula.weights, strict=True))
    found = [of_column.get(position, (0.0, 0.0, 1.0)) for position in positions]
    return torch.tensor(found).reshape(-1, 3)
