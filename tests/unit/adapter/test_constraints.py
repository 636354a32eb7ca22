"""What known cells say of the columns that a constraint puts in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding
from sdv.metadata import Metadata

from sdv_tabdar.adapter import constraints
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.private_names import ConstraintNotMetError, ConstraintStep
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY

COLUMNS = {
    'low': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'country': {'sdtype': 'categorical'},
    'city': {'sdtype': 'categorical'},
    'fives': {'sdtype': 'numerical'},
    'is_a': {'sdtype': 'numerical'},
    'is_b': {'sdtype': 'numerical'},
    'is_c': {'sdtype': 'numerical'},
}


@pytest.fixture(scope='module')
def table() -> FittedTable:
    random = np.random.default_rng(0)
    low = random.integers(0, 20, 60)
    country = random.integers(0, 2, 60)
    side = random.integers(0, 3, 60)
    data = pd.DataFrame(
        {
            'low': low,
            'high': low + random.integers(1, 9, 60),
            'country': np.array(['fr', 'de'])[country],
            'city': np.array([['Paris', 'Lyon'], ['Bonn', 'Kiel']])[
                country, random.integers(0, 2, 60)
            ],
            'fives': 5 * random.integers(0, 9, 60),
            **{f'is_{name}': (side == i).astype(int) for i, name in enumerate('abc')},
        }
    )
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': COLUMNS}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints(
        [
            Inequality('low', 'high'),
            FixedCombinations(['country', 'city']),
            FixedIncrements('fives', 5),
            OneHotEncoding(['is_a', 'is_b', 'is_c']),
        ]
    )
    synthesizer.fit(data)
    return synthesizer._table


def request(table: FittedTable, cells: Mapping[str, Any]) -> Request:
    frame = pd.DataFrame(cells, dtype=object)
    return Request.translate(table, Known.from_conditions(frame, table))


def test_the_low_column_lives_on(table: FittedTable) -> None:
    asked = request(table, {'low': [3, 5]})

    assert asked.frame['low.fillna'].tolist() == [3, 5]
    assert not asked.loose


def test_the_high_column_alone_is_checked_on_the_rows(table: FittedTable) -> None:
    assert list(request(table, {'high': [9]}).loose) == ['high']


def test_two_columns_are_their_difference(table: FittedTable) -> None:
    asked = request(table, {'low': [3], 'high': [6]})

    assert asked.frame['low#high'].tolist() == pytest.approx([np.log(4)])
    assert not asked.loose


def test_one_member_leaves_some_combinations(table: FittedTable) -> None:
    asked = request(table, {'country': ['fr']})

    (restriction,) = asked.restrictions['country#city']
    assert isinstance(restriction, Members)
    assert len(restriction.values) == 2
    assert not asked.loose


def test_a_constraint_without_an_effect_needs_all_its_columns(table: FittedTable) -> None:
    asked = request(table, {'fives': [10]})

    assert asked.frame['fives#increment'].tolist() == [2]
    assert not asked.loose


def test_sets_leave_some_combinations(table: FittedTable) -> None:
    asked = request(table, {'country': ['fr'], 'city': [OneOf(['Paris', 'Bonn'])]})

    (restriction,) = asked.restrictions['country#city']
    assert isinstance(restriction, Members)
    assert len(restriction.values) == 1


@pytest.mark.parametrize(
    ('asked', 'told'),
    [
        (Between(8, 21), Interval(1.501, 4.499)),
        (Between(8, None), Interval(1.501, None)),
        (OneOf([10, 12, 15]), Members((2.0, 3.0))),
        (NotNull(), NotMissing()),
    ],
    ids=str,
)
def test_ranges_and_sets_are_told_in_increments(
    table: FittedTable, asked: Any, told: object
) -> None:
    assert request(table, {'fives': [asked]}).restrictions['fives#increment'] == [told]


def test_a_one_makes_the_others_zeros(table: FittedTable) -> None:
    asked = request(table, {'is_b': [1, OneOf([1])]})
    assert not request(table, {'is_b': [1]}).loose

    names = [f'OHE#is_{name}' for name in 'abc']
    assert asked.observed[:, [asked.frame.columns.get_loc(name) for name in names]].all()
    for row in (0, 1):
        assert asked.frame[names].iloc[row].astype(float).round().tolist() == [0, 1, 0]


def test_zeros_leave_a_one(table: FittedTable) -> None:
    asked = request(table, {'is_a': [0, 0], 'is_b': [0, 1]})
    assert asked.frame['OHE#is_c'].astype(float).round().tolist() == [1, 0]

    alone = request(table, {'is_a': [0]})
    assert list(alone.loose) == ['is_a']
    assert list(alone.frame) == ['OHE#is_a']


def test_ranges_above_a_known_column_are_ranges_of_the_difference(table: FittedTable) -> None:
    asked = request(table, {'low': [5, 5], 'high': [Between(8, 10), Between(8, None)]})

    closed, half = asked.restrictions['low#high']
    assert isinstance(closed, Interval)
    assert isinstance(half, Interval)
    assert (closed.low, closed.high) == pytest.approx((np.log(3.501), np.log(6.499)))
    assert half.high is None


def test_a_range_of_the_low_column_is_told(table: FittedTable) -> None:
    (told,) = request(table, {'low': [Between(3, 7)]}).restrictions['low.fillna']

    assert told == Interval(2.501, 7.499)


@pytest.mark.parametrize(
    ('cells', 'message'),
    [
        ({'low': [9], 'high': [Between(None, 7)]}, r"'low': 9, 'high': Between\(.*Inequality"),
        ({'fives': [Between(11, 14)]}, "FixedIncrements: 'fives' holds multiples of 5"),
        ({'is_a': [1], 'is_b': [1]}, 'OneHotEncoding: exactly one of'),
        ({'city': [OneOf(['Bonn'])], 'country': ['fr']}, 'FixedCombinations: no row of the train'),
    ],
    ids=str,
)
def test_contradictions_name_conditions_and_constraint(
    table: FittedTable, cells: dict[str, list[Any]], message: str
) -> None:
    with pytest.raises(ConstraintNotMetError, match=message):
        request(table, cells)


def test_a_new_constraint_is_a_function_and_a_line(
    table: FittedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def note(draft: Draft, step: ConstraintStep, whole: constraints.WholeRows) -> None:
        seen.append((step.dropped, whole.rows.tolist(), list(whole.made)))
        draft.mark_told('fives', draft.exact['fives'])

    monkeypatch.setattr(constraints, 'EFFECTS', {**constraints.EFFECTS, 'FixedIncrements': note})
    request(table, {'fives': [10, 15]})
    assert seen == [(('fives',), [True, True], ['fives#increment'])]
