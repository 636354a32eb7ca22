"""Tables that are not in memory, by batch: Parquet, PyArrow's datasets, frames of engines."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.core.codecs.values import with_columns

_CELLS = 1 << 20  # of a batch ...
_MOST_ROWS, _FEWEST_ROWS = 1 << 17, 1 << 10  # ... within these numbers of rows
_READAHEAD = 1  # batches, and files, that PyArrow reads before they are wanted
_ENGINES = {'dask': 'dask', 'dask_expr': 'dask', 'pyspark': 'spark'}

Frames = Callable[[], Iterator[pd.DataFrame]]


@dataclasses.dataclass(frozen=True)
class Source:
    """A table that is read by batch, from its beginning as often as is asked for.

    Attributes:
        name: What it is, for messages.
        frames: Reads it. The index of the frames says nothing.
    """

    name: str
    frames: Frames

    def batches(self) -> Iterator[pd.DataFrame]:
        """Its rows by batch, with their numbers as index.

        Types are those that pandas gives each batch for itself: whole numbers are floats only
        where some of them are missing.
        """
        start = 0
        for frame in self.frames():
            size = _batch_rows(len(frame.columns))
            for first in range(0, len(frame), size):
                batch = frame.iloc[first : first + size]
                yield batch.set_axis(pd.RangeIndex(start, start + len(batch)), axis=0)
                start += len(batch)


def source_of(data: Any) -> Source | None:
    """What a user gave as a source; None if it is something else, such as a frame of pandas.

    Raises:
        InvalidDataError: If there is no such file or folder, or it is no Parquet.
        ModuleNotFoundError: If there is no pyarrow to read it with.
    """
    if isinstance(data, (str, PathLike)):
        return _parquet(data)
    packages = {kind.__module__.split('.')[0] for kind in type(data).__mro__}
    modules = {kind.__module__ for kind in type(data).__mro__}
    if 'pyarrow._dataset' in modules:
        return Source(f'the {type(data).__name__} of PyArrow', lambda: _arrow_frames(data))
    engine = next((_ENGINES[name] for name in packages if name in _ENGINES), None)
    if engine == 'dask' and hasattr(data, 'partitions'):
        return Source('the frame of Dask', lambda: _dask_frames(data))
    if engine == 'spark' and hasattr(data, 'mapInArrow'):
        return Source('the frame of Spark', lambda: _spark_frames(data))
    return None


def _parquet(path: str | PathLike[str]) -> Source:
    """A file, or a folder of files with or without partitions (``name=value`` in their paths)."""
    text = str(path)
    name = f"the Parquet of '{text}'"
    if '://' not in text and not Path(text).exists():
        raise InvalidDataError(
            [
                f"There is no file or folder '{text}'. Give one with Parquet files, a frame of "
                'pandas, Dask or Spark, or a dataset of PyArrow.'
            ]
        )
    arrow = _dataset_module()
    kinds = arrow.HivePartitioning.discover(infer_dictionary=True)
    with _in_words(name):
        dataset = _with_room(arrow.dataset(text, format='parquet', partitioning=kinds))
    return Source(name, lambda: _read(name, dataset))


def _with_room(dataset: Any) -> Any:
    """A dataset with the columns of all its files, in types that hold the cells of each.

    PyArrow looks at the first file only, in which a column may be absent, or without a type where
    all of its cells are missing.
    """
    import pyarrow as pa

    files = list(dataset.get_fragments())
    schemas = [dataset.schema, *(file.physical_schema for file in files)]
    try:
        schema = pa.unify_schemas(schemas, promote_options='permissive')
    except (pa.ArrowTypeError, pa.ArrowInvalid):  # reading turns to the first what it can
        return dataset
    return type(dataset)(files, schema, dataset.format, dataset.filesystem)


def _read(name: str, dataset: Any) -> Iterator[pd.DataFrame]:
    with _in_words(name):
        yield from _arrow_frames(dataset)


@contextlib.contextmanager
def _in_words(name: str) -> Iterator[None]:
    """What PyArrow says of files that it cannot read, with what to do."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError) as error:
        reason = ' '.join(str(error).split()).rstrip('.')
        raise InvalidDataError(
            [
                f'{name[0].upper()}{name[1:]} cannot be read: {reason}. All files of a folder must '
                "be Parquet with the same columns, but for those whose names begin with '.' or "
                "'_'. Other files are read by pandas, as in fit(pandas.read_csv(path)), or given "
                'as a dataset of PyArrow.'
            ]
        ) from error


def _arrow_frames(dataset: Any) -> Iterator[pd.DataFrame]:
    """The record batches of a dataset or a scanner."""
    import pyarrow as pa

    options: dict[str, Any] = {}
    if hasattr(dataset, 'schema'):
        options['batch_size'] = _batch_rows(len(dataset.schema))
    if hasattr(dataset, 'scanner'):
        options |= {'batch_readahead': _READAHEAD, 'fragment_readahead': _READAHEAD}
        batches = dataset.scanner(**options).to_batches()
    else:
        batches = dataset.to_batches()
    for batch in batches:
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).to_pandas()


def _dask_frames(frame: Any) -> Iterator[pd.DataFrame]:
    """The partitions of a frame of Dask, one at a time."""
    for number in range(frame.npartitions):
        yield frame.partitions[number].compute()


def _spark_frames(frame: Any) -> Iterator[pd.DataFrame]:
    """A frame of Spark, whose partitions come one at a time, as bytes of Arrow.

    Times are, as in Spark's own ``toPandas``, those of the session's clock, without a zone.
    """
    import pyarrow as pa

    for row in frame.mapInArrow(_packed, 'packed binary').toLocalIterator():
        with pa.ipc.open_stream(row.packed) as reader:
            rows = reader.read_pandas()
        times = rows.select_dtypes(['datetimetz', 'datetime'])
        local = {
            name: column.dt.tz_localize(None).astype('datetime64[ns]')
            for name, column in times.items()
        }
        yield with_columns(rows, local)


def _packed(batches: Iterable[Any]) -> Iterator[Any]:
    """What a worker of Spark does: each batch as one cell, which can be sent one by one."""
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_pydict({'packed': [sink.getvalue().to_pybytes()]})


def _batch_rows(num_columns: int) -> int:
    return min(max(_CELLS // max(num_columns, 1), _FEWEST_ROWS), _MOST_ROWS)


def _dataset_module() -> Any:
    try:
        import pyarrow.dataset
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Parquet files are read by PyArrow. Run `pip install 'sdv_tabdar[parquet]'`, or give a "
            'frame of pandas.'
        ) from error
    return pyarrow.dataset
