"""Equal cells: how often two columns hold the same number in one row.

Some people pay exactly their bill, and of a single value the least and the greatest are the same.
Such rows lie on a line, which no distribution has that is continuous in both columns, and which
neither trees that cut one column at a time nor correlations see. A score by Kolmogorov-Smirnov is
the distance of two shares; so is this one, for each pair of columns of numbers or dates that are
equal in some rows.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor

MIN_SHARE = 0.01
"""Pairs that are equal in fewer of the real rows, as a fraction, do not count."""
MAX_ROWS = 20_000
"""Rows of each table that are compared at most."""


def equal_shares(real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes) -> pd.DataFrame:
    """The share of rows in which two columns are equal.

    Args:
        real: Canonical real rows.
        synthetic: Canonical synthetic rows.
        columns: The measured columns.

    Returns:
        A row for each pair of columns that are equal in enough real rows: column, other, real and
        synthetic (fractions of the rows), the largest real share first.
    """
    parts = [
        {name: frame[name].to_numpy(np.float64, na_value=np.nan) for name in columns.numbers}
        for frame in (real, synthetic)
    ]
    rows = []
    for first, second in itertools.combinations(columns.numbers, 2):
        share = float(np.mean(parts[0][first] == parts[0][second]))
        if share >= MIN_SHARE:
            drawn = float(np.mean(parts[1][first] == parts[1][second]))
            rows.append({'column': first, 'other': second, 'real': share, 'synthetic': drawn})
    found = pd.DataFrame(rows, columns=['column', 'other', 'real', 'synthetic'])
    return found.sort_values('real', ascending=False, ignore_index=True)


def equal(context: Context) -> MetricResult:
    """`equal_error`, the mean difference over the pairs; nothing where there is no such pair."""
    generator = np.random.default_rng(context.seed)
    real, synthetic = (
        frame.iloc[generator.permutation(len(frame))[:MAX_ROWS]]
        for frame in (context.real, context.synthetic)
    )
    table = equal_shares(real, synthetic, context.columns)
    if not len(table):
        return MetricResult({})
    error = float((table['real'] - table['synthetic']).abs().mean())
    return MetricResult({'equal_error': error}, {'equal': table})


METRIC = Metric(
    'equal',
    equal,
    (
        Score(
            'equal_error',
            'Equal-cell error',
            'The difference in the share of rows in which two columns have the same number, mean '
            'over the pairs of columns that sometimes do.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
    ),
)
