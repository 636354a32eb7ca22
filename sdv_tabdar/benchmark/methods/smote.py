"""SMOTE as a generator of whole tables."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.spec import Request

NEIGHBOURS = 5


def build(request: Request) -> Smote:
    """SMOTE for the table of a request."""
    options: dict[str, Any] = dict(request.spec.options)
    return Smote(request.dataset.discrete, request.dataset.target, seed=request.seed, **options)


class Smote:
    """New rows between a training row and its neighbours of the same class.

    Neighbours are found with numbers scaled to unit standard deviation. Each class of the target
    keeps its share. A numerical target is cut at its median into two
    classes for this, and interpolated like any other number. Rows with missing cells are left
    out, since neighbours cannot be found for them. A class too small for neighbours is repeated.

    Args:
        discrete: The columns whose values are categories.
        target: The column whose classes are kept apart.
        neighbours: Between how many neighbours to choose.
        seed: Decides about the rows.

    Raises:
        ImportError: If imbalanced-learn is not installed.
        ValueError: If the table has no target.

    Source:
        Chawla et al. (2002), doi:10.1613/jair.953; as a generator of whole tables in Kotelnikov
        et al. (2023), 'TabDDPM'.
    """

    def __init__(
        self,
        discrete: Sequence[str],
        target: str | None,
        *,
        neighbours: int = NEIGHBOURS,
        seed: int = 0,
    ) -> None:
        try:
            self._library: Any = importlib.import_module('imblearn.over_sampling')
        except ImportError as error:
            raise ImportError(
                "'smote' needs the package imbalanced-learn, which is not installed. Install it "
                'with: pip install imbalanced-learn.'
            ) from error
        if target is None:
            raise ValueError(
                "'smote' keeps the classes of a target apart, and this table has no target. Name "
                'one with --target TABLE=COLUMN.'
            )
        self.discrete = list(discrete)
        self.target = target
        self.neighbours = neighbours
        self.seed = seed

    def fit(self, data: pd.DataFrame) -> None:
        """Keep the complete rows; everything else is done when sampling."""
        self._data = data.dropna().reset_index(drop=True)
        target = self._data[self.target]
        if self.target not in self.discrete:
            target = target > target.median()
        self._classes = target.astype(str)
        # Linear, so that a point between two rows is the same point in either scale.
        numbers = [name for name in self._data.columns if name not in self.discrete]
        self._scales = self._data[numbers].std().replace(0, 1).fillna(1)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows, each class with its share."""
        generator = np.random.default_rng(self.seed)
        wanted = pd.Series(generator.choice(self._classes, size=num_rows)).value_counts()
        counts = self._classes.value_counts()[wanted.index]
        parts = [
            self._data[self._classes == level].sample(wanted[level], replace=True, random_state=0)
            for level in wanted.index[counts == 1]
        ]
        if (counts > 1).any():
            parts.append(self._interpolate(wanted[counts > 1], counts[counts > 1]))
        rows = pd.concat(parts, ignore_index=True)
        return rows.iloc[generator.permutation(len(rows))].reset_index(drop=True)

    def _interpolate(self, wanted: pd.Series, counts: pd.Series) -> pd.DataFrame:
        chosen = self._classes.isin(wanted.index)
        rows = self._data[chosen].drop(columns=self.target if self.target in self.discrete else [])
        rows[self._scales.index] /= self._scales
        discrete = [name for name in rows.columns if name in self.discrete]
        settings = {
            'sampling_strategy': (counts + wanted).to_dict(),
            'k_neighbors': min(self.neighbours, int(counts.min()) - 1),
            'random_state': self.seed,
        }
        # SMOTE for numbers, SMOTEN for categories, SMOTENC for both.
        if not discrete:
            sampler = self._library.SMOTE(**settings)
        elif len(discrete) == rows.shape[1]:
            sampler = self._library.SMOTEN(**settings)
        else:
            sampler = self._library.SMOTENC(categorical_features=discrete, **settings)
        new, classes = sampler.fit_resample(rows, self._classes[chosen])
        # The original rows come first, the new ones after them.
        new, classes = (found.iloc[len(rows) :].reset_index(drop=True) for found in (new, classes))
        if self.target in self.discrete:
            values = {str(value): value for value in self._data[self.target].unique()}
            new[self.target] = classes.map(values)
        new[self._scales.index] *= self._scales
        # Whole numbers where the table has whole numbers.
        whole = [name for name in self._scales.index if self._data[name].dtype.kind in 'iu']
        new[whole] = new[whole].round()
        return new[list(self._data.columns)].astype(self._data.dtypes)
