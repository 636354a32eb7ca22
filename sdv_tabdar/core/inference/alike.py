"""The first columns of rows of which nothing is known: rows that are alike so far are one row.

All rows of a chunk are drawn in the same order. Before the first column there is one context for
all of them, behind it one for each of its codes, and so on: contexts are those of the distinct
beginnings of rows, as long as these are few. What is drawn is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import Chunk
from sdv_tabdar.core.inference.column import draw_cells
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

MANY_ROWS = 1024  # from which it is worth while to look for those that are alike
_FEW = 0.5  # distinct beginnings, by the number of rows


def drawn_while_alike(
    network: TabDARNetwork,
    table: EncodedTable,
    order: Sequence[int],
    *,
    config: SamplingConfig,
    generator: torch.Generator,
) -> Chunk:
    """Draw columns of rows as long as many of these are the same.

    Args:
        network: The network.
        table: B rows without an observed cell.
        order: In which the columns are drawn.
        config: Sampling settings.
        generator: Source of randomness.

    Returns:
        The rows, of which the first columns are known.
    """
    chunk, every = Chunk(network, table.rows(slice(1))), slice(None)
    beginning = torch.zeros(len(table), dtype=torch.long, device=chunk.codes.device)
    for position in order:
        possible = chunk.possible(position, every)
        codes, residuals = draw_cells(
            network,
            position,
            chunk.context(position, every)[beginning],
            possible=None if possible is None else possible[beginning],
            config=config,
            generator=generator,
        )
        num_codes = network.schema.columns[position].num_codes
        distinct, place = (beginning * num_codes + codes).unique(return_inverse=True)
        if residuals.any() or len(distinct) > _FEW * len(table):
            chunk.select(beginning)
            chunk.put(position, every, codes, residuals)
            return chunk
        chunk.select(distinct.div(num_codes, rounding_mode='floor'))
        chunk.put(position, every, distinct % num_codes, residuals[: len(distinct)])
        beginning = place
    chunk.select(beginning)
    return chunk
