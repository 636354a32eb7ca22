"""Rows with other known cells in each are completed, and timed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments import conditional_speed


@pytest.mark.changes_random_state("SDV's GaussianCopula draws from NumPy's global generator")
@pytest.mark.filterwarnings('ignore::FutureWarning', 'ignore::RuntimeWarning')
def test_all_rows_are_completed(tmp_path: Path, ask_tiny: Callable[..., str]) -> None:
    asked = ('conditional-speed', '--columns', 'age', 'wage', '--known-rows', 20, '--repeats', 2)
    printed = ask_tiny(*asked, '--copula-rows', 2)
    assert '| one | 20 | 20 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'conditional_speed.csv')
    assert set(rows['copula_known']) == {2}
    assert (rows['times_copula'] * rows['copula']).tolist() == pytest.approx(
        rows['completing'].tolist()
    )
    assert '--copula-rows: must be at least 0' in ask_tiny(*asked, '--copula-rows', -1, code=2)


def test_known_rows_are_distinct_and_enough(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    with pytest.raises(ValueError, match=r"has no columns \['fnlwgt'\]"):
        conditional_speed.distinct_rows(dataset, ['fnlwgt', 'age'], 10, 0)
    with pytest.raises(ValueError, match='Ask for fewer with --known-rows'):
        conditional_speed.distinct_rows(dataset, ['age'], 1_000, 0)
    rows = conditional_speed.distinct_rows(dataset, ['age', 'wage'], 10, 0)
    assert len(rows.drop_duplicates()) == 10
    assert rows.notna().all(axis=None)
