"""Boosted trees that predict one column from the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import numpy as np
from xgboost import XGBClassifier, XGBRegressor

PATIENCE = 15
"""Trees without a gain on the held rows, after which no more are added."""

FEW_CELLS = 1_000_000
"""Cells of a table up to which further threads cost more than they save."""

Prediction = Callable[[np.ndarray], np.ndarray]


def thread_count(x: np.ndarray) -> int | None:
    """How many threads trees are to use on a table; None for all. The trees are the same.

    Never more than `OMP_NUM_THREADS` allows, which not every library looks at.
    """
    allowed = os.environ.get('OMP_NUM_THREADS', '')
    if x.size <= FEW_CELLS:
        return 1
    return int(allowed) if allowed.isdigit() and int(allowed) else None


def fit_regressor(
    x: np.ndarray,
    y: np.ndarray,
    held: tuple[np.ndarray, np.ndarray] | None,
    setting: Mapping[str, float],
    seed: int,
) -> Prediction:
    """A fitted predictor of a number.

    Args:
        x: Features, rows x features.
        y: The number, (rows,).
        held: Features and numbers that decide when to stop; None to use all trees.
        setting: What XGBoost calls its parameters.
        seed: Of the trees.
    """
    model = XGBRegressor(
        **setting,
        random_state=seed,
        n_jobs=thread_count(x),
        early_stopping_rounds=PATIENCE if held else None,
    )
    model.fit(x, y, eval_set=[held] if held else None, verbose=False)
    predict: Prediction = model.predict
    return predict


def fit_classifier(
    x: np.ndarray,
    y: np.ndarray,
    held: tuple[np.ndarray, np.ndarray] | None,
    setting: Mapping[str, float],
    seed: int,
    width: int,
) -> Prediction:
    """A fitted predictor of class probabilities, rows x all classes.

    Args:
        x: Features, rows x features.
        y: Codes of the classes, (rows,); not all classes need occur.
        held: Features and codes that decide when to stop; None to use all trees.
        setting: What XGBoost calls its parameters.
        seed: Of the trees.
        width: How many classes there are.
    """
    classes = np.unique(y)
    if len(classes) < 2:
        # Nothing to learn: all AUCs are 1/2.
        return lambda rows: np.ones((len(rows), width))
    model = XGBClassifier(
        **setting,
        random_state=seed,
        n_jobs=thread_count(x),
        early_stopping_rounds=PATIENCE if held else None,
    )
    evaluation = None
    if held:
        familiar = np.isin(held[1], classes)
        if familiar.any():
            evaluation = [(held[0][familiar], np.searchsorted(classes, held[1][familiar]))]
        else:
            model.set_params(early_stopping_rounds=None)
    model.fit(x, np.searchsorted(classes, y), eval_set=evaluation, verbose=False)

    def predict(rows: np.ndarray) -> np.ndarray:
        probabilities = np.zeros((len(rows), width), dtype=np.float32)
        probabilities[:, classes] = model.predict_proba(rows)
        return probabilities

    return predict
