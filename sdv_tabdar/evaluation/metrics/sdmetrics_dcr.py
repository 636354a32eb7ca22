"""SDMetrics' own distance-to-closest-record score, for those who compare with it.

DCROverfittingProtection: 1 if at most half of the synthetic rows are closer to the training rows
than to the holdout, 0 if all are. Its distances differ from ours (a category that differs counts
1), and it is slow, so that at most a thousand rows of each table are used. `dcr_share` uses all.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdmetrics.single_table.privacy import DCROverfittingProtection

from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score

MAX_ROWS = 1000


def sdmetrics_dcr(context: Context) -> MetricResult:
    """`sdmetrics_dcr`, 1 = no sign of overfitting."""
    holdout = context.needed_holdout("SDMetrics' DCROverfittingProtection")
    generator = np.random.default_rng(context.seed)
    # Equally many training and holdout rows, without which the larger table wins.
    size = min(MAX_ROWS, len(context.real), len(holdout))

    names = [f'column {index}' for index in range(len(context.columns.names))]

    def sample(frame: pd.DataFrame, rows: int) -> pd.DataFrame:
        chosen = generator.choice(len(frame), min(rows, len(frame)), replace=False)
        # SDMetrics sums over columns by name, hence needs names that are text.
        return frame.iloc[chosen].reset_index(drop=True).set_axis(names, axis=1)

    columns = {
        name: {'sdtype': 'numerical' if context.columns.is_number(column) else 'categorical'}
        for name, column in zip(names, context.columns.names, strict=True)
    }
    score = DCROverfittingProtection.compute(
        sample(context.real, size),
        sample(context.synthetic, MAX_ROWS),
        sample(holdout, size),
        {'columns': columns},
        table_name=None,
    )
    return MetricResult({'sdmetrics_dcr': float(score)})


METRIC = Metric(
    'sdmetrics_dcr',
    sdmetrics_dcr,
    (
        Score(
            'sdmetrics_dcr',
            'DCR, SDMetrics',
            'The overfitting score of SDMetrics, on a thousand rows: below 1 where more than '
            'half of the synthetic rows are closer to the training rows.',
            'privacy',
            'higher',
            ideal=1.0,
            floor=Halves(),
        ),
    ),
    needs_holdout=True,
    costly=True,
)
