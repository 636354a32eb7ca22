"""Where the nested diffusion earns its place: it places numbers in their bins, or they lie evenly.

Settings take turns, each trained for as many passes over the same rows, on tables and on a law that
ties two numbers tightly (y = x + .02 e). Judged by test rows: their log-likelihood in orders in
which rows are drawn, scores of drawn rows beside them, and on the law how far y is from x.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.data.generated import NUMBER, TABLE, metadata_of, tied_numbers
from sdv_tabdar.benchmark.experiments.comparison import named_specs
from sdv_tabdar.benchmark.experiments.core_table import core_table, fit_some_cells
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.experiments.held_out import known_rows, shuffled_test
from sdv_tabdar.benchmark.experiments.likelihood import by_order
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.model import TabDAR

TIED = 'tied'
"""A table without a file: two numbers, almost the same."""

BINS = (8, 32, 128)
EVENLY = 'evenly'
SETTINGS = [
    f'{bins} bins {how}:num_bins={bins}{changes}'
    for bins in BINS
    for how, changes in (('diffusion', ''), (EVENLY, ',numerical_head=bins'))
]

_TIED_ROWS, _TIED_TEST = 6_000, 2_000
_DRAWN = 4_000  # rows, to be judged beside as many test rows at most

NUMBERS = (
    Number('placed', 'numbers in bins, %', factor=100, digits=0),
    Number('likelihood', 'test rows, nats', 'high', digits=3),
    Number('tie', 'median distance of y and x', digits=4),
    Number('xgb_c2st', 'XGB-C2ST, test rows', 'high'),
    Number('shape_error', 'shape error, %', 'low', factor=100, digits=2),
    Number('beta_recall', 'beta-recall (.5 is honest)', 0.5),
    Number('fit_seconds', 'fit, processor s', digits=0),
    Number('epochs', 'epochs', digits=0),
)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, for each table and seed, in turn."""
    specs = named_specs(options)
    files = [name for name in options.tables if name != TIED]
    settings = {**plan_settings(options), 'tables': files or None}
    found = []
    for seed in options.seeds:
        planned = plan(synthesizers=specs, **{**settings, 'seeds': [seed]})
        found += planned if files else []
        if TIED in options.tables:
            first = [job for job in planned if job.table == planned[0].table]
            found += [dataclasses.replace(job, table=TIED, target=None) for job in first]
    return found


def measure(job: dict[str, Any], cells: int) -> dict[str, Any]:
    """Fit and judge.

    Args:
        job: The table and the settings.
        cells: Of training rows that go through the network, about so many in whole passes, of which
            there are at least five.
    """
    planned = Job.from_dict(job)
    dataset = _tied(planned.seed) if planned.table == TIED else planned.load()
    train, kinds = core_table(dataset)
    model, told = fit_some_cells(planned, train, kinds, cells)
    test = shuffled_test(dataset, kinds)
    judged = test.head(_DRAWN)
    drawn = model.sample(_DRAWN).head(len(judged))
    sdtypes = {name: dataset.sdtypes[name] for name in kinds}
    metrics = ['xgb_c2st', 'shape', 'alpha_precision']
    scores = evaluation.score(judged, drawn, sdtypes, metrics=metrics, seed=planned.seed)
    row = {
        **told,
        'placed': _placed(model, train),
        'likelihood': float(by_order(model, known_rows(test, train, kinds)).mean()),
        'tie': _tie(drawn) if planned.table == TIED else None,
        'tie_test': _tie(test) if planned.table == TIED else None,
        **scores,
    }
    return {'rows': [row]}


def _tied(seed: int) -> Dataset:
    rows = tied_numbers(_TIED_ROWS + _TIED_TEST, seed)
    train, test = rows.iloc[:_TIED_ROWS], rows.iloc[_TIED_ROWS:]
    return Dataset(TABLE, train, test.reset_index(drop=True), metadata_of(rows))


def _tie(rows: pd.DataFrame) -> float:
    return float((rows[f'{NUMBER}_y'] - rows[f'{NUMBER}_x']).abs().median())


def _placed(model: TabDAR, train: pd.DataFrame) -> float:
    """The share of the numbers of the training rows that lie in a bin, and are no atom."""
    schema, encoder = model.trained.network.schema, model.trained.encoder
    codes = encoder.encode_all(train).codes
    inside = [
        (codes[:, place] >= schema.columns[place].bins.start)
        & (codes[:, place] < schema.columns[place].bins.stop)
        for place in schema.numerical
    ]
    return float(sum(column.float().mean() for column in inside) / max(len(inside), 1))
