"""Rows of which it is known how good they are."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import Dataset, load_dataset
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build


def _drawn(kind: str, dataset: Dataset, rows: int) -> pd.DataFrame:
    made = build(Request(parse_spec(kind), dataset, seed=0))
    made.fit(dataset.train)
    return made.sample(rows)


def _texts(rows: pd.DataFrame) -> set[str]:
    return set(rows.astype(str).agg('|'.join, axis=1))


def test_references_are_real_rows_copies_and_shuffled_columns(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one').with_fresh_rows(0)
    assert dataset.fresh is not None
    fresh, copied = _drawn('real', dataset, 10), _drawn('copy', dataset, 10)
    assert _texts(fresh) <= _texts(dataset.fresh)
    assert _texts(copied) <= _texts(dataset.train)
    shuffled = _drawn('independent', dataset, len(dataset.train))
    assert not shuffled.equals(dataset.train)
    for name in shuffled:
        assert sorted(map(str, shuffled[name])) == sorted(map(str, dataset.train[name]))
    pd.testing.assert_frame_equal(_drawn('independent', dataset, 10), shuffled.head(10))
    assert len(_drawn('independent', dataset, 2 * len(shuffled) + 1)) == 2 * len(shuffled) + 1


def test_there_must_be_real_rows_left(prepared: Path) -> None:
    with pytest.raises(ValueError, match='no rows left'):
        _drawn('real', load_dataset(prepared, 'one'), 10)
