"""The oversampler is a sampler of imbalanced-learn's, and keeps the rows that it is given."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline
from imblearn.utils.estimator_checks import estimator_checks_generator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import sdv_tabdar.estimators
from sdv_tabdar.estimators import TabDARImputer, TabDAROversampler

from .conftest import SETTINGS

pytestmark = pytest.mark.changes_random_state('checks of imbalanced-learn seed the global ones')


# imbalanced-learn's own decorator hands pytest a generator, against which pytest warns.
@pytest.mark.parametrize(
    'check',
    [
        pytest.param(check, id=check.func.__name__)
        for _, check in estimator_checks_generator(TabDAROversampler(**SETTINGS))
    ],
)
def test_checks_of_imbalanced_learn(check: Callable[[Any], None]) -> None:
    check(TabDAROversampler(**SETTINGS))


@parametrize_with_checks([TabDAROversampler(**SETTINGS)])
def test_checks_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.fixture
def sampler() -> TabDAROversampler:
    return TabDAROversampler(**SETTINGS)


@pytest.fixture
def target(people: pd.DataFrame) -> pd.Series:
    return pd.Series(np.repeat(['rare', 'usual'], [15, 65]), index=people.index, name='target')


def test_given_rows_come_first_and_classes_are_even(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    rows, classes = sampler.fit_resample(people, target)

    assert classes.value_counts().to_dict() == {'rare': 65, 'usual': 65}
    pd.testing.assert_frame_equal(rows.iloc[:80], people.reset_index(drop=True))
    assert (classes.iloc[80:] == 'rare').all()
    assert rows.dtypes.equals(people.dtypes)
    assert set(rows['job'].dropna()) == {'nurse', 'clerk'}
    assert sampler.sampling_strategy_ == {'rare': 50}


def test_a_dictionary_says_how_many(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    sampler.set_params(sampling_strategy={'rare': 20, 'usual': 70}, categorical_features=['kind'])
    rows, classes = sampler.fit_resample(people, target)

    assert classes.value_counts().to_dict() == {'rare': 20, 'usual': 70}
    assert set(rows['kind']) == {0, 1, 2}


def test_a_feature_may_be_called_target(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    rows, _ = sampler.fit_resample(people.rename(columns={'job': 'target'}), target)
    assert set(rows['target'].dropna()) == {'nurse', 'clerk'}


def test_nothing_is_drawn_where_classes_are_even(
    sampler: TabDAROversampler, people: pd.DataFrame
) -> None:
    target = np.repeat([0, 1], 40)
    rows, classes = sampler.fit_resample(people, target)
    assert rows.equals(people.reset_index(drop=True))
    assert (classes == target).all()


def test_rows_without_a_class_are_refused(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    with pytest.raises(ValueError, match=r'X has 80 rows, but y has 79\. y must have the class'):
        sampler.fit_resample(people, target.iloc[:-1])
    for gap in (None, np.nan):
        target.iloc[3] = gap
        with pytest.raises(ValueError, match=r'NaN or None in 1 places\. Each row must have a'):
            sampler.fit_resample(people, target)


def test_classes_of_several_types_are_refused(
    sampler: TabDAROversampler, people: pd.DataFrame
) -> None:
    target = np.array(['rare', 1] * 40, dtype=object)
    with pytest.raises(ValueError, match='text in 40 places and other values in 40. Classes must'):
        sampler.fit_resample(people, target)


def test_names_of_several_levels_come_back(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    names = pd.MultiIndex.from_product([['a', 'b'], ['x', 'y', 'z']])
    rows, _ = sampler.fit_resample(people.set_axis(names, axis=1), target)
    pd.testing.assert_index_equal(rows.columns, names)
    assert len(rows) > len(people)


def test_in_a_pipeline_with_the_imputer(
    sampler: TabDAROversampler, people: pd.DataFrame, target: pd.Series
) -> None:
    numbers = people[['age', 'score', 'kind']]
    model = make_pipeline(TabDARImputer(**SETTINGS), sampler, DecisionTreeClassifier())
    assert set(model.fit(numbers, target).predict(numbers)) <= {'rare', 'usual'}


def test_without_imbalanced_learn_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real_import = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split('.')[0] == 'imblearn':
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', without)
    monkeypatch.delitem(sys.modules, 'sdv_tabdar.estimators.oversampler')
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'sdv_tabdar\[imbalanced-learn\]'"):
        _ = sdv_tabdar.estimators.TabDAROversampler
    with pytest.raises(AttributeError, match='has no attribute'):
        _ = sdv_tabdar.estimators.TabDARRegressor
