"""Texts that are put together from other columns: which they are, and how they are read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.compositions import Composition, composed, find_compositions

N = 200


def people(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """Names, and a number, with what is made of them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({'first': random.choice(['Ann', 'Bob', 'Cleo', 'Di'], num_rows)})
    frame['last'] = random.choice(['Ohm', 'Volta', 'Ampere', 'Watt', 'Henry'], num_rows)
    frame['number'] = random.integers(1, 999, num_rows)
    frame['name'] = frame['first'] + ' ' + frame['last']
    small = frame['last'].str.lower()
    frame['mail'] = frame['first'].str[0].str.lower() + '.' + small + '@x.org'
    frame['code'] = 'P-' + frame['number'].astype(str) + '-' + frame['last'].str.upper()
    texts = frame.columns.difference(['number'])
    return frame.astype(dict.fromkeys(texts, object))


def found_in(frame: pd.DataFrame) -> dict[str, Composition]:
    return {one.key: one for one in find_compositions(frame, list(frame))}


def test_formats_are_found() -> None:
    found = found_in(people())
    assert found.keys() == {'name', 'mail', 'code'}
    assert found['name'].written() == "'first' + ' ' + 'last'"
    assert found['mail'].parts == ['first', 'last']
    assert found['code'].parts == ['number', 'last']
    assert all(one.is_whole for one in found.values())
    assert all(Composition.from_state(one.to_state()) == one for one in found.values())


def test_one_row_that_is_otherwise_takes_it_away_and_few_rows_show_none() -> None:
    frame = people()
    frame.loc[N - 1, 'name'] = 'Eve'
    assert 'name' not in found_in(frame)
    assert not found_in(people(num_rows=19))
    assert found_in(people(num_rows=30)).keys() == found_in(people()).keys()


def test_the_same_texts_and_other_texts_are_none() -> None:
    frame = people()[['first', 'last']]
    frame['again'] = frame['first']
    frame['other'] = people(1)['name']
    assert found_in(frame) == {}


@pytest.mark.parametrize('is_whole', [True, False])
def test_missing_texts(is_whole: bool) -> None:
    frame = people()
    frame.loc[::5, 'last'] = None
    rows = slice(None, None, 5) if is_whole else slice(None, None, 1)
    frame.loc[rows, 'name'] = None if is_whole else frame['name'].where(frame['last'].notna())
    if not is_whole:
        frame.loc[1::10, 'name'] = None
    one = found_in(frame)['name']
    assert one.is_whole == is_whole
    rows = composed([one], frame.assign(first='Zoe'), {})
    assert rows['name'].isna().equals(frame['name'].isna())
    assert rows['name'].dropna().str.startswith('Zoe ').all()


def test_texts_that_are_known_stay() -> None:
    frame, stays = people().assign(first='Zoe'), np.arange(N) < 3
    rows = composed([*found_in(people()).values()], frame, {'name': stays})
    assert (rows['name'] == people()['name']).tolist() == stays.tolist()
    assert rows['mail'].str.startswith('z.').all()


def test_texts_are_read_where_there_is_one_way() -> None:
    found = found_in(people())
    levels = {'first': ['Ann', 'Bob'], 'last': ['Ohm', 'Van Ohm'], 'number': [7]}
    assert found['name'].read('Bob Van Ohm', levels) == {'first': 'Bob', 'last': 'Van Ohm'}
    assert found['name'].read('Bob Van Ohm', {}) is None
    assert found['name'].read('Bob Ohm', {}) == {'first': 'Bob', 'last': 'Ohm'}
    assert found['mail'].read('a.ohm@x.org', levels) == {'first': 'Ann', 'last': 'Ohm'}
    assert found['mail'].read('a.ohm@x.org', levels | {'first': ['Ann', 'Al']}) is None
    assert found['code'].read('P-7-OHM', levels) == {'number': 7, 'last': 'Ohm'}
    assert found['name'].read('nobody', levels) is None
