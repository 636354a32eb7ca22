"""What the core's model has learnt of rows that it was not trained on, by the length of training.

``stopping`` compares the length of training that is left to the held-out loss (``now``) with the
one that the size of the table gave before (``before``: so many passes over all rows, annealed by a
cosine), on whole tables and on small parts of them. The bound that training minimises, in nats per
row in codes and residuals, gives every row a finite number, however few rows were trained on; its
differences are those of log-likelihoods wherever the encoding is the same. Beside it stand signs of
memorising: the loss of training rows, the share of drawn rows that are nearer to training rows
than to test rows (with an interval of 95 %), and XGB-C2ST against test rows. Where nothing is
memorised that share is .5, but that columns have the values and shares of the training rows brings
drawn rows nearer too: beside it stands the share of training rows whose columns are shuffled, each
by itself.

``warm-start`` compares a model that goes on from one of ten elevenths of the rows with a new one,
by the same figures; the seconds are those of the second fit.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.experiments.comparison import named_specs
from sdv_tabdar.benchmark.experiments.core_table import (
    core_table,
    part_facts,
    settings_of,
    timed_fit,
)
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training.defaults import default_epochs, rows_of_step
from sdv_tabdar.core.training.likelihood import make_questions, row_loss

BY_SIZE = 'by-size'
"""``epochs=by-size``: as many passes as the size of the table gave before."""

WARM = ['refit', 'warm:warm_start=True']
"""Settings of ``warm-start``."""

LENGTHS = [f'before:epochs={BY_SIZE},weight_decay=1e-6', 'now']

_BOUND_ROWS, _HIDDEN_SETS = 1_000, 2  # whose bound is computed, with so many pairs of hidden sets
_KNOWN_SHARE = 10 / 11  # of the rows that training goes on with: a tenth more than before
_JUDGED_ROWS = 3_000  # drawn, to be judged beside test rows

_COSTS = (
    Number('epochs', 'epochs', digits=0),
    Number('fit_seconds', 'fit, processor s', digits=0),
)
STOPPING = (
    Number('test', 'test, nats'),
    Number('train', 'train, nats'),
    Number('near', 'near'),
    Number('near_low', 'from'),
    Number('near_high', 'to'),
    Number('near_columns', 'near, columns shuffled'),
    Number('xgb_c2st', 'XGB-C2ST, test rows'),
    *_COSTS,
)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, for each table, number of rows and seed.

    A seed is done before the next one begins.
    """
    specs = named_specs(options)
    settings = plan_settings(options)
    return [
        job
        for seed in options.seeds
        for rows in options.parts
        for job in plan(synthesizers=specs, **{**settings, 'seeds': [seed], 'rows': rows or None})
    ]


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit rows that the seed chooses; compare what was learnt and what is drawn with test rows."""
    planned = Job.from_dict(job)
    dataset, train, kinds = training_part(planned)
    model, seconds = _trained(planned, train, kinds)
    test = shuffled_test(dataset, kinds)
    known = known_rows(test, train, kinds)
    drawn = model.sample(_JUDGED_ROWS)
    test = test.head(_JUDGED_ROWS)
    sdtypes = {name: dataset.sdtypes[name] for name in kinds}
    near = evaluation.score(train, drawn, sdtypes, test, metrics=['dcr'], seed=planned.seed)
    detected = evaluation.score(
        test, drawn.head(len(test)), sdtypes, metrics=['xgb_c2st'], seed=planned.seed
    )
    row = {
        **part_facts(planned, train),
        'fit_seconds': seconds,
        'epochs': len(model.loss_values),
        'reason': model.training_history.reason,
        'test': any_order_loss(model, known),
        'train': any_order_loss(model, train),
        **{f'near{end}': near[f'dcr_share{end}'] for end in ('', '_low', '_high', '_columns')},
        **detected,
    }
    return {'rows': [row]}


def training_part(job: Job) -> tuple[Dataset, pd.DataFrame, dict[str, ColumnKind]]:
    """The whole table of a job, the rows that its seed chooses to train on, and their columns."""
    dataset = dataclasses.replace(job, rows=None).load()
    every, kinds = core_table(dataset)
    train = every.sample(min(job.rows or len(every), len(every)), random_state=job.seed)
    return dataset, train.reset_index(drop=True), kinds


def shuffled_test(dataset: Dataset, kinds: Mapping[str, ColumnKind]) -> pd.DataFrame:
    """The test rows in an order that is always the same."""
    return dataset.test[list(kinds)].sample(frac=1.0, random_state=0).reset_index(drop=True)


def _trained(job: Job, train: pd.DataFrame, kinds: dict[str, ColumnKind]) -> tuple[TabDAR, float]:
    """A model of the job's settings, and the processor seconds of its fit."""
    settings = settings_of(job)
    is_warm = settings.pop('warm_start', False)
    if settings.get('epochs') == BY_SIZE:
        step = rows_of_step(TrainingConfig(), len(train), torch.device('cpu'))
        settings['epochs'] = default_epochs(len(train), len(kinds), step)
    before = None
    if is_warm:
        known_before = train.head(round(_KNOWN_SHARE * len(train)))
        before, _ = timed_fit(settings, job.seed, known_before, kinds)
    return timed_fit(settings, job.seed, train, kinds, before=before)


def known_rows(
    rows: pd.DataFrame, train: pd.DataFrame, kinds: dict[str, ColumnKind]
) -> pd.DataFrame:
    """Rows without levels that training did not see; numbers within the range that it saw."""
    rows = rows[list(kinds)].copy()
    known = pd.Series(True, index=rows.index)
    for name, kind in kinds.items():
        if kind is ColumnKind.NUMERICAL:
            rows[name] = rows[name].clip(train[name].min(), train[name].max())
            known &= rows[name].notna() | train[name].isna().any()
        else:
            known &= rows[name].isin(train[name])
    return rows[known]


def any_order_loss(model: TabDAR, rows: pd.DataFrame) -> float:
    """The bound on the negative log-likelihood of a row, in nats; a mean over orders and rows."""
    rows = rows.head(_BOUND_ROWS)
    # The model's own methods answer in units of the columns, where some rows have no density.
    network = lowered(model.trained.network)
    encoded = model.trained.encoder.encode(rows, np.ones(rows.shape, dtype=bool))
    generator = torch.Generator().manual_seed(0)
    questions = make_questions(
        encoded, _HIDDEN_SETS, fixed_order=network.fixed_order, generator=generator
    )
    return row_loss(network, questions).total
