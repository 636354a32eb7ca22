"""Metrics one after the other: their scores, and the reasons of those without a value."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Goal, Metric


@dataclass(frozen=True)
class Computed:
    """What some metrics returned.

    Attributes:
        scores: Numbers by key, NaN under the main key of a metric that has no value.
        notes: Why it has none, by metric.
        seconds: Time that each metric took.
        tables: Breakdowns by name.
        arrays: Numbers per row, by name.
        goals: Goals that the data decided, by key.
    """

    scores: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    goals: dict[str, Goal] = field(default_factory=dict)


def compute_metrics(metrics: Sequence[Metric], context: Context) -> Computed:
    """Compute metrics on the same inputs."""
    found = Computed()
    for metric in metrics:
        start = time.perf_counter()
        try:
            result = metric.compute(context)
        except NotComputableError as error:
            found.notes[metric.name] = f'not computable: {error}'
            found.scores[metric.main_key] = math.nan
        else:
            found.scores.update(result.scores)
            found.tables.update(result.tables)
            found.arrays.update(result.arrays)
            found.goals.update(result.goals)
        found.seconds[metric.name] = round(time.perf_counter() - start, 3)
    return found
