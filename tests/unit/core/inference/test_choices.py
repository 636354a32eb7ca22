"""Drawn numbers that are one of others by a level: what becomes of results and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.broken import num_broken
from sdv_tabdar.core.inference.choices import Choosing
from sdv_tabdar.core.inference.consequences import Consequences
from sdv_tabdar.core.restrictions import Interval, Members, Restriction
from sdv_tabdar.core.schema import ColumnKind

N = 600


def fees(seed: int = 0) -> pd.DataFrame:
    """A fee that is that of the channel."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({'channel': random.choice(['web', 'phone', 'shop'], N)}, dtype=object)
    for name in ('web', 'shop'):
        frame[name] = random.uniform(10, 90, N).round(2)
    frame.loc[::6, 'shop'] = np.nan
    frame['fee'] = frame['web'].where(frame['channel'] != 'shop', frame['shop'])
    return frame


@pytest.fixture(scope='module')
def encoder() -> TableEncoder:
    frame = fees()
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL) | {'channel': ColumnKind.CATEGORICAL}
    found = TableEncoder.fit(frame, kinds, ModelConfig())
    assert [one.columns for one in found.choices] == [(3, 1, 2, 0)]
    return found


def shuffled() -> pd.DataFrame:
    """Each column of other rows."""
    random = np.random.default_rng(1)
    return fees().apply(lambda column: random.permutation(column))


def settled(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    known: Sequence[str] = (),
    restrictions: Mapping[str, Sequence[Restriction | None]] | None = None,
    held: Sequence[int] = (),
) -> pd.DataFrame:
    rows = frame.copy()
    marks = np.tile([name in known for name in frame], (len(frame), 1))
    Choosing(encoder, marks, marks, restrictions or {}).choose(rows, held)
    assert rows[list(known)].equals(frame[list(known)])
    return rows


def test_drawn_rows_become_what_their_level_says(encoder: TableEncoder) -> None:
    rows, nothing = shuffled(), np.zeros((N, 4), dtype=bool)
    assert num_broken(encoder, rows, nothing).sum() > N / 2
    found = settled(encoder, rows)
    assert not num_broken(encoder, found, nothing).any()
    assert found[['web', 'shop']].equals(rows[['web', 'shop']])
    assert found['fee'].isna().any()


@pytest.mark.parametrize('known', [['fee'], ['fee', 'channel'], ['web', 'channel'], ['shop']])
def test_what_is_known_stays(encoder: TableEncoder, known: list[str]) -> None:
    rows = settled(encoder, shuffled(), known)
    marks = np.zeros((N, 4), dtype=bool)
    may_lack = rows['fee'].isna() & (rows['channel'] != 'shop')  # no fee of the web is missing
    assert not num_broken(encoder, rows, marks)[~may_lack].any()


def test_sources_move_to_results_that_others_hold(encoder: TableEncoder) -> None:
    before = shuffled()
    before['fee'] = before['fee'].fillna(20.0)
    rows = settled(encoder, before, held=[3])
    assert rows['fee'].equals(before['fee'])
    assert not num_broken(encoder, rows, np.zeros((N, 4), dtype=bool)).any()


def test_ranges_are_kept(encoder: TableEncoder) -> None:
    entries = [Interval(30.0, 40.0)] * N
    before = shuffled()
    before['fee'] = 35.0
    rows = settled(encoder, before, restrictions={'fee': entries})
    assert rows['fee'].between(30, 40).all()
    assert not num_broken(encoder, rows, np.zeros((N, 4), dtype=bool)).any()


def test_numbers_beyond_those_of_training_come_back(encoder: TableEncoder) -> None:
    before = shuffled()
    before['shop'] = before['fee'] = 500.0
    rows = settled(encoder, before)
    assert rows['fee'].max() <= encoder.codec('fee').limits[1]
    assert not num_broken(encoder, rows, np.zeros((N, 4), dtype=bool)).any()


def told(encoder: TableEncoder, **cells: object) -> Consequences:
    frame = pd.DataFrame([cells])
    return Consequences.of(encoder, frame, np.ones(frame.shape, dtype=bool), {})


def test_known_cells_tell_the_others(encoder: TableEncoder) -> None:
    assert told(encoder, channel='shop', shop=20.0).whole['fee'].tolist() == [20.0]
    assert told(encoder, channel='phone', fee=30.0).whole['web'].tolist() == [30.0]
    assert told(encoder, channel='shop', fee=np.nan).whole['shop'].isna().all()
    assert told(encoder, web=20.0, shop=30.0, fee=30.0).whole['channel'].tolist() == ['shop']
    assert 'fee' not in told(encoder, channel='shop', web=20.0).whole


def test_known_numbers_leave_some_levels(encoder: TableEncoder) -> None:
    says = told(encoder, shop=30.0, fee=20.0)
    entry = says.narrowed()['channel'][0]
    assert isinstance(entry, Members)
    assert {*entry.values} == {'web', 'phone'}
    assert says.left(0).sum() == 2
