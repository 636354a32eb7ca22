"""Rows with cells known in part: an interval, a set.

One such cell is drawn from its conditional distribution, truncated. Several in one row: every row
becomes a set of particles, each restricted cell multiplies a particle's weight by the probability
of the restriction given the cells before it, and particles are resampled by weight (sequential
importance sampling with resampling; Doucet, de Freitas and Gordon 2001,
doi:10.1007/978-1-4757-3437-9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import Chunk, row_index
from sdv_tabdar.core.inference.column import draw_pieces
from sdv_tabdar.core.masking import random_order

Restrictions = Mapping[int, Sequence[Pieces | None]]
"""For a column's position, what its cells may be: one entry a row, None = anything."""


def draw_restricted(
    chunk: Chunk,
    restrictions: Restrictions,
    *,
    config: SamplingConfig,
    generator: torch.Generator,
) -> torch.Tensor:
    """Draw the restricted cells of rows.

    Args:
        chunk: B rows; their restricted cells become known.
        restrictions: Of these rows; at least one entry of each column is not None.
        config: Sampling settings.
        generator: Source of randomness.

    Returns:
        ``(B,)`` effective sample sizes of rows with several restricted cells, NaN for the others.
    """
    num_rows, device = len(chunk), generator.device
    sizes = torch.full((num_rows,), torch.nan)
    if not restrictions:
        return sizes
    restricted = restricted_cells(chunk.codes.shape, restrictions)
    several = restricted.sum(dim=1) > 1
    copies = torch.where(several, config.num_particles, 1)
    parents = torch.arange(num_rows).repeat_interleave(copies)
    chunk.select(parents.to(device))
    log_weights = torch.zeros(len(parents))
    order = random_order(restricted.shape[1], generator=generator)
    for position in [column for column in order if column in restrictions]:
        rows = restricted[parents, position]
        pieces = [restrictions[position][parent] for parent in parents[rows].tolist()]
        log_weights[rows] += draw_column(
            chunk, position, rows, pieces, config=config, generator=generator
        )
        sizes = _effective_sizes(log_weights, parents, num_rows)
        depleted = several & (sizes < config.num_particles / 2)
        chosen = _resampled(log_weights, parents, copies, generator)
        if depleted.any():
            keep = torch.where(depleted[parents], chosen, torch.arange(len(parents)))
            chunk.select(keep.to(device))
            log_weights[depleted[parents]] = 0
    final = _resampled(log_weights, parents, copies, generator)
    first = copies.cumsum(0) - copies
    chunk.select(final[first].to(device))
    return torch.where(several, sizes, torch.nan)


def restricted_cells(shape: tuple[int, ...], restrictions: Restrictions) -> torch.Tensor:
    """``(B, C)`` bool of that shape, True = the cell is known in part."""
    restricted = torch.zeros(shape, dtype=torch.bool)
    for position, pieces in restrictions.items():
        restricted[:, position] = torch.tensor([piece is not None for piece in pieces])
    return restricted


def draw_column(
    chunk: Chunk,
    position: int,
    marked: torch.Tensor,
    pieces: Sequence[Pieces | None],
    *,
    config: SamplingConfig,
    generator: torch.Generator,
) -> torch.Tensor:
    """Draw one column in N marked rows of a chunk, given the cells known so far.

    Args:
        chunk: B rows; the drawn cells become known.
        position: The column.
        marked: ``(B,)`` bool, True in N rows.
        pieces: What each of their cells may be.
        config: Sampling settings.
        generator: Source of randomness.

    Returns:
        Log probabilities ``(N,)`` of the pieces, on the CPU.
    """
    rows = row_index(marked.to(generator.device))
    codes, residuals, log_mass = draw_pieces(
        chunk.network,
        position,
        chunk.context(position, rows),
        [piece for piece in pieces if piece is not None],
        possible=chunk.possible(position, rows),
        config=config,
        generator=generator,
    )
    chunk.put(position, rows, codes, residuals)
    return log_mass.cpu()


def _effective_sizes(
    log_weights: torch.Tensor, parents: torch.Tensor, num_rows: int
) -> torch.Tensor:
    """(sum w)^2 / sum w^2 over the particles of each row, ``(num_rows,)``."""
    weights = _scaled_weights(log_weights, parents, num_rows)
    total = torch.zeros(num_rows, dtype=weights.dtype).index_add_(0, parents, weights)
    squares = torch.zeros(num_rows, dtype=weights.dtype).index_add_(0, parents, weights**2)
    return (total**2 / squares).float()


def _scaled_weights(
    log_weights: torch.Tensor, parents: torch.Tensor, num_rows: int
) -> torch.Tensor:
    """Weights relative to the greatest of the same row, float64."""
    greatest = torch.full((num_rows,), -torch.inf).scatter_reduce_(
        0, parents, log_weights, reduce='amax'
    )
    return (log_weights - greatest[parents]).double().exp()


def _resampled(
    log_weights: torch.Tensor,
    parents: torch.Tensor,
    copies: torch.Tensor,
    generator: torch.Generator,
) -> torch.Tensor:
    """For every particle the one of the same row that takes its place, drawn by weight.

    Systematic resampling: one uniform number a row, equally spaced points of the distribution
    function of its particles; a random rotation makes the first particle a fair draw by itself.
    """
    num_rows = len(copies)
    weights = _scaled_weights(log_weights, parents, num_rows)
    total = torch.zeros(num_rows, dtype=weights.dtype).index_add_(0, parents, weights)
    shares = (weights / total[parents]).cumsum(0)
    first = copies.cumsum(0) - copies
    before = shares[first] - (weights / total[parents])[first]
    uniform = torch.rand(num_rows, generator=generator, device=generator.device).cpu().double()
    rank = torch.arange(len(parents)) - first[parents]
    points = (uniform[parents] + rank / copies[parents]) % 1
    chosen = torch.searchsorted(shares, before[parents] + points, right=True)
    last = first + copies - 1
    return torch.minimum(torch.maximum(chosen, first[parents]), last[parents])
