"""Rows whose cells become known one column after the other, and the cutting of tables into them."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.nn.cache import Rows
from sdv_tabdar.core.nn.incremental import cached_context, empty_cache, insert_cells
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

_MIN_ORDERS = 8  # chunks that a table is cut into, unless they would be smaller than ...
_MIN_CHUNK = 256  # ... this


class Chunk:
    """B rows with the attention cache of their known cells.

    Attributes:
        network: The network.
        codes: ``(B, C)``.
        residuals: ``(B, C_num)``.
        observed: ``(B, C)`` bool, which cells are known.
    """

    def __init__(self, network: TabDARNetwork, table: EncodedTable) -> None:
        """Start from the observed cells of a table, which is copied."""
        self.network = network
        self.codes, self.residuals = table.codes.clone(), table.residuals.clone()
        self.observed = table.observed.clone()
        num_rows, num_columns = self.codes.shape
        self._numerical = {column: i for i, column in enumerate(network.schema.numerical)}
        self._cached: list[int] = []  # columns in the order of their places, behind [pad]'s
        self._cache = empty_cache(network, num_rows)
        for position in range(num_columns):
            self._insert(position, self.observed[:, position])

    def __len__(self) -> int:
        """Number of rows, B."""
        return len(self.codes)

    def context(self, position: int, rows: Rows) -> torch.Tensor:
        """Contexts ``(N, D)`` of the cells of one column in some rows, given the known cells."""
        return cached_context(self.network, self._cache, position, rows)

    def put(
        self, position: int, rows: Rows, codes: torch.Tensor, residuals: torch.Tensor | None
    ) -> None:
        """Make cells of one column known.

        Args:
            position: The column.
            rows: Which N rows; the column is not known in any of them yet.
            codes: ``(N,)``.
            residuals: ``(N,)``; may be None in a categorical column.
        """
        self.codes[rows, position] = codes.to(self.codes.dtype)
        if position in self._numerical:
            assert residuals is not None
            self.residuals[rows, self._numerical[position]] = residuals
        self.observed[rows, position] = True
        marked = torch.zeros(len(self), dtype=torch.bool, device=self.codes.device)
        marked[rows] = True
        self._insert(position, marked & ~self.observed.all(dim=1))

    def select(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        self.codes, self.residuals = self.codes[index], self.residuals[index]
        self.observed = self.observed[index]
        self._cache.select(index)

    def _insert(self, position: int, marked: torch.Tensor) -> None:
        """Insert the cells of one column into the cache, in the rows ``marked`` ``(B,)``."""
        if not marked.any():
            return
        if position not in self._cached:
            self._cached.append(position)
        place, rows = self._cached.index(position) + 1, row_index(marked)
        residuals = None
        if position in self._numerical:
            residuals = self.residuals[rows, self._numerical[position]]
        codes = self.codes[rows, position]
        insert_cells(self.network, self._cache, place, rows, position, codes, residuals)


def row_index(marked: torch.Tensor) -> Rows:
    """The rows marked in ``(B,)``: a slice, which needs no copies, where it is all of them."""
    return slice(None) if marked.all() else marked.nonzero().squeeze(1)


def rows_of_chunk(config: SamplingConfig, num_rows: int, num_columns: int) -> int:
    """Rows of a chunk in which all rows follow one order of the columns.

    A small table is cut as well, so that its rows do not all follow the same order.
    """
    return min(config.rows_at_once(num_columns), max(num_rows // _MIN_ORDERS, _MIN_CHUNK))


def table_chunks(
    table: EncodedTable, network: TabDARNetwork, config: SamplingConfig
) -> Iterator[EncodedTable]:
    """Parts of a table that go through the network together, on the network's device."""
    size = config.rows_at_once(table.codes.shape[1])
    for start in range(0, len(table), size):
        yield table.rows(slice(start, start + size)).to(network.pad.device)
