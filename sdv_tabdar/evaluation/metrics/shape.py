"""Marginal fidelity: how far the distribution of each column is from the real one.

SDMetrics' 'Column Shapes': one minus the Kolmogorov-Smirnov statistic for numbers and datetimes,
one minus the total variation distance for categories; the table's score is the mean over columns.
The paper prints the error, one minus that.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sdmetrics.single_column import KSComplement, TVComplement

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor


def column_shapes(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes
) -> pd.DataFrame:
    """Score each column, as SDMetrics' QualityReport does.

    Args:
        real: Canonical real rows.
        synthetic: Canonical synthetic rows.
        columns: The measured columns.

    Returns:
        A row per column: column, metric, score (1 = same distribution, NaN where one side has no
        value), missing_real and missing_synthetic (fractions; SDMetrics' scores leave missing
        cells out).
    """
    rows = []
    for name in columns.names:
        metric = KSComplement if columns.is_number(name) else TVComplement
        # Where a column has no value on one side, SDMetrics warns or raises.
        known = real[name].notna().any() and synthetic[name].notna().any()
        with warnings.catch_warnings():
            # About the p-value of the KS test, which SDMetrics computes and drops.
            warnings.filterwarnings('ignore', 'ks_2samp: Exact calculation unsuccessful')
            score = float(metric.compute(real[name], synthetic[name])) if known else np.nan
        rows.append(
            {
                'column': name,
                'metric': metric.__name__,
                'score': score,
                'missing_real': real[name].isna().mean(),
                'missing_synthetic': synthetic[name].isna().mean(),
            }
        )
    return pd.DataFrame(rows)


def shape(context: Context) -> MetricResult:
    """`shape_error`, the mean marginal error, and `missing_error`.

    `missing_error` is the mean difference in the share of missing cells over the columns that
    have any, zero where there are none.
    """
    table = column_shapes(context.real, context.synthetic, context.columns)
    if table['score'].isna().all():
        raise NotComputableError('no column has a value in both tables.')
    gap = (table['missing_real'] - table['missing_synthetic']).abs()
    concerned = (table['missing_real'] > 0) | (table['missing_synthetic'] > 0)
    scores = {'shape_error': float(1 - table['score'].mean())}
    if concerned.any():
        scores['missing_error'] = float(gap[concerned].mean())
    return MetricResult(scores, {'columns': table})


METRIC = Metric(
    'shape',
    shape,
    (
        Score(
            'shape_error',
            'Marginal error',
            'How far the distribution of a single column is from the real one, mean over the '
            'columns.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
        Score(
            'missing_error',
            'Missing-cell error',
            'The difference in the share of missing cells, mean over the columns that have any.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
    ),
)
