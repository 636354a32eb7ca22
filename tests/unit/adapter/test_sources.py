"""Tables that are not in memory, by batch, as pandas would read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter import sources
from sdv_tabdar.adapter.sources import source_of
from sdv_tabdar.adapter.survey import Survey

pytest.importorskip('pyarrow')
TABLE = pd.DataFrame(
    {
        'number': np.arange(3000) / 2,
        'kind': np.array(['b', 'a', 'c'], dtype=object)[np.arange(3000) % 3],
    }
)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, '_FEWEST_ROWS', 10)
    monkeypatch.setattr(sources, '_CELLS', 1400)


def test_a_file_comes_in_batches_with_the_numbers_of_its_rows(tmp_path: Path) -> None:
    TABLE.to_parquet(tmp_path / 'rows.parquet')
    source = source_of(tmp_path / 'rows.parquet')
    assert source is not None
    batches = list(source.batches())
    assert [len(batch) for batch in batches] == [700, 700, 700, 700, 200]
    pd.testing.assert_frame_equal(pd.concat(batches), TABLE)


def test_partitions_are_columns_as_in_pandas(tmp_path: Path) -> None:
    TABLE.to_parquet(tmp_path, partition_cols=['kind'])
    expected = pd.read_parquet(tmp_path)
    source = source_of(str(tmp_path))
    assert source is not None
    survey = Survey('table', {'kind': {'sdtype': 'categorical'}})
    for batch in source.batches():
        survey.add(batch)
    summary = survey.summary()
    assert summary.dtypes['kind'] == expected['kind'].dtype
    pd.testing.assert_frame_equal(summary.frame, expected)


def test_a_filtered_dataset_gives_the_rows_that_are_left(tmp_path: Path) -> None:
    dataset = pytest.importorskip('pyarrow.dataset')
    TABLE.to_parquet(tmp_path / 'rows.parquet')
    chosen = dataset.dataset(tmp_path).filter(dataset.field('kind') == 'a')
    source = source_of(chosen)
    assert source is not None
    found = pd.concat(source.batches())
    assert found['number'].tolist() == TABLE.loc[TABLE['kind'] == 'a', 'number'].tolist()
    assert found.index.tolist() == list(range(1000))


def test_what_is_in_memory_is_no_source() -> None:
    assert source_of(TABLE) is None
    assert source_of({'table': TABLE}) is None
    assert source_of([1, 2]) is None
