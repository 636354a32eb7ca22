"""Levels of too few rows are gone, and the others are as they were."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.privacy.levels import NothingKeptError, protected_levels
from sdv_tabdar.privacy.threshold import Threshold

FIVE = Threshold(5)


def column(**counts: int) -> pd.Series:
    cells = [level for level, count in counts.items() for _ in range(count)]
    return pd.Series(cells, dtype=object)


def test_rare_levels_become_others_in_their_shares() -> None:
    values = pd.concat([column(a=900, b=100), pd.Series([f'r{n}' for n in range(400)])])
    found = protected_levels(values, FIVE, None)

    assert found[:1000].tolist() == values[:1000].tolist()
    assert set(found) == {'a', 'b'}
    assert (found[1000:] == 'b').mean() == pytest.approx(0.1, abs=0.05)


def test_a_token_stands_for_rare_levels_of_text_only() -> None:
    values = column(a=20, b=3, c=1)
    assert protected_levels(values, FIVE, '*').tolist() == [*'a' * 20, *'****']
    numbers = pd.Series([1] * 20 + [2] * 3)
    assert protected_levels(numbers, FIVE, '*').tolist() == [1] * 23


def test_missing_cells_stay_however_rare() -> None:
    values = pd.Series(['a'] * 20 + [None, 'b'], dtype=object)
    assert protected_levels(values, FIVE, None).tolist() == ['a'] * 20 + [None, 'a']


def test_nothing_left() -> None:
    values = pd.Series([f'r{n}' for n in range(50)])
    with pytest.raises(NothingKeptError, match='no value is shared by 5 rows'):
        protected_levels(values, FIVE, None)
    assert set(protected_levels(values, FIVE, '*')) == {'*'}
    assert protected_levels(pd.Series([None] * 3, dtype=object), FIVE, None).isna().all()


def test_the_threshold_of_a_level_does_not_depend_on_the_rows() -> None:
    values = column(**{f'l{n:02}': 6 for n in range(40)}, often=50)
    shuffled = values.sample(frac=1, random_state=1)
    kept = {*protected_levels(values, FIVE, None)}

    assert kept == {*protected_levels(shuffled, FIVE, None)}
    assert 10 < len(kept) < 40, 'some of the levels of 6 rows are kept, and some are not'


def test_truth_values_and_tuples() -> None:
    truth = pd.Series(np.repeat([True, False], [30, 2]))
    assert protected_levels(truth, FIVE, '*').tolist() == [True] * 32
    pairs = pd.Series([('a', 1)] * 9 + [('a', None)] * 2, dtype=object)
    assert protected_levels(pairs, FIVE, None).tolist() == [('a', 1)] * 11
