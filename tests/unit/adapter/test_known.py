"""Known cells: of conditions, and of a table with gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
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
    known = Known.from_gaps(data, fitted)

    assert known.exact.to_numpy().tolist() == [[True, True], [False, False]]
    assert not known.partial
    assert not known.unseen.any()
    as_values = Known.from_gaps(data, fitted, missing_is_known=True)
    assert as_values.exact.to_numpy().all()


def test_unseen_levels_count_as_hidden(fitted: FittedTable) -> None:
    with pytest.warns(UserWarning, match=r"'level' has values .* \['z'\]"):
        known = Known.from_gaps(pd.DataFrame({'level': ['z', 'a']}), fitted)

    assert known.unseen.tolist() == [True, False]
    assert known.exact['level'].tolist() == [False, True]


def test_some_rows(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'whole': [1, 2, Between(3, 5)]}, dtype=object)
    some = Known.from_conditions(asked, fitted).rows(np.array([2, 0, 0]))

    assert some.exact['whole'].tolist() == [False, True, True]
    assert some.cells['whole'].tolist()[1:] == [1, 1]
    assert [entry is None for entry in some.partial['whole']] == [False, True, True]


def test_a_key_is_asked_for_once(fitted: FittedTable) -> None:
    with pytest.raises(ValueError, match="'key' is a key, and 5 is asked for in more than one"):
        Known.from_conditions(pd.DataFrame({'key': [5, 5]}), fitted)


def test_foreign_columns_are_refused(fitted: FittedTable) -> None:
    with pytest.raises(ValueError, match=r"\['other'\] were not in the training table"):
        Known.from_gaps(pd.DataFrame({'other': [1]}), fitted)
