"""LR-C2ST: can logistic regression tell synthetic rows from real ones?

SDMetrics' LogisticDetection, the number in most papers, with folds that are seeded. It sees no
relation between columns: shuffle every column of real data on its own, and it still scores about 1.
"""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.detection import PooledRows, detect
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score


def lr_c2st(context: Context) -> MetricResult:
    """`lr_c2st`, on the columns that SDMetrics' LogisticDetection looks at."""
    columns = context.columns.without_sdtypes(['boolean', 'ordinal'])
    if not columns.names:
        raise NotComputableError(
            'SDMetrics drops boolean and ordinal columns, and no other is left.'
        )
    pooled = PooledRows.of(context.real, context.synthetic, columns, flag_missing=False)
    with warnings.catch_warnings():
        # SDMetrics stops after 100 iterations whether they suffice or not.
        warnings.simplefilter('ignore', ConvergenceWarning)
        found = detect(pooled, lambda: LogisticRegression(solver='lbfgs'), seed=context.seed)
    return MetricResult({'lr_c2st': found.score})


METRIC = Metric(
    'lr_c2st',
    lr_c2st,
    (
        Score(
            'lr_c2st',
            'LR-C2ST',
            'The same test with logistic regression, the number in most papers; it cannot see how '
            'columns depend on each other.',
            'fidelity',
            'higher',
            ideal=1.0,
            floor=Halves(),
        ),
    ),
)
