"""An epoch: every row once, and the same order again from its state."""

from __future__ import annotations

import torch

from sdv_tabdar.core.training.epoch import Epoch


def test_every_row_has_its_turn() -> None:
    epoch = Epoch(torch.zeros(()))
    rows = torch.tensor([3, 5, 7, 9])
    epoch.begin(rows, torch.Generator().manual_seed(0))
    assert epoch.order is not None
    assert sorted(epoch.order.tolist()) == rows.tolist()


def test_its_state_gives_the_same_order() -> None:
    rows, generator = torch.arange(50), torch.Generator().manual_seed(0)
    epoch = Epoch(torch.zeros(()))
    epoch.begin(rows, generator)
    epoch.total += 3.0
    epoch.steps, epoch.counted = 4, 3
    other = Epoch(torch.zeros(()))
    other.restore(epoch.state(), rows, torch.Generator().manual_seed(9))
    assert other.order is not None
    assert torch.equal(other.order, epoch.order)  # type: ignore[arg-type]
    assert (float(other.total), other.steps, other.counted, other.cut) == (3.0, 4, 3, False)


def test_before_its_first_step_there_is_no_order_to_restore() -> None:
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state()
    other = Epoch(torch.zeros(()))
    other.restore(Epoch(torch.zeros(())).state(), torch.arange(3), generator)
    assert other.order is None
    assert torch.equal(generator.get_state(), before)
