"""Imputers to compare with, built from scikit-learn: fitted on training rows, filling test rows.

* ``mean/mode``: of each column.
* ``knn``: ``KNNImputer``, numbers standardised, categories as indicators.
* ``iterative-linear``: ``IterativeImputer`` with its Bayesian ridge regression (MICE), likewise.
* ``iterative-forest``: ``IterativeImputer`` with random forests, regressors for numbers and
  classifiers for categories, as in missForest (doi:10.1093/bioinformatics/btr597).
* ``iterative-boosting``: the same with histogram gradient boosting.

The iterative ones learn from training rows in which as large a share of the cells is hidden as in
the rows to fill: what they see of the other columns is then as uncertain as it will be.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning

# Without this import scikit-learn hides IterativeImputer.
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

Floats = npt.NDArray[np.float64]

NEIGHBOURS = 10
ROUNDS = 5
TREES = 100
# Least rows of a leaf of a forest; missForest's own for numbers.
LEAF_ROWS = 5
# Two rows of different categories are as far apart as numbers that differ by one.
INDICATOR = 1 / np.sqrt(2)
# Codes of categories begin here, far from every standardised number; trees do not mind.
FIRST_CODE = 1_000_000


@dataclasses.dataclass(frozen=True)
class Columns:
    """Which columns are numbers and which are categories."""

    numerical: Sequence[str]
    discrete: Sequence[str]


class Codes:
    """A table as standardised numbers, and categories as codes by frequency; NaN is a gap.

    Args:
        columns: Its columns.
        rows: The training rows.
    """

    def __init__(self, columns: Columns, rows: pd.DataFrame) -> None:
        self.columns = columns
        numbers = rows[list(columns.numerical)].astype(float)
        self.means = numbers.mean()
        self.scales = numbers.std(ddof=0).replace(0.0, 1.0).fillna(1.0)
        self.levels: dict[str, list[Any]] = {
            name: rows[name].value_counts().index.tolist() for name in columns.discrete
        }

    def encode(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Numbers first; a category that was not learnt is a gap."""
        coded = (rows[list(self.columns.numerical)].astype(float) - self.means) / self.scales
        for name, levels in self.levels.items():
            codes = {level: float(FIRST_CODE + place) for place, level in enumerate(levels)}
            coded[name] = [codes.get(cell, np.nan) for cell in rows[name].tolist()]
        return coded

    def merge(self, rows: pd.DataFrame, filled: Floats) -> pd.DataFrame:
        """The rows with their gaps taken from numbers as ``encode`` gives them."""
        merged = rows.copy()
        for place, name in enumerate([*self.columns.numerical, *self.columns.discrete]):
            guesses: Any = filled[:, place]
            if name in self.levels:
                guesses = [self.levels[name][int(code) - FIRST_CODE] for code in guesses]
                cells = pd.Series(guesses, index=rows.index, dtype=object)
            else:
                cells = pd.Series(guesses * self.scales[name] + self.means[name], index=rows.index)
            merged[name] = rows[name].where(rows[name].notna(), cells)
        return merged

    def indicators(self, codes: pd.DataFrame, *, redundant: bool) -> pd.DataFrame:
        """Numbers, and an indicator of each category; a gap is a gap in all of its column.

        Args:
            codes: As ``encode`` gives them.
            redundant: Whether the rarest category has an indicator, which follows from the others.
        """
        parts = [codes[list(self.columns.numerical)]]
        for name, levels in self.levels.items():
            known = range(FIRST_CODE, FIRST_CODE + len(levels) - (not redundant))
            block = pd.DataFrame({code: (codes[name] == code) * INDICATOR for code in known})
            parts.append(block.where(codes[name].notna()).add_prefix(f'{name} '))
        return pd.concat(parts, axis=1)

    def from_indicators(self, values: Floats, *, redundant: bool) -> Floats:
        """The inverse: the category with the largest indicator."""
        widths = [len(levels) - (not redundant) for levels in self.levels.values()]
        ends = np.cumsum([len(self.columns.numerical), *widths])
        numbers, *blocks = np.split(values, ends, axis=1)[:-1]
        if not redundant:
            blocks = [np.column_stack([b, INDICATOR - b.sum(axis=1)]) for b in blocks]
        return np.column_stack([numbers, *(FIRST_CODE + b.argmax(axis=1) for b in blocks)])


