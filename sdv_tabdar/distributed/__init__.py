"""Drawing, filling and scoring on engines that run in several processes or on several machines.

The engines are those that a user has, Dask and Spark: rows are drawn, filled and scored where
they are, and come back as that engine's lazy frames. Who draws a row does not change it, see
``TabDARSynthesizer.sample``.

An engine is imported when it is asked for: `pip install 'sdv_tabdar[dask]'` or
`pip install 'sdv_tabdar[spark]'`.
"""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from typing import Any

from sdv_tabdar.distributed.parts import ROWS_OF_PARTITION, checked_seed, partition_starts
from sdv_tabdar.distributed.shipped import Shipped

__all__ = ['ENGINES', 'impute', 'log_likelihood', 'predict_proba', 'sample']

ENGINES = {'dask': 'on_dask', 'spark': 'on_spark'}
"""The engines, and the module of each."""


def sample(
    synthesizer: Any,
    num_rows: int,
    *,
    engine: str = 'dask',
    seed: int | None = None,
    rows_per_partition: int = ROWS_OF_PARTITION,
) -> Any:
    """Synthetic rows as a lazy frame of an engine, each partition drawn by whoever computes it.

    Args:
        synthesizer: A fitted ``TabDARSynthesizer``.
        num_rows: How many rows.
        engine: ``'dask'``, a ``dask.dataframe``, or ``'spark'``, a ``pyspark.sql.DataFrame`` of
            the active session.
        seed: Seed of the rows. They are those of ``synthesizer.sample(num_rows, seed=seed)``,
            however many partitions there are and wherever these are drawn. None for a new one.
        rows_per_partition: Rows of a partition, a multiple of ``synthesizer.BLOCK_ROWS``.

    Returns:
        The frame. Nothing is drawn before it is computed or written; what is computed twice, as
        after a worker has died, is the same rows.

    Raises:
        ValueError: If the engine is unknown, a number is not allowed, or keys cannot be kept
            unique in several places; the error names the columns.
        ModuleNotFoundError: If the engine is not installed.
    """
    module = _engine(engine)
    starts = partition_starts(num_rows, rows_per_partition, synthesizer.BLOCK_ROWS)
    shipped = Shipped.of(synthesizer)
    return module.sample(shipped, starts, num_rows, checked_seed(seed))


def impute(
    synthesizer: Any,
    frame: Any,
    *,
    num_samples: int = 10,
    seed: int | None = None,
) -> Any:
    """A frame of an engine with the missing cells of its columns filled, partition by partition.

    Args:
        synthesizer: A fitted ``TabDARSynthesizer``.
        frame: A frame of Dask or Spark. Its keys must be complete: new ones could not be told
            from those of other partitions.
        num_samples: As in ``synthesizer.impute``.
        seed: Seed of the draws, which follow from it and the place of a row in the partitions;
            None for a new one.

    Returns:
        A lazy frame with the partitions, index, columns and types of ``frame``.

    Raises:
        ValueError: If a partition has rows without a key.
        TypeError: If the frame is of no engine.
    """
    module = _engine_of(frame)
    return module.impute(Shipped.of(synthesizer), frame, num_samples, checked_seed(seed))


def predict_proba(
    synthesizer: Any,
    frame: Any,
    column: Hashable,
    *,
    num_samples: int = 200,
    seed: int | None = None,
) -> Any:
    """The distribution of a column of categories in each row of a frame of an engine.

    Args:
        synthesizer: A fitted ``TabDARSynthesizer``.
        frame: As in :func:`impute`.
        column: As in ``synthesizer.predict_proba``.
        num_samples: As in ``synthesizer.predict_proba``.
        seed: As in :func:`impute`.

    Returns:
        For Dask a lazy frame of probabilities with the partitions and the index of ``frame``. For
        Spark, which has no index, ``frame`` with a column ``probability_<level>`` for each level.
    """
    module = _engine_of(frame)
    shipped = Shipped.of(synthesizer)
    return module.predict_proba(shipped, frame, column, num_samples, checked_seed(seed))


def log_likelihood(
    synthesizer: Any,
    frame: Any,
    *,
    num_orders: int = 1,
    unseen: str = 'impossible',
    seed: int | None = None,
) -> Any:
    """How likely the model finds each row of a frame of an engine.

    Args:
        synthesizer: A fitted ``TabDARSynthesizer``.
        frame: As in :func:`impute`.
        num_orders: As in ``synthesizer.log_likelihood``.
        unseen: As in ``synthesizer.log_likelihood``.
        seed: As in :func:`impute`.

    Returns:
        For Dask a lazy series with the partitions and the index of ``frame``. For Spark ``frame``
        with a column ``log_likelihood``.
    """
    module = _engine_of(frame)
    shipped = Shipped.of(synthesizer)
    return module.log_likelihood(shipped, frame, num_orders, unseen, checked_seed(seed))


def _engine(name: str) -> Any:
    if name not in ENGINES:
        raise ValueError(f"Parameter 'engine' must be one of {list(ENGINES)}, however: {name!r}.")
    return import_module(f'{__name__}.{ENGINES[name]}')


def _engine_of(frame: Any) -> Any:
    """The module of the engine that a frame belongs to."""
    packages = {'dask': 'dask', 'dask_expr': 'dask', 'pyspark': 'spark'}
    for kind in type(frame).__mro__:
        package = kind.__module__.split('.')[0]
        if package in packages:
            return _engine(packages[package])
    raise TypeError(
        f'The frame must be one of {list(ENGINES)}, however, it is a {type(frame).__name__}. For a '
        'frame in memory use the method of the same name of the synthesizer.'
    )
