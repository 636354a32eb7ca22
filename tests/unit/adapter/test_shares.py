"""Shares of levels become conditions of single rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.adapter.shares import rounded_counts
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.synthesizer import TabDARSynthesizer

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')


@pytest.mark.parametrize(
    ('parts', 'total', 'counts'),
    [
        ([0.5, 0.5], 7, [4, 3]),
        ([1 / 3, 1 / 3, 1 / 3], 100, [34, 33, 33]),
        ([0.29, 0.71], 100, [29, 71]),
        ([0.005, 0.995], 10, [0, 10]),
        ([1.0, 0.0], 3, [3, 0]),
        ([0.2, 0.8], 0, [0, 0]),
    ],
)
def test_largest_remainder(parts: list[float], total: int, counts: list[int]) -> None:
    assert rounded_counts(parts, total).tolist() == counts


def test_shares_hold_exactly_and_other_levels_share_the_rest(
    synthesizer: TabDARSynthesizer,
) -> None:
    rows = synthesizer.sample(101, shares={'level': {'a': 0.5, None: 0.1}}, seed=0)

    assert (rows['level'] == 'a').sum() == 51
    assert rows['level'].isna().sum() == 10
    assert set(rows['level'].dropna()) == {'a', 'b', 'c'}
    assert rows['key'].is_unique
    assert rows.index.equals(pd.RangeIndex(101))
    assert rows['level'].head(51).nunique() > 1  # in random order
    pd.testing.assert_frame_equal(
        rows, synthesizer.sample(101, shares={'level': {'a': 0.5, None: 0.1}}, seed=0)
    )


def test_shares_of_sets_and_ranges(synthesizer: TabDARSynthesizer) -> None:
    shares = {
        'whole': {Between(0, 9): 0.3, Between(10, 39): 0.7},
        'level': {OneOf(['a', 'b']): 0.6},
        'number': {None: 0.25, NotNull(): 0.75},
    }
    rows = synthesizer.sample(40, shares=shares)

    assert rows['whole'].between(0, 9).sum() == 12
    assert rows['level'].isin(['a', 'b']).sum() == 24
    assert rows['number'].isna().sum() == 10


def test_shares_hold_over_all_batches_of_a_file(
    synthesizer: TabDARSynthesizer, tmp_path: Path
) -> None:
    synthesizer.sample(
        30,
        batch_size=7,
        output_folder_path=str(tmp_path),
        return_rows=False,
        shares={'level': {'c': 0.9, 'b': 0.1}},
    )
    assert Counter(pd.read_csv(tmp_path / 'table.csv')['level']) == {'c': 27, 'b': 3}


@pytest.mark.parametrize(
    ('shares', 'message'),
    [
        ({}, "'shares' must name columns"),
        ({'colour': {'red': 0.5}}, "a column 'colour' that the training table had not"),
        ({'key': {1: 0.5}}, "'key', whose values are generated"),
        ({'level': {'z': 0.5}}, "'level' speak of what training had not: 'z'. Allowed: 'a'|'b'"),
        ({'level': {'a': -0.1}}, "must lie from 0 to 1, however: -0.1 for 'a'"),
        ({'level': {'a': float('nan')}}, 'must lie from 0 to 1'),
        ({'level': {'a': True}}, 'must lie from 0 to 1'),
        ({'level': {'a': 0.7, 'b': 0.6}}, 'must not add up to more than 1, however: 1.3'),
        ({'level': {'a': 0.5, OneOf(['a', 'b']): 0.2}}, 'speak twice of OneOf'),
        ({'level': {'a': 0.1, 'b': 0.1, 'c': 0.1, None: 0.1}}, 'name every level'),
        ({'level': 0.5}, 'must be a dictionary of levels and shares'),
        ({'whole': {Between(0, 9): 0.3}}, 'must add up to 1, because "anything else"'),
        ({'whole': {Between(0, 9): 0.3, Between(9, 39): 0.7}}, 'must not overlap'),
        ({'whole': {5: 0.5, Between(0, 9): 0.5}}, 'must not overlap'),
        ({'whole': {None: 1}}, 'missing cells, and training had none'),
        ({'whole': {OneOf([500]): 1}}, 'outside the range of the training data'),
    ],
    ids=str,
)
def test_shares_that_cannot_be_are_refused(
    synthesizer: TabDARSynthesizer, shares: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        synthesizer.sample(10, shares=shares)


def test_how_many_rows_must_be_said(synthesizer: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match="'num_rows' must be a whole number"):
        synthesizer.sample(None, shares={'level': {'a': 0.5}})  # type: ignore[arg-type]
    assert len(synthesizer.sample(0, shares={'level': {'a': 0.5}})) == 0
