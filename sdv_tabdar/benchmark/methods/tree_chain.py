"""A chain of boosted trees: each column given those before it, as a reference for likelihoods.

A number is a frequent value, or lies in a bin of which all grid points are equally likely. The
first column has its frequencies; every other one is predicted by XGBoost from those before it in
the order of the table, a small part mixed with its frequencies so that nothing is impossible.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.trees import Prediction, fit_classifier

BINS = 20
FREQUENT = 0.01
"""Share of the rows from which on a number is a class of its own."""
MIXED = 0.01
HELD = 0.1
TREES: Mapping[str, float] = {
    'n_estimators': 60,
    'learning_rate': 0.15,
    'max_depth': 5,
    'min_child_weight': 5,
}


@dataclasses.dataclass(frozen=True)
class Cells:
    """The classes of a column.

    Attributes:
        values: Those that are classes of their own: levels, or frequent numbers, sorted.
        edges: Of the bins of the other numbers, which start where training does.
        points: How many grid points a bin has besides the frequent ones, one a bin.
    """

    values: np.ndarray
    edges: np.ndarray
    points: np.ndarray

    @classmethod
    def of_levels(cls, column: pd.Series) -> Cells:
        """Each level is a class."""
        levels = np.array(sorted(set(column.dropna().astype(str))))
        return cls(levels, np.zeros(0), np.zeros(0))

    @classmethod
    def of_numbers(cls, column: pd.Series, step: float) -> Cells:
        """Frequent numbers and bins of the others."""
        numbers = column.dropna().to_numpy(dtype=float)
        distinct, counts = np.unique(numbers, return_counts=True)
        values = distinct[counts >= FREQUENT * len(numbers)]
        rest = numbers[~np.isin(numbers, values)]
        if not len(rest):
            return cls(values, np.zeros(0), np.zeros(0))
        cuts = np.unique(np.quantile(rest, np.linspace(0, 1, BINS + 1), method='nearest'))
        edges = np.append(cuts[:-1], cuts[-1] + step) - step / 2
        points = np.round(np.diff(edges) / step) - np.histogram(values, edges)[0]
        return cls(values, edges, np.maximum(points, 1))

    @property
    def width(self) -> int:
        """How many classes there are; missing is the last one."""
        return len(self.values) + len(self.points) + 1

    def codes(self, column: pd.Series) -> np.ndarray:
        """The class of each cell; a number beyond the ends is in the nearest bin."""
        cells = (column.astype(str) if self.values.dtype.kind == 'U' else column).to_numpy()
        missing = column.isna().to_numpy()
        found = np.full(len(cells), self.width - 1)
        places = np.searchsorted(self.values, cells[~missing]).clip(max=len(self.values) - 1)
        if len(self.points):
            bins = np.searchsorted(self.edges, cells[~missing].astype(float), side='right') - 1
            codes = len(self.values) + bins.clip(0, len(self.points) - 1)
        else:
            codes = places
        if len(self.values):
            codes = np.where(self.values[places] == cells[~missing], places, codes)
        found[~missing] = codes
        return found

    @property
    def log_points(self) -> np.ndarray:
        """Log of the number of grid points of each class."""
        return np.log(np.concatenate([np.ones(len(self.values)), self.points, np.ones(1)]))


class TreeChain:
    """The chain of one table.

    Args:
        steps: By column of numbers, the distance of neighbouring grid points.
        seed: Of the trees and of the rows that end their number.
    """

    def __init__(self, steps: Mapping[str, float], *, seed: int = 0) -> None:
        self.steps = steps
        self.seed = seed
        self._cells: dict[str, Cells] = {}
        self._shares: dict[str, np.ndarray] = {}
        self._predictions: dict[str, Prediction] = {}

    def fit(self, data: pd.DataFrame) -> None:
        """Learn each column from those before it."""
        held = np.random.default_rng(self.seed).random(len(data)) < HELD
        before: list[np.ndarray] = []
        for name, column in data.items():
            key = str(name)
            step = self.steps.get(key)
            cells = Cells.of_levels(column) if step is None else Cells.of_numbers(column, step)
            codes = cells.codes(column)
            counts = np.bincount(codes, minlength=cells.width) + 1.0
            self._cells[key], self._shares[key] = cells, counts / counts.sum()
            if before:
                x = np.stack(before, axis=1)
                self._predictions[key] = fit_classifier(
                    x[~held], codes[~held], (x[held], codes[held]), TREES, self.seed, cells.width
                )
            before.append(_feature(column, codes, step))

    def log_mass(self, rows: pd.DataFrame) -> np.ndarray:
        """Log mass of each row on the grid, in nats."""
        total = np.zeros(len(rows))
        before: list[np.ndarray] = []
        for key, cells in self._cells.items():
            codes = cells.codes(rows[key])
            masses = np.broadcast_to(self._shares[key], (len(rows), cells.width))
            if before:
                predicted = self._predictions[key](np.stack(before, axis=1))
                masses = (1 - MIXED) * predicted + MIXED * masses
            total += np.log(masses[np.arange(len(rows)), codes]) - cells.log_points[codes]
            before.append(_feature(rows[key], codes, self.steps.get(key)))
        return total


def _feature(column: pd.Series, codes: np.ndarray, step: float | None) -> np.ndarray:
    """What later columns see of a column: its numbers, or the codes of its levels."""
    return codes.astype(float) if step is None else column.to_numpy(dtype=float)
