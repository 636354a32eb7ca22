"""XGB-C2ST: can boosted trees tell synthetic rows from the real rows trained on?

SDMetrics' detection score with its preprocessing, and its number where it has one, with folds that
are seeded. The trees also see what SDMetrics drops: boolean and ordinal columns, missing cells.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from xgboost import XGBClassifier

from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.detection import PooledRows, detect
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Reading, Score, Verdict
from sdv_tabdar.evaluation.trees import thread_count


def xgb_c2st(context: Context) -> MetricResult:
    """`xgb_c2st`, with the importance of each column and the suspicion of each synthetic row."""
    pooled = PooledRows.of(context.real, context.synthetic, context.columns)
    threads = thread_count(pooled.values)
    found = detect(pooled, lambda: XGBClassifier(random_state=0, n_jobs=threads), seed=context.seed)
    gains = np.mean([model.feature_importances_ for model in found.classifiers], axis=0)  # type: ignore[attr-defined]
    importance = pd.DataFrame(
        {'feature': pooled.names, 'column': pooled.sources, 'importance': gains}
    )
    suspicion = 1 - found.real_probability
    rows = len(context.real)
    return MetricResult(
        {'xgb_c2st': found.score},
        {'importance': importance},
        {'real_suspicion': suspicion[:rows], 'suspicion': suspicion[rows:]},
    )


def verdict(reading: Reading) -> Verdict:
    """A sentence about the share of the floor that is reached."""
    floor = reading.floor if math.isfinite(reading.floor) and reading.floor else 1.0
    ratio = reading.value / max(floor, 1e-9)
    if ratio >= 0.97:
        return Verdict('As hard to tell apart as real from real.', 'good', beyond=ratio > 1.01)
    if ratio >= 0.8:
        return Verdict('Hard to tell from real data.', 'good')
    if ratio >= 0.5:
        return Verdict('Can be told from real data, with effort.', 'fair')
    if ratio >= 0.2:
        return Verdict('Clearly different from real data.', 'poor')
    return Verdict('Easily told from real data.', 'poor')


METRIC = Metric(
    'xgb_c2st',
    xgb_c2st,
    (
        Score(
            'xgb_c2st',
            'XGB-C2ST',
            'Boosted trees try to tell synthetic rows from real ones: 1 means they can only guess, '
            '0 that they are always right.',
            'fidelity',
            'higher',
            ideal=1.0,
            floor=Halves(),
            verdict=verdict,
        ),
    ),
)
