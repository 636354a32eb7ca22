"""Columns of every sdtype, dtype and text format: strategies draw a description, code builds it.

Hypothesis draws only short descriptions (:class:`ColumnSpec`); the cells come from a NumPy
generator seeded by them. So a case is small to print and can be built again anywhere.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from collections.abc import Callable, Hashable
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from hypothesis import strategies as st

Values = list[Any]
Random = np.random.Generator

GAPS = {'none': 0.0, 'some': 0.3, 'most': 0.9, 'all': 1.0}


@dataclasses.dataclass(frozen=True)
class ColumnSpec:
    """What a column is like.

    Attributes:
        sdtype: Its sdtype in metadata written by hand.
        source: Which values it has, a key of the sources of the sdtype.
        form: How they are stored, a key of the forms of the sdtype.
        gaps: How many cells are missing, a key of ``GAPS``.
        seed: Seed of the cells.
    """

    sdtype: str
    source: str
    form: str
    gaps: str = 'none'
    seed: int = 0

    def build(self, rows: int) -> tuple[pd.Series, dict[str, Any]]:
        """The column, and its entry in the metadata."""
        random = np.random.default_rng(self.seed)
        values = SOURCES[self.sdtype][self.source](random, rows)
        missing = random.random(rows) < GAPS[self.gaps]
        values = [None if gap else value for value, gap in zip(values, missing, strict=True)]
        series = FORMS[self.sdtype][self.form](values)
        entry: dict[str, Any] = {'sdtype': self.sdtype, **ENTRIES.get(self.form, {})}
        if self.sdtype == 'ordinal':
            levels = sorted(set(series.dropna().tolist()), key=str)
            entry['range_values'] = levels
        if self.sdtype in PII:
            entry['pii'] = True
        if self.sdtype == 'id' and self.source == 'regex':
            entry['regex_format'] = 'k[0-9]{5}'
        return series, entry


def _picked(pool: Values) -> Callable[[Random, int], Values]:
    return lambda random, rows: [pool[place] for place in random.integers(0, len(pool), rows)]


def _numbers(draw: Callable[[Random, int], Any]) -> Callable[[Random, int], Values]:
    return lambda random, rows: np.asarray(draw(random, rows)).tolist()


EPOCH = datetime.datetime(1970, 1, 1)


def _moments(
    start: datetime.datetime, seconds: float, unit: float
) -> Callable[[Random, int], Values]:
    """Dates after ``start`` in multiples of ``unit`` seconds."""

    def draw(random: Random, rows: int) -> Values:
        steps = random.integers(0, max(1, int(seconds / unit)), rows)
        return [start + datetime.timedelta(seconds=float(step) * unit) for step in steps]

    return draw


DAY, YEAR = 86_400.0, 86_400.0 * 365

MIXED = [1, '1', 2.5, 'two', True, 'é', 0]

SOURCES: dict[str, dict[str, Callable[[Random, int], Values]]] = {
    'numerical': {
        'whole': _numbers(lambda random, rows: random.integers(-40, 90, rows)),
        'few': _numbers(lambda random, rows: random.integers(0, 3, rows)),
        'constant': lambda _, rows: [7] * rows,
        'normal': _numbers(lambda random, rows: random.normal(size=rows)),
        'cents': _numbers(lambda random, rows: np.round(random.lognormal(3, 1, rows), 2)),
        'spike': _numbers(
            lambda random, rows: np.where(random.random(rows) < 0.5, 0, random.normal(size=rows))
        ),
        'large whole': _numbers(lambda random, rows: random.integers(2**53, 2**62, rows)),
        'huge': _numbers(lambda random, rows: random.normal(size=rows) * 10.0**300),
        'tiny': _numbers(lambda random, rows: random.normal(size=rows) * 10.0**-300),
        'all scales': _numbers(lambda random, rows: 10.0 ** random.integers(-300, 300, rows)),
        'close': _numbers(lambda random, rows: 1e9 + random.integers(0, 50, rows) * 1e-6),
        'unique': lambda _, rows: list(range(rows)),
    },
    'categorical': {
        'letters': _picked(list('abc')),
        'constant': lambda _, rows: ['same'] * rows,
        'unique': lambda _, rows: [f'text {place}' for place in range(rows)],
        'emoji': _picked(['😀', '👩‍👩‍👧', 'ü', '\u202eright to left', 'a\nb', 'tab\t']),
        'blank': _picked(['', ' ', '  ', 'x']),
        'looks missing': _picked(['nan', 'None', 'NA', '<NA>', 'null', 'NaT']),
        'whole': _picked([1, 2, 30]),
        'decimals': _picked([0.1, 2.5, -1e300]),
        'flags': _picked([True, False]),
        'mixed': _picked(MIXED),
        'dates': _picked([datetime.date(2020, 1, 1), datetime.date(1, 1, 1)]),
        'tuples': _picked([(1, 2), ('a', None)]),
        'separators': _picked(['a#b', 'a.b', 'a,b;c', '"quoted"', 'x.is_null', '#']),
    },
    'boolean': {
        'both': _picked([True, False]),
        'true': lambda _, rows: [True] * rows,
    },
    'ordinal': {
        'whole': _picked([1, 2, 3, 4]),
        'words': _picked(['low', 'middle', 'top']),
        'decimals': _picked([0.5, 1.0, 1.5]),
        'constant': lambda _, rows: [3] * rows,
    },
    'datetime': {
        'days': _moments(datetime.datetime(2020, 1, 1), 300 * DAY, DAY),
        'seconds': _moments(datetime.datetime(2021, 3, 28), 5 * DAY, 1.0),
        'microseconds': _moments(datetime.datetime(2021, 3, 28), 1.0, 1e-6),
        'constant': lambda _, rows: [datetime.datetime(2001, 9, 9)] * rows,
        'around 1970': _moments(EPOCH - datetime.timedelta(days=90), 180 * DAY, DAY),
        'before 1700': _moments(datetime.datetime(1200, 1, 1), 400 * YEAR, DAY),
        'after 2262': _moments(datetime.datetime(2300, 1, 1), 600 * YEAR, DAY),
        'from 1 to 9999': _moments(datetime.datetime(1, 1, 1), 9_990 * YEAR, DAY),
    },
    'id': {
        'whole': lambda random, rows: (random.permutation(rows) + 5_000).tolist(),
        'text': lambda random, rows: [f'id {place}' for place in random.permutation(rows)],
        'regex': lambda random, rows: [f'k{place:05d}' for place in random.permutation(rows)],
        'repeated': _picked(['g1', 'g2', 'g3']),
    },
    'unknown': {
        'text': lambda _, rows: [f'm{place}' for place in range(rows)],
        'mixed': _picked(MIXED),
        'whole': lambda _, rows: list(range(rows)),
    },
}
PII = ('email', 'phone_number', 'ssn', 'name', 'address', 'credit_card_number')
SOURCES |= {
    sdtype: {
        'text': lambda _, rows: [f'person{place}@example.org' for place in range(rows)],
        'constant': lambda _, rows: ['one'] * rows,
    }
    for sdtype in PII
}
SOURCES['phone_number']['whole'] = lambda _, rows: [5_550_000 + place for place in range(rows)]


class DoesNotFit(Exception):
    """The values cannot be stored in this form."""


def _cast(dtype: Any) -> Callable[[Values], pd.Series]:
    """Values cast to a dtype; what lies outside it is brought inside."""

    def form(values: Values) -> pd.Series:
        target = pd.api.types.pandas_dtype(dtype)
        kind = getattr(target, 'numpy_dtype', target)
        if isinstance(kind, np.dtype) and kind.kind in 'iu':
            values = [_within(value, np.iinfo(kind)) for value in values]
            if None in values and isinstance(target, np.dtype):
                target = np.dtype('float64')  # whole numbers with gaps, as pandas has them
        if isinstance(kind, np.dtype) and kind.kind == 'f':
            values = [None if v is None else float(v) for v in values]
            with np.errstate(over='ignore'):
                numbers = np.array([np.nan if v is None else v for v in values]).astype(kind)
            top = np.finfo(kind).max
            numbers = np.clip(numbers, -top, top)
            if isinstance(target, np.dtype):
                return pd.Series(numbers, dtype=target)
            values = [None if v is None else n for v, n in zip(values, numbers, strict=True)]
        if target == np.dtype(bool) and None in values:
            target = np.dtype(object)
        return pd.Series(values, dtype=object).astype(target)

    return form


def _within(value: Any, limits: Any) -> Any:
    if value is None:
        return None
    return int(min(max(round(value), int(limits.min)), int(limits.max)))


def _objects(convert: Callable[[Any], Any], null: Any = None) -> Callable[[Values], pd.Series]:
    def form(values: Values) -> pd.Series:
        return pd.Series([null if v is None else convert(v) for v in values], dtype=object)

    return form


def _as_text(date_format: str) -> Callable[[Values], pd.Series]:
    return _objects(lambda moment: moment.strftime(date_format))


def _dates(dtype: str, zone: str | None = None) -> Callable[[Values], pd.Series]:
    def form(values: Values) -> pd.Series:
        moments = np.array(values, dtype='datetime64[us]')
        unit = dtype.removeprefix('datetime64')
        series = pd.Series(moments).astype(f'datetime64{unit}')
        return series if zone is None else series.dt.tz_localize('UTC').dt.tz_convert(zone)

    return form


def _arrow(name: str, convert: Callable[[Any], Any]) -> Callable[[Values], pd.Series]:
    def form(values: Values) -> pd.Series:
        cells = [None if v is None else convert(v) for v in values]
        return pd.Series(cells, dtype=arrow_dtype(name))

    return form


def arrow_dtype(name: str) -> pd.ArrowDtype:
    """An Arrow dtype by a name that needs no parser."""
    import pyarrow as pa

    return pd.ArrowDtype(
        {
            'int64': pa.int64(),
            'float64': pa.float64(),
            'float32': pa.float32(),
            'decimal': pa.decimal128(38, 2),
            'string': pa.string(),
            'large_string': pa.large_string(),
            'bool': pa.bool_(),
            'date32': pa.date32(),
            'timestamp[us]': pa.timestamp('us'),
            'timestamp[ns, Berlin]': pa.timestamp('ns', 'Europe/Berlin'),
        }[name]
    )


def _cents(value: Any) -> decimal.Decimal:
    return decimal.Decimal(str(min(max(float(value), -1e30), 1e30))).quantize(
        decimal.Decimal('0.01')
    )


def _whole(value: Any) -> int:
    return int(min(max(round(value), -(2**63)), 2**63 - 1))


def _identity(value: Any) -> Any:
    return value


def _number_of_text(date_format: str) -> Callable[[Values], pd.Series]:
    return lambda values: _cast('int64')(
        [None if v is None else int(v.strftime(date_format)) for v in values]
    )


INTEGERS = [f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)]
NULLABLE = ['Int8', 'Int16', 'Int64', 'UInt8', 'UInt64']
FLOATS = ['float16', 'float32', 'float64', 'Float32', 'Float64']
TEXT_FORMATS = [
    '%Y-%m-%d',
    '%d/%m/%Y',
    '%m-%d-%y',
    '%Y%m%d',
    '%d %b %Y',
    '%B %d, %Y',
    '%Y-%m-%d %H:%M:%S',
    '%Y-%m-%dT%H:%M:%S.%f',
    '%d.%m.%Y %H:%M',
    '%I:%M %p, %d/%m/%Y',
    '%Y-%m',
    '%Y',
    '%Y-%j',
]
ENTRIES = {f'text {text}': {'datetime_format': text} for text in TEXT_FORMATS}
ENTRIES['number %Y%m%d'] = {'datetime_format': '%Y%m%d'}
ENTRIES['text %Y-%m-%d %H:%M:%S%z'] = {'datetime_format': '%Y-%m-%d %H:%M:%S%z'}

TEXTS: dict[str, Callable[[Values], pd.Series]] = {
    'object': _objects(_identity),
    'object, NaN': _objects(_identity, np.nan),
    'object, NA': _objects(_identity, pd.NA),
    'category': lambda values: pd.Series(values, dtype=object).astype('category'),
    'string': lambda values: _objects(str)(values).astype('string'),
    'string[pyarrow]': lambda values: _objects(str)(values).astype('string[pyarrow]'),
    'arrow string': _arrow('string', str),
    'arrow large_string': _arrow('large_string', str),
    'inferred': lambda values: pd.Series(values),
}


def _ordered(values: Values) -> pd.Series:
    levels = list(dict.fromkeys(value for value in values if value is not None))
    return pd.Series(pd.Categorical(values, categories=[*levels[::-1], 'never used'], ordered=True))


FORMS: dict[str, dict[str, Callable[[Values], pd.Series]]] = {
    'numerical': {
        **{name: _cast(name) for name in (*INTEGERS, *NULLABLE, *FLOATS)},
        'object of int': _objects(_whole),
        'object of float': _objects(float, np.nan),
        'object of both': _objects(lambda v: _whole(v) if v > 0 else float(v)),
        'Decimal': _objects(_cents),
        'arrow int64': _arrow('int64', _whole),
        'arrow float64': _arrow('float64', float),
        'arrow float32': _arrow('float32', lambda value: min(max(float(value), -1e38), 1e38)),
        'arrow decimal': _arrow('decimal', _cents),
        'category of numbers': lambda values: pd.Series(values).astype('category'),
    },
    'categorical': {**TEXTS, 'ordered category': _ordered},
    'boolean': {
        'bool': _cast('bool'),
        'boolean': _cast('boolean'),
        'object': _objects(_identity),
        'object, NaN': _objects(_identity, np.nan),
        'arrow bool': _arrow('bool', bool),
        'category': TEXTS['category'],
        'float64': _cast('float64'),
        'Int8': _cast('Int8'),
    },
    'ordinal': {
        'inferred': TEXTS['inferred'],
        'object': _objects(_identity),
        'category': TEXTS['category'],
        'string': TEXTS['string'],
        'Float64': lambda values: pd.Series(values).convert_dtypes(),
    },
    'datetime': {
        **{f'datetime64[{unit}]': _dates(f'datetime64[{unit}]') for unit in ('s', 'ms', 'us')},
        'datetime64[ns]': _dates('datetime64[ns]'),
        'UTC': _dates('datetime64[ns]', 'UTC'),
        'Berlin': _dates('datetime64[ns]', 'Europe/Berlin'),
        'Kathmandu, us': _dates('datetime64[us]', 'Asia/Kathmandu'),
        'object of date': _objects(lambda moment: moment.date()),
        'object of datetime': _objects(_identity),
        'object of zoned datetime': _objects(
            lambda moment: moment.replace(tzinfo=ZoneInfo('America/New_York')), pd.NaT
        ),
        'object of Timestamp': _objects(pd.Timestamp, pd.NaT),
        'arrow date32': _arrow('date32', lambda moment: moment.date()),
        'arrow timestamp[us]': _arrow('timestamp[us]', _identity),
        'arrow timestamp[ns, Berlin]': _arrow(
            'timestamp[ns, Berlin]', lambda moment: moment.replace(tzinfo=datetime.timezone.utc)
        ),
        'Period[D]': lambda values: _dates('datetime64[us]')(values).dt.to_period('D'),
        'Period[M]': lambda values: _dates('datetime64[us]')(values).dt.to_period('M'),
        **{f'text {text}': _as_text(text) for text in TEXT_FORMATS},
        'text %Y-%m-%d %H:%M:%S%z': _objects(
            lambda moment: moment.strftime('%Y-%m-%d %H:%M:%S+0200')
        ),
        'text without a format': _as_text('%Y-%m-%d'),
        'number %Y%m%d': _number_of_text('%Y%m%d'),
        'category of text': lambda values: _as_text('%Y-%m-%d')(values).astype('category'),
        'string': lambda values: _as_text('%Y-%m-%d')(values).astype('string'),
    },
    'id': {**TEXTS},
    'unknown': {**TEXTS},
    **dict.fromkeys(PII, TEXTS),
}

NAMES: list[Hashable] = [
    0,
    1,
    2.5,
    True,
    ('a', 'b'),
    pd.Timestamp('2020-01-01'),
    'a.b',
    'a#b',
    'a b',
    'c0.is_null',
    'c1.value',
    'c0#c1',
    '__x__',
    '',
    ' ',
    'ü😀',
    'index',
    'level_0',
    'num_rows',
    'self',
    'nan',
    'a\nb',
    "it's",
    'c0.fillna',
    '{x}',
    '%s',
]


# Evenly drawn; ``integers`` prefers 0 and the ends.
SEEDS = st.sampled_from(range(2**16))


def columns(*sdtypes: str) -> st.SearchStrategy[ColumnSpec]:
    """Descriptions of columns of some sdtypes."""

    def of_sdtype(sdtype: str) -> st.SearchStrategy[ColumnSpec]:
        return st.builds(
            ColumnSpec,
            sdtype=st.just(sdtype),
            source=st.sampled_from(list(SOURCES[sdtype])),
            form=st.sampled_from(list(FORMS[sdtype])),
            gaps=st.sampled_from(['none', 'none', 'none', 'some', 'some', 'most', 'all']),
            seed=SEEDS,
        )

    return st.sampled_from(sdtypes).flatmap(of_sdtype)
