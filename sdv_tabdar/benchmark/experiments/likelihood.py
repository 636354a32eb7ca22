"""How likely test rows are under what was learnt, and what settings gain over the first of them.

Three figures in nats per row, on rows that were not trained on:

- ``drawn``: the exact log-likelihood, in nats per unit of each number, by the chain rule in orders
  in which rows are drawn; the mean over orders.
- ``mixture``: of the distribution that many drawn rows follow together. Each chunk of rows has an
  order of its own, so that it is the mean of the orders' densities, which is greater the more they
  differ.
- ``any order``: the bound that training minimises, over random sets of known cells, with its sign
  turned: what imputation and conditions rest on. It is in codes and residuals, and differs from
  log-likelihoods by what is the same for all settings with one encoding.

Settings take turns, each seed on all tables before the next one, so that whatever a machine does
meanwhile meets all of them.
"""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.benchmark.experiments.core_table import part_facts, settings_of, timed_fit
from sdv_tabdar.benchmark.experiments.held_out import (
    any_order_loss,
    known_rows,
    shuffled_test,
    training_part,
)
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import Number, table
from sdv_tabdar.core.model import TabDAR

_ROWS, _ORDERS = 1_000, 3  # whose exact log-likelihood is computed

FIGURES = (
    Number('drawn', 'drawn, nats', digits=3),
    Number('mixture', 'mixture, nats', digits=3),
    Number('any_order', 'any order, nats', digits=3),
)
NUMBERS = (
    *FIGURES,
    Number('drawn_train', 'training rows, drawn', digits=3),
    Number('epochs', 'epochs', digits=0),
    Number('fit_seconds', 'fit, processor s', digits=1),
)
AVERAGE = 'mean of the tables'


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit rows that the seed chooses, and ask for the likelihood of test rows."""
    planned = Job.from_dict(job)
    dataset, train, kinds = training_part(planned)
    model, seconds = timed_fit(settings_of(planned), planned.seed, train, kinds)
    known = known_rows(shuffled_test(dataset, kinds), train, kinds)
    found = by_order(model, known)
    row = {
        **part_facts(planned, train),
        'fit_seconds': seconds,
        'epochs': len(model.loss_values),
        'drawn': float(found.mean()),
        'mixture': float(np.mean(np.logaddexp.reduce(found) - math.log(len(found)))),
        'any_order': -any_order_loss(model, known),
        'drawn_train': float(by_order(model, train).mean()),
    }
    return {'rows': [row]}


def likelihood_tables(rows: pd.DataFrame) -> list[Grid]:
    """The figures; and, of several settings, what each gains over the first."""
    grids = [table(rows, 'Likelihood of rows', ['table', 'rows', 'setting'], NUMBERS)]
    if rows['setting'].nunique() > 1:
        grids.append(gains(rows))
    return grids


def gains(rows: pd.DataFrame) -> Grid:
    """What settings gain over the first, seed by seed, with the standard deviation over seeds.

    The last lines are means over tables; they have how many tables gain, of how many, in place of
    the deviation, and how much more processor time fitting takes.
    """
    first, *others = dict.fromkeys(rows['setting'])
    keys = [*(number.key for number in FIGURES), 'fit_seconds']
    by_place = rows.set_index(['setting', 'table', 'rows', 'seed'])[keys]
    lines = []
    for setting in others:
        own, beside = by_place.loc[setting], by_place.loc[first]
        own = own.loc[own.index.intersection(beside.index)]
        beside = beside.loc[own.index]
        changes = (own - beside).assign(fit_seconds=own['fit_seconds'] / beside['fit_seconds'])
        by_table = changes.groupby(level=[0, 1], sort=False)
        for (name, number), part in by_table:
            cells = [_gain(part[key]) for key in keys[:-1]]
            lines.append((f'{name}: {number}: {setting}', [*cells, _times(part)]))
        means = by_table.mean()
        cells = [
            Cell(f'{means[key].mean():+.3f}, {(means[key] > 0).sum()} of {len(means)}')
            for key in keys[:-1]
        ]
        lines.append((f'{AVERAGE}: {setting}', [*cells, _times(means)]))
    header = ['setting', *(number.title for number in FIGURES), 'times the fit']
    return Grid(f"Gain over '{first}'", header, lines)


def _times(changes: pd.DataFrame) -> Cell:
    """How many times the processor time of the first setting fitting takes."""
    return Cell(f'{changes["fit_seconds"].mean():.2f}')


def _gain(changes: pd.Series) -> Cell:
    """The mean, and the standard deviation where there are several seeds."""
    text = f'{changes.mean():+.3f}'
    return Cell(text + (f' ± {statistics.stdev(changes):.3f}' if len(changes) > 1 else ''))


def by_order(model: TabDAR, rows: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Log-likelihoods ``(orders, rows)``; rows without density in one order do not count."""
    rows = rows.head(_ROWS)
    model.set_random_state(0)
    found = np.stack([model.log_likelihood(rows, num_orders=1) for _ in range(_ORDERS)])
    return found[:, np.isfinite(found).all(axis=0)]
