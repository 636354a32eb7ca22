"""fit, preprocess, sample: what goes in, what comes out, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.errors import (
    InvalidDataError,
    InvalidDataTypeError,
    NotFittedError,
    SamplingError,
)
from sdv.logging import get_sdv_logger
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, TINY, fit_tiny, make_metadata

New = Callable[..., TabDARSynthesizer]


def test_sample_looks_like_the_training_table(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    sampled = fitted.sample(100)

    assert list(sampled.columns) == list(table.columns)
    pd.testing.assert_series_equal(sampled.dtypes, table.dtypes)
    pd.testing.assert_index_equal(sampled.index, pd.RangeIndex(100))
    for column in ('age', 'income', 'gap'):
        assert sampled[column].min() >= table[column].min()
        assert sampled[column].max() <= table[column].max()
    for column in ('city', 'maybe', 'level', 'group', 'flag'):
        assert set(sampled[column].unique()) <= set(table[column].unique())
    assert sampled['key'].is_unique
    assert (sampled['income'].round(2) == sampled['income']).all()
    assert pd.to_datetime(sampled['day'], format='%d/%m/%Y').notna().all()
    assert (sampled['moment'].dt.nanosecond == 0).all()
    assert sampled['email'].str.contains('@').all()


def test_missing_cells_come_back_as_they_were_marked(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    sampled = fitted.sample(200)

    for column in ('city', 'maybe'):
        assert {type(value) for value in sampled[column][sampled[column].isna()]} == {type(None)}


def test_fit_does_not_change_the_frame(table: pd.DataFrame, new: New) -> None:
    before = table.copy(deep=True)

    synthesizer = new()
    synthesizer.fit(table)
    synthesizer.sample(5)

    pd.testing.assert_frame_equal(table, before)


def test_dictionary_in_dictionary_out(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    synthesizer.fit({'table': table})

    for result in (
        synthesizer.sample(4),
        synthesizer.sample(0),
        synthesizer.sample_from_conditions([Condition({'city': 'a'})]),
        synthesizer.sample_remaining_columns(table[['age']].head(2)),
    ):
        assert list(result) == ['table']
        assert isinstance(result['table'], pd.DataFrame)


@pytest.mark.parametrize('interruption', [KeyboardInterrupt, RuntimeError])
def test_interrupted_fit_leaves_everything_usable(
    monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    data = pd.DataFrame({0: [1, 2, 3, 4], 1: list('abab')})
    before = data.copy(deep=True)
    columns = {'0': {'sdtype': 'numerical'}, '1': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)

    def interrupted(*_: Any, **__: Any) -> None:
        raise interruption

    with monkeypatch.context() as patch:
        patch.setattr(TabDAR, 'fit', interrupted)
        with pytest.raises(interruption):
            synthesizer.fit(data)

    pd.testing.assert_frame_equal(data, before)
    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample(1)
    synthesizer.fit(data)
    assert list(synthesizer.sample(3).columns) == [0, 1]


def test_same_seed_same_model_and_rows(table: pd.DataFrame, new: New) -> None:
    first, second, other = new(), new(), new(random_state=1)
    for synthesizer in (first, second, other):
        synthesizer.fit(table)

    rows = first.sample(20)
    pd.testing.assert_frame_equal(rows, second.sample(20))
    assert not rows.drop(columns='key').equals(other.sample(20).drop(columns='key'))


def test_reset_sampling_repeats_and_else_rows_differ(fitted: TabDARSynthesizer) -> None:
    fitted.reset_sampling()
    first = fitted.sample(10)
    second = fitted.sample(10)
    fitted.reset_sampling()

    pd.testing.assert_frame_equal(fitted.sample(10), first)
    assert not first.equals(second)


def test_preprocess_and_fit_processed_data(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    processed = synthesizer.preprocess(table)

    assert isinstance(processed, pd.DataFrame)
    assert {'key', 'email', 'mystery'}.isdisjoint(processed.columns)
    synthesizer.fit_processed_data(processed)
    sampled = synthesizer.sample(5)
    pd.testing.assert_series_equal(sampled.dtypes, table.dtypes)
    assert synthesizer.get_info()['is_fit']

    as_dictionary = new()
    processed_tables = as_dictionary.preprocess({'table': table})
    as_dictionary.fit_processed_data(processed_tables)
    assert list(as_dictionary.sample(2)) == ['table']


def test_fit_processed_data_needs_preprocess(table: pd.DataFrame, new: New) -> None:
    with pytest.raises(NotFittedError, match="Call 'preprocess'"):
        new().fit_processed_data(table)


def test_refit_on_another_table(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    synthesizer.fit(table)
    other = table.head(40).assign(age=lambda frame: frame['age'] + 1000)
    synthesizer.fit(other)

    assert synthesizer.sample(10)['age'].min() >= 1000


def test_columns_return_in_the_order_of_the_data(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    shuffled = table[list(table.columns[::-1])]
    synthesizer.fit(shuffled)

    assert list(synthesizer.sample(2).columns) == list(shuffled.columns)


def test_no_rows(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    pd.testing.assert_series_equal(fitted.sample(0).dtypes, table.dtypes)


@pytest.mark.parametrize(
    ('name', 'value'), [('num_rows', -1), ('num_rows', 1.5), ('num_rows', True), ('batch_size', 0)]
)
def test_bad_counts_are_refused(fitted: TabDARSynthesizer, name: str, value: Any) -> None:
    arguments = {'num_rows': 3, name: value}
    with pytest.raises(ValueError, match=rf"'{name}' must be a whole number .*{value}"):
        fitted.sample(**arguments)


def test_number_of_rows_is_needed(fitted: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match='number of rows'):
        fitted.sample(None)  # type: ignore[arg-type]


def test_unfitted_synthesizer_refuses_to_sample(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    calls: list[Callable[[], Any]] = [
        lambda: synthesizer.sample(1),
        lambda: synthesizer.sample_from_conditions([Condition({'city': 'a'})]),
        lambda: synthesizer.sample_remaining_columns(table[['age']]),
        lambda: synthesizer.impute(table),
        lambda: synthesizer.predict_proba(table, 'city'),
        lambda: synthesizer.predict_quantiles(table, 'age'),
        lambda: synthesizer.log_likelihood(table),
    ]
    for call in calls:
        with pytest.raises(SamplingError, match='has not been fitted'):
            call()
    with pytest.raises(NotFittedError, match='Loss values'):
        synthesizer.get_loss_values()
    with pytest.raises(NotFittedError, match='Loss values'):
        synthesizer.get_loss_values_plot()


def test_loss_values_and_plot(fitted: TabDARSynthesizer) -> None:
    losses = fitted.get_loss_values()

    assert list(losses.columns) == ['Epoch', 'Loss']
    assert len(losses) == TINY['epochs']
    figure = fitted.get_loss_values_plot(title='Loss of a tiny model')
    assert figure.layout.title.text == 'Loss of a tiny model'
    np.testing.assert_allclose(figure.data[0].y, losses['Loss'])


def test_get_info(fitted: TabDARSynthesizer) -> None:
    info = fitted.get_info()

    assert info['class_name'] == 'TabDARSynthesizer'
    assert info['is_fit']


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ({'table': pd.DataFrame(), 'other': pd.DataFrame()}, 'exactly one table'),
        ({'other': pd.DataFrame()}, "named 'table'"),
        ({}, 'exactly one table'),
        ([1, 2], 'must be a DataFrame of pandas or'),
        ({'table': [1]}, 'must be a DataFrame of pandas, however: list'),
    ],
)
def test_what_is_not_one_table_is_refused(new: New, data: Any, message: str) -> None:
    with pytest.raises(InvalidDataTypeError, match=message):
        new().fit(data)


def test_columns_that_do_not_match_the_metadata_are_refused(table: pd.DataFrame, new: New) -> None:
    with pytest.raises(InvalidDataError, match=r"\['extra'\] are not present in the metadata"):
        new().fit(table.assign(extra=1))
    with pytest.raises(InvalidDataError, match=r"\['age'\] are not present in the data"):
        new().fit(table.drop(columns='age'))
    with pytest.raises(InvalidDataError, match="numerical column 'age'"):
        new().fit(table.assign(age='young'))
    with pytest.raises(InvalidDataError, match='has no rows'):
        new().fit(table.head(0))
    with pytest.raises(InvalidDataError, match="datetime column 'day'"):
        new().fit(table.assign(day='tomorrow'))


@pytest.mark.parametrize('dtype', ['float64', 'Float64', object])
def test_infinite_numbers_are_refused(table: pd.DataFrame, new: New, dtype: Any) -> None:
    data = table.assign(income=table['income'].astype(dtype))
    data.loc[3, 'income'] = np.inf

    for method in ('fit', 'validate', 'preprocess'):
        with pytest.raises(InvalidDataError, match=r"'income' has 1 infinite .*first in row 3"):
            getattr(new(), method)(data)


def test_repeated_column_names_are_refused() -> None:
    data = pd.DataFrame([[1, 2]], columns=['a', 'a'])
    synthesizer = TabDARSynthesizer(make_metadata({'a': {'sdtype': 'numerical'}}), **TINY)

    with pytest.raises(InvalidDataError, match=r"\['a'\] occur more than once"):
        synthesizer.fit(data)


def test_errors_of_torch_do_not_turn_into_rejection_sampling(
    fitted: TabDARSynthesizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: Any, **__: Any) -> None:
        raise NotImplementedError('no kernel')

    monkeypatch.setattr(TabDAR, 'complete', unavailable)
    with pytest.raises(SamplingError) as error:
        fitted.sample(2)
    assert 'no kernel' in str(error.value.__cause__)
    with pytest.raises(SamplingError) as error:
        fitted.sample_from_conditions([Condition({'city': 'a'})])
    assert 'enable_gpu=False' in str(error.value.__cause__)


def test_native_conditions_of_the_hook(fitted: TabDARSynthesizer) -> None:
    rows = fitted._sample(7, {'city': 'b', 'age': 44.0, 'gap': np.nan})

    assert (rows['city'] == 'b').all()
    assert (rows['age'] == 44).all()
    assert rows['gap'].isna().all()
    pd.testing.assert_index_equal(rows.index, pd.RangeIndex(7))


def test_progress_bars_only_where_asked_for(
    table: pd.DataFrame, new: New, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = new()
    quiet.fit(table)
    quiet.sample(3)
    assert capsys.readouterr().err == ''

    loud = new(verbose=True)
    loud.fit(table)
    assert 'Training' in capsys.readouterr().err
    loud.sample(3)
    assert 'Drawing rows' in capsys.readouterr().err


def test_validate_accepts_a_frame_and_learns_nothing(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()

    synthesizer.validate(table)
    synthesizer.validate({'table': table})

    assert not synthesizer.get_info()['is_fit']


def test_numbers_may_leave_the_training_range_only_if_told(table: pd.DataFrame) -> None:
    columns = {'age': COLUMNS['age'], 'city': COLUMNS['city']}
    synthesizer = fit_tiny(table[list(columns)], columns, enforce_min_max_values=False)

    known = pd.DataFrame({'age': [5, 300]})
    with pytest.warns(UserWarning, match="2 in column 'age'"):
        assert list(synthesizer.sample_remaining_columns(known)['age']) == [5, 300]


def test_metadata_of_two_tables_is_refused() -> None:
    columns = {'columns': {'a': {'sdtype': 'numerical'}}}
    two = Metadata.load_from_dict({'tables': {'one': columns, 'two': columns}})

    with pytest.raises(Exception, match='more than one table|multiple tables|single table'):
        TabDARSynthesizer(two)


def test_the_hosts_log_has_each_call_that_draws_once(
    fitted: TabDARSynthesizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[dict[str, Any]] = []
    logger = get_sdv_logger('SingleTableSynthesizer')
    monkeypatch.setattr(logger, 'info', events.append)

    fitted.sample(5, batch_size=4)
    fitted.sample(4, shares={'flag': {True: 0.5}})
    fitted.sample_from_conditions([Condition({'city': 'a'}, 2), Condition({'flag': True}, 1)])
    fitted.sample_remaining_columns(pd.DataFrame({'city': ['b', 'a']}))
    fitted.sample_like({'city': 'a'}, 1)

    assert [event['EVENT'] for event in events] == ['Sample'] * 5
    assert [event['TOTAL NUMBER OF ROWS'] for event in events] == [5, 4, 3, 2, 1]
    assert {event['TOTAL NUMBER OF COLUMNS'] for event in events} == {13}
    assert {event['SYNTHESIZER CLASS NAME'] for event in events} == {'TabDARSynthesizer'}
