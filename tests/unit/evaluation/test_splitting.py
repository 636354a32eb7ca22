"""Rows to train on and rows to hold out."""

from __future__ import annotations

import pandas as pd
import pytest

from sdv_tabdar.evaluation import hold_out

TABLE = pd.DataFrame({'x': range(10), 'k': pd.Categorical(list('ab') * 5)})


def test_parts_are_disjoint_and_complete():
    train, held = hold_out(TABLE, share=0.3, seed=4)
    assert (len(train), len(held)) == (7, 3)
    assert sorted([*train['x'], *held['x']]) == list(range(10))
    assert list(held.index) == [0, 1, 2]
    assert train.dtypes.equals(TABLE.dtypes)


def test_the_seed_decides():
    first, again, other = (hold_out(TABLE, seed=seed)[1]['x'].tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_without_a_seed_it_differs_each_time():
    found = {tuple(hold_out(TABLE, seed=None)[1]['x']) for _ in range(9)}
    assert len(found) > 1
    with pytest.raises(ValueError, match='seed must be a whole number from 0 .* or None for a new'):
        hold_out(TABLE, seed=-1)


@pytest.mark.parametrize(
    ('table', 'share', 'message'),
    [
        (TABLE, 1.0, 'share is 1.0; it must be between 0 and 1'),
        (TABLE[:1], 0.5, 'of 1 rows leaves one part without rows'),
    ],
)
def test_bad_splits_are_refused(table, share, message):
    with pytest.raises(ValueError, match=message):
        hold_out(table, share=share)


def test_a_dictionary_of_one_table_is_split_as_well():
    rows = pd.DataFrame({'a': range(10)})
    for part, other in zip(hold_out({'table': rows}), hold_out(rows), strict=True):
        pd.testing.assert_frame_equal(part, other)
