"""Frames in canonical form, and the messages for frames that do not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.tables import category_labels, prepare_frames


def test_equal_categories_of_different_dtypes_get_one_label():
    as_integers = category_labels(pd.Series([1, 2, 1]))
    as_floats = category_labels(pd.Series([1.0, 2.0, 1.0]))
    as_text = category_labels(pd.Series(['1', '2', '1']))
    as_nullable = category_labels(pd.Series([1, 2, 1], dtype='Int64'))
    as_category = category_labels(pd.Series([1, 2, 1], dtype='category'))
    for labels in (as_floats, as_text, as_nullable, as_category):
        pd.testing.assert_series_equal(labels, as_integers)


def test_equal_booleans_of_different_dtypes_get_one_label():
    expected = ['True', 'False', None]
    for values in (
        pd.Series([True, False, None], dtype='boolean'),
        pd.Series([True, False, None], dtype=object),
        pd.Series([1.0, 0.0, np.nan]),
        pd.Series(['true', 'False', None]),
    ):
        assert category_labels(values, boolean=True).tolist() == expected


def test_datetimes_become_nanoseconds_with_or_without_format():
    frame = pd.DataFrame({'day': ['02.01.1970', None]})
    columns = resolve_columns(
        {'columns': {'day': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}}}
    )
    ready = prepare_frames({'real': frame}, columns)['real']
    assert ready['day'].iloc[0] == 86_400e9
    assert np.isnan(ready['day'].iloc[1])
    parsed = pd.DataFrame({'day': pd.to_datetime(['1970-01-02', None])})
    same = prepare_frames({'real': parsed}, resolve_columns({'day': 'datetime'}))['real']
    pd.testing.assert_frame_equal(same, ready)


def test_columns_come_in_metadata_order_without_the_ignored(mixed_table, mixed_metadata):
    columns = resolve_columns(mixed_metadata)
    ready = prepare_frames({'real': mixed_table[mixed_table.columns[::-1]]}, columns)['real']
    assert tuple(ready.columns) == columns.names


@pytest.mark.parametrize(
    ('frame', 'error', 'message'),
    [
        ([1, 2], TypeError, 'synthetic must be a pandas DataFrame, or .* but it is a list'),
        ({'t': 1, 'u': 2}, TypeError, r"a dictionary with one, but it is tables \['t', 'u'\]"),
        (pd.DataFrame({'a': [], 'b': []}), ValueError, 'synthetic has no rows'),
        (
            pd.DataFrame({'a': [1], 'c': [1]}),
            ValueError,
            "columns of synthetic differ from the metadata: it lacks 'b' and it has 'c'",
        ),
        (pd.DataFrame([[1, 2, 3]], columns=list('abb')), ValueError, "same name: 'b'"),
        (
            pd.DataFrame({'a': ['x'], 'b': [1]}),
            ValueError,
            "Column 'a' of synthetic is numerical in the metadata but has values that are not",
        ),
        (
            pd.DataFrame({'a': [np.inf], 'b': [1]}),
            ValueError,
            "Column 'a' of synthetic has 1 infinite values. Numbers must be finite",
        ),
    ],
)
def test_bad_frames_are_refused(frame, error, message):
    columns = resolve_columns({'a': 'numerical', 'b': 'categorical'})
    with pytest.raises(error, match=message):
        prepare_frames({'synthetic': frame}, columns)


def test_unreadable_datetime_is_refused():
    columns = resolve_columns(
        {'columns': {'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}}}
    )
    with pytest.raises(ValueError, match="Column 'day' of real is a datetime in the metadata"):
        prepare_frames({'real': pd.DataFrame({'day': ['soon']})}, columns)


@pytest.mark.parametrize(
    ('dates', 'written'),
    [
        (pd.period_range('1970-01', periods=2, freq='M').to_series(), None),
        (pd.Series(['1/1/1970', '1/2/1970']), '%-d/%-m/%Y'),
        (pd.Series(['01/01/1970', '01/02/1970'], dtype='category'), '%d/%m/%Y'),
        (pd.Series(pd.to_datetime(['1970-01-01', '1970-02-01'])).astype('datetime64[s]'), None),
    ],
)
def test_dates_of_all_forms_are_read(dates, written):
    facts = {'sdtype': 'datetime', 'datetime_format': written}
    columns = resolve_columns({'columns': {'day': facts}})
    ready = prepare_frames({'real': pd.DataFrame({'day': dates})}, columns)['real']
    assert ready['day'].tolist() == [0, 31 * 86_400e9]


@pytest.mark.parametrize(
    'dates',
    [
        pd.Series(['2020-05-05', '9999-12-31']),
        pd.Series(np.array(['2020-05-05', '9999-12-31'], dtype='datetime64[s]')),
        pd.Series(pd.PeriodIndex(['2020-05', '9999-12'], freq='M')),
    ],
)
def test_dates_too_far_for_nanoseconds_are_refused_in_words(dates):
    facts = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    columns = resolve_columns({'columns': {'day': facts}})
    message = "'day' of real has dates that are too far .* between 1677-09-21 and 2262-04-11"
    with pytest.raises(ValueError, match=message):
        prepare_frames({'real': pd.DataFrame({'day': dates})}, columns)


@pytest.mark.parametrize('cell', [[1], {'a': 1}, {1}, np.zeros(2), ([1], 2)])
@pytest.mark.parametrize('sdtype', ['categorical', 'boolean'])
def test_cells_that_are_no_single_values_are_refused(cell, sdtype):
    frame = pd.DataFrame({'a': pd.Series(['x', cell], dtype=object)})
    message = f"'a' of real is {sdtype} in the metadata but has cells that are no single values"
    with pytest.raises(ValueError, match=message):
        prepare_frames({'real': frame}, resolve_columns({'a': sdtype}))


def test_numbers_beyond_floats_are_refused():
    frame = pd.DataFrame({'a': pd.Series([1, 10**400], dtype=object)})
    with pytest.raises(ValueError, match="Column 'a' of real is numerical .* not numbers"):
        prepare_frames({'real': frame}, resolve_columns({'a': 'numerical'}))


@pytest.mark.parametrize('labels', [[0, ('a', 1)], pd.MultiIndex.from_tuples([(0, 1), ('a', 1)])])
def test_names_that_are_no_text_are_read_as_text(labels):
    frame = pd.DataFrame([[1.0, 2.0]], columns=pd.Index(labels, tupleize_cols=False))
    columns = resolve_columns({str(label): 'numerical' for label in labels})
    ready = prepare_frames({'real': frame}, columns)['real']
    assert list(ready) == [str(label) for label in labels]
    assert list(frame) == list(labels)


def test_names_that_are_one_as_text_are_refused():
    frame = pd.DataFrame([[1.0, 2.0]], columns=pd.Index([0, '0']))
    with pytest.raises(ValueError, match="same name: '0'. Column names must be unique, also when"):
        prepare_frames({'real': frame}, resolve_columns({'0': 'numerical'}))
