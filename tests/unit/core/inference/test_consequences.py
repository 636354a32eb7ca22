"""What known cells say of the others of their row by themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.dependencies import find_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.consequences import Consequences
from sdv_tabdar.core.restrictions import Interval, Members
from sdv_tabdar.core.schema import ColumnKind

N = 400
LEVELS = ('city', 'state')
STATES = {'Bonn': 'NRW', 'Ulm': 'BW', 'Trier': 'RP', 'Aalen': 'BW'}
RATES = {'Bonn': 0.19, 'Ulm': 0.07, 'Trier': 0.19, 'Aalen': 0.0}


def table() -> pd.DataFrame:
    """Orders: prices of many digits, a tax by city, a fee that may be missing."""
    random = np.random.default_rng(0)
    city = pd.Series(random.choice([*STATES], N))
    frame = pd.DataFrame({'city': city, 'state': city.map(STATES)})
    frame['price'] = random.gamma(3, 9, N).round(2)
    frame['quantity'] = random.integers(1, 9, N).astype(float)
    frame['net'] = (frame['price'] * frame['quantity']).round(2)
    frame['tax'] = (frame['net'] * city.map(RATES)).round(2)
    frame['gross'] = (frame['net'] + frame['tax']).round(2)
    frame['fee'] = random.gamma(1, 9, N).round(2)
    frame['all'] = (frame['gross'] + frame['fee']).round(2)
    frame['fee'] = frame['fee'].mask(random.random(N) < 0.2)
    return frame


@pytest.fixture(scope='module')
def encoder() -> TableEncoder:
    frame = table()
    kinds = {
        name: ColumnKind.CATEGORICAL if name in LEVELS else ColumnKind.NUMERICAL for name in frame
    }
    found = TableEncoder.fit(frame, kinds, ModelConfig(num_bins=4))
    follows = find_dependencies(found.encode_all(frame), found.codecs)
    return found.with_relations((), follows)


def said(encoder: TableEncoder, given: pd.DataFrame, **settings: object) -> pd.DataFrame:
    """The known cells of rows that were given, and what these say; None for what they do not."""
    known = given.notna().to_numpy()
    found = Consequences.of(encoder, given, known, settings.pop('asked', {}), **settings)
    whole = found.whole
    return whole.astype(object).where(found.marks(whole), None)


def test_levels_sums_products_and_rates_follow(encoder: TableEncoder) -> None:
    frame = table()
    rows = said(encoder, frame[['city', 'price', 'quantity']])
    for name in ('state', 'net', 'tax', 'gross'):
        assert (rows[name] == frame[name]).all(), name
    assert 'fee' not in rows


def test_they_are_taken_apart_where_there_is_one_way_only(encoder: TableEncoder) -> None:
    frame = table()
    rows = said(encoder, frame[['gross', 'tax', 'quantity']])
    assert (rows['net'] == frame['net']).all()
    only = rows['price'].notna()
    assert (rows['price'] == frame['price'])[only].all()
    assert only.mean() > 0.9
    whole = said(encoder, frame[['net', 'city']])
    assert (whole['gross'] == frame['gross']).all()
    assert 'price' not in whole


def test_known_numbers_say_by_which_levels_they_are_made(encoder: TableEncoder) -> None:
    given = pd.DataFrame({'net': [100.0, 100.0, 100.0, 100.0], 'tax': [19.0, 7.0, 0.0, 3.0]})
    rows = said(encoder, given)
    assert rows['city'].tolist() == [None, 'Ulm', 'Aalen', None]
    assert rows['state'].tolist() == [None, 'BW', 'BW', None]
    known = np.ones(given.shape, dtype=bool)
    found = Consequences.of(encoder, given, known, {}).narrowed()
    assert found['city'][1:] == [None, None, None]
    assert set(found['city'][0].values) == {'Bonn', 'Trier'}
    asked = {'city': [Members(('Bonn', 'Ulm'))] * 4}
    found = Consequences.of(encoder, given, known, asked).narrowed()
    assert found['city'][0] == Members(('Bonn',))


def test_what_may_be_missing_is_left_unless_it_is_asked_for(encoder: TableEncoder) -> None:
    frame = table().dropna()
    given = frame[['gross', 'all']]
    assert 'fee' not in said(encoder, given)
    optional = encoder.schema.position('fee')
    assert (said(encoder, given, optional=optional)['fee'] == frame['fee']).all()


def test_contradictions_and_what_is_asked_stay(encoder: TableEncoder) -> None:
    most = table()['net'].max()
    given = pd.DataFrame({'net': [50.0, most, 50.0], 'tax': [70.0, most, 9.5]})
    asked = {'gross': [None, None, Interval(10, 100)]}
    rows = said(encoder, given, asked=asked)
    assert 'gross' not in rows or rows['gross'].isna()[1:].all()
    assert rows[['net', 'tax']].astype(float).equals(given)


def test_nothing_known_says_nothing(encoder: TableEncoder) -> None:
    empty = pd.DataFrame(index=range(3))
    found = Consequences.of(encoder, empty, np.ones((3, 0), dtype=bool), {})
    assert found.whole.equals(empty)
    assert found.narrowed() == {}
