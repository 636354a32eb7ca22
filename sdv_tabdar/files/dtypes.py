"""Dtypes, time zones and types of values as JSON, and back: only those that are listed here."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
import zoneinfo
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytz
from dateutil import tz as dateutil_zones

Part = Callable[[Any], Any]
"""Writes a value that is a part of another."""

_NUMPY = re.compile(r'[<>|=]?([biufcOSU]\d{0,9}|[mM]8(\[(Y|M|W|D|h|m|s|ms|us|ns)\])?)')
_ZONE = re.compile(r'[A-Za-z0-9_+\-]{1,40}(/[A-Za-z0-9_+\-]{1,40}){0,3}')

_PANDAS = (
    *(f'{sign}Int{bits}' for sign in ('', 'U') for bits in (8, 16, 32, 64)),
    'Float32',
    'Float64',
    'boolean',
)
_ARROW_SIMPLE = (
    *(f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)),
    *('halffloat', 'float', 'double', 'bool', 'string', 'large_string', 'binary', 'large_binary'),
    *('date32[day]', 'date64[ms]', 'time32[s]', 'time32[ms]', 'time64[us]', 'time64[ns]'),
    *(f'duration[{unit}]' for unit in ('s', 'ms', 'us', 'ns')),
    'null',
)
_ARROW_STAMP = re.compile(r'timestamp\[(s|ms|us|ns)(?:, tz=([^\]]{1,80}))?\]')
_ARROW_DECIMAL = re.compile(r'decimal(128|256)\((\d{1,2}), (-?\d{1,2})\)')

_ARROW_DICTIONARY = re.compile(
    r'dictionary<values=([a-z0-9_\[\]]{1,20}), indices=(u?int(?:8|16|32|64)), ordered=([01])>'
)

_TYPES: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        *(str, int, float, bool, bytes, complex, tuple, frozenset, decimal.Decimal, uuid.UUID),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
        *(pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval),
        *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64, np.str_, np.bool_, np.datetime64, np.timedelta64),
    )
}


def type_node(value: Any, part: Part) -> Any:
    """The JSON of a type of values; None if this is none that is listed.

    What a column's values are is asked only of whole numbers and of dates, so that a type of
    the user's own becomes the listed one that it is derived from, or None.
    """
    if not isinstance(value, type):
        return None
    names = {kind: name for name, kind in _TYPES.items()}
    for kind in value.__mro__:
        if kind in names and (kind is value or issubclass(kind, (int, np.integer))):
            return {'$type': names[kind]}
    return {'$type': None}


def zone_node(value: Any, part: Part) -> Any:
    """The JSON of a time zone; None if it is none that has a name or a fixed offset."""
    if not isinstance(value, datetime.tzinfo):
        return None
    if isinstance(value, zoneinfo.ZoneInfo) and value.key:
        return {'$zone': ['zoneinfo', value.key]}
    if isinstance(value, datetime.timezone):
        return {'$zone': ['fixed', _seconds(value)]}
    if isinstance(value, pytz.tzinfo.BaseTzInfo) and getattr(value, 'zone', None):
        return {'$zone': ['pytz', value.zone]}
    if type(value).__module__.startswith('pytz') and value.utcoffset(None) is not None:
        return {'$zone': ['minutes', int(_seconds(value) // 60)]}
    if isinstance(value, dateutil_zones.tzutc):
        return {'$zone': ['dateutil', 'UTC']}
    if isinstance(value, dateutil_zones.tzoffset):
        return {'$zone': ['offset', _seconds(value)]}
    if isinstance(value, dateutil_zones.tzlocal):
        return _local_node(value)
    if isinstance(value, dateutil_zones.tzfile):
        name = repr(value).rsplit('zoneinfo/', 1)[-1].strip("')")
        if _ZONE.fullmatch(name) and dateutil_zones.gettz(name) == value:
            return {'$zone': ['dateutil', name]}
    return None


def _local_node(zone: datetime.tzinfo) -> Any:
    """The zone of this machine by its offset; None if that changes in the course of a year."""
    moments = (datetime.datetime(2000, month, 1) for month in range(1, 13))
    offsets = {zone.utcoffset(moment) or datetime.timedelta() for moment in moments}
    return {'$zone': ['offset', offsets.pop().total_seconds()]} if len(offsets) == 1 else None


def _seconds(zone: datetime.tzinfo) -> float:
    """The offset of a zone that always has the same."""
    offset = zone.utcoffset(None)
    return 0.0 if offset is None else offset.total_seconds()


def read_zone(content: Any) -> datetime.tzinfo:
    """A time zone by library and name, or by its offset."""
    library, name = content
    if library == 'fixed':
        return datetime.timezone(datetime.timedelta(seconds=name))
    if library == 'minutes':
        return pytz.FixedOffset(name)
    if library == 'offset':
        return dateutil_zones.tzoffset(None, name)
    if not _ZONE.fullmatch(name):
        raise ValueError(f'{name[:40]!r} is no time zone')
    found: datetime.tzinfo | None = None
    if library == 'zoneinfo':
        found = zoneinfo.ZoneInfo(name)
    elif library == 'pytz':
        found = pytz.timezone(name)
    elif library == 'dateutil':
        found = dateutil_zones.tzutc() if name == 'UTC' else dateutil_zones.gettz(name)
    if found is None:
        raise ValueError(f'{name[:40]!r} is no time zone')
    return found


def dtype_node(value: Any, part: Part) -> Any:
    """The JSON of a dtype; None if it is none that is listed."""
    if isinstance(value, np.dtype):
        return {'$dtype': value.str} if _NUMPY.fullmatch(value.str) else None
    if isinstance(value, pd.CategoricalDtype):
        return {'$categories': _categories(value, part)}
    if isinstance(value, pd.DatetimeTZDtype):
        return {'$dates': [value.unit, part(value.tz)]}
    if isinstance(value, pd.PeriodDtype):
        return {'$periods': str(value).removeprefix('period[').removesuffix(']')}
    if isinstance(value, pd.IntervalDtype):
        subtype = None if value.subtype is None else part(value.subtype)
        return {'$intervals': [subtype, value.closed]}
    if isinstance(value, pd.StringDtype):
        return {'$strings': [value.storage, 'nan' if value.na_value is not pd.NA else 'na']}
    if isinstance(value, pd.ArrowDtype):
        text = str(value.pyarrow_dtype)
        return {'$arrow': text} if _is_arrow(text) else None
    if isinstance(value, pd.SparseDtype):
        return {'$sparse': [part(value.subtype), part(value.fill_value)]}
    if isinstance(value, pd.api.extensions.ExtensionDtype) and str(value) in _PANDAS:
        return {'$pandas': str(value)}
    return None


def _categories(value: Any, part: Part) -> list[Any]:
    if value.categories is None:
        return [None, None, bool(value.ordered)]
    categories = value.categories
    if isinstance(categories, (pd.IntervalIndex, pd.RangeIndex)):
        return [part(list(categories)), None, bool(value.ordered)]
    return [part(categories.tolist()), part(categories.dtype), bool(value.ordered)]


def _read_categories(content: Any) -> pd.CategoricalDtype:
    values, dtype, ordered = content
    if values is None:
        return pd.CategoricalDtype(ordered=ordered)
    if not isinstance(values, list) or not isinstance(ordered, bool):
        raise ValueError('these are no categories')
    index = pd.Index(values, dtype=dtype, tupleize_cols=False)
    return pd.CategoricalDtype(index, ordered=ordered)


def _read_numpy(content: Any) -> np.dtype[Any]:
    if not _NUMPY.fullmatch(content):
        raise ValueError(f'{content[:40]!r} is no dtype of a column')
    return np.dtype(content)


def _read_dates(content: Any) -> pd.DatetimeTZDtype:
    unit, zone = content
    return pd.DatetimeTZDtype(unit, zone)


def _read_intervals(content: Any) -> pd.IntervalDtype:
    subtype, closed = content
    return pd.IntervalDtype(subtype, closed)


def _read_strings(content: Any) -> pd.StringDtype:
    storage, missing = content
    if storage not in ('python', 'pyarrow') or missing not in ('na', 'nan'):
        raise ValueError('there is no such dtype of texts')
    return pd.StringDtype(storage) if missing == 'na' else pd.StringDtype(storage, np.nan)


def _read_pandas(content: Any) -> Any:
    if content not in _PANDAS:
        raise ValueError('there is no such dtype')
    return pd.api.types.pandas_dtype(content)


def _is_arrow(text: str) -> bool:
    levels = _ARROW_DICTIONARY.fullmatch(text)
    text = text if levels is None else levels[1]
    known = text in _ARROW_SIMPLE or _ARROW_STAMP.fullmatch(text)
    return bool(known or _ARROW_DECIMAL.fullmatch(text))


def _read_arrow(content: Any) -> pd.ArrowDtype:
    if not _is_arrow(content):
        raise ValueError('there is no such dtype of Arrow')
    import pyarrow  # optional: only columns of Arrow's need it

    return pd.ArrowDtype(_arrow_type(content, pyarrow))


def _arrow_type(content: str, pyarrow: Any) -> Any:
    levels = _ARROW_DICTIONARY.fullmatch(content)
    if levels:
        values, indices = (_arrow_type(part, pyarrow) for part in levels.groups()[:2])
        return pyarrow.dictionary(indices, values, ordered=levels[3] == '1')
    stamp, digits = _ARROW_STAMP.fullmatch(content), _ARROW_DECIMAL.fullmatch(content)
    if stamp:
        return pyarrow.timestamp(stamp[1], stamp[2])
    if digits:
        make = pyarrow.decimal128 if digits[1] == '128' else pyarrow.decimal256
        return make(int(digits[2]), int(digits[3]))
    return pyarrow.type_for_alias(content)


def _read_sparse(content: Any) -> pd.SparseDtype:
    subtype, fill = content
    return pd.SparseDtype(subtype, fill)


READERS: Mapping[str, Callable[[Any], Any]] = {
    '$type': lambda content: None if content is None else _TYPES[content],
    '$zone': read_zone,
    '$dtype': _read_numpy,
    '$categories': _read_categories,
    '$dates': _read_dates,
    '$periods': pd.PeriodDtype,
    '$intervals': _read_intervals,
    '$strings': _read_strings,
    '$pandas': _read_pandas,
    '$arrow': _read_arrow,
    '$sparse': _read_sparse,
}
