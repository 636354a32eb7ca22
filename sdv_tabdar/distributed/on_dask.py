"""Dask: rows as a ``dask.dataframe``, computed by whatever scheduler the user has.

A partition is a task of its own that takes the synthesizer as another task's result. So that is
sent to each worker once, and drawn again where a worker has died.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd

from sdv_tabdar.distributed import parts
from sdv_tabdar.distributed.shipped import Shipped

try:
    import dask.dataframe as dd
    from dask.dataframe.dispatch import make_meta
    from dask.delayed import delayed
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "Frames of Dask need Dask. Run `pip install 'sdv_tabdar[dask]'`."
    ) from error


def sample(shipped: Shipped, starts: range, num_rows: int, seed: int) -> Any:
    """A lazy frame of drawn rows; its index is their numbers."""
    meta = parts.probe(shipped, seed).head(0)
    meta.index = pd.RangeIndex(0)
    tasks = [
        (start, min(starts.step, num_rows - start), seed, dict(meta.dtypes)) for start in starts
    ]
    return _frame(shipped, parts.drawn, tasks, meta, (*starts, num_rows - 1))


def impute(shipped: Shipped, frame: Any, num_samples: int, seed: int) -> Any:
    """The frame without gaps."""
    return _mapped(shipped, parts.imputed, frame, (num_samples, seed), make_meta(frame))


def predict_proba(
    shipped: Shipped, frame: Any, column: Hashable, num_samples: int, seed: int
) -> Any:
    """A lazy frame of probabilities."""
    arguments = (column, num_samples, seed)
    meta = parts.probabilities(shipped, make_meta(frame), 0, *arguments)
    return _mapped(shipped, parts.probabilities, frame, arguments, meta)


def log_likelihood(shipped: Shipped, frame: Any, num_orders: int, unseen: str, seed: int) -> Any:
    """A lazy series of log-likelihoods."""
    arguments = (num_orders, unseen, seed)
    meta = parts.scores(shipped, make_meta(frame), 0, *arguments)
    return _mapped(shipped, parts.scores, frame, arguments, meta)


def _mapped(
    shipped: Shipped, answer: Callable[..., Any], frame: Any, arguments: tuple[Any, ...], meta: Any
) -> Any:
    """What is answered about each partition of a frame."""
    tasks = [
        (part, place * parts.PARTITION, *arguments) for place, part in enumerate(frame.to_delayed())
    ]
    return _frame(shipped, answer, tasks, meta, frame.divisions)


def _frame(
    shipped: Shipped,
    answer: Callable[..., Any],
    tasks: list[tuple[Any, ...]],
    meta: Any,
    divisions: tuple[Any, ...],
) -> Any:
    """A lazy frame with a partition for each task."""
    model = delayed(shipped, name=f'synthesizer-{shipped.digest}', traverse=False)
    task_of = delayed(_in_one_thread, pure=True)
    computed = [task_of(answer, model, *task) for task in tasks]
    return dd.from_delayed(computed, meta=meta, divisions=divisions, verify_meta=False)


def _in_one_thread(answer: Callable[..., Any], *arguments: Any) -> Any:
    with parts.one_thread():
        return answer(*arguments)
