"""Joint fidelity of pairs of columns.

SDMetrics' 'Column Pair Trends': Pearson correlations of two numbers, contingency tables of two
categories, and contingency tables of a category and a number cut into ten bins of equal width. The
numbers are those of SDMetrics, computed for all pairs at once.

Where a number is cut matters. SDMetrics 0.32 cuts each table at its own edges, so that one outlier
moves all of them: `trend_error` does the same and is to be compared with reports of SDMetrics.
Published numbers were computed with the edges of the real table: compare them with
`trend_real_edges_error`, whose floor is many times lower on tables with heavy tails.

The papers average over all pairs; so do these two. The QualityReport of SDMetrics 0.32 averages
over those pairs that are related in real data (correlation above .5 in size, Cramer's V above .3);
that is `trend_strong_error`. All use all rows, where the report samples 50,000.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.bins import Bins
from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor

STRONG_CORRELATION = 0.5
STRONG_ASSOCIATION = 0.3

Codes = dict[str, np.ndarray]
"""Small integers from 0 for each column, (rows,)."""


def column_pair_trends(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes
) -> pd.DataFrame:
    """Score each pair of columns, as SDMetrics' QualityReport does with its thresholds at zero.

    Args:
        real: Canonical real rows.
        synthetic: Canonical synthetic rows.
        columns: The measured columns.

    Returns:
        A row per pair: column_1, column_2, metric, score (1 = same, NaN where undefined, as for
        the correlation of a constant), real_edges_score (the same with numbers cut at the edges of
        the real table), real and synthetic (correlations, NaN for other pairs), strong (whether
        the pair is related in real data).
    """
    own = _joint_codes(real, synthetic, columns, real_edges=False)
    fixed = _joint_codes(real, synthetic, columns, real_edges=True)
    numbers = [
        {name: frame[name].to_numpy() for name in columns.numbers} for frame in (real, synthetic)
    ]
    rows = []
    for first, second in itertools.combinations(columns.names, 2):
        pair = (first, second)
        if columns.is_number(first) and columns.is_number(second):
            facts = _correlations(pair, *numbers)
        else:
            score = _similarity(pair, *own)
            is_number = columns.is_number(first) or columns.is_number(second)
            facts = {
                'metric': 'ContingencySimilarity',
                'score': score,
                'real_edges_score': _similarity(pair, *fixed) if is_number else score,
                'real': np.nan,
                'synthetic': np.nan,
                'strong': _cramers_v(own[0][first], own[0][second]) > STRONG_ASSOCIATION,
            }
        rows.append({'column_1': first, 'column_2': second, **facts})
    names = ['metric', 'score', 'real_edges_score', 'real', 'synthetic', 'strong']
    return pd.DataFrame(rows, columns=['column_1', 'column_2', *names])


def trend(context: Context) -> MetricResult:
    """`trend_error`, `trend_real_edges_error` and, over the related pairs, `trend_strong_error`."""
    if len(context.columns.names) < 2:
        raise NotComputableError('there is one column only, hence no pair.')
    table = column_pair_trends(context.real, context.synthetic, context.columns)
    if table['score'].isna().all():
        raise NotComputableError('no pair of columns varies in both tables.')
    scores = {
        'trend_error': float(1 - table['score'].mean()),
        'trend_real_edges_error': float(1 - table['real_edges_score'].mean()),
    }
    strong = table.loc[table['strong'], 'score']
    if strong.notna().any():
        scores['trend_strong_error'] = float(1 - strong.mean())
    return MetricResult(scores, {'pairs': table})


def _joint_codes(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes, *, real_edges: bool
) -> tuple[Codes, Codes]:
    """Both tables with small integers: codes of categories, bins of numbers."""
    mine: Codes = {}
    theirs: Codes = {}
    for name in columns.names:
        if columns.is_number(name):
            bins = Bins.over(real[name])
            mine[name] = bins.codes(real[name])
            if not real_edges:
                bins = Bins.over(synthetic[name])
            theirs[name] = bins.codes(synthetic[name])
        else:
            both = pd.concat([real[name], synthetic[name]], ignore_index=True)
            codes, _ = pd.factorize(both)
            mine[name], theirs[name] = codes[: len(real)] + 1, codes[len(real) :] + 1
    return mine, theirs


def _correlations(
    pair: tuple[str, str], real: dict[str, np.ndarray], synthetic: dict[str, np.ndarray]
) -> dict[str, object]:
    """The facts of a pair of numbers."""
    mine, theirs = (_pearson(side[pair[0]], side[pair[1]]) for side in (real, synthetic))
    score = 1 - abs(mine - theirs) / 2
    return {
        'metric': 'CorrelationSimilarity',
        'score': score,
        'real_edges_score': score,
        'real': mine,
        'synthetic': theirs,
        'strong': abs(mine) > STRONG_CORRELATION,
    }


def _pearson(first: np.ndarray, second: np.ndarray) -> float:
    """The correlation over the rows that have both, NaN where it is undefined."""
    known = ~(np.isnan(first) | np.isnan(second))
    x, y = first[known], second[known]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return np.nan
    # Unit vectors first: the squares of large numbers would lose the small ones.
    x, y = (part - part.mean() for part in (x, y))
    product = np.dot(x / np.linalg.norm(x), y / np.linalg.norm(y))
    return float(np.clip(product, -1, 1))


def _similarity(pair: tuple[str, str], real: Codes, synthetic: Codes) -> float:
    """One minus the total variation distance of the contingency tables of a pair."""
    width = 1 + max(int(side[pair[1]].max()) for side in (real, synthetic))
    cells = [side[pair[0]].astype(np.int64) * width + side[pair[1]] for side in (real, synthetic)]
    _, places = np.unique(np.concatenate(cells), return_inverse=True)
    mine, theirs = places[: len(cells[0])], places[len(cells[0]) :]
    size = int(places.max()) + 1
    shares = [np.bincount(part, minlength=size) / len(part) for part in (mine, theirs)]
    return float(1 - np.abs(shares[0] - shares[1]).sum() / 2)


def _cramers_v(first: np.ndarray, second: np.ndarray) -> float:
    """Association of two coded columns, 0 to 1; 0 if one of them is constant."""
    rows, columns = (np.bincount(codes) for codes in (first, second))
    smaller = min(np.count_nonzero(rows), np.count_nonzero(columns))
    if smaller < 2:
        return 0.0
    cells, counts = np.unique(first.astype(np.int64) * len(columns) + second, return_counts=True)
    expected = rows[cells // len(columns)] * columns[cells % len(columns)] / len(first)
    # Pearson's chi-squared over the rows; cells without rows add their expectation only.
    phi_squared = max(0.0, float((counts**2 / expected).sum() / len(first) - 1))
    return float(np.sqrt(phi_squared / (smaller - 1)))


METRIC = Metric(
    'trend',
    trend,
    (
        Score(
            'trend_error',
            'Joint error',
            'How far the relation of two columns is from the real one, mean over all pairs.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
        Score(
            'trend_real_edges_error',
            'Joint error, real edges',
            'The same with numbers cut at the edges of the real table, as published numbers are.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
        Score(
            'trend_strong_error',
            'Joint error, related pairs',
            'The same over the pairs that are clearly related in the real data; what the '
            'quality report of recent SDMetrics averages.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
            percent=True,
        ),
    ),
)
