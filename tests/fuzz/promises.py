"""What a synthesizer promises of its rows, checked against the training table."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from .outcome import Outcome
from .relations import is_told, kept
from .room import without_room
from .tables import Case, holds

_EXACT_DIGITS = 9
_ROUNDED_BELOW = 1e6


class Promises:
    """The promises about the rows of one table.

    Args:
        case: The table.
        outcome: Where broken promises go.
    """

    def __init__(self, case: Case, outcome: Outcome) -> None:
        self.case = case
        self.outcome = outcome
        described = case.metadata.tables['table'].columns
        self.entries = {name: described[str(name)] for name in case.data.columns}
        table = case.metadata.tables['table']
        self.primary_key = table.primary_key
        self.keys = {self.primary_key, *(table.alternate_keys or [])} - {None}

    def role(self, name: Hashable) -> str:
        """``'number'``, ``'date'``, ``'level'`` or ``'generated'``."""
        entry = self.entries[name]
        if str(name) in self.keys or 'regex_format' in entry:
            return 'generated'
        if entry['sdtype'] == 'numerical':
            return 'number'
        if entry['sdtype'] == 'datetime':
            return 'date'
        discrete = entry['sdtype'] in ('categorical', 'boolean', 'ordinal', 'id')
        return 'level' if discrete else 'generated'

    def of_role(self, *roles: str) -> list[Hashable]:
        """The columns of some roles."""
        return [name for name in self.case.data.columns if self.role(name) in roles]

    def described(self, name: Hashable) -> str:
        """A column for a report."""
        place = list(self.case.data.columns).index(name)
        specs = self.case.spec.columns
        spec = specs[place] if place < len(specs) else None
        what = f'{spec.source}/{spec.form}/gaps {spec.gaps}' if spec else 'of a constraint'
        return f'{name!r} as {self.entries[name]["sdtype"]} ({what})'

    def of_rows(self, step: str, rows: pd.DataFrame, number: int) -> None:
        """Synthetic rows: labels, dtypes, values."""
        promise, data = self.outcome.promise, self.case.data
        promise(f'{step}: number of rows', len(rows) == number, f'{len(rows)} for {number}')
        if not self._labels_kept(step, rows, list(data.columns)):
            return
        for name in data.columns:
            self._of_column(step, name, rows[name])
        self.of_constraints(step, rows)
        if step == 'sample':  # what is given may contradict itself
            self._of_relations(step, rows)

    def of_constraints(self, step: str, rows: pd.DataFrame) -> None:
        """Rows meet the constraints."""
        for (kind, names), constraint in zip(self.case.groups, self.case.constraints, strict=True):
            met = holds(kind, rows[names], self.case.data[names], constraint)
            broken = rows[names][~met.to_numpy(dtype=bool)].head(2)
            self.outcome.promise(
                f'{step}: constraint {kind}', met.all(), broken.to_dict('list').__repr__()
            )

    def _of_relations(self, step: str, rows: pd.DataFrame) -> None:
        """Rows keep the relations of all training rows."""
        for kind, names in self.case.related:
            met = kept(kind, rows[names], self.case.data[names]).to_numpy(dtype=bool)
            broken = rows[names][~met].head(2).to_dict('list')
            self.outcome.promise(f'{step}: relation {kind}', met.all(), f'{broken}')

    def of_known(self, step: str, rows: pd.DataFrame, known: pd.DataFrame) -> None:
        """Cells that were known came back, in their row."""
        same_index = rows.index.equals(known.index) and rows.index.names == known.index.names
        self.outcome.promise(f'{step}: index', same_index, f'{rows.index} for {known.index}')
        if len(rows) != len(known):
            return
        for name in known.columns:
            seen = difference(known[name], rows[name], dtype=not self._grows(name))
            self.outcome.promise(
                f'{step}: known cells ({seen.split(":")[0]})',
                not seen,
                f'{self.described(name)}: {seen}',
            )

    def of_filled(self, filled: pd.DataFrame, gaps: pd.DataFrame) -> None:
        """An imputed table."""
        data = self.case.data
        absent = [name for name in data.columns if name not in gaps.columns]
        if not self._labels_kept('impute', filled, [*gaps.columns, *absent]):
            return
        self.outcome.promise('impute: index', filled.index.equals(gaps.index), str(filled.index))
        for name in data.columns:
            cells, what = filled[name], self.described(name)
            if data[name].notna().any() and name != self.primary_key:
                left = cells.isna().to_numpy() & ~without_room(
                    self.case, self.comparable, gaps, name
                )
                kind = f'impute: gaps left ({self.role(name)})'
                self.outcome.promise(kind, not left.any(), what)
            if name not in gaps:
                continue
            known = gaps[name].notna().to_numpy()
            strict = gaps[name].dtype == data[name].dtype and not self._grows(name)
            seen = difference(gaps[name][known], cells[known], dtype=strict)
            kind = f'impute: known cells ({seen.split(":")[0]})'
            self.outcome.promise(kind, not seen, f'{what}: {seen}')
            if strict:
                self._of_values('impute', name, cells[~known & ~self._is_told(gaps, name)])
        self.of_constraints('impute', filled)

    def _is_told(self, gaps: pd.DataFrame, name: Hashable) -> pd.Series:
        """Rows in which other cells of a relation say what fills a gap of a column."""
        for kind, names in self.case.related:
            if name in names and set(names) <= set(gaps.columns):
                return is_told(kind, gaps[names], list(names).index(name))
        return pd.Series(False, index=gaps.index)

    def _grows(self, name: Hashable) -> bool:
        """Whether generated values are further categories, or text where the column is not."""
        dtype = self.case.data[name].dtype
        if self.role(name) != 'generated':
            return False
        is_number = pd.api.types.is_numeric_dtype(dtype) and str(name) not in self.keys
        return isinstance(dtype, pd.CategoricalDtype) or is_number

    def _labels_kept(self, step: str, rows: pd.DataFrame, labels: list[Hashable]) -> bool:
        same = [(type(a), a) for a in rows.columns] == [(type(a), a) for a in labels]
        self.outcome.promise(f'{step}: labels', same, f'{list(rows.columns)} for {labels}')
        return same

    def _of_column(self, step: str, name: Hashable, cells: pd.Series) -> None:
        data, what = self.case.data[name], self.described(name)
        role = self.role(name)
        text = data.dtype == object or isinstance(data.dtype, pd.StringDtype)
        number = pd.api.types.is_numeric_dtype(data.dtype) and self.entries[name]['sdtype'] == 'id'
        if role != 'generated' or text or number:
            self.outcome.promise(
                f'{step}: dtype ({role})',
                cells.dtype == data.dtype,
                f'{what}: {cells.dtype} for {data.dtype}',
            )
        if str(name) in self.keys:
            self.outcome.promise(f'{step}: repeated keys', cells.is_unique, what)
        if role == 'generated':
            return
        if not data.isna().any():
            gaps = int(cells.isna().sum())
            self.outcome.promise(f'{step}: new gaps ({role})', not gaps, f'{what}: {gaps}')
        if data.isna().all():
            self.outcome.promise(f'{step}: values from nothing', cells.isna().all(), what)
        else:
            self._of_values(step, name, cells)

    def _of_values(self, step: str, name: Hashable, cells: pd.Series) -> None:
        data, what, role = self.case.data[name], self.described(name), self.role(name)
        if role == 'generated' or not data.notna().any():
            return
        if data.dtype == object:
            new = {type(v) for v in cells.dropna()} - {type(v) for v in data.dropna()}
            self.outcome.promise(f'{step}: types of values ({role})', not new, f'{what}: {new}')
        if role == 'level':
            levels = {(str(type(v)), v) for v in data.dropna().tolist()}
            new_levels = [v for v in cells.dropna().tolist() if (str(type(v)), v) not in levels]
            self.outcome.promise(f'{step}: new levels', not new_levels, f'{what}: {new_levels[:3]}')
            return
        self._within(step, name, cells)
        if role == 'number' and self.case.spec.rounding:
            self._rounded(step, name, cells)

    def _within(self, step: str, name: Hashable, cells: pd.Series) -> None:
        if not self.case.spec.limits:
            return
        try:
            seen = self.comparable(name, self.case.data[name])
        except ValueError:
            return  # the training dates cannot be read either
        try:
            new = self.comparable(name, cells)
        except ValueError as error:
            self.outcome.promise(
                f'{step}: dates that cannot be read', False, f'{self.described(name)}: {error}'
            )
            return
        outside = [value for value in new if not min(seen) <= value <= max(seen)]
        detail = f'{self.described(name)}: {outside[:3]} not in {min(seen)} to {max(seen)}'
        self.outcome.promise(f'{step}: beyond the range ({self.role(name)})', not outside, detail)

    def comparable(self, name: Hashable, cells: pd.Series) -> list[Any]:
        """Present values as plain numbers or dates.

        Raises:
            ValueError: If a date cannot be read.
        """
        values = cells.dropna().tolist()
        text = self.entries[name].get('datetime_format')
        if self.role(name) == 'date' and values and not isinstance(values[0], datetime.date):
            if text and isinstance(values[0], (str, int)):
                return [datetime.datetime.strptime(str(value), text) for value in values]
            if isinstance(values[0], str):
                raise ValueError('no format')
        return values

    def _rounded(self, step: str, name: Hashable, cells: pd.Series) -> None:
        seen = self.case.data[name].dropna()
        if any(isinstance(value, decimal.Decimal) for value in seen):
            return
        digits = _digits(seen)
        if digits is None:
            return
        kept = _is_rounded(cells.dropna(), digits, seen)
        detail = f'{self.described(name)}: {cells.dropna().tolist()[:3]} for {digits} digits'
        self.outcome.promise(f'{step}: rounding', kept, detail)


def _digits(values: pd.Series) -> int | None:
    """Digits after the point; None if the numbers are too long or too large to say."""
    if np.abs(values.astype(float)).max() >= _ROUNDED_BELOW:
        return None
    return next((d for d in range(_EXACT_DIGITS) if _is_rounded(values, d, values)), None)


def _is_rounded(values: pd.Series, digits: int, like: pd.Series) -> bool:
    name = str(like.dtype).lower()
    kind: Any = np.float64
    if 'float16' in name:
        kind = np.float16
    elif 'float32' in name or name.startswith('float['):
        kind = np.float32
    floats = values.astype(float).to_numpy(dtype=np.float64)
    return bool((kind(np.round(floats, digits)) == kind(floats)).all())


def difference(before: pd.Series, after: pd.Series, *, dtype: bool = True) -> str:
    """How two columns differ; empty if they do not."""
    if dtype and before.dtype != after.dtype:
        return f'dtype: {after.dtype} for {before.dtype}'
    if not np.array_equal(before.isna().to_numpy(), after.isna().to_numpy()):
        return 'gaps: other cells are missing'
    old, new = before.dropna().tolist(), after.dropna().tolist()
    for was, now in zip(old, new, strict=True):
        if was != now or (dtype and before.dtype == object and type(was) is not type(now)):
            return f'values: {now!r} for {was!r}'
    return ''
