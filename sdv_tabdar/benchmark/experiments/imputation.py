"""Cells of the test rows hidden at random and filled again: ours beside other imputers.

Every method learns from the training rows and fills the test rows, of which it sees the known
cells alone. Numbers are compared by RMSE and MAE in standard deviations of the training rows,
categories by accuracy.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.experiments.options import parse_imputer
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.methods import hyperimpute
from sdv_tabdar.benchmark.methods.exchange import path_for, read_filled, write_rows
from sdv_tabdar.benchmark.methods.imputers import IMPUTERS, Columns, TableImputer
from sdv_tabdar.benchmark.output.tables import Number

SCORES = ('rmse', 'mae', 'accuracy')
NUMBERS = (
    Number('rmse', 'RMSE', 'low', digits=4),
    Number('mae', 'MAE', 'low', digits=4),
    Number('accuracy', 'accuracy', 'high', digits=4),
    Number('train_rows', 'training rows', digits=0),
    Number('fit_seconds', 'fit, s', digits=1),
    Number('fill_seconds', 'fill, s', digits=1),
)


def measure(
    fitted: Fitted,
    *,
    share: float,
    methods: list[str],
    baseline_rows: int,
    test_rows: int | None,
    num_samples: int,
    gaps: str | None = None,
    hyperimpute_python: str | None = None,
) -> dict[str, Any]:
    """Hide cells of the test rows, fill them with each method, score.

    Args:
        fitted: Our model.
        share: Of the cells, to hide.
        methods: The names of the imputers beside ours, or ``NAME=csv:PATH``.
        baseline_rows: How many training rows the imputers but mean/mode learn from.
        test_rows: At most so many test rows.
        num_samples: Draws of ours.
        gaps: A folder into which the test rows with their gaps are written; None for none.
        hyperimpute_python: The Python that has hyperimpute; None is this one.
    """
    dataset, seed = fitted.dataset, fitted.job.seed
    truth = _test_rows(dataset.test, test_rows, seed)
    hidden = hidden_cells(truth, share, seed)
    numerical = [name for name in truth.columns if name not in dataset.discrete]
    columns = Columns(numerical, dataset.discrete)
    known = with_gaps(truth, hidden, columns)
    if gaps is not None:
        Path(gaps).mkdir(parents=True, exist_ok=True)
        write_rows(known, Path(gaps, f'{dataset.name}_{seed}.csv'))
    order = np.random.default_rng(seed).permutation(len(dataset.train))[:baseline_rows]
    some = dataset.train.iloc[np.sort(order)].reset_index(drop=True)
    rows = []
    for method in ['tabdar', *methods]:
        name, path = parse_imputer(method) or (method, '')
        train = dataset.train if name in ('tabdar', 'mean/mode') else some
        cost: dict[str, float | None]
        if path:
            train_rows, cost = None, {'fit_seconds': None, 'fill_seconds': None}
            filled = read_filled(path_for(path, dataset.name, seed), known, dataset.train)
        elif name == 'tabdar':
            train_rows, start = len(train), time.perf_counter()
            filled = fitted.synthesizer.impute(known, num_samples=num_samples)
            cost = _cost(fitted.fit_seconds, start)
        else:
            train_rows, start = len(train), time.perf_counter()
            imputer = _imputer(name, columns, share, seed, hyperimpute_python)
            imputer.fit(train)
            fit_seconds, start = time.perf_counter() - start, time.perf_counter()
            filled = imputer.fill(known)
            cost = _cost(fit_seconds, start)
        scores = evaluation.imputation_scores(
            truth, filled, hidden, dataset.sdtypes, reference=dataset.train
        )
        found = {key: scores.get(key) for key in SCORES}
        rows.append({'method': name, 'train_rows': train_rows, **found, **cost})
        print(rows[-1], flush=True)
    return {'rows': rows}


def _imputer(
    name: str, columns: Columns, share: float, seed: int, python: str | None
) -> TableImputer:
    if name in hyperimpute.OUTSIDE:
        return hyperimpute.build(name, columns, share=share, seed=seed, python=python)
    return IMPUTERS[name](columns, share=share, seed=seed)


def _test_rows(rows: pd.DataFrame, count: int | None, seed: int) -> pd.DataFrame:
    """At most so many of the rows."""
    some = rows if count is None or count >= len(rows) else rows.sample(count, random_state=seed)
    return some.reset_index(drop=True)


def _cost(fit_seconds: float, start: float) -> dict[str, float | None]:
    return {'fit_seconds': fit_seconds, 'fill_seconds': time.perf_counter() - start}


def hidden_cells(rows: pd.DataFrame, share: float, seed: int) -> pd.DataFrame:
    """Which cells (bool, True = hidden) are hidden, each with the same probability."""
    chosen = np.random.default_rng(seed).random(rows.shape) < share
    return pd.DataFrame(chosen & rows.notna().to_numpy(), index=rows.index, columns=rows.columns)


def with_gaps(rows: pd.DataFrame, hidden: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """The rows without their hidden cells; categories keep their type, so 1 does not become 1.0."""
    known = {}
    for name in rows.columns:
        if name in columns.discrete:
            known[name] = rows[name].astype(object).where(~hidden[name], None)
        else:
            known[name] = rows[name].astype(float).where(~hidden[name])
    return pd.DataFrame(known)
