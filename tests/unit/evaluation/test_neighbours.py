"""Exact neighbours: the same as the plain computation on one-hot columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from sdv_tabdar.evaluation import neighbours
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.neighbours import (
    Points,
    nearest,
    nearest_by_group,
    nearest_by_other_cells,
    to_points,
)
from sdv_tabdar.evaluation.tables import prepare_frames


@pytest.fixture
def tables(real, honest, types):
    columns = resolve_columns(types)
    ready = prepare_frames({'real': real[:300], 'other': honest[:200]}, columns)
    return columns, ready['real'], ready['other']


def plain_distances(columns, real, other, metric):
    """All distances on one-hot columns, other x real."""
    both = pd.concat([real, other], ignore_index=True)
    spread = real[list(columns.numbers)].max() - real[list(columns.numbers)].min()
    blocks = [both[list(columns.numbers)] / spread]
    blocks += [pd.get_dummies(both[name]).astype(float) for name in columns.categories]
    matrix = pd.concat(blocks, axis=1).to_numpy()
    return cdist(matrix[len(real) :], matrix[: len(real)], metric)


@pytest.mark.parametrize(('metric', 'name'), [('l1', 'cityblock'), ('l2', 'euclidean')])
def test_distances_are_those_of_one_hot_columns(tables, metric, name, monkeypatch):
    # Blocks smaller than the tables, so that their seams are crossed.
    monkeypatch.setattr(neighbours, 'QUERY_BLOCK', 64)
    monkeypatch.setattr(neighbours, 'REFERENCE_BLOCK', 70)
    columns, real, other = tables
    real_points, other_points = to_points(real, columns, other)
    distances, positions = nearest(other_points, real_points, count=3, metric=metric)
    expected = plain_distances(columns, real, other, name)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3], atol=1e-9)
    found = np.take_along_axis(expected, positions, axis=1)
    np.testing.assert_allclose(found, distances, atol=1e-9)


def test_group_distances_are_minima_of_their_group(tables):
    columns, real, other = tables
    real_points, other_points = to_points(real, columns, other)
    groups = nearest_by_group(other_points, real_points, group_size=90)
    expected = plain_distances(columns, real, other, 'cityblock')
    assert groups.shape == (200, 4)
    for group in range(4):
        smallest = expected[:, 90 * group : 90 * (group + 1)].min(axis=1)
        np.testing.assert_allclose(groups[:, group], smallest, atol=1e-9)


def test_a_row_is_not_its_own_neighbour(tables, monkeypatch):
    monkeypatch.setattr(neighbours, 'QUERY_BLOCK', 64)
    monkeypatch.setattr(neighbours, 'REFERENCE_BLOCK', 70)
    columns, real, _ = tables
    (points,) = to_points(real, columns)
    distances, positions = nearest(points, points, exclude_self=True)
    assert (positions[:, 0] != np.arange(len(real))).all()
    expected = plain_distances(columns, real, real, 'cityblock')
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_allclose(distances[:, 0], expected.min(axis=1), atol=1e-9)


def test_copies_are_at_distance_zero_exactly(tables):
    columns, real, _ = tables
    real_points, same = to_points(real, columns, real.sample(frac=1, random_state=0))
    assert (nearest(same, real_points)[0] == 0).all()


def test_too_few_references_leave_infinite_distances(tables):
    columns, real, other = tables
    real_points, other_points = to_points(real[:1], columns, other)
    distances, positions = nearest(other_points, real_points, count=2)
    assert np.isinf(distances[:, 1]).all()
    assert (positions[:, 1] == -1).all()


def test_missing_cells_differ_from_known_ones():
    columns = resolve_columns({'x': 'numerical', 'k': 'categorical'})
    frames = prepare_frames(
        {
            'real': pd.DataFrame({'x': [0.0, 1.0, 2.0], 'k': ['a', 'a', 'a']}),
            'other': pd.DataFrame({'x': [np.nan, 1.0], 'k': ['a', None]}),
        },
        columns,
    )
    real_points, other_points = to_points(frames['real'], columns, frames['other'])
    np.testing.assert_array_equal(nearest(other_points, real_points)[0][:, 0], [2, 2])


def test_one_core_and_several_give_the_same(tables, monkeypatch):
    columns, real, other = tables
    points = to_points(real, columns, other)
    monkeypatch.setattr(neighbours, 'QUERY_BLOCK', 32)
    monkeypatch.setattr(neighbours, '_usable_cores', lambda: 1)
    alone = nearest(points[1], points[0], count=2)
    monkeypatch.setattr(neighbours, '_usable_cores', lambda: 4)
    together = nearest(points[1], points[0], count=2)
    np.testing.assert_array_equal(alone[0], together[0])
    np.testing.assert_array_equal(alone[1], together[1])


def test_by_the_other_cells_each_column_is_left_out_in_turn():
    generator = np.random.default_rng(0)
    queries, references = (
        Points(generator.random((rows, 2)), generator.integers(0, 3, (2, rows)).astype(np.uint8))
        for rows in (300, 50)
    )
    found = list(nearest_by_other_cells(queries, references))
    for column, positions in enumerate(found):
        kept = [[place for place in (0, 1) if place != column - shift] for shift in (0, 2)]
        parts = [Points(p.numbers[:, kept[0]], p.codes[kept[1]]) for p in (queries, references)]
        assert (positions == nearest(*parts)[1][:, 0]).mean() > 0.99  # but for ties in rounding
