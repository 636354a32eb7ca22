"""Which rows meet the constraints, and what SDV says of those that do not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.cag import FixedCombinations, Inequality, Range

from sdv_tabdar.adapter.private_names.constraints import (
    all_constraints,
    columns_of,
    combinations,
    constraint_name,
    ordered_names,
)
from sdv_tabdar.adapter.private_names.metadata import table_name
from sdv_tabdar.adapter.private_names.transformers import without_gaps


@contextlib.contextmanager
def gaps_laid(synth: Any, flags: Mapping[str, str]) -> Iterator[None]:
    """Within it, generated columns lack the cells that drawn rows say, before constraints look.

    Args:
        synth: The synthesizer.
        flags: By generated columns the column of processed rows that says where they are missing.
    """
    if not flags:
        yield
        return
    processor = synth._data_processor
    transformers = processor._hyper_transformer.field_transformers
    turned_back = processor.reverse_transform

    def turned_back_with_gaps(data: pd.DataFrame, *args: Any, **options: Any) -> pd.DataFrame:
        rows: pd.DataFrame = turned_back(data, *args, **options)
        given = options.get('conditions') or {}
        for key, flag in flags.items():
            if key in rows and key not in given:
                rows[key] = rows[key].mask(data[flag].to_numpy(dtype=bool))
        return rows

    with contextlib.ExitStack() as stack:
        for key in flags:
            stack.enter_context(without_gaps(transformers[key]))
        processor.reverse_transform = turned_back_with_gaps
        stack.callback(delattr, processor, 'reverse_transform')
        yield


def reverse_transform(
    synth: Any, processed: pd.DataFrame, flags: Mapping[str, str]
) -> pd.DataFrame:
    """Processed rows to rows of the table before constraints; rows that break one are left out.

    Args:
        synth: The synthesizer.
        processed: Rows of the model with a RangeIndex; generated columns are joined by index.
        flags: As in :func:`gaps_laid`.

    Returns:
        The surviving rows under their labels of ``processed``.
    """
    with gaps_laid(synth, flags):
        reversed_rows = synth._data_processor.reverse_transform(processed)
    return synth.reverse_transform_constraints(reversed_rows)


def shares_valid(
    synth: Any, processed: pd.DataFrame, flags: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, float]]:
    """As :func:`reverse_transform`, but all rows, and the share that meets each constraint.

    A constraint is named by its class and, where it says so, by its columns.
    """
    with gaps_laid(synth, flags):
        rows = synth._data_processor.reverse_transform(processed)
    shares = {}
    chained = list(reversed(synth._chained_constraints))
    for constraint in [*chained, *synth._reject_sampling_constraints]:
        if constraint in chained:
            rows = constraint.reverse_transform(rows)
        shares[constraint_name(constraint)] = float(_valid(constraint, rows).mean())
    return rows, shares


def shares_of_whole_rows(synth: Any, rows: pd.DataFrame) -> dict[str, float]:
    """The share of rows that meets each constraint that looks at the user's columns."""
    return {
        constraint_name(constraint): float(_valid(constraint, rows).mean())
        for constraint in all_constraints(synth)
        if columns_of(constraint) <= set(rows.columns)
    }


def _valid(constraint: Any, rows: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows meet a constraint."""
    try:
        return np.asarray(constraint.is_valid(rows), dtype=bool)
    except ValueError:
        if not isinstance(constraint, FixedCombinations):
            raise
        # It joins the rows to its combinations, and pandas joins no objects to numbers.
        allowed = combinations(constraint)
        found = set(allowed.labels.values())
        cells = (rows[name].astype(object) for name in allowed.names)
        columns = (values.where(values.notna(), None) for values in cells)
        return np.array([row in found for row in zip(*columns, strict=True)], dtype=bool)


def valid_rows(synth: Any, table: pd.DataFrame) -> pd.Series:
    """Which rows meet all constraints.

    ``reverse_transform_constraints`` checks rows before conditioned cells are written back.
    """
    valid = pd.Series(True, index=table.index)
    for constraint in synth._reject_sampling_constraints:
        valid &= _valid(constraint, table)
    rows = table
    not_applied: list[Any] = []
    for constraint in synth._chained_constraints:
        if columns_of(constraint) <= set(table.columns):
            valid &= _valid(constraint, table)
        else:
            # It looks at what the ones before it made; these fail on tables without valid rows.
            rows = rows[valid.loc[rows.index].to_numpy()]
            for earlier in not_applied:
                rows = earlier.transform(rows) if len(rows) else rows
            not_applied = []
            if not len(rows):
                return valid
            valid &= ~valid.index.isin(rows.index[~_valid(constraint, rows)])
        not_applied.append(constraint)
    return valid


def broken_rows(synth: Any, table: pd.DataFrame, known: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows break a constraint with cells that are known.

    Args:
        synth: The synthesizer.
        table: Rows in plain form, some or all columns.
        known: Which of these cells count; where one does not, constraints on it are not asked.
    """
    every_column = set(synth._original_metadata.tables[table_name(synth)].columns)
    whole = known.to_numpy().all(axis=1) & (every_column <= set(table.columns))
    broken = np.zeros(len(table), dtype=bool)
    if whole.any():
        broken[whole] = ~valid_rows(synth, table[whole]).to_numpy()
    for constraint in all_constraints(synth):
        names = columns_of(constraint)
        if names <= set(table.columns):
            rows = ~whole & known[list(names)].to_numpy().all(axis=1)
            if rows.any():
                broken[rows] |= ~_valid(constraint, table[rows])
    return broken


def order_message(
    synth: Any, table: pd.DataFrame, written: Callable[[pd.DataFrame], pd.DataFrame]
) -> str | None:
    """SDV's message about rows that break an Inequality or a Range.

    Args:
        synth: The synthesizer.
        table: Rows in plain form, some or all columns.
        written: Puts rows of ``table`` in the form in which they are to be shown.

    Returns:
        The message about the first such constraint; None if there is none.
    """
    metadata = synth._original_metadata
    for constraint in all_constraints(synth):
        if not isinstance(constraint, (Inequality, Range)):
            continue
        names = list(ordered_names(constraint))
        if set(names) <= set(table.columns):
            valid = np.asarray(constraint.is_valid(table, metadata), dtype=bool)
            if not valid.all():
                rows = written(table.loc[~valid, names])
                message: str = constraint._format_error_message_constraint(rows, table_name(synth))
                return message
    return None
