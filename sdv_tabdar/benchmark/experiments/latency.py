"""How long a call for a few rows takes, once a model is loaded: what a service in front of it pays.

The calls take turns in one process, after one of each that is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition

from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.experiments.comparison import read_settings
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.jobs.steps import prepare
from sdv_tabdar.benchmark.methods.spec import timed_spec
from sdv_tabdar.benchmark.methods.synthesizers import SingleTable
from sdv_tabdar.benchmark.output.tables import Number

_MANY = 100

NUMBERS = (
    Number('median', 'median, ms', digits=1),
    Number('processor', 'median, processor ms', digits=1),
    Number('late', '99th percentile, ms', digits=1),
    Number('calls', 'calls', digits=0),
)

Call = Callable[[], Any]


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, fitted for a short time."""
    named = read_settings(options.named_settings).items()
    specs = [timed_spec(label, options.fit_seconds, overrides) for label, overrides in named]
    return plan(synthesizers=specs, **plan_settings(options))


def measure(job: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Fit once, then make each of the calls ``repeats`` times, in turns."""
    planned = Job.from_dict(job)
    dataset, wrapped = prepare(planned)
    assert isinstance(wrapped, SingleTable), 'ours is an SDV synthesizer'
    wrapped.synthesizer.fit(dataset.train.copy())
    calls = _calls(wrapped.synthesizer, dataset)
    for call in calls.values():
        call()
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            wall, processor = time.perf_counter(), time.process_time()
            call()
            both = time.perf_counter() - wall, time.process_time() - processor
            spent[name].append(both)
    return {'rows': [_row(planned.label, name, pairs) for name, pairs in spent.items()]}


def _calls(synthesizer: Any, dataset: Dataset) -> Mapping[str, Call]:
    """The calls, by their names: rows, rows with one known cell, a row with one gap."""
    row = dataset.train.dropna().head(1)
    known, gap = row.columns[0], row.columns[-1]
    condition = Condition({known: row[known].iloc[0]}, num_rows=1)
    gapped = row.copy()
    gapped[gap] = pd.Series([None], index=row.index, dtype=object)
    return {
        'sample(1)': lambda: synthesizer.sample(1),
        f'sample({_MANY})': lambda: synthesizer.sample(_MANY),
        'one condition': lambda: synthesizer.sample_from_conditions([condition]),
        'one gap filled': lambda: synthesizer.impute(gapped),
    }


def _row(setting: str, name: str, pairs: list[tuple[float, float]]) -> dict[str, Any]:
    wall, processor = (1e3 * np.array(times) for times in zip(*pairs, strict=True))
    return {
        'setting': setting,
        'call': name,
        'median': float(np.median(wall)),
        'processor': float(np.median(processor)),
        'late': float(np.quantile(wall, 0.99)),
        'calls': len(pairs),
    }
