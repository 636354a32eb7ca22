"""Whether columns in order stand in relations that differences between them would hide."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.related import RelatedColumns
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 300
RANDOM = np.random.default_rng(0)
LOW = RANDOM.gamma(2, 10, N).round(2)
RISE = RANDOM.gamma(2, 10, N).round(2)
LEVEL = RANDOM.choice(list('abc'), N)
PAIR = pd.DataFrame({'low': LOW, 'high': (LOW + RISE).round(2), 'level': LEVEL})


def needs(frame: pd.DataFrame, *columns: str, **settings: bool) -> bool:
    """Of the columns low and high, of which some would be learnt by their difference only."""
    kinds = {
        name: ColumnKind.CATEGORICAL if name == 'level' else ColumnKind.NUMERICAL for name in frame
    }
    related = RelatedColumns(frame, kinds, ModelConfig(**settings))
    return related.needs(['low', 'high'], columns or ('high',))


def test_two_columns_by_themselves_need_nothing() -> None:
    assert not needs(PAIR, 'low', 'high')
    assert not needs(PAIR.assign(high=PAIR['low'] + 3))
    assert not needs(PAIR.assign(high=np.where(LEVEL == 'a', PAIR['low'], PAIR['high'])))


@pytest.mark.parametrize(
    'more',
    [
        {'rise': RISE},
        {'other': PAIR['high'] * 2},
        {'high': (LOW * 1.19).round(2)},
        {'top': PAIR['high'] + RANDOM.gamma(2, 10, N).round(2)},
        {
            'part': (PAIR['high'] * np.select([LEVEL == 'a', LEVEL == 'b'], [0.1, 0.2], 0.5)).round(
                2
            )
        },
        {'large': (PAIR['high'] > 40).astype(float)},
    ],
    ids=str,
)
def test_what_else_holds_of_the_upper_column(more: dict[str, pd.Series]) -> None:
    assert needs(PAIR.assign(**more))


def test_what_holds_of_the_lower_column_counts_where_that_is_hidden_too() -> None:
    beside = PAIR.assign(half=(PAIR['low'] / 2).round(2))
    assert not needs(beside)
    assert needs(beside, 'low', 'high')


def test_what_is_not_kept_is_not_looked_for() -> None:
    beside = PAIR.assign(rise=RISE)
    off = dict.fromkeys(('sums', 'inequalities', 'echoes'), False)
    assert not needs(beside, **off)
