"""Engines: the rows of one call, whoever draws them; frames filled and scored where they are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer, distributed
from sdv_tabdar.adapter import blocks
from sdv_tabdar.distributed.shipped import Shipped

from .conftest import TINY, fit_tiny, make_metadata

dd = pytest.importorskip('dask.dataframe')

BLOCK = 64
ROWS = 6 * BLOCK + 10
ENTRIES: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'size': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
    'maybe': {'sdtype': 'boolean'},
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, 'BLOCK_ROWS', BLOCK)
    monkeypatch.setattr(TabDARSynthesizer, 'BLOCK_ROWS', BLOCK)


def _table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            'key': np.arange(60),
            'size': np.where(random.random(60) < 0.2, np.nan, random.normal(size=60).round(2)),
            'kind': random.choice(['a', 'b'], 60),
            'maybe': random.choice(np.array([True, False, None], dtype=object), 60),
        }
    )


@pytest.fixture(scope='module')
def small() -> TabDARSynthesizer:
    """A key, a number with gaps, a category and a boolean with gaps."""
    synthesizer = TabDARSynthesizer(make_metadata(ENTRIES, primary_key='key'), **TINY)
    synthesizer.fit(_table())
    return synthesizer


def _values(rows: pd.DataFrame) -> list[list[Any]]:
    """Whatever types an engine holds them in."""
    return rows.astype(object).where(rows.notna(), None).to_numpy().tolist()


@pytest.mark.parametrize('partitions', [1, 2, 4, 7])
def test_partitions_and_threads_change_no_row(small: TabDARSynthesizer, partitions: int) -> None:
    size = -(-7 // partitions) * BLOCK
    frame = distributed.sample(small, ROWS, seed=3, rows_per_partition=size)
    rows = frame.compute(scheduler='threads', num_workers=3)

    assert frame.npartitions == partitions
    assert _values(rows) == _values(small.sample(ROWS, seed=3))
    assert rows['key'].is_unique
    assert rows.index.tolist() == list(range(ROWS))
    pd.testing.assert_series_equal(rows.dtypes, frame.dtypes)
    assert rows['size'].dtype == np.float64
    assert rows['maybe'].dtype == 'boolean'


def test_rows_go_to_parquet(small: TabDARSynthesizer, tmp_path: Path) -> None:
    frame = distributed.sample(small, ROWS, seed=3, rows_per_partition=2 * BLOCK)
    frame.to_parquet(tmp_path, compute_kwargs={'scheduler': 'sync'})

    assert len(list(tmp_path.glob('*.parquet'))) == 4
    assert _values(pd.read_parquet(tmp_path)) == _values(small.sample(ROWS, seed=3))


def test_without_a_seed_a_frame_has_one_of_its_own(small: TabDARSynthesizer) -> None:
    frames = [distributed.sample(small, 5) for _ in range(2)]
    one, again, other = (
        frame.compute(scheduler='sync') for frame in (frames[0], frames[0], frames[1])
    )

    pd.testing.assert_frame_equal(one, again)
    assert not one.equals(other)


def test_gaps_are_filled_where_they_are(small: TabDARSynthesizer) -> None:
    """Partitions, index, columns and types stay; a column that is absent stays so."""
    data = _table().drop(columns='maybe').set_index(pd.Index(range(100, 160), name='place'))
    data.loc[::7, 'kind'] = None
    frame = dd.from_pandas(data, npartitions=3)
    filled = distributed.impute(small, frame, seed=1)
    found = filled.compute(scheduler='sync')

    assert filled.divisions == frame.divisions
    assert found.notna().all(axis=None)
    pd.testing.assert_index_equal(found.index, data.index)
    pd.testing.assert_series_equal(found.dtypes, frame.compute(scheduler='sync').dtypes)
    known = data.notna()
    assert _values(found.where(known)) == _values(data.where(known))
    again = filled.partitions[1].compute(scheduler='threads')
    pd.testing.assert_frame_equal(again, found.loc[again.index])


def test_rows_are_scored_where_they_are(small: TabDARSynthesizer) -> None:
    data = _table().astype({'maybe': 'boolean'})  # Dask makes text of objects
    frame = dd.from_pandas(data, npartitions=1)
    chances = distributed.predict_proba(small, frame, 'kind', seed=2)
    scores = distributed.log_likelihood(small, frame, seed=2)

    pd.testing.assert_frame_equal(
        chances.compute(scheduler='sync'), small.predict_proba(data, 'kind', seed=2)
    )
    pd.testing.assert_series_equal(
        scores.compute(scheduler='sync'), small.log_likelihood(data, seed=2)
    )
    assert list(chances.columns) == ['a', 'b']
    assert scores.dtype == np.float64


def test_a_synthesizer_that_gives_dictionaries(small: TabDARSynthesizer) -> None:
    synthesizer = TabDARSynthesizer(make_metadata(ENTRIES, primary_key='key'), **TINY)
    synthesizer.fit({'table': _table()})

    assert len(distributed.sample(synthesizer, 5, seed=0).compute(scheduler='sync')) == 5


def test_keys_that_are_missing_are_not_made_in_parts(small: TabDARSynthesizer) -> None:
    frame = dd.from_pandas(_table()[['kind']].assign(key=[None, *range(59)]), npartitions=2)

    with pytest.raises(ValueError, match="Column 'key' is a key, and 1 rows of a partition"):
        distributed.impute(small, frame, seed=0).compute(scheduler='sync')


def test_keys_that_are_compared_are_not_drawn_in_parts() -> None:
    """Unless their texts can be counted."""
    data = pd.DataFrame({'mail': [f'm{n}@x.org' for n in range(40)], 'n': np.arange(40.0)})
    entries = {'mail': {'sdtype': 'email'}, 'n': {'sdtype': 'numerical'}}
    synthesizer = TabDARSynthesizer(make_metadata(entries, primary_key='mail'), **TINY)
    synthesizer.fit(data)
    with pytest.raises(ValueError, match=r"values of \['mail'\] are made by Faker"):
        distributed.sample(synthesizer, 5)

    known = dd.from_pandas(data.assign(n=np.nan), npartitions=2)
    filled = distributed.impute(synthesizer, known, seed=0).compute(scheduler='sync')
    assert filled['n'].notna().all()
    entries['mail'] = {'sdtype': 'id', 'regex_format': r'm[0-9]{3}@x\.org'}
    counted = TabDARSynthesizer(make_metadata(entries, primary_key='mail'), **TINY)
    counted.fit(data)
    rows = distributed.sample(counted, 3 * BLOCK, seed=0, rows_per_partition=BLOCK)
    assert rows.compute(scheduler='sync')['mail'].is_unique


def test_what_is_no_engine_is_refused(small: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match=r"must be one of \['dask', 'spark'\], however: 'ray'"):
        distributed.sample(small, 5, engine='ray')
    with pytest.raises(TypeError, match='it is a DataFrame. For a frame in memory'):
        distributed.impute(small, _table())
    with pytest.raises(ValueError, match="'rows_per_partition' must be a multiple of the 64 rows"):
        distributed.sample(small, 5, rows_per_partition=100)
    with pytest.raises(ValueError, match="'num_rows' must be a whole number of at least 1"):
        distributed.sample(small, 0)


def test_a_thread_has_a_synthesizer_of_its_own(small: TabDARSynthesizer) -> None:
    shipped = Shipped.of(small)
    with ThreadPoolExecutor(1) as pool:
        other, again = (pool.submit(lambda: shipped.synthesizer).result() for _ in range(2))

    assert shipped.synthesizer is shipped.synthesizer
    assert other is again
    assert len({id(found) for found in (small, shipped.synthesizer, other)}) == 3


def test_generated_columns_alone() -> None:
    data = pd.DataFrame({'code': [f'k{n}' for n in range(20)]})
    synthesizer = fit_tiny(data, {'code': {'sdtype': 'id', 'regex_format': 'k[0-9]{4}'}})
    rows = distributed.sample(synthesizer, 3 * BLOCK, seed=0, rows_per_partition=BLOCK)

    assert rows.compute(scheduler='sync')['code'].is_unique
