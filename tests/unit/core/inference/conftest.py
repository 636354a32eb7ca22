"""A table of which each row knows its own cells, shared by the tests of inference."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.masking import complementary_observed
from sdv_tabdar.core.table import EncodedTable


@pytest.fixture
def partial(encoded: EncodedTable) -> EncodedTable:
    """The table with random hidden cells."""
    generator = torch.Generator().manual_seed(8)
    num_rows, num_columns = encoded.codes.shape
    observed = complementary_observed(num_rows, num_columns, generator=generator)
    return EncodedTable(encoded.codes, encoded.residuals, observed[:num_rows])
