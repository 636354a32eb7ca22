"""A joint law of three categorical columns whose every conditional can be enumerated."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Members, NotMissing, Restriction

SIZE = 1500
COLUMNS = ['a', 'b', 'c']
SINGLE = [
    {'a': 'a0'},
    {'a': 'a1'},
    {'b': 'b0'},
    {'b': 'b1'},
    {'b': 'b2'},
    {'c': 'c0'},
    {'c': 'c1'},
    {'c': None},
]
PAIRS = [
    {'a': 'a0', 'b': 'b1'},
    {'a': 'a1', 'c': None},
    {'b': 'b2', 'c': 'c1'},
    {'b': 'b0', 'c': None},
]
SETS = [
    {'b': Members(('b0', 'b2'))},
    {'c': Members(('c0', None))},
    {'c': NotMissing()},
    {'b': Members(('b1',))},
]
SEVERAL = [
    {'b': Members(('b0', 'b2')), 'c': Members(('c1', None))},
    {'a': Members(('a1',)), 'b': Members(('b0', 'b1')), 'c': NotMissing()},
    {'b': Members(('b1', 'b2')), 'c': NotMissing()},
]


def _shares(rows: pd.DataFrame, joint: pd.Series) -> pd.Series:
    filled = rows[COLUMNS].fillna({'c': 'missing'})
    return filled.value_counts(normalize=True).reindex(joint.index, fill_value=0.0)


def _distance(rows: pd.DataFrame, law: pd.Series) -> float:
    return float((_shares(rows, law) - law).abs().sum() / 2)


def _given(joint: pd.Series, known: dict[str, Any]) -> pd.Series:
    """The exact law of the rows that agree with values and restrictions."""
    allowed = pd.Series(True, index=joint.index)
    for name, entry in known.items():
        values = joint.index.get_level_values(name)
        if isinstance(entry, NotMissing):
            allowed &= values != 'missing'
        else:
            members = entry.values if isinstance(entry, Members) else (entry,)
            allowed &= values.isin(['missing' if value is None else value for value in members])
    law = joint.where(allowed, 0.0)
    return law / law.sum()


def _label(known: dict[str, Any]) -> str:
    return ', '.join(f'{name}={entry}' for name, entry in known.items())


def test_rows_follow_the_joint_law(discrete: TabDAR, joint: pd.Series, bounds: Any) -> None:
    discrete.set_random_state(1)
    rows = discrete.sample(3000)
    assert _distance(rows, joint) < bounds.total_variation(3000, len(joint))


@pytest.mark.parametrize('known', SINGLE + PAIRS, ids=_label)
def test_rows_given_values_follow_the_exact_conditional(
    discrete: TabDAR, joint: pd.Series, known: dict[str, Any], bounds: Any
) -> None:
    discrete.set_random_state(2)
    rows = discrete.complete(pd.DataFrame([known] * SIZE, dtype=object)).rows
    law = _given(joint, known)
    assert _distance(rows, law) < bounds.total_variation(SIZE, int((law > 0).sum()))


@pytest.mark.parametrize('known', SETS + SEVERAL, ids=_label)
def test_rows_given_sets_follow_the_exact_conditional(
    discrete: TabDAR, joint: pd.Series, known: dict[str, Restriction], bounds: Any
) -> None:
    discrete.set_random_state(3)
    wanted = {name: [entry] * SIZE for name, entry in known.items()}
    rows = discrete.complete(pd.DataFrame(index=range(SIZE)), restrictions=wanted).rows
    law = _given(joint, known)
    assert _shares(rows, joint)[law == 0].sum() == 0
    assert _distance(rows, law) < bounds.total_variation(SIZE, int((law > 0).sum()))


def test_sets_and_values_together(discrete: TabDAR, joint: pd.Series, bounds: Any) -> None:
    discrete.set_random_state(4)
    known: dict[str, Any] = {'a': 'a1', 'b': Members(('b0', 'b2')), 'c': Members(('c0', None))}
    wanted = {name: [known[name]] * SIZE for name in ('b', 'c')}
    rows = discrete.complete(pd.DataFrame({'a': ['a1'] * SIZE}), restrictions=wanted).rows
    law = _given(joint, known)
    assert _distance(rows, law) < bounds.total_variation(SIZE, int((law > 0).sum()))


def test_every_row_has_its_own_pattern_of_hidden_cells(
    discrete: TabDAR, joint: pd.Series, bounds: Any
) -> None:
    """Rows of the law, cells hidden at random and filled again, are rows of the law."""
    rng = np.random.default_rng(5)
    size = 3000
    rows = joint.index.to_frame(index=False).iloc[rng.choice(len(joint), size, p=joint)]
    frame = rows.reset_index(drop=True).replace({'c': {'missing': None}})
    observed = rng.random(frame.shape) < 0.5
    discrete.set_random_state(5)
    filled = discrete.complete(frame, observed).rows
    assert _distance(filled, joint) < bounds.total_variation(size, len(joint))


def test_small_chunks_have_the_law_of_large_ones(
    discrete: TabDAR, joint: pd.Series, bounds: Any
) -> None:
    discrete.set_random_state(6)
    rows = pd.concat([discrete.sample(30) for _ in range(50)])
    assert _distance(rows, joint) < bounds.total_variation(len(rows), len(joint))


def test_the_order_of_the_columns_in_the_frame_does_not_matter(
    discrete: TabDAR, joint: pd.Series, bounds: Any
) -> None:
    known = {'a': 'a0', 'b': 'b1'}
    law = _given(joint, known)
    for seed, names in enumerate(itertools.permutations(known)):
        discrete.set_random_state(seed)
        rows = discrete.complete(pd.DataFrame([known] * SIZE)[list(names)]).rows
        assert _distance(rows, law) < bounds.total_variation(SIZE, 3)
