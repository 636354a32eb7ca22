"""What the model is asked because of what is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.restrictions import Members, NotMissing

NUMBER = st.one_of(
    st.sampled_from([0.0, 0.5, -0.25, None]),
    st.sampled_from([Between(-0.5, 0.5), NotNull(), OneOf([0.5, None])]),
)
LEVEL = st.sampled_from(['a', 'b', None, OneOf(['a', 'c']), NotNull()])
DAY = st.sampled_from(['05.02.2020', '01.06.2020', Between('01.02.2020', '01.07.2020'), NotNull()])
PARTIAL = (Between, OneOf, NotNull)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=st.lists(st.tuples(NUMBER, LEVEL, DAY), min_size=1, max_size=6), fill=st.booleans())
def test_every_cell_reaches_the_model(
    fitted: FittedTable, rows: list[tuple[object, object, object]], fill: bool
) -> None:
    cells = np.empty((len(rows), 3), dtype=object)
    for place, row in enumerate(rows):
        cells[place] = row
    asked = pd.DataFrame(cells, columns=['number', 'level', 'day'])
    request = Request.translate(fitted, Known.from_conditions(asked, fitted), fill=fill)

    assert not request.loose
    for place, name in enumerate(asked):
        is_partial = [isinstance(value, PARTIAL) for value in asked[name]]
        if name in request.frame:
            seen = request.observed[:, request.frame.columns.get_loc(name)]
            assert seen.tolist() == [not partial for partial in is_partial]
            for row in np.flatnonzero(seen):
                given, told = cells[row, place], request.frame[name].iloc[row]
                if given is None:
                    assert pd.isna(told)
                elif name == 'day':
                    assert told == pd.to_datetime(given, format='%d.%m.%Y').value
                else:
                    assert told == given
        entries = request.restrictions.get(name, [None] * len(rows))
        assert [entry is not None for entry in entries] == is_partial


def test_gaps_to_be_filled_may_not_stay_missing(fitted: FittedTable) -> None:
    known = Known.from_gaps(pd.DataFrame({'number': [np.nan, 0.5]}), fitted, Task.IMPUTE)

    request = Request.translate(fitted, known, fill=True)
    assert request.restrictions['number'] == [NotMissing(), None]
    assert request.restrictions['level'] == [NotMissing(), NotMissing()]
    assert 'whole' not in request.restrictions  # training saw none missing


def test_rows_are_repeated_with_all_that_is_asked(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'level': [OneOf(['a']), 'b']}, dtype=object)
    request = Request.translate(fitted, Known.from_conditions(asked, fitted)).repeated(2)

    assert request.restrictions['level'] == [Members(('a',)), Members(('a',)), None, None]
    assert request.observed.ravel().tolist() == [False, False, True, True]
    assert request.frame['level'].tolist()[2:] == ['b', 'b']


def test_the_model_is_shown_what_comes_nearest(fitted: FittedTable) -> None:
    asked = pd.DataFrame({'whole': [10**6, None, 5], 'level': ['z', 'a', None]}, dtype=object)
    request = Request.translate(fitted, Known.from_conditions(asked, fitted))

    high = fitted.profiles['whole'].high
    whole, level = (list(request.frame.columns).index(name) for name in asked)
    assert request.frame['whole'].iloc[[0, 2]].tolist() == [high, 5]
    assert request.observed[:, whole].tolist() == [True, False, True]
    assert request.observed[:, level].tolist() == [False, True, True]
    assert not request.loose
