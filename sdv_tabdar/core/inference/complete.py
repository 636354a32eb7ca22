"""Sampling, conditional sampling and imputation: one function, :func:`complete`.

It fills the cells that ``table.observed`` leaves hidden, column by column, in a random order
that each chunk of rows draws anew (Algorithms 'Unconditional Generation' and 'Conditional
Generation' of the paper). Nothing observed: rows. Some columns observed everywhere: conditional
rows. Another set in every row: imputation.

Cells known in part (an interval, a set) come first. One such cell is drawn from its truncated
conditional law: codes are renormalised, and a bin cut by an end of an interval is entered
through the distribution function of the nested diffusion. Several in one row: every row becomes
a set of particles, each restricted cell multiplies a particle's weight by the probability of the
restriction given the cells before it, and particles are resampled by weight (sequential
importance sampling with resampling; Doucet, de Freitas and Gordon 2001,
doi:10.1007/978-1-4757-3437-9).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.masking import column_order, random_order
from sdv_tabdar.core.nn.heads import Flow, draw_categorical
from sdv_tabdar.core.nn.incremental import cached_context, empty_cache, insert_cells
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import split_generator, stratified_normals, stratified_uniforms
from sdv_tabdar.core.runtime.threads import workers
from sdv_tabdar.core.table import EncodedTable

_MIN_ORDERS = 8  # chunks that a table is cut into, unless they would be smaller than ...
_MIN_CHUNK = 256  # ... this
_PARTICLE_CHUNKS = 4  # particles are few tokens long, so that more of them fit
_TINY = 1e-300  # stands for a probability of zero, of which there is no logarithm

Restrictions = Mapping[int, Sequence[Pieces | None]]
"""For a column's position, what its cells may be: one entry a row, None = anything."""


@dataclasses.dataclass(frozen=True)
class Completion:
    """A completed table.

    Attributes:
        table: Every cell is observed.
        effective_sample_size: ``(B,)`` effective number of particles of rows with several
            restricted cells; NaN for the others, which are exact.
    """

    table: EncodedTable
    effective_sample_size: torch.Tensor


