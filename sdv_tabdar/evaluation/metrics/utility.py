"""Global utility: every column in turn is predicted from all others (TabStruct, ICLR 2026).

Boosted trees learn each column from synthetic rows and from real training rows, and both are
tested on the holdout. The score of a category is the AUC (one against the rest, mean over
classes). That of a number is 1 - RMSE / (2 RMSE of the mean), of ranks among the real rows, so
that no outlier decides: like an AUC it is .5 where nothing is learned and 1 where all is, and
never below 0. The utility of a column is the share of the real rows' score that synthetic rows
reach; `utility` is the mean over the columns, `utility_worst` the worst column. One target, as in
`mle`, measures the relations of one column; this measures all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.features import TableFeatures
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.trees import fit_classifier, fit_regressor
from sdv_tabdar.evaluation.verdicts import below_real

TREES: Mapping[str, float] = {
    'n_estimators': 50,
    'learning_rate': 0.2,
    'max_depth': 5,
    'min_child_weight': 5,
}
MAX_ROWS = 5000
"""Rows of each table that are used at most."""
MAX_CLASSES = 8
"""Classes of a category that are told apart; the others are one more."""
MIN_ROWS = 30


def utility(context: Context) -> MetricResult:
    """`utility` and `utility_worst`, with the share of each column."""
    holdout = context.needed_holdout('Global utility')
    columns = context.columns
    if len(columns.names) < 2:
        raise NotComputableError('there is no other column to predict one from.')
    rows = min(len(context.real), len(context.synthetic), MAX_ROWS)
    if min(rows, len(holdout)) < MIN_ROWS:
        raise NotComputableError(f'it needs at least {MIN_ROWS} rows of each table.')
    generator = np.random.default_rng(context.seed)
    real, synthetic, test = (
        frame.iloc[generator.permutation(len(frame))[:rows]].reset_index(drop=True)
        for frame in (context.real, context.synthetic, holdout)
    )
    found = []
    for name in columns.names:
        predict = _number_scores if columns.is_number(name) else _category_aucs
        scores = predict(name, [real, synthetic], test, columns, context.seed)
        if scores is not None and scores[0] > 0:
            found.append({'column': name, 'real': scores[0], 'synthetic': scores[1]})
    if not found:
        raise NotComputableError('no column varies in the rows to test on.')
    table = pd.DataFrame(found)
    table['share'] = table['synthetic'] / table['real']
    return MetricResult(
        {'utility': float(table['share'].mean()), 'utility_worst': float(table['share'].min())},
        {'utility': table},
    )


def _number_scores(
    target: str, trains: list[pd.DataFrame], test: pd.DataFrame, columns: ColumnTypes, seed: int
) -> list[float] | None:
    """The score of each training table on a number; None if it does not vary."""
    known = [frame[frame[target].notna()] for frame in (*trains, test)]
    scale = np.sort(known[0][target].to_numpy())
    if min(map(len, known)) < MIN_ROWS or scale[0] == scale[-1]:
        return None
    # The middle of the ranks of equal values.
    ranks = [
        (
            np.searchsorted(scale, part[target], 'left')
            + np.searchsorted(scale, part[target], 'right')
        )
        / (2 * len(scale))
        for part in known
    ]
    *xs, test_x = _inputs(known, target, columns)
    spread = float(np.std(ranks[-1]))
    if spread == 0:
        return None
    scores = []
    for x, y in zip(xs, ranks[:-1], strict=True):
        predicted = fit_regressor(x, y, None, TREES, seed)(test_x)
        error = float(np.sqrt(np.mean((ranks[-1] - predicted) ** 2)))
        scores.append(max(1 - error / (2 * spread), 0.0))
    return scores


def _category_aucs(
    target: str, trains: list[pd.DataFrame], test: pd.DataFrame, columns: ColumnTypes, seed: int
) -> list[float] | None:
    """The AUC of each training table on the classes of a category; None if it does not vary."""
    parts = [*trains, test]
    frequent = trains[0][target].value_counts().index[:MAX_CLASSES]
    codes = [
        pd.Categorical(part[target], categories=list(frequent)).codes.astype(np.int64) + 1
        for part in parts
    ]
    present = [code for code in np.unique(codes[-1]) if 0 < np.mean(codes[-1] == code) < 1]
    if not present:
        return None
    *xs, test_x = _inputs(parts, target, columns)
    aucs = []
    for x, y in zip(xs, codes[:-1], strict=True):
        predicted = fit_classifier(x, y, None, TREES, seed, len(frequent) + 1)(test_x)
        aucs.append(
            float(np.mean([roc_auc_score(codes[-1] == c, predicted[:, c]) for c in present]))
        )
    return aucs


def _inputs(parts: list[pd.DataFrame], target: str, columns: ColumnTypes) -> list[np.ndarray]:
    """Features of all other columns, as the real training rows define them."""
    features = TableFeatures.fit(parts[0], columns.without([target]), max_one_hot=200)
    return [matrix.values for matrix in features.transform(*parts)]


METRIC = Metric(
    'utility',
    utility,
    (
        Score(
            'utility',
            'Global utility',
            'Every column in turn is predicted from the others by trees that learn from synthetic '
            'rows: the share of the score of real rows, mean over the columns.',
            'use',
            'higher',
            ideal=1.0,
            floor=Halves(),
            verdict=below_real,
        ),
        Score(
            'utility_worst',
            'Global utility, worst column',
            'The same of the column that is learned worst.',
            'use',
            'higher',
            ideal=1.0,
            floor=Halves(),
            verdict=below_real,
        ),
    ),
    needs_holdout=True,
    costly=True,
)
