"""What SDV keeps of a table's metadata, before and after constraints."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pandas as pd
from sdv.metadata import _single_table


def table_name(synth: Any) -> str:
    """Name of the synthesizer's table; the attribute that SDV's own methods use."""
    name: str = synth._table_name
    return name


def original_table(synth: Any) -> Any:
    """Metadata of the table before constraints; ``get_metadata`` would copy and warn."""
    return synth._original_metadata.tables[table_name(synth)]


def level_order(synth: Any, column: str) -> list[Any]:
    """The levels of an ordinal column in their order; empty if the metadata give none."""
    entry = original_table(synth).columns.get(column, {})
    return list(entry.get('range_values') or [])


def keys(synth: Any) -> list[str]:
    """Primary and alternate keys of the table."""
    return list(synth._data_processor._keys)


def unique_columns(synth: Any) -> list[list[str]]:
    """The columns of each primary and alternate key."""
    found = original_table(synth)._get_primary_and_alternate_keys()
    return sorted([key] if isinstance(key, str) else list(key) for key in found)


def column_errors(synth: Any, values: pd.Series) -> list[str]:
    """What SDV says of values that do not match the metadata of their column.

    It looks at each value for itself, which takes its time.
    """
    errors: list[str] = original_table(synth)._validate_column_data(values, defaultdict(list))
    return errors


@contextlib.contextmanager
def quick_dates() -> Iterator[None]:
    """Within it SDV takes a timestamp for one as it is.

    Elsewhere it guesses the format of its text first, which takes seconds for each column of dates
    whose metadata give no format; the answer is the same.
    """
    asked = _single_table._is_datetime_type
    slow = getattr(asked, '__wrapped__', asked)  # that of another thread may be there

    @functools.wraps(slow)
    def quick(value: Any) -> bool:
        return isinstance(value, datetime) or bool(slow(value))

    _single_table._is_datetime_type = quick
    try:
        yield
    finally:
        _single_table._is_datetime_type = slow


def repeated_keys(synth: Any, rows: pd.DataFrame) -> list[str]:
    """What SDV says of keys that some rows share."""
    errors: list[str] = original_table(synth)._validate_key_values_are_unique(rows)
    return errors


def modified_columns(synth: Any) -> Mapping[str, Mapping[str, Any]]:
    """Metadata of the columns after constraints, as the data processor sees them."""
    columns: Mapping[str, Mapping[str, Any]] = synth._data_processor.metadata.columns
    return columns


@contextlib.contextmanager
def described(synth: Any, entries: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Within it, the metadata of the table describe some columns otherwise."""
    columns = original_table(synth).columns
    before = {key: columns[key] for key in entries}
    columns.update(entries)
    try:
        yield
    finally:
        columns.update(before)


def describe_anew(synth: Any, entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Let the metadata that a synthesizer holds describe some columns otherwise, from now on.

    The user's own object, of which SDV keeps two references, is left as it is.
    """
    if not entries:
        return
    shared = synth._input_metadata
    synth._input_metadata = copy.deepcopy(shared)
    synth.metadata = synth._input_metadata if synth.metadata is shared else synth.metadata
    synth.metadata = copy.deepcopy(synth.metadata)
    synth._original_metadata = copy.deepcopy(synth._original_metadata)
    processor = synth._data_processor
    processor.metadata = copy.deepcopy(processor.metadata)
    name = table_name(synth)
    for columns in (
        synth._input_metadata.tables[name].columns,
        synth.metadata.tables[name].columns,
        synth._original_metadata.tables[name].columns,
        processor.metadata.columns,
    ):
        columns.update({key: dict(entry) for key, entry in entries.items() if key in columns})
