"""Rows drawn to Parquet files: by one process with two threads, and by two workers of an engine.

All draw the same rows of one model, in turns, so that what else the machine does falls on all of
them alike. Workers are started, and have drawn once, before anything is counted.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from sdv_tabdar import TabDARSynthesizer, distributed
from sdv_tabdar.benchmark.jobs.cost import MIB, measured
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import Number

WORKERS = 2
SEED = 0
NUMBERS = (
    Number('rows', 'rows', digits=0),
    Number('speed', 'rows/s', digits=0, center='median'),
    Number('memory', 'memory of a worker, MiB', digits=0, center='median'),
)

Draw = Callable[[int, str], Any]


def measure(
    fitted: Fitted, engines: Sequence[str], sample_rows: int, repeats: int
) -> dict[str, Any]:
    """Let each engine draw ``repeats`` times, in turns.

    Raises:
        ValueError: If an engine is unknown.
    """
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise ValueError(f'--engines must be of {list(ENGINES)}, but it has {unknown}.')
    synthesizer = fitted.synthesizer
    rows = []
    with contextlib.ExitStack() as stack:
        draws = {name: stack.enter_context(ENGINES[name](synthesizer)) for name in engines}
        for turn in range(repeats + 1):
            count = sample_rows if turn else WORKERS * synthesizer.BLOCK_ROWS
            for name, (draw, peak) in draws.items():
                with tempfile.TemporaryDirectory() as folder, measured() as cost:
                    draw(count, folder)
                    written = _rows_in(folder)
                speed = written / max(cost.seconds, 1e-9)
                if turn:
                    rows += [
                        {'engine': name, 'rows': written, 'speed': speed, 'memory': memory}
                        for memory in peak(cost.peak_memory_mib)
                    ]
    return {'rows': rows}


def _rows_in(folder: str) -> int:
    """Rows of all Parquet files of a folder, by what they say of themselves."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(path).num_rows for path in Path(folder).rglob('*.parquet'))


@contextlib.contextmanager
def _process(synthesizer: TabDARSynthesizer) -> Iterator[tuple[Draw, Any]]:
    """This process, with as many threads as there are workers otherwise."""

    def draw(count: int, folder: str) -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(WORKERS)
        try:
            synthesizer.sample(
                count,
                output_folder_path=folder,
                output_format='parquet',
                return_rows=False,
                seed=SEED,
            )
        finally:
            torch.set_num_threads(before)

    yield draw, lambda own: [own]


@contextlib.contextmanager
def _dask(synthesizer: TabDARSynthesizer) -> Iterator[tuple[Draw, Any]]:
    """Local workers of Dask, processes of one thread."""
    from distributed import LocalCluster

    with (
        LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        cluster.get_client() as client,
    ):

        def draw(count: int, folder: str) -> None:
            size = _rows_of_partition(count, synthesizer.BLOCK_ROWS)
            frame = distributed.sample(synthesizer, count, seed=SEED, rows_per_partition=size)
            frame.to_parquet(folder)

        yield draw, lambda own: list(client.run(_peak_mib).values())


@contextlib.contextmanager
def _spark(synthesizer: TabDARSynthesizer) -> Iterator[tuple[Draw, Any]]:
    """Local Spark; what its Python processes take is not known from outside."""
    from pyspark.sql import SparkSession

    os.environ.setdefault('PYSPARK_PYTHON', sys.executable)
    builder = SparkSession.builder.master(f'local[{WORKERS}]')
    session = builder.config('spark.ui.enabled', 'false').getOrCreate()

    def draw(count: int, folder: str) -> None:
        size = _rows_of_partition(count, synthesizer.BLOCK_ROWS)
        frame = distributed.sample(
            synthesizer, count, engine='spark', seed=SEED, rows_per_partition=size
        )
        frame.write.mode('overwrite').parquet(folder)

    try:
        yield draw, lambda own: [float('nan')]
    finally:
        session.stop()


ENGINES = {'process': _process, 'dask': _dask, 'spark': _spark}


def _rows_of_partition(count: int, block: int) -> int:
    """At most four blocks, so that each worker has as many partitions as the others."""
    blocks = -(-count // block)
    rounds = -(-blocks // (4 * WORKERS))
    return -(-blocks // (rounds * WORKERS)) * block


def _peak_mib() -> float:
    """The highest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB
