"""Rows that meet conditions: exact cells, ranges, sets, missing cells, refusals."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.answering import AnsweringModel
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, fit_tiny


def test_known_cells_come_back_exactly_for_every_sdtype(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    known = table.drop(columns='key').head(60)

    completed = fitted.sample_remaining_columns(known)

    pd.testing.assert_frame_equal(completed[list(known.columns)], known)
    assert completed['key'].is_unique
    assert list(completed.columns) == list(table.columns)


@pytest.mark.parametrize('column', [name for name in COLUMNS if name != 'key'])
def test_each_column_alone(fitted: TabDARSynthesizer, table: pd.DataFrame, column: str) -> None:
    known = table[[column]].sample(20, random_state=1)

    completed = fitted.sample_remaining_columns(known)

    # The order and the index of what was known.
    pd.testing.assert_frame_equal(completed[[column]], known)
    pd.testing.assert_series_equal(completed.dtypes, table.dtypes)


def test_any_index_stays(fitted: TabDARSynthesizer) -> None:
    index = pd.Index(['b', 'a', 'a', 3], name='row')
    known = pd.DataFrame({'age': [20, 30, 40, 50]}, index=index)
    before = known.copy(deep=True)

    completed = fitted.sample_remaining_columns(known)

    pd.testing.assert_index_equal(completed.index, index)
    assert list(completed['age']) == [20, 30, 40, 50]
    pd.testing.assert_frame_equal(known, before)


def test_the_steps_of_an_index_of_dates_stay(fitted: TabDARSynthesizer) -> None:
    days = pd.date_range('2020-01-01', periods=4, freq='D')

    rows = fitted.sample_remaining_columns(pd.DataFrame({'city': list('abca')}, index=days))

    assert rows.index.freq == days.freq


def test_no_known_columns_and_no_rows(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    assert (
        fitted.sample_remaining_columns(pd.DataFrame(index=range(4))).shape == table.iloc[:4].shape
    )
    nothing = fitted.sample_remaining_columns(table[['age']].head(0))
    assert list(nothing.columns) == list(table.columns)
    assert not len(nothing)


def test_all_rows_go_through_the_model_together(
    fitted: TabDARSynthesizer, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    complete = TabDAR.complete

    def counted(self: TabDAR, frame: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.DataFrame:
        calls.append(len(frame))
        return complete(self, frame, *args, **kwargs)

    monkeypatch.setattr(TabDAR, 'complete', counted)
    fitted.sample_remaining_columns(table[['income', 'moment']])
    assert calls == [len(table)]
    calls.clear()
    fitted.sample_remaining_columns(table[['income']], batch_size=100)
    assert calls == [100, len(table) - 100]


def test_conditions_keep_sdvs_order(fitted: TabDARSynthesizer) -> None:
    sampled = fitted.sample_from_conditions(
        [
            Condition({'age': 30, 'city': 'a'}, num_rows=2),
            Condition({'city': 'b'}, num_rows=2),
            DataFrameCondition(pd.DataFrame({'age': [40, 50], 'city': ['c', None]})),
            Condition({'city': 'c'}),
        ]
    )

    assert sampled['age'].head(4).tolist() == [30, 30, 40, 50]
    assert sampled['city'].tolist() == ['a', 'a', 'c', None, 'b', 'b', 'c']
    pd.testing.assert_index_equal(sampled.index, pd.RangeIndex(7))


def test_missing_is_a_value_to_condition_on(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    for column, missing in (('gap', np.nan), ('gap', None), ('city', None), ('maybe', pd.NA)):
        sampled = fitted.sample_from_conditions([Condition({column: missing}, num_rows=5)])
        assert sampled[column].isna().all()
        assert len(sampled) == 5
        pd.testing.assert_series_equal(sampled.dtypes, table.dtypes)
    assert fitted.sample_from_conditions([Condition({'email': None})])['email'].isna().all()


def test_ranges_sets_and_not_null(fitted: TabDARSynthesizer) -> None:
    sampled = fitted.sample_from_conditions(
        [
            Condition(
                {
                    'age': Between(30.5, 40.2),
                    'gap': NotNull(),
                    'city': OneOf(['a', None]),
                    'level': Between(2, 3),
                    'moment': Between('2020-02-01', pd.Timestamp('2020-03-01')),
                    'maybe': OneOf([True]),
                },
                num_rows=40,
            )
        ]
    )

    assert sampled['age'].between(31, 40).all()
    assert sampled['gap'].notna().all()
    assert set(sampled['city']) <= {'a', None}
    assert set(sampled['level']) <= {2, 3}
    assert sampled['moment'].between('2020-02-01', '2020-03-01').all()
    assert set(sampled['maybe']) == {True}


@pytest.mark.parametrize(
    ('column', 'condition', 'check'),
    [
        ('income', Between(None, 10), lambda v: v.max() <= 10),
        ('income', OneOf([12.5, 13.25]), lambda v: set(v) <= {12.5, 13.25}),
        ('gap', OneOf([None]), lambda v: v.isna().all()),
        ('gap', Between(0, None), lambda v: v.min() >= 0),
        (
            'day',
            Between('10/02/2020', None),
            lambda v: _dates(v).min() >= pd.Timestamp(2020, 2, 10),
        ),
        (
            'day',
            OneOf(['03/02/2020', pd.Timestamp('2020-02-04')]),
            lambda v: set(v) <= {'03/02/2020', '04/02/2020'},
        ),
        ('group', OneOf(['g1', 'g2']), lambda v: set(v) <= {'g1', 'g2'}),
        ('flag', OneOf([False]), lambda v: not v.any()),
        ('city', NotNull(), lambda v: v.notna().all()),
    ],
)
def test_one_condition_that_is_no_value(
    fitted: TabDARSynthesizer, table: pd.DataFrame, column: str, condition: Any, check: Any
) -> None:
    sampled = fitted.sample_from_conditions([Condition({column: condition}, num_rows=30)])

    assert check(sampled[column])
    assert sampled[column].dtype == table[column].dtype
    known = pd.DataFrame({column: [condition] * 3})
    assert check(fitted.sample_remaining_columns(known)[column])


def _dates(values: pd.Series) -> pd.Series:
    return pd.to_datetime(values, format='%d/%m/%Y')


def test_rare_levels_can_be_asked_for(table: pd.DataFrame) -> None:
    data = pd.DataFrame({'x': [f'level {i // 3}' for i in range(300)]})
    synthesizer = fit_tiny(data, {'x': {'sdtype': 'categorical'}}, max_categories=20)

    asked = ['level 98', 'level 97']
    sampled = synthesizer.sample_from_conditions([Condition({'x': OneOf(asked)}, num_rows=20)])
    assert len(sampled) == 20
    assert set(sampled['x']) <= set(asked)


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({'flag': 2}, "'flag' cannot be 2, because the column is boolean. Allowed: (False|True), "),
    ({'flag': 0.5}, "'flag' cannot be 0.5, because the column is boolean"),
    ({'age': 30.5}, "'age' cannot be 30.5, because the column holds whole numbers"),
    ({'age': '30'}, "'age' cannot be '30', because the column is numerical"),
    ({'age': True}, "'age' cannot be True, because the column is numerical"),
    ({'income': np.inf}, "'income' cannot be inf, because numbers must be finite"),
    ({'day': '2020-01-01'}, "'day' cannot be '2020-01-01', .* in the format '%d/%m/%Y'"),
    ({'day': pd.Timestamp('2020-02-02 03:04')}, "'day' cannot be Timestamp.* in the format"),
    ({'day': 5}, "'day' cannot be 5, because the column holds dates"),
    ({'moment': 'soon'}, "'moment' cannot be 'soon', .* no datetime_format: .* 2020-12-31"),
    ({'moment': pd.Timestamp('1600-01-01')}, 'dates must lie between 1677-09-21 and 2262-04-11'),
    ({'moment': '9999-12-31'}, 'dates must lie between 1677-09-21 and 2262-04-11'),
    ({'age': Between(200, 300)}, r"'age' cannot be Between\(low=200.*outside the range"),
    ({'age': Between(30.2, 30.8)}, "'age' cannot be Between.* holds multiples of 1"),
    ({'age': Between('a', 'b')}, "'age' cannot be Between.* the column is numerical"),
    ({'day': Between('02/02/2020', '01/02/2020')}, "'day' cannot be Between.* it is empty"),
    ({'day': Between(1, 2)}, "'day' cannot be 1, because the column holds dates"),
    ({'city': Between(1, 2)}, "'city' cannot be Between.* use OneOf"),
    ({'level': Between(7, 9)}, "'level' cannot be Between.* no level lies there"),
    ({'city': OneOf(['a', 'z'])}, "'city' cannot be 'z'"),
    ({'age': OneOf([None, 30])}, "'age' cannot be None"),
    ({'email': OneOf(['a'])}, r"'email' cannot be OneOf.*, because its values are generated"),
    ({'city': ['a']}, r"'city' cannot be \['a'\]"),
]


@pytest.mark.parametrize(('condition', 'message'), REFUSALS)
def test_what_can_never_be_met_is_refused_at_once(
    fitted: TabDARSynthesizer, monkeypatch: pytest.MonkeyPatch, condition: Any, message: str
) -> None:
    monkeypatch.delattr(AnsweringModel, 'complete')  # nothing may be drawn

    with pytest.raises(ValueError, match='Unable to sample any rows') as error:
        fitted.sample_remaining_columns(pd.DataFrame({k: [v] for k, v in condition.items()}))
    assert re.search(message, str(error.value))


def test_all_missing_column_cannot_be_not_null() -> None:
    data = pd.DataFrame({'x': [np.nan] * 20, 'y': range(20)})
    columns = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'numerical'}}
    synthesizer = fit_tiny(data, columns)

    with pytest.raises(ValueError, match='had only missing values'):
        synthesizer.sample_from_conditions([Condition({'x': NotNull()})])


def test_what_only_the_model_can_refuse_is_named_in_the_users_words() -> None:
    data = pd.DataFrame({'x': [0.1, 0.9] * 20, 'y': range(40)})
    columns = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'numerical'}}
    synthesizer = fit_tiny(data, columns)

    with pytest.raises(ValueError, match=r"'x' cannot be Between\(low=0.3, high=0.6\)"):
        synthesizer.sample_from_conditions([Condition({'x': Between(0.3, 0.6)})])


def test_columns_that_cannot_be_conditioned_on(fitted: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match="Unexpected column name 'nothing'"):
        fitted.sample_from_conditions([Condition({'nothing': 1})])
    with pytest.raises(ValueError, match='primary key'):
        fitted.sample_from_conditions([Condition({'key': 1})])


@pytest.mark.parametrize('conditions', [[], 'city', [{'city': 'a'}], Condition({'city': 'a'})])
def test_what_are_no_conditions(fitted: TabDARSynthesizer, conditions: Any) -> None:
    with pytest.raises(ValueError, match='list of'):
        fitted.sample_from_conditions(conditions)


def test_condition_without_a_number_of_rows(fitted: TabDARSynthesizer) -> None:
    condition = Condition({'city': 'a'}, num_rows=None, table_name='table')
    with pytest.raises(ValueError, match='give num_rows'):
        fitted.sample_from_conditions([condition])


def test_rows_are_written_in_batches_in_the_users_form(
    fitted: TabDARSynthesizer, table: pd.DataFrame, tmp_path: Path
) -> None:
    known = table[['age', 'day']].head(10)
    completed = fitted.sample_remaining_columns(
        known, batch_size=3, output_folder_path=str(tmp_path)
    )

    written = pd.read_csv(tmp_path / 'table.csv', keep_default_na=False, na_values=[''])
    pd.testing.assert_frame_equal(written[['age', 'day']], known)
    assert list(written['email']) == list(completed['email'])
    with pytest.raises(AssertionError, match='already exist'):
        fitted.sample_remaining_columns(known, output_folder_path=str(tmp_path))


def test_progress_bar(
    fitted: TabDARSynthesizer, table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    loud = copy.deepcopy(fitted)
    loud.verbose = True
    loud.sample_remaining_columns(table[['age']].head(7))

    assert '7/7' in capsys.readouterr().err


def test_integer_column_names() -> None:
    data = pd.DataFrame({0: range(30), 1: list('ab' * 15)})
    columns = {'0': {'sdtype': 'numerical'}, '1': {'sdtype': 'categorical'}}
    synthesizer = fit_tiny(data, columns)

    sampled = synthesizer.sample_from_conditions(
        [
            Condition({1: 'a', 0: Between(3, 9)}, num_rows=5),
            DataFrameCondition(pd.DataFrame({1: ['b']})),
        ]
    )
    assert list(sampled.columns) == [0, 1]
    assert list(sampled[1]) == ['a'] * 5 + ['b']
    assert sampled[0].head(5).between(3, 9).all()


def test_conditioned_rows_replay_after_reset(fitted: TabDARSynthesizer) -> None:
    known = pd.DataFrame({'age': [20, 30]})
    fitted.reset_sampling()
    first = fitted.sample_remaining_columns(known)
    fitted.reset_sampling()

    pd.testing.assert_frame_equal(fitted.sample_remaining_columns(known), first)
