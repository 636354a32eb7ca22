"""Tables: which columns under which names, metadata, index, constraints, settings."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.metadata import Metadata

from .columns import NAMES, PII, SEEDS, ColumnSpec, DoesNotFit, columns
from .relations import RELATIONS

LEARNT = ('numerical', 'categorical', 'boolean', 'ordinal', 'datetime')
ROWS = [1, 2, 3, 10, 30, 30, 60, 60, 100, 300]
INDEXES = [
    'plain',
    'plain',
    'plain',
    'shuffled',
    'text',
    'repeated',
    'dates',
    'two levels',
    'named',
]


@dataclasses.dataclass(frozen=True)
class TableSpec:
    """What a table is like.

    Attributes:
        columns: Its columns.
        names: Places in ``NAMES`` for some of them; -1 for a plain name.
        rows: Number of rows.
        index: Kind of index.
        detected: Whether SDV detects the metadata.
        key: What the first id column is: ``'primary'``, ``'alternate'`` or ``'none'``.
        constraints: Kinds of constraints, each with columns of its own.
        relations: Kinds of relations without a constraint, likewise.
        limits: ``enforce_min_max_values``.
        rounding: ``enforce_rounding``.
        seed: Seed of the questions that are asked of the synthesizer.
    """

    columns: tuple[ColumnSpec, ...]
    names: tuple[int, ...] = ()
    rows: int = 30
    index: str = 'plain'
    detected: bool = False
    key: str = 'none'
    constraints: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    limits: bool = True
    rounding: bool = True
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class Case:
    """A table as it goes into a synthesizer.

    Attributes:
        spec: Its description.
        data: The table.
        metadata: SDV's metadata.
        constraints: SDV's constraints.
        entries: The metadata's entry for each of the user's labels.
        groups: For each constraint its kind and the user's labels of its columns.
        related: Likewise for each relation without a constraint.
    """

    spec: TableSpec
    data: pd.DataFrame
    metadata: Metadata
    constraints: list[Any]
    entries: dict[Hashable, dict[str, Any]]
    groups: list[tuple[str, list[Hashable]]]
    related: list[tuple[str, list[Hashable]]]


def build(spec: TableSpec) -> Case:
    """Build the table.

    Raises:
        DoesNotFit: If there is no such table, or SDV cannot detect or accept its metadata.
    """
    cells: dict[Hashable, pd.Series] = {}
    entries: dict[Hashable, dict[str, Any]] = {}
    for place, column in enumerate(spec.columns):
        name: Hashable = f'c{place}'
        if place < len(spec.names) and spec.names[place] >= 0:
            name = NAMES[spec.names[place]]
        if str(name) in {str(other) for other in cells}:
            raise DoesNotFit('two columns of one name')
        try:
            cells[name], entries[name] = column.build(spec.rows)
        except (ValueError, TypeError, OverflowError, ArithmeticError, pd.errors.ParserError) as e:
            raise DoesNotFit(str(e)) from e
    random = np.random.default_rng(spec.seed)
    constraints, groups = [], []
    for place, kind in enumerate(spec.constraints):
        made, made_entries, constraint = CONSTRAINTS[kind](f'k{place}', spec.rows, random)
        cells.update(made)
        entries.update(made_entries)
        constraints.append(constraint)
        groups.append((kind, list(made)))
    related: list[tuple[str, list[Hashable]]] = []
    for place, kind in enumerate(spec.relations):
        columns_made, their_entries = RELATIONS[kind](f'r{place}', spec.rows, random)
        cells.update(columns_made)
        entries.update(their_entries)
        related.append((kind, list(columns_made)))
    data = pd.DataFrame(dict(enumerate(cells.values())))
    data.columns = pd.Index(list(cells), tupleize_cols=False)
    data.index = make_index(spec.index, spec.rows, random)
    metadata = _metadata(spec, data, entries)
    return Case(spec, data, metadata, constraints, entries, groups, related)


def _metadata(spec: TableSpec, data: pd.DataFrame, entries: dict[Hashable, Any]) -> Metadata:
    try:
        if spec.detected:
            frame = data.set_axis([str(name) for name in data.columns], axis=1)
            return Metadata.detect_from_dataframes({'table': frame})
        table: dict[str, Any] = {'columns': {str(name): entry for name, entry in entries.items()}}
        ids = [
            str(name)
            for name, entry in entries.items()
            if entry['sdtype'] in ('id', *PII) and _can_be_key(data[name])
        ]
        if ids and spec.key == 'primary':
            table['primary_key'] = ids[0]
        if ids and spec.key == 'alternate':
            table['alternate_keys'] = [ids[0]]
        metadata = Metadata.load_from_dict({'tables': {'table': table}})
        metadata.validate()
        return metadata
    except Exception as error:  # SDV's refusals are not what is tried here
        raise DoesNotFit(f'metadata: {error}') from error


def _can_be_key(values: pd.Series) -> bool:
    return bool(values.notna().all() and values.astype(str).is_unique)


def make_index(kind: str, rows: int, random: np.random.Generator) -> pd.Index:
    """An index of some kind."""
    if kind == 'shuffled':
        return pd.Index(random.permutation(rows) * 3 - 5)
    if kind == 'text':
        return pd.Index([f'r{place}' for place in range(rows)])
    if kind == 'repeated':
        return pd.Index(random.integers(0, 3, rows))
    if kind == 'dates':
        return pd.date_range('2020-01-01', periods=rows, tz='Europe/Berlin')
    if kind == 'two levels':
        return pd.MultiIndex.from_arrays([[0] * rows, range(rows)], names=['c0', None])
    if kind == 'named':
        return pd.RangeIndex(rows, name='c0')
    return pd.RangeIndex(rows)


NUMBER = {'sdtype': 'numerical'}
Made = tuple[dict[str, pd.Series], dict[str, dict[str, Any]], Any]


def _gaps(values: pd.Series, random: np.random.Generator) -> pd.Series:
    """Some cells missing, in half of the columns."""
    return values.mask(random.random(len(values)) < 0.2) if random.random() < 0.5 else values


def _inequality(name: str, rows: int, random: np.random.Generator, strict: bool = False) -> Made:
    low = pd.Series(random.integers(0, 50, rows))
    high = low + random.integers(1 if strict else 0, 20, rows)
    low, high = _gaps(low, random), _gaps(high, random)
    dtype = ['float64', 'Int64', None][random.integers(3)]
    made = {f'{name} low': low, f'{name} high': high}
    if dtype is not None:
        made = {label: values.astype(dtype) for label, values in made.items()}
    constraint = Inequality(*made, strict_boundaries=strict)
    return made, dict.fromkeys(made, NUMBER), constraint


def _inequality_of_dates(name: str, rows: int, random: np.random.Generator) -> Made:
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 300 * 24, rows), 'h')
    low = pd.Series(start)
    high = low + pd.to_timedelta(random.integers(0, 500, rows), 'h')
    low, high = _gaps(low, random), _gaps(high, random)
    made = {f'{name} start': low, f'{name} end': high}
    entry: dict[str, Any] = {'sdtype': 'datetime'}
    entries = dict.fromkeys(made, entry)
    forms = ['', '%Y-%m-%d %H:%M:%S', '%d/%m/%Y %H:%M']
    text = forms[random.integers(3)]
    if text:
        made = {
            label: values.dt.strftime(text).astype(object).where(values.notna(), None)
            for label, values in made.items()
        }
        entries = {label: {**entry, 'datetime_format': text} for label in made}
    return made, entries, Inequality(*made)


def _range(name: str, rows: int, random: np.random.Generator) -> Made:
    low = pd.Series(random.normal(0, 10, rows).round(2))
    middle = (low + random.integers(1, 900, rows) / 100).round(2)
    high = (middle + random.integers(1, 900, rows) / 100).round(2)
    made = {
        f'{name} low': _gaps(low, random),
        f'{name} middle': _gaps(middle, random),
        f'{name} high': _gaps(high, random),
    }
    return made, dict.fromkeys(made, NUMBER), Range(*made)


def _combinations(name: str, rows: int, random: np.random.Generator) -> Made:
    pairs = [('fr', 'Paris'), ('fr', 'Lyon#2'), ('de', 'Bonn'), ('de', None), (None, None)]
    picked = [pairs[place] for place in random.integers(0, random.integers(1, 6), rows)]
    made = {
        f'{name} country': pd.Series([pair[0] for pair in picked], dtype=object),
        f'{name} city': pd.Series([pair[1] for pair in picked], dtype=object),
    }
    entry = {'sdtype': 'categorical'}
    return made, dict.fromkeys(made, entry), FixedCombinations(list(made))


def _increments(name: str, rows: int, random: np.random.Generator) -> Made:
    step = int(random.integers(2, 100))
    values = _gaps(pd.Series(step * random.integers(-3, 9, rows)), random)
    made = {f'{name} steps': values}
    return made, dict.fromkeys(made, NUMBER), FixedIncrements(f'{name} steps', step)


def _one_hot(name: str, rows: int, random: np.random.Generator) -> Made:
    place = random.integers(0, 3, rows)
    made = {f'{name} is {i}': pd.Series((place == i).astype(int)) for i in range(3)}
    return made, dict.fromkeys(made, NUMBER), OneHotEncoding(list(made))


CONSTRAINTS: dict[str, Any] = {
    'inequality': _inequality,
    'strict inequality': lambda name, rows, random: _inequality(name, rows, random, strict=True),
    'inequality of dates': _inequality_of_dates,
    'range': _range,
    'combinations': _combinations,
    'increments': _increments,
    'one hot': _one_hot,
}


def holds(kind: str, rows: pd.DataFrame, training: pd.DataFrame, constraint: Any) -> pd.Series:
    """Which rows meet a constraint, worked out without SDV; columns as the constraint has them."""
    if kind == 'combinations':
        seen = {_as_tuple(row) for row in training.to_numpy(dtype=object)}
        return pd.Series([_as_tuple(row) in seen for row in rows.to_numpy(dtype=object)])
    if kind == 'one hot':
        ones = rows.astype(float)
        return ((ones.sum(axis=1) == 1) & ones.isin([0, 1]).all(axis=1)).reset_index(drop=True)
    if kind == 'increments':
        values = rows.iloc[:, 0].astype(float)
        return ((values % constraint.increment_value == 0) | values.isna()).reset_index(drop=True)
    formats = '%Y-%m-%d %H:%M:%S', '%d/%m/%Y %H:%M'
    sides = [_comparable(rows[label], formats) for label in rows]
    strict = kind in ('strict inequality', 'range')
    met = pd.Series(True, index=range(len(rows)))
    for place, low in enumerate(sides):
        for high in sides[place + 1 :]:
            unknown = low.isna() | high.isna()
            if unknown.all():  # a side of only missing cells has no type to compare
                continue
            met &= unknown | ((low < high) if strict else (low <= high))
    return met


def _as_tuple(row: Any) -> tuple[Any, ...]:
    return tuple(None if pd.isna(cell) else cell for cell in row)


def _comparable(values: pd.Series, formats: tuple[str, ...]) -> pd.Series:
    values = values.reset_index(drop=True)
    present = values.dropna()
    if len(present) and isinstance(present.iloc[0], str):
        for text in formats:
            try:
                datetime.datetime.strptime(present.iloc[0], text)
            except ValueError:
                continue
            return pd.to_datetime(values, format=text)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values
    return values.astype('Float64').astype(float)


@st.composite
def tables(draw: Any, *, largest: int = 300, widest: int = 60) -> TableSpec:
    """Descriptions of tables without constraints."""
    widths = [1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8] * 3 + [20, 40, 60]
    width = draw(st.sampled_from([width for width in widths if width <= widest]))
    sdtypes = LEARNT if draw(st.booleans()) else (*LEARNT, 'id', 'unknown', *PII)
    drawn = draw(st.lists(columns(*sdtypes), min_size=width, max_size=width))
    odd = draw(st.booleans())
    names = draw(st.permutations(range(len(NAMES))))[:width] if odd else []
    return TableSpec(
        columns=tuple(drawn),
        names=tuple(names),
        rows=min(draw(st.sampled_from(ROWS)), largest if width < 20 else 60),
        index=draw(st.sampled_from(INDEXES)),
        detected=draw(st.sampled_from([True, False, False])),
        key=draw(st.sampled_from(['primary', 'alternate', 'none'])),
        limits=draw(st.sampled_from([True, True, True, False])),
        rounding=draw(st.sampled_from([True, True, True, False])),
        seed=draw(SEEDS),
    )


TAME = (
    ColumnSpec('numerical', 'cents', 'float64'),
    ColumnSpec('numerical', 'whole', 'int64'),
    ColumnSpec('numerical', 'whole', 'Int64', 'some'),
    ColumnSpec('numerical', 'spike', 'float64', 'some'),
    ColumnSpec('numerical', 'cents', 'Decimal', 'some'),
    ColumnSpec('categorical', 'letters', 'object', 'some'),
    ColumnSpec('categorical', 'letters', 'category'),
    ColumnSpec('categorical', 'whole', 'inferred'),
    ColumnSpec('boolean', 'both', 'bool'),
    ColumnSpec('boolean', 'both', 'boolean', 'some'),
    ColumnSpec('ordinal', 'whole', 'inferred', 'some'),
    ColumnSpec('datetime', 'days', 'text %d/%m/%Y', 'some'),
    ColumnSpec('datetime', 'seconds', 'datetime64[ns]', 'some'),
    ColumnSpec('datetime', 'seconds', 'Berlin'),
    ColumnSpec('email', 'text', 'object'),
    ColumnSpec('id', 'repeated', 'object'),
)


_SOME_CONSTRAINTS = st.sampled_from([1, 1, 1, 2, 2, 3, 0])


@st.composite
def constrained_tables(draw: Any, *, largest: int = 100) -> TableSpec:
    """Descriptions of tables with up to three constraints, and some ordinary columns."""
    return TableSpec(
        columns=tuple(draw(st.permutations(TAME))[: draw(st.sampled_from(range(1, 6)))]),
        rows=min(draw(st.sampled_from([10, 30, 60, 100])), largest),
        index=draw(st.sampled_from(INDEXES)),
        constraints=tuple(draw(st.permutations(list(CONSTRAINTS)))[: draw(_SOME_CONSTRAINTS)]),
        limits=draw(st.sampled_from([True, True, True, False])),
        seed=draw(SEEDS),
    )


@st.composite
def related_tables(draw: Any, *, largest: int = 300) -> TableSpec:
    """Descriptions of tables whose columns follow from each other, and some ordinary columns."""
    return TableSpec(
        columns=tuple(draw(st.permutations(TAME))[: draw(st.sampled_from(range(3)))]),
        rows=min(draw(st.sampled_from([120, 200, 300])), largest),
        relations=tuple(draw(st.permutations(list(RELATIONS)))[: draw(st.sampled_from([1, 2, 3]))]),
        seed=draw(SEEDS),
    )
