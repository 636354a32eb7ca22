"""Spark: rows as a ``pyspark.sql.DataFrame``, drawn and answered by ``mapInPandas``.

The synthesizer goes with the function that Spark sends to its workers, whose processes keep it
from one partition to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.distributed import parts
from sdv_tabdar.distributed.shipped import Shipped

try:
    from pyspark import TaskContext
    from pyspark.sql import SparkSession, types
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "Frames of Spark need PySpark. Run `pip install 'sdv_tabdar[spark]'`."
    ) from error

_PART = 2**19  # the same of a part in which Spark hands over a partition


def sample(shipped: Shipped, starts: range, num_rows: int, seed: int) -> Any:
    """A lazy frame of drawn rows, block by block in the memory of one."""
    rows = parts.probe(shipped, seed).rename(columns=str)
    schema = types.StructType([_field(name, rows[name].dtype) for name in rows])
    block = shipped.synthesizer.BLOCK_ROWS

    def draw(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            for start in frame['id'].tolist():
                for first in range(start, min(start + starts.step, num_rows), block):
                    size = min(block, num_rows - first)
                    yield _plain(parts.drawn(shipped, first, size, seed, {}), schema)

    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    ids = session.range(0, num_rows, starts.step, len(starts))
    return ids.mapInPandas(draw, schema)


def impute(shipped: Shipped, frame: Any, num_samples: int, seed: int) -> Any:
    """The frame without gaps."""

    def answer(part: pd.DataFrame, first_row: int) -> pd.DataFrame:
        return parts.imputed(shipped, part, first_row, num_samples, seed)

    return _mapped(frame, answer, frame.schema)


def predict_proba(
    shipped: Shipped, frame: Any, column: Hashable, num_samples: int, seed: int
) -> Any:
    """The frame with a column of probabilities for each level."""
    nothing = pd.DataFrame({name: pd.Series([], dtype=object) for name in frame.columns})
    levels = parts.probabilities(shipped, nothing, 0, column, num_samples, seed).columns
    names = [f'probability_{level}' for level in levels]

    def answer(part: pd.DataFrame, first_row: int) -> pd.DataFrame:
        found = parts.probabilities(shipped, part, first_row, column, num_samples, seed)
        return pd.concat([part, found.set_axis(names, axis=1)], axis=1)

    return _mapped(frame, answer, _with_numbers(frame.schema, names))


def log_likelihood(shipped: Shipped, frame: Any, num_orders: int, unseen: str, seed: int) -> Any:
    """The frame with a column of log-likelihoods."""

    def answer(part: pd.DataFrame, first_row: int) -> pd.DataFrame:
        found = parts.scores(shipped, part, first_row, num_orders, unseen, seed)
        return part.assign(log_likelihood=found)

    return _mapped(frame, answer, _with_numbers(frame.schema, ['log_likelihood']))


def _mapped(frame: Any, answer: Callable[[pd.DataFrame, int], pd.DataFrame], schema: Any) -> Any:
    """What is answered about each part in which Spark hands over a partition."""
    names = frame.columns
    numbered = frame.toDF(*(f'column_{place}' for place in range(len(names))))  # no dots in them

    def answers(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        for number, part in enumerate(frames):
            first_row = partition * parts.PARTITION + number * _PART
            yield _plain(answer(part.set_axis(names, axis=1), first_row), schema)

    return numbered.mapInPandas(answers, schema)


def _with_numbers(schema: Any, names: list[str]) -> Any:
    return types.StructType([*schema, *(types.StructField(n, types.DoubleType()) for n in names)])


def _field(name: str, dtype: Any) -> Any:
    """A column of Spark for one of pandas; text for what has no type of its own there."""
    checks: Mapping[Callable[[Any], bool], Any] = {
        pd.api.types.is_bool_dtype: types.BooleanType(),
        pd.api.types.is_integer_dtype: types.LongType(),
        pd.api.types.is_float_dtype: types.DoubleType(),
        pd.api.types.is_datetime64_any_dtype: (
            types.TimestampType() if getattr(dtype, 'tz', None) else types.TimestampNTZType()
        ),
    }
    kind = next((kind for check, kind in checks.items() if check(dtype)), types.StringType())
    return types.StructField(name, kind)


def _plain(rows: pd.DataFrame, schema: Any) -> pd.DataFrame:
    """Rows as Arrow turns them into columns of a schema."""
    plain = rows.rename(columns=str)
    for field in schema:
        values = plain[field.name]
        if isinstance(field.dataType, types.StringType) and values.dtype != 'string':
            text = values.astype(object)
            plain[field.name] = text.where(text.isna(), text.map(str)).where(text.notna(), None)
    return plain
