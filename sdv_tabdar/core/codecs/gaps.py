"""Which numbers are never far from each other, and how far: found before training.

An order is sent within days, and paid within weeks: given the one date, the other one lies in a
small part of the column. Ranks of dates do not show this: a day is as many ranks as the table has
rows on it, more here and fewer there. So for each pair of columns whose difference is much narrower
than they are, its law is kept (:mod:`sdv_tabdar.core.gaps`), if it says more of other rows than the
copula of the two (:mod:`sdv_tabdar.core.copula`), and those of the levels of another column, where
these say how far (:mod:`sdv_tabdar.core.codecs.gap_levels`).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.copulas import CodePlaces, correlations_of, may_be_tied
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.gap_laws import GapLaws, Numbers
from sdv_tabdar.core.codecs.gap_levels import Levels, kept_levels, say_more
from sdv_tabdar.core.codecs.gap_pieces import DIGITS, PARTS, law_of
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.value_places import grid_of, on_grid, value_places
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.copula import TiedLaw, scores_of
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Column, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Differences, Gap, Grid, LevelDifferences, ValuePlaces

Places: TypeAlias = npt.NDArray[np.int64]

MOST_PAIRS = 64  # those that say most
MOST_PIECES = 32  # parts, in two where there is a hole
_MOST_ECHOES = 0.9  # of a column: beside these, others may be near to what most are
_MOST_BESIDE = 0.05  # of the numbers are atoms in a column with bins
_ROWS, _MIN_ROWS = 8_000, 100  # that are looked at, and that have both numbers
_JUDGED = 5  # one row in so many judges
_NARROWER = 0.5  # a difference's spread, by the lesser of the columns', to be looked at
_RISING = 0.5  # correlation of scores; half as wide a difference has more
_SPREAD = (0.1, 0.9)  # between which shares of the numbers it is
_MIN_GAIN = 1.0  # nats, of one number given the other, and ...
_MORE = 0.3  # ... so many more than by the copula, or else as many within this
_ROWS_A_PART = 10  # of a level, in each part of its law
_WEIGHTS = (0.75, 0.2, 0.05)  # of the copula's law
_MEDIAN = 0.67449  # of the absolute values of standard normal numbers
_SEED = 0  # of the rows, whatever the model's seed


def find_gaps(
    table: EncodedTable, codecs: Sequence[Codec], schema: TableSchema, exact: Collection[int] = ()
) -> tuple[Gap, ...]:
    """The pairs of columns whose difference says more of them than ranks do.

    Args:
        table: The encoded training table.
        codecs: One for each column.
        schema: The columns.
        exact: The positions of those that others say exactly, which need none.
    """
    own = {
        at: codec
        for at, codec in enumerate(codecs)
        if at not in exact and isinstance(codec, NumericalCodec) and _has_law(schema.columns[at])
    }
    if len(table) < _MIN_ROWS or len(own) < 2:
        return ()
    chosen = some_rows(len(table), _ROWS, torch.Generator().manual_seed(_SEED))
    rows = table.rows(chosen.to(table.codes.device)).to(torch.device('cpu'))
    looked_at = _Looked(rows, schema, own, Levels.of(rows, schema, {*own, *exact}))
    found = [judged for pair in looked_at.near if (judged := looked_at.gap(*pair)) is not None]
    return tuple(sorted(_chosen(found), key=lambda gap: -gap.gain)[:MOST_PAIRS])


def kept_gaps(gaps: Sequence[Gap], former: Sequence[torch.Tensor]) -> tuple[Gap, ...]:
    """Those of a table whose codes were others, see ``kept_levels``."""
    return tuple(
        dataclasses.replace(gap, by_level=kept_levels(gap.by_level, former)) for gap in gaps
    )


def grids_of(gaps: Sequence[Gap]) -> dict[int, Grid]:
    """The grids of the columns that have gaps, by their positions."""
    pairs = (zip((gap.first, gap.second), gap.grids, strict=True) for gap in gaps)
    return dict(itertools.chain.from_iterable(pairs))


def places_of(
    codecs: Sequence[Codec], grids: Mapping[int, Grid], echoes: Sequence[Echo]
) -> dict[int, ValuePlaces]:
    """Where numbers lie in the columns that have gaps, by their positions."""
    found = {}
    for at, grid in grids.items():
        codec = codecs[at]
        assert isinstance(codec, NumericalCodec), 'gaps are between numbers'
        found[at] = value_places(codec, grid)
    for echo in echoes:
        if echo.position in found and echo.source in found:
            of_source = echo.source, echo.line.slope, echo.line.shift
            found[echo.position] = dataclasses.replace(found[echo.position], echo=of_source)
    return found


def are_near(first: Floats, second: Floats, narrowest: float) -> bool:
    """Whether the difference of numbers ``(B,)`` is much narrower than either; NaN are none.

    Args:
        first: Some numbers.
        second: Others of the same rows.
        narrowest: The lesser of their :func:`spread`.
    """
    difference = second - first
    if np.count_nonzero(~np.isnan(difference)) < _MIN_ROWS:
        return False
    return spread(difference) < _NARROWER * narrowest


class _Looked:
    """Rows in which gaps are looked for.

    Args:
        rows: B of them.
        schema: All columns.
        codecs: Those of the P columns that are meant, by their positions.
        levels: Those that may say how far numbers are from each other.
    """

    def __init__(
        self,
        rows: EncodedTable,
        schema: TableSchema,
        codecs: Mapping[int, NumericalCodec],
        levels: Levels,
    ) -> None:
        self._levels = levels
        self._positions = tuple(codecs)
        code_places = CodePlaces(schema, self._positions)
        self._own, placed = code_places.shares(rows.codes, rows.residuals)
        self._scores, self._placed = scores_of(self._own), placed
        numbers, self._grids, places = [], [], {}
        for place, (at, codec) in enumerate(codecs.items()):
            found = np.full(len(rows.codes), np.nan)
            there = placed[:, place].numpy()
            residuals = rows.residuals[there, code_places.residuals[place]].double().numpy()
            codes = rows.codes[there, at].long().numpy()
            found[there] = codec.decode(codes, residuals, np.zeros(len(codes)))
            grid = grid_of(found[there]) if there.any() else (0.0, 0.0)
            numbers.append(on_grid(found, grid))
            self._grids.append(grid)
            places[at] = value_places(codec, grid)
        self._numbers = np.stack(numbers, axis=1)
        self._spreads = [spread(own) for own in numbers]
        self._schema = dataclasses.replace(schema, value_places=places)
        self._shares = Numbers(self._schema, self._positions)(rows.codes, rows.residuals).numbers
        flat = code_places.flat(rows.codes)
        is_bin = self._own != code_places.low[flat] + code_places.span[flat] / 2
        self._low = torch.where(is_bin, self._own, code_places.low[flat])
        self._span = torch.where(is_bin, 0.0, code_places.span[flat])

    @property
    def near(self) -> list[list[int]]:
        """The places of the pairs whose differences may be narrow: those that rise together."""
        scores = torch.where(self._placed, self._scores, 0.0)
        found = correlations_of(scores, self._placed.double(), torch.zeros_like(scores))
        pairs: list[list[int]] = (found > _RISING).triu(1).nonzero().tolist()
        return pairs

    def gap(self, first: int, second: int) -> _Judged | None:
        """That of the pair at these two places; None if it says too little."""
        narrowest = min(self._spreads[first], self._spreads[second])
        if not are_near(self._numbers[:, first], self._numbers[:, second], narrowest):
            return None
        difference = self._numbers[:, second] - self._numbers[:, first]
        there = np.flatnonzero(~np.isnan(difference))
        judges = there[::_JUDGED]
        shown = np.setdiff1d(there, judges)
        most = np.nanmax(np.abs(self._numbers[:, [first, second]]))
        difference[there] = _rounded(difference[there], most)
        found = self._of(first, second, difference[shown])
        logs = self._logs(found, judges, (first, second))
        pairs = ((first, second), (second, first))
        by_ranks = math.fsum(self._by_ranks(*pair, shown, judges) for pair in pairs) / 2
        gain = float(logs.mean())
        by_level = None
        if gain > by_ranks - _MORE:
            by_level = self._by_level(found, difference, (first, second), (shown, judges), logs)
        more = 0.0 if by_level is None else by_level.gain
        if gain + more < max(_MIN_GAIN, by_ranks - _MORE):
            return None
        found = self._of(first, second, difference[there])
        if by_level is not None:
            of_all = self._with_levels(found, by_level.position, there, difference).by_level
            assert of_all is not None, 'as many rows of each level as before, or more'
            by_level = dataclasses.replace(of_all, gain=more)
        found = dataclasses.replace(found, gain=gain, by_level=by_level)
        return _Judged(found, gain + more, gain + more - by_ranks)

    def _by_level(
        self,
        gap: Gap,
        difference: Floats,
        pair: tuple[int, int],
        rows: tuple[Places, Places],
        logs: Floats,
    ) -> LevelDifferences | None:
        """The levels that say most, and more than one law does.

        Args:
            gap: With one law.
            difference: ``(B,)``.
            pair: The places of its columns.
            rows: Those that are shown, and those that judge.
            logs: ``(judges,)`` the log densities by the one law.
        """
        shown, judges = rows
        edges = [end for piece in gap.law.pieces for end in piece]
        parts = np.searchsorted(edges, np.nan_to_num(difference))
        found, most = None, 0.0
        for position in self._levels.likeliest(parts, shown, judges):
            with_levels = self._with_levels(gap, position, shown, difference)
            if with_levels.by_level is not None:
                more = say_more(self._logs(with_levels, judges, pair), logs)
                if more > most:
                    found, most = dataclasses.replace(with_levels.by_level, gain=more), more
        return found

    def _with_levels(self, gap: Gap, position: int, rows: Places, difference: Floats) -> Gap:
        """A gap with laws of levels, which some rows show."""

        def law(differences: Floats) -> Differences:
            parts = min(PARTS, len(differences) // _ROWS_A_PART)
            return law_of(differences, _unit(gap.grids), parts)

        by_level = self._levels.laws(position, rows, difference[rows], law)
        return dataclasses.replace(gap, by_level=by_level)

    def _of(self, first: int, second: int, differences: Floats) -> Gap:
        """That of a pair with one law."""
        grids = self._grids[first], self._grids[second]
        return Gap(
            first=self._positions[first],
            second=self._positions[second],
            grids=grids,
            law=law_of(differences, _unit(grids), PARTS),
            gain=0.0,
        )

    def _logs(self, gap: Gap, judges: Places, pair: tuple[int, int]) -> Floats:
        """The log densities ``(judges,)`` of either number given the other, on average."""
        both = GapLaws(dataclasses.replace(self._schema, gaps=(gap,)))
        total = torch.zeros(len(judges), dtype=torch.float64)
        for number, (source, target) in enumerate(zip(both.sources, both.targets, strict=True)):
            law = torch.full((len(judges),), number)
            if gap.by_level is not None:
                codes = self._levels.codes[judges, gap.by_level.position]
                law = both.by_level(number, torch.from_numpy(codes))
            place, own = (pair[(gap.first, gap.second).index(at)] for at in (source, target))
            found = both.of(law, self._shares[judges, place])
            low, span = self._low[judges, own], self._span[judges, own]
            in_code = found.between(low, low + span) / span.clamp_min(1e-12)
            density = torch.where(span > 0, in_code, found.at(low))
            total += density.log() / 2
        return total.numpy()

    def _by_ranks(self, source: int, target: int, shown: Places, judges: Places) -> float:
        """The mean log density by the copula of the two, in nats."""
        own = [self._scores[rows][:, [source, target]] for rows in (shown, judges)]
        squares = (own[0] ** 2).mean(dim=0)
        ratio = float((own[0].prod(dim=1).mean() / squares.prod().sqrt()).clamp(-1, 1))
        away = (own[0][:, 1] - ratio * own[0][:, 0]).abs().median() / _MEDIAN
        deviation = away.clamp(1e-6, 0.999).expand(len(judges))
        law = TiedLaw(ratio * own[1][:, 0], deviation, torch.tensor(_WEIGHTS).double())
        return float(law.density(own[1][:, 1]).log().mean())


@dataclasses.dataclass(frozen=True)
class _Judged:
    """A gap, and what it says.

    Attributes:
        gap: It.
        gain: The nats of one number given the other, with the laws of levels.
        margin: How many more these are than the copula of the two has.
    """

    gap: Gap
    gain: float
    margin: float

    def is_beside(self, other: _Judged) -> bool:
        """Whether it and another one have a column in common."""
        ends = {self.gap.first, self.gap.second}
        return bool(ends & {other.gap.first, other.gap.second})


def _chosen(found: Sequence[_Judged]) -> list[Gap]:
    """The gaps that say more than the copula, and what would be lost beside these.

    Where a gap is told, the copula is not. So one that says as much as the copula is kept beside
    one of the same column that says less than it.
    """
    sure = [one for one in found if one.margin >= _MORE]
    beside = [
        one
        for one in found
        if one.margin < _MORE
        and any(one.is_beside(other) and one.gain > other.gain for other in sure)
    ]
    return [one.gap for one in (*sure, *beside)]


def _has_law(column: Column) -> bool:
    """Whether a column may be tied, and is of atoms or of bins."""
    return may_be_tied(column, _MOST_ECHOES) and not is_mixed(column)


def is_mixed(column: Column) -> bool:
    """Whether a column has bins, and more atoms between them than a law of differences allows."""
    atoms = sum(column.counts[: column.bins.start]) if column.bins else 0
    return atoms > _MOST_BESIDE * sum(column.counts)


def spread(numbers: Floats) -> float:
    """How far apart most numbers are; NaN are none."""
    low, high = np.nanquantile(numbers, _SPREAD) if not np.isnan(numbers).all() else (0.0, 0.0)
    return float(high - low)


def _rounded(differences: Floats, most: float) -> Floats:
    """Differences without the noise that numbers up to ``most`` leave."""
    return differences.round(DIGITS - 1 - math.floor(math.log10(most))) if most else differences


def _unit(grids: tuple[Grid, Grid]) -> float:
    """That of differences between numbers on two grids; 0 if one of them is none."""
    return max(unit for unit, _ in grids) if all(unit for unit, _ in grids) else 0.0
