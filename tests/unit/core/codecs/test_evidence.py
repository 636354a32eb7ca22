"""How many rows a relation needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS, varies


@pytest.mark.parametrize(
    'values', [np.arange(100.0), np.array([f'text {n}' for n in range(100)], dtype=object)]
)
def test_gaps_say_nothing_of_whether_values_differ(values: np.ndarray[Any, Any]) -> None:
    some = values[:FEWEST_ROWS]
    gaps = np.full(80, np.nan, dtype=values.dtype)
    assert varies(np.concatenate([some, gaps]))
    assert not varies(np.concatenate([some[1:], gaps]))


def test_rare_values_do_not_vary() -> None:
    assert not varies((np.arange(1_000) < FEWEST_ROWS // 2 - 1).astype(float))
    assert varies((np.arange(1_000) < FEWEST_ROWS // 2).astype(float))
