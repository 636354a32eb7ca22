"""Cells of the test rows hidden at random and filled again: ours beside scikit-learn's imputers.

Every method learns from the training rows and fills the test rows, of which it sees the known
cells alone. Numbers are compared by RMSE and MAE in standard deviations of the training rows,
categories by accuracy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.evidence import (
    add_model_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.imputers import IMPUTERS, Columns
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.results import NOTHING
from sdv_tabdar.benchmark.runner import Launch

HELP = "hidden cells filled again, beside scikit-learn's imputers"
NAME = 'imputation'
OURS = 'tabdar'
# Each score, and whether more is better.
SCORES = {'rmse': False, 'mae': False, 'accuracy': True}
TITLES = {'rmse': 'RMSE', 'mae': 'MAE', 'accuracy': 'accuracy'}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_model_options(parser, tables=['letter', 'adult', 'default', 'shoppers'])
    parser.add_argument(
        '--share',
        type=float,
        default=0.3,
        help='share of the cells of the test rows to hide (default: %(default)s)',
    )
    parser.add_argument(
        '--methods',
        nargs='*',
        choices=list(IMPUTERS),
        default=list(IMPUTERS),
        metavar='METHOD',
        help=f'what to put beside ours, of {", ".join(IMPUTERS)} (default: all)',
    )
    parser.add_argument(
        '--baseline-rows',
        type=int,
        default=5_000,
        metavar='N',
        help='training rows that the others than mean/mode learn from (default: %(default)s)',
    )
    parser.add_argument(
        '--test-rows', type=int, metavar='N', help='at most so many test rows (default: all)'
    )
    parser.add_argument(
        '--num-samples',
        type=int,
        default=10,
        metavar='N',
        help='draws that a cell of ours is the mean or the vote of (default: %(default)s)',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Fill, compare, print the table, keep it as ``imputation.md``.

    Raises:
        ValueError: If no cell or every cell shall be hidden, or a number of rows is below 1.
    """
    if not 0 < options.share < 1:
        raise ValueError(f'--share must be above 0 and below 1, but it is {options.share}.')
    for name in ('baseline_rows', 'test_rows', 'num_samples'):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f'--{name.replace("_", "-")} must be at least 1, but it is {value}.')
    settings = {
        'share': options.share,
        'methods': options.methods,
        'baseline_rows': options.baseline_rows,
        'test_rows': options.test_rows,
        'num_samples': options.num_samples,
    }
    results = collect(NAME, plan_models(options), options.out, settings, launch=launch)
    note = (
        f'{options.share:.0%} of the cells of the test rows hidden at random. Errors in standard '
        f'deviations of the training rows; ours: mean or vote of {options.num_samples} draws.'
    )
    publish(NAME, options.out, [imputation_grid(results)], results, note)
    return results


def measure(
    fitted: Fitted,
    *,
    share: float,
    methods: list[str],
    baseline_rows: int,
    test_rows: int | None,
    num_samples: int,
) -> dict[str, Any]:
    """Hide cells of the test rows, fill them with each method, score."""
    dataset, seed = fitted.dataset, fitted.job.seed
    truth = dataset.test
    if test_rows is not None and test_rows < len(truth):
        truth = truth.sample(test_rows, random_state=seed)
    truth = truth.reset_index(drop=True)
    hidden = hidden_cells(truth, share, seed)
    columns = Columns(
        numerical=[name for name in truth.columns if name not in dataset.discrete],
        discrete=dataset.discrete,
    )
    known = with_gaps(truth, hidden, columns)
    order = np.random.default_rng(seed).permutation(len(dataset.train))[:baseline_rows]
    some = dataset.train.iloc[np.sort(order)].reset_index(drop=True)
    found: dict[str, Any] = {}

    def keep(name: str, filled: pd.DataFrame, rows: int, seconds: Mapping[str, float]) -> None:
        scores = evaluation.imputation_scores(
            truth, filled, hidden, dataset.sdtypes, reference=dataset.train
        )
        found[name] = {'scores': scores, 'train_rows': rows, **seconds}
        print(name, {key: scores.get(key) for key in SCORES}, seconds, flush=True)

    start = time.perf_counter()
    ours = fitted.synthesizer.impute(known, num_samples=num_samples)
    seconds = {'fit_seconds': fitted.fit_seconds, 'fill_seconds': time.perf_counter() - start}
    keep(OURS, ours, len(dataset.train), seconds)
    for name in methods:
        rows = dataset.train if name == 'mean/mode' else some
        imputer = IMPUTERS[name](columns, share=share, seed=seed)
        start = time.perf_counter()
        imputer.fit(rows)
        middle = time.perf_counter()
        filled = imputer.fill(known)
        end = time.perf_counter()
        keep(name, filled, len(rows), {'fit_seconds': middle - start, 'fill_seconds': end - middle})
    return {'test_rows': len(truth), 'hidden': int(hidden.to_numpy().sum()), 'methods': found}


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


def imputation_grid(results: Sequence[Mapping[str, Any]]) -> Grid:
    """One row a table and method, the best of each table marked."""
    rows = []
    for result in results:
        methods = result['methods']
        for name, found in methods.items():
            cells = [_score_cell(methods, name, key) for key in SCORES]
            cells += [
                Cell(f'{found["train_rows"]:,}'),
                Cell(f'{found["fit_seconds"]:,.1f}'),
                Cell(f'{found["fill_seconds"]:,.1f}'),
            ]
            rows.append((f'{run_label(result)}: {name}', cells))
    header = ['table', *TITLES.values(), 'training rows', 'fit, s', 'fill, s']
    return Grid('Filling hidden cells', header, rows)


def _score_cell(methods: Mapping[str, Any], name: str, key: str) -> Cell:
    """A score; bold if none of the same table is printed as a better one."""
    values = {
        method: round(found['scores'][key], 4)
        for method, found in methods.items()
        if key in found['scores']
    }
    if name not in values:
        return Cell(NOTHING)
    best = max(values.values()) if SCORES[key] else min(values.values())
    return Cell(f'{values[name]:.4f}', best=len(values) > 1 and values[name] == best)
