"""Attacks by models: trees that tell synthetic from reference rows, and the model itself."""

from __future__ import annotations

import numpy as np

from sdv_tabdar.evaluation.attacks.case import Case
from sdv_tabdar.evaluation.features import TableFeatures
from sdv_tabdar.evaluation.trees import fit_classifier

_TREES = {'n_estimators': 60, 'max_depth': 4, 'learning_rate': 0.2}
_TREE_ROWS = 5_000  # of either kind


def by_trees(case: Case) -> np.ndarray:
    """Log odds of being synthetic rather than of the reference, by boosted trees.

    Source: the density ratio of DOMIAS (doi:10.48550/arXiv.2302.12580) by classification, as in
    LOGAN (Hayes et al. 2019, doi:10.2478/popets-2019-0008).
    """
    drawn, known = case.synthetic.head(_TREE_ROWS), case.known.head(_TREE_ROWS)
    features = TableFeatures.fit(known, case.context.columns, beside=drawn)
    *parts, asked = (part.values for part in features.transform(drawn, known, case.rows))
    label = np.repeat([1, 0], [len(drawn), len(known)])
    predict = fit_classifier(np.concatenate(parts), label, None, _TREES, case.context.seed, 2)
    odds = predict(asked).astype(float)
    logs: np.ndarray = np.log(odds[:, 1] + 1e-9) - np.log(odds[:, 0] + 1e-9)
    return logs


def by_likelihood(case: Case) -> np.ndarray:
    """Log-likelihood under the model, in nats; NaN for rows that were not asked about."""
    return _ordered(case.nats)


def by_likelihood_ratio(case: Case) -> np.ndarray:
    """The same less the log-likelihood under a model that was trained on other rows."""
    nats, usual = case.nats, case.usual_nats
    # A row that both find impossible is like any other.
    both = np.isneginf(nats) & np.isneginf(usual)
    return _ordered(np.where(both, 0.0, nats) - np.where(both, 0.0, usual))


def _ordered(values: np.ndarray) -> np.ndarray:
    """Infinite values as very large ones, which have an order as well."""
    return np.where(np.isnan(values), np.nan, np.nan_to_num(values, posinf=1e300, neginf=-1e300))
