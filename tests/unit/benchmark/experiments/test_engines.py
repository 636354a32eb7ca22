"""Engines draw the same rows in turns; tried here with those that need no processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import engines


def test_each_turn_counts_but_the_first(tmp_path: Path, on_one: Callable[..., str]) -> None:
    asked = ['--engines', 'process', '--repeats', 2, '--sample-rows', 50, '--epochs', 1]
    printed = on_one('engines', *asked)
    assert '| one: process | 50 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'engines.csv')
    assert rows['rows'].tolist() == [50] * 2
    assert (rows['memory'] > 0).all()


@pytest.mark.parametrize(('count', 'size'), [(10, 16), (100, 64), (1_000, 64), (2_100, 64)])
def test_partitions_are_shared_evenly(count: int, size: int) -> None:
    assert engines._rows_of_partition(count, 16) == size


def test_an_engine_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="--engines must be of .* but it has \\['ray'\\]"):
        engines.measure(None, ['ray'], 10, 1)  # type: ignore[arg-type]
