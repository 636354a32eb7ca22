"""The target's probabilities given the other cells, beside boosted trees made for that alone.

Both see the training rows and are tested on the test rows. The trees are those of the evaluation's
machine-learning efficiency, trained on real rows: XGBoost that stops by a held-back tenth, mean
over its seeds. AUC: one class against the rest, mean over the classes of the test rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.datasets import Dataset
from sdv_tabdar.benchmark.evidence import (
    add_model_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.runner import Launch

HELP = "the target's probabilities, beside XGBoost trained on the real rows"
NAME = 'prediction'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_model_options(parser, tables=['adult', 'magic', 'shoppers', 'default'])
    parser.add_argument(
        '--target',
        nargs='+',
        metavar='TABLE=COLUMN',
        default=[],
        help='the column to predict, for tables that do not say it themselves',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Predict, score, print the table, keep it as ``prediction.md``."""
    results = collect(NAME, plan_models(options), options.out, {}, launch=launch)
    note = 'Trained on the training rows, tested on the test rows.'
    publish(NAME, options.out, [prediction_grid(results)], results, note)
    return results


def measure(fitted: Fitted) -> dict[str, Any]:
    """Predict the target of the test rows and score it."""
    dataset = fitted.dataset
    target = checked_target(dataset)
    known = dataset.test.drop(columns=target)
    start = time.perf_counter()
    probabilities = fitted.synthesizer.predict_proba(known, target)
    middle = time.perf_counter()
    # The rows that the trees learn from stand in the place of synthetic ones.
    trees = evaluation.score(
        dataset.train,
        dataset.train,
        dataset.metadata,
        dataset.test,
        target=target,
        metrics=['mle'],
        seed=fitted.job.seed,
    )
    return {
        'target': target,
        'test_rows': len(dataset.test),
        'ours': mean_auc(dataset.test[target], probabilities),
        'trees': trees['mle'],
        'trees_spread': trees['mle_std'],
        'fit_seconds': fitted.fit_seconds,
        'predict_seconds': middle - start,
        'trees_seconds': (time.perf_counter() - middle) / 2,
    }


def checked_target(dataset: Dataset) -> str:
    """The column to predict.

    Raises:
        ValueError: If there is none, or it is no column of categories.
    """
    if dataset.target is None:
        raise ValueError(
            f"Table '{dataset.name}' does not say what to predict; say it with --target "
            f'{dataset.name}=COLUMN.'
        )
    if dataset.target not in dataset.discrete:
        raise ValueError(
            f"The target '{dataset.target}' of table '{dataset.name}' is a number. Probabilities "
            f'are those of a column of categories, of {dataset.discrete}.'
        )
    return dataset.target


def mean_auc(truth: pd.Series, probabilities: pd.DataFrame) -> float:
    """Mean over the classes of the AUC of each against the rest; of two classes one is enough.

    Args:
        truth: Classes; missing ones do not count.
        probabilities: One column a class; a class without a column counts as probability 0.

    Raises:
        ValueError: If there are not two classes.
    """
    rows = truth.notna().to_numpy()
    classes = sorted(truth[rows].unique().tolist())
    if len(classes) < 2:
        raise ValueError(f'An AUC needs two classes, but the test rows have {classes}.')
    chosen = classes[1:] if len(classes) == 2 else classes
    aucs = []
    for name in chosen:
        known = name in probabilities.columns
        guesses = probabilities[name].to_numpy()[rows] if known else np.zeros(int(rows.sum()))
        aucs.append(roc_auc_score((truth[rows] == name).to_numpy(), guesses))
    return float(np.mean(aucs))


def prediction_grid(results: Sequence[Mapping[str, Any]]) -> Grid:
    """AUCs and what they took."""
    rows = []
    for result in results:
        ours, trees = round(result['ours'], 4), round(result['trees'], 4)
        cells = [
            Cell(f'{result["test_rows"]:,}'),
            Cell(f'{ours:.4f}', best=ours >= trees),
            Cell(f'{trees:.4f} ± {result["trees_spread"]:.4f}', best=trees >= ours),
            Cell(f'{result["ours"] - result["trees"]:+.4f}'),
            Cell(f'{result["fit_seconds"]:,.1f}'),
            Cell(f'{result["predict_seconds"]:,.1f}'),
            Cell(f'{result["trees_seconds"]:,.1f}'),
        ]
        rows.append((f'{run_label(result)}: {result["target"]}', cells))
    header = ['target', 'test rows', 'AUC, ours', 'AUC, XGBoost', 'difference']
    header += ['our fit, s', 'predict, s', 'XGBoost, s']
    return Grid("The target's probabilities", header, rows)
