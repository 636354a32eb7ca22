"""Which rows break what holds in all training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.dependencies import find_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.zeros import find_zeros
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.broken import num_broken
from sdv_tabdar.core.schema import ColumnKind

N = 400
NUMBER = ColumnKind.NUMERICAL
STATES = {'Bonn': 'NRW', 'Ulm': 'BW', 'Aalen': 'BW'}
RATES = {'Bonn': 0.19, 'Ulm': 0.07, 'Aalen': 0.0}


def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'city': random.choice([*STATES], N)})
    frame['state'] = frame['city'].map(STATES)
    frame['net'] = random.gamma(3, 40, N).round(2)
    frame['tax'] = (frame['net'] * frame['city'].map(RATES)).round(2)
    frame['gross'] = (frame['net'] + frame['tax']).round(2)
    frame['cents'] = (frame['gross'] * 100).round()
    frame['kind'] = random.choice(['open', 'closed'], N)
    frame['ended'] = pd.Series(random.gamma(3, 9, N).round(1)).where(frame['kind'] == 'closed')
    return frame


@pytest.fixture(scope='module')
def encoder() -> TableEncoder:
    frame = table()
    kinds = {
        name: ColumnKind.NUMERICAL if frame[name].dtype == float else ColumnKind.CATEGORICAL
        for name in frame
    }
    found = TableEncoder.fit(frame, kinds, ModelConfig(num_bins=4))
    coded = found.encode_all(frame)
    follows = find_dependencies(coded, found.codecs)
    return found.with_relations((), follows, find_zeros(coded, found.schema, follows))


def count(encoder: TableEncoder, column: str, value: object, **settings: object) -> int:
    """How many relations a row breaks in which one cell is changed."""
    frame = table()[lambda rows: (rows['city'] == 'Bonn') & (rows['kind'] == 'open')].head(1)
    frame[column] = value
    known = np.zeros(frame.shape, dtype=bool)
    for name in settings.pop('given', ()):
        known[:, encoder.schema.position(name)] = True
    return int(num_broken(encoder, frame.reset_index(drop=True), known, **settings)[0])


def test_training_rows_break_nothing(encoder: TableEncoder) -> None:
    frame = table()
    assert not num_broken(encoder, frame, np.zeros(frame.shape, dtype=bool)).any()


def test_what_a_row_breaks_is_counted(encoder: TableEncoder) -> None:
    assert count(encoder, 'state', 'BW') == 1
    assert count(encoder, 'cents', 1.0) >= 1
    assert count(encoder, 'gross', 1e5) >= 2  # a sum, and a line
    assert count(encoder, 'tax', 0.0) >= 2  # a rate, and a sum
    assert count(encoder, 'ended', 3.0) >= 1


def test_what_was_given_whole_does_not_count(encoder: TableEncoder) -> None:
    assert count(encoder, 'state', 'BW', given=['city', 'state']) == 0
    assert count(encoder, 'state', 'BW', given=['state']) == 1


def test_what_a_rate_makes_beyond_training_is_strange_where_another_level_may_be() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'kind': random.choice(['a', 'b'], N)})
    frame['amount'] = random.gamma(3, 40, N).round(2) + 20 * (frame['kind'] == 'a')
    frame['total'] = frame['amount'] + np.where(frame['kind'] == 'b', 12.5, 0.0)
    kinds = {'kind': ColumnKind.CATEGORICAL, **dict.fromkeys(['amount', 'total'], NUMBER)}
    encoder = TableEncoder.fit(frame, kinds, ModelConfig())
    assert encoder.rates
    least = float(frame['amount'].min())
    rows = pd.DataFrame({'kind': ['a', 'b', 'a'], 'amount': [least, least, 1.0]})
    rows['total'] = rows['amount'] + [0.0, 12.5, 0.0]
    for given, expected in (([], 1), (['amount'], 1), (['kind'], 0), (['total'], 0)):
        known = np.tile([name in given for name in rows], (len(rows), 1))
        assert num_broken(encoder, rows, known).tolist() == [expected, 0, 0], given


def test_a_mean_beyond_training_is_strange_where_a_source_may_be_another() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 101, (N, 2)) * 1.0, columns=['first', 'second'])
    frame['third'] = random.integers(0, 101, N) * 1.0
    frame['mean'] = frame.mean(axis=1).round(2)
    frame.loc[frame['mean'] > 80, 'mean'] = np.nan
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, NUMBER), ModelConfig())
    assert encoder.aggregates
    rows = frame.iloc[[0, 0, 0]].reset_index(drop=True)
    rows['first'] = [99.0, 40.0, 300.0]  # the last one is beyond training itself
    rows['second'] = rows['third'] = [99.0, 40.0, 99.0]
    rows['mean'] = rows[['first', 'second', 'third']].mean(axis=1).round(2)
    sources = ['first', 'second', 'third']
    for given, expected in (([], 1), (sources[:2], 1), (sources, 0), (['mean'], 0)):
        known = np.tile([name in given for name in rows], (len(rows), 1))
        assert num_broken(encoder, rows, known).tolist() == [expected, 0, 0], given


def test_a_choice_beyond_training_is_strange_where_another_source_may_be_chosen() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'kind': random.choice(['full', 'reduced'], N)})
    frame['price'] = random.gamma(3, 40, N).round(2) + 50
    frame['cut'] = (frame['price'] * random.uniform(0.3, 0.9, N)).round(2)
    frame.loc[frame['price'] > 300, 'kind'] = 'reduced'
    frame['paid'] = frame['price'].where(frame['kind'] == 'full', frame['cut'])
    kinds = dict.fromkeys(frame, NUMBER) | {'kind': ColumnKind.CATEGORICAL}
    encoder = TableEncoder.fit(frame, kinds, ModelConfig())
    assert encoder.choices
    rows = frame.loc[[int(frame['price'].idxmax())] * 2].reset_index(drop=True)
    rows['kind'], rows.loc[0, 'paid'] = ['full', 'reduced'], rows.loc[0, 'price']
    for given, expected in (([], 1), (['price'], 1), (['kind'], 1), ([*frame][:3], 0)):
        known = np.tile([name in given for name in rows], (len(rows), 1))
        assert num_broken(encoder, rows, known).tolist() == [expected, 0], given


def test_what_never_meets_may_where_it_is_asked_for(encoder: TableEncoder) -> None:
    assert count(encoder, 'ended', 3.0, given=['kind'], asked=['ended']) == 0


def test_a_total_that_no_training_row_has_is_strange_where_all_have_few() -> None:
    random = np.random.default_rng(1)
    first, second = random.integers(0, 4, (2, N)) * 10.0
    frame = pd.DataFrame({'first': first, 'second': second, 'total': first + second})
    seen = frame[frame['total'] != 30].reset_index(drop=True)
    encoder = TableEncoder.fit(seen, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    strange = (frame['total'] == 30).to_numpy()
    nothing = np.zeros(frame.shape, dtype=bool)
    assert (num_broken(encoder, frame, nothing).astype(bool) == strange).all()
    given = nothing | (frame.columns == 'total')
    assert not num_broken(encoder, frame, given).any()
