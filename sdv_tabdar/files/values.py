"""Plain values as JSON and arrays, and back.

JSON knows texts, numbers, lists and dictionaries. Everything else stands in an object with a single
name that begins with ``$`` and says how to read it; there is a reader for each of these names and
for no others. Arrays, and lists of many numbers, are kept beside the JSON under names.
"""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.files import dtypes

Arrays = dict[str, npt.NDArray[Any]]

_MANY = 32  # numbers in a list, from which on it is an array
_DEEPEST = 40
_PLAIN = {str, int, float, bool, type(None)}
_INT64 = 2**63
MOST_DIGITS = 400
_EPOCH = datetime.date(1970, 1, 1)


class Foreign(ValueError):
    """A value of a type that cannot be written."""


class Writer:
    """Turns values into JSON; arrays collect on the way.

    Attributes:
        arrays: The arrays by name.
    """

    def __init__(self) -> None:
        self.arrays: Arrays = {}

    def node(self, value: Any, place: str) -> Any:
        """The JSON of a value.

        Raises:
            Foreign: If its type, or that of something in it, is not known here.
        """
        kind = type(value)
        if kind is float and not math.isfinite(value):
            return {'$float': str(value)}
        if kind in _PLAIN:
            return self._checked_plain(value, place)
        if kind is list:
            return self._list(value, place)
        if kind is dict:
            return self._dictionary(value, place)
        if kind is tuple:
            return {'$tuple': self._entries(value, place)}
        if kind is frozenset:
            return {'$set': self._entries(sorted(value, key=repr), place)}
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        return self._scalar(value, place)

    def _checked_plain(self, value: Any, place: str) -> Any:
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                return {'$utf16': value.encode('utf-16-le', 'surrogatepass').hex()}
        if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
            raise Foreign(f"'{place}' is a number of more than {MOST_DIGITS} digits.")
        return value

    def _entries(self, values: Any, place: str) -> list[Any]:
        return [self.node(entry, f'{place}[{place_}]') for place_, entry in enumerate(values)]

    def _list(self, values: list[Any], place: str) -> Any:
        if len(values) >= _MANY:
            kinds = set(map(type, values))
            if kinds == {float}:
                return {'$floats': self._named(np.array(values, dtype=np.float64), place)}
            if kinds == {int} and min(values) >= -_INT64 and max(values) < _INT64:
                return {'$ints': self._named(np.array(values, dtype=np.int64), place)}
            if kinds == {list} and {(len(e), *map(type, e)) for e in values} == {(2, float, float)}:
                return {'$floats': self._named(np.array(values, dtype=np.float64), place)}
        return self._entries(values, place)

    def _dictionary(self, value: dict[Any, Any], place: str) -> Any:
        names = [name for name in value if type(name) is str]
        if len(names) == len(value) and all(map(_is_plain_name, names)):
            return {name: self.node(e, f'{place}.{name}') for name, e in value.items()}
        pairs = [[key, entry] for key, entry in value.items()]
        return {'$dict': [self._entries(pair, place) for pair in pairs]}

    def _array(self, value: npt.NDArray[Any], place: str) -> Any:
        if value.dtype.kind not in 'biuf' or value.dtype.itemsize > 8:
            raise Foreign(f"'{place}' is an array of {value.dtype}.")
        return {'$array': self._named(value, place)}

    def _named(self, array: npt.NDArray[Any], place: str) -> str:
        name = f'{len(self.arrays):05d} {place}'[:200]
        little = array.dtype.newbyteorder('<')
        self.arrays[name] = np.ascontiguousarray(array, dtype=little).reshape(array.shape)
        return name

    def _scalar(self, value: Any, place: str) -> Any:
        if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
            plain = value.item()  # of a long double itself
            return self.node(float(plain) if isinstance(plain, np.longdouble) else plain, place)
        for tag, (kinds, write) in _WRITTEN.items():
            if type(value) in kinds:
                return {tag: self.node(write(value), place)}
        for write_node in (dtypes.dtype_node, dtypes.zone_node, dtypes.type_node):
            found = write_node(value, lambda part: self.node(part, place))
            if found is not None:
                return found
        raise Foreign(
            f"'{place}' holds a value of type {type(value).__name__}, which a safe file cannot "
            'hold. Turn such values into texts, numbers or dates, or save with save().'
        )


