"""Columns that tell more than is known of them come sooner."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Cross
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import precedence as module
from sdv_tabdar.core.training.precedence import OF_DRAWING, OF_TRAINING, precedence

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


@pytest.mark.parametrize('nats', [OF_DRAWING, OF_TRAINING])
def test_weights_are_what_columns_tell_less_what_is_told_of_them(
    network: TabDARNetwork, many: EncodedTable, told: torch.Tensor, nats: float
) -> None:
    found = torch.tensor(precedence(network, many, PASSES, nats)).double()
    torch.testing.assert_close(found, (told - told.t()).sum(dim=1) / nats)


def test_each_pair_is_asked_in_both_directions(
    network: TabDARNetwork, encoded: EncodedTable, told: torch.Tensor
) -> None:
    ranks = torch.rand(40, NUM_COLUMNS, generator=torch.Generator().manual_seed(0)).argsort(dim=1)
    torch.testing.assert_close(module._gains(network, encoded.rows(slice(40)), ranks), told)


def test_members_follow_each_other_in_random_order_at_a_random_place() -> None:
    members = [4, 1, 3]
    generator = torch.Generator().manual_seed(0)
    order = torch.rand(2_000, NUM_COLUMNS, generator=generator).argsort(dim=1)
    following = module._following(order, members, generator).argsort(dim=1)
    in_order = torch.arange(NUM_COLUMNS).expand_as(following)
    assert torch.equal(following.sort(dim=1).values, in_order)
    of_members = following[:, members]
    assert torch.all(of_members.amax(dim=1) - of_members.amin(dim=1) == 2)
    firsts = following.argmin(dim=1).bincount() / len(following)
    torch.testing.assert_close(firsts[[0, 2, 5]], torch.full((3,), 1 / 4), atol=0.04, rtol=0)
    torch.testing.assert_close(firsts[members], torch.full((3,), 1 / 12), atol=0.03, rtol=0)


@pytest.mark.parametrize('only_together', [True, False])
def test_members_follow_each_other_where_they_tell_more_together(
    network: TabDARNetwork,
    many: EncodedTable,
    told: torch.Tensor,
    monkeypatch: pytest.MonkeyPatch,
    *,
    only_together: bool,
) -> None:
    crosses = (Cross((4, 1, 3), (), ()), Cross((0, 2), (), ()))
    monkeypatch.setattr(network, 'schema', dataclasses.replace(network.schema, crosses=crosses))
    pairwise = module.cell_losses

    def losses(network: TabDARNetwork, table: EncodedTable) -> torch.Tensor:
        """Members tell each other column 2 nats once all of them are known."""
        observed, members = table.observed, [4, 1, 3]
        others = torch.zeros(NUM_COLUMNS).index_fill_(0, torch.tensor([0, 2, 5]), 2.0)
        complete = observed[:, members].all(dim=1), (~observed[:, members]).all(dim=1)
        sure = torch.where(observed, complete[1][:, None], complete[0][:, None])
        return pairwise(network, table) - sure * others

    if only_together:
        monkeypatch.setattr(module, 'cell_losses', losses)
    found = torch.tensor(precedence(network, many, PASSES, OF_DRAWING)).double()
    weights = (told - told.t()).sum(dim=1) / OF_DRAWING
    if only_together:
        # The last of three members tells three other columns 2 nats each.
        shared = (found - weights)[[4, 1, 3]]
        each = torch.full((3,), 2 / OF_DRAWING).double()
        torch.testing.assert_close(shared, each, atol=0.8, rtol=0)
    else:
        torch.testing.assert_close(found, weights)


def test_members_follow_each_other_where_rows_are_too_few_to_compare(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    crosses = (Cross((4, 1, 3), (), ()),)
    monkeypatch.setattr(network, 'schema', dataclasses.replace(network.schema, crosses=crosses))
    asked: list[torch.Tensor] = []

    def gained(network: TabDARNetwork, rows: EncodedTable, order: torch.Tensor) -> torch.Tensor:
        asked.append(order.argsort(dim=1)[:, [4, 1, 3]])
        return torch.zeros(NUM_COLUMNS)

    monkeypatch.setattr(module, '_gained', gained)
    trained = 1 + 299 * (NUM_COLUMNS + 1) / module._SHARE_OF_TRAINING
    assert precedence(network, many, trained, OF_DRAWING) == (0.0,) * NUM_COLUMNS
    (places,) = asked
    assert len(places) == 299
    assert torch.all(places.amax(dim=1) - places.amin(dim=1) == 2)


def test_a_network_gives_the_same_weights_each_time(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, '_ROWS', 200)
    state = torch.get_rng_state()
    found = precedence(network, many, PASSES, OF_DRAWING)
    assert len(found) == NUM_COLUMNS
    assert any(found)
    assert precedence(network, many, PASSES, OF_DRAWING) == found
    assert torch.equal(torch.get_rng_state(), state)
    # What one column gains another loses.
    assert sum(found) == pytest.approx(0, abs=1e-6)


def test_few_rows_many_columns_and_a_short_training_say_nothing(
    network: TabDARNetwork, many: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert precedence(network, many.rows(slice(999)), PASSES, OF_DRAWING) == ()
    assert (
        precedence(network, many, 149 * (NUM_COLUMNS + 1) / module._SHARE_OF_TRAINING, OF_DRAWING)
        == ()
    )
    monkeypatch.setattr(module, '_CELLS', 149 * NUM_COLUMNS * (NUM_COLUMNS + 1))
    assert precedence(network, many, PASSES, OF_DRAWING) == ()
