"""Plain values come back as they were; what no writer writes is refused."""

from __future__ import annotations

import datetime
import decimal
import json
import math
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytz
from dateutil import tz as dateutil_zones

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.files.values import Foreign, Reader, Writer

BERLIN = zoneinfo.ZoneInfo('Europe/Berlin')
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**70, 0.1, -0.0, 1e300, math.inf, -math.inf),
    *('', 'text', 'a\x00b', '\ud800', '$dict'),
    *([], [1, 'a', None], (), (1, (2.5,)), {}, {'a': 1}, {'$a': 1}, {1: 'x', None: 2, (1, 2): 3}),
    *(frozenset({1, 2}), b'\xff\x00', decimal.Decimal('1.50'), 1 + 2j, uuid.UUID(int=7)),
    *(datetime.date(1, 1, 1), datetime.date(2020, 2, 29), datetime.time(12, 30, 1, 5)),
    *(datetime.datetime(2020, 1, 1, 2, 3, 4, 5), datetime.datetime(2020, 7, 1, tzinfo=BERLIN)),
    *(datetime.timedelta(days=-3, microseconds=7), datetime.timezone.utc, BERLIN),
    *(pytz.timezone('Europe/Berlin'), pytz.UTC, pytz.FixedOffset(90)),
    *(
        dateutil_zones.tzutc(),
        dateutil_zones.tzoffset(None, 3600),
        dateutil_zones.gettz('Asia/Tokyo'),
    ),
    *(pd.Timestamp('2020-01-01 00:00:00.123456789'), pd.Timestamp('1700-01-01').as_unit('s')),
    *(pd.Timestamp('2020-07-01', tz='Europe/Berlin'), pd.Timedelta('1D 3ns')),
    *(pd.Period('2020-05', 'M'), pd.Period('2020Q2', 'Q'), pd.Interval(0, 1.5, 'left')),
    *(np.datetime64('2020-01-01T00', 'h'), np.timedelta64(3, 'D')),
    *(str, int, np.int16, datetime.date, pd.Timestamp, decimal.Decimal),
    *([0.5] * 40, list(range(50)), [[0.5, 1.0]] * 40, [2**80] * 40, [True, 1] * 20),
]
DTYPES: list[Any] = [
    *(np.dtype(kind) for kind in ('int8', 'uint64', 'float16', 'bool', 'object', 'M8[ns]', 'U7')),
    *(pd.Int8Dtype(), pd.UInt32Dtype(), pd.Float32Dtype(), pd.BooleanDtype()),
    *(pd.StringDtype('python'), pd.DatetimeTZDtype('us', BERLIN), pd.PeriodDtype('M')),
    *(pd.IntervalDtype('int64', 'both'), pd.SparseDtype('float64', 0.0), pd.CategoricalDtype()),
    pd.CategoricalDtype(['b', 'a'], ordered=True),
    pd.CategoricalDtype(pd.date_range('2020-01-01', periods=3, tz='UTC')),
    pd.CategoricalDtype(pd.interval_range(0, 4)),
    pd.CategoricalDtype(list(range(60))),
]


def again(value: Any) -> Any:
    writer = Writer()
    document = json.loads(json.dumps(writer.node(value, 'x'), allow_nan=False))
    reader = Reader(writer.arrays)
    found = reader.value(document, 'x')
    assert reader.left == []
    return found


@pytest.mark.parametrize('value', VALUES, ids=lambda value: repr(value)[:40])
def test_values_come_back(value: Any) -> None:
    found = again(value)

    assert type(found) is type(value)
    assert found == value
    assert repr(found) == repr(value)


@pytest.mark.parametrize('dtype', DTYPES, ids=str)
def test_dtypes_come_back(dtype: Any) -> None:
    found = again(dtype)

    assert found == dtype
    assert str(found) == str(dtype)


@pytest.mark.parametrize(('values', 'ordered'), [('string', False), ('timestamp[us]', True)])
def test_dictionaries_of_arrow_come_back(values: str, ordered: bool) -> None:
    arrow = pytest.importorskip('pyarrow')
    dtype = pd.ArrowDtype(arrow.dictionary(arrow.int8(), arrow.type_for_alias(values), ordered))

    assert again(dtype) == dtype


def test_missing_values_come_back_as_they_are_spelt() -> None:
    assert again(np.nan) is np.nan  # as a key of a dictionary it is found by identity
    assert again(pd.NaT) is pd.NaT
    assert again(pd.NA) is pd.NA
    assert again(decimal.Decimal('NaN')).is_nan()


def test_arrays_come_back() -> None:
    for array in (np.arange(6.0).reshape(2, 3), np.zeros((0, 4), np.float32), np.array([True])):
        found = again({'a': array})['a']
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_scalars_of_numpy_become_pythons() -> None:
    values = [np.float32(0.5), np.int64(3), np.bool_(True), np.longdouble(0.25)]

    assert again(values) == [0.5, 3, True, 0.25]
    assert type(again(np.longdouble(0.25))) is float


@pytest.mark.parametrize('value', [object(), [object()], {'a': {1}}, np.array([None]), 10**500])
def test_what_cannot_be_written_is_said(value: Any) -> None:
    with pytest.raises(Foreign, match="^'x"):
        Writer().node(value, 'x')


@pytest.mark.parametrize(
    'document',
    [
        {'$code': '1'},
        {'$array': 'absent'},
        {'$floats': 3},
        {'$decimal': '9' * 10_000},
        {'$dict': [[1, 2], [1, 3]]},
        {'$dict': [[[], 1]]},
        {'$dtype': 'V9'},
        {'$dtype': 'O,i4'},
        {'$zone': ['zoneinfo', '../../etc/passwd']},
        {'$zone': ['other', 'UTC']},
        {'$type': 'type'},
        {'$arrow': 'struct<a: int64>'},
        {'$arrow': 'dictionary<values=struct<a: int64>, indices=int32, ordered=0>'},
        {'$strings': ['evil', 'na']},
        {'$stamp': [2**70, 'ns', None]},
        {'$tuple': 'ab'},
        {'$float': 'one'},
        {'a': 1, '$tuple': []},
    ],
    ids=str,
)
def test_what_no_writer_writes_is_refused(document: Any) -> None:
    with pytest.raises(Unfit, match="^'x"):
        Reader({}).value(document, 'x')
