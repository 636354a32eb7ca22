"""The same rows from one call, from threads, from processes, and after one of them was killed.

``python -m tests.engines`` fits a small table, draws it in each of these ways with Dask, and with
Spark where it is installed, and prints a hash of the rows of each, and of those of models that are
fitted to frames of the engines; the exit status is 1 if they differ. ``--model FILE`` draws from a
saved synthesizer instead.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import LocalCluster, wait
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_tabdar import TabDARSynthesizer, distributed

PARTITIONS = (1, 2, 4, 7)
SEED = 3


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog='python -m tests.engines', description=__doc__)
    block = TabDARSynthesizer.BLOCK_ROWS
    parser.add_argument('--rows', type=int, default=6 * block + 100, help='how many to draw')
    parser.add_argument('--model', help='a saved synthesizer (default: one of a small table)')
    options = parser.parse_args(arguments)
    synthesizer = load_synthesizer(options.model) if options.model else _small(_table())
    found = {}
    for name, draw in _ways(synthesizer, options.rows, fits=not options.model):
        start = time.perf_counter()
        rows = draw()
        found[name] = _hash(rows)
        seconds = time.perf_counter() - start
        print(f'{found[name]:016x}  {len(rows):>9,} rows  {seconds:6.1f} s  {name}', flush=True)
    return int(len(set(found.values())) > 1)


def _table() -> pd.DataFrame:
    """A key, a number with gaps and a category."""
    random = np.random.default_rng(0)
    kind = random.choice(['a', 'b', 'c'], 500)
    size = np.where(kind == 'a', np.nan, random.normal(size=500).round(3))
    return pd.DataFrame({'key': np.arange(500), 'kind': kind.astype(object), 'size': size})


def _small(data: Any) -> TabDARSynthesizer:
    """Of that table, in memory or an engine's frame of it."""
    columns = {
        'key': {'sdtype': 'id'},
        'kind': {'sdtype': 'categorical'},
        'size': {'sdtype': 'numerical'},
    }
    table = {'columns': columns, 'primary_key': 'key'}
    metadata = Metadata.load_from_dict({'tables': {'table': table}})
    synthesizer = TabDARSynthesizer(metadata, epochs=3, width=16, num_blocks=1, random_state=0)
    synthesizer.fit(data)
    return synthesizer


def _hash(rows: pd.DataFrame) -> int:
    """Of the values in their order, whatever types an engine holds them in."""
    plain = rows.reset_index(drop=True).astype(object)
    text = plain.where(plain.notna(), None).astype(str)
    hashes = pd.util.hash_pandas_object(text, index=True).to_numpy(dtype=np.uint64)
    return int(np.bitwise_xor.reduce(hashes))


def _ways(
    synthesizer: Any, rows: int, *, fits: bool
) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    block = synthesizer.BLOCK_ROWS

    def drawn(partitions: int, **settings: Any) -> Any:
        size = -(-rows // block // partitions) * block
        return distributed.sample(synthesizer, rows, seed=SEED, rows_per_partition=size, **settings)

    yield 'one call', lambda: synthesizer.sample(rows, seed=SEED)
    for count in PARTITIONS:
        yield (
            f'Dask, {count} partitions, 3 threads',
            lambda count=count: drawn(count).compute(scheduler='threads', num_workers=3),
        )
    if fits:
        frame = dd.from_pandas(_table(), npartitions=3)
        yield 'one call, learnt from Dask', lambda: _small(frame).sample(rows, seed=SEED)
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        cluster.get_client() as client,
    ):
        yield 'Dask, 7 partitions, 2 processes', lambda: drawn(7).compute()
        yield (
            'Dask, 7 partitions, 2 processes, one killed',
            lambda: _after_a_kill(client, drawn(7)),
        )
    if importlib.util.find_spec('pyspark') is not None:
        os.environ.setdefault('PYSPARK_PYTHON', sys.executable)
        with _spark() as session:
            yield (
                'Spark, 4 partitions, 2 processes',
                lambda: drawn(4, engine='spark').toPandas(),
            )
            if fits:
                same = session.createDataFrame(_table()).coalesce(1)
                yield 'one call, learnt from Spark', lambda: _small(same).sample(rows, seed=SEED)


def _after_a_kill(client: Any, frame: Any) -> pd.DataFrame:
    """What is in the files that two workers write, one of which dies after its first partition."""
    with tempfile.TemporaryDirectory() as folder:
        written = client.persist(frame)
        first, *_ = client.futures_of(written)
        wait(first)
        (worker,) = client.who_has([first])[first.key]
        os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)
        written.to_parquet(folder)
        return pd.read_parquet(folder)


@contextlib.contextmanager
def _spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


if __name__ == '__main__':
    sys.exit(main())
