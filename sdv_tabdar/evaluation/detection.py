"""Classifier two-sample tests: can a classifier tell synthetic rows from real ones?

The score is SDMetrics' detection score, 1 - mean over 3 folds of (2 max(AUC, 1/2) - 1): 1 means
that the classifier does no better than guessing, 0 that it is always right.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import RobustScaler
from xgboost import XGBClassifier

from sdv_tabdar.evaluation.context import NotComputableError

FOLDS = 3


class Classifier(Protocol):
    """What the test needs of a classifier."""

    def fit(self, x: np.ndarray, y: np.ndarray) -> object:
        """Fit on rows x features and their labels."""

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        """Probabilities of the labels, rows x 2."""


@dataclass(frozen=True)
class Detection:
    """The outcome of a two-sample test.

    Attributes:
        score: SDMetrics' detection score, 1 = indistinguishable.
        real_probability: The probability of being real that each row got from the classifier that
            was not trained on it, first the real rows, then the synthetic rows.
        classifiers: The fitted classifier of each fold.
    """

    score: float
    real_probability: np.ndarray
    classifiers: tuple[Classifier, ...]


def detect(
    real: np.ndarray, synthetic: np.ndarray, *, classifier: str = 'xgb', seed: int = 0
) -> Detection:
    """Cross-validated detection of synthetic rows.

    Args:
        real: Features of real rows, rows x features.
        synthetic: Features of synthetic rows.
        classifier: 'xgb' or 'lr'.
        seed: Decides the folds, as `random_state` of scikit-learn's StratifiedKFold.

    Raises:
        NotComputableError: If there are fewer than 3 rows of a kind.
    """
    if min(len(real), len(synthetic)) < FOLDS:
        raise NotComputableError(
            f'{FOLDS} folds need at least {FOLDS} real and {FOLDS} synthetic rows, but there are '
            f'{len(real)} and {len(synthetic)}.'
        )
    x = np.concatenate([real, synthetic])
    y = np.repeat([1, 0], [len(real), len(synthetic)])
    probability = np.empty(len(x))
    advantages, fitted = [], []
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(x, y):
        scaler = RobustScaler().fit(x[train])
        model = _fitted(classifier, scaler.transform(x[train]), y[train])
        probability[test] = model.predict_proba(scaler.transform(x[test]))[:, 1]
        auc = roc_auc_score(y[test], probability[test])
        advantages.append(max(0.5, auc) * 2 - 1)
        fitted.append(model)
    return Detection(float(1 - np.mean(advantages)), probability, tuple(fitted))


def _fitted(classifier: str, x: np.ndarray, y: np.ndarray) -> Classifier:
    """A classifier with SDMetrics' settings, fitted."""
    if classifier == 'xgb':
        trees: Classifier = XGBClassifier(random_state=0)
        trees.fit(x, y)
        return trees
    model: Classifier = LogisticRegression(solver='lbfgs')
    with warnings.catch_warnings():
        # SDMetrics stops after 100 iterations whether they suffice or not.
        warnings.simplefilter('ignore', ConvergenceWarning)
        model.fit(x, y)
    return model
