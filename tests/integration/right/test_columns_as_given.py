"""Columns that SDV fits and whose values come back: zones, Arrow's dates, tiny numbers."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

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


NUMBER: dict[str, Any] = {'sdtype': 'numerical'}


DECIMAL = pd.ArrowDtype(pa.decimal128(30, 2))


@pytest.mark.parametrize(
    'dtype', ['Int64', 'UInt64', 'int64[pyarrow]', 'Float64', 'double[pyarrow]', DECIMAL], ids=str
)
def test_keys_in_nullable_dtypes_stay_numbers(dtype: Any) -> None:
    keys = pd.Series(range(5_000, 5_020)).astype(dtype)

    for found in _drawn_and_filled(keys):
        assert found.dtype == keys.dtype


@pytest.mark.parametrize('first', [5_000, decimal.Decimal('5000.10')], ids=repr)
def test_keys_that_are_numbers_as_objects_stay_such(first: Any) -> None:
    keys = pd.Series([first + number for number in range(20)], dtype=object)

    for found in _drawn_and_filled(keys):
        assert {(type(key), str(key)[-3:-2] == '.') for key in found} == {
            (type(first), isinstance(first, decimal.Decimal))
        }


def _drawn_and_filled(keys: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Keys of drawn rows, and of rows of which one had none; the others have kept theirs."""
    data = pd.DataFrame({'k': keys, 'x': range(20)})
    metadata = make_metadata({'k': {'sdtype': 'id'}, 'x': NUMBER}, primary_key='k')
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.fit(data)
    gaps = data.head(4).copy()
    gaps.loc[2, 'k'] = None
    filled = synthesizer.impute(gaps)['k']
    assert filled.is_unique
    assert filled.notna().all()
    assert filled.drop(2).tolist() == keys.head(4).drop(2).tolist()
    return synthesizer.sample(5)['k'], filled


def test_predictions_beside_a_column_named_true() -> None:
    data = pd.DataFrame({True: range(20), 'c': ['a', 'b'] * 10})
    columns: dict[str, dict[str, Any]] = {'True': NUMBER, 'c': {'sdtype': 'categorical'}}

    shares = fit_tiny(data, columns).predict_proba(data.head(4), 'c')
    assert shares.columns.tolist() == ['a', 'b']
    assert len(shares) == 4


def test_categories_of_numbers_that_are_all_missing() -> None:
    empty = pd.Series([None] * 6, dtype=pd.CategoricalDtype([1, 20]))
    data = pd.DataFrame({'n': empty, 'c': list('ababab')})
    columns: dict[str, dict[str, Any]] = {'n': NUMBER, 'c': {'sdtype': 'categorical'}}

    rows = fit_tiny(data, columns).sample_remaining_columns(data.head(2))  # without a warning

    pd.testing.assert_frame_equal(rows, data.head(2))


def test_gaps_of_whole_numbers_may_be_filled_with_generated_text() -> None:
    data = pd.DataFrame({'phone': range(5_000, 5_020), 'x': range(20)})
    synthesizer = fit_tiny(data, {'phone': {'sdtype': 'phone_number'}, 'x': NUMBER})
    gaps = data.head(4).astype({'phone': float})
    gaps.loc[2, 'phone'] = None

    filled = synthesizer.impute(gaps)['phone']
    assert filled.notna().all()
    assert filled.drop(2).tolist() == gaps['phone'].drop(2).tolist()


@pytest.mark.parametrize('dtype', ['float16', 'period[D]'])
@pytest.mark.filterwarnings('ignore:.*overflow encountered:RuntimeWarning')
def test_keys_that_pandas_has_no_index_of(dtype: str) -> None:
    cells = np.arange(20) if dtype == 'float16' else pd.period_range('2020-01-01', periods=20)
    data = pd.DataFrame({'k': pd.Series(cells, dtype=dtype), 'x': range(20)})
    metadata = make_metadata({'k': {'sdtype': 'id'}, 'x': NUMBER}, primary_key='k')
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.fit(data)

    keys = synthesizer.sample(5)['k']
    assert keys.is_unique
    assert keys.notna().all()


