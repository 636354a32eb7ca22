"""Equations with several columns on either side: which are found, and which follow from others."""

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.balances import balances_in
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.codecs.sums import sums_in
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

ROWS = 400


def account(seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    before, amount, fee = (generator.lognormal(size, 1, ROWS).round(2) for size in (6, 4, 1))
    after = (before + amount - fee).round(2)
    return pd.DataFrame({'before': before, 'amount': amount, 'fee': fee, 'after': after})


def found(frame: pd.DataFrame, free: set[str] | None = None) -> list[object]:
    names = [*frame]
    return list(balances_in(frame, names, sums_in(frame, names), [], free or {*names}))


def test_the_last_column_that_may_is_made_of_the_others() -> None:
    frame = account()
    assert found(frame) == [('after', ('before', 'amount', 'fee'), (1.0, 1.0, -1.0))]
    turned = frame[['after', 'fee', 'amount', 'before']]
    assert found(turned) == [('before', ('after', 'fee', 'amount'), (1.0, 1.0, -1.0))]
    free = {'fee', 'before'}
    assert found(frame, free) == [('fee', ('before', 'amount', 'after'), (1.0, 1.0, -1.0))]


def test_one_row_that_breaks_it_is_enough() -> None:
    frame = account()
    frame.loc[17, 'after'] += 1
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert encoder.aggregates == ()


def test_what_follows_from_sums_is_none() -> None:
    """Two totals with a part in common; two sets of shares that make 100."""
    generator = np.random.default_rng(0)
    a, b, c = generator.integers(0, 99, (3, ROWS)).astype(float)
    assert not found(pd.DataFrame({'a': a, 'b': b, 'c': c, 'ab': a + b, 'bc': b + c}))
    cuts = np.sort(generator.integers(0, 101, (2, ROWS, 2)), axis=2).astype(float)
    shares = [np.diff(own, axis=1, prepend=0, append=100) for own in cuts]
    names = ['p1', 'p2', 'p3', 'q1', 'q2', 'q3']
    assert not found(pd.DataFrame(np.hstack(shares), columns=names))


def test_what_follows_from_lines_is_none() -> None:
    """Two dates and what is due thirty days after each."""
    generator = np.random.default_rng(0)
    first, second = generator.integers(0, 999, (2, ROWS)).astype(float)
    frame = pd.DataFrame({'a': first, 'due a': first + 30, 'b': second, 'due b': second + 30})
    names = [*frame]
    lines = [(f'due {name}', name, Line(shift=30.0)) for name in 'ab']
    assert list(balances_in(frame, names, [], [], {*names}))
    assert not list(balances_in(frame, names, [], lines, {*names}))
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert encoder.aggregates == ()


@pytest.mark.parametrize('hidden', ['before', 'fee', 'after'])
def test_an_encoder_keeps_it(hidden: str) -> None:
    frame = account()
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    (one,) = TableEncoder.fit(frame, kinds, ModelConfig()).aggregates
    sources = frame[['before', 'amount', 'fee']].to_numpy()
    assert one.holds(frame['after'].to_numpy(), sources).all()
    assert one.written(['before', 'amount', 'fee']) == "'before' + 'amount' - 'fee'"
    assert type(one).from_state(one.to_state()) == one
    frame[hidden] += 0.02
    sources = frame[['before', 'amount', 'fee']].to_numpy()
    assert not one.holds(frame['after'].to_numpy(), sources).any()
