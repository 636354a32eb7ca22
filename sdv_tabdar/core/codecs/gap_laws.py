"""What a known number says of another one that is never far from it, for all such columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import nn

from sdv_tabdar.core.codecs.copulas import CodePlaces
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.gaps import LEAST_WIDTH, GapLaw, Marks
from sdv_tabdar.core.schema import Column, TableSchema
from sdv_tabdar.core.tied_columns import Differences, ValuePlaces


class GapLaws(nn.Module):
    """The laws of numbers by others, two for each pair of columns: of either by the other.

    The laws of all rows come first, one for each pair of source and target; behind them those of
    rows with some level.

    Attributes:
        sources: The positions of the columns whose numbers are known.
        targets: Those of the columns that the laws are of. The laws of one are next to each other,
            first the one that says most.
        from_below: Whether the known number mostly is the lesser one.
        columns: All these positions, sorted.
        levels: The position of the column whose levels have laws of their own, by the place of the
            pair among the former.
        told_levels: For each of these columns the places of pairs that say what its levels are,
            each way of a gap once, first those that say most.

    Args:
        schema: All columns; some have gaps.
    """

    ends: torch.Tensor
    shares: torch.Tensor
    rest: torch.Tensor
    scale: torch.Tensor
    offset: torch.Tensor
    row: torch.Tensor
    marks: torch.Tensor
    places: torch.Tensor

    def __init__(self, schema: TableSchema) -> None:
        super().__init__()
        both = sorted(schema.gaps, key=lambda gap: -gap.gain)
        one_way = [(gap.first, gap.second, gap, 1) for gap in both]
        pairs = [*one_way, *((gap.second, gap.first, gap, -1) for gap in both)]
        pairs.sort(key=lambda pair: (pair[1], -pair[2].gain))
        self.sources = [source for source, *_ in pairs]
        self.targets = [target for _, target, *_ in pairs]
        self.from_below = [sign * _middle(gap.law) > 0 for *_, gap, sign in pairs]
        self.columns = tuple(sorted({*self.targets}))
        laws = [(*pair[:2], pair[2].law, pair[3]) for pair in pairs]
        self.levels: dict[int, int] = {}
        told: dict[int, list[tuple[float, int]]] = {}
        for pair, (source, target, gap, sign) in enumerate(pairs):
            if gap.by_level is not None:
                own = [pair, *range(len(laws), len(laws) + len(gap.by_level.laws))]
                laws += [(source, target, law, sign) for law in gap.by_level.laws]
                self.register_buffer(f'laws_{pair}', torch.tensor(own))
                self.register_buffer(f'of_code_{pair}', torch.tensor(gap.by_level.of_code) + 1)
                self.levels[pair] = gap.by_level.position
                if sign > 0:
                    told.setdefault(gap.by_level.position, []).append((-gap.by_level.gain, pair))
        self.told_levels = {at: [pair for _, pair in sorted(own)] for at, own in told.items()}
        self._keep_laws(laws, schema.value_places)
        self._keep_places(schema.value_places)

    def _keep_laws(
        self, laws: Sequence[tuple[int, int, Differences, int]], tables: Mapping[int, ValuePlaces]
    ) -> None:
        """Laws in numbers of the column they are of: of source, target, differences and sign."""
        most = max(len(law.shares) for _, _, law, _ in laws)
        ends, shares, scale, offset = [], [], [], []
        for source, target, law, sign in laws:
            (low, width), (own_low, own_width) = _extent(tables[source]), _extent(tables[target])
            pieces = np.sort(sign * np.array(law.pieces) / own_width, axis=1)[::sign]
            fill = most - len(pieces)
            ends.append(np.concatenate([pieces, np.full((fill, 2), pieces[-1, 1])]))
            shares.append([*law.shares[::sign], *[0.0] * fill])
            scale.append(width / own_width)
            offset.append((low - own_low) / own_width)
        self._keep('ends', np.stack(ends))
        self._keep('shares', shares)
        self._keep('rest', [law.rest for _, _, law, _ in laws])
        self._keep('scale', scale)
        self._keep('offset', offset)
        row = torch.tensor([self.columns.index(target) for _, target, *_ in laws])
        self.register_buffer('row', row)

    def _keep_places(self, tables: Mapping[int, ValuePlaces]) -> None:
        """Where numbers lie in the columns, end to end."""
        longest = max(len(tables[at].marks) for at in self.columns)
        marks, places = [], []
        for number, at in enumerate(self.columns):
            low, width = _extent(tables[at])
            fill = longest - len(tables[at].marks)
            marks.append(np.pad((tables[at].marks - low) / width, (0, fill), 'edge') + 2 * number)
            places.append(np.pad(tables[at].places, (0, fill), 'edge'))
        self._keep('marks', np.concatenate(marks))
        self._keep('places', np.concatenate(places))

    def _keep(self, name: str, values: object) -> None:
        """A buffer that the schema says, and no file has to."""
        buffer = torch.as_tensor(np.asarray(values), dtype=torch.float64)
        self.register_buffer(name, buffer)

    def by_level(self, pair: int, codes: torch.Tensor) -> torch.Tensor:
        """The places ``(N,)`` of the laws of a pair in rows with codes ``(N,)`` of its levels."""
        own = self.get_buffer(f'of_code_{pair}')[codes.long()]
        return self.get_buffer(f'laws_{pair}')[own]

    def of(self, law: torch.Tensor, numbers: torch.Tensor) -> GapLaw:
        """What laws ``(N,)`` say beside numbers ``(N,)``; of the column by itself where that is -1.

        Args:
            law: Their places here.
            numbers: Shares of the way between the ends of their columns, float64.
        """
        own = law.clamp_min(0)
        at = (numbers * self.scale[own] + self.offset[own])[:, None, None] + self.ends[own]
        at = at.clamp(0, 1)
        places = self._placed(at.flatten(1), own).view_as(at)
        return GapLaw.of(places, self.shares[own], torch.where(law < 0, 1.0, self.rest[own]))

    def level_logs(self, pair: int, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """How much likelier a number is by the law of each code than by that of all rows.

        Of each law the piece is asked that the number is in, so that many levels cost little; what
        the column has not is left out of a law beyond the ends of the column alone.

        Args:
            pair: The place of the pair.
            source: ``(N,)`` shares of the way between the ends of its column, float64.
            target: Likewise.

        Returns:
            ``(N, K)`` log ratios for the K codes of the column whose levels have laws.
        """
        laws = self.get_buffer(f'laws_{pair}')
        known = source * self.scale[pair] + self.offset[pair]
        away = (target - known).expand(len(laws), -1).contiguous()
        ends = self.ends[laws].flatten(1)
        up_to = self.shares[laws].cumsum(dim=1)
        shares = torch.stack([up_to - self.shares[laws], up_to], dim=2).flatten(1)
        right = torch.searchsorted(ends, away, right=True).clamp(1, ends.shape[1] - 1)
        low, high = ends.gather(1, right - 1), ends.gather(1, right)
        share = shares.gather(1, right) - shares.gather(1, right - 1)
        width = self._placed((known + torch.stack([low, high])).clamp(0, 1), laws[:1]).diff(dim=0)
        room = torch.stack([-known, 1 - known]).flatten().expand(len(laws), -1)
        before, inside = Marks(ends, shares)(room).chunk(2, dim=1)
        density = share / (
            (width.squeeze(0) + LEAST_WIDTH) * (inside - before).clamp_min(LEAST_WIDTH)
        )
        density = torch.where((away >= low) & (away <= high), density, 0.0)
        rest = self.rest[laws][:, None]
        logs = (rest + (1 - rest) * density).log()
        return (logs - logs[:1]).t()[:, self.get_buffer(f'of_code_{pair}')]

    def _placed(self, numbers: torch.Tensor, law: torch.Tensor) -> torch.Tensor:
        """Where numbers ``(N, ...)`` lie in the columns that laws ``(N,)`` are of."""
        row = 2 * self.row[law].view(-1, *(1 for _ in numbers.shape[1:]))
        return Marks(self.marks, self.places)((numbers + row).flatten()).view_as(numbers)


@dataclasses.dataclass(frozen=True)
class Read:
    """The numbers of B rows in P columns.

    Attributes:
        numbers: ``(B, P)`` float64, as shares of the way between the ends of the columns.
        placed: ``(B, P)`` bool, which cells have one of their own.
        sources: For columns that echo, by their places: the place of what they echo, and the cells
            ``(B,)`` that do.
    """

    numbers: torch.Tensor
    placed: torch.Tensor
    sources: Mapping[int, tuple[int, torch.Tensor]]

    def told(self, visible: torch.Tensor) -> torch.Tensor:
        """Whose numbers visible cells ``(B, P)`` tell: an echo's only beside what it echoes."""
        told = list((visible & self.placed).unbind(dim=1))
        for _ in self.sources:  # an echo may be of an echo
            for place, (source, echoing) in self.sources.items():
                told[place] = told[place] | (visible[:, place] & echoing & told[source])
        return torch.stack(told, dim=1)


