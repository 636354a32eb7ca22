"""Rows that are alike so far are drawn as one row, and are the same rows."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference import complete as completing
from sdv_tabdar.core.inference.alike import drawn_while_alike
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

ROWS, CONFIG = 600, SamplingConfig(num_steps=2)
COLOUR, FLAG = 1, 4


@pytest.fixture(params=['bidirectional', 'causal'])
def network(
    network: TabDARNetwork, causal: TabDARNetwork, request: pytest.FixtureRequest
) -> TabDARNetwork:
    """With either kind of attention."""
    return network if request.param == 'bidirectional' else causal


@pytest.fixture
def nothing(encoded: EncodedTable) -> EncodedTable:
    """Rows without a known cell."""
    rows = encoded.rows(torch.arange(ROWS) % len(encoded))
    return EncodedTable(rows.codes, rows.residuals, torch.zeros_like(rows.observed))


def _drawn(network: TabDARNetwork, table: EncodedTable) -> EncodedTable:
    generator = torch.Generator().manual_seed(1)
    return completing.complete(network, table, config=CONFIG, generator=generator).table


def test_the_rows_are_those_drawn_one_by_one(
    network: TabDARNetwork, nothing: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = _drawn(network, nothing)
    monkeypatch.setattr(completing, 'MANY_ROWS', 1)
    together = _drawn(network, nothing)
    is_same = (together.codes == one_by_one.codes).all(dim=1)
    assert float(is_same.float().mean()) > 0.99  # rounding may decide otherwise in a row
    residuals = together.residuals[is_same], one_by_one.residuals[is_same]
    assert torch.allclose(*residuals, atol=1e-3)
    assert bool(together.observed.all())


def test_what_is_alike_is_known_and_the_rest_is_not(
    network: TabDARNetwork, nothing: EncodedTable
) -> None:
    generator = torch.Generator().manual_seed(2)
    order = [COLOUR, FLAG]
    chunk = drawn_while_alike(network, nothing, order, config=CONFIG, generator=generator)
    assert len(chunk) == ROWS
    assert chunk.observed.any(dim=0).nonzero().squeeze(1).tolist() == order
    assert bool(chunk.observed[:, order].all())
    assert len(chunk.codes[:, order].unique(dim=0)) > 1
    known = EncodedTable(chunk.codes, chunk.residuals, chunk.observed)
    if not network.is_causal:  # whose contexts depend on the order
        contexts = network.contexts(known)[:, 0]
        assert torch.allclose(chunk.context(0, slice(None)), contexts, atol=1e-4)


def test_rows_that_are_all_different_are_drawn_no_further(
    network: TabDARNetwork, nothing: EncodedTable
) -> None:
    generator = torch.Generator().manual_seed(3)
    order = list(range(nothing.codes.shape[1]))
    chunk = drawn_while_alike(network, nothing, order, config=CONFIG, generator=generator)
    known = chunk.observed.sum(dim=1)
    assert bool((known == known[0]).all())
    assert 1 <= int(known[0]) < len(order)
