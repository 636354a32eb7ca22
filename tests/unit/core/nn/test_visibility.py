"""When tokens become visible: `[pad]` first, a cross right after the last of its members."""

from __future__ import annotations

import torch

from sdv_tabdar.core.nn.visibility import LAST, arrivals


def test_cells_arrive_in_their_order_and_crosses_after_their_members() -> None:
    ranks = torch.tensor([[2, 0, 1], [0, 1, 2]])
    crosses = [[0, 1], [1, 2], [0, 2]]
    found = arrivals(ranks, crosses)
    pad, first, second, third, *together = range(7)
    assert found.argsort(dim=1).tolist() == [
        [pad, second, third, together[1], first, together[0], together[2]],
        [pad, first, second, together[0], third, together[1], together[2]],
    ]
    assert int(found.max()) < LAST


def test_without_crosses_there_are_cells_only() -> None:
    assert arrivals(torch.tensor([[1, 0]]), []).tolist() == [[0, 2, 1]]
