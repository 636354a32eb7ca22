"""Columns that tell more than is known of them come sooner."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Cross
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import precedence as module
from sdv_tabdar.core.training.precedence import precedence

NUM_COLUMNS = 6
PASSES = 60_000  # rows that all training steps had


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> torch.Tensor:
    """``(C, C)``: by how much knowing the first column lowers the loss of the second, always."""
    generator = torch.Generator().manual_seed(1)
    gains = torch.rand(NUM_COLUMNS, NUM_COLUMNS, generator=generator).double().fill_diagonal_(0)

    def losses(network: TabDARNetwork, table: EncodedTable) -> torch.Tensor:
        known = table.observed.double()
        return -torch.where(table.observed, (1 - known) @ gains, known @ gains)

    monkeypatch.setattr(module, 'cell_losses', losses)
    return gains


@pytest.fixture
def many(encoded: EncodedTable) -> EncodedTable:
    """1,000 rows."""
    return encoded.rows(torch.arange(1_000) % len(encoded))


def test_weights_are_what_columns_tell_less_what_is_told_of_them(
    network: TabDARNetwork, many: EncodedTable, told: torch.Tensor
) -> None:
    expected = (told - told.t()).sum(dim=1) / module._SCALE
    torch.testing.assert_close(torch.tensor(precedence(network, many, PASSES)).double(), expected)


def test_each_pair_is_asked_in_both_directions(
    network: TabDARNetwork, encoded: EncodedTable, told: torch.Tensor
) -> None:
    ranks = torch.rand(40, NUM_COLUMNS, generator=torch.Generator().manual_seed(0)).argsort(dim=1)
    torch.testing.assert_close(module._gains(network, encoded.rows(slice(40)), ranks), told)


def test_members_of_the_first_cross_become_known_one_after_the_other(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [4, 1, 3]
    crosses = tuple(Cross(columns, (), ()) for columns in [tuple(members), (0, 2)])
    monkeypatch.setattr(network, 'schema', dataclasses.replace(network.schema, crosses=crosses))
    seen: list[torch.Tensor] = []

    def losses(network: TabDARNetwork, table: EncodedTable) -> torch.Tensor:
        seen.append(table.observed.clone())
        return torch.zeros(table.observed.shape)

    monkeypatch.setattr(module, 'cell_losses', losses)
    precedence(network, many, PASSES)
    known_from = NUM_COLUMNS - torch.stack(seen).sum(dim=0)  # 0 is the first that becomes known
    in_order = torch.arange(NUM_COLUMNS).expand_as(known_from)
    assert torch.equal(known_from.sort(dim=1).values, in_order)
    of_members = known_from[:, members]
    assert torch.all(of_members.amax(dim=1) - of_members.amin(dim=1) == 2)
    firsts = known_from.argmin(dim=1).bincount() / len(known_from)
    torch.testing.assert_close(firsts[[0, 2, 5]], torch.full((3,), 1 / 4), atol=0.06, rtol=0)
    torch.testing.assert_close(firsts[members], torch.full((3,), 1 / 12), atol=0.04, rtol=0)


def test_a_network_gives_the_same_weights_each_time(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, '_ROWS', 200)
    state = torch.get_rng_state()
    found = precedence(network, many, PASSES)
    assert len(found) == NUM_COLUMNS
    assert any(found)
    assert precedence(network, many, PASSES) == found
    assert torch.equal(torch.get_rng_state(), state)
    # What one column gains another loses.
    assert sum(found) == pytest.approx(0, abs=1e-6)


def test_few_rows_many_columns_and_a_short_training_say_nothing(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert precedence(network, many.rows(slice(999)), PASSES) == ()
    assert precedence(network, many, 149 * (NUM_COLUMNS + 1) / module._SHARE_OF_TRAINING) == ()
    monkeypatch.setattr(module, '_CELLS', 149 * NUM_COLUMNS * (NUM_COLUMNS + 1))
    assert precedence(network, many, PASSES) == ()
