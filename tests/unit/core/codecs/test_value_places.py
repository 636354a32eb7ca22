"""Where numbers lie in the distribution of their column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.value_places import common_grid, number_at
from sdv_tabdar.core.config import ModelConfig


@pytest.mark.parametrize('share', [0.1, 0.5, 0.9])
def test_the_number_at_a_share_of_a_column_is_right_to_a_bin(share: float) -> None:
    numbers = np.random.default_rng(0).exponential(1, 3_000)
    numbers[:1_000] = 0.0
    codec = NumericalCodec.fit('x', pd.Series(numbers), ModelConfig())
    found = number_at(codec, share)
    assert share - 0.005 <= (numbers <= found).mean() <= max(share + 0.04, 1 / 3)


def test_a_grid_is_common_to_numbers_with_the_same_rest() -> None:
    assert common_grid([3.5, 10.5, -3.5], 7.0) == (7.0, 3.5)
    assert common_grid([3.5, 10.0], 7.0) is None