class ByKind(BaseEstimator):
    """A classifier of codes, a regressor of other numbers.

    Args:
        regressor: Of numbers; a copy is fitted.
        classifier: Of codes, likewise.
    """

    def __init__(self, regressor: Any, classifier: Any) -> None:
        self.regressor, self.classifier = regressor, classifier

    def fit(self, features: Floats, target: Floats) -> ByKind:
        """Learn; of a column of one value there is nothing to learn."""
        model = clone(self.classifier if target[0] >= FIRST_CODE else self.regressor)
        is_constant = len(np.unique(target)) == 1
        self.model_ = (DummyRegressor() if is_constant else model).fit(features, target)
        return self

    def predict(self, features: Floats) -> Floats:
        """The likeliest code, or the mean."""
        found: Floats = self.model_.predict(features)
        return found


class TableImputer:
    """One of scikit-learn's imputers for tables: learns from training rows, fills gaps of others.

    Args:
        columns: The columns.
        imputer: scikit-learn's.
        hides: Share of the training cells to hide from it.
        seed: Decides which.
        redundant: If not None, it sees indicators of categories in place of their codes, of each
            category or of all but one. A regression of one on all others of its column would repeat
            what these were filled with, and never look further.
    """

    def __init__(
        self,
        columns: Columns,
        imputer: Any,
        *,
        hides: float = 0.0,
        seed: int = 0,
        redundant: bool | None = None,
    ) -> None:
        self.columns, self.imputer, self.redundant = columns, imputer, redundant
        self.hides, self.seed = hides, seed

    def fit(self, rows: pd.DataFrame) -> None:
        """Learn from training rows, some of their cells hidden."""
        self.codes = Codes(self.columns, rows)
        codes = self.codes.encode(rows)
        # Another stream than that of the test rows, which has the seed itself.
        hidden = np.random.default_rng([self.seed, 1]).random(codes.shape) < self.hides
        with warnings.catch_warnings():
            # So many rounds are the setting; whether they were enough shows in the scores.
            warnings.simplefilter('ignore', ConvergenceWarning)
            self.imputer.fit(self._seen(codes.mask(hidden)))

    def fill(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows without gaps."""
        filled = self.imputer.transform(self._seen(self.codes.encode(rows)))
        if self.redundant is not None:
            filled = self.codes.from_indicators(filled, redundant=self.redundant)
        return self.codes.merge(rows, filled)

    def _seen(self, codes: pd.DataFrame) -> Floats:
        if self.redundant is not None:
            codes = self.codes.indicators(codes, redundant=self.redundant)
        return codes.to_numpy(dtype=float)


def _middle(cells: Floats) -> float:
    """The mean, or the most frequent category, which is the first."""
    return FIRST_CODE if cells[0] >= FIRST_CODE else float(cells.mean())


def _mean_mode(columns: Columns, *, share: float, seed: int) -> TableImputer:
    return TableImputer(columns, SimpleImputer(strategy=_middle))


def _knn(columns: Columns, *, share: float, seed: int) -> TableImputer:
    # Neighbours are looked for among whole rows: nothing is gained by hiding cells of them.
    return TableImputer(columns, KNNImputer(n_neighbors=NEIGHBOURS), redundant=True)


def _linear(columns: Columns, *, share: float, seed: int) -> TableImputer:
    imputer = IterativeImputer(max_iter=2 * ROUNDS, random_state=seed)
    return TableImputer(columns, imputer, hides=share, seed=seed, redundant=False)


def _chained(
    columns: Columns, regressor: Any, classifier: Any, *, share: float, seed: int
) -> TableImputer:
    """Round after round each column from all others, the one with fewest gaps first."""
    imputer = IterativeImputer(
        ByKind(regressor, classifier),
        initial_strategy='median',
        max_iter=ROUNDS,
        tol=0.0,  # which is relative to the codes, and would end it at once
        random_state=seed,
        keep_empty_features=True,
    )
    return TableImputer(columns, imputer, hides=share, seed=seed)


def _forest(columns: Columns, *, share: float, seed: int) -> TableImputer:
    regressor = RandomForestRegressor(TREES, min_samples_leaf=LEAF_ROWS, random_state=seed)
    classifier = RandomForestClassifier(TREES, random_state=seed)
    return _chained(columns, regressor, classifier, share=share, seed=seed)


def _boosting(columns: Columns, *, share: float, seed: int) -> TableImputer:
    regressor = HistGradientBoostingRegressor(max_iter=TREES, random_state=seed)
    classifier = HistGradientBoostingClassifier(max_iter=TREES, random_state=seed)
    return _chained(columns, regressor, classifier, share=share, seed=seed)


IMPUTERS: dict[str, Callable[..., TableImputer]] = {
    'mean/mode': _mean_mode,
    'knn': _knn,
    'iterative-linear': _linear,
    'iterative-forest': _forest,
    'iterative-boosting': _boosting,
}
