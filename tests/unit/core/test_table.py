"""The three parts of an encoded table stay together."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.table import EncodedTable


def test_rows_and_length() -> None:
    table = EncodedTable(
        torch.arange(6).view(3, 2), torch.arange(3.0).view(3, 1), torch.ones(3, 2, dtype=torch.bool)
    )
    assert len(table) == 3
    part = table.rows(torch.tensor([2, 0]))
    assert part.codes.tolist() == [[4, 5], [0, 1]]
    assert part.residuals.tolist() == [[2.0], [0.0]]
    assert len(table.rows(slice(1, None)).to(torch.device('cpu'))) == 2


def test_parts_of_other_shapes_are_refused() -> None:
    with pytest.raises(AssertionError):
        EncodedTable(torch.zeros(3, 2), torch.zeros(3, 1), torch.ones(2, 2, dtype=torch.bool))
    with pytest.raises(AssertionError):
        EncodedTable(torch.zeros(3, 2), torch.zeros(3, 1), torch.ones(3, 2))
