"""SMOTE as a generator of whole tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
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
        if self.target in self.discrete:
            self._classes = self._data[self.target].astype(str)
            self._features = self._data.drop(columns=self.target)
        else:
            above = self._data[self.target] > self._data[self.target].median()
            self._classes, self._features = above.astype(str), self._data
        # Linear, so that a point between two rows is the same point in either scale.
        numbers = [name for name in self._features.columns if name not in self.discrete]
        self._scales = self._features[numbers].std().replace(0, 1).fillna(1)
        self._levels = {
            name: self._features[name].unique()
            for name in self._features.columns
            if name in self.discrete
        }

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows, each class with its share."""
        generator = np.random.default_rng(self.seed)
        drawn = generator.choice(self._classes.to_numpy(), size=num_rows)
        wanted = pd.Series(drawn).value_counts()
        counts = self._classes.value_counts()
        enough = [level for level in wanted.index if counts[level] > 1]
        parts = [
            self._repeat(level, int(wanted[level])) for level in wanted.index.difference(enough)
        ]
        if enough:
            parts.append(self._interpolate(wanted[enough], counts[enough]))
        rows = pd.concat(parts, ignore_index=True)
        order = generator.permutation(len(rows))
        return rows.iloc[order].reset_index(drop=True)[list(self._data.columns)]

    def _repeat(self, level: str, times: int) -> pd.DataFrame:
        row = self._data[self._classes == level]
        return row.loc[row.index.repeat(times)]

    def _interpolate(self, wanted: pd.Series, counts: pd.Series) -> pd.DataFrame:
        chosen = self._classes.isin(wanted.index)
        strategy = {level: int(counts[level] + wanted[level]) for level in wanted.index}
        sampler = self._sampler(strategy, min(self.neighbours, int(counts.min()) - 1))
        codes = self._encode(self._features[chosen])
        features, classes = sampler.fit_resample(codes, self._classes[chosen])
        # The original rows come first, the new ones after them.
        new = self._decode(features.iloc[int(chosen.sum()) :].reset_index(drop=True))
        if self.target in self.discrete:
            values = {str(value): value for value in self._data[self.target].unique()}
            new[self.target] = classes.iloc[int(chosen.sum()) :].map(values).to_numpy()
        return self._round(new)

    def _sampler(self, strategy: Mapping[str, int], neighbours: int) -> Any:
        """SMOTE for numbers, SMOTEN for categories, SMOTENC for both."""
        settings = {
            'sampling_strategy': strategy,
            'k_neighbors': neighbours,
            'random_state': self.seed,
        }
        if not self._levels:
            return self._library.SMOTE(**settings)
        if len(self._levels) == self._features.shape[1]:
            return self._library.SMOTEN(**settings)
        return self._library.SMOTENC(categorical_features=list(self._levels), **settings)

    def _encode(self, features: pd.DataFrame) -> pd.DataFrame:
        codes = {name: pd.Index(levels) for name, levels in self._levels.items()}
        return features.assign(
            **{name: index.get_indexer(features[name]) for name, index in codes.items()},
            **{name: features[name] / scale for name, scale in self._scales.items()},
        )

    def _decode(self, features: pd.DataFrame) -> pd.DataFrame:
        for name, levels in self._levels.items():
            features[name] = levels[features[name].to_numpy().astype(int)]
        for name, scale in self._scales.items():
            features[name] = features[name] * scale
        return features

    def _round(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Whole numbers where the table has whole numbers."""
        for name in rows.columns:
            kind = self._data[name].dtype
            if name not in self._levels and kind.kind in 'iu':
                rows[name] = rows[name].round().astype(kind)
        return rows
