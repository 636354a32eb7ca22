"""Small, narrow and empty tables work, or say why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError
from sdv.sampling import Condition

from .conftest import COLUMNS, TINY, TabDARSynthesizer, fit_tiny, make_metadata, make_table

pytestmark = pytest.mark.filterwarnings('ignore:The columns .* had only missing values')

NUMBER = {'sdtype': 'numerical'}
LEVEL = {'sdtype': 'categorical'}
RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize('num_rows', [1, 2, 3])
def test_few_rows(num_rows: int) -> None:
    data = make_table(num_rows)
    columns = {**COLUMNS, 'level': {'sdtype': 'ordinal'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.fit(data)

    sampled = synthesizer.sample(5)
    assert sampled.shape == (5, len(COLUMNS))
    assert set(sampled['age']) <= set(range(data['age'].min(), data['age'].max() + 1))
    assert len(synthesizer.sample_remaining_columns(data[['age', 'city', 'day']])) == num_rows


TABLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    'one number': ({'x': RANDOM.normal(size=30)}, {'x': NUMBER}),
    'one category': ({'x': list('ab' * 15)}, {'x': LEVEL}),
    'constants': ({'x': [3] * 30, 'y': ['c'] * 30}, {'x': NUMBER, 'y': LEVEL}),
    'constant decimals': ({'x': [0.1] * 30}, {'x': NUMBER}),
    'nothing but missing': (
        {'x': [np.nan] * 30, 'y': [None] * 30},
        {'x': NUMBER, 'y': LEVEL},
    ),
    'missing beside values': (
        {'x': [np.nan] * 30, 'y': list('ab' * 15)},
        {'x': NUMBER, 'y': LEVEL},
    ),
    'only categories': ({name: list('ab' * 15) for name in 'xyz'}, dict.fromkeys('xyz', LEVEL)),
    'only numbers': (
        {name: RANDOM.normal(size=30) for name in 'xyz'},
        dict.fromkeys('xyz', NUMBER),
    ),
    'seventy columns': (
        {f'c{i}': RANDOM.normal(size=30) if i % 2 else list('ab' * 15) for i in range(70)},
        {f'c{i}': NUMBER if i % 2 else LEVEL for i in range(70)},
    ),
    'duplicate rows': ({'x': [1, 2] * 15, 'y': ['a', 'b'] * 15}, {'x': NUMBER, 'y': LEVEL}),
    'one id that is no key': ({'x': list('abc' * 10)}, {'x': {'sdtype': 'id'}}),
    'huge numbers': ({'x': 10.0 ** RANDOM.integers(-300, 300, 30)}, {'x': NUMBER}),
}


@pytest.mark.parametrize(('cells', 'columns'), TABLES.values(), ids=TABLES.keys())
def test_tables(cells: dict[str, Any], columns: dict[str, Any]) -> None:
    data = pd.DataFrame(cells)
    synthesizer = fit_tiny(data, columns)

    sampled = synthesizer.sample(20)
    pd.testing.assert_series_equal(sampled.dtypes, data.dtypes)
    assert (sampled.isna().any() <= data.isna().any()).all()
    assert (data.isna().all() <= sampled.isna().all()).all()
    known = data.head(4)
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known), known)
    filled = synthesizer.impute(pd.DataFrame(index=range(3)))
    assert list(filled.columns) == list(data.columns)


@pytest.mark.filterwarnings('ignore:The table can be learnt as it is')  # its keys have a form
@pytest.mark.parametrize(
    ('columns', 'keys'),
    [
        ({'key': {'sdtype': 'id'}}, {'primary_key': 'key'}),
        ({'key': {'sdtype': 'id', 'regex_format': 'k[0-9]{4}'}}, {'primary_key': 'key'}),
        ({'key': {'sdtype': 'id'}}, {'alternate_keys': ['key']}),
        ({'key': {'sdtype': 'id'}, 'email': {'sdtype': 'email', 'pii': True}}, {}),
        ({'email': {'sdtype': 'email', 'pii': True}}, {}),
        ({'email': {'sdtype': 'email'}, 'key': {'sdtype': 'unknown'}}, {}),
    ],
)
def test_generated_columns_only(columns: dict[str, Any], keys: dict[str, Any]) -> None:
    data = pd.DataFrame({'key': [f'k{i:04d}' for i in range(20)], 'email': ['a@b.c'] * 20})
    data = data[list(columns)]
    synthesizer = TabDARSynthesizer(make_metadata(columns, **keys), **TINY)
    synthesizer.fit(data)

    sampled = synthesizer.sample(30)
    assert sampled.shape == (30, len(columns))
    assert sampled.notna().all(axis=None)
    if keys:
        assert sampled['key'].is_unique
    if 'email' in columns:
        known = synthesizer.sample_remaining_columns(pd.DataFrame({'email': ['x@y.z']}))
        assert list(known['email']) == ['x@y.z']


@pytest.mark.filterwarnings('ignore:The table can be learnt as it is')  # its keys have a form
def test_alternate_keys_beside_learnt_columns() -> None:
    data = pd.DataFrame({'code': [f's{i}' for i in range(30)], 'x': range(30)})
    columns = {'code': {'sdtype': 'id'}, 'x': NUMBER}
    synthesizer = TabDARSynthesizer(make_metadata(columns, alternate_keys=['code']), **TINY)
    synthesizer.fit(data)

    assert synthesizer.sample(20)['code'].is_unique
    known = pd.DataFrame({'code': ['one', 'two'], 'x': [3, 4]})
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known), known)
    with pytest.raises(ValueError, match="'code' is a key, and 'one' is asked for in more than"):
        synthesizer.sample_remaining_columns(pd.DataFrame({'code': ['one', 'one']}))


@pytest.mark.parametrize('seed', [None, 1])
def test_alternate_keys_that_are_not_given_are_made_and_repeat_no_given_one(
    seed: int | None,
) -> None:
    data = pd.DataFrame({'code': [f's{i:02d}' for i in range(30)], 'x': range(30)})
    columns = {'code': {'sdtype': 'id', 'regex_format': 's[0-9]{2}'}, 'x': NUMBER}
    synthesizer = TabDARSynthesizer(make_metadata(columns, alternate_keys=['code']), **TINY)
    synthesizer.fit(data)

    known = pd.DataFrame({'code': ['s00', None, 's03', np.nan, None], 'x': [1, 2, 3, 4, 5]})
    rows = synthesizer.sample_remaining_columns(known, seed=seed)
    assert rows['code'].str.fullmatch('s[0-9]{2}').all()
    assert rows['code'].is_unique
    assert list(rows['code'][[0, 2]]) == ['s00', 's03']

    conditions = [Condition({'code': 's02'}), Condition({'x': 3}, 5), Condition({'code': None}, 2)]
    rows = synthesizer.sample_from_conditions(conditions, seed=seed)
    assert len(rows) == 8
    assert rows['code'].notna().all()
    assert rows['code'].is_unique

    twice = [Condition({'code': 's02'}), Condition({'code': 's02', 'x': 3})]
    with pytest.raises(ValueError, match="'code' is a key, and 's02' is asked for in more than"):
        synthesizer.sample_from_conditions(twice)


def test_thousands_of_levels() -> None:
    num_rows = 4_000
    data = pd.DataFrame(
        {
            'title': [f'title {i // 2}' for i in range(num_rows)],
            'owner': RANDOM.integers(0, 1_500, num_rows),
            'x': RANDOM.normal(size=num_rows),
        }
    )
    columns = {'title': LEVEL, 'owner': {'sdtype': 'id'}, 'x': NUMBER}
    synthesizer = fit_tiny(data, columns, max_categories=256)

    sampled = synthesizer.sample(200)
    assert set(sampled['title']) <= set(data['title'])
    assert set(sampled['owner']) <= set(data['owner'])
    # Rare levels share a code in the model, and yet come back exactly.
    known = data[['title', 'owner']].tail(20)
    pd.testing.assert_frame_equal(
        synthesizer.sample_remaining_columns(known)[['title', 'owner']], known
    )


def test_boolean_column_names_and_numbers_as_text() -> None:
    data = pd.DataFrame({'x': ['1', '2', '10'] * 10, 'y': ['01', '1', ''] * 10})
    sampled = fit_tiny(data, {'x': LEVEL, 'y': LEVEL}).sample(40)

    assert set(sampled['x']) <= {'1', '2', '10'}
    assert set(sampled['y']) <= {'01', '1', ''}


def test_two_columns_of_one_name_are_refused_by_name(fitted: TabDARSynthesizer) -> None:
    table = make_table(3)[['age', 'age']]
    for ask in (
        fitted.sample_remaining_columns,
        fitted.impute,
        fitted.log_likelihood,
        lambda rows: fitted.predict_proba(rows, 'city'),
    ):
        with pytest.raises(InvalidDataError, match=r"column names \['age'\] occur more than once"):
            ask(table)


def test_names_on_several_levels() -> None:
    data = pd.DataFrame([[1.0, 'a'], [2.0, 'b']] * 15)
    data.columns = pd.MultiIndex.from_tuples([('x', 1), ('y', 2)])
    synthesizer = fit_tiny(data, {"('x', 1)": NUMBER, "('y', 2)": LEVEL})
    assert list(synthesizer.sample(3).columns) == [('x', 1), ('y', 2)]
    filled = synthesizer.impute(data.where(data != 2.0))
    pd.testing.assert_index_equal(filled.columns, data.columns)


@pytest.mark.parametrize('sdtype', ['numerical', 'datetime', 'boolean', 'categorical', 'id'])
@pytest.mark.parametrize('value', [[1, 2], {'a': 1}, {1}], ids=str)
def test_containers_in_cells_are_refused(sdtype: str, value: object) -> None:
    data = pd.DataFrame({'x': range(30), 'v': [None, *[value] * 29]})
    synthesizer = TabDARSynthesizer(make_metadata({'x': NUMBER, 'v': {'sdtype': sdtype}}), **TINY)
    with pytest.raises(InvalidDataError, match=f"Column 'v' is {sdtype} and holds containers such"):
        synthesizer.fit(data)


def test_columns_without_a_value_have_no_quantiles() -> None:
    columns = {'x': NUMBER, 'day': {'sdtype': 'datetime'}, 'y': LEVEL}
    days = pd.Series([pd.NaT] * 30, dtype='datetime64[ns]')
    data = pd.DataFrame({'x': [np.nan] * 30, 'day': days, 'y': list('ab' * 15)})
    synthesizer = fit_tiny(data, columns)
    for name in ('x', 'day'):
        found = synthesizer.predict_quantiles(data.head(4), name, [0.1, 0.9])
        assert found.shape == (4, 2)
        assert found.isna().all(axis=None)
