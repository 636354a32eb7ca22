"""Every dtype and format comes back as it was, through fit, conditions and imputation."""

from __future__ import annotations

import datetime
import decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from .conftest import fit_tiny

N = 60
RANDOM = np.random.default_rng(0)
INTEGERS = RANDOM.integers(0, 100, N)
GAPS = RANDOM.random(N) < 0.25
DATES = pd.Series(
    pd.Timestamp('2021-03-01') + pd.to_timedelta(RANDOM.integers(0, 200, N), 'D'), name='x'
)
BERLIN = ZoneInfo('Europe/Berlin')


def with_gaps(values: Any, missing: Any = None) -> list[Any]:
    return [missing if gap else value for value, gap in zip(values, GAPS, strict=True)]


NUMBERS: dict[str, Any] = {
    'int8': pd.Series(INTEGERS, dtype='int8'),
    'uint16': pd.Series(INTEGERS, dtype='uint16'),
    'int64': pd.Series(INTEGERS),
    'float32': pd.Series(INTEGERS / 4, dtype='float32'),
    'float64 with gaps': pd.Series(with_gaps(INTEGERS / 8, np.nan)),
    'Int8': pd.Series(INTEGERS, dtype='Int8'),
    'Int64 with gaps': pd.Series(with_gaps(INTEGERS), dtype='Int64'),
    'UInt32 with gaps': pd.Series(with_gaps(INTEGERS), dtype='UInt32'),
    'Float32 with gaps': pd.Series(with_gaps(INTEGERS / 4), dtype='Float32'),
    'Float64': pd.Series(INTEGERS / 4, dtype='Float64'),
    'object integers': pd.Series(INTEGERS.tolist(), dtype=object),
    'object integers with gaps': pd.Series(with_gaps(INTEGERS.tolist()), dtype=object),
    'object floats with NaN': pd.Series(with_gaps((INTEGERS / 4).tolist(), np.nan), dtype=object),
    'decimals': pd.Series([decimal.Decimal(int(i)) / 4 for i in INTEGERS], dtype=object),
    'decimals with gaps': pd.Series(
        with_gaps([decimal.Decimal(f'{i}.50') for i in INTEGERS]), dtype=object
    ),
    'category of numbers': pd.Series(pd.Categorical(INTEGERS % 5)),
    'all missing': pd.Series([np.nan] * N),
    'all missing objects': pd.Series([None] * N, dtype=object),
}
LEVELS: dict[str, Any] = {
    'text': pd.Series(with_gaps(np.array(['u', 'v'])[INTEGERS % 2].tolist()), dtype=object),
    'text with NaN': pd.Series(with_gaps(['u', 'v'] * (N // 2), np.nan), dtype=object),
    'text with NA': pd.Series(with_gaps(['u', 'v'] * (N // 2), pd.NA), dtype=object),
    'string': pd.Series(with_gaps(['u', 'v'] * (N // 2)), dtype='string'),
    'category': pd.Series(pd.Categorical(with_gaps(['u', 'v'] * (N // 2)))),
    'ordered category': pd.Series(
        pd.Categorical(['u', 'v'] * (N // 2), categories=['v', 'u', 'w'], ordered=True)
    ),
    'codes': pd.Series(INTEGERS % 3),
    'float codes with gaps': pd.Series(with_gaps((INTEGERS % 3).astype(float), np.nan)),
    'Int64 codes': pd.Series(with_gaps((INTEGERS % 3).tolist()), dtype='Int64'),
    'mixed types': pd.Series([['one', 1, 2.5, True, None][i % 5] for i in range(N)], dtype=object),
    'dates as levels': pd.Series([datetime.date(2020, 1, 1 + i % 3) for i in range(N)]),
    'one level': pd.Series(['only'] * N),
    'all missing': pd.Series([None] * N, dtype=object),
}
BOOLEANS: dict[str, Any] = {
    'bool': pd.Series(INTEGERS % 2 == 0),
    'boolean': pd.Series(with_gaps((INTEGERS % 2 == 0).tolist()), dtype='boolean'),
    'objects': pd.Series(with_gaps((INTEGERS % 2 == 0).tolist()), dtype=object),
    'objects with NaN': pd.Series(with_gaps((INTEGERS % 2 == 0).tolist(), np.nan), dtype=object),
    'sparse': pd.Series(pd.arrays.SparseArray(INTEGERS % 2 == 0, fill_value=False)),
}
DAYS = '%Y-%m-%d'
MOMENTS: dict[str, tuple[Any, str | None]] = {
    'ns': (DATES, None),
    'ns with gaps': (DATES.where(~GAPS), None),
    'ns with a format': (DATES, DAYS),
    'seconds': (DATES.astype('datetime64[s]'), None),
    'milliseconds with gaps': (DATES.where(~GAPS).astype('datetime64[ms]'), None),
    'utc': (DATES.dt.tz_localize('UTC'), None),
    'zone': (DATES.dt.tz_localize(BERLIN), None),
    'zone in us with gaps': (
        DATES.where(~GAPS).dt.tz_localize('Europe/Berlin').dt.as_unit('us'),
        None,
    ),
    'zone with a format': (DATES.dt.tz_localize('UTC'), '%Y-%m-%d %H:%M:%S%z'),
    'text': (DATES.dt.strftime(DAYS), DAYS),
    'text with gaps': (DATES.dt.strftime('%d.%m.%y').where(~GAPS, None), '%d.%m.%y'),
    'text as string': (DATES.dt.strftime(DAYS).astype('string'), DAYS),
    'text as in America without a format': (DATES.dt.strftime('%m/%d/%Y'), None),
    'text without a zero': (DATES.dt.strftime('%-d/%-m/%Y'), '%d/%m/%Y'),
    'text with an offset': (DATES.dt.strftime('%Y-%m-%d 00:00:00+0100'), '%Y-%m-%d %H:%M:%S%z'),
    'whole numbers': (DATES.dt.strftime('%Y%m%d').astype(int), '%Y%m%d'),
    'whole numbers with gaps': (
        DATES.dt.strftime('%Y%m%d').astype('Int64').where(~GAPS),
        '%Y%m%d',
    ),
    'date': (pd.Series(DATES.dt.date, dtype=object), None),
    'date with a format and gaps': (pd.Series(with_gaps(DATES.dt.date), dtype=object), DAYS),
    'datetime': (pd.Series([date.to_pydatetime() for date in DATES], dtype=object), None),
    'datetime with a zone': (
        pd.Series([date.to_pydatetime().replace(tzinfo=BERLIN) for date in DATES], dtype=object),
        None,
    ),
    'timestamps': (pd.Series(DATES.tolist(), dtype=object), None),
    'category': (DATES.astype('category'), None),
    'category with a zone and gaps': (
        DATES.where(~GAPS).dt.tz_localize(BERLIN).astype('category'),
        None,
    ),
    'category of text': (DATES.dt.strftime('%d.%m.%Y').astype('category'), '%d.%m.%Y'),
    'months': (DATES.dt.to_period('M'), None),
    'all missing': (pd.Series([pd.NaT] * N), None),
}
CASES = [
    *((f'numerical: {name}', values, {'sdtype': 'numerical'}) for name, values in NUMBERS.items()),
    *((f'categorical: {name}', v, {'sdtype': 'categorical'}) for name, v in LEVELS.items()),
    *((f'boolean: {name}', values, {'sdtype': 'boolean'}) for name, values in BOOLEANS.items()),
    *(
        (
            f'datetime: {name}',
            values,
            {'sdtype': 'datetime', **({'datetime_format': text} if text else {})},
        )
        for name, (values, text) in MOMENTS.items()
    ),
]


def value_types(values: pd.Series) -> set[type]:
    return {type(value) for value in values}


# SDV says of several of these columns that it cannot verify their format.
@pytest.mark.filterwarnings('ignore:No .datetime_format. is present')
@pytest.mark.filterwarnings('ignore:The datetime format for column')
@pytest.mark.filterwarnings('ignore:The columns .* had only missing values')
@pytest.mark.parametrize(
    ('values', 'entry'), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_round_trip(values: pd.Series, entry: dict[str, Any]) -> None:
    other = np.where(RANDOM.random(N) < 0.5, 'p', 'q')
    data = pd.DataFrame({'x': values, 'y': other})
    assert data['x'].dtype == values.dtype
    before = data.copy(deep=True)

    synthesizer = fit_tiny(data, {'x': entry, 'y': {'sdtype': 'categorical'}})
    sampled = synthesizer.sample(80)

    pd.testing.assert_frame_equal(data, before)
    assert sampled['x'].dtype == data['x'].dtype
    assert value_types(sampled['x']) <= value_types(data['x'])
    if not data['x'].isna().any():
        assert not sampled['x'].isna().any()

    known = data[['x']].iloc[[5, 1, 0, 7, 8, 9]]
    completed = synthesizer.sample_remaining_columns(known)
    pd.testing.assert_frame_equal(completed[['x']], known)

    filled = synthesizer.impute(data)
    assert filled['x'].dtype == data['x'].dtype
    pd.testing.assert_frame_equal(filled[~data['x'].isna()], data[~data['x'].isna()])
    assert filled['x'].isna().any() == data['x'].isna().all()


@pytest.mark.parametrize('kind', ['date', 'datetime', 'period', 'date32[pyarrow]'])
def test_nothing_is_said_of_a_format_that_sdv_detects(kind: str) -> None:
    # Warnings are errors here.
    forms = {
        'date': pd.Series(DATES.dt.date, dtype=object),
        'datetime': pd.Series([date.to_pydatetime() for date in DATES], dtype=object),
        'period': DATES.dt.to_period('D'),
    }
    data = pd.DataFrame({'x': forms[kind] if kind in forms else DATES.dt.date.astype(kind)})
    rows = fit_tiny(data, {'x': {'sdtype': 'datetime', 'datetime_format': DAYS}}).sample(3)
    assert rows.dtypes.equals(data.dtypes)


def test_decimals_keep_their_digits() -> None:
    values = [decimal.Decimal(f'{i}.50') for i in INTEGERS]
    data = pd.DataFrame({'x': pd.Series(values, dtype=object)})
    sampled = fit_tiny(data, {'x': {'sdtype': 'numerical'}}).sample(10)

    assert {value.as_tuple().exponent for value in sampled['x']} == {-2}


@pytest.mark.parametrize('names', [[0, 1], ['a', 7], ['column one', 'ü'], [1.5, 'b']])
def test_column_names(names: list[Any]) -> None:
    data = pd.DataFrame({names[0]: INTEGERS, names[1]: np.where(INTEGERS % 2, 'p', 'q')})
    entries = {str(names[0]): {'sdtype': 'numerical'}, str(names[1]): {'sdtype': 'categorical'}}
    synthesizer = fit_tiny(data, entries)

    assert list(synthesizer.sample(3).columns) == names
    known = data[[names[1]]].head(3)
    assert list(synthesizer.sample_remaining_columns(known).columns) == names
    gaps = data.astype({names[0]: float})
    gaps.iloc[2, 0] = np.nan
    filled = synthesizer.impute(gaps)
    assert list(filled.columns) == names
    assert not filled.isna().any(axis=None)


def test_days_are_drawn_to_the_nearest_day() -> None:
    data = pd.DataFrame({'x': DATES.dt.strftime(DAYS)})
    entry = {'sdtype': 'datetime', 'datetime_format': DAYS}
    sampled = fit_tiny(data, {'x': entry}, max_atoms=0).sample(100)

    assert pd.to_datetime(sampled['x'], format=DAYS).between(DATES.min(), DATES.max()).all()


@pytest.mark.parametrize('first', ['3/2/2021', '03/2/2021'])
def test_days_and_months_without_zeros_are_not_exchanged(first: str) -> None:
    days = [first, *(f'{day}/{month}/2021' for day in range(1, 13) for month in (1, 2))]
    data = pd.DataFrame({'x': days * 3})
    entry = {'sdtype': 'datetime', 'datetime_format': '%-d/%-m/%Y'}
    sampled = fit_tiny(data, {'x': entry}).sample(50)

    assert set(sampled['x'].str.split('/').str[1]) <= {'1', '2'}


@pytest.mark.parametrize('text_format', ['%m/%d/%Y', None])
def test_dates_are_written_without_zeros_where_the_table_has_none(text_format: str | None) -> None:
    days = pd.Series(pd.date_range('2021-01-05', periods=200, freq='4D'))
    data = pd.DataFrame({'x': days.dt.strftime('%-m/%-d/%Y')})
    entry = {'sdtype': 'datetime'} | ({'datetime_format': text_format} if text_format else {})
    synthesizer = fit_tiny(data, {'x': entry})
    drawn = synthesizer.sample(100)['x']
    assert not drawn.str.contains(r'(?:^|/)0').any()
    assert pd.to_datetime(drawn, format='%m/%d/%Y').between(days.min(), days.max()).all()
    asked = synthesizer.sample_from_conditions([Condition({'x': '01/05/2021'}, num_rows=3)])
    assert asked['x'].tolist() == ['1/5/2021'] * 3


def test_dates_beyond_nanoseconds_are_refused() -> None:
    data = pd.DataFrame({'x': np.array(['0999-01-01', '2020-01-01'], dtype='datetime64[s]')})

    with pytest.raises(Exception, match=r"'x' has dates from .* must lie between 1677"):
        fit_tiny(data, {'x': {'sdtype': 'datetime'}})


@pytest.mark.parametrize('text_format', [None, DAYS])
@pytest.mark.parametrize('form', ['dates', 'category'])
def test_dates_in_a_zone_beyond_nanoseconds_are_refused(form: str, text_format: str | None) -> None:
    dates = pd.Series(np.array(['1451-08-12', '2020-01-01'], dtype='datetime64[us]'))
    zoned = dates.dt.tz_localize('UTC').dt.tz_convert('Asia/Kathmandu')
    data = pd.DataFrame({'x': zoned.astype('category') if form == 'category' else zoned})
    entry = {'sdtype': 'datetime', **({'datetime_format': text_format} if text_format else {})}

    # Whoever looks at such a date by itself ends this process, in pandas.
    with pytest.raises(Exception, match=r"'x' has dates from .* must lie between 1677"):
        fit_tiny(data, {'x': entry})


def test_a_table_with_gaps_of_r_is_learnt_like_one_with_gaps_of_numpy() -> None:
    height = (1.5 + INTEGERS / 200).round(2)
    table = pd.DataFrame({'height': np.where(GAPS, np.nan, height), 'square': height**2})
    from_r = table.copy()
    signalling = np.array([0x7FF0_0000_0000_07A2], dtype=np.uint64).view(np.float64)
    cells = table['height'].to_numpy().copy()
    cells[GAPS] = signalling
    from_r['height'] = cells
    entries = {key: {'sdtype': 'numerical'} for key in table}

    first, second = (fit_tiny(rows, entries).sample(50) for rows in (table, from_r))

    pd.testing.assert_frame_equal(first, second)
