"""How likely the core's model finds rows that it was not trained on, by settings.

Log-likelihoods are of whole rows, in nats per unit of each number, by the chain rule in the orders
in which rows are drawn; the mean over orders and rows. Test rows with a level, or a number outside
the range, that training did not contain have none and are left out.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.experiments.comparison import read_settings
from sdv_tabdar.benchmark.experiments.core_table import configurations, core_table
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.methods.spec import parse_spec
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

_MOST_ROWS = 2_000
_ORDERS = 3
NUMBERS = (
    Number('test', 'test rows, nats', digits=3),
    Number('train', 'training rows, nats', digits=3),
    Number('fit_seconds', 'fit, processor s', digits=0),
    Number('epochs', 'epochs', digits=0),
)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, for each table and seed."""
    specs = []
    for name, overrides in read_settings(options.named_settings).items():
        listed = ','.join(f'{key}={value!r}' for key, value in overrides.items())
        specs.append(f'{name}=tabdar:{listed}' if listed else f'{name}=tabdar')
    return plan(synthesizers=specs, **plan_settings(options))


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit, and say how likely test rows and training rows are."""
    planned = Job.from_dict(job)
    settings: dict[str, Any] = dict(parse_spec(planned.spec).options)
    if planned.max_training_time is not None:
        settings['max_training_time'] = planned.max_training_time
    dataset = planned.load()
    frame, kinds = core_table(dataset)
    config, training = configurations(settings)
    start = time.process_time()
    model = TabDAR(config, training, random_state=planned.seed).fit(frame, kinds)
    seconds = time.process_time() - start
    row = {
        'setting': planned.label,
        'test': _mean_log_likelihood(model, _familiar(dataset.test[list(kinds)], frame, kinds)),
        'train': _mean_log_likelihood(model, frame),
        'fit_seconds': seconds,
        'epochs': len(model.loss_values),
    }
    return {'rows': [row]}


def _familiar(
    rows: pd.DataFrame, frame: pd.DataFrame, kinds: dict[str, ColumnKind]
) -> pd.DataFrame:
    """The rows whose every cell the training table could have had."""
    known = pd.Series(True, index=rows.index)
    for name, kind in kinds.items():
        values, seen = rows[name], frame[name]
        inside = values.isin(seen.dropna())
        if kind is ColumnKind.NUMERICAL:
            inside = values.between(seen.min(), seen.max())
        known &= inside | (values.isna() & bool(seen.isna().any()))
    return rows[known]


def _mean_log_likelihood(model: TabDAR, rows: pd.DataFrame) -> float:
    """Mean over orders and some of the rows, drawn at random; rows without density do not count."""
    rows = rows.sample(min(len(rows), _MOST_ROWS), random_state=0)
    model.set_random_state(0)
    found = np.stack([model.log_likelihood(rows, num_orders=1) for _ in range(_ORDERS)])
    return float(found[:, np.isfinite(found).all(axis=0)].mean())
