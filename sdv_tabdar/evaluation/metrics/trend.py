"""Joint fidelity of pairs of columns.

SDMetrics' 'Column Pair Trends': Pearson correlations of two numbers, contingency tables of two
categories, and contingency tables of a category and a number cut into ten bins of equal width. As
in SDMetrics 0.32, each table's numbers are cut at its own edges.

The paper averages over all pairs; so does `trend_error`. The QualityReport of SDMetrics 0.32
averages over those pairs that are related in real data (correlation above .5 in size, Cramer's V
above .3); that is `trend_strong_error`. Both use all rows, where the report samples 50,000.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from scipy.stats.contingency import association
from sdmetrics.column_pairs import ContingencySimilarity, CorrelationSimilarity
from sdmetrics.errors import ConstantInputError

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor

STRONG_CORRELATION = 0.5
STRONG_ASSOCIATION = 0.3


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
        the correlation of a constant), real and synthetic (correlations, NaN for other pairs),
        strong (whether the pair is related in real data).
    """
    codes = _joint_codes(real, synthetic, columns)
    rows = []
    for first, second in itertools.combinations(columns.names, 2):
        if columns.is_number(first) and columns.is_number(second):
            facts = _correlation(real[[first, second]], synthetic[[first, second]])
        else:
            facts = _contingency(first, second, *codes)
        rows.append({'column_1': first, 'column_2': second, **facts})
    names = ['column_1', 'column_2', 'metric', 'score', 'real', 'synthetic', 'strong']
    return pd.DataFrame(rows, columns=names)


def trend(context: Context) -> MetricResult:
    """`trend_error` over all pairs and `trend_strong_error` over the related ones."""
    if len(context.columns.names) < 2:
        raise NotComputableError('there is one column only, hence no pair.')
    table = column_pair_trends(context.real, context.synthetic, context.columns)
    if table['score'].isna().all():
        raise NotComputableError('no pair of columns varies in both tables.')
    scores = {'trend_error': float(1 - table['score'].mean())}
    strong = table.loc[table['strong'], 'score']
    if strong.notna().any():
        scores['trend_strong_error'] = float(1 - strong.mean())
    return MetricResult(scores, {'pairs': table})


def _joint_codes(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with small integers: codes of categories, bins of numbers."""
    mine: dict[str, np.ndarray] = {}
    theirs: dict[str, np.ndarray] = {}
    for name in columns.names:
        if columns.is_number(name):
            mine[name] = _binned(real[name])
            theirs[name] = _binned(synthetic[name])
        else:
            both = pd.concat([real[name], synthetic[name]], ignore_index=True)
            codes, _ = pd.factorize(both)
            mine[name], theirs[name] = codes[: len(real)], codes[len(real) :]
    return pd.DataFrame(mine), pd.DataFrame(theirs)


def _binned(values: pd.Series) -> np.ndarray:
    """The bin of each number; a missing one falls behind the last edge, as in SDMetrics."""
    return np.digitize(values, bins=np.histogram_bin_edges(values.dropna()))


def _correlation(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, object]:
    """The facts of a pair of numbers."""
    undefined = {'score': np.nan, 'real': np.nan, 'synthetic': np.nan}
    try:
        if min(len(real.dropna()), len(synthetic.dropna())) < 2:
            facts = undefined
        else:
            with np.errstate(invalid='ignore', divide='ignore'):
                facts = CorrelationSimilarity.compute_breakdown(real, synthetic)
    except ConstantInputError:
        facts = undefined
    strong = bool(abs(facts['real']) > STRONG_CORRELATION)
    return {'metric': 'CorrelationSimilarity', **facts, 'strong': strong}


def _contingency(
    first: str, second: str, real: pd.DataFrame, synthetic: pd.DataFrame
) -> dict[str, object]:
    """The facts of a pair with at least one category."""
    pair = [first, second]
    score = float(ContingencySimilarity.compute(real[pair], synthetic[pair]))
    strong = _cramers_v(real[first].to_numpy(), real[second].to_numpy()) > STRONG_ASSOCIATION
    return {
        'metric': 'ContingencySimilarity',
        'score': score,
        'real': np.nan,
        'synthetic': np.nan,
        'strong': bool(strong),
    }


def _cramers_v(first: np.ndarray, second: np.ndarray) -> float:
    """Association of two coded columns, 0 to 1; 0 if one of them is constant."""
    _, rows = np.unique(first, return_inverse=True)
    _, cols = np.unique(second, return_inverse=True)
    counts = np.zeros((rows.max() + 1, cols.max() + 1), dtype=np.int64)
    np.add.at(counts, (rows, cols), 1)
    if min(counts.shape) < 2:
        return 0.0
    return float(association(counts, method='cramer'))


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
