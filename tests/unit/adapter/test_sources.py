"""Tables that are not in memory, by batch, as pandas would read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError

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


@pytest.mark.parametrize(
    ('first', 'second'),
    [
        ({}, {'kind': ['a', 'b']}),
        ({'kind': ['a', 'b']}, {}),
        ({'kind': [None, None]}, {'kind': ['a', 'b']}),
        ({'kind': [None, None]}, {'kind': [True, False]}),
        ({'kind': [1, 2]}, {'kind': [0.5, None]}),
        ({'kind': np.array([1, 2], dtype='int8')}, {'kind': [1000, 2]}),
    ],
)
def test_files_of_a_folder_may_lack_what_others_have(
    first: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    parts = [pd.DataFrame({'number': [0.5, 1.5], **part}) for part in (first, second)]
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f'{number}.parquet')
    source = source_of(tmp_path)
    assert source is not None
    found = pd.concat(source.batches()).astype(object)
    whole = pd.concat(parts, ignore_index=True).astype(object)
    pd.testing.assert_frame_equal(
        found.where(found.notna(), None), whole.where(whole.notna(), None)
    )


def test_files_that_contradict_each_other_are_refused_in_words(tmp_path: Path) -> None:
    pd.DataFrame({'number': [1, 2]}).to_parquet(tmp_path / '0.parquet')
    pd.DataFrame({'number': ['x', 'y']}).to_parquet(tmp_path / '1.parquet')
    source = source_of(tmp_path)
    assert source is not None
    with pytest.raises(InvalidDataError, match='must be Parquet with the same columns'):
        list(source.batches())


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
