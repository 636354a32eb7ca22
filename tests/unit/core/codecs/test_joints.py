"""What follows from two columns together is found, and what looks like it by chance is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.dependencies import find_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.joints import find_joints, kept_joints
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind, Joint


def _encoder(frame: pd.DataFrame) -> TableEncoder:
    kinds = dict.fromkeys(frame.columns, ColumnKind.CATEGORICAL)
    return TableEncoder.fit(frame, kinds, ModelConfig(), None)


def _found(frame: pd.DataFrame, replaced: np.ndarray | None = None) -> tuple[Joint, ...]:
    encoder = _encoder(frame)
    table = encoder.encode_all(frame)
    known = find_dependencies(table, encoder.codecs, replaced)
    return find_joints(table, encoder.codecs, known, replaced)


def _table(rows: int = 2_000, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 6, rows), random.integers(0, 5, rows)
    frame = pd.DataFrame({'a': a, 'b': b, 'c': (a * b + a) % 4, 'd': random.integers(0, 3, rows)})
    return frame.astype(str)


def test_what_follows_from_two_columns_is_found() -> None:
    (found,) = _found(_table())
    assert found.columns == (0, 1, 2)
    assert found.num_second == 5
    assert len(found.codes) == 30
    assert min(found.codes) >= 0


def test_one_row_that_says_otherwise_ends_it() -> None:
    table = _table()
    table.loc[7, 'c'] = '3' if table.loc[7, 'c'] != '3' else '0'
    assert _found(table) == ()


def test_what_follows_from_one_column_is_not_said_of_two() -> None:
    table = _table()
    table['c'] = table['a'].map(lambda level: str(int(level) % 3))
    assert _found(table) == ()


@pytest.mark.parametrize('rows', [60, 300, 2_000])
def test_independent_columns_do_not_follow_from_each_other(rows: int) -> None:
    random = np.random.default_rng(rows)
    levels = {f'c{number}': random.integers(0, 2 + number % 3, rows) for number in range(12)}
    assert _found(pd.DataFrame(levels).astype(str)) == ()


def test_what_nearly_follows_from_one_column_does_not_follow_from_it_and_another() -> None:
    """Few rows of each pair: that they agree is what the first column says, but for some."""
    random = np.random.default_rng(4)
    for seed in range(5):
        a, b = random.integers(0, 8, 400), random.integers(0, 14, 400)
        c = np.where(random.random(400) < 0.985, a % 3, random.integers(0, 3, 400))
        table = pd.DataFrame({'a': a, 'b': b, 'c': c}).astype(str)
        pairs = table.groupby(['a', 'b'])['c'].nunique()
        table = table[table.set_index(['a', 'b']).index.isin(pairs[pairs == 1].index)]
        assert _found(table.reset_index(drop=True)) == (), seed


def test_cells_that_were_replaced_say_nothing() -> None:
    table = _table()
    replaced = np.zeros(table.shape, dtype=bool)
    changed = np.random.default_rng(5).random(len(table)) < 0.01
    table.loc[changed, 'c'] = '3'
    replaced[changed, 2] = True
    assert all(entry.columns == (0, 1, 2) for entry in _found(table, replaced))
    assert _found(table) == ()


def test_more_rows_keep_it_or_end_it() -> None:
    first, second = _table(), _table(900, 1)
    second.loc[:50, 'a'] = '9'
    second['c'] = ((second['a'].astype(int) * (second['b'].astype(int) + 1)) % 4).astype(str)
    before = _encoder(first)
    joints = find_joints(before.encode_all(first), before.codecs)
    after = before.grown(second, dict.fromkeys(first, ColumnKind.CATEGORICAL), ModelConfig(), None)
    former = after.codes_in(before)
    (kept,) = kept_joints(joints, after.encode_all(second), after.codecs, former)
    assert kept.columns == (0, 1, 2)
    assert sum(code >= 0 for code in kept.codes) > 30
    second.loc[300, 'c'] = '3' if second.loc[300, 'c'] != '3' else '0'
    assert kept_joints(joints, after.encode_all(second), after.codecs, former) == ()
