"""A chunk's contexts are those of its known cells, and tables are cut without loss."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import (
    Chunk,
    row_index,
    rows_at_once,
    rows_of_chunk,
    table_chunks,
)
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable


def _started(network: TabDARNetwork, encoded: EncodedTable) -> Chunk:
    """Twenty rows; 'colour' is known in all of them, 'flag' in the odd ones."""
    rows = encoded.rows(slice(20))
    observed = torch.zeros_like(rows.observed)
    observed[:, 1], observed[1::2, 4] = True, True
    return Chunk(network, EncodedTable(rows.codes, rows.residuals, observed))


def _whole(chunk: Chunk) -> torch.Tensor:
    return chunk.network.contexts(EncodedTable(chunk.codes, chunk.residuals, chunk.observed))


def test_contexts_are_those_of_the_known_cells(
    network: TabDARNetwork, encoded: EncodedTable
) -> None:
    chunk = _started(network, encoded)
    rows = torch.tensor([3, 0, 7])
    assert torch.allclose(chunk.context(2, rows), _whole(chunk)[rows, 2], atol=1e-4)


def test_what_is_put_is_known_from_then_on(network: TabDARNetwork, encoded: EncodedTable) -> None:
    chunk = _started(network, encoded)
    codes, residuals = encoded.codes[40:60, 0], encoded.residuals[40:60, 0]
    chunk.put(0, slice(None), codes, residuals)
    some = torch.tensor([2, 6])
    chunk.put(4, some, encoded.codes[some, 4], None)
    assert torch.equal(chunk.codes[:, 0], codes)
    assert torch.equal(chunk.residuals[:, 0], residuals)
    assert bool(chunk.observed[:, 0].all())
    assert chunk.observed[:, 4].nonzero().squeeze(1).tolist() == sorted({*range(1, 20, 2), 2, 6})
    assert torch.allclose(chunk.context(3, slice(None)), _whole(chunk)[:, 3], atol=1e-4)


def test_the_given_table_is_not_written_to(network: TabDARNetwork, encoded: EncodedTable) -> None:
    table = encoded.rows(slice(20))
    before = [part.clone() for part in dataclasses.astuple(table)]
    chunk = _started(network, encoded)
    chunk.put(0, slice(None), table.codes[:, 0] * 0, table.residuals[:, 0] + 1)
    for part, kept in zip(dataclasses.astuple(table), before, strict=True):
        assert torch.equal(part, kept)


def test_selected_rows_keep_what_they_know(network: TabDARNetwork, encoded: EncodedTable) -> None:
    chunk = _started(network, encoded)
    index = torch.tensor([4, 4, 1])
    expected = chunk.context(0, slice(None))[index].clone()
    chunk.select(index)
    assert len(chunk) == 3
    assert torch.allclose(chunk.context(0, slice(None)), expected, atol=1e-5)


def test_all_rows_are_a_slice() -> None:
    assert row_index(torch.ones(3, dtype=torch.bool)) == slice(None)
    some = row_index(torch.tensor([True, False, True]))
    assert isinstance(some, torch.Tensor)
    assert some.tolist() == [0, 2]


def test_small_tables_are_cut_so_that_orders_differ() -> None:
    config, cpu = SamplingConfig(sampling_batch_size=1000), torch.device('cpu')
    assert [rows_of_chunk(config, rows, 5, cpu) for rows in (10, 4000, 10**6)] == [256, 500, 1000]
    sizes = [rows_of_chunk(config, 10**6, columns, cpu) for columns in (63, 200, 2**17)]
    assert sizes == [512, 512, 1]


@pytest.mark.parametrize(
    ('device', 'rows'),
    [('cpu', [2048, 2048, 512, 512, 1]), ('cuda', [32768, 32768, 8192, 2608, 3])],
)
def test_rows_at_once_are_those_that_a_processor_wants(device: str, rows: list[int]) -> None:
    columns = (5, 15, 63, 200, 2**17)
    found = [rows_at_once(SamplingConfig(), number, torch.device(device)) for number in columns]
    assert found == rows
    asked = SamplingConfig(sampling_batch_size=100)
    assert rows_at_once(asked, 5, torch.device(device)) == 100


def test_parts_of_a_table_are_the_table(network: TabDARNetwork, encoded: EncodedTable) -> None:
    config = SamplingConfig(sampling_batch_size=100)
    parts = list(table_chunks(encoded, network, config))
    assert [len(part) for part in parts] == [100, 100, 40]
    assert torch.equal(torch.cat([part.codes for part in parts]), encoded.codes)
