"""Conditions that an example row sets: rows like it, in as many columns and as nearly as asked."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.complete import Completer
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import READ, Known
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.conditions import PartialValue
from sdv_tabdar.core.restrictions import Interval, Restriction

_DRAWN_ROWS = 1000  # among which numbers have their ranks
_HALF = 0.499  # of a rounding unit: whatever is drawn inside rounds to a value in the range
_TRIES = 5  # draws for rows that break a constraint


def like_conditions(table: FittedTable, row: Any, num_rows: int, similarity: float) -> pd.DataFrame:
    """Conditions of ``num_rows`` rows, each like an example in some of its columns.

    Args:
        table: The fitted table.
        row: The example, by the user's labels: a mapping, a series or a frame of one row. Columns
            that are generated do not count.
        num_rows: How many rows.
        similarity: From 0 to 1: which share of the columns is like the example. 1 less it is the
            share of the table within which their numbers lie.

    Returns:
        A frame of conditions that has been read already; cells that may be anything are None.

    Raises:
        TypeError: If the example is no row, or a cell is a range or a set.
        ValueError: If ``similarity`` is not within 0 and 1, a column is unknown, no column is
            left, or a cell is no value of its column.
    """
    is_number = isinstance(similarity, numbers.Real) and not isinstance(similarity, bool)
    if not is_number or not 0 <= similarity <= 1:
        raise ValueError(
            f"Parameter 'similarity' must be a number from 0 to 1, however: {similarity!r}."
        )
    example = _example(table, row)
    model, _ = table.trained
    known = Known.from_conditions(example, table).rows(np.zeros(num_rows, dtype=np.int64))
    num_columns = len(example.columns)
    ranks = model.random_numbers(num_rows * num_columns).reshape(num_rows, num_columns)
    held = ranks.argsort(axis=1).argsort(axis=1) < round(similarity * num_columns)
    near = {} if similarity == 1 else _near(table, known, 1 - float(similarity))
    exact = known.exact.copy()
    partial: dict[str, list[Restriction | None]] = {}
    for place, key in enumerate(example.columns):
        if key in near:
            partial[key] = [near[key] if is_held else None for is_held in held[:, place]]
        exact[key] = held[:, place] & (key not in near)
    beyond = {
        key: dataclasses.replace(cells, rows=cells.rows & exact[key].to_numpy())
        for key, cells in known.beyond.items()
    }
    cells = example.iloc[np.zeros(num_rows, dtype=np.int64)].reset_index(drop=True)
    frame = cells.where(exact, None)
    frame.attrs[READ] = Known(known.cells, exact, partial, beyond)
    return frame


def _example(table: FittedTable, row: Any) -> pd.DataFrame:
    """The learnt columns of an example, by SDV's labels, as one row of objects."""
    if isinstance(row, pd.DataFrame):
        if len(row) != 1:
            raise TypeError(
                f'The example must be one row, however: a DataFrame of {len(row)} rows. Take one '
                'of them, as in rows.iloc[[0]].'
            )
        row = {name: row[name].iloc[0] for name in row.columns}
    if not isinstance(row, (Mapping, pd.Series)):
        raise TypeError(
            'The example must be a row of the table: a dictionary, a Series or a DataFrame of one '
            f'row, however: {type(row).__name__}.'
        )
    given: dict[Hashable, Any] = dict(row.items())
    unknown = [name for name in given if str(name) not in table.profiles]
    if unknown:
        raise ValueError(
            f'The example has the columns {unknown}, which the training table had not. Its columns '
            f'are {table.form.names}.'
        )
    learnt = {
        str(name): value
        for name, value in given.items()
        if table.profiles[str(name)].role is not Role.GENERATED
    }
    partial = [value for value in learnt.values() if isinstance(value, PartialValue)]
    if partial:
        raise TypeError(
            f'The cells of the example must be values, however: {partial[0]!r}. Use '
            'sample_from_conditions for ranges and sets.'
        )
    if not learnt:
        raise ValueError(
            'The example has no column that is learnt. Give at least one that is not generated.'
        )
    cells = np.empty((1, len(learnt)), dtype=object)
    for place, value in enumerate(learnt.values()):
        cells[0, place] = value
    return pd.DataFrame(cells, columns=list(learnt))


def _near(table: FittedTable, known: Known, slack: float) -> dict[str, Interval]:
    """For each number and date of the example the numbers that count as near it."""
    ordered = {
        key: table.profiles[key]
        for key in known.cells
        if table.profiles[key].role in (Role.NUMBER, Role.DATE)
        and table.profiles[key].has_values
        and len(known.cells)
        and known.cells[key].notna().iloc[0]
    }
    if not ordered:
        return {}
    nothing = pd.DataFrame(index=pd.RangeIndex(_DRAWN_ROWS))
    chunks = Completer(table).chunks(Known(nothing, nothing, {}), max_tries=_TRIES)
    rows = pd.concat(list(chunks))
    return {
        key: _interval(
            profile,
            float(profile.comparable(known.cells[key].iloc[:1]).iloc[0]),
            profile.comparable(rows[key].dropna()).to_numpy(dtype=np.float64),
            slack,
        )
        for key, profile in ordered.items()
    }


def _interval(
    profile: ColumnProfile, value: float, drawn: npt.NDArray[np.float64], slack: float
) -> Interval:
    """The numbers no more than half of ``slack`` of the drawn ones away from a value."""
    low = high = min(max(value, profile.low), profile.high)
    if len(drawn):
        ordered = np.sort(drawn)
        steps = round(slack / 2 * len(ordered))
        first = int(np.searchsorted(ordered, value, 'left')) - steps
        last = int(np.searchsorted(ordered, value, 'right')) - 1 + steps
        low = min(low, ordered[np.clip(first, 0, len(ordered) - 1)])
        high = max(high, ordered[np.clip(last, 0, len(ordered) - 1)])
    low, high = profile.rounded(np.array([low, high])).tolist()
    unit = profile.unit or profile.local_unit or profile.date_unit
    return Interval(low - _HALF * unit, high + _HALF * unit)
