"""Order: numbers and dates of which one is never beyond the other in any real row.

A start is never after its end, a least never above a mean. A synthetic row in which it is cannot
exist, and whoever reads it sees that; distances of columns, correlations and trees that cut one
column at a time hardly do.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import impossible_rows

MIN_ROWS = 50
"""Real rows with both numbers; fewer show no order."""
MIN_FAILING = 0.02, 14
"""A share of these rows, and so many of them, that would fail if cells of different rows met."""


def order_breaks(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes
) -> tuple[pd.DataFrame, np.ndarray]:
    """How often synthetic rows break the orders of real ones.

    Args:
        real: Canonical real rows.
        synthetic: Canonical synthetic rows.
        columns: The measured columns.

    Returns:
        A row for each pair of columns that are in order in all real rows, and by chance would not
        be: lower, upper and broken (a fraction of the synthetic rows), the largest first; and for
        each synthetic row whether it breaks one of them.
    """
    known, drawn = (
        {name: frame[name].to_numpy(np.float64, na_value=np.nan) for name in columns.numbers}
        for frame in (real, synthetic)
    )
    rows, broken = [], np.zeros(len(synthetic), dtype=bool)
    for lower, upper in itertools.permutations(columns.numbers, 2):
        if _in_order(known[lower], known[upper]):
            breaks = drawn[lower] > drawn[upper]
            broken |= breaks
            rows.append({'lower': lower, 'upper': upper, 'broken': float(breaks.mean())})
    found = pd.DataFrame(rows, columns=['lower', 'upper', 'broken'])
    return found.sort_values('broken', ascending=False, ignore_index=True), broken


def order(context: Context) -> MetricResult:
    """`order_error`, the share of rows that break an order; nothing where there is none."""
    table, broken = order_breaks(context.real, context.synthetic, context.columns)
    if not len(table):
        return MetricResult({})
    return MetricResult({'order_error': float(broken.mean())}, {'order': table})


def _in_order(lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether numbers are in order in all rows, and would not be if they were of different rows."""
    if (lower > upper).any():
        return False
    both = ~np.isnan(lower + upper)
    if both.sum() < MIN_ROWS:
        return False
    failing = np.searchsorted(np.sort(upper[both]), lower[both]) / both.sum()
    share, number = MIN_FAILING
    return bool(failing.mean() >= share and failing.sum() >= number)


METRIC = Metric(
    'order',
    order,
    (
        Score(
            'order_error',
            'Order error',
            'The share of rows in which a number or date is beyond another one that it never is '
            'beyond in real rows, as a start after its end.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(),
            verdict=impossible_rows,
            percent=True,
        ),
    ),
)
