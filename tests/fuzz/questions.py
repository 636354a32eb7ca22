"""Conditions of every kind, about rows that exist and about rows that cannot."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar import Between, NotNull, OneOf

from .promises import Promises

KINDS = ['value', 'value', 'range', 'range', 'set', 'present', 'beyond', 'new level']


@dataclasses.dataclass(frozen=True)
class Question:
    """Conditions on one row.

    Attributes:
        cells: A condition for each of some labels.
        expected: ``'rows'`` if a training row meets them all, ``'error'`` if nothing can,
            ``'either'`` if they go beyond the training table.
    """

    cells: dict[Hashable, Any]
    expected: str


def ask(promises: Promises, random: np.random.Generator) -> Question:
    """Conditions on up to three columns."""
    case = promises.case
    if case.groups and random.random() < 0.25:
        cells = _contradiction(promises, random)
        if cells:
            return Question(cells, 'error')
    row = case.data.iloc[int(random.integers(len(case.data)))]
    names = [name for name in case.data.columns if str(name) != promises.primary_key]
    chosen = random.permutation(len(names))[: random.integers(1, 4)]
    cells, expected = {}, 'rows'
    for place in chosen:
        name = names[place]
        kind = KINDS[random.integers(len(KINDS))]
        cells[name] = _cell(promises, name, row[name], kind, random)
        if kind in ('beyond', 'new level') and not _meets(promises, name, row[name], cells[name]):
            expected = 'either'
    return Question(cells, expected)


def _meets(promises: Promises, name: Hashable, value: Any, condition: Any) -> bool:
    same = condition is value or (pd.isna(value) and condition is None)
    return same or meets(promises, name, value, condition)


def _cell(
    promises: Promises, name: Hashable, value: Any, kind: str, random: np.random.Generator
) -> Any:
    """A condition that ``value`` meets, unless it is beyond the table."""
    role = promises.role(name)
    present = promises.case.data[name].dropna()
    if kind == 'beyond' and role == 'number' and len(present):
        return float(max(present)) + 1_000.0
    if kind == 'beyond' and role == 'date' and isinstance(value, pd.Timestamp):
        return max(present) + pd.Timedelta(days=900)
    if kind == 'new level' and role == 'level':
        return 'never seen'
    if pd.isna(value):
        return None
    if kind == 'present' and role != 'generated':
        return NotNull()
    if kind == 'set' and role != 'generated':
        return OneOf([value, present.iloc[int(random.integers(len(present)))]])
    if kind == 'range' and role in ('number', 'date'):
        return _range(value, random)
    return value


def _range(value: Any, random: np.random.Generator) -> Between:
    width: Any
    if isinstance(value, str):
        return Between(value, None) if random.random() < 0.5 else Between(None, value)
    if isinstance(value, datetime.date):
        width = pd.Timedelta(days=int(random.integers(0, 60)))
    elif isinstance(value, decimal.Decimal):
        width = decimal.Decimal(int(random.integers(0, 20)))
    else:
        width = int(random.integers(0, 20))
    ends = [(value - width, value + width), (value - width, None), (None, value + width)]
    return Between(*ends[random.integers(3)])


def _contradiction(promises: Promises, random: np.random.Generator) -> dict[Hashable, Any]:
    """Conditions that a constraint rules out."""
    place = int(random.integers(len(promises.case.groups)))
    kind, names = promises.case.groups[place]
    constraint = promises.case.constraints[place]
    if kind == 'one hot':
        return {names[0]: 1, names[1]: 1}
    if kind == 'increments':
        step = constraint.increment_value
        return {names[0]: [step * 2 + 1, Between(step + 0.25, step + 0.75)][random.integers(2)]}
    if kind == 'combinations':
        return {names[0]: 'fr', names[1]: 'Bonn'}
    present = promises.case.data[names].dropna()
    if not len(present):
        return {}
    first, last = names[0], names[-1]
    bounds = promises.comparable(first, present[first]), promises.comparable(last, present[last])
    if isinstance(present[first].iloc[0], str):
        later = present[first].iloc[int(np.argmax(bounds[0]))]
        sooner = present[last].iloc[int(np.argmin(bounds[1]))]
    else:
        later, sooner = max(bounds[0]), min(bounds[1])
    if max(bounds[0]) <= min(bounds[1]):
        return {}
    if random.random() < 0.5:
        return {first: later, last: sooner}
    return {first: Between(later, None), last: Between(None, sooner)}


def meets(promises: Promises, name: Hashable, value: Any, condition: Any) -> bool:
    """Whether a value meets a condition."""
    if isinstance(condition, NotNull):
        return not pd.isna(value)
    if isinstance(condition, OneOf):
        return any(meets(promises, name, value, option) for option in condition.values)
    if isinstance(condition, Between):
        if pd.isna(value):
            return False
        value, low, high = (
            None if v is None else promises.comparable(name, pd.Series([v], dtype=object))[0]
            for v in (value, condition.low, condition.high)
        )
        if isinstance(value, (decimal.Decimal, int, float, np.number)):
            value, low, high = (None if v is None else float(v) for v in (value, low, high))
        return (low is None or low <= value) and (high is None or value <= high)
    if condition is None or pd.isna(condition):
        return bool(pd.isna(value))
    if isinstance(value, decimal.Decimal):  # 0.1 is asked of Decimal('0.1')
        return float(value) == float(condition)
    return not pd.isna(value) and bool(value == condition)
