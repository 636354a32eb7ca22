"""Known cells of a table in the user's columns: from conditions, or from a table with gaps."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.cells import Flags, ReadCells, read_cells
from sdv_tabdar.adapter.conditioning import CellRefusedError
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.values import item
from sdv_tabdar.core.restrictions import Restriction

READ = 'sdv_tabdar_read'  # what was read of a frame of conditions, among its attributes


class Task(enum.Enum):
    """What known cells are for; the value begins the messages that refuse it."""

    SAMPLE = 'Unable to sample any rows for the given conditions'
    IMPUTE = 'Unable to impute'
    PREDICT = 'Unable to predict'
    LIKELIHOOD = 'Unable to find the likelihood'


@dataclasses.dataclass(frozen=True)
class Beyond:
    """Known cells of one column that hold what training has not seen.

    Attributes:
        rows: ``(rows,)``, True = the cell is one of them.
        example: One of them, as the user wrote it; None for a missing one.
    """

    rows: Flags
    example: Any


@dataclasses.dataclass(frozen=True)
class Known:
    """Known cells of a table in the user's columns, plain form, SDV's labels.

    Attributes:
        cells: Values; whatever stands in a cell that is not ``exact`` means nothing.
        exact: True = the value is known (a missing value then means 'known to be missing').
        partial: For a column each row's restriction, in the terms of
            :meth:`ColumnProfile.comparable`; None for no condition.
        beyond: The columns with exact cells that hold what training has not seen: a number or a
            date outside its range, a new level, a missing value in a column without any. They are
            kept, and the model is shown what comes closest.
        task: What they are for.
        drawn: For a column the rows in which its cell was not given, but drawn because of others.
        taken: For a key the values that rows of the same call are given, these or others.
    """

    cells: pd.DataFrame
    exact: pd.DataFrame
    partial: Mapping[str, Sequence[Restriction | None]]
    beyond: Mapping[str, Beyond] = dataclasses.field(default_factory=dict)
    task: Task = Task.SAMPLE
    drawn: Mapping[str, Flags] = dataclasses.field(default_factory=dict)
    taken: Mapping[str, frozenset[Any]] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_conditions(cls, conditions: pd.DataFrame, table: FittedTable) -> Known:
        """The cells of a frame of conditions.

        Args:
            conditions: SDV's labels; in the cells values, missing values to condition on, and
                ``Between``, ``OneOf`` and ``NotNull``.
            table: The fitted table.

        Raises:
            ValueError: If one of them can never be met.
        """
        with _refusals(Task.SAMPLE):
            read = {
                key: read_cells(table.profiles[key], conditions[key], conditions=True)
                for key in conditions.columns
            }
        exact = {key: _unrestricted(column) for key, column in read.items()}
        for key in [key for key in private_names.keys(table.host) if key in read]:
            exact[key] &= ~read[key].missing  # no row is without one: it is made
        return _assembled(conditions, table, read, exact, Task.SAMPLE).with_parts(table)

    @classmethod
    def from_gaps(
        cls, data: pd.DataFrame, table: FittedTable, task: Task, *, missing_is_known: bool = False
    ) -> Known:
        """The cells of a table that are not missing.

        Args:
            data: A table in the user's form.
            table: The fitted table.
            task: What they are for.
            missing_is_known: Whether a missing cell is a value as well, in the columns where
                training has seen one.

        Raises:
            ValueError: If a column was not in the training table, or a number or a date cannot
                be read as one.
        """
        unknown = [name for name in data.columns if str(name) not in table.profiles]
        if unknown:
            raise ValueError(
                f'The columns {unknown} were not in the training table. Its columns are '
                f'{table.form.names}.'
            )
        data = data.set_axis([str(name) for name in data.columns], axis=1)
        with _refusals(task):
            read = {
                key: read_cells(table.profiles[key], data[key], conditions=False)
                for key in table.form.order
                if key in data.columns
            }
        exact = {}
        for key, column in read.items():
            is_value = missing_is_known and table.profiles[key].has_missing
            exact[key] = np.ones(len(data), dtype=bool) if is_value else ~column.missing
        known = _assembled(data, table, read, exact, task)
        return known if task is Task.LIKELIHOOD else known.with_parts(table)

    @property
    def unseen(self) -> Flags:
        """``(rows,)``, True = a cell holds what training has not seen."""
        rows = np.zeros(len(self.cells), dtype=bool)
        for beyond in self.beyond.values():
            rows |= beyond.rows
        return rows

    @property
    def asked(self) -> dict[str, Flags]:
        """By column the rows ``(rows,)`` whose cell was given, or is to be one of some."""
        found = {key: self.exact[key].to_numpy(dtype=bool) for key in self.exact}
        for key, entries in self.partial.items():
            some = np.array([entry is not None for entry in entries], dtype=bool)
            found[key] = found.get(key, False) | some
        return found

    def with_parts(self, table: FittedTable) -> Known:
        """The same with the parts of texts that are known, where there is one way to read them."""
        known = self
        for one in reversed(table.compositions):
            if one.key not in known.exact:
                continue
            levels = {
                key: [*table.profiles[key].levels.values()]
                for key in one.parts
                if table.profiles[key].role is Role.DISCRETE
            }
            cells: dict[str, list[Any]] = {key: [None] * len(known.cells) for key in one.parts}
            texts = known.cells[one.key].where(known.exact[one.key])
            for row, text in enumerate(texts.tolist()):
                read = one.read(text, levels) if isinstance(text, str) else None
                for key, cell in (read or {}).items():
                    cells[key][row] = cell
            for key, own in cells.items():
                asked = known.asked.get(key, np.zeros(len(own), dtype=bool))
                is_new = np.array([cell is not None for cell in own], dtype=bool) & ~asked
                is_text = table.profiles[key].role in (Role.DISCRETE, Role.GENERATED)
                if is_new.any() and is_text:
                    known = known.with_values(table, key, own, is_new)
        return known

    def made_texts(self, table: FittedTable) -> dict[str, Flags]:
        """By column of learnt texts the rows ``(rows,)`` whose text the rest of the row says.

        A text that may be missing beside its parts says by itself that it is there, and counts
        only where training has not seen it.
        """
        found = {}
        for one in table.compositions:
            names = [one.key, *one.parts]
            if table.profiles[one.key].role is Role.DISCRETE and {*names} <= {*self.exact}:
                made = self.exact[names].to_numpy().all(axis=1) & one.fits(self.cells)
                if not one.is_whole:
                    is_new = self.beyond[one.key].rows if one.key in self.beyond else False
                    made &= is_new
                found[one.key] = made
        return found

    def without(self, known: Mapping[str, Flags]) -> Known:
        """The same without exact cells of some columns, in the rows ``(rows,)`` of each."""
        exact, beyond = self.exact.copy(deep=False), dict(self.beyond)
        for key, rows in known.items():
            exact[key] = exact[key] & ~rows
            if key in beyond:
                left = beyond.pop(key).rows & ~rows
                if left.any():
                    beyond[key] = Beyond(left, item(self.cells[key].iloc[int(left.argmax())]))
        return dataclasses.replace(self, exact=exact, beyond=beyond)

    def rows(self, positions: npt.NDArray[np.int64]) -> Known:
        """Some rows, with a new RangeIndex."""
        return dataclasses.replace(
            self,
            cells=self.cells.iloc[positions].reset_index(drop=True),
            exact=self.exact.iloc[positions].reset_index(drop=True),
            partial={
                key: [entries[row] for row in positions] for key, entries in self.partial.items()
            },
            beyond={
                key: dataclasses.replace(beyond, rows=beyond.rows[positions])
                for key, beyond in self.beyond.items()
            },
            drawn={key: rows[positions] for key, rows in self.drawn.items()},
        )

    def with_values(
        self, table: FittedTable, key: str, values: Sequence[Any], rows: npt.NDArray[np.bool_]
    ) -> Known:
        """The same with values of a column that were drawn in some rows.

        Args:
            table: The fitted table.
            key: A column.
            values: One for each row, in plain form.
            rows: ``(rows,)``, where they count.
        """
        exact = self.exact.copy(deep=False)
        before = self.exact[key].to_numpy() if key in exact else np.zeros(len(exact), dtype=bool)
        exact[key] = before | rows
        cells = self.cells.copy(deep=False)
        merged = np.full(len(cells), None, dtype=object)
        if key in cells:
            merged[:] = cells[key].to_numpy(dtype=object)
        for row in np.flatnonzero(rows).tolist():
            merged[row] = values[row]
        cells[key] = table.profiles[key].typed(list(merged), cells.index)
        partial = dict(self.partial)
        if key in partial:
            entries = zip(partial[key], rows, strict=True)
            partial[key] = [None if given else entry for entry, given in entries]
        drawn = {**self.drawn, key: self.drawn.get(key, False) | rows}
        return dataclasses.replace(self, cells=cells, exact=exact, partial=partial, drawn=drawn)


def warn_of_unseen(table: FittedTable, known: Iterable[Known], task: Task) -> None:
    """Say which known cells hold what training has not seen, of each column once after a fit.

    Args:
        table: The fitted table, which remembers what it has said.
        known: The known cells of one call.
        task: What they are for.
    """
    parts = []
    counts: dict[str, int] = {}
    examples: dict[str, Any] = {}
    for each in known:
        for key, beyond in each.beyond.items():
            if task is Task.LIKELIHOOD and table.profiles[key].role is not Role.DISCRETE:
                continue  # of a number outside the range the answer says as much
            counts[key] = counts.get(key, 0) + int(beyond.rows.sum())
            examples.setdefault(key, beyond.example)
    for key in [key for key in counts if ('unseen', key) not in table.said]:
        table.said.add(('unseen', key))
        profile = table.profiles[key]
        count, example = counts[key], examples[key]
        shown = 'missing' if example is None else f'such as {_text(example)}'
        has_range = profile.role is not Role.DISCRETE and profile.has_values
        training = f', training had {profile.range_text}' if has_range else ''
        parts.append(f"{count} in column '{profile.column.name}' ({shown}{training})")
    if not parts:
        return
    is_clock = any(table.profiles[key].is_clock for key in counts)
    clocks = ', what is no clock time for the nearest one' if is_clock else ''
    model = (
        'The likelihood of their rows is 0.'
        if task is Task.LIKELIHOOD
        else 'They are kept; the model takes numbers and dates for the nearest end of the range'
        f'{clocks}, and other values for unknown.'
    )
    warnings.warn(
        f'Known cells hold what the training data had not: {", ".join(parts)}. {model}',
        stacklevel=5,
    )


def _text(example: Any) -> str:
    return str(example) if isinstance(example, pd.Timestamp) else repr(example)


@contextlib.contextmanager
def _refusals(task: Task) -> Iterator[None]:
    """Within it, refused cells are refused in the words of a task."""
    try:
        yield
    except CellRefusedError as error:
        raise ValueError(f'{task.value}: {error}') from None


def _assembled(
    given: pd.DataFrame,
    table: FittedTable,
    read: Mapping[str, ReadCells],
    exact: Mapping[str, Flags],
    task: Task,
) -> Known:
    """Known cells from those that were read, and from which of them count."""
    index = pd.RangeIndex(len(given))
    beyond = {}
    for key, column in read.items():
        profile = table.profiles[key]
        rows = column.unseen
        if not profile.has_missing and profile.role is not Role.GENERATED:
            rows = rows | (exact[key] & column.missing)
        if rows.any():
            first = int(rows.argmax())
            example = None if column.missing[first] else item(given[key].iloc[first])
            beyond[key] = Beyond(rows, example)
    return Known(
        pd.DataFrame({key: column.values for key, column in read.items()}, index=index),
        pd.DataFrame(exact, index=index, dtype=bool),
        {key: column.restrictions for key, column in read.items() if column.restrictions},
        beyond,
        task,
    )


def _unrestricted(column: ReadCells) -> Flags:
    """The cells of conditions that are a value."""
    if not column.restrictions:
        return np.ones(len(column.values), dtype=bool)
    return np.array([entry is None for entry in column.restrictions], dtype=bool)
