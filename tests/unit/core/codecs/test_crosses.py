"""Crosses: found where columns explain others only together, and nowhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.crosses import find_crosses
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind, Cross


def _found(frame: pd.DataFrame, most: int = 4) -> list[list[str]]:
    """The names of the members of each cross."""
    kinds = {
        name: ColumnKind.NUMERICAL if frame[name].dtype == float else ColumnKind.CATEGORICAL
        for name in frame
    }
    encoder = TableEncoder.fit(frame, kinds, ModelConfig())
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    crosses = find_crosses(table, encoder.schema, most)
    return [[frame.columns[member] for member in cross.members] for cross in crosses]


@pytest.fixture
def calendar() -> pd.DataFrame:
    """Three parts of a day fix its weather, which has nothing to do with each of them."""
    random = np.random.default_rng(0)
    size = 6000
    parts = random.integers(0, (5, 8, 10), (size, 3))
    weather = random.normal(size=(5, 8, 10))[tuple(parts.T)]
    frame = pd.DataFrame(parts, columns=['year', 'month', 'day']).astype(str)
    frame['warm'] = weather + 0.1 * random.normal(size=size)
    frame['noise'] = random.normal(size=size)
    return frame


def test_parts_of_a_day_are_found_together(calendar: pd.DataFrame) -> None:
    assert _found(calendar)[0] == ['year', 'month', 'day']


def test_members_overlap_in_one_column_at_most(calendar: pd.DataFrame) -> None:
    found = _found(calendar)
    assert all(
        len({*one} & {*other}) < 2 for place, one in enumerate(found) for other in found[:place]
    )


def test_numbers_are_crossed_by_their_ranks() -> None:
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 5000))
    frame = pd.DataFrame(
        {'x': x, 'y': y, 'product': np.sign(x * y) + 0.1 * random.normal(size=5000)}
    )
    assert len(_found(frame)[0]) == 2


def test_nothing_is_found_where_effects_add_up_or_nothing_depends() -> None:
    random = np.random.default_rng(2)
    a, b = random.integers(0, 6, (2, 4000))
    frame = pd.DataFrame({'a': a.astype(str), 'b': b.astype(str)})
    frame['sum'] = a + b + 0.3 * random.normal(size=4000)
    frame['other'] = random.normal(size=4000)
    assert not _found(frame[['a', 'b', 'other']])
    assert ['a', 'b'] not in _found(frame)


def test_rows_are_not_learnt_by_heart() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            'first': random.integers(0, 60, 3000).astype(str),
            'second': random.integers(0, 60, 3000).astype(str),
            'value': random.normal(size=3000),
        }
    )
    assert not _found(frame)


def test_none_in_small_tables_or_if_none_are_wanted(calendar: pd.DataFrame) -> None:
    assert not _found(calendar.head(500))
    assert not _found(calendar, most=0)
    assert len(_found(calendar, most=1)) == 1


def test_constant_columns_do_no_harm(calendar: pd.DataFrame) -> None:
    calendar['constant'], calendar['empty'] = 'x', None
    assert _found(calendar)[0] == ['year', 'month', 'day']


def test_levels_are_the_combinations_of_the_table() -> None:
    cross = Cross((0, 2), ((0, 1), (0, 1, 2)), (0, 4))
    assert Cross.from_state(cross.to_state()) == cross


def test_an_encoder_keeps_its_crosses(calendar: pd.DataFrame) -> None:
    kinds = dict.fromkeys(calendar[['year', 'month', 'day']], ColumnKind.CATEGORICAL)
    encoder = TableEncoder.fit(calendar[list(kinds)], kinds, ModelConfig())
    crossed = encoder.with_relations([Cross((0, 1), ((0,) * 5, (0,) * 8), (0,))])
    assert TableEncoder.from_state(crossed.to_state()).schema == crossed.schema
    assert crossed.schema.leading == (0, 1)
