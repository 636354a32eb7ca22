"""Lower columns that are drawn because an upper one is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.metadata import Metadata

from sdv_tabdar.adapter.asking import ask
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task
from sdv_tabdar.adapter.lower_ends import has_lower_ends, with_lower_ends
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.conditions import Between, OneOf
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY


def fitted(data: pd.DataFrame, constraint: Any) -> FittedTable:
    columns = {name: {'sdtype': 'numerical'} for name in data}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([constraint])
    synthesizer.fit(data)
    return synthesizer._table


@pytest.fixture(scope='module')
def spans() -> FittedTable:
    random = np.random.default_rng(0)
    low = random.integers(0, 500, 80)
    middle = low + random.integers(1, 5, 80)
    data = pd.DataFrame({'low': low, 'middle': middle, 'high': middle + random.integers(1, 5, 80)})
    return fitted(data, Range('low', 'middle', 'high'))


def known(table: FittedTable, cells: dict[str, list[Any]]) -> Known:
    return Known.from_conditions(pd.DataFrame(cells, dtype=object), table)


def lowered(table: FittedTable, cells: dict[str, list[Any]]) -> Known:
    def draw(request: Request, copies: int) -> pd.DataFrame:
        return ask(table.trained[0], request, 1, copies)

    return with_lower_ends(table, known(table, cells), draw, fill=False)


def test_only_columns_below_known_ones_are_drawn(spans: FittedTable) -> None:
    cells = {'low': [None, 300], 'high': [None, None]}
    gaps = Known.from_gaps(pd.DataFrame(cells, dtype='float'), spans, Task.PREDICT)
    assert not has_lower_ends(spans, gaps).any()
    gaps = Known.from_gaps(
        pd.DataFrame({'low': [np.nan, 7], 'middle': [9, np.nan]}), spans, Task.PREDICT
    )
    assert has_lower_ends(spans, gaps).tolist() == [True, False]


@pytest.mark.parametrize(
    ('cells', 'drawn'),
    [
        ({'high': [300]}, ['low', 'middle']),
        ({'middle': [300]}, ['low']),
        ({'low': [296], 'high': [301]}, ['middle']),
        ({'middle': [300], 'high': [303]}, ['low']),
        ({'high': [Between(299, 301)]}, ['low', 'middle']),
        ({'high': [OneOf([300, 302])]}, ['low', 'middle']),
        ({'low': [296], 'high': [Between(300, 301)]}, ['middle']),
    ],
    ids=str,
)
def test_what_is_drawn_lies_where_the_training_differences_allow(
    spans: FittedTable, cells: dict[str, list[Any]], drawn: list[str]
) -> None:
    found = lowered(spans, {name: values * 20 for name, values in cells.items()})

    for name in drawn:
        assert found.exact[name].all()
        assert found.cells[name].between(290, 301).all()
    names = [name for name in ('low', 'middle', 'high') if name in found.exact]
    chain = [name for name in names if found.exact[name].all()]
    assert (found.cells[chain].astype(float).diff(axis=1).iloc[:, 1:] >= 1 - 1e-9).all(axis=None)


def test_a_set_of_values_is_decided(spans: FittedTable) -> None:
    found = lowered(spans, {'high': [OneOf([200, 300])] * 30})

    assert set(found.cells['high']) <= {200, 300}
    assert all(entry is None for entry in found.partial['high'])


def test_conditions_on_the_drawn_column_are_met(spans: FittedTable) -> None:
    cells = {'low': [Between(295, 296)] * 10, 'middle': [298] * 10}
    found = lowered(spans, cells)

    assert found.cells['low'].between(295, 296).all()


def test_what_is_drawn_stays_in_the_training_range(spans: FittedTable) -> None:
    for anchor, name in (('middle', 'low'), ('high', 'middle')):
        top = spans.profiles[anchor].high
        found = lowered(spans, {anchor: [top] * 50})
        drawn = found.cells[name][found.exact[name]]
        assert len(drawn) > 0
        assert drawn.max() <= spans.profiles[name].high


def test_candidates_follow_the_law_of_the_model() -> None:
    """Low is nearly always 0, so that a known high is nearly always the difference."""
    random = np.random.default_rng(0)
    low = np.where(random.random(300) < 0.97, 0, random.integers(1, 90, 300))
    data = pd.DataFrame({'low': low, 'high': low + random.integers(10, 90, 300)})
    table = fitted(data, Inequality('low', 'high'))
    found = lowered(table, {'high': [60] * 100})

    assert (found.cells['low'] == 0).mean() > 0.5


def test_what_is_drawn_in_place_of_given_cells_is_never_refused(spans: FittedTable) -> None:
    """Drawn cells may break the constraint; then they are drawn anew."""
    given = known(spans, {'high': [300] * 2})
    rows = np.array([True, False])
    for name in ('low', 'middle'):
        given = given.with_values(spans, name, [300, None], rows)

    Request.translate(spans, given)

    with pytest.raises(ConstraintNotMetError, match='Range'):
        Request.translate(spans, known(spans, {'low': [300], 'middle': [300], 'high': [300]}))


@pytest.mark.parametrize(
    ('cells', 'drawn'),
    [({'high': [4]}, ['low', 'middle']), ({'low': [3], 'high': [5]}, ['middle'])],
    ids=str,
)
def test_where_columns_must_differ_drawn_ones_leave_room_for_those_above(
    spans: FittedTable, cells: dict[str, list[Any]], drawn: list[str]
) -> None:
    found = lowered(spans, {name: values * 30 for name, values in cells.items()})

    told = found.exact[drawn[-1]]
    assert told.any()
    names = ['low', 'middle', 'high']
    assert (found.cells.loc[told, names].astype(float).diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