def complete(
    network: TabDARNetwork,
    table: EncodedTable,
    *,
    config: SamplingConfig,
    generator: torch.Generator,
    restrictions: Restrictions | None = None,
    num_copies: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Completion:
    """Fill the hidden cells of a table by draws from the model.

    Args:
        network: A trained network on the device of ``generator``.
        table: Codes and residuals of the observed cells; the others are ignored.
        config: Solver and chunk size.
        generator: Source of all randomness.
        restrictions: Cells known in part; they must be hidden in ``table``.
        num_copies: Every so many rows are the same and stand for one: their draws are spread
            evenly over its law, so that their mean is closer to its expectation than that of
            independent ones. A single draw has the law it always has.
        progress: Called with the number of rows finished, after each chunk.

    Returns:
        The table with its observed cells untouched and all others filled.
    """
    size = _chunk_size(config, *table.codes.shape, num_restricted=len(restrictions or {}))
    size = -(-size // num_copies) * num_copies
    starts = range(0, len(table), size)
    tasks = []
    for start, chunk_generator in zip(starts, split_generator(generator, len(starts)), strict=True):
        rows = slice(start, start + size)
        part = {
            position: pieces[rows]
            for position, pieces in (restrictions or {}).items()
            if any(piece is not None for piece in pieces[rows])
        }
        hidden = table.rows(rows)
        tasks.append(
            functools.partial(
                _completed_chunk, network, hidden, config, chunk_generator, part, num_copies
            )
        )
    chunks = []
    with workers(len(tasks), generator.device) as team:
        for chunk in team.run(tasks):
            chunks.append(chunk)
            if progress is not None:
                progress(len(chunk.table))
    if not chunks:
        return Completion(table, torch.zeros(0))
    completed = EncodedTable(
        torch.cat([chunk.table.codes for chunk in chunks]),
        torch.cat([chunk.table.residuals for chunk in chunks]),
        torch.cat([chunk.table.observed for chunk in chunks]),
    )
    return Completion(completed, torch.cat([chunk.effective_sample_size for chunk in chunks]))


@torch.inference_mode()
def _completed_chunk(
    network: TabDARNetwork,
    table: EncodedTable,
    config: SamplingConfig,
    generator: torch.Generator,
    restrictions: Restrictions,
    num_copies: int,
) -> Completion:
    """As :func:`complete`, for rows that go through the network together."""
    table = table.to(generator.device)
    # What is known is looked at once for all copies of a row.
    chunk = _Chunk(
        network, table.rows(slice(None, None, num_copies)), config, generator, num_copies
    )
    if num_copies > 1:
        rows = torch.arange(len(table), device=generator.device)
        chunk.select(rows.div(num_copies, rounding_mode='floor'))
    sizes = _draw_restricted(chunk, restrictions)
    for position in column_order(
        len(network.schema.columns), fixed=network.fixed_order, generator=generator
    ):
        chunk.draw(position, ~chunk.observed[:, position])
    return Completion(EncodedTable(chunk.codes, chunk.residuals, chunk.observed), sizes)


def _chunk_size(
    config: SamplingConfig, num_rows: int, num_columns: int, *, num_restricted: int
) -> int:
    """Rows of a chunk: fewer where each may become a set of particles, or where all are few.

    A small table is cut as well, so that its rows do not all follow the same order.
    """
    rows = min(config.rows_at_once(num_columns), max(num_rows // _MIN_ORDERS, _MIN_CHUNK))
    if num_restricted > 1:
        rows = min(rows, max(_PARTICLE_CHUNKS * rows // config.num_particles, 1))
    return rows


class _Chunk:
    """Rows being filled.

    ``slots`` lists the columns known in some row; the token of slot s stands at place s + 1 of
    the cache, behind ``[pad]``.
    """

    def __init__(
        self,
        network: TabDARNetwork,
        table: EncodedTable,
        config: SamplingConfig,
        generator: torch.Generator,
        num_copies: int,
    ) -> None:
        self.network, self.config, self.generator = network, config, generator
        self.group = num_copies if num_copies > 1 else None
        self.codes, self.residuals = table.codes.clone(), table.residuals.clone()
        self.observed = table.observed.clone()
        num_rows, num_columns = self.codes.shape
        self.numerical = {column: i for i, column in enumerate(network.schema.numerical)}
        self.slots: list[int] = []
        self.cache = empty_cache(network, num_rows)
        for position in range(num_columns):
            self._insert(position, self.observed[:, position])

    def draw(
        self, position: int, rows: torch.Tensor, pieces: Sequence[Pieces | None] | None = None
    ) -> torch.Tensor | None:
        """Fill one column in the rows marked in ``rows`` ``(B,)``.

        Returns:
            With ``pieces`` (one for each marked row), the log probability ``(N,)`` of meeting
            them; else None.
        """
        if not rows.any():
            return None
        index = None if rows.all() else rows.nonzero().squeeze(1)
        where = slice(None) if index is None else index
        context = cached_context(self.network, self.cache, position, where)
        weight = None
        if pieces is None:
            codes, residuals = _draw_cells(self, position, context)
        else:
            codes, residuals, weight = _draw_pieces(self, position, context, pieces)
        self.codes[where, position] = codes.to(self.codes.dtype)
        if position in self.numerical:
            self.residuals[where, self.numerical[position]] = residuals
        self.observed[where, position] = True
        self._insert(position, rows & ~self.observed.all(dim=1))
        return weight

    def flow(self, position: int, context: torch.Tensor, codes: torch.Tensor) -> Flow:
        """The map between noise and residuals of cells of one column."""
        return self.network.residual_head.flow(
            context,
            position,
            codes=codes,
            num_steps=self.config.num_steps,
            sigma_max=self.config.sigma_max,
        )

    def select(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        self.codes, self.residuals = self.codes[index], self.residuals[index]
        self.observed = self.observed[index]
        self.cache.select(index)

    def _insert(self, position: int, rows: torch.Tensor) -> None:
        if not rows.any():
            return
        if position not in self.slots:
            self.slots.append(position)
        place = self.slots.index(position) + 1
        index = slice(None) if rows.all() else rows.nonzero().squeeze(1)
        residuals = None
        if position in self.numerical:
            residuals = self.residuals[index, self.numerical[position]]
        codes = self.codes[index, position]
        insert_cells(self.network, self.cache, place, index, position, codes, residuals)


def _draw_restricted(chunk: _Chunk, restrictions: Restrictions) -> torch.Tensor:
    """Draw the restricted cells of a chunk; returns the effective sample sizes ``(B,)``."""
    num_rows, device = len(chunk.codes), chunk.generator.device
    sizes = torch.full((num_rows,), torch.nan)
    if not restrictions:
        return sizes
    restricted = torch.zeros(num_rows, len(chunk.network.schema.columns), dtype=torch.bool)
    for position, pieces in restrictions.items():
        restricted[:, position] = torch.tensor([piece is not None for piece in pieces])
    several = restricted.sum(dim=1) > 1
    copies = torch.where(several, chunk.config.num_particles, 1)
    parents = torch.arange(num_rows).repeat_interleave(copies)
    chunk.select(parents.to(device))
    log_weights = torch.zeros(len(parents))
    order = random_order(restricted.shape[1], generator=chunk.generator)
    for position in [column for column in order if column in restrictions]:
        rows = restricted[parents, position]
        pieces = restrictions[position]
        weight = chunk.draw(
            position, rows.to(device), [pieces[parent] for parent in parents[rows].tolist()]
        )
        assert weight is not None
        log_weights[rows] += weight.cpu()
        sizes = _effective_sizes(log_weights, parents, num_rows)
        depleted = several & (sizes < chunk.config.num_particles / 2)
        chosen = _resampled(log_weights, parents, copies, chunk.generator)
        if depleted.any():
            keep = torch.where(depleted[parents], chosen, torch.arange(len(parents)))
            chunk.select(keep.to(device))
            log_weights[depleted[parents]] = 0
    final = _resampled(log_weights, parents, copies, chunk.generator)
    first = copies.cumsum(0) - copies
    chunk.select(final[first].to(device))
    return torch.where(several, sizes, torch.nan)


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


def _draw_cells(
    chunk: _Chunk, position: int, context: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes and residuals ``(N,)`` of one column, from contexts ``(N, D)``."""
    codes = chunk.network.code_head.sample(
        context, position, generator=chunk.generator, group=chunk.group
    )
    residuals = torch.zeros(len(codes), device=codes.device)
    bins = chunk.network.schema.columns[position].bins
    if bins:
        noise = stratified_normals(len(codes), generator=chunk.generator, group=chunk.group)
        in_bin = ((codes >= bins.start) & (codes < bins.stop)).nonzero().squeeze(1)
        flow = chunk.flow(position, context[in_bin], codes[in_bin])
        residuals[in_bin] = flow.to_data(noise[in_bin])
    return codes, residuals


def _draw_pieces(
    chunk: _Chunk, position: int, context: torch.Tensor, pieces: Sequence[Pieces | None]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Codes, residuals and log probabilities ``(N,)`` of cells limited to ``pieces``."""
    codes, low, high, share = _stacked(pieces, context.device)
    low_cdf = _ends_cdf(chunk, position, context, codes, low)
    high_cdf = _ends_cdf(chunk, position, context, codes, high)
    logs = chunk.network.code_head.logits(context, position).log_softmax(dim=1)
    within = ((high_cdf - low_cdf) * share).clamp_min(_TINY)
    log_mass = logs.gather(1, codes).double() + within.log()
    chosen = draw_categorical(log_mass, generator=chunk.generator)[:, None]
    codes, low, high, low_cdf, high_cdf = (
        values.gather(1, chosen).squeeze(1) for values in (codes, low, high, low_cdf, high_cdf)
    )
    uniform = stratified_uniforms(len(codes), generator=chunk.generator, dtype=torch.float64)
    place = low_cdf + uniform * (high_cdf - low_cdf)
    noise = torch.special.ndtri(place.clamp(1e-12, 1 - 1e-12)).float()
    residuals = torch.zeros(len(codes), device=codes.device)
    bins = chunk.network.schema.columns[position].bins
    in_bin = ((codes >= bins.start) & (codes < bins.stop)).nonzero().squeeze(1)
    if len(in_bin):
        drawn = chunk.flow(position, context[in_bin], codes[in_bin]).to_data(noise[in_bin])
        residuals[in_bin] = drawn.clamp(low[in_bin].float(), high[in_bin].float())
    return codes, residuals, log_mass.logsumexp(dim=1).float()


def _stacked(
    pieces: Sequence[Pieces | None], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Codes, lower ends, upper ends and shares ``(N, P)`` of N cells' pieces.

    Cells with fewer than P pieces repeat code 0 with a share of 0.
    """
    distinct = list({id(piece): piece for piece in pieces if piece is not None}.values())
    number = {id(piece): index for index, piece in enumerate(distinct)}
    shape = (len(distinct), max(len(piece.codes) for piece in distinct))
    codes = np.zeros(shape, dtype=np.int64)
    low, high, share = np.full(shape, -np.inf), np.full(shape, np.inf), np.zeros(shape)
    for row, piece in enumerate(distinct):
        size = len(piece.codes)
        codes[row, :size], share[row, :size] = piece.codes, piece.share
        low[row, :size], high[row, :size] = piece.low, piece.high
    rows = torch.tensor([number[id(piece)] for piece in pieces])
    codes_, low_, high_, share_ = (
        torch.from_numpy(values)[rows].to(device) for values in (codes, low, high, share)
    )
    return codes_, low_, high_, share_


def _ends_cdf(
    chunk: _Chunk, position: int, context: torch.Tensor, codes: torch.Tensor, ends: torch.Tensor
) -> torch.Tensor:
    """Distribution function ``(N, P)`` at ends of pieces, 0 at -inf and 1 at inf; float64."""
    cdf = torch.special.ndtr(ends)
    rows, places = ends.isfinite().nonzero(as_tuple=True)
    if len(rows):
        flow = chunk.flow(position, context[rows], codes[rows, places])
        noise = flow.to_noise(ends[rows, places].float())
        cdf[rows, places] = torch.special.ndtr(noise.double())
    return cdf
