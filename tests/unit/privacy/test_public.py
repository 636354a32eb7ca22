"""Values that are public: what is refused, and what of them is told without a price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_tabdar.privacy.public import check_public_values, public_ends, public_levels
from sdv_tabdar.privacy.surrogate import surrogate_table

COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'email'},
    'code': {'sdtype': 'id'},
    'number': {'sdtype': 'id', 'regex_format': '[0-9]{5}'},
    'age': {'sdtype': 'numerical'},
    'since': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
    'kind': {'sdtype': 'categorical'},
}


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ([('age', 3)], 'Please provide a dictionary'),
        ({'agee': (0, 1)}, "'agee', which is no column. Did you mean 'age'"),
        ({'key': ['a']}, 'made anew'),
        ({'code': ['a']}, 'made anew'),
        ({'number': ['12345']}, 'made anew'),
        ({'age': 3}, "'age', a column of numbers. Please provide two"),
        ({'age': (0, None)}, 'column of numbers'),
        ({'age': (0, float('inf'))}, 'column of numbers'),
        ({'age': (False, True)}, 'column of numbers'),
        ({'age': '01'}, 'column of numbers'),
        ({'age': (7, 7)}, 'the least value must be below'),
        ({'since': (0, 1)}, 'a column of dates'),
        ({'since': ('32.01.2020', '01.01.2021')}, 'a column of dates'),
        ({'kind': 'ab'}, 'a list of all levels'),
        ({'kind': []}, 'a list of all levels'),
        ({'kind': [None]}, 'a list of all levels'),
        ({'kind': ['a', 'a']}, 'each of them once'),
        ({'kind': [['a']]}, 'a list of all levels'),
    ],
)
def test_what_is_no_public_value_is_refused(values: Any, words: str) -> None:
    with pytest.raises(SynthesizerInputError, match=words):
        check_public_values(values, COLUMNS, ['code'], has_budget=True)


def test_without_a_budget_there_is_nothing_to_save() -> None:
    check_public_values(None, COLUMNS, ['code'], has_budget=False)
    with pytest.raises(SynthesizerInputError, match="beside 'epsilon'"):
        check_public_values({'age': (0, 120)}, COLUMNS, ['code'], has_budget=False)


def test_ends_and_levels_as_they_are_read() -> None:
    assert public_ends('age', (np.int64(0), 120), COLUMNS['age']) == (0.0, 120.0)
    low, high = public_ends('since', ('31.12.2019', '01.01.2020'), COLUMNS['since'])
    assert high - low == 86_400e9
    iso = {'sdtype': 'datetime'}
    stamp = pd.Timestamp('2020-01-01', tz='UTC')
    assert public_ends('since', ('2019-12-31', stamp), iso, 'Europe/Rome')[1] == stamp.value
    assert public_levels('kind', ['a', None, (1, 2)]) == ['a', (1, 2)]


def _asked(frame: pd.DataFrame, public: dict[str, Any], delta: float = 1e-6) -> Any:
    described = {name: COLUMNS[name] for name in frame}
    generator = np.random.default_rng(0)
    return surrogate_table(frame, described, [], 1.0, delta, generator, public=public)


def test_a_rare_level_is_told_where_it_is_public_and_unlisted_ones_are_not() -> None:
    # a level needs more than 8 standard deviations of the noise to be told, a public one 1
    noise = _asked(pd.DataFrame({'kind': ['a']}), {}, 1e-15).spent.counts[1].noise
    rare = round(4.6 * noise)
    frame = pd.DataFrame({'kind': ['a'] * 5_000 + ['b'] * rare + ['c'] * 50})
    assert set(_asked(frame, {}, 1e-15).frame['kind']) == {'a'}
    found = _asked(frame, {'kind': ['a', 'b']}, 1e-15).frame['kind']
    assert set(found) == {'a', 'b'}


def test_public_levels_of_a_categorical_dtype_and_of_numbers() -> None:
    kinds = pd.Categorical(['a'] * 3_000 + ['b'] * 2_000, categories=['b', 'a', 'z'])
    found = _asked(pd.DataFrame({'kind': kinds}), {'kind': ['a', 'b', 'new']}).frame['kind']
    assert {'a', 'b'} <= set(found) <= {'a', 'b', 'new'}
    codes = pd.DataFrame({'kind': np.repeat([1, 2], [3_000, 2_000])})
    assert set(_asked(codes, {'kind': [1, 2]}).frame['kind']) == {1, 2}
    with pytest.raises(InvalidDataError, match='none of its values'):
        _asked(codes, {'kind': ['1', '2']})


def test_numbers_stay_between_public_ends_and_those_beyond_count_as_them() -> None:
    ages = np.random.default_rng(0).integers(0, 90, 5_000)
    ages[:200] = 1_000
    frame = pd.DataFrame({'age': ages})
    for _ in range(20):
        found = _asked(frame, {'age': (0, 120)})
        assert found.frame['age'].between(0, 120).all()
    assert (found.frame['age'] >= 115).mean() == pytest.approx(0.04, abs=0.02)
    read = found.in_model_form(frame, ['age'])
    assert read['age'].max() == 120


def test_known_levels_leave_the_chance_of_a_rare_one_to_other_columns() -> None:
    frame = pd.DataFrame({'kind': ['a', 'b'] * 500, 'age': np.arange(1_000) % 60})
    assert _asked(frame, {'kind': ['a', 'b']}).spent.chance == pytest.approx(
        _asked(frame, {}).spent.chance
    )
    alone = frame[['kind']]
    assert _asked(alone, {'kind': ['a', 'b']}).spent.chance == 0
