"""Spark, where it is installed: the rows of one call; frames filled and scored where they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer, distributed

from .conftest import TINY, fit_tiny, make_metadata

pyspark_sql = pytest.importorskip('pyspark.sql')

pytestmark = [
    pytest.mark.filterwarnings('ignore'),  # PySpark's own
    pytest.mark.changes_random_state('PySpark draws from the global generators'),
]


@pytest.fixture(scope='module')
def session() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYSPARK_PYTHON', sys.executable)
        builder = pyspark_sql.SparkSession.builder.master('local[1]')
        found = builder.config('spark.ui.enabled', 'false').getOrCreate()
        yield found
        found.stop()


@pytest.fixture(scope='module')
def data() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            'a.size': np.where(random.random(60) < 0.2, np.nan, random.normal(size=60).round(2)),
            'kind': random.choice(['a', 'b'], 60),
            'maybe': random.choice(np.array([True, False, None], dtype=object), 60),
            'day': pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 90, 60), 'D'),
        }
    )


@pytest.fixture(scope='module')
def small(data: pd.DataFrame) -> TabDARSynthesizer:
    return fit_tiny(
        data,
        {
            'a.size': {'sdtype': 'numerical'},
            'kind': {'sdtype': 'categorical'},
            'maybe': {'sdtype': 'boolean'},
            'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        },
    )


def _values(rows: pd.DataFrame) -> list[list[Any]]:
    return rows.astype(object).where(rows.notna(), None).to_numpy().tolist()


def test_rows_are_those_of_one_call(session: Any, small: TabDARSynthesizer) -> None:
    block = small.BLOCK_ROWS
    frame = distributed.sample(small, block + 20, engine='spark', seed=2, rows_per_partition=block)

    assert dict(frame.dtypes) == {
        'a.size': 'double',
        'kind': 'string',
        'maybe': 'boolean',
        'day': 'timestamp_ntz',
    }
    assert frame.rdd.getNumPartitions() == 2
    assert _values(frame.toPandas()) == _values(small.sample(block + 20, seed=2))


def test_frames_are_filled_and_scored(
    session: Any, small: TabDARSynthesizer, data: pd.DataFrame
) -> None:
    frame = session.createDataFrame(data[['a.size', 'kind']])
    filled = distributed.impute(small, frame, seed=1)
    chances = distributed.predict_proba(small, frame, 'kind', seed=1).toPandas()
    scores = distributed.log_likelihood(small, frame, seed=1).toPandas()

    assert filled.schema == frame.schema
    found = filled.toPandas()
    assert found.notna().all(axis=None)
    assert found['kind'].tolist() == data['kind'].tolist()
    assert list(chances.columns) == ['a.size', 'kind', 'probability_a', 'probability_b']
    np.testing.assert_allclose(chances.iloc[:, 2:].sum(axis=1), 1)
    assert np.isfinite(scores['log_likelihood']).all()


def test_a_frame_is_learnt_as_one_of_pandas_is(session: Any, data: pd.DataFrame) -> None:
    columns = {'kind': {'sdtype': 'categorical'}, 'day': {'sdtype': 'datetime'}}
    frame = session.createDataFrame(data[['kind', 'day']]).coalesce(1)
    metadata = make_metadata(columns)
    rows = []
    for table in (frame, frame.toPandas()):
        synthesizer = TabDARSynthesizer(metadata, **TINY)
        synthesizer.fit(table)
        rows.append(synthesizer.sample(20, seed=1))
    pd.testing.assert_frame_equal(*rows)
