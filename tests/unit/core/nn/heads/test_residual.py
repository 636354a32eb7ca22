"""Numbering of bins; what heads inherit is tested on every head in ``test_contract``."""

from __future__ import annotations

import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.heads.bins import BinHead
from sdv_tabdar.core.nn.heads.residual import first_bins, normal_quantile
from sdv_tabdar.core.schema import TableSchema


def test_bins_are_numbered_over_all_columns(schema: TableSchema, config: ModelConfig) -> None:
    head = BinHead(schema, config)
    assert head.num_bins == 3
    assert head.bins(0, torch.arange(3)).tolist() == [-1, -1, -1]
    assert head.bins(1, torch.arange(3)).tolist() == [-1, 0, 1]
    assert head.bins(4, torch.arange(2, dtype=torch.uint8)).tolist() == [2, -1]
    assert head.bins(4, torch.tensor([[0, 1], [1, 0]])).tolist() == [[2, -1], [-1, 2]]


def test_the_first_bin_of_a_column_is_behind_those_before_it(schema: TableSchema) -> None:
    numbers = first_bins(schema)
    assert [numbers[1] + 1, numbers[1] + 2, numbers[4]] == [0, 1, 2]


def test_normal_quantiles_are_finite_at_both_ends() -> None:
    found = normal_quantile(torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64))
    assert found.dtype == torch.float32
    assert bool(found.isfinite().all())
    assert found[1] == 0
