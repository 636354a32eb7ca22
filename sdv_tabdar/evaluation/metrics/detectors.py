"""A panel of detectors against rows that nobody has trained on.

Every detector is a classifier that is asked to tell synthetic rows from the holdout, by five-fold
cross-validation on equally many rows of both. The number is its AUC: .5 is guessing. Beside it
stands the AUC of the training rows against the same holdout, which is what real rows reach.

Why not against the training rows, as in XGB-C2ST: draws that are spread evenly, or copies, are
their complement, so that a classifier does worse than chance and any fault is hidden.

- `detect_xgb`: XGBoost of 300 trees of depth 6, the protocol of published numbers
  (arXiv 2607.21636). Its AUC splits into that on rows whose columns were shuffled, each by itself
  within its table (`detect_columns`: single columns alone), and the rest (`detect_dependency`).
- `detect_tuned`: XGBoost of 300 smaller steps on parts of rows and columns.
- `detect_lightgbm`, `detect_catboost`: where these packages are installed.
- `detect_excess`: the largest AUC of the panel minus the largest that real rows reach.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd
from xgboost import XGBClassifier

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.detection import Classifier, PooledRows, detect
from sdv_tabdar.evaluation.metric import Beside, Metric, MetricResult, Reading, Score, Verdict
from sdv_tabdar.evaluation.shuffling import shuffled
from sdv_tabdar.evaluation.trees import thread_count

FOLDS = 5
TREES = 300
MAX_ROWS = 10_000
"""Rows of each side that are used at most; the AUC of real rows then varies by .004."""


def _xgboost(seed: int, threads: int | None) -> Classifier:
    return XGBClassifier(n_estimators=TREES, max_depth=6, random_state=seed, n_jobs=threads)


def _tuned(seed: int, threads: int | None) -> Classifier:
    return XGBClassifier(
        n_estimators=TREES,
        max_depth=5,
        learning_rate=0.05,
        subsample=0.7,
        colsample_bytree=0.7,
        random_state=seed,
        n_jobs=threads,
    )


def _lightgbm(seed: int, threads: int | None) -> Classifier:
    model: Classifier = import_module('lightgbm').LGBMClassifier(
        n_estimators=TREES, learning_rate=0.05, random_state=seed, verbose=-1, n_jobs=threads
    )
    return model


def _catboost(seed: int, threads: int | None) -> Classifier:
    model: Classifier = import_module('catboost').CatBoostClassifier(
        iterations=TREES,
        depth=6,
        random_seed=seed,
        verbose=0,
        thread_count=threads,
        allow_writing_files=False,
    )
    return model


PANEL: dict[str, tuple[Callable[[int, int | None], Classifier], str]] = {
    'detect_xgb': (_xgboost, 'xgboost'),
    'detect_tuned': (_tuned, 'xgboost'),
    'detect_lightgbm': (_lightgbm, 'lightgbm'),
    'detect_catboost': (_catboost, 'catboost'),
}
"""How to build each detector, and the package that it needs."""


def detectors(context: Context) -> MetricResult:
    """The AUC of each detector, the excess of the panel, and what the columns alone give away."""
    holdout = context.needed_holdout('A detector against held-out rows')
    rows = min(len(context.synthetic), len(context.real), len(holdout), MAX_ROWS)
    generator = np.random.default_rng(context.seed)
    reference = sample(holdout, rows, generator)
    sides = {
        '': sample(context.synthetic, rows, generator),
        '_real': sample(context.real, rows, generator),
    }
    scores: dict[str, float] = {}
    for suffix, frame in sides.items():
        found = panel(reference, frame, context.columns, generator, context.seed)
        scores.update({f'{key}{suffix}': auc for key, auc in found.items()})
    scores['detect_excess'] = scores['detect_worst'] - scores['detect_worst_real']
    scores['detect_rows'] = float(rows)
    # The standard error of the AUC of two samples of one population.
    scores['detect_chance'] = float(np.sqrt((2 * rows + 1) / (12 * rows**2)))
    return MetricResult(scores)


def panel(
    reference: pd.DataFrame,
    frame: pd.DataFrame,
    columns: ColumnTypes,
    generator: np.random.Generator,
    seed: int,
) -> dict[str, float]:
    """The AUC of each detector that is installed, and the parts of XGBoost's.

    Args:
        reference: Real rows, a canonical frame.
        frame: As many rows to be told from them.
        columns: The columns to use.
        generator: Shuffles the columns.
        seed: Of folds and classifiers.
    """
    aucs = {
        key: _auc(reference, frame, columns, build, seed)
        for key, (build, package) in PANEL.items()
        if find_spec(package) is not None
    }
    parts = [shuffled(rows, len(rows), generator) for rows in (reference, frame)]
    alone = _auc(parts[0], parts[1], columns, _xgboost, seed)
    return {
        **aucs,
        'detect_columns': alone,
        'detect_dependency': aucs['detect_xgb'] - alone,
        'detect_worst': max(aucs.values()),
    }


def sample(frame: pd.DataFrame, rows: int, generator: np.random.Generator) -> pd.DataFrame:
    """Some of the rows, in any order."""
    return frame.iloc[generator.permutation(len(frame))[:rows]].reset_index(drop=True)


def _auc(
    real: pd.DataFrame,
    other: pd.DataFrame,
    columns: ColumnTypes,
    build: Callable[[int, int | None], Classifier],
    seed: int,
) -> float:
    """The mean AUC over the folds."""
    pooled = PooledRows.of(real, other, columns)
    threads = thread_count(pooled.values)
    return detect(pooled, lambda: build(seed, threads), folds=FOLDS, scaled=False, seed=seed).auc


def beside_real(reading: Reading) -> Verdict | None:
    """How far an AUC is above that of real rows."""
    if not np.isfinite(reading.floor):
        return None
    return _verdict(reading.value - reading.floor, reading)


def excess(reading: Reading) -> Verdict:
    """The same of a difference."""
    return _verdict(reading.value, reading)


def _verdict(above: float, reading: Reading) -> Verdict:
    """Words about an AUC above that of real rows."""
    if above <= 0.01:
        return Verdict('as real rows', 'good')
    if above <= 2 * reading.scores.get('detect_chance', 0.0):
        return Verdict(f'{above:.3f} above real rows, within chance', 'good')
    return Verdict(f'{above:.3f} above real rows', 'fair' if above <= 0.05 else 'poor')


METRIC = Metric(
    'detectors',
    detectors,
    (
        Score(
            'detect_excess',
            'Detector panel',
            'The best of several classifiers tries to tell synthetic rows from real rows that '
            'nobody trained on: its AUC minus that of real rows, 0 if they are alike.',
            'fidelity',
            'lower',
            ideal=0.0,
            verdict=excess,
        ),
        Score(
            'detect_xgb',
            'Detector, XGBoost',
            'AUC of 300 boosted trees against unseen real rows: .5 is guessing, 1 is certainty.',
            'fidelity',
            'lower',
            ideal=0.5,
            floor=Beside('detect_xgb_real', 'training rows'),
            verdict=beside_real,
        ),
        Score(
            'detect_columns',
            'Detector, columns alone',
            'The same where the columns of both tables are shuffled, so that only single columns '
            'can give rows away.',
            'fidelity',
            'lower',
            ideal=0.5,
            floor=Beside('detect_columns_real', 'training rows'),
            verdict=beside_real,
        ),
        Score(
            'detect_dependency',
            'Detector, dependency',
            'What the relations of columns give away: the AUC minus that of shuffled columns.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Beside('detect_dependency_real', 'training rows'),
            verdict=beside_real,
        ),
        *(
            Score(
                key,
                f'Detector, {title}',
                f'The same AUC of {words}.',
                'fidelity',
                'lower',
                ideal=0.5,
                floor=Beside(f'{key}_real', 'training rows'),
                verdict=beside_real,
            )
            for key, title, words in (
                ('detect_tuned', 'tuned XGBoost', 'boosted trees with a slower learning rate'),
                ('detect_lightgbm', 'LightGBM', 'LightGBM'),
                ('detect_catboost', 'CatBoost', 'CatBoost'),
            )
        ),
    ),
    needs_holdout=True,
    costly=True,
)