LARGE: dict[str, list[Any]] = {
    'beyond the precision of floats': [0, 1, 2**62 + 1, None],
    'at the end of the dtype': [0, 1, 2**63 - 1, None],
    'without gaps': [0, 1, 2**63 - 1, 2],
    'decimals': [decimal.Decimal('1783573289355542800.01'), decimal.Decimal('3.25'), None],
    'whole and not': [48, 2.5, None, -3],
}


@pytest.mark.parametrize('dtype', ['object', 'Int64', 'int64[pyarrow]', 'int64', 'uint64'])
@pytest.mark.parametrize('name', LARGE)
def test_numbers_that_floats_cannot_hold(name: str, dtype: str) -> None:
    cells = LARGE[name]
    if dtype != 'object' and name in ('decimals', 'whole and not'):
        pytest.skip('Only objects hold these.')
    if dtype.endswith('int64') and None in cells:
        pytest.skip('There are no gaps in this dtype.')
    data = pd.DataFrame({'x': pd.Series(cells * 6, dtype=dtype)})
    synthesizer = fit_tiny(data, {'x': NUMBER})
    known = data.head(len(cells))

    completed = synthesizer.sample_remaining_columns(known)
    pd.testing.assert_frame_equal(completed, known)
    assert list(map(type, completed['x'])) == list(map(type, known['x']))
    sampled = synthesizer.sample(40)['x']
    assert sampled.dtype == data['x'].dtype
    drawn, present = sampled.dropna().tolist(), data['x'].dropna().tolist()
    assert min(present) <= min(drawn)
    assert max(drawn) <= max(present)
    assert set(map(type, drawn)) <= set(map(type, present))


@pytest.mark.parametrize('text', [None, '%Y-%m-%dT%H:%M:%S.%f'])
@pytest.mark.parametrize('unit', ['ms', 'us', 'ns'])
@pytest.mark.parametrize('number', [20, 1])
def test_dates_to_the_microsecond(unit: str, text: str | None, number: int) -> None:
    start = np.datetime64('2021-03-28T00:00:00.009694', 'us')
    stamps = pd.Series(np.resize((start + np.arange(number) * 1_000).astype(f'M8[{unit}]'), 20))
    data = pd.DataFrame({'t': stamps if text is None else stamps.dt.strftime(text).astype(object)})
    entry = {'sdtype': 'datetime', **({'datetime_format': text} if text else {})}
    synthesizer = fit_tiny(data, {'t': entry})
    sampled = synthesizer.sample(50)['t']

    assert sampled.dtype == data['t'].dtype
    assert sampled.min() >= data['t'].min()
    assert sampled.max() <= data['t'].max()
    assert (pd.to_datetime(sampled).astype('datetime64[ns]').dt.nanosecond == 0).all()
    known = data.head(3)
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known), known)


@pytest.mark.parametrize('text_format', ['%Y-%m-%d', None])
@pytest.mark.filterwarnings("ignore:No 'datetime_format' is present")
def test_dates_as_categories_of_text(text_format: str | None) -> None:
    days = [f'2020-01-{day:02d}' for day in range(1, 29, 3)]
    data = pd.DataFrame({'t': pd.Series(days * 2).astype('category')})
    entry = {'sdtype': 'datetime', **({'datetime_format': text_format} if text_format else {})}
    synthesizer = fit_tiny(data, {'t': entry})

    assert synthesizer.sample(20)['t'].dtype == data['t'].dtype
    known = ['2020-01-02', '2020-01-04']
    completed = synthesizer.sample_remaining_columns(pd.DataFrame({'t': known}))
    assert completed['t'].tolist() == known


