"""The target's probabilities given the other cells, beside boosted trees made for that alone.

Both see the training rows and are tested on the test rows. The trees are those of the evaluation's
machine-learning efficiency, trained on real rows: XGBoost that stops by a held-back tenth, mean
over its seeds. AUC: one class against the rest, mean over the classes of the test rows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import Number

NUMBERS = (
    Number('target', 'target'),
    Number('test_rows', 'test rows', digits=0),
    Number('ours', 'AUC, ours', digits=4),
    Number('trees', 'AUC, XGBoost', digits=4),
    Number('trees_std', 'its standard deviation', digits=4),
    Number('difference', 'difference', digits=4, sign='+'),
    Number('fit_seconds', 'our fit, s', digits=1),
    Number('predict_seconds', 'predict, s', digits=1),
    Number('trees_seconds', 'XGBoost, s', digits=1),
)


def measure(fitted: Fitted) -> dict[str, Any]:
    """Predict the target of the test rows and score it."""
    dataset = fitted.dataset
    target = checked_target(dataset)
    start = time.perf_counter()
    probabilities = fitted.synthesizer.predict_proba(dataset.test.drop(columns=target), target)
    middle = time.perf_counter()
    # The rows that the trees learn from stand in the place of synthetic ones, so all is done twice.
    trees = evaluation.score(
        dataset.train,
        dataset.train,
        dataset.metadata,
        dataset.test,
        target=target,
        metrics=['mle'],
        seed=fitted.job.seed,
    )
    ours = mean_auc(dataset.test[target], probabilities)
    row = {
        'target': target,
        'test_rows': len(dataset.test),
        'ours': ours,
        'trees': trees['mle'],
        'trees_std': trees['mle_std'],
        'difference': ours - trees['mle'],
        'fit_seconds': fitted.fit_seconds,
        'predict_seconds': middle - start,
        'trees_seconds': (time.perf_counter() - middle) / 2,
    }
    return {'rows': [row]}


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
    known = truth.notna().to_numpy()
    classes = sorted(truth[known].unique().tolist())
    if len(classes) < 2:
        raise ValueError(f'An AUC needs two classes, but the test rows have {classes}.')
    chosen = classes[1:] if len(classes) == 2 else classes
    guesses = probabilities.reindex(columns=chosen, fill_value=0.0)[known]
    return float(np.mean([roc_auc_score(truth[known] == name, guesses[name]) for name in chosen]))
