"""Marginals of three and four columns: how far their joint distribution is from the real one.

Numbers are cut at quantiles of the real rows, and rare levels are taken together, so that a column
has a handful of cells. The number is the total variation distance, mean over random sets of
columns. Most of it is noise: even a sample of the real population has a distance. So it is computed
against one half of the real rows, on as many synthetic rows, and the floor is the distance of the
other half to the same one: both have the same noise, and only the excess over the floor counts.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Beside, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor

SPLITS = 4
"""How often the rows are split; the scores are means."""
SETS = 200
"""Sets of columns that are compared at most."""
ROWS_PER_CELL = 8
MIN_CELLS, MAX_CELLS = 3, 8
"""Cells of a column: as many as leave `ROWS_PER_CELL` rows to a cell of four columns."""


def marginals(context: Context) -> MetricResult:
    """`marginals_3` and `marginals_4`, each beside that of two halves of the real rows."""
    names = context.columns.names
    rows = min(len(context.real) // 2, len(context.synthetic))
    if len(names) < 3 or rows < 2:
        raise NotComputableError('it needs three columns and four real rows.')
    generator = np.random.default_rng(context.seed)
    cells = int(np.clip((rows / ROWS_PER_CELL) ** 0.25, MIN_CELLS, MAX_CELLS))
    codes = {
        name: _cells(
            context.real[name],
            context.synthetic[name],
            number=context.columns.is_number(name),
            cells=cells,
        )
        for name in names
    }
    real = np.stack([codes[name][0] for name in names])
    synthetic = np.stack([codes[name][1] for name in names])
    splits = []
    for _ in range(SPLITS):
        order = generator.permutation(real.shape[1])
        others = generator.permutation(synthetic.shape[1])[:rows]
        splits.append((real[:, order[:rows]], real[:, order[-rows:]], synthetic[:, others]))
    scores: dict[str, float] = {}
    for size in (3, 4):
        if len(names) < size:
            continue
        sets = _sets(len(names), size, generator)
        mine, floor = np.mean([_distances(*split, sets) for split in splits], axis=0)
        scores[f'marginals_{size}'] = float(mine)
        scores[f'marginals_{size}_real'] = float(floor)
    return MetricResult(scores)


def _distances(
    first: np.ndarray, second: np.ndarray, synthetic: np.ndarray, sets: list[tuple[int, ...]]
) -> tuple[float, float]:
    """Mean distances of the synthetic rows to both halves, and of the halves to each other.

    Args:
        first: Cells of one half of the real rows, columns x rows.
        second: Those of the other half.
        synthetic: Those of as many synthetic rows.
        sets: The sets of columns.
    """
    width = 1 + max(int(part.max()) for part in (first, second, synthetic))
    found = []
    for columns in sets:
        powers = width ** np.arange(len(columns))
        parts = [powers @ part[list(columns)] for part in (first, second, synthetic)]
        to_halves = (_distance(parts[0], parts[2]) + _distance(parts[1], parts[2])) / 2
        found.append((to_halves, _distance(parts[0], parts[1])))
    mine, floor = np.mean(found, axis=0)
    return float(mine), float(floor)


def _cells(
    real: pd.Series, synthetic: pd.Series, *, number: bool, cells: int
) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each row in a column, 0 for a missing value."""
    if number:
        known, shares = real.dropna(), np.linspace(0, 1, cells + 1)[1:-1]
        edges = np.unique(np.quantile(known, shares)) if len(known) else np.zeros(0)
        found = [
            np.where(part.isna(), 0, np.searchsorted(edges, part, side='right') + 1)
            for part in (real, synthetic)
        ]
        return found[0], found[1]
    frequent = list(real.value_counts().index[: cells - 1])
    mine, theirs = (
        np.where(part.isna(), 0, pd.Categorical(part, categories=frequent).codes.astype(int) + 2)
        for part in (real, synthetic)
    )
    return mine, theirs


def _sets(columns: int, size: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """All sets of columns, or a random choice of `SETS`."""
    if math.comb(columns, size) <= SETS:
        return list(itertools.combinations(range(columns), size))
    found: set[tuple[int, ...]] = set()
    while len(found) < SETS:
        found.add(tuple(sorted(generator.choice(columns, size, replace=False).tolist())))
    return sorted(found)


def _distance(first: np.ndarray, second: np.ndarray) -> float:
    """The total variation distance of the cells of equally many rows."""
    size = 1 + max(int(first.max()), int(second.max()))
    gap = np.bincount(first, minlength=size) - np.bincount(second, minlength=size)
    return float(np.abs(gap).sum() / (2 * len(first)))


def _score(key: str, title: str, how_many: str) -> Score:
    """What the distance of some columns says."""
    return Score(
        key,
        title,
        f'How far the joint distribution of {how_many} columns is from one half of the real rows; '
        'the other half is as far as its floor.',
        'fidelity',
        'lower',
        floor=Beside(f'{key}_real', 'other half of the real rows'),
        verdict=times_floor,
        percent=True,
    )


METRIC = Metric(
    'marginals',
    marginals,
    (
        _score('marginals_3', 'Three-column error', 'three'),
        _score('marginals_4', 'Four-column error', 'four'),
    ),
)
