"""Rows of a Gaussian copula of all columns, which the network of a small table learns first.

How strongly columns go together is seen in some hundred rows, long before a network has found it
there by its steps. As many rows as are asked for show it what a Gaussian copula makes of it
(Nelsen 2006, doi:10.1007/0-387-28678-0): their cells are the table's, each column's as often as
there, and their ranks are those of normal numbers that are correlated as the table's are. All that
is not of that kind is learnt afterwards, from the table itself.

Levels without an order are put in that of the mean of their rows in the first principal component
of all columns, which depends on the orders in turn (optimal scaling: Young 1981,
doi:10.1007/BF02293796). Correlations are shrunk by as much as chance makes of them (Schäfer and
Strimmer 2005, doi:10.2202/1544-6115.1175), so that few rows of many columns follow from no others.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sdv_tabdar.core.copula import scores_of
from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.schema import Column, TableSchema
from sdv_tabdar.core.table import EncodedTable

_FEWEST_ROWS = 30  # that show correlations
_FEWEST_ORDERED = 2  # columns of numbers, or of levels in an order
_ROUNDS = 10  # of optimal scaling
_LEAST_VARIANCE = 1e-9


def copula_rows(
    table: EncodedTable, schema: TableSchema, num_rows: int, *, generator: torch.Generator
) -> EncodedTable | None:
    """Rows that have the table's columns, and what a Gaussian copula says of their dependence.

    Args:
        table: The encoded training table of n rows, on the CPU.
        schema: Its C columns.
        num_rows: How many.
        generator: Source of randomness, on the CPU.

    Returns:
        The rows; None where fewer than two columns are in an order, or n is less than 30.
    """
    ordered = sum(bool(column.uniform) for column in schema.columns)
    if ordered < _FEWEST_ORDERED or len(table) < _FEWEST_ROWS:
        return None
    order = _in_order(table, schema, generator).argsort(dim=0)  # (n, C), which row has each rank
    scores = _normal_scores(order.argsort(dim=0))
    values, vectors = torch.linalg.eigh(_shrunk(scores))
    spread = vectors * values.clamp_min(0).sqrt()
    drawn = torch.randn(num_rows, len(values), generator=generator, dtype=torch.double) @ spread.t()
    ranks = (torch.special.ndtr(drawn) * len(table)).long().clamp_max(len(table) - 1)
    rows = order.gather(0, ranks)
    return EncodedTable(
        table.codes.gather(0, rows),
        table.residuals.gather(0, rows[:, list(schema.numerical)]),
        table.observed.gather(0, rows),
    )


def _in_order(table: EncodedTable, schema: TableSchema, generator: torch.Generator) -> torch.Tensor:
    """Places ``(n, C)`` of the cells in their columns, from 0 to 1; in any order where alike."""
    inside = torch.rand(table.codes.shape, generator=generator, dtype=torch.double)
    residual_of = {position: place for place, position in enumerate(schema.numerical)}
    for position, column in enumerate(schema.columns):
        if column.bins:
            codes = table.codes[:, position]
            in_bin = (codes >= column.bins.start) & (codes < column.bins.stop)
            residuals = table.residuals[:, residual_of[position]].double()
            own = torch.special.ndtr(residuals / SIGMA_DATA)
            inside[:, position] = torch.where(in_bin, own, inside[:, position])
    columns = [
        _places(table.codes[:, position].long(), column, inside[:, position])
        for position, column in enumerate(schema.columns)
    ]
    places = torch.stack(columns, dim=1)
    levels = [at for at, column in enumerate(schema.columns) if not column.uniform]
    return _scaled(places, table.codes[:, levels].long(), levels, inside[:, levels])


def _places(codes: torch.Tensor, column: Column, inside: torch.Tensor) -> torch.Tensor:
    """Places ``(n,)`` of a column's cells; anywhere for those that have none."""
    if not column.uniform:
        return torch.full_like(inside, 0.5)
    low, high = torch.tensor(column.uniform, dtype=torch.double).unbind(dim=1)
    found = low[codes] + (high - low)[codes] * inside
    return torch.where(torch.tensor(column.has_place)[codes], found, inside)


def _scaled(
    places: torch.Tensor, codes: torch.Tensor, levels: Sequence[int], inside: torch.Tensor
) -> torch.Tensor:
    """Places ``(n, C)`` with those of the columns at ``levels``, of ``codes`` ``(n, L)``."""
    for _ in range(_ROUNDS if levels else 0):
        scores = scores_of(places)
        scores = scores - scores.mean(dim=0)
        scores = scores / scores.std(dim=0).clamp_min(_LEAST_VARIANCE)
        component = torch.linalg.eigh(scores.t() @ scores).eigenvectors[:, -1]
        means = scores @ component
        places = places.clone()
        for number, position in enumerate(levels):
            own = codes[:, number]
            counts = own.bincount().double()
            of_level = torch.zeros_like(counts).index_add_(0, own, means) / counts.clamp_min(1)
            order = of_level.argsort()
            shares = counts / len(own)
            low = torch.zeros_like(shares)
            low[order] = shares[order].cumsum(dim=0) - shares[order]
            places[:, position] = low[own] + shares[own] * inside[:, number]
    return places


def _normal_scores(ranks: torch.Tensor) -> torch.Tensor:
    """Normal scores of ranks from 0 to n - 1 in each column."""
    return torch.special.ndtri((ranks.double() + 0.5) / len(ranks))


def _shrunk(scores: torch.Tensor) -> torch.Tensor:
    """Correlations ``(C, C)`` of scores ``(n, C)``, less what chance makes of them."""
    found = torch.atleast_2d(torch.corrcoef(scores.t())).nan_to_num(0.0)
    others = ~torch.eye(len(found), dtype=torch.bool)
    squares = found[others] ** 2
    by_chance = (1 - squares) ** 2 / max(len(scores) - 1, 1)
    share = (by_chance.sum() / squares.sum().clamp_min(_LEAST_VARIANCE)).clamp(0, 1)
    found = (1 - share) * found
    return found.fill_diagonal_(1.0)
