"""Rows whose cells become known one column after the other, and the cutting of tables into them."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.nn.heads.tied import with_ties
from sdv_tabdar.core.nn.incremental import Cache
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.table import EncodedTable

_USUAL_COLUMNS = 15
_CHUNK_TOKENS = 2**15  # that go through the network together on a CPU, as its caches hold, or ...
_FEW_ROWS, _MOST_TOKENS = 512, 2**17  # ... of tables of which these were fewer rows than this
_GPU_TOKENS = 2**19  # on a GPU: more work for a kernel than for Python, which launches the next
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
        # What the cache holds after [pad], in order: columns, and crosses as C + their number.
        self._cached: list[int] = []
        self._cache = Cache(network, num_rows)
        self._crossed = self.observed.new_zeros(num_rows, len(network.crosses))
        if not network.is_causal:
            for position in range(num_columns):
                self._insert(position, self.observed[:, position])
        elif self.observed.any():
            known = network.crosses(self.codes)[1]
            self._crossed = known & network.crosses.observed(self.observed)
            start = EncodedTable(self.codes, self.residuals, self.observed)
            self._cached = self._cache.start(start, self._crossed)

    def __len__(self) -> int:
        """Number of rows, B."""
        return len(self.codes)

    def context(self, position: int, rows: Rows) -> torch.Tensor:
        """Contexts ``(N, D)`` of the cells of one column in some rows, given the known cells."""
        context = self._cache.context(position, rows)
        ties = self.network.ties
        if ties is None:
            return context
        known = EncodedTable(self.codes[rows], self.residuals[rows], self.observed[rows])
        return with_ties(context, ties.beside(known, position))

    def possible(self, position: int, rows: Rows) -> torch.Tensor | None:
        """The codes ``(N, K)`` that these cells may have beside the known ones; None for all."""
        return self.network.possible.beside(position, self.codes, self.observed, rows)

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
        self._crossed = self._crossed[index]
        self._cache.select(index)

    def _insert(self, position: int, marked: torch.Tensor) -> None:
        """Insert the cells of one column into the cache, in the rows ``marked`` ``(B,)``."""
        if not marked.any():
            return
        rows = row_index(marked)
        residuals = None
        if position in self._numerical:
            residuals = self.residuals[rows, self._numerical[position]]
        codes, place = self.codes[rows, position], self._place(position)
        self._cache.insert_cells(place, rows, position, codes, residuals)
        for number, members in enumerate(self.network.crosses.members):
            if position in members:
                self._insert_cross(number, marked)

    def _insert_cross(self, number: int, marked: torch.Tensor) -> None:
        """Insert a cross into the cache, where it is known among the rows ``marked`` ``(B,)``."""
        members = self.network.crosses.members[number]
        marked = marked & self.observed[:, members].all(dim=1) & ~self._crossed[:, number]
        if not marked.any():
            return
        levels, known = self.network.crosses.levels_of(number, self.codes)
        marked = marked & known
        if marked.any():
            place, rows = self._place(self.codes.shape[1] + number), row_index(marked)
            self._crossed[:, number] |= marked
            self._cache.insert_cross(place, rows, number, levels[rows])

    def _place(self, key: int) -> int:
        """The place in the cache of a column, or of cross x for C + x."""
        if key not in self._cached:
            self._cached.append(key)
        return self._cached.index(key) + 1


def row_index(marked: torch.Tensor) -> Rows:
    """The rows marked in ``(B,)``: a slice, which needs no copies, where it is all of them."""
    return slice(None) if marked.all() else marked.nonzero().squeeze(1)


def rows_at_once(config: SamplingConfig, num_columns: int, device: torch.device) -> int:
    """Rows that go through the network together, of a table with ``num_columns`` columns."""
    tokens, least = (_GPU_TOKENS, 1) if device.type != 'cpu' else (_CHUNK_TOKENS, _FEW_ROWS)
    asked = config.sampling_batch_size or tokens // (_USUAL_COLUMNS + 1)
    usual, most = (number // (num_columns + 1) for number in (tokens, _MOST_TOKENS))
    return max(min(asked, max(usual, min(most, least))), 1)


def rows_of_chunk(
    config: SamplingConfig, num_rows: int, num_columns: int, device: torch.device
) -> int:
    """Rows of a chunk in which all rows follow one order of the columns.

    A small table is cut as well, so that its rows do not all follow the same order.
    """
    rows = rows_at_once(config, num_columns, device)
    return min(rows, max(num_rows // _MIN_ORDERS, _MIN_CHUNK))


def table_chunks(
    table: EncodedTable, network: TabDARNetwork, config: SamplingConfig
) -> Iterator[EncodedTable]:
    """Parts of a table that go through the network together, on the network's device."""
    size = rows_at_once(config, table.codes.shape[1], network.pad.device)
    for start in range(0, len(table), size):
        yield table.rows(slice(start, start + size)).to(network.pad.device)
