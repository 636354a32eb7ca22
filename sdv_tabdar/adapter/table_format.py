"""How a user's table is stored, and the plain form of it that SDV gets to see.

SDV restores the dtypes of NumPy's own columns. Nullable and Arrow dtypes, pandas categories,
Decimal numbers, Python dates, dates with a time zone or in another unit than nanoseconds and
column names that are not strings do not survive its pipeline, or only at times. So each column
is written in a plain form before SDV sees it (:meth:`TableFormat.plain`), and what SDV returns
is written back in the form that the user had (:meth:`TableFormat.restore`).
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.formats import ColumnFormat
from sdv_tabdar.core.codecs.values import with_columns


@dataclasses.dataclass(frozen=True)
class TableFormat:
    """The form of a table.

    Attributes:
        columns: One entry for each column, in the user's order.
        order: SDV's labels in the order of the metadata, in which SDV wants the columns.
    """

    columns: tuple[ColumnFormat, ...]
    order: tuple[str, ...]

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        columns: Mapping[str, Mapping[str, Any]],
        compared: Iterable[tuple[str, str]] = (),
        key_columns: Collection[str] = (),
    ) -> TableFormat:
        """Look at a training table.

        Args:
            frame: The user's table.
            columns: The metadata's description of each column.
            compared: SDV's labels of columns that constraints compare as text.
            key_columns: SDV's labels of the keys.

        Raises:
            InvalidDataError: If two columns have the same name.
        """
        keys = unique_names(frame)
        formats = []
        for name, key in zip(frame.columns, keys, strict=True):
            entry = columns.get(key, {})
            formats.append(
                ColumnFormat.learn(
                    frame[name].rename(name),  # of which levels of names make another type
                    entry.get('sdtype'),
                    entry.get('datetime_format'),
                    is_key=key in key_columns,
                )
            )
        # Of a format that SDV cannot read, it compares the dates themselves.
        text = {
            column.key: column.dates.text_format
            for column in formats
            if column.dates.is_text and column.dates.is_padded
        }
        kept = {
            key
            for low, high in compared
            for key in (low, high)
            if low in text and high in text and text[low] != text[high]
        }
        formats = [
            dataclasses.replace(column, dates=dataclasses.replace(column.dates, stays_text=True))
            if column.key in kept
            else column
            for column in formats
        ]
        known = [key for key in columns if key in keys]
        return cls(tuple(formats), tuple(known + [key for key in keys if key not in columns]))

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        return {'columns': [column.to_state() for column in self.columns], 'order': self.order}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TableFormat:
        """The form that :meth:`to_state` wrote."""
        columns = tuple(ColumnFormat.from_state(column) for column in state['columns'])
        return cls(columns, state['order'])

    def without_categories(self, plain_dtypes: Mapping[str, Any]) -> TableFormat:
        """The form, some of whose columns list no categories.

        Args:
            plain_dtypes: By SDV's label of each of these, the dtype of its plain form, which it
                has instead.
        """
        columns = [
            column.without_categories(plain_dtypes[column.key])
            if column.key in plain_dtypes
            else column
            for column in self.columns
        ]
        return dataclasses.replace(self, columns=tuple(columns))

    @property
    def names(self) -> list[Hashable]:
        """The user's labels in the user's order."""
        return [column.name for column in self.columns]

    @property
    def zones(self) -> dict[str, datetime.tzinfo]:
        """Time zones of columns of dates, by SDV's label."""
        zones = {column.key: column.dates.time_zone for column in self.columns}
        return {key: zone for key, zone in zones.items() if zone is not None}

    def plain_entries(
        self, entries: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Mapping[str, Any]]:
        """The metadata's descriptions of those columns that are others for the plain table."""
        formats = {column.key: column for column in self.columns}
        plain = {
            key: formats[key].plain_entry(entry) for key, entry in entries.items() if key in formats
        }
        return {key: entry for key, entry in plain.items() if entry != entries[key]}

    def plain(self, frame: pd.DataFrame, *, copy: bool = True) -> pd.DataFrame:
        """Any of the columns in plain form, SDV's labels and the metadata's order.

        Columns that the table does not have stay as they are.

        Args:
            frame: The user's table; it is left as it is.
            copy: False for columns that share the user's memory where they are plain already:
                for readers only.

        Raises:
            InvalidDataError: If dates are too far from 1970 for nanoseconds.
        """
        formats = {column.key: column for column in self.columns}
        plain = frame.copy(deep=False)
        plain.columns = pd.Index([str(name) for name in frame.columns])
        converted = {
            key: formats[key].plain(plain[key]) if key in formats else plain[key] for key in plain
        }
        order = [key for key in self.order if key in converted]
        order += [key for key in converted if key not in formats]
        return pd.DataFrame({key: converted[key] for key in order}, index=frame.index, copy=copy)

    def as_learnt(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Drawn rows in plain form, their dates without the error of a float64."""
        dates = {column.key: column.dates for column in self.columns if column.sdtype == 'datetime'}
        return with_columns(
            frame, {key: form.as_learnt(frame[key]) for key, form in dates.items() if key in frame}
        )

    def restore(self, frame: pd.DataFrame, given: pd.DataFrame | None = None) -> pd.DataFrame:
        """A table of SDV's in the user's form; applying it twice changes nothing more.

        Args:
            frame: The table in plain form, or in the user's already.
            given: What the user conditioned its rows on, by SDV's labels.
        """
        given = pd.DataFrame() if given is None else given
        restored = {
            column.name: column.restore(frame[label], given.get(column.key))
            for column in self.columns
            for label in (column.key, column.name)
            if label in frame.columns
        }
        return pd.DataFrame(restored, index=frame.index, columns=_index(restored))

    def empty(self) -> pd.DataFrame:
        """A table without rows."""
        columns = {
            column.name: pd.Series([], dtype=column.dtype, name=column.name)
            for column in self.columns
        }
        return pd.DataFrame(columns, columns=_index(columns))


def unique_names(frame: pd.DataFrame) -> list[str]:
    """The names of a table's columns as text.

    Raises:
        InvalidDataError: If two are the same; True is the same as 1.
    """
    keys = [str(name) for name in frame.columns]
    equal = pd.Series(keys)[frame.columns.duplicated(keep=False)]
    repeated = sorted({*equal, *(key for key in keys if keys.count(key) > 1)})
    if repeated:
        raise InvalidDataError(
            [
                f'The column names {repeated} occur more than once. Column names must be '
                'unique, also when they are read as text.'
            ]
        )
    return keys


def _index(columns: Iterable[Hashable]) -> pd.Index:
    return pd.Index(list(columns), tupleize_cols=False)
