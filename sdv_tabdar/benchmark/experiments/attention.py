"""What attention among known cells costs and gives: both kinds after the same number of passes.

A pass costs about the same with both, so that equal passes are about equal processor time, whatever
else a machine does; the seconds stand in the table. Test rows are judged by how likely they are as
a whole, in orders in which rows are drawn; by how likely each of their cells is given all others of
its row, where the whole set of known cells matters most; and by the errors of cells that were
hidden and filled again. Drawn rows are compared with test rows.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.experiments.comparison import named_specs
from sdv_tabdar.benchmark.experiments.core_table import core_table, fit_some_cells
from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.experiments.held_out import known_rows, shuffled_test
from sdv_tabdar.benchmark.experiments.imputation import hidden_cells
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

KINDS = [f'{kind}:attention={kind}' for kind in ('bidirectional', 'causal')]

_ROWS = 500  # test rows whose likelihood is computed, and as many that are filled
_ORDERS = 2
_HIDDEN, _DRAWS = 0.3, 5  # share of cells that are filled, and draws of each
_DRAWN = 2_000  # rows, to be judged beside test rows

NUMBERS = (
    Number('likelihood', 'test rows, nats', digits=3),
    Number('conditional', 'a cell given all others, nats', digits=4),
    Number('rmse', 'filled numbers, RMSE', digits=4),
    Number('accuracy', 'filled categories, accuracy', digits=4),
    Number('xgb_c2st', 'XGB-C2ST, test rows'),
    Number('speed', 'rows per processor second', digits=0),
    Number('fit_seconds', 'fit, processor s', digits=0),
    Number('epochs', 'epochs', digits=0),
)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Ours with each of the named settings, for each table and seed, in turn."""
    return plan(synthesizers=named_specs(options), **plan_settings(options))


def measure(job: dict[str, Any], cells: int) -> dict[str, Any]:
    """Fit and judge.

    Args:
        job: The table and the settings.
        cells: Of training rows that go through the network, about so many in whole passes, of which
            there are at least five.
    """
    planned = Job.from_dict(job)
    dataset = planned.load()
    train, kinds = core_table(dataset)
    model, told = fit_some_cells(planned, train, kinds, cells)
    test = shuffled_test(dataset, kinds)
    known = known_rows(test, train, kinds).head(_ROWS).reset_index(drop=True)
    sdtypes = {name: dataset.sdtypes[name] for name in kinds}
    start = time.process_time()
    drawn = model.sample(_DRAWN)
    speed = len(drawn) / (time.process_time() - start)
    judged = test.head(_DRAWN)
    detected = evaluation.score(
        judged, drawn.head(len(judged)), sdtypes, metrics=['xgb_c2st'], seed=planned.seed
    )
    row = {
        **told,
        'columns': len(kinds),
        'speed': speed,
        'likelihood': _likelihood(model, known),
        'conditional': _conditional(model, known),
        **_filled(model, known, train, kinds, sdtypes),
        **detected,
    }
    return {'rows': [row]}


def _likelihood(model: TabDAR, rows: pd.DataFrame) -> float:
    """Mean over orders and rows, in nats per unit of each number; rows without density left out."""
    model.set_random_state(0)
    found = np.stack([model.log_likelihood(rows, num_orders=1) for _ in range(_ORDERS)])
    return float(found[:, np.isfinite(found).all(axis=0)].mean())


def _conditional(model: TabDAR, rows: pd.DataFrame) -> float:
    """Mean log density of a cell given all others of its row, likewise."""
    found = np.stack([model.log_density(rows, None, name) for name in rows.columns])
    return float(np.mean([column[np.isfinite(column)].mean() for column in found]))


def _filled(
    model: TabDAR,
    rows: pd.DataFrame,
    train: pd.DataFrame,
    kinds: dict[str, ColumnKind],
    sdtypes: dict[str, str],
) -> dict[str, float]:
    """Errors of hidden cells that are the mean or the vote of several draws."""
    hidden = hidden_cells(rows, _HIDDEN, 0)
    copies = rows.loc[rows.index.repeat(_DRAWS)].reset_index(drop=True)
    seen = np.repeat(~hidden.to_numpy(), _DRAWS, axis=0)
    model.set_random_state(0)
    drawn = model.complete(copies, seen, num_copies=_DRAWS).rows
    groups = drawn.groupby(np.arange(len(drawn)) // _DRAWS)
    filled = {
        name: groups[name].mean()
        if kind is ColumnKind.NUMERICAL
        else groups[name].agg(lambda values: values.mode(dropna=False).iloc[0])
        for name, kind in kinds.items()
    }
    scores = evaluation.imputation_scores(
        rows, pd.DataFrame(filled), hidden, sdtypes, reference=train
    )
    return {name: scores.get(name, np.nan) for name in ('rmse', 'accuracy')}