class Reader:
    """Turns JSON back into values.

    Args:
        arrays: The arrays by name; each must be asked for once.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._arrays = dict(arrays)

    @property
    def left(self) -> list[str]:
        """Names of arrays that nothing has asked for."""
        return list(self._arrays)

    def value(self, node: Any, place: str, depth: int = 0) -> Any:
        """The value of a piece of JSON.

        Raises:
            Unfit: If it cannot have been written by :class:`Writer`.
        """
        if depth > _DEEPEST:
            raise Unfit(place, f'is nested deeper than {_DEEPEST} times.')
        if type(node) is list:
            if set(map(type, node)) <= _PLAIN:
                return node
            return [self.value(e, f'{place}[{number}]', depth + 1) for number, e in enumerate(node)]
        if type(node) is not dict:
            return node
        if len(node) == 1:
            (tag,) = node
            if tag.startswith('$'):
                return self._tagged(tag, node[tag], place, depth)
        if any(name.startswith('$') for name in node):
            raise Unfit(place, 'has names that begin with $.')
        return {name: self.value(e, f'{place}.{name[:60]}', depth + 1) for name, e in node.items()}

    def _tagged(self, tag: str, node: Any, place: str, depth: int) -> Any:
        if tag in ('$array', '$floats', '$ints'):
            array = self._array(node, place)
            return array if tag == '$array' else self._numbers(tag, array, place)
        content = self.value(node, place, depth + 1)
        try:
            if tag == '$dict':
                return _dictionary(content)
            if tag in _READ:
                return _READ[tag](content)
            if tag in dtypes.READERS:
                return dtypes.READERS[tag](content)
        except Unfit:
            raise
        except Exception as error:  # of pandas, NumPy, datetime: they raise many kinds
            raise Unfit(place, f'cannot be read as {tag}: {str(error)[:100]}') from error
        raise Unfit(place, f'is of the kind {tag[:20]!r}, which this version does not know.')

    def _array(self, name: Any, place: str) -> npt.NDArray[Any]:
        if not isinstance(name, str) or name not in self._arrays:
            raise Unfit(place, 'names an array that is not there, or is used twice.')
        return self._arrays.pop(name)

    @staticmethod
    def _numbers(tag: str, array: npt.NDArray[Any], place: str) -> list[Any]:
        wanted = 'f8' if tag == '$floats' else 'i8'
        if array.dtype.str[1:] != wanted or array.ndim not in (1, 2):
            raise Unfit(place, f'is an array of {array.dtype}; it must be a list of {wanted}.')
        listed: list[Any] = array.tolist()
        return listed


def _is_plain_name(name: str) -> bool:
    """Whether JSON can have this name for an entry, and it is no tag."""
    return not name.startswith('$') and not any('\ud800' <= letter <= '\udfff' for letter in name)


def _dictionary(pairs: Any) -> dict[Any, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError('a key occurs twice')
    return found


def _read_float(content: Any) -> float:
    return {'nan': np.nan, 'inf': math.inf, '-inf': -math.inf}[content]


def _read_tuple(content: Any) -> tuple[Any, ...]:
    if not isinstance(content, list):
        raise TypeError('no list')
    return tuple(content)


def _read_decimal(content: Any) -> decimal.Decimal:
    if len(content) > 2 * MOST_DIGITS:
        raise ValueError('too many digits')
    return decimal.Decimal(content)


def _written_datetime(value: datetime.datetime) -> list[Any]:
    return [value.replace(tzinfo=None, fold=0).isoformat(), value.fold, value.tzinfo]


def _read_datetime(content: Any) -> datetime.datetime:
    text, fold, zone = content
    return datetime.datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


def _written_stamp(value: pd.Timestamp) -> list[Any]:
    return [int(value.asm8.astype(np.int64)), value.unit, value.tzinfo]


def _read_stamp(content: Any) -> pd.Timestamp:
    count, unit, zone = content
    stamp = pd.Timestamp(np.datetime64(count, unit))
    return stamp if zone is None else stamp.tz_localize('UTC').tz_convert(zone)


def _written_time(value: datetime.time) -> list[Any]:
    return [value.replace(tzinfo=None).isoformat(), value.tzinfo]


def _read_time(content: Any) -> datetime.time:
    text, zone = content
    return datetime.time.fromisoformat(text).replace(tzinfo=zone)


def _read_period(content: Any) -> pd.Period:
    ordinal, freq = content
    return pd.Period(ordinal=ordinal, freq=freq)


def _read_interval(content: Any) -> pd.Interval:
    left, right, closed = content
    return pd.Interval(left, right, closed)


_SPANS: tuple[type, ...] = (pd.Timedelta,)
_WRITTEN: Mapping[str, tuple[tuple[type, ...], Callable[[Any], Any]]] = {
    '$bytes': ((bytes,), lambda value: value.hex()),
    '$decimal': ((decimal.Decimal,), str),
    '$complex': ((complex,), lambda value: [value.real, value.imag]),
    '$uuid': ((uuid.UUID,), lambda value: value.hex),
    '$stamp': ((pd.Timestamp,), _written_stamp),
    '$span': (_SPANS, lambda value: [int(value.asm8.astype(np.int64)), value.unit]),
    '$datetime': ((datetime.datetime,), _written_datetime),
    '$date': ((datetime.date,), lambda value: (value - _EPOCH).days),
    '$time': ((datetime.time,), _written_time),
    '$timedelta': (
        (datetime.timedelta,),
        lambda value: [value.days, value.seconds, value.microseconds],
    ),
    '$datetime64': ((np.datetime64,), lambda value: [*_parts(value)]),
    '$timedelta64': ((np.timedelta64,), lambda value: [*_parts(value)]),
    '$period': ((pd.Period,), lambda value: [value.ordinal, value.freqstr]),
    '$interval': ((pd.Interval,), lambda value: [value.left, value.right, value.closed]),
    '$nat': ((type(pd.NaT),), lambda value: None),
    '$na': ((type(pd.NA),), lambda value: None),
}


def _parts(value: Any) -> tuple[int, str]:
    """Count and unit of one of NumPy's dates or spans; units of several are multiplied out."""
    unit, step = np.datetime_data(value.dtype)
    return int(value.astype(np.int64)) * step, unit


_READ: Mapping[str, Callable[[Any], Any]] = {
    '$float': _read_float,
    '$utf16': lambda content: bytes.fromhex(content).decode('utf-16-le', 'surrogatepass'),
    '$tuple': _read_tuple,
    '$set': frozenset,
    '$bytes': bytes.fromhex,
    '$decimal': _read_decimal,
    '$complex': lambda content: complex(*content),
    '$uuid': lambda content: uuid.UUID(hex=content),
    '$stamp': _read_stamp,
    '$span': lambda content: pd.Timedelta(np.timedelta64(*content)),
    '$datetime': _read_datetime,
    '$date': lambda content: _EPOCH + datetime.timedelta(days=content),
    '$time': _read_time,
    '$timedelta': lambda content: datetime.timedelta(*content),
    '$datetime64': lambda content: np.datetime64(*content),
    '$timedelta64': lambda content: np.timedelta64(*content),
    '$period': _read_period,
    '$interval': _read_interval,
    '$nat': lambda content: pd.NaT,
    '$na': lambda content: pd.NA,
}
