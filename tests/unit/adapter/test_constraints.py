"""What known cells say of the columns that a constraint puts in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, FixedIncrements, Inequality
from sdv.metadata import Metadata

from sdv_tabdar.adapter import constraints
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.private_names import ConstraintStep
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.core.restrictions import Members
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY

COLUMNS = {
    'low': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'country': {'sdtype': 'categorical'},
    'city': {'sdtype': 'categorical'},
    'fives': {'sdtype': 'numerical'},
}


@pytest.fixture(scope='module')
def table() -> FittedTable:
    random = np.random.default_rng(0)
    low = random.integers(0, 20, 60)
    country = random.integers(0, 2, 60)
    data = pd.DataFrame(
        {
            'low': low,
            'high': low + random.integers(1, 9, 60),
            'country': np.array(['fr', 'de'])[country],
            'city': np.array([['Paris', 'Lyon'], ['Bonn', 'Kiel']])[
                country, random.integers(0, 2, 60)
            ],
            'fives': 5 * random.integers(0, 9, 60),
        }
    )
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': COLUMNS}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints(
        [
            Inequality('low', 'high'),
            FixedCombinations(['country', 'city']),
            FixedIncrements('fives', 5),
        ]
    )
    synthesizer.fit(data)
    return synthesizer._table


def request(table: FittedTable, cells: Mapping[str, Any]) -> Request:
    return Request.translate(table, Known.from_conditions(pd.DataFrame(cells), table))


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
