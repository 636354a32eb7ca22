"""A level that takes the place of a rare one agrees with what follows from it in the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.privacy.levels import protected_levels
from sdv_tabdar.privacy.stand_ins import Beside
from sdv_tabdar.privacy.threshold import Threshold

FIVE = Threshold(5)
N = 3_000


def places(seed: int = 0) -> pd.DataFrame:
    """Villages of few rows and towns of many, in states, in lands; heights follow as well."""
    random = np.random.default_rng(seed)
    state = random.integers(0, 6, N)
    town = random.random(N) < 0.4
    number = np.where(town, random.integers(0, 3, N), 10 + random.integers(0, 400, N))
    return pd.DataFrame(
        {
            'city': [f'c{own}-{other}' for own, other in zip(state, number, strict=True)],
            'state': [f's{own}' for own in state],
            'land': [f'l{own // 2}' for own in state],
            'height': state * 1.5,
            'other': random.choice(['x', 'y'], N),
        }
    )


def beside(values: pd.Series, replaced: np.ndarray | None = None) -> Beside:
    marks = np.zeros(len(values), dtype=bool) if replaced is None else replaced
    return Beside(pd.factorize(values)[0], marks)


def state_of(cities: pd.Series) -> pd.Series:
    return cities.str[1:].str.split('-').str[0].radd('s')


def test_they_agree_with_all_that_follows() -> None:
    table = places()
    others = [beside(table[name]) for name in ('other', 'land', 'height', 'state')]
    found = protected_levels(table['city'], FIVE, None, others)
    assert (found != table['city']).mean() > 0.5
    assert set(found) <= {f'c{state}-{town}' for state in range(6) for town in range(3)}
    assert (state_of(found) == table['state']).all()


def test_alone_they_do_not() -> None:
    table = places()
    found = protected_levels(table['city'], FIVE, None, [beside(table['other'])])
    assert (state_of(found) != table['state']).mean() > 0.3
    same = protected_levels(table['city'], FIVE, None)
    assert found.equals(same)


def test_what_was_replaced_there_need_not_agree_before_but_does_afterwards() -> None:
    table = places()
    was = np.arange(N) % 10 == 0
    state = table['state'].mask(was, 's3')
    found = protected_levels(table['city'], FIVE, None, [beside(state, was)])
    changed = found != table['city']
    assert (state_of(found) == state)[changed].all()


def test_where_no_level_agrees_with_all_one_agrees_with_some() -> None:
    table = places()
    only_villages = (table['state'] == 's1') & table['city'].str.contains('-[0-2]$')
    table = table[~only_villages].reset_index(drop=True)
    others = [beside(table['state']), beside(table['land'])]
    found = protected_levels(table['city'], FIVE, None, others)
    lost = table['state'] == 's1'
    assert (state_of(found) == table['state'])[~lost].all()
    assert set(state_of(found)[lost]) == {'s0'}  # the other state of its land


@pytest.mark.parametrize('share', [0.2, 0.5])
def test_they_are_drawn_in_their_shares(share: float) -> None:
    random = np.random.default_rng(1)
    first = np.where(random.random(N) < share, 'a', 'b')
    cells = np.where(np.arange(N) % 2 == 0, first, [f'r{number}' for number in range(N)])
    side = np.where(np.isin(cells, ['a', 'b']) | (np.arange(N) % 3 == 0), 'u', 'v')
    found = protected_levels(pd.Series(cells), FIVE, None, [beside(pd.Series(side))])
    assert (found[1::2] == 'a').mean() == pytest.approx(share, abs=0.05)
