"""Metrics one after the other: their scores, and the reasons of those without a value."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Goal, Metric


@dataclass(frozen=True)
class Computed:
    """What some metrics returned.

    Attributes:
        scores: Numbers by key, NaN under the main key of a metric that has no value.
        notes: Why it, or a score beside the main one, has none, by metric or key.
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


def compute_metrics(
    metrics: Sequence[Metric], context: Context, *, progress: str | None = None
) -> Computed:
    """Compute metrics on the same inputs.

    Args:
        metrics: The metrics.
        context: The inputs.
        progress: The name of a progress bar, or None for none.
    """
    found = Computed()
    bar = tqdm(metrics, desc=progress, unit='metric', disable=progress is None, leave=False)
    for metric in bar:
        bar.set_postfix_str(metric.name)
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
            for key, why in result.notes.items():
                found.notes[key] = f'not computable: {why}'
                found.scores[key] = math.nan
        found.seconds[metric.name] = round(time.perf_counter() - start, 3)
    return found
