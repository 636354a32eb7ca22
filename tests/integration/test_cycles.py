"""Dates on working days, at some hours, and prices that end alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    random = np.random.default_rng(5)
    days = random.choice(pd.bdate_range('2012-01-02', '2023-12-29'), 1_500)
    quarters = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 70_000, 1_500), 'h')
    quarters += pd.to_timedelta(random.choice([0, 15, 30, 45], 1_500), 'min')
    price = np.floor(random.lognormal(5, 1.2, 1_500)) + random.choice([0.5, 0.99], 1_500)
    return pd.DataFrame(
        {
            'day': days,
            'begin': quarters.strftime('%Y-%m-%d %H:%M'),
            'price': price.round(2),
            'kind': random.choice(['a', 'b'], 1_500),
        }
    )


@pytest.fixture(scope='module')
def synthesizer(table: pd.DataFrame) -> TabDARSynthesizer:
    metadata = make_metadata(
        {
            'day': {'sdtype': 'datetime'},
            'begin': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M'},
            'price': {'sdtype': 'numerical'},
            'kind': {'sdtype': 'categorical'},
        }
    )
    found = TabDARSynthesizer(metadata, **TINY)
    found.fit(table)
    return found


def test_drawn_rows_lie_where_those_of_the_table_do(synthesizer: TabDARSynthesizer) -> None:
    drawn = synthesizer.sample(1_000)
    assert (drawn['day'].dt.dayofweek < 5).all()
    assert set(pd.to_datetime(drawn['begin']).dt.minute) == {0, 15, 30, 45}
    assert set(np.rint(drawn['price'] * 100) % 100) == {50, 99}


def test_so_do_ranges_and_remaining_columns(
    synthesizer: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    week = Between(pd.Timestamp('2015-03-07'), pd.Timestamp('2015-03-15'))
    days = synthesizer.sample_from_conditions([Condition({'day': week}, 50)])['day']
    assert days.between('2015-03-09', '2015-03-13').all()
    found = synthesizer.sample_remaining_columns(table[['begin', 'kind']].head(100))
    assert (found['day'].dt.dayofweek < 5).all()
    assert set(np.rint(found['price'] * 100) % 100) == {50, 99}


def test_means_are_moved_there(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    gaps = table.head(300).copy()
    gaps.loc[::2, 'day'] = pd.NaT
    gaps.loc[1::2, ['begin', 'price']] = None
    filled = synthesizer.impute(gaps, num_samples=4)
    assert (filled['day'].dt.dayofweek < 5).all()
    assert set(pd.to_datetime(filled['begin']).dt.minute) == {0, 15, 30, 45}
    assert set(np.rint(filled['price'] * 100) % 100) == {50, 99}
    assert filled['day'][::2].nunique() > 50


def test_a_weekend_that_is_asked_for_is_drawn(synthesizer: TabDARSynthesizer) -> None:
    weekend = Between(pd.Timestamp('2015-03-07'), pd.Timestamp('2015-03-08'))
    days = synthesizer.sample_from_conditions([Condition({'day': weekend}, 20)])['day']
    assert days.between('2015-03-07', '2015-03-08').all()


def test_a_day_of_the_table_is_likelier_than_a_sunday(synthesizer: TabDARSynthesizer) -> None:
    rows = pd.DataFrame({'day': pd.to_datetime(['2015-03-10', '2015-03-08'])})
    likely = synthesizer.log_likelihood(rows)
    assert np.isfinite(likely).all()
    assert likely[0] > likely[1] + 5


def test_they_are_in_the_file_and_its_description(
    synthesizer: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(50), synthesizer.sample(50))
    text = str(describe(path))
    assert 'how many are where in each week (5 of 7 parts)' in text
    assert 'in each hour (4 of 60 parts)' in text
    assert 'in each 1 (2 of 100 parts)' in text
