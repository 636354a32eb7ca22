"""What heads measure their answers by where a number is tied to visible ones: a base measure.

The probabilities of codes are multiplied by how much of the tied law lies in them, beside what lies
there in the column by itself, and the place in a bin is that of its distribution function. A head
learns what is left. The laws are those of :mod:`sdv_tabdar.core.copula` and
:mod:`sdv_tabdar.core.gaps`.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import nn

from sdv_tabdar.core.codecs.gap_laws import GapLaws
from sdv_tabdar.core.copula import TiedLaw, scores_of
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.gaps import GapLaw
from sdv_tabdar.core.runtime.device import shapes_are_fixed
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.tied_bins import Law, TiedBins
from sdv_tabdar.core.tied_columns import Copula

_INNER = 1e-9  # of levels in (0, 1), whose normal scores are finite
_NUMBERS = 6  # behind a context, see sdv_tabdar.core.nn.ties


def with_ties(context: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
    """Contexts ``(..., D)`` of all members of a committee, followed by what is known of ties."""
    return torch.cat([context, ties], dim=-1)


def parted(context: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Contexts, and what is known ``(..., 6)`` of their cells behind them."""
    return context[..., :-_NUMBERS], context[..., -_NUMBERS:]


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

    def __init__(self, schema: TableSchema, positions: Sequence[int], num_codes: int) -> None:
        super().__init__()
        by_level = any(gap.by_level is not None for gap in schema.gaps)
        kinds = (
            (CodesByRanks, schema.copula is not None),
            (CodesByDistance, bool(schema.gaps)),
            (LevelsByDistance, by_level),
        )
        self.kinds = nn.ModuleList(
            kind(schema, positions, num_codes) for kind, is_there in kinds if is_there
        )

    def forward(self, logits: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
        """Logits ``(G, B, K)`` of all columns, by ties ``(G, B, 6)``."""
        for kind in self._kinds():
            if len(kind.rows):
                added = kind.added(ties.index_select(0, kind.rows), slice(None))
                logits = logits.index_add(0, kind.rows, added)
        return logits

    def of(self, row: int, logits: torch.Tensor, ties: torch.Tensor) -> torch.Tensor:
        """Logits ``(N, K)`` of the column at ``row``, by ties ``(N, 6)``."""
        for kind in self._kinds():
            if row in kind.places:
                logits = logits + kind.added(ties, kind.places[row])
        return logits

    def _kinds(self) -> Iterator[_Codes]:
        for kind in self.kinds:
            assert isinstance(kind, _Codes)
            yield kind


class _Codes(nn.Module, abc.ABC):
    """The codes of T columns of which ties say something.

    Args:
        positions: G of them, see :class:`TiedCodes`.
        tied: The T of these that are meant.
    """

    rows: torch.Tensor

    def __init__(self, positions: Sequence[int], tied: Sequence[int]) -> None:
        super().__init__()
        rows = torch.tensor([positions.index(at) for at in tied]).long()
        self.register_buffer('rows', rows)
        self.places = {positions.index(at): place for place, at in enumerate(tied)}

    @abc.abstractmethod
    def added(self, ties: torch.Tensor, places: slice | int) -> torch.Tensor:
        """What is added to the logits ``(..., N, K)`` of these columns, by ties ``(..., N, 6)``."""


class _PlacedCodes(_Codes):
    """Where the codes of tied columns lie in these, from 0 to 1.

    Args:
        schema: All columns.
        positions: G of them, see :class:`TiedCodes`.
        tied: The T of these that are tied.
        num_codes: K.
    """

    low: torch.Tensor
    high: torch.Tensor
    placed: torch.Tensor

    def __init__(
        self, schema: TableSchema, positions: Sequence[int], tied: Sequence[int], num_codes: int
    ) -> None:
        super().__init__(positions, tied)
        ends = torch.zeros(2, len(tied), 1, num_codes, dtype=torch.float64)
        placed = torch.zeros(len(tied), 1, num_codes, dtype=torch.bool)
        for place, column in enumerate(schema.columns[position] for position in tied):
            own = torch.tensor(column.uniform, dtype=torch.float64)
            ends[:, place, 0, : len(own)] = own.t()
            placed[place, 0, : len(own)] = torch.tensor(column.has_place)
        low, high = ends
        for name, values in (('low', low), ('high', high), ('placed', placed)):
            self.register_buffer(name, values)


class CodesByRanks(_PlacedCodes):
    """By the copula of the table, see :class:`TiedCodes`."""

    width: torch.Tensor
    weights: torch.Tensor

    def __init__(self, schema: TableSchema, positions: Sequence[int], num_codes: int) -> None:
        assert schema.copula is not None, 'some of its columns are tied'
        tied = [position for position in positions if position in schema.copula.positions]
        super().__init__(schema, positions, tied, num_codes)
        width = (self.high - self.low).clamp_min(1e-12).float()
        self.low, self.high = (scores_of(end).float() for end in (self.low, self.high))
        self.register_buffer('width', width)
        weights = _weights(schema.copula, tied)[:, None, None]
        self.register_buffer('weights', weights)

    def added(self, ties: torch.Tensor, places: slice | int) -> torch.Tensor:
        """See :meth:`_Codes.added`."""
        mean, deviation = (part.unsqueeze(-1) for part in _by_ranks(ties))
        law = TiedLaw(mean, deviation, self.weights[places])
        found = law.mass(self.low[places], self.high[places], self.width[places])
        return torch.where(self.placed[places], found, 1.0).log()


class _ByDistance(_Codes):
    """Those of which laws of differences say something, column by column."""

    laws: GapLaws
    num_codes: int

    def added(self, ties: torch.Tensor, places: slice | int) -> torch.Tensor:
        """See :meth:`_Codes.added`."""
        if isinstance(places, int):
            return self._added(ties, places)
        return torch.stack([self._added(own, place) for place, own in enumerate(ties)])

    def _added(self, ties: torch.Tensor, place: int) -> torch.Tensor:
        """What is added to the logits ``(N, K)`` of one column."""
        if shapes_are_fixed(ties.device):
            return self._of(ties, place)
        found = ties.new_zeros(len(ties), self.num_codes)
        cells = (ties[:, 2] > 0).nonzero().squeeze(1)
        if len(cells):
            found[cells] = self._of(ties[cells], place)
        return found

    @abc.abstractmethod
    def _of(self, ties: torch.Tensor, place: int) -> torch.Tensor:
        """As :meth:`_added`; 0 for cells of which nothing is said."""


class CodesByDistance(_ByDistance, _PlacedCodes):
    """Of numbers by known ones, see :class:`TiedCodes`."""

    def __init__(self, schema: TableSchema, positions: Sequence[int], num_codes: int) -> None:
        laws = GapLaws(schema)
        tied = [position for position in positions if position in laws.columns]
        super().__init__(schema, positions, tied, num_codes)
        self.laws, self.num_codes = laws, num_codes

    def _of(self, ties: torch.Tensor, place: int) -> torch.Tensor:
        low, high, placed = (of[place] for of in (self.low, self.high, self.placed))
        ends = (end.expand(len(ties), -1) for end in (low, high))
        mass = _by_distance(self.laws, ties).between(*ends)
        told = placed & (ties[:, 2:3] > 0)
        return torch.where(told, mass / (high - low).clamp_min(1e-12), 1.0).log().float()


class LevelsByDistance(_ByDistance):
    """Of levels by two known numbers whose difference they say, see :class:`TiedCodes`.

    Source: Bayes' rule; the head knows what else there is.
    """

    def __init__(self, schema: TableSchema, positions: Sequence[int], num_codes: int) -> None:
        laws = GapLaws(schema)
        told = [position for position in positions if position in laws.told_levels]
        super().__init__(positions, told)
        self.laws, self.num_codes = laws, num_codes
        self._pairs = [laws.told_levels[position] for position in told]

    def _of(self, ties: torch.Tensor, place: int) -> torch.Tensor:
        source, target = (own[:, :2].double().sum(dim=1) for own in ties.split(3, dim=1))
        found = ties.new_zeros(len(ties), self.num_codes)
        for pair in self._pairs[place]:
            logs = self.laws.level_logs(pair, source, target).float()
            logs = nn.functional.pad(logs, (0, self.num_codes - logs.shape[1]))
            found = torch.where(ties[:, 2:3] == pair + 1, logs, found)
        return found


class TiedPlaces(nn.Module):
    """Residuals as they are in bins by themselves, and as the law of their cells has them.

    Args:
        schema: All columns; some are tied.
    """

    low: torch.Tensor
    span: torch.Tensor
    weights: torch.Tensor

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        bins = [
            (position, *column.uniform[code])
            for position, column in enumerate(schema.columns)
            for code in column.bins
        ]
        ends = torch.tensor([(low, high) for _, low, high in bins], dtype=torch.float64)
        ends = ends.reshape(-1, 2)  # also without any
        weights = _weights(schema.copula, [position for position, *_ in bins]).double()
        named = {'low': ends[:, 0].clone(), 'span': ends[:, 1] - ends[:, 0], 'weights': weights}
        for name, values in named.items():
            self.register_buffer(name, values)
        self._copula = schema.copula
        self.laws = GapLaws(schema) if schema.gaps else None

    def measured(
        self, ties: torch.Tensor, bins: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Residuals ``(N,)`` as the law has them, and the logs of the derivatives of that.

        Args:
            ties: ``(N, 6)``.
            bins: ``(N,)``, none of them -1.
            residuals: ``(N,)``, as they are in bins by themselves.
        """
        found, slopes = residuals, torch.zeros_like(residuals)
        for law, is_meant in self._kinds(ties):
            if shapes_are_fixed(ties.device):
                own, own_slopes = self._measured(law(ties, bins), bins, residuals)
                found = torch.where(is_meant, own, found)
                slopes = torch.where(is_meant, own_slopes, slopes)
                continue
            cells = is_meant.nonzero().squeeze(1)
            if len(cells):
                at = law(ties[cells], bins[cells])
                own, own_slopes = self._measured(at, bins[cells], residuals[cells])
                found, slopes = (
                    found.index_copy(0, cells, own),
                    slopes.index_copy(0, cells, own_slopes),
                )
        return found, slopes

    def _measured(
        self, law: Law, bins: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As :meth:`measured`, of cells that have a law."""
        own, score = TiedBins(law, self.low[bins], self.span[bins]), residuals.double() / SIGMA_DATA
        place = torch.special.ndtr(score)
        found = torch.special.ndtri(own.cdf(place).clamp(_INNER, 1 - _INNER))
        slopes = own.log_density(place) + (found**2 - score**2) / 2
        return (SIGMA_DATA * found).float(), slopes.float()

    def placed(
        self, ties: torch.Tensor, bins: torch.Tensor, measured: torch.Tensor
    ) -> torch.Tensor:
        """The residuals ``(N,)`` that :meth:`measured` makes ``measured`` of."""
        found = measured.clone()
        for law, is_meant in self._kinds(ties):
            cells = is_meant.nonzero().squeeze(1)
            if len(cells):
                at = law(ties[cells], bins[cells])
                own = TiedBins(at, self.low[bins[cells]], self.span[bins[cells]])
                level = torch.special.ndtr(measured[cells].double() / SIGMA_DATA)
                score = torch.special.ndtri(own.quantile(level).clamp(_INNER, 1 - _INNER))
                found[cells] = (SIGMA_DATA * score).float()
        return found

    def _kinds(
        self, ties: torch.Tensor
    ) -> Iterator[tuple[Callable[[torch.Tensor, torch.Tensor], Law], torch.Tensor]]:
        """The kinds of laws that there are, and the cells ``(N,)`` that have one."""
        by_distance = ties[:, 2] > 0
        if self._copula is not None:
            yield self._law_by_ranks, ~by_distance & (ties[:, 1] < 1)
        if self.laws is not None:
            yield self._law_by_distance, by_distance

    def _law_by_ranks(self, ties: torch.Tensor, bins: torch.Tensor) -> TiedLaw:
        mean, deviation = (part.double() for part in _by_ranks(ties))
        return TiedLaw(mean, deviation, self.weights[bins])

    def _law_by_distance(self, ties: torch.Tensor, bins: torch.Tensor) -> GapLaw:
        assert self.laws is not None
        return _by_distance(self.laws, ties)


def _by_ranks(ties: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Means and deviations of cells; (0, 1) where another law is theirs."""
    mean, deviation, law = ties[..., :3].unbind(dim=-1)
    return torch.where(law > 0, 0.0, mean), torch.where(law > 0, 1.0, deviation)


def _by_distance(laws: GapLaws, ties: torch.Tensor) -> GapLaw:
    """The laws of cells by differences; any where another law is theirs."""
    found = []
    for high, low, law in (part.unbind(dim=-1) for part in ties.split(3, dim=-1)):
        found.append(laws.of(law.long() - 1, high.double() + low.double()))
    return found[0].times(found[1])


def _weights(copula: Copula | None, positions: Sequence[int]) -> torch.Tensor:
    """Weights ``(len(positions), 3)`` of the laws of columns; any for those that are not tied."""
    of_column = {} if copula is None else dict(zip(copula.positions, copula.weights, strict=True))
    found = [of_column.get(position, (0.0, 0.0, 1.0)) for position in positions]
    return torch.tensor(found).reshape(-1, 3)
