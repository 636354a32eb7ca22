"""Nearest-neighbour distance ratio: does a synthetic row single out one real row?

The ratio of the distances (as in `dcr`) to the nearest and to the second nearest training row. A
ratio near 0 means that a row sits on one real row and far from all others. Whether it is low is
seen only beside the rows of the holdout, which are real and have their own ratios.
"""

from __future__ import annotations

import numpy as np

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Beside, Metric, MetricResult, Score

LOW_QUANTILE = 0.05


def distance_ratios(distances: np.ndarray) -> np.ndarray:
    """First by second distance of each row, 1 where both are zero.

    Args:
        distances: The two smallest distances of each row, rows x 2.
    """
    nearest, second = distances[:, 0], distances[:, 1]
    return np.divide(nearest, second, out=np.ones(len(distances)), where=second > 0)


def nndr(context: Context) -> MetricResult:
    """`nndr` and `nndr_low`: median and 5 % quantile of the ratios; also those of the holdout."""
    if len(context.real) < 2:
        raise NotComputableError('a second nearest row needs at least 2 real rows.')
    ratios = distance_ratios(context.synthetic_to_real)
    scores = {
        'nndr': float(np.median(ratios)),
        'nndr_low': float(np.quantile(ratios, LOW_QUANTILE)),
    }
    if context.holdout is not None:
        honest = distance_ratios(context.holdout_to_real)
        scores['nndr_holdout'] = float(np.median(honest))
        scores['nndr_low_holdout'] = float(np.quantile(honest, LOW_QUANTILE))
    return MetricResult(scores)


METRIC = Metric(
    'nndr',
    nndr,
    (
        Score(
            'nndr',
            'Distance ratio',
            'Distance to the nearest by distance to the second nearest training row, median; '
            'lower than for unseen real rows means that rows are singled out.',
            'privacy',
            'floor',
            floor=Beside('nndr_holdout'),
        ),
        Score(
            'nndr_low',
            'Distance ratio, lowest 5 %',
            'The same for the most suspicious rows.',
            'privacy',
            'floor',
            floor=Beside('nndr_low_holdout'),
        ),
    ),
)
