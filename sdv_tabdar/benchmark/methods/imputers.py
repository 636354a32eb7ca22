"""Imputers to compare with, built from scikit-learn: fitted on training rows, filling test rows.

* ``mean/mode``: of each column.
* ``knn``: ``KNNImputer``, numbers standardised, categories as indicators.
* ``iterative-linear``: ``IterativeImputer`` with its Bayesian ridge regression (MICE), likewise.
* ``iterative-forest``: chained equations with random forests, regressors for numbers and
  classifiers for categories, as in missForest.
* ``iterative-boosting``: the same with histogram gradient boosting.

The chained ones learn from training rows in which as large a share of the cells is hidden as in
the rows to fill: what they see of the other columns is then as uncertain as it will be.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning

# Without this import scikit-learn hides IterativeImputer.
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

Floats = npt.NDArray[np.float64]

NEIGHBOURS = 10
ROUNDS = 5
TREES = 100
# Least rows of a leaf of a forest; missForest's own for numbers.
LEAF_ROWS = 5
# Two rows of different categories are as far apart as numbers that differ by one.
INDICATOR = 1 / np.sqrt(2)


@dataclasses.dataclass(frozen=True)
class Columns:
    """Which columns are numbers and which are categories."""

    numerical: Sequence[str]
    discrete: Sequence[str]


class TableImputer(Protocol):
    """Learns from complete rows, fills gaps of others."""

    def fit(self, rows: pd.DataFrame) -> None:
        """Learn."""
        ...

    def fill(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows without gaps."""
        ...


class Codes:
    """A table as numbers: standardised numbers, places of categories in their lists.

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

    def encode(self, rows: pd.DataFrame) -> Floats:
        """Rows x columns, numbers first; NaN is a gap. A category not learnt is a gap as well."""
        numbers = (rows[list(self.columns.numerical)].astype(float) - self.means) / self.scales
        parts = [numbers.to_numpy(dtype=float)]
        for name, levels in self.levels.items():
            places = {level: place for place, level in enumerate(levels)}
            codes = [places.get(cell, np.nan) for cell in rows[name].tolist()]
            parts.append(np.array(codes, dtype=float)[:, None])
        return np.concatenate(parts, axis=1)

    def merge(self, rows: pd.DataFrame, filled: Floats) -> pd.DataFrame:
        """The rows with their gaps taken from numbers as ``encode`` gives them."""
        merged = {}
        names = [*self.columns.numerical, *self.columns.discrete]
        for place, name in enumerate(names):
            if name in self.levels:
                levels = self.levels[name]
                guesses: Any = [levels[int(code)] for code in filled[:, place]]
            else:
                guesses = filled[:, place] * self.scales[name] + self.means[name]
            series = pd.Series(guesses, index=rows.index, dtype=object)
            merged[name] = rows[name].where(rows[name].notna(), series)
            if name not in self.levels:
                merged[name] = merged[name].astype(float)
        return pd.DataFrame(merged)[list(rows.columns)]

    def widths(self) -> list[int]:
        """How many indicators each column of categories has."""
        return [len(levels) for levels in self.levels.values()]

    def indicators(self, codes: Floats, *, redundant: bool) -> Floats:
        """Numbers and indicators; a gap is NaN in all indicators of its column.

        Args:
            codes: As ``encode`` gives them.
            redundant: Whether the rarest category has an indicator, which follows from the others.
        """
        parts = [codes[:, : len(self.columns.numerical)]]
        for place, width in enumerate(self.widths(), len(self.columns.numerical)):
            column = codes[:, place]
            block = np.full((len(codes), width), np.nan)
            known = ~np.isnan(column)
            block[known] = 0.0
            block[known, column[known].astype(int)] = INDICATOR
            parts.append(block if redundant else block[:, :-1])
        return np.concatenate(parts, axis=1)

    def from_indicators(self, values: Floats, *, redundant: bool) -> Floats:
        """The inverse: the category with the largest indicator."""
        start = len(self.columns.numerical)
        parts = [values[:, :start]]
        for width in self.widths():
            stop = start + width - (not redundant)
            block = values[:, start:stop]
            if not redundant:
                block = np.column_stack([block, INDICATOR - block.sum(axis=1)])
            parts.append(block.argmax(axis=1)[:, None].astype(float))
            start = stop
        return np.concatenate(parts, axis=1)


class MeanMode:
    """The mean of numbers and the most frequent category."""

    def __init__(self, columns: Columns, *, share: float, seed: int) -> None:
        self.columns = columns

    def fit(self, rows: pd.DataFrame) -> None:
        """Learn means; the first level is the most frequent one."""
        self.codes = Codes(self.columns, rows)

    def fill(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The standardised mean is 0, and so is the code of the most frequent level."""
        filled = np.zeros((len(rows), len(rows.columns)))
        return self.codes.merge(rows, filled)


