"""The two-sample test: both tables are treated alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

from sdv_tabdar.evaluation import score
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.context import NotComputableError
from sdv_tabdar.evaluation.detection import PooledRows, detect
from sdv_tabdar.evaluation.tables import prepare_frames

TYPES = {'title': 'categorical', 'x': 'numerical'}


def pooled(real, synthetic, types):
    columns = resolve_columns(types)
    return PooledRows.of(*prepare_frames({'a': real, 'b': synthetic}, columns).values(), columns)


def named(rows, seed, titles=None):
    """Rows with a column of very many titles, most of which occur once."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 20_001) ** 0.8
    drawn = generator.choice(20_000, rows, p=weights / weights.sum())
    return pd.DataFrame(
        {
            'title': [f'title {index}' for index in drawn] if titles is None else titles,
            'x': generator.normal(size=rows),
        }
    )


@pytest.mark.parametrize('build', [XGBClassifier, LogisticRegression])
def test_rows_that_differ_are_told_apart(build):
    generator = np.random.default_rng(0)
    first, second = (pd.DataFrame({'x': generator.normal(m, size=200)}) for m in (0, 5))
    found = detect(pooled(first, second, {'x': 'numerical'}), build)
    assert found.score < 0.1
    assert found.auc > 0.95
    assert found.real_probability[:200].mean() > 0.9 > 0.1 > found.real_probability[200:].mean()
    assert len(found.classifiers) == len(found.aucs) == 3


def test_an_outlier_beside_tiny_quartiles_is_no_infinity():
    generator = np.random.default_rng(0)
    real, other = (pd.DataFrame({'x': 1e-30 * generator.normal(size=60)}) for _ in range(2))
    real.loc[0, 'x'] = 1e10
    rows = PooledRows.of(real, other, resolve_columns({'x': 'numerical'}))
    assert 0 <= detect(rows, lambda: XGBClassifier(n_estimators=5, n_jobs=1)).auc <= 1


def test_folds_need_as_many_rows():
    table = pd.DataFrame({'x': [1.0] * 5})
    with pytest.raises(NotComputableError, match='3 real and 3 synthetic rows, but .* 2 and 5'):
        detect(pooled(table[:2], table, {'x': 'numerical'}), XGBClassifier)


@pytest.mark.parametrize('metric', ['xgb_c2st', 'lr_c2st'])
def test_two_samples_of_a_column_with_20_000_titles_are_alike(metric):
    assert score(named(1500, 1), named(1500, 2), TYPES, metrics=[metric])[metric] > 0.9


@pytest.mark.parametrize('metric', ['xgb_c2st', 'lr_c2st'])
def test_unique_text_is_alike_only_if_it_is_not_copied(metric):
    numbers = np.random.default_rng(0).permutation(1600)
    names = [[f'name {number}' for number in part] for part in np.split(numbers, 2)]
    first = named(800, 1, names[0])
    assert score(first, named(800, 2, names[1]), TYPES, metrics=[metric])[metric] > 0.9
    copied = np.random.default_rng(0).permutation(names[0])
    assert score(first, named(800, 2, copied), TYPES, metrics=[metric])[metric] < 0.6


def test_invented_titles_are_seen():
    invented = named(800, 2, [f'new {index % 400}' for index in range(800)])
    assert score(named(800, 1), invented, TYPES, metrics=['xgb_c2st'])['xgb_c2st'] < 0.3


def test_the_side_of_a_test_row_influences_no_feature():
    rows = pooled(named(300, 1), named(300, 2), TYPES)
    train, test = np.arange(0, 600, 2), np.arange(1, 600, 2)
    turned = rows.is_real.copy()
    turned[test] = ~turned[test]
    other = PooledRows(rows.values, turned, rows.rare, rows.names, rows.sources)
    for mine, theirs in zip(rows.split(train, test), other.split(train, test), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_frequent_levels_add_no_feature(real, honest, types):
    rows = pooled(real, honest, types)
    assert rows.rare.shape[1] == 0
    assert not [name for name in rows.names if name.startswith('no other')]
