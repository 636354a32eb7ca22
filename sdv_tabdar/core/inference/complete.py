"""Sampling, conditional sampling and imputation: one function, :func:`complete`.

It fills the cells that ``table.observed`` leaves hidden, column by column, in a random order
that each chunk of rows draws anew (Algorithms 'Unconditional Generation' and 'Conditional
Generation' of the paper). Where nothing is observed, that is sampling; where some columns are
observed in all rows, conditional sampling; where each row has its own observed cells, imputation.

Cells known in part (an interval, a set) come first, see
:mod:`~sdv_tabdar.core.inference.particles`. What is drawn comes from the heads, through
:mod:`~sdv_tabdar.core.inference.column`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.alike import MANY_ROWS, drawn_while_alike
from sdv_tabdar.core.inference.chunk import Chunk, row_index, rows_of_chunk
from sdv_tabdar.core.inference.column import draw_cells
from sdv_tabdar.core.inference.particles import Restrictions, draw_column, draw_restricted
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.threads import workers
from sdv_tabdar.core.table import EncodedTable

_PARTICLE_CHUNKS = 4  # so many times more particles than rows: they have fewer tokens


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
        num_copies: Every so many consecutive rows are copies of one. Their draws are stratified,
            so that their mean has a lower variance than that of independent draws; the
            distribution of a single draw is the same.
        progress: Called with the number of rows finished, after each chunk.

    Returns:
        The table with its observed cells untouched and all others filled.
    """
    num_rows, num_columns = table.codes.shape
    device, num_restricted = network.pad.device, len(restrictions or {})
    size = _chunk_size(config, num_rows, num_columns, device, num_restricted=num_restricted)
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
    with workers(len(tasks), generator.device, single=True) as team:
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
    fixed = network.fixed_order
    first = {} if fixed else restrictions  # a fixed order leaves them in their places
    is_known = num_copies > 1 or bool(restrictions) or bool(table.observed.any())
    if is_known or len(table) < MANY_ROWS:
        # Known cells enter the cache once for all copies of a row.
        chunk = Chunk(network, table.rows(slice(None, None, num_copies)))
        if num_copies > 1:
            copies = torch.arange(len(table), device=generator.device)
            chunk.select(copies.div(num_copies, rounding_mode='floor'))
        sizes = draw_restricted(chunk, first, config=config, generator=generator)
        order = network.draw_order(generator=generator)
    else:
        sizes = torch.full((len(table),), torch.nan)
        order = network.draw_order(generator=generator)
        chunk = drawn_while_alike(network, table, order, config=config, generator=generator)
    for position in order:
        if fixed and position in restrictions:
            pieces = [piece for piece in restrictions[position] if piece is not None]
            rows = torch.tensor([piece is not None for piece in restrictions[position]])
            draw_column(chunk, position, rows, pieces, config=config, generator=generator)
        hidden = ~chunk.observed[:, position]
        if not hidden.any():
            continue
        places = row_index(hidden)
        codes, residuals = draw_cells(
            network,
            position,
            chunk.context(position, places),
            possible=chunk.possible(position, places),
            config=config,
            generator=generator,
            group=num_copies if num_copies > 1 else None,
        )
        chunk.put(position, places, codes, residuals)
    return Completion(EncodedTable(chunk.codes, chunk.residuals, chunk.observed), sizes)


def _chunk_size(
    config: SamplingConfig,
    num_rows: int,
    num_columns: int,
    device: torch.device,
    *,
    num_restricted: int,
) -> int:
    """Rows of a chunk: fewer where each may become a set of particles."""
    rows = rows_of_chunk(config, num_rows, num_columns, device)
    if num_restricted > 1:
        rows = min(rows, max(_PARTICLE_CHUNKS * rows // config.num_particles, 1))
    return rows
