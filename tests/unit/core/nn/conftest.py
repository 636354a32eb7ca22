"""A table with hidden cells, shared by the tests of the network and of what equals it."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.masking import complementary_observed
from sdv_tabdar.core.table import EncodedTable


@pytest.fixture
def hidden(encoded: EncodedTable) -> EncodedTable:
    """The table with random hidden cells; row P + p sees what row p does not."""
    generator = torch.Generator().manual_seed(3)
    num_pairs, num_columns = len(encoded) // 2, encoded.codes.shape[1]
    observed = complementary_observed(num_pairs, num_columns, generator=generator)
    rows = encoded.rows(slice(2 * num_pairs))
    return EncodedTable(rows.codes, rows.residuals, observed)
