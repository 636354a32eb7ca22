"""impute: gaps are filled, everything else stays."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations

from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY, fit_tiny, make_metadata, make_table


@pytest.fixture
def gaps(table: pd.DataFrame) -> pd.DataFrame:
    """New rows with other cells missing in each, an odd index and another column order."""
    fresh = make_table(50, seed=9).drop(columns=['key', 'mystery'])
    fresh = fresh[fresh.columns[::-1]]
    hidden = np.random.default_rng(1).random(fresh.shape) < 0.4
    fresh = fresh.mask(hidden).set_index(pd.Index([f'r{i}' for i in range(50)], name='id'))
    return fresh


def test_gaps_are_filled_and_the_rest_stays(
    fitted: TabDARSynthesizer, gaps: pd.DataFrame, table: pd.DataFrame
) -> None:
    before = gaps.copy(deep=True)

    filled = fitted.impute(gaps)

    pd.testing.assert_frame_equal(gaps, before)
    pd.testing.assert_index_equal(filled.index, gaps.index)
    assert list(filled.columns) == [*gaps.columns, 'key', 'mystery']
    assert filled.notna().all(axis=None)
    known = gaps.notna()
    kept = filled[gaps.columns].where(known)
    pd.testing.assert_frame_equal(kept, gaps.where(known))
    whole = {'age': 'int64', 'level': 'int64'}  # floats only because of their gaps
    expected = gaps.dropna().astype(whole).dtypes
    pd.testing.assert_series_equal(filled[gaps.columns].dtypes, expected)
    assert (filled['age'] % 1 == 0).all()
    assert (filled['income'].round(2) == filled['income']).all()
    assert filled.loc[gaps['age'].isna(), 'age'].between(*table['age'].agg(['min', 'max'])).all()
    assert set(filled['city']) <= {'a', 'b', 'c'}
    assert pd.to_datetime(filled['day'], format='%d/%m/%Y').notna().all()
    assert filled['key'].is_unique


def test_several_draws_differ_only_in_the_gaps(
    fitted: TabDARSynthesizer, gaps: pd.DataFrame
) -> None:
    tables = fitted.impute(gaps, num_draws=3)

    assert len(tables) == 3
    known = gaps.notna()
    for filled in tables:
        assert filled.notna().all(axis=None)
        pd.testing.assert_frame_equal(filled[gaps.columns].where(known), gaps.where(known))
    assert not tables[0]['income'].equals(tables[1]['income'])


def test_the_mean_of_many_draws_varies_less_than_one_draw(fitted: TabDARSynthesizer) -> None:
    empty = pd.DataFrame(index=range(60))

    one = fitted.impute(empty, num_samples=1)
    mean = fitted.impute(empty, num_samples=30)

    assert mean['income'].std() < one['income'].std() / 2
    # The vote settles on frequent levels; the single draw does not.
    assert mean['flag'].mean() < one['flag'].mean()


def test_batches_and_dictionaries(fitted: TabDARSynthesizer, gaps: pd.DataFrame) -> None:
    filled = fitted.impute({'table': gaps}, batch_size=7, num_samples=2)
    assert list(filled) == ['table']
    assert filled['table'].notna().all(axis=None)
    drawn = fitted.impute({'table': gaps}, num_draws=2)
    assert [list(tables) for tables in drawn] == [['table'], ['table']]


def test_complete_tables_come_back_as_they_are(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    complete = table.dropna()

    pd.testing.assert_frame_equal(fitted.impute(complete), complete)
    assert fitted.impute(table.head(0)).shape == (0, table.shape[1])


def test_no_rows_come_back_with_all_columns(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    for nothing in (table.head(0), table[['age']].head(0), pd.DataFrame()):
        filled = fitted.impute(nothing)
        assert not len(filled)
        assert set(filled.columns) == set(table.columns)
        assert filled['age'].dtype == table['age'].dtype


def test_imputation_replays_after_reset(fitted: TabDARSynthesizer, gaps: pd.DataFrame) -> None:
    fitted.reset_sampling()
    first = fitted.impute(gaps)
    fitted.reset_sampling()

    pd.testing.assert_frame_equal(fitted.impute(gaps), first)


def test_new_keys_do_not_repeat_known_ones(fitted: TabDARSynthesizer) -> None:
    fitted.reset_sampling()
    generated = fitted.sample(5)['key']
    fitted.reset_sampling()
    data = pd.DataFrame({'key': [*generated.astype(float), *[np.nan] * 5]})

    filled = fitted.impute(data)
    assert filled['key'].is_unique
    assert list(filled['key'].head(5)) == list(generated)


def test_what_training_has_not_seen_is_kept(fitted: TabDARSynthesizer) -> None:
    fitted = copy.deepcopy(fitted)  # which remembers what it has said
    data = pd.DataFrame({'city': ['z', 'a'], 'age': [1000.0, np.nan]})

    with pytest.warns(UserWarning, match="1 in column 'age' .*, 1 in column 'city'"):
        filled = fitted.impute(data)

    assert list(filled['city']) == ['z', 'a']
    assert filled['age'].iloc[0] == 1000
    assert filled['age'].iloc[1] < 100


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ({'nothing': [1]}, r"\['nothing'\] were not in the training table"),
        ({'age': ['old']}, "'age' cannot be 'old', because the column is numerical"),
        ({'age': [np.inf]}, "'age' cannot be inf, because numbers must be finite"),
        ({'day': ['2020-01-01']}, "'day' cannot be '2020-01-01', .* in the format"),
        ({'moment': ['someday']}, "'moment' cannot be 'someday'"),
    ],
)
def test_cells_that_cannot_be_read_are_refused(
    fitted: TabDARSynthesizer, data: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fitted.impute(pd.DataFrame(data))


@pytest.mark.parametrize('name', ['num_draws', 'num_samples', 'batch_size'])
@pytest.mark.parametrize('value', [0, 1.5, True])
def test_bad_counts_are_refused(
    fitted: TabDARSynthesizer, table: pd.DataFrame, name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=f"'{name}' must be a whole number .*{value}"):
        fitted.impute(table, **{name: value})


def test_none_is_no_count(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="'num_draws' must be a whole number"):
        fitted.impute(table, num_draws=None)  # type: ignore[arg-type]


def test_rows_whose_known_cells_break_a_constraint_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = pd.DataFrame({'city': ['a', 'b'] * 10, 'zip': [1, 2] * 10, 'x': range(20)})
    columns = {'city': {'sdtype': 'categorical'}, 'zip': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(
        make_metadata({**columns, 'x': {'sdtype': 'numerical'}}), **TINY
    )
    synthesizer.add_constraints([FixedCombinations(['city', 'zip'])])
    synthesizer.fit(data)
    asked = []
    complete = TabDAR.complete

    def counted(model: TabDAR, known: pd.DataFrame, *args: Any, **options: Any) -> Any:
        asked.append(len(known))
        return complete(model, known, *args, **options)

    monkeypatch.setattr(TabDAR, 'complete', counted)
    gaps = pd.DataFrame({'city': ['a', 'b', 'a'], 'zip': [2, 2, 2], 'x': [np.nan] * 3})

    with pytest.warns(UserWarning, match='2 rows stay as they are'):
        filled = synthesizer.impute(gaps, num_samples=1)

    assert list(filled['x'].isna()) == [True, False, True]
    assert asked == [1]


def test_constraints_are_not_to_blame_where_there_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = pd.DataFrame({'x': [1.5, np.nan, 3.5, 4.5] * 5, 'y': [1.0, 2.0] * 10})
    synthesizer = fit_tiny(data, {name: {'sdtype': 'numerical'} for name in data})
    complete = TabDAR.complete

    def emptied(*args: Any, **options: Any) -> Any:
        found = complete(*args, **options)
        return dataclasses.replace(found, rows=found.rows.assign(x=np.nan))

    monkeypatch.setattr(TabDAR, 'complete', emptied)
    with pytest.warns(UserWarning, match='had a value for each of their gaps'):
        filled = synthesizer.impute(data, num_samples=1)
    assert filled['x'].isna().sum() == 5


def test_what_stays_missing_is_marked_as_it_was() -> None:
    data = pd.DataFrame({'x': [1.5, np.nan, 3.5] * 5, 'void': [None] * 15})
    columns = {'x': {'sdtype': 'numerical'}, 'void': {'sdtype': 'categorical'}}

    with pytest.warns(UserWarning, match='stay empty'):
        filled = fit_tiny(data, columns).impute(data)

    assert filled['void'].tolist() == [None] * 15


def test_columns_without_any_value_stay_empty() -> None:
    data = pd.DataFrame({'x': [np.nan] * 20, 'y': [1.0, np.nan] * 10})
    columns = {name: {'sdtype': 'numerical'} for name in 'xy'}
    synthesizer = fit_tiny(data, columns)

    with pytest.warns(UserWarning, match=r"\['x'\] had only missing values"):
        filled = synthesizer.impute(data)
    assert filled['x'].isna().all()
    assert filled['y'].notna().all()


def test_dtype_follows_the_training_table_where_a_column_is_empty(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    data = pd.DataFrame({'city': [np.nan] * 3, 'moment': [None] * 3, 'day': [np.nan] * 3})

    filled = fitted.impute(data)
    pd.testing.assert_series_equal(filled[table.columns].dtypes, table.dtypes)


def test_whole_numbers_among_objects_are_filled_as_whole_numbers() -> None:
    data = pd.DataFrame({'key': range(30), 'i': range(30), 'x': [0.5, 1.5] * 15})
    columns = {'key': {'sdtype': 'id'}} | {name: {'sdtype': 'numerical'} for name in 'ix'}
    synthesizer = TabDARSynthesizer(make_metadata(columns, alternate_keys=['key']), **TINY)
    synthesizer.fit(data)
    cells = {'key': [5, None, 7, 8], 'i': [None, 3, 4, 9], 'x': [0.5] * 4}
    gaps = pd.DataFrame(cells, dtype=object)  # nothing is to be filled in the last row

    filled = synthesizer.impute(gaps)
    assert filled.dtypes.tolist() == [object] * 3
    assert {type(value) for value in [*filled['key'], *filled['i']]} == {int}