@pytest.mark.parametrize('sdtype', ['email', 'unknown'])
def test_no_gaps_are_left_in_generated_columns(sdtype: str) -> None:
    data = pd.DataFrame({'self': ['a@b.c', None, None, None] * 10, 'x': range(40)})
    entry = {'sdtype': sdtype, 'pii': True}
    synthesizer = fit_tiny(data, {'self': entry, 'x': NUMBER})

    filled = synthesizer.impute(data)['self']
    assert filled.notna().all()
    assert (filled[data['self'].notna()] == 'a@b.c').all()
    assert synthesizer.sample(40)['self'].isna().any()


def test_levels_that_are_tuples_keep_their_values() -> None:
    data = pd.DataFrame({'x': pd.Series([(1, 2), ('a', None)] * 10)})
    synthesizer = fit_tiny(data, {'x': {'sdtype': 'categorical'}})

    assert set(synthesizer.predict_proba(data.head(2), 'x').columns) == {(1, 2), ('a', None)}


def test_dates_far_from_1970_are_refused_by_name() -> None:
    data = pd.DataFrame({'t': pd.period_range('1500-01', periods=20, freq='M')})

    with pytest.raises(InvalidDataError, match="Column 't' has dates from 1500-01 to 1501-08"):
        fit_tiny(data, {'t': {'sdtype': 'datetime'}})


def test_dates_may_be_called_as_marks_of_missing_cells_are() -> None:
    data = pd.DataFrame({'x.is_null': DAYS, 'x': range(N)})
    synthesizer = fit_tiny(data, {'x.is_null': {'sdtype': 'datetime'}, 'x': NUMBER}, max_atoms=0)

    assert synthesizer.sample(20)['x.is_null'].between(DAYS.min(), DAYS.max()).all()
    assert list(synthesizer.predict_quantiles(data.head(2), 'x.is_null', [0.5]).columns) == [0.5]


def test_known_numbers_of_short_floats_are_within_their_range() -> None:
    data = pd.DataFrame({'x': pd.Series([1.7786455, -1.0585444, 0.1] * 10, dtype='float32')})
    synthesizer = fit_tiny(data, {'x': NUMBER})

    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(data.head(3)), data.head(3))


def test_columns_of_every_kind_may_be_called_self() -> None:
    numbers = np.arange(60) % 7 + 0.5
    days = pd.Series(pd.date_range('2024-01-01', periods=60))
    kinds = {
        'number': (numbers, NUMBER),
        'day': (
            days.dt.strftime('%Y-%m-%d'),
            {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        ),
        'level': (np.where(numbers > 3, 'a', 'b'), {'sdtype': 'categorical'}),
        'key': (
            [f'k{place}' for place in range(60)],
            {'sdtype': 'id', 'regex_format': 'k[0-9]{3}'},
        ),
    }
    for values, entry in kinds.values():
        data = pd.DataFrame({'self': values, 'part': numbers, 'whole': numbers + 1})
        synthesizer = fit_tiny(data, {'self': entry, 'part': NUMBER, 'whole': NUMBER})
        assert synthesizer.sample(10)['self'].notna().all()
        gaps = data.mask(np.random.default_rng(0).random(data.shape) < 0.3)
        assert synthesizer.impute(gaps)['self'].notna().all()
        known = data[['part']].head(5)
        assert synthesizer.sample_remaining_columns(known)['self'].notna().all()


@pytest.mark.filterwarnings('ignore:The real data in|Unable to generate enough unique values')
@pytest.mark.parametrize('dtype', ['int8', 'UInt8'])
def test_more_keys_than_a_narrow_type_holds_are_whole_numbers(dtype: str) -> None:
    data = pd.DataFrame({'key': pd.Series(range(N), dtype=dtype), 'x': range(N)})
    columns = {'key': {'sdtype': 'id'}, 'x': {'sdtype': 'numerical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.fit(data)

    assert synthesizer.sample(100)['key'].dtype == dtype
    asked = synthesizer.sample_from_conditions([Condition({'x': 3}, num_rows=300)])
    drawn = (synthesizer.sample(100), asked, synthesizer.sample(300, seed=1))
    for keys in (rows['key'] for rows in drawn):
        assert keys.is_unique
        assert keys.dtype == np.int64
