"""The numbers and categories of a table, for experiments with the core's own model."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.data.datasets import DISCRETE_SDTYPES, Dataset
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.methods.spec import parse_spec
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

_LEAST_EPOCHS = 5


def core_table(dataset: Dataset) -> tuple[pd.DataFrame, dict[str, ColumnKind]]:
    """The training rows without keys, dates and the like, and the kinds of their columns.

    Raises:
        ValueError: If nothing is left.
    """
    kinds = {
        name: ColumnKind.NUMERICAL if sdtype == 'numerical' else ColumnKind.CATEGORICAL
        for name, sdtype in dataset.sdtypes.items()
        if sdtype == 'numerical' or sdtype in DISCRETE_SDTYPES
    }
    if not kinds:
        raise ValueError(
            f"The table '{dataset.name}' has no column of numbers or categories to train on."
        )
    return dataset.train[list(kinds)], kinds


def settings_of(job: Job) -> dict[str, Any]:
    """The hyperparameters that a job of ours says."""
    limit = {} if job.max_training_time is None else {'max_training_time': job.max_training_time}
    return {**limit, **parse_spec(job.spec).options}


def configurations(settings: Mapping[str, Any]) -> tuple[ModelConfig, TrainingConfig]:
    """Hyperparameters by name as the two configurations; the others keep their defaults."""

    def chosen(kind: type[Any]) -> dict[str, Any]:
        names = {field.name for field in dataclasses.fields(kind)}
        return {name: value for name, value in settings.items() if name in names}

    return ModelConfig(**chosen(ModelConfig)), TrainingConfig(**chosen(TrainingConfig))


def part_facts(job: Job, train: pd.DataFrame) -> dict[str, Any]:
    """What a row about a model says of its settings, and of the part of a table it was fitted on.

    The limit of rows is that of all tables elsewhere; here there are several of each.
    """
    return {'setting': job.label, 'rows': len(train), 'limit': None}


def timed_fit(
    settings: Mapping[str, Any],
    seed: int,
    train: pd.DataFrame,
    kinds: Mapping[str, ColumnKind],
    *,
    before: TabDAR | None = None,
    device: str = 'auto',
) -> tuple[TabDAR, float]:
    """A model fitted with some hyperparameters, and the processor seconds that this took.

    Args:
        settings: Hyperparameters by name.
        seed: Of the model.
        train: Rows to train on.
        kinds: Of its columns.
        before: A model to go on from.
        device: Where to train.
    """
    model = TabDAR(*configurations(settings), device=device, random_state=seed)
    start = time.process_time()
    model.fit(train, kinds, before=before)
    return model, time.process_time() - start


def fit_some_cells(
    job: Job, train: pd.DataFrame, kinds: dict[str, ColumnKind], cells: int
) -> tuple[TabDAR, dict[str, Any]]:
    """A model with a job's settings that was trained for about so many cells, in whole passes.

    Args:
        job: Has the settings and the seed.
        train: Rows to train on.
        kinds: Of its columns.
        cells: Of training rows that go through the network; there are at least five passes.

    Returns:
        The model, and what is told of its training in every row of a table.
    """
    epochs = max(round(cells / train.size), _LEAST_EPOCHS)
    settings = {'epochs': epochs, 'max_training_time': None, **settings_of(job)}
    model, seconds = timed_fit(settings, job.seed, train, kinds, device='cpu')
    return model, {
        'setting': job.label,
        'train_rows': len(train),
        'epochs': epochs,
        'fit_seconds': seconds,
    }
