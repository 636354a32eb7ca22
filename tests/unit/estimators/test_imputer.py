"""The imputer is an estimator of scikit-learn's, and fills gaps as the synthesizer does."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from sdv_tabdar.estimators import TabDARImputer

from .conftest import SETTINGS

pytestmark = pytest.mark.changes_random_state('checks of scikit-learn seed the global generators')


@parametrize_with_checks([TabDARImputer(num_samples=2, **SETTINGS)])
def test_checks_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.fixture
def imputer() -> TabDARImputer:
    return TabDARImputer(num_samples=3, **SETTINGS)


def test_a_frame_comes_back_filled_as_a_frame(imputer: TabDARImputer, people: pd.DataFrame) -> None:
    before = people.copy()
    filled = imputer.fit_transform(people)

    pd.testing.assert_frame_equal(people, before)
    assert filled.notna().all(axis=None)
    assert filled.index.equals(people.index)
    assert filled.dtypes.equals(people.dtypes)
    for name in people:
        known = people[name].notna()
        assert filled.loc[known, name].equals(people.loc[known, name])
    assert list(imputer.get_feature_names_out()) == list(people)
    assert list(imputer.feature_names_in_) == list(people)


def test_an_array_comes_back_as_an_array_of_its_dtype(imputer: TabDARImputer) -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    numbers[::5, 1] = np.nan
    filled = imputer.fit_transform(numbers)

    assert isinstance(filled, np.ndarray)
    assert filled.dtype == np.float32
    assert np.isfinite(filled).all()
    assert list(imputer.get_feature_names_out()) == ['x0', 'x1', 'x2']


def test_an_array_of_objects_has_columns_of_their_own_dtypes(
    imputer: TabDARImputer, people: pd.DataFrame
) -> None:
    filled = imputer.fit_transform(people[['age', 'job', 'member']].to_numpy(dtype=object))

    assert filled.dtype == object
    assert set(filled[:, 1]) == {'nurse', 'clerk'}
    columns = imputer.synthesizer_.metadata.tables['table'].columns
    assert [entry['sdtype'] for entry in columns.values()] == [
        'numerical',
        'categorical',
        'boolean',
    ]


@pytest.mark.parametrize('labels', [['a', 'b', 'c'], [0, 1, 2]], ids=['text', 'numbers'])
@pytest.mark.filterwarnings('ignore:X does not have valid feature names')
def test_an_array_has_the_columns_of_the_frame_in_their_order(
    imputer: TabDARImputer, labels: list[Any]
) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=labels)
    frame.iloc[::5, 1] = np.nan
    filled = imputer.fit_transform(frame)
    np.testing.assert_array_equal(imputer.transform(frame.to_numpy()), filled.to_numpy())
    with pytest.raises(ValueError, match='expecting 3 features'):
        imputer.transform(frame.to_numpy()[:, :2])


def test_an_array_in_the_place_of_named_columns_warns(imputer: TabDARImputer) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=['a', 'b'])
    imputer.fit(frame)
    with pytest.warns(UserWarning, match='but TabDARImputer was fitted with feature names'):
        imputer.transform(frame.to_numpy())


@pytest.mark.filterwarnings('ignore:X has feature names')
def test_a_frame_after_an_array_has_its_columns_in_their_order(imputer: TabDARImputer) -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 2))
    numbers[::5, 1] = np.nan
    filled = imputer.fit_transform(numbers)
    found = imputer.transform(pd.DataFrame(numbers, columns=['a', 'b']))
    assert list(found) == ['a', 'b']
    np.testing.assert_array_equal(found.to_numpy(), filled)


def test_set_output(imputer: TabDARImputer) -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 2))
    numbers[::5, 1] = np.nan
    filled = imputer.set_output(transform='pandas').fit_transform(numbers)

    assert isinstance(filled, pd.DataFrame)
    assert list(filled) == ['x0', 'x1']


def test_rows_that_were_not_trained_on(imputer: TabDARImputer, people: pd.DataFrame) -> None:
    imputer.fit(people.iloc[:60])
    assert imputer.transform(people.iloc[60:]).notna().all(axis=None)


def test_the_same_answer_each_time_also_from_a_file(
    imputer: TabDARImputer, people: pd.DataFrame
) -> None:
    first = imputer.fit_transform(people)

    pd.testing.assert_frame_equal(imputer.transform(people), first)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(imputer)).transform(people), first)
    pd.testing.assert_frame_equal(clone(imputer).fit(people).transform(people), first)


def test_in_a_pipeline_and_a_column_transformer(
    imputer: TabDARImputer, people: pd.DataFrame
) -> None:
    encoder = ColumnTransformer(
        [('job', OneHotEncoder(), ['job'])], remainder='passthrough', sparse_threshold=0
    )
    target = people.pop('member')
    model = make_pipeline(imputer, encoder, DecisionTreeClassifier())
    rows = people.drop(columns='since')
    assert len(model.fit(rows, target).predict(rows.iloc[:5])) == 5

    part = ColumnTransformer([('fill', clone(imputer), ['age', 'score'])])
    assert np.isfinite(part.fit_transform(rows)).all()
    assert list(part.get_feature_names_out()) == ['fill__age', 'fill__score']


@pytest.mark.parametrize(
    'features', [['kind'], [5], np.array([False] * 5 + [True])], ids=['name', 'place', 'mask']
)
def test_numbers_that_are_categories(
    imputer: TabDARImputer, people: pd.DataFrame, features: Any
) -> None:
    imputer.set_params(categorical_features=features).fit(people)
    columns = imputer.synthesizer_.metadata.tables['table'].columns
    assert columns['kind']['sdtype'] == 'categorical'
    assert columns['age']['sdtype'] == 'numerical'


@pytest.mark.parametrize('features', ['kind', ['nobody'], [9], [True], 3, [['kind']], [{}]])
def test_other_categorical_features_are_refused(
    imputer: TabDARImputer, people: pd.DataFrame, features: Any
) -> None:
    with pytest.raises(ValueError, match=r"'categorical_features' must be 'auto', names among"):
        imputer.set_params(categorical_features=features).fit(people)


def test_a_length_among_the_parameters_counts_where_there_is_no_other(
    imputer: TabDARImputer, people: pd.DataFrame
) -> None:
    imputer.set_params(epochs=None, parameters={**imputer.parameters, 'epochs': 1}).fit(people)
    assert imputer.synthesizer_.epochs == 1
    with pytest.raises(ValueError, match=r'write TabDARImputer\(epochs=...\)'):
        imputer.set_params(epochs=2).fit(people)


@pytest.mark.parametrize(
    ('parameters', 'error', 'message'),
    [
        ([('width', 8)], TypeError, "'parameters' must map names of arguments of TabDARSynthes"),
        (
            {'wdth': 8},
            ValueError,
            r"names \['wdth'\], which TabDARSynthesizer does not take. It ta",
        ),
        ({'random_state': 1}, ValueError, r'which TabDARImputer takes itself: write TabDARImputer'),
        ({'metadata': None}, ValueError, r'write TabDARImputer\(metadata=...\)'),
    ],
)
def test_other_parameters_are_refused(
    imputer: TabDARImputer, people: pd.DataFrame, parameters: Any, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        imputer.set_params(parameters=parameters).fit(people)


def test_columns_of_one_name_are_refused(imputer: TabDARImputer, people: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"several columns of the same name: \['age'\]"):
        imputer.fit(people.rename(columns={'score': 'age'}))


@pytest.mark.parametrize('dtype', ['date32[pyarrow]', 'period[D]', 'timestamp[us][pyarrow]'])
def test_dates_of_other_dtypes_are_dates(
    imputer: TabDARImputer, people: pd.DataFrame, dtype: str
) -> None:
    dates = people['since'].dt.to_period('D') if 'period' in dtype else people['since']
    filled = imputer.fit_transform(people.assign(since=dates.astype(dtype)))
    columns = imputer.synthesizer_.metadata.tables['table'].columns
    assert columns['since']['sdtype'] == 'datetime'
    assert filled['since'].dtype == dtype
    assert filled['since'].notna().all()


def test_metadata_say_what_dtypes_do_not(imputer: TabDARImputer, people: pd.DataFrame) -> None:
    columns = {'age': {'sdtype': 'numerical'}, 'kind': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    imputer.set_params(metadata=metadata)

    assert imputer.fit_transform(people[['age', 'kind']]).notna().all(axis=None)
    with pytest.raises(ValueError, match="With 'metadata' X must be a DataFrame"):
        imputer.fit(people[['age', 'kind']].to_numpy())


def test_wrong_use_is_refused_in_words(imputer: TabDARImputer, people: pd.DataFrame) -> None:
    with pytest.raises(NotFittedError):
        imputer.transform(people)
    with pytest.raises(ValueError, match='0 sample'):
        imputer.fit(people.iloc[:0])
    with pytest.raises(ValueError, match="'num_samples' must be a whole number of at least 1"):
        clone(imputer).set_params(num_samples=0).fit(people)
    imputer.fit(people)
    with pytest.raises(ValueError, match='feature names'):
        imputer.transform(people.rename(columns={'age': 'years'}))


def test_without_a_random_state_each_model_is_another(people: pd.DataFrame) -> None:
    settings = {**SETTINGS, 'random_state': None}
    first, second = (TabDARImputer(num_samples=1, **settings).fit(people) for _ in range(2))
    seeds = [found.synthesizer_.get_parameters()['random_state'] for found in (first, second)]
    assert seeds[0] != seeds[1]
    pd.testing.assert_frame_equal(first.transform(people), first.transform(people))


def test_metadata_with_a_word_that_is_no_sdtype_are_refused() -> None:
    columns = {'age': {'sdtype': 'numeric'}, 'job': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    table = pd.DataFrame({'age': [1, 2, 3], 'job': ['a', 'b', 'a']})
    message = r"'numeric' is not recognized.*\['age'\] have it. Sdtypes are 'numerical', 'datet"
    with pytest.raises(InvalidMetadataError, match=f'(?s){message}.*Faker'):
        TabDARImputer(metadata, **SETTINGS).fit(table)
