"""alpha-precision and beta-recall: the formulas of synthcity, written plainly, and sanity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from sdv_tabdar.evaluation import score
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.context import NotComputableError
from sdv_tabdar.evaluation.metrics.alpha_precision import precision_and_recall
from sdv_tabdar.evaluation.tables import prepare_frames


def plain_formulas(real, synthetic):
    """The published formulas on matrices, rows x features, term by term."""
    alphas = np.linspace(0, 1, 30)
    centre, synthetic_centre = real.mean(axis=0), synthetic.mean(axis=0)
    real_radius = np.sqrt(((real - centre) ** 2).sum(axis=1))
    synthetic_radius = np.sqrt(((synthetic - centre) ** 2).sum(axis=1))
    among_real = cdist(real, real)
    np.fill_diagonal(among_real, np.inf)
    across = cdist(real, synthetic)
    closest = synthetic[across.argmin(axis=1)]
    closest_radius = np.sqrt(((closest - synthetic_centre) ** 2).sum(axis=1))
    covered = across.min(axis=1) <= among_real.min(axis=1)
    precision, recall = [], []
    for alpha in alphas:
        precision.append((synthetic_radius <= np.quantile(real_radius, alpha)).mean())
        inside = closest_radius <= np.quantile(closest_radius, alpha)
        recall.append((covered & inside).mean())
    return tuple(
        1 - np.abs(alphas - np.array(curve)).sum() / alphas.sum() for curve in (precision, recall)
    )


def one_hot(frames, columns):
    """Min-max scaled numbers and one-hot categories, fitted on the first frame."""
    reference = frames[0]
    low = reference[list(columns.numbers)].min()
    spread = reference[list(columns.numbers)].max() - low
    return [
        np.column_stack(
            [
                (frame[list(columns.numbers)] - low) / spread,
                *(
                    (frame[name] == level).to_numpy(dtype=float)
                    for name in columns.categories
                    for level in sorted(reference[name].unique())
                ),
            ]
        )
        for frame in frames
    ]


def test_scores_are_those_of_the_plain_formulas(real, honest, types):
    columns = resolve_columns(types)
    ready = list(prepare_frames({'a': real[:250], 'b': honest[:250]}, columns).values())
    expected = plain_formulas(*one_hot(ready, columns))
    assert precision_and_recall(*ready, columns) == pytest.approx(expected, abs=1e-9)


def test_small_fixed_table():
    # Four points on a line against the same four moved by a little.
    columns = resolve_columns({'x': 'numerical'})
    real = pd.DataFrame({'x': [0.0, 1.0, 2.0, 4.0]})
    moved = pd.DataFrame({'x': [0.1, 1.1, 2.1, 3.9]})
    expected = plain_formulas(real.to_numpy() / 4, moved.to_numpy() / 4)
    assert precision_and_recall(real, moved, columns) == pytest.approx(expected, abs=1e-12)
    assert expected == pytest.approx((0.83276, 0.80977), abs=1e-5)


def test_honest_sample_has_a_recall_of_one_half(real, honest, types):
    ours = score(real, honest, types, metrics=['alpha_precision'])
    assert ours['alpha_precision'] > 0.95
    assert ours['beta_recall'] == pytest.approx(0.5, abs=0.06)


def test_copy_has_a_recall_far_above_one_half(real, types):
    assert score(real, real.copy(), types, metrics=['beta_recall'])['beta_recall'] > 0.9


def test_far_table_scores_nothing(real, types):
    far = real.assign(height=real['height'] + 100, weight=real['weight'] + 100)
    ours = score(real, far, types, metrics=['alpha_precision'])
    assert ours['alpha_precision'] < 0.1
    assert ours['beta_recall'] < 0.1


def test_order_of_rows_does_not_matter(real, honest, types):
    expected = score(real, honest, types, metrics=['alpha_precision'])
    mixed = score(
        real.sample(frac=1, random_state=0),
        honest.sample(frac=1, random_state=1),
        types,
        metrics=['alpha_precision'],
    )
    assert mixed == pytest.approx(expected, abs=1e-9)


def test_tables_of_other_sizes_are_subsampled(real, honest, types):
    ours = score(real, honest[:500], types, metrics=['alpha_precision'])
    assert ours['beta_recall'] == pytest.approx(0.5, abs=0.1)


def test_sizes_must_agree_below_the_metric(real, honest, types):
    columns = resolve_columns(types)
    ready = prepare_frames({'a': real[:5], 'b': honest[:4]}, columns)
    with pytest.raises(ValueError, match='there are 5 and 4. Subsample the larger table'):
        precision_and_recall(ready['a'], ready['b'], columns)
    with pytest.raises(NotComputableError, match='needs at least 2 rows'):
        precision_and_recall(ready['a'][:1], ready['b'][:1], columns)
