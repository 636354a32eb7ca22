"""Columns that SDV fits and whose values come back: zones, Arrow's dates, tiny numbers."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny

N = 120
RANDOM = np.random.default_rng(0)
DAYS = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D'))
MOMENTS = DAYS + pd.to_timedelta(RANDOM.integers(0, 86_400, N), 's')
ARROW_ZONE = pd.ArrowDtype(pa.timestamp('us', tz='Europe/Berlin'))


def in_zone(zone: str) -> pd.Series:
    return MOMENTS.dt.tz_localize('UTC').dt.tz_convert(zone)


ZONED: dict[str, pd.Series] = {
    'UTC': in_zone('UTC'),
    'Berlin': in_zone('Europe/Berlin'),
    'New York': in_zone('America/New_York'),
    'Kathmandu': in_zone('Asia/Kathmandu'),
    'an offset': in_zone('+02:00'),
    'Arrow': pd.Series(in_zone('Europe/Berlin').tolist(), dtype=ARROW_ZONE),
}


def detected(data: pd.DataFrame, **settings: Any) -> TabDARSynthesizer:
    """Fitted with the metadata that SDV detects, ranges among them."""
    metadata = Metadata.detect_from_dataframes({'table': data})
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, **settings})
    synthesizer.fit(data)
    return synthesizer


@pytest.mark.parametrize('name', ZONED)
def test_zones_under_detected_metadata(name: str) -> None:
    values = ZONED[name]
    data = pd.DataFrame({'t': values, 'c': RANDOM.choice(list('ab'), N)})
    synthesizer = detected(data)

    sampled = synthesizer.sample(40)['t']
    assert sampled.dtype == values.dtype
    assert sampled.between(values.min(), values.max()).all()
    known = data[['t']].head(4)
    pd.testing.assert_series_equal(synthesizer.sample_remaining_columns(known)['t'], known['t'])
    gaps = data.head(6).copy()
    gaps.loc[2, 't'] = None
    assert synthesizer.impute(gaps)['t'].notna().all()


@pytest.mark.parametrize('detect', [False, True], ids=['given', 'detected'])
@pytest.mark.parametrize('kind', [pa.date32(), pa.date64()], ids=str)
def test_dates_of_arrow(kind: Any, detect: bool) -> None:
    values = pd.Series(DAYS.dt.date.tolist(), dtype=pd.ArrowDtype(kind))
    data = pd.DataFrame({'t': values.where(RANDOM.random(N) < 0.8)})
    synthesizer = detected(data) if detect else fit_tiny(data, {'t': {'sdtype': 'datetime'}})

    sampled = synthesizer.sample(40)['t']
    assert sampled.dtype == values.dtype
    present = sampled.dropna()
    assert present.between(values.min(), values.max()).all()
    assert {type(value) for value in present} == {datetime.date}
    assert sampled.isna().any()
    filled = synthesizer.impute(data)['t']
    assert filled.dtype == values.dtype
    assert filled.notna().all()


@pytest.mark.filterwarnings('ignore:.*encountered in:RuntimeWarning')  # from the detection
def test_half_precision_under_detected_metadata() -> None:
    """SDV detects 15 decimal places, the most there are, and rounding overflows."""
    data = pd.DataFrame({'x': pd.Series(RANDOM.normal(0, 5, N), dtype='float16')})
    sampled = detected(data).sample(60)['x']

    assert sampled.dtype == np.float16
    assert sampled.notna().all()
    assert sampled.between(data['x'].min(), data['x'].max()).all()
    assert sampled.nunique() > 5


TINY_NUMBERS = {
    'normal': RANDOM.normal(0, 1, N) * 1e-20,
    'positive': np.abs(RANDOM.normal(0, 1, N)) * 1e-16,
    'of many sizes': RANDOM.lognormal(-60, 3, N),
}


@pytest.mark.parametrize('name', TINY_NUMBERS)
@pytest.mark.parametrize('detect', [False, True], ids=['given', 'detected'])
def test_tiny_numbers(name: str, detect: bool) -> None:
    """The 15 decimal places that SDV detects are the most it looks for, and not the data's."""
    data = pd.DataFrame({'x': TINY_NUMBERS[name]})
    synthesizer = detected(data) if detect else fit_tiny(data, {'x': {'sdtype': 'numerical'}})
    sampled = synthesizer.sample(60)['x']

    assert (sampled != 0).all()
    assert sampled.between(data['x'].min(), data['x'].max()).all()
    assert sampled.nunique() > 5


@pytest.mark.parametrize('detect', [False, True], ids=['given', 'detected'])
def test_huge_numbers(detect: bool) -> None:
    data = pd.DataFrame({'x': RANDOM.normal(0, 1, N) * 1e300})
    synthesizer = detected(data) if detect else fit_tiny(data, {'x': {'sdtype': 'numerical'}})
    sampled = synthesizer.sample(60)['x']

    assert sampled.between(data['x'].min(), data['x'].max()).all()
    assert sampled.nunique() > 5


@pytest.mark.parametrize('zone', ['America/New_York', 'Europe/Berlin'])
def test_days_in_a_zone_stay_at_midnight(zone: str) -> None:
    """All training dates are midnight there, on both sides of summer time."""
    data = pd.DataFrame({'t': DAYS.dt.tz_localize(zone)})
    sampled = fit_tiny(data, {'t': {'sdtype': 'datetime'}}, max_atoms=0).sample(60)['t']

    assert (sampled.dt.normalize() == sampled).all()
