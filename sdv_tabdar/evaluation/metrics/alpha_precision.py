"""alpha-precision and beta-recall (Alaa et al. 2022, arXiv:2102.08921), the 'naive' variant.

The numbers that synthcity calls `delta_precision_alpha_naive` and `delta_coverage_beta_naive`, on
min-max scaled numbers and one-hot categories. For 30 levels a from 0 to 1:

    P(a) = share of synthetic rows within the a-quantile of real distances to the real centre
    R(b) = share of real rows whose nearest synthetic row is not farther than their nearest other
           real row, and within the b-quantile of the distances of such rows to the synthetic centre
    alpha_precision = 1 - sum |a - P(a)| / sum a;   beta_recall = 1 - sum |b - R(b)| / sum b

An honest sample has a beta-recall of .5, not 1: whether the nearest row is real or synthetic is a
coin's toss. More than .5 means copying (or many equal rows). Neither number is a distance of joint
distributions: a sample with independent columns has an alpha-precision of about .9.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Reading, Score, Verdict
from sdv_tabdar.evaluation.neighbours import nearest, to_points
from sdv_tabdar.evaluation.verdicts import below_real

LEVELS = np.linspace(0, 1, 30)
MAX_ROWS = 50_000
"""Rows of each table that are used at most; more change the scores in the third decimal."""


def precision_and_recall(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes
) -> tuple[float, float]:
    """alpha-precision and beta-recall of canonical frames of the same number of rows.

    Raises:
        ValueError: If the frames have different numbers of rows.
        NotComputableError: If they have fewer than two.
    """
    if len(real) != len(synthetic):
        raise ValueError(
            f'alpha-precision needs as many real as synthetic rows, but there are {len(real)} and '
            f'{len(synthetic)}. Subsample the larger table.'
        )
    if len(real) < 2:
        raise NotComputableError('a nearest other real row needs at least 2 rows of each table.')
    real_points, synthetic_points = to_points(real, columns, synthetic)
    to_other = nearest(real_points, real_points, metric='l2', exclude_self=True)[0][:, 0]
    to_synthetic, owner = (
        found[:, 0] for found in nearest(real_points, synthetic_points, metric='l2')
    )
    centre = _Centre(real, real_points.numbers, columns)
    radii = np.quantile(centre.distance(real, real_points.numbers), LEVELS)
    precision = (centre.distance(synthetic, synthetic_points.numbers) <= radii[:, None]).mean(1)

    spread = _Centre(synthetic, synthetic_points.numbers, columns)
    closest = spread.distance(synthetic, synthetic_points.numbers)[owner]
    covered = (to_synthetic <= to_other) & (closest <= np.quantile(closest, LEVELS)[:, None])
    recall = covered.mean(axis=1)
    return _closeness(precision), _closeness(recall)


def alpha_precision(context: Context) -> MetricResult:
    """`alpha_precision` and `beta_recall`, the larger table subsampled to the smaller."""
    rows = min(len(context.real), len(context.synthetic), MAX_ROWS)
    generator = np.random.default_rng(context.seed)
    samples = [
        frame
        if len(frame) == rows
        else frame.iloc[generator.choice(len(frame), rows, replace=False)].reset_index(drop=True)
        for frame in (context.real, context.synthetic)
    ]
    precision, recall = precision_and_recall(samples[0], samples[1], context.columns)
    return MetricResult({'alpha_precision': precision, 'beta_recall': recall})


class _Centre:
    """The mean of a table in one-hot space, and distances to it, without one-hot columns.

    A row with category k lies at sum_m p_m^2 - 2 p_k + 1 from the mean frequencies p.
    """

    def __init__(self, frame: pd.DataFrame, numbers: np.ndarray, columns: ColumnTypes) -> None:
        self._mean = numbers.mean(axis=0) if numbers.shape[1] else np.zeros(0)
        labelled = _labelled(frame, columns)
        self._columns = columns
        self._shares = {
            name: labels.value_counts(normalize=True) for name, labels in labelled.items()
        }

    def distance(self, frame: pd.DataFrame, numbers: np.ndarray) -> np.ndarray:
        """The distance of each row (rows,) to the centre."""
        squared = ((numbers - self._mean) ** 2).sum(axis=1)
        for name, labels in _labelled(frame, self._columns).items():
            shares = self._shares[name]
            mine = labels.map(shares).fillna(0.0).to_numpy(dtype=float)
            squared = squared + (shares.to_numpy() ** 2).sum() - 2 * mine + 1
        return np.sqrt(np.maximum(squared, 0.0))


def _labelled(frame: pd.DataFrame, columns: ColumnTypes) -> dict[str, pd.Series]:
    """Everything that is compared for equality: categories, and whether a number is missing."""
    labels = {name: frame[name].fillna('\0missing') for name in columns.categories}
    for name in columns.numbers:
        labels[f'{name}\0missing'] = frame[name].isna()
    return labels


def _closeness(curve: np.ndarray) -> float:
    """1 - the area between a curve and the diagonal, scaled as in synthcity."""
    return float(1 - np.abs(LEVELS - curve).sum() / LEVELS.sum())


def coverage(reading: Reading) -> Verdict | None:
    """How much of the floor beta-recall reaches, and whether it is above what is honest."""
    if not math.isfinite(reading.floor):
        return None
    if reading.value > reading.floor + 0.1:
        return Verdict('more than honest: copies', 'poor', copying=True)
    if reading.value > reading.floor + 0.04:
        return Verdict('a little above the floor', 'fair')
    share = reading.value / max(reading.floor, 1e-9)
    if share >= 0.9:
        return Verdict('at the floor', 'good')
    return Verdict(f'{100 * share:.0f} % of the floor', 'fair' if share >= 0.7 else 'poor')


METRIC = Metric(
    'alpha_precision',
    alpha_precision,
    (
        Score(
            'alpha_precision',
            'alpha-precision',
            'Whether synthetic rows lie where real rows are typical.',
            'fidelity',
            'higher',
            ideal=1.0,
            floor=Halves(),
            verdict=below_real,
        ),
        Score(
            'beta_recall',
            'beta-recall',
            'Whether synthetic rows cover the real ones; an honest sample scores .5 (the '
            'floor), and clearly more means copying.',
            'fidelity',
            'floor',
            ideal=0.5,
            floor=Halves(),
            verdict=coverage,
        ),
    ),
)
