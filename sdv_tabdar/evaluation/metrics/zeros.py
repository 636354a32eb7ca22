"""Structural zeros: values of two columns that by chance would meet, and never do in real rows.

Who has no children has no youngest child, a contract that is open has no end, who does not work has
no wage. A synthetic row that has one all the same cannot exist. It is asked of cells that are
missing, of the most frequent values of each column, and of its other values together.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import impossible_rows

MIN_EXPECTED = 30.0
"""Real rows in which two values would meet if the columns were independent."""
MAX_ROWS = 20_000
"""Rows of each table that are looked at at most."""
FREQUENT = 8
"""Values of a column that count by themselves, the most frequent ones."""

Groups = npt.NDArray[np.int64]


def zero_breaks(real: pd.DataFrame, synthetic: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """How often synthetic rows have values together that never meet in real ones.

    Args:
        real: Canonical real rows of the measured columns.
        synthetic: Canonical synthetic rows of the same columns.

    Returns:
        A row for each pair of columns with structural zeros: column, other and broken (a fraction
        of the synthetic rows), the largest first; and for each synthetic row whether it has one.
    """
    groups = {name: _groups(real[name], synthetic[name]) for name in real.columns}
    rows, broken = [], np.zeros(len(synthetic), dtype=bool)
    for first, second in itertools.combinations(groups, 2):
        impossible = _never_meeting(groups[first][0], groups[second][0])
        if impossible.any():
            breaks = impossible[groups[first][1], groups[second][1]]
            broken |= breaks
            share = float(breaks.mean()) if len(breaks) else 0.0
            rows.append({'column': first, 'other': second, 'broken': share})
    found = pd.DataFrame(rows, columns=['column', 'other', 'broken'])
    return found.sort_values('broken', ascending=False, ignore_index=True), broken


def zeros(context: Context) -> MetricResult:
    """`zero_error`, the share of rows with structural zeros; nothing where there are none."""
    generator = np.random.default_rng(context.seed)
    real, synthetic = (
        frame.iloc[generator.permutation(len(frame))[:MAX_ROWS]][list(context.columns.names)]
        for frame in (context.real, context.synthetic)
    )
    table, broken = zero_breaks(real, synthetic)
    if not len(table):
        return MetricResult({})
    return MetricResult({'zero_error': float(broken.mean())}, {'zeros': table})


def _groups(real: pd.Series, synthetic: pd.Series) -> tuple[Groups, Groups]:
    """The group ``(rows,)`` of each real and each synthetic cell.

    0 of those that are missing, then one for each frequent value, then that of all others.
    """
    frequent = real.value_counts().index[:FREQUENT]
    number = {value: place for place, value in enumerate(frequent, start=1)}
    first, second = (
        np.where(column.isna(), 0, column.map(number).fillna(FREQUENT + 1)).astype(np.int64)
        for column in (real, synthetic)
    )
    return first, second


def _never_meeting(first: Groups, second: Groups) -> npt.NDArray[np.bool_]:
    """The pairs of groups ``(G, G)`` of two columns' rows that never meet, and should."""
    size = FREQUENT + 2
    counts = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / max(len(first), 1)
    return (counts == 0) & (expected >= MIN_EXPECTED)


METRIC = Metric(
    'zeros',
    zeros,
    (
        Score(
            'zero_error',
            'Structural-zero error',
            'The share of rows with values in two columns that never meet in real rows, though by '
            'chance they would, as an age of the youngest child without children.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(),
            verdict=impossible_rows,
            percent=True,
        ),
    ),
)
