"""What attackers learn of the rows that our synthesizer was fitted on, by settings and by size.

The rows of a table, training and test part together, are shuffled by the seed. The first are
fitted on; as many others make a reference model, for an attacker who has one; and those that
neither has seen are for the evaluation, which takes half of them for the people who were not
trained on and half for what the attacker knows. Beside the attacks stand the share of drawn rows
that are nearer to the rows fitted on than to as many unseen ones, the log-likelihood of both, and
the marginal error.
Settings take turns, so that two of them have the same rows at about the same time.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset, load_dataset
from sdv_tabdar.benchmark.data.generated import TABLE, metadata_of, unique_numbers
from sdv_tabdar.benchmark.experiments.comparison import named_specs
from sdv_tabdar.benchmark.experiments.core_table import part_facts, settings_of
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.jobs.cost import measured
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.output.rendering import Grid
from sdv_tabdar.benchmark.output.tables import Number, table
from sdv_tabdar.evaluation.attacks.battery import ATTACKS
from sdv_tabdar.synthesizer import TabDARSynthesizer

UNIQUE = 'unique-numbers'
"""A table without a file: a number that is another one in each row."""

_UNSEEN, _DRAWN = 6_000, 10_000  # rows for the evaluation, and drawn ones
_ORDERS = 1  # of the columns, drawn for each row, by which a likelihood is computed
_LIKELY = 500  # rows of either kind whose mean likelihood is told

_NOT_BY_ROWS = [name for name, attack in ATTACKS.items() if attack.has_model or attack.is_partial]
_BY = ('table', 'rows', 'setting')
WORST = (
    Number('worst', 'worst attack'),
    Number('attack_auc', 'AUC'),
    Number('attack_auc_low', 'from'),
    Number('attack_auc_high', 'to'),
    Number('attack_auc_floor', 'by chance'),
    Number('attack_tpr_1', 'found at 1 %', factor=100, digits=1),
    Number('attack_tpr_10', 'found at 10 %', factor=100, digits=1),
    Number('by_rows', 'worst by rows alone'),
    Number('by_rows_auc', 'its AUC'),
    Number('outlier_auc', 'outliers, AUC'),
    Number('attribute_gain', 'cells of outliers, % more', factor=100, digits=1, sign='+'),
)
MEMORISED = (
    Number('near', 'near'),
    Number('near_low', 'from'),
    Number('near_high', 'to'),
    Number('train_nats', 'training rows, nats', digits=2),
    Number('unseen_nats', 'unseen rows, nats', digits=2),
    Number('gap', 'gap, nats', digits=2),
    Number('shape_error', 'shape error, %', factor=100, digits=2),
    Number('fit_seconds', 'fit, processor s', digits=0),
)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, for each table, number of rows and seed."""
    specs = named_specs(options)
    settings = plan_settings(options)
    files = [name for name in options.tables if name != UNIQUE]
    found = []
    for seed in options.seeds:
        for rows in options.parts:
            asked = {**settings, 'seeds': [seed], 'rows': rows or None}
            planned = plan(synthesizers=specs, **{**asked, 'tables': files or None})
            found += planned if files else []
            if UNIQUE in options.tables:
                first = [job for job in planned if job.table == planned[0].table]
                found += [dataclasses.replace(job, table=UNIQUE, target=None) for job in first]
    return found


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit the model and the reference model, draw rows, attack."""
    planned = Job.from_dict(job)
    dataset, others = _split(planned)
    with measured() as fitting:
        model = _fitted(planned, dataset)
    reference = _fitted(planned, dataclasses.replace(dataset, train=others))
    drawn = model.sample(_DRAWN)
    likelihood = _Likelihood(model)
    report = evaluation.evaluate(
        dataset.train,
        drawn,
        dataset.metadata,
        dataset.test,
        metrics=['attacks', 'dcr', 'shape'],
        seed=planned.seed,
        floors=False,
        log_likelihood=likelihood,
        reference_log_likelihood=_Likelihood(reference),
        verbose=False,
    )
    found = report.tables['attacks'].set_index('attack')
    nats = {part: likelihood.mean(getattr(dataset, part)) for part in ('train', 'test')}
    row = {
        **part_facts(planned, dataset.train),
        'fit_seconds': fitting.cpu_seconds,
        'worst': ATTACKS[str(found.index[0])].title.lower(),
        **{name: float(found.loc[name, 'auc']) for name in ATTACKS if name in found.index},
        **{name: value for name, value in report.scores.items() if name.startswith(('att', 'out'))},
        **{f'near{end}': report.scores[f'dcr_share{end}'] for end in ('', '_low', '_high')},
        'train_nats': nats['train'],
        'unseen_nats': nats['test'],
        'gap': nats['train'] - nats['test'],
        'shape_error': report.scores['shape_error'],
    }
    return {'rows': [row]}


def attack_tables(rows: pd.DataFrame) -> list[Grid]:
    """The worst attacks, all attacks, and what else tells of memorising."""
    rows = _with_worst_by_rows(rows)
    aucs = [Number(name, attack.title) for name, attack in ATTACKS.items() if name in rows]
    return [
        table(rows, title, _BY, numbers, name='table: rows: setting')
        for title, numbers in (
            ('The worst attack', WORST),
            ('AUC of each attack', aucs),
            ('Signs of memorising', MEMORISED),
        )
    ]


def _with_worst_by_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """With the highest AUC of an attacker who has no model, and the name of that attack."""
    aucs = rows[[name for name in ATTACKS if name in rows and name not in _NOT_BY_ROWS]]
    titles = {name: ATTACKS[name].title.lower() for name in aucs}
    return rows.assign(by_rows=aucs.idxmax(axis=1).map(titles), by_rows_auc=aucs.max(axis=1))


def _split(job: Job) -> tuple[Dataset, pd.DataFrame]:
    """The table with rows to fit on and unseen ones, and others for a reference model."""
    if job.table == UNIQUE:
        every = unique_numbers(2 * (job.rows or _UNSEEN) + _UNSEEN, job.seed)
        dataset = Dataset(TABLE, every, every, metadata_of(every))
    else:
        dataset = load_dataset(job.data, job.table)
        every = pd.concat([dataset.train, dataset.test], ignore_index=True)
    every = every.sample(frac=1.0, random_state=job.seed).reset_index(drop=True)
    unseen = min(_UNSEEN, len(every) // 3)
    size = min(job.rows or len(every), (len(every) - unseen) // 2)
    parts = [every.iloc[:size], every.iloc[size : 2 * size], every.iloc[-unseen:]]
    train, others, test = (part.reset_index(drop=True) for part in parts)
    return dataclasses.replace(dataset, train=train, test=test), others


def _fitted(job: Job, dataset: Dataset) -> TabDARSynthesizer:
    """A model of the job's settings."""
    settings = {'random_state': job.seed, **settings_of(job)}
    synthesizer = TabDARSynthesizer(dataset.metadata, **settings)
    synthesizer.fit(dataset.train.copy())
    return synthesizer


class _Likelihood:
    """The log-likelihood of rows under a synthesizer; unseen values count as rare ones."""

    def __init__(self, synthesizer: TabDARSynthesizer) -> None:
        self._synthesizer = synthesizer

    def __call__(self, rows: pd.DataFrame) -> pd.Series:
        """Nats, row by row."""
        found = self._synthesizer.log_likelihood(rows, _ORDERS, unseen='rare', seed=0)
        assert isinstance(found, pd.Series)
        return found

    def mean(self, rows: pd.DataFrame) -> float:
        """The mean over rows."""
        return float(np.mean(self(rows.head(_LIKELY))))
