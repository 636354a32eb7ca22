"""To how many digits columns are rounded, in spite of the last bits of floats."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.private_names import rounding_digits

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    ('numbers', 'digits'),
    [
        ([3.0, np.nan, 5.0], 0),
        ([32_199.0, 32_200.000000000004, 7.0], 0),
        ([0.1 + 0.2, 0.7, 12.4], 1),
        (RANDOM.integers(0, 90, 3_000) / 10 + RANDOM.integers(0, 90, 3_000) / 10, 1),
        ([2.5, -0.25], 2),
        (RANDOM.normal(size=2_000).round(12), 12),
        (RANDOM.normal(size=2_000), None),
        (np.arange(1, 50) / 3, None),
        ([1e-20, 2e-20], None),
        ([1e300, 2.5], None),
        ([np.nan, np.inf], None),
        ([], None),
    ],
)
def test_digits_are_those_but_for_noise(numbers: list[float], digits: int | None) -> None:
    assert rounding_digits(pd.Series(numbers, dtype=float)) == digits


def test_other_dtypes_are_as_rdt_has_them() -> None:
    assert rounding_digits(pd.Series([1, 20])) == 0
    assert rounding_digits(pd.Series([0.5, 1.25], dtype='float32')) == 2
    assert rounding_digits(pd.Series([0.1, None], dtype='Float64')) == 1
