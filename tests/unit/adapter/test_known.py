"""Known cells: of conditions, and of a table with gaps."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.new_keys import refuse_repeated_keys, with_taken_keys
from sdv_tabdar.conditions import Between, NotNull
from sdv_tabdar.core.restrictions import NotMissing


def test_of_conditions(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'whole': [3, Between(3, 5)], 'number': [NotNull(), None]}, dtype=object)
    known = Known.from_conditions(asked, fitted)

    assert known.exact.to_numpy().tolist() == [[True, False], [False, True]]
    assert known.cells['whole'].iloc[0] == 3
    assert known.partial['number'] == [NotMissing(), None]
    assert set(known.partial) == {'whole', 'number'}


def test_of_a_table_with_gaps(fitted: FittedTable) -> None:
    data = pd.DataFrame({'number': [1000.0, np.nan], 'level': ['a', None]}, index=['r', 's'])
    known = Known.from_gaps(data, fitted, Task.IMPUTE)

    assert known.exact.to_numpy().tolist() == [[True, True], [False, False]]
    assert not known.partial
    as_values = Known.from_gaps(data, fitted, Task.LIKELIHOOD, missing_is_known=True)
    assert as_values.exact.to_numpy().all()


def test_what_training_has_not_seen_is_known_and_marked(fitted: FittedTable) -> None:
    data = pd.DataFrame({'level': ['z', 'a', 'y'], 'whole': [1, 2, 99]})
    known = Known.from_gaps(data, fitted, Task.IMPUTE)

    assert known.exact.to_numpy().all()
    assert known.cells['level'].tolist() == ['z', 'a', 'y']
    assert {key: beyond.rows.tolist() for key, beyond in known.beyond.items()} == {
        'whole': [False, False, True],
        'level': [True, False, True],
    }
    assert known.beyond['level'].example == 'z'
    assert known.unseen.tolist() == [True, False, True]
    assert known.rows(np.array([1, 0])).unseen.tolist() == [False, True]


def test_a_missing_value_is_marked_where_training_had_none(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'whole': [None, 2], 'number': [None, 0.5]}, dtype=object)

    assert list(Known.from_conditions(asked, fitted).beyond) == ['whole']
    assert not Known.from_gaps(asked, fitted, Task.IMPUTE).exact.to_numpy()[0].any()


def test_it_is_said_once_for_each_column(fitted: FittedTable) -> None:
    table = dataclasses.replace(fitted, said=set())
    first = Known.from_gaps(pd.DataFrame({'level': ['z', 'a', 'y']}), table, Task.IMPUTE)
    second = Known.from_conditions(pd.DataFrame({'level': ['x'], 'whole': [99]}), table)

    with pytest.warns(UserWarning, match=r"2 in column 'level' \(such as 'z'\)\. They are kept"):
        warn_of_unseen(table, [first], Task.IMPUTE)
    with pytest.warns(UserWarning, match=r"not: 1 in column 'whole' \(such as 99, training had 0"):
        warn_of_unseen(table, [second], Task.SAMPLE)
    warn_of_unseen(table, [first, second], Task.IMPUTE)


def test_likelihoods_say_what_becomes_of_them(fitted: FittedTable) -> None:
    known = Known.from_gaps(pd.DataFrame({'level': ['z']}), fitted, Task.LIKELIHOOD)
    with pytest.warns(UserWarning, match='The likelihood of their rows is 0'):
        warn_of_unseen(dataclasses.replace(fitted, said=set()), [known], Task.LIKELIHOOD)


@pytest.mark.parametrize('task', [Task.IMPUTE, Task.PREDICT, Task.LIKELIHOOD])
def test_refusals_speak_of_the_task(fitted: FittedTable, task: Task) -> None:
    with pytest.raises(ValueError, match=f"^{task.value}: column 'number' cannot be 'many'"):
        Known.from_gaps(pd.DataFrame({'number': ['many']}), fitted, task)


def test_some_rows(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'whole': [1, 2, Between(3, 5)]}, dtype=object)
    some = Known.from_conditions(asked, fitted).rows(np.array([2, 0, 0]))

    assert some.exact['whole'].tolist() == [False, True, True]
    assert some.cells['whole'].tolist()[1:] == [1, 1]
    assert [entry is None for entry in some.partial['whole']] == [False, True, True]


def test_a_key_is_asked_for_once(fitted: FittedTable) -> None:
    known = Known.from_conditions(pd.DataFrame({'key': [5, 5]}), fitted)
    with pytest.raises(ValueError, match="'key' is a key, and 5 is asked for in more than one"):
        refuse_repeated_keys(fitted, [known])


def test_a_key_that_is_missing_is_not_known(fitted: FittedTable) -> None:
    known = Known.from_conditions(pd.DataFrame({'key': [5, None]}), fitted)
    assert known.exact['key'].tolist() == [True, False]
    assert with_taken_keys(fitted, [known])[0].taken == {'key': {5}}


def test_foreign_columns_are_refused(fitted: FittedTable) -> None:
    with pytest.raises(ValueError, match=r"\['other'\] were not in the training table"):
        Known.from_gaps(pd.DataFrame({'other': [1]}), fitted, Task.IMPUTE)
