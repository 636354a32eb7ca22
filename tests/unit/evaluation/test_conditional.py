"""Fidelity on the rows that meet a condition."""

from __future__ import annotations

import pandas as pd
import pytest

from sdv_tabdar.evaluation import conditional_scores, score


def test_scores_are_those_of_the_rows_that_meet_it(real, honest, types):
    ours = conditional_scores(real, honest, types, {'city': 'rome'}, metrics=['shape'])
    rest = {name: sdtype for name, sdtype in types.items() if name != 'city'}
    chosen = [frame.loc[frame['city'] == 'rome', list(rest)] for frame in (real, honest)]
    assert ours['shape_error'] == score(*chosen, rest, metrics=['shape'])['shape_error']
    assert ours['rows_real'] == len(chosen[0])
    assert ours['condition_met'] == len(chosen[1]) / len(honest)


@pytest.mark.parametrize(
    ('condition', 'selects'),
    [
        ({'code': 2}, lambda f: f['code'] == 2),
        ({'member': True}, lambda f: f['member']),
        ({'city': ['rome', 'oslo']}, lambda f: f['city'].isin(['rome', 'oslo'])),
        ({'height': (0, 1)}, lambda f: f['height'].between(0, 1)),
        ({'height': (None, 0), 'code': [1, 2]}, lambda f: (f['height'] <= 0) & (f['code'] <= 2)),
    ],
)
def test_conditions_select_rows(real, types, condition, selects):
    ours = conditional_scores(real, real, types, condition, metrics=['shape'])
    assert ours['rows_real'] == selects(real).sum()


def test_datetime_ranges():
    frame = pd.DataFrame({'day': pd.date_range('2024-01-01', periods=10), 'x': range(10)})
    types = {'day': 'datetime', 'x': 'numerical'}
    ours = conditional_scores(
        frame, frame, types, {'day': ('2024-01-03', '2024-01-05')}, metrics=['shape']
    )
    assert ours['rows_real'] == 3
    assert ours['shape_error'] == 0


@pytest.mark.parametrize('wanted', [['03/02/2024'], ('03/02/2024', '03/02/2024'), '03/02/2024'])
def test_dates_are_read_in_the_format_of_the_table(wanted):
    days = pd.date_range('2024-01-01', periods=80).strftime('%d/%m/%Y')
    frame = pd.DataFrame({'day': days, 'x': range(80), 'y': range(80)})
    types = {
        'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
        'x': {'sdtype': 'numerical'},
        'y': {'sdtype': 'numerical'},
    }
    real, other = frame[frame['day'] != '02/03/2024'], frame
    condition = {'day': wanted}
    ours = conditional_scores(real, other, {'columns': types}, condition, metrics=['shape'])
    assert (ours['rows_real'], ours['rows_synthetic']) == (1, 1)


def test_missing_cells_can_be_asked_for():
    frame = pd.DataFrame({'x': [1.0, None, None], 'k': ['a', 'b', None]})
    types = {'x': 'numerical', 'k': 'categorical'}
    found = [
        conditional_scores(frame, frame, types, {name: None}, metrics=['jsd'])['rows_real']
        for name in types
    ]
    assert found == [2, 1]


def test_a_condition_that_is_no_mapping_is_refused(real, types):
    with pytest.raises(TypeError, match='condition must be a mapping .* but it is a list'):
        conditional_scores(real, real, types, ['city'])


@pytest.mark.parametrize(
    ('condition', 'message'),
    [
        ({'height': 'tall'}, "Column 'height' of the condition is numerical in the metadata but"),
        ({'height': ('tall', None)}, "Column 'height' of the condition is numerical"),
        ({'city': {'rome': 1}}, "Column 'city' of the condition is categorical .* single values"),
        ({'town': 'rome'}, "condition names 'town', which is not a measured column"),
        ({'city': 'paris'}, 'No row of real meets the condition'),
        ({'city': ('a', 'b')}, r'A tuple is a range \(low, high\) of a numerical or datetime'),
    ],
)
def test_bad_conditions_are_refused(real, types, condition, message):
    with pytest.raises(ValueError, match=message):
        conditional_scores(real, real, types, condition)


def test_nothing_left_to_compare_is_refused():
    frame = pd.DataFrame({'k': ['a', 'b']})
    with pytest.raises(ValueError, match='fixes every column'):
        conditional_scores(frame, frame, {'k': 'categorical'}, {'k': 'a'})


@pytest.mark.parametrize('name', [1, '1'])
def test_conditions_name_columns_as_the_table_or_as_the_metadata(name):
    frame = pd.DataFrame({0: [1.0, 2.0, 3.0, 4.0], 1: list('abab')})
    types = {'0': 'numerical', '1': 'categorical'}
    ours = conditional_scores(frame, frame, types, {name: 'a'}, metrics=['shape'])
    assert (ours['rows_real'], ours['shape_error']) == (2, 0)
