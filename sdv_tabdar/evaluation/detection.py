"""Two-sample tests: can a classifier tell the rows of two tables apart?

Both tables are treated alike: levels of categories are those of either, and whether a level is
known to the real table is asked of the *other* real rows of the training folds, so that a real row
with a name of its own counts as unknown just like an invented one. Where the two are samples of the
same population, no feature then depends on the side that a row is on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import RobustScaler

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import NotComputableError
from sdv_tabdar.evaluation.features import TableFeatures, level_codes

LARGEST_FEATURE = float(np.finfo(np.float32).max)
"""What a classifier can hold; an outlier in quartiles that are very close together may be more."""


class Classifier(Protocol):
    """What the test needs of a classifier."""

    def fit(self, x: np.ndarray, y: np.ndarray) -> object:
        """Fit on rows x features and their labels."""

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        """Probabilities of the labels, rows x 2."""


@dataclass(frozen=True)
class PooledRows:
    """The rows of two tables as features, those of the first table first.

    Attributes:
        values: Rows x features.
        is_real: Bool (rows,), True for the first table.
        rare: Codes of those categories that have levels which at most one real row has, rows x
            columns; each adds the feature 'no other real row has it'.
        names: Names of all features, those of `rare` last.
        sources: The column of each feature.
    """

    values: np.ndarray
    is_real: np.ndarray
    rare: np.ndarray
    names: tuple[str, ...]
    sources: tuple[str, ...]

    @classmethod
    def of(
        cls,
        real: pd.DataFrame,
        synthetic: pd.DataFrame,
        columns: ColumnTypes,
        *,
        flag_missing: bool = True,
    ) -> PooledRows:
        """Two canonical frames, with SDMetrics' features first.

        Args:
            real: The first table, which also gives what stands in for missing numbers.
            synthetic: The second table.
            columns: The columns to use.
            flag_missing: Whether to add 'is missing' for each number.
        """
        features = TableFeatures.fit(
            real, columns, beside=synthetic, fill='mean', flag_missing=flag_missing
        )
        first, second = features.transform(real, synthetic)
        codes = {}
        for name in columns.categories:
            levels = features.levels[name]
            mine, theirs = (level_codes(frame[name], levels) for frame in (real, synthetic))
            if (np.bincount(mine, minlength=len(levels)) <= 1).any():
                codes[name] = np.concatenate([mine, theirs])
        rows = len(real) + len(synthetic)
        return cls(
            np.concatenate([first.values, second.values]),
            np.arange(rows) < len(real),
            np.stack(list(codes.values()), axis=1) if codes else np.zeros((rows, 0), np.int64),
            (*first.names, *(f'no other real row has this {name}' for name in codes)),
            (*first.sources, *codes),
        )

    def split(self, train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features of training and test rows; the test rows' sides influence neither."""
        known = np.zeros((len(self.values), self.rare.shape[1]))
        own = np.zeros(len(self.values), np.int64)
        own[train] = self.is_real[train]
        for column, codes in enumerate(self.rare.T):
            among_real = np.bincount(codes[train][self.is_real[train]], minlength=codes.max() + 1)
            known[:, column] = among_real[codes] - own == 0
        both = np.column_stack([self.values, known])
        return both[train], both[test]


@dataclass(frozen=True)
class Detection:
    """The outcome of a two-sample test.

    Attributes:
        aucs: The AUC of each fold.
        real_probability: The probability of being real that each row got from the classifier that
            was not trained on it, first the real rows, then the synthetic rows.
        classifiers: The fitted classifier of each fold.
    """

    aucs: tuple[float, ...]
    real_probability: np.ndarray
    classifiers: tuple[Classifier, ...]

    @property
    def auc(self) -> float:
        """The mean AUC: .5 is guessing."""
        return float(np.mean(self.aucs))

    @property
    def score(self) -> float:
        """SDMetrics' detection score, 1 - mean of (2 max(AUC, 1/2) - 1): 1 is guessing."""
        return float(1 - np.mean([max(0.5, auc) * 2 - 1 for auc in self.aucs]))


def detect(
    rows: PooledRows,
    build: Callable[[], Classifier],
    *,
    folds: int = 3,
    scaled: bool = True,
    seed: int = 0,
) -> Detection:
    """Cross-validated detection of the rows of the second table.

    Args:
        rows: Both tables.
        build: Gives a new classifier.
        folds: How many folds.
        scaled: Whether features are scaled by median and quartiles, as SDMetrics does.
        seed: Decides the folds, as `random_state` of scikit-learn's StratifiedKFold.

    Raises:
        NotComputableError: If a table has fewer rows than there are folds.
    """
    real = int(rows.is_real.sum())
    synthetic = len(rows.is_real) - real
    if min(real, synthetic) < folds:
        raise NotComputableError(
            f'{folds} folds need at least {folds} real and {folds} synthetic rows, but there are '
            f'{real} and {synthetic}.'
        )
    label = rows.is_real.astype(np.int64)
    probability = np.empty(len(label))
    aucs, fitted = [], []
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in splits.split(rows.values, label):
        x, x_test = rows.split(train, test)
        if scaled:
            scaler = RobustScaler().fit(x)
            x, x_test = (
                scaler.transform(part).clip(-LARGEST_FEATURE, LARGEST_FEATURE)
                for part in (x, x_test)
            )
        model = build()
        model.fit(x, label[train])
        probability[test] = model.predict_proba(x_test)[:, 1]
        aucs.append(float(roc_auc_score(label[test], probability[test])))
        fitted.append(model)
    return Detection(tuple(aucs), probability, tuple(fitted))
