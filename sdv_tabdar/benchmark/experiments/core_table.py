"""The numbers and categories of a table, for experiments with the core's own model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.data.datasets import DISCRETE_SDTYPES, Dataset
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.methods.spec import parse_spec
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.schema import ColumnKind


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
