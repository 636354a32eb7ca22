"""Which numbers are tied to each other, and by which correlations: found before training.

An opening and a closing price, two gauges of one thing, radius and circumference of what is nearly
round: given the one, the other lies in a small part of one of its bins. A network would have to
tell thousands of such parts apart; the Gaussian copula of the columns says at once where they are
(:mod:`sdv_tabdar.core.copula`), and is what the network's answers are measured by. It is for such
columns alone: looser dependence is learnt better without it.

Some rows show how far the correlations of the others reach.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Sequence
from typing import TypeAlias

import torch
from torch import nn

from sdv_tabdar.core.copula import (
    TiedLaw,
    conditional,
    scores_of,
    variance_between,
)
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Copula

MOST_COLUMNS = 64  # that may be tied; those that are most of all
_MIN_ROWS = 100  # of a table
_FEWEST_CODES = 16  # of a column without bins that may be tied
_ROWS, _JUDGED = 8_000, 4_000  # that are looked at, and those that judge
_MOST_ECHOES = 0.5  # of a column's cells: what mostly follows exactly needs none
_SHRINKAGES = (1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3)
_FIRST_WEIGHTS = (0.75, 0.2, 0.05)
_MEDIAN_SQUARE = 0.4549364  # of a standard normal number
_SCALES = (0.3, 3.0)
_PRIOR = (1.0, 1.0, 20.0)  # cells of each part of the mixture beside those that are seen
_STEPS = 30  # of expectation maximisation
_OFTEN = 0.1  # of the rows that have a number, to be tied in them
_FEWEST_CELLS = 50  # of a column that judge it
_FOLDS = 5
_REACH, _REACHES = 4.0, (0.05, 0.25)  # what few rows do not show is left to the copula
_SEED = 0  # of the rows and of what is visible in them, whatever the model's seed


class CodePlaces(nn.Module):
    """Where the cells of some columns lie in their columns.

    Args:
        schema: All columns.
        positions: Those that are meant.
    """

    low: torch.Tensor
    span: torch.Tensor
    placed: torch.Tensor
    offsets: torch.Tensor
    positions: torch.Tensor

    def __init__(self, schema: TableSchema, positions: tuple[int, ...]) -> None:
        super().__init__()
        columns = [schema.columns[at] for at in positions]
        sizes = [column.num_codes for column in columns]
        ends = [end for column in columns for end in column.uniform]
        low, high = torch.tensor(ends, dtype=torch.float64).unbind(dim=1)
        self.register_buffer('low', low.clone())
        self.register_buffer('span', high - low)
        placed = [has_one for column in columns for has_one in column.has_place]
        self.register_buffer('placed', torch.tensor(placed))
        self.register_buffer('offsets', torch.tensor([0, *sizes[:-1]]).cumsum(dim=0))
        self.register_buffer('positions', torch.tensor(positions))
        residual_of = {column: place for place, column in enumerate(schema.numerical)}
        self.residuals = [residual_of[at] for at in positions]

    def flat(self, codes: torch.Tensor) -> torch.Tensor:
        """Codes ``(B, P)`` of these columns, with those of all columns ``(B, C)`` end to end."""
        return codes[:, self.positions].long() + self.offsets

    def scores(
        self, codes: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Normal scores ``(B, P)``, float64, and which cells have one."""
        shares, placed = self.shares(codes, residuals)
        return scores_of(shares), placed

    def shares(
        self, codes: torch.Tensor, residuals: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The shares of their columns that are less ``(B, P)``, and which cells have one."""
        flat = self.flat(codes)
        inside = torch.special.ndtr(residuals[:, self.residuals].double() / SIGMA_DATA)
        return self.low[flat] + self.span[flat] * inside, self.placed[flat]


@dataclasses.dataclass(frozen=True)
class _Cells:
    """Cells of B rows in P columns.

    Attributes:
        scores: ``(B, P)``; 0 where there is none.
        placed: Which cells have one, 1.0 or 0.0.
        within: The variance of scores that have the same code and no place in it.
    """

    scores: torch.Tensor
    placed: torch.Tensor
    within: torch.Tensor

    @classmethod
    def of(cls, rows: EncodedTable, schema: TableSchema, positions: tuple[int, ...]) -> _Cells:
        places = CodePlaces(schema, positions)
        scores, placed = places.scores(rows.codes, rows.residuals)
        flat = places.flat(rows.codes)
        spread = variance_between(places.low[flat], places.low[flat] + places.span[flat])
        in_bin = torch.stack(
            [
                (rows.codes[:, at] >= column.bins.start) & (rows.codes[:, at] < column.bins.stop)
                for at, column in ((at, schema.columns[at]) for at in positions)
            ],
            dim=1,
        )
        return cls(
            torch.where(placed, scores, 0.0), placed.double(), torch.where(in_bin, 0.0, spread)
        )

    def rows(self, rows: torch.Tensor) -> _Cells:
        return _Cells(self.scores[rows], self.placed[rows], self.within[rows])

    def columns(self, kept: torch.Tensor) -> _Cells:
        return _Cells(self.scores[:, kept], self.placed[:, kept], self.within[:, kept])

    def correlations(self) -> torch.Tensor:
        """Those of the scores ``(P, P)``, of rows that have both."""
        found = correlations_of(self.scores, self.placed, self.within)
        values, vectors = torch.linalg.eigh(found)
        found = (vectors * values.clamp_min(0)) @ vectors.t()
        deviation = found.diagonal().sqrt()
        found = (found / (deviation[:, None] * deviation)).clamp(-1, 1)
        return found.fill_diagonal_(1.0)


def correlations_of(
    scores: torch.Tensor, placed: torch.Tensor, within: torch.Tensor
) -> torch.Tensor:
    """The correlations ``(P, P)`` of scores, each of the rows that have both; of no law, perhaps.

    Args:
        scores: ``(B, P)``, 0 where there is none.
        placed: Where there is one, 1.0 or 0.0.
        within: As in :class:`_Cells`.
    """
    squares = (scores**2 + within) * placed
    beside = squares.t() @ placed  # of each column, where the other one has a score too
    found = scores.t() @ scores / (beside * beside.t()).clamp_min(1e-12).sqrt()
    return found.fill_diagonal_(1.0)


_Fold: TypeAlias = tuple[_Cells, _Cells]
"""Rows that show correlations, and other rows that judge them."""


def find_copula(
    table: EncodedTable, schema: TableSchema, exact: Collection[int] = ()
) -> Copula | None:
    """The columns of numbers that are tied to others of them, and by what; None without any.

    Args:
        table: The encoded training table.
        schema: Its columns.
        exact: The positions of those that others say exactly, which need none.
    """
    positions = tuple(
        at for at, column in enumerate(schema.columns) if at not in exact and may_be_tied(column)
    )
    if len(table) < _MIN_ROWS or len(positions) < 2:
        return None
    generator = torch.Generator().manual_seed(_SEED)
    chosen = some_rows(len(table), _ROWS, generator)
    cells = _Cells.of(_on_cpu(table.rows(chosen.to(table.codes.device))), schema, positions)
    if not cells.placed.all():  # rows differ in what they have, and each is a matrix to invert
        nearest = _nearest(cells)
        positions = tuple(positions[at] for at in nearest.tolist())
        cells = cells.columns(nearest)
    folds, reach = _folds(cells), _reach(len(table))
    shrinkage, deviations = _shrunk(folds)
    order = deviations.argsort()[:MOST_COLUMNS]
    kept = order[deviations[order] < reach].sort().values
    if len(kept) < 2:
        return None
    folds = [(shown.columns(kept), judges.columns(kept)) for shown, judges in folds]
    scales, weights, are_tied = _fitted_law(folds, shrinkage, reach)
    if not are_tied.any():
        return None
    correlations = _less(cells.columns(kept).correlations(), shrinkage)
    return Copula(
        positions=tuple(positions[at] for at in kept.tolist()),
        correlations=tuple(map(tuple, correlations.tolist())),
        scales=tuple(scales.tolist()),
        weights=tuple(map(tuple, weights.tolist())),
        reach=reach,
    )


def _reach(num_rows: int) -> float:
    """The deviation given others below which numbers are tied, in a table of so many rows."""
    return min(max(_REACH / math.sqrt(num_rows), _REACHES[0]), _REACHES[1])


def _folds(cells: _Cells) -> list[_Fold]:
    """Most of the rows and some of the others, so that together all are the others once."""
    parts = torch.arange(len(cells.scores)).tensor_split(_FOLDS)
    most = _JUDGED // _FOLDS
    return [
        (cells.rows(torch.cat([*parts[:own], *parts[own + 1 :]])), cells.rows(parts[own][:most]))
        for own in range(_FOLDS)
    ]


def _shrunk(folds: Sequence[_Fold]) -> tuple[float, torch.Tensor]:
    """What other rows are likeliest by, and the deviations ``(P,)`` that they have given the rest.

    How much correlations are shrunk is chosen by the density of each cell given all others.
    """
    weights = torch.tensor(_FIRST_WEIGHTS, dtype=torch.float64)
    shown = [cells.correlations() for cells, _ in folds]
    placed = torch.cat([judges.placed for _, judges in folds]) > 0
    best = (-torch.inf, _SHRINKAGES[-1], torch.ones(len(shown[0]), dtype=torch.float64))
    for shrinkage in _SHRINKAGES:
        found, deviations, away = 0.0, [], []
        for correlations, (_, judges) in zip(shown, folds, strict=True):
            own, deviation = _given_rest(_less(correlations, shrinkage), judges)
            law = TiedLaw(judges.scores - own * deviation, deviation, weights)
            found += float((law.density(judges.scores).log() * judges.placed).sum())
            deviations.append(deviation)
            away.append(own)
        if found > best[0]:
            scales = _scales(torch.cat(away), placed)
            best = (found, shrinkage, _often(torch.cat(deviations), placed) * scales)
    return best[1], best[2]


def _often(deviations: torch.Tensor, placed: torch.Tensor) -> torch.Tensor:
    """Below which deviations ``(P,)`` cells ``(B, P)`` often are: where what says them is there."""
    if placed.all():  # those of a fold are the same
        return deviations.mean(dim=0)
    there = torch.where(placed, deviations, torch.nan)
    return there.nanquantile(_OFTEN, dim=0).nan_to_num(1.0)


def _nearest(cells: _Cells) -> torch.Tensor:
    """The columns that are nearest to another one, as many as may be tied."""
    correlations = cells.correlations().fill_diagonal_(0.0)
    order = correlations.abs().amax(dim=1).argsort(descending=True)
    return order[:MOST_COLUMNS].sort().values


def _given_rest(correlations: torch.Tensor, cells: _Cells) -> tuple[torch.Tensor, torch.Tensor]:
    """By how many deviations cells ``(B, P)`` are off what the others of their rows say.

    And these deviations, which differ from row to row where scores are lacking.
    """
    seen = cells.placed
    if seen.all():
        precision = torch.linalg.inv(correlations)
        deviation = precision.diagonal().rsqrt().clamp_max(1.0)
        return cells.scores @ precision * deviation, deviation.expand_as(seen)
    among = correlations * seen[:, None, :] * seen[:, :, None] + torch.diag_embed(1 - seen)
    precision = torch.linalg.inv(among)
    deviation = precision.diagonal(dim1=1, dim2=2).rsqrt().clamp_max(1.0)
    return (precision @ cells.scores[..., None]).squeeze(-1) * deviation, deviation


def _fitted_law(
    folds: Sequence[_Fold], shrinkage: float, reach: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What deviations are multiplied by ``(P,)``, and the weights ``(P, 3)`` of the mixture.

    By rows of which cells are visible at random, any number of them; and of which columns ``(P,)``
    cells are often tied to what is visible then.
    """
    generator = torch.Generator().manual_seed(_SEED)
    every = []
    for shown, judges in folds:
        share = torch.rand(len(judges.scores), 1, generator=generator)
        visible = torch.rand(judges.scores.shape, generator=generator) < share
        placed = judges.placed > 0
        correlations = _less(shown.correlations(), shrinkage)
        found = conditional(correlations, judges.scores, visible & placed)
        every.append((judges.scores, *found, ~visible & placed))
    scores, mean, deviation, asked = (torch.cat(parts) for parts in zip(*every, strict=True))
    asked = asked & (deviation < reach)
    scales = _scales((scores - mean) / deviation, asked)
    weights = torch.tensor(_FIRST_WEIGHTS, dtype=torch.float64).expand(len(scales), 3)
    parts = torch.stack(
        [
            TiedLaw(mean, deviation * scales, one).density(scores)
            for one in torch.eye(3, dtype=torch.float64)
        ],
        dim=-1,
    )
    for _ in range(_STEPS):
        shares = parts * weights * asked.unsqueeze(-1)
        shares = shares / shares.sum(dim=-1, keepdim=True).clamp_min(1e-300)
        weights = shares.sum(dim=0) + torch.tensor(_PRIOR, dtype=torch.float64)
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return scales, weights, asked.sum(dim=0) >= _FEWEST_CELLS


def _scales(away: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """By how much deviations are too small, ``(P,)``, of cells so many deviations off."""
    squares = torch.where(asked, away**2, torch.nan)
    found = (squares.nanmedian(dim=0).values / _MEDIAN_SQUARE).sqrt().clamp(*_SCALES)
    return torch.where(asked.sum(dim=0) >= _FEWEST_CELLS, found, _SCALES[1])


def _less(correlations: torch.Tensor, shrinkage: float) -> torch.Tensor:
    """Correlations that are smaller by a share."""
    return (1 - shrinkage) * correlations + shrinkage * torch.eye(len(correlations)).double()


def may_be_tied(column: Column, most_echoes: float = _MOST_ECHOES) -> bool:
    """Whether a column is of many numbers of which at most such a share are echoes."""
    echoes = 0 if column.echo is None else column.counts[column.echo]
    has_many = bool(column.bins) or column.num_codes >= _FEWEST_CODES
    is_number = column.kind is ColumnKind.NUMERICAL and has_many
    return is_number and echoes <= most_echoes * sum(column.counts)


def _on_cpu(rows: EncodedTable) -> EncodedTable:
    return rows.to(torch.device('cpu'))