class Numbers(nn.Module):
    """The numbers of cells of the columns that have gaps.

    Args:
        schema: All columns.
        positions: Those that are meant.
    """

    def __init__(self, schema: TableSchema, positions: tuple[int, ...]) -> None:
        super().__init__()
        self.code_places = CodePlaces(schema, positions)
        self._positions, self._on_grid = positions, []
        self._echoes: dict[int, tuple[int, int, float, float]] = {}
        for place, at in enumerate(positions):
            own = schema.value_places[at]
            low, width = _extent(own)
            numbers = own.marks if own.numbers is None else own.numbers
            self._on_grid.append(own.numbers is not None)
            for name, values in (
                ('places', own.places),
                ('numbers', (numbers - low) / width),
                ('of_code', (_atoms(schema.columns[at], own.atoms) - low) / width),
            ):
                buffer = torch.as_tensor(values, dtype=torch.float64)
                self.register_buffer(f'{name}_{place}', buffer)
            code = schema.columns[at].echo
            if own.echo is not None and code is not None:
                source, slope, shift = own.echo
                source_low, source_width = _extent(schema.value_places[source])
                scale = slope * source_width / width
                offset = (slope * source_low - low + shift) / width
                self._echoes[place] = positions.index(source), code, scale, offset

    @property
    def columns(self) -> torch.Tensor:
        """The positions of the columns."""
        return self.code_places.positions

    @property
    def device(self) -> torch.device:
        """Where its buffers are."""
        return self.code_places.low.device

    def forward(self, codes: torch.Tensor, residuals: torch.Tensor) -> Read:
        """Those of rows with codes ``(B, C)``."""
        shares, placed = self.code_places.shares(codes, residuals)
        found = []
        for place, at in enumerate(self._positions):
            names = (f'{name}_{place}' for name in ('places', 'numbers', 'of_code'))
            places, numbers, of_code = (self.get_buffer(name) for name in names)
            own = shares[:, place].contiguous()
            if self._on_grid[place]:
                number = torch.searchsorted(places, own, right=True) - 1
                drawn = numbers[number.clamp(0, len(numbers) - 1)]
            else:
                drawn = Marks(places, numbers)(own)
            atom = of_code[codes[:, at].long()]
            found.append(torch.where(atom.isnan(), drawn, atom))
        sources = {}
        for place, (source, code, *_) in self._echoes.items():
            sources[place] = source, codes[:, self._positions[place]] == code
        for _ in sources:
            for place, (source, _, scale, offset) in self._echoes.items():
                echoed = found[source] * scale + offset
                found[place] = torch.where(sources[place][1], echoed, found[place])
        return Read(torch.stack(found, dim=1), placed, sources)


def _middle(law: Differences) -> float:
    """The mean of the differences."""
    return sum(
        share * (low + high) / 2 for (low, high), share in zip(law.pieces, law.shares, strict=True)
    )


def _extent(own: ValuePlaces) -> tuple[float, float]:
    """Where a column begins, and how far it goes."""
    low, high = float(own.marks[0]), float(own.marks[-1])
    return low, high - low


def _atoms(column: Column, atoms: Floats) -> Floats:
    """The numbers of codes ``(K,)``; NaN for all but atoms."""
    return np.pad(atoms, (0, column.num_codes - len(atoms)), constant_values=np.nan)