class Indicators:
    """One of scikit-learn's imputers on standardised numbers and indicators.

    Args:
        columns: The columns.
        imputer: scikit-learn's.
        share: Share of the training cells to hide from it.
        seed: Decides which.
        redundant: Whether each category has an indicator. A regression of one on all others of
            its column would repeat what these were filled with, and never look further.
    """

    def __init__(
        self, columns: Columns, imputer: Any, *, share: float, seed: int, redundant: bool
    ) -> None:
        self.columns, self.imputer, self.share, self.seed = columns, imputer, share, seed
        self.redundant = redundant

    def fit(self, rows: pd.DataFrame) -> None:
        """Learn from training rows, some of their cells hidden if ``share`` says so."""
        self.codes = Codes(self.columns, rows)
        codes = self.codes.encode(rows)
        codes[_hidden(codes.shape, self.share, self.seed)] = np.nan
        with warnings.catch_warnings():
            # So many rounds are the setting; whether they were enough shows in the scores.
            warnings.simplefilter('ignore', ConvergenceWarning)
            self.imputer.fit(self.codes.indicators(codes, redundant=self.redundant))

    def fill(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Fill, and choose the category with the largest indicator."""
        codes = self.codes.encode(rows)
        values = self.imputer.transform(self.codes.indicators(codes, redundant=self.redundant))
        return self.codes.merge(rows, self.codes.from_indicators(values, redundant=self.redundant))


class Chained:
    """Chained equations: each column from all others, round after round (MICE, missForest).

    Training and filling go the same way: gaps start at mean or mode; then, column by column, a
    model is trained where the column is known and fills it where it is not. The models are kept
    and fill other rows in the same order. A round begins with the column of fewest gaps.

    Args:
        columns: The columns.
        regressor: Makes a model of numbers from a seed.
        classifier: Makes a model of categories from a seed.
        share: Share of the training cells to hide.
        seed: Decides which, and seeds the models.

    Source: Stekhoven, Buehlmann, 'MissForest', Bioinformatics 28 (2012),
    doi:10.1093/bioinformatics/btr597.
    """

    def __init__(
        self,
        columns: Columns,
        regressor: Callable[[int], Any],
        classifier: Callable[[int], Any],
        *,
        share: float,
        seed: int,
    ) -> None:
        self.columns, self.share, self.seed = columns, share, seed
        self.regressor, self.classifier = regressor, classifier
        self.steps: list[tuple[int, Any]] = []

    def fit(self, rows: pd.DataFrame) -> None:
        """Train the models of all rounds."""
        self.codes = Codes(self.columns, rows)
        self.steps = []
        codes = self.codes.encode(rows)
        gaps = np.isnan(codes) | _hidden(codes.shape, self.share, self.seed)
        filled = np.where(gaps, 0.0, codes)
        order = gaps.sum(axis=0).argsort(kind='stable')
        for _ in range(ROUNDS):
            for place in order.tolist():
                model = self._trained(filled, gaps, place)
                self.steps.append((place, model))
                self._apply(filled, gaps, place, model)

    def fill(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Apply the kept models in their order."""
        codes = self.codes.encode(rows)
        gaps = np.isnan(codes)
        filled = np.where(gaps, 0.0, codes)
        for place, model in self.steps:
            self._apply(filled, gaps, place, model)
        return self.codes.merge(rows, filled)

    def _trained(self, filled: Floats, gaps: npt.NDArray[np.bool_], place: int) -> Any:
        """A model of one column, or its only value."""
        known = ~gaps[:, place]
        target = filled[known, place]
        if len(np.unique(target)) < 2:
            return target[0] if len(target) else 0.0
        is_number = place < len(self.columns.numerical)
        model = (self.regressor if is_number else self.classifier)(self.seed)
        return model.fit(np.delete(filled[known], place, axis=1), target)

    @staticmethod
    def _apply(filled: Floats, gaps: npt.NDArray[np.bool_], place: int, model: Any) -> None:
        rows = gaps[:, place]
        if rows.any():
            others = np.delete(filled[rows], place, axis=1)
            filled[rows, place] = model if np.isscalar(model) else model.predict(others)


def _hidden(shape: tuple[int, ...], share: float, seed: int) -> npt.NDArray[np.bool_]:
    # Another stream than that of the test rows, which has the seed itself.
    return np.random.default_rng([seed, 1]).random(shape) < share


def _knn(columns: Columns, *, share: float, seed: int) -> Indicators:
    # Neighbours are looked for among whole rows: nothing is gained by hiding cells of them.
    imputer = KNNImputer(n_neighbors=NEIGHBOURS)
    return Indicators(columns, imputer, share=0.0, seed=seed, redundant=True)


def _linear(columns: Columns, *, share: float, seed: int) -> Indicators:
    imputer = IterativeImputer(max_iter=2 * ROUNDS, random_state=seed)
    return Indicators(columns, imputer, share=share, seed=seed, redundant=False)


def _forest(columns: Columns, *, share: float, seed: int) -> Chained:
    def regressor(state: int) -> Any:
        return RandomForestRegressor(TREES, min_samples_leaf=LEAF_ROWS, random_state=state)

    def classifier(state: int) -> Any:
        return RandomForestClassifier(TREES, random_state=state)

    return Chained(columns, regressor, classifier, share=share, seed=seed)


def _boosting(columns: Columns, *, share: float, seed: int) -> Chained:
    def regressor(state: int) -> Any:
        return HistGradientBoostingRegressor(max_iter=TREES, random_state=state)

    def classifier(state: int) -> Any:
        return HistGradientBoostingClassifier(max_iter=TREES, random_state=state)

    return Chained(columns, regressor, classifier, share=share, seed=seed)


IMPUTERS: dict[str, Callable[..., TableImputer]] = {
    'mean/mode': MeanMode,
    'knn': _knn,
    'iterative-linear': _linear,
    'iterative-forest': _forest,
    'iterative-boosting': _boosting,
}
