"""Known cells of a table in the user's columns: from conditions, or from a table with gaps."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.conditioning import check_finite, plain_cells, plain_values
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.values import is_missing, item, level_key
from sdv_tabdar.core.restrictions import Restriction

_NAMED = 10  # unseen values named in a warning


@dataclasses.dataclass(frozen=True)
class Known:
    """Known cells of a table in the user's columns, plain form, SDV's labels.

    Attributes:
        cells: Values; whatever stands in a cell that is not ``exact`` means nothing.
        exact: True = the value is known (a missing value then means 'known to be missing').
        partial: For a column each row's restriction, in the terms of
            :meth:`ColumnProfile.comparable`; None for no condition.
        unseen: ``(rows,)``, True = a cell has a level that training has not seen; it counts as
            hidden.
    """

    cells: pd.DataFrame
    exact: pd.DataFrame
    partial: Mapping[str, Sequence[Restriction | None]]
    unseen: npt.NDArray[np.bool_]

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
        columns, exact, partial = {}, {}, {}
        index = pd.RangeIndex(len(conditions))
        for key in conditions.columns:
            profile = table.profiles[key]
            values, restrictions = plain_cells(profile, conditions[key].tolist())
            columns[key] = profile.typed(values, index)
            exact[key] = np.array([entry is None for entry in restrictions], dtype=bool)
            if not exact[key].all():
                partial[key] = restrictions
            if key in private_names.keys(table.host):
                _check_unique(key, columns[key])
        return cls(
            pd.DataFrame(columns, index=index),
            pd.DataFrame(exact, index=index, dtype=bool),
            partial,
            np.zeros(len(index), dtype=bool),
        )

    @classmethod
    def from_gaps(
        cls, data: pd.DataFrame, table: FittedTable, *, missing_is_known: bool = False
    ) -> Known:
        """The cells of a table that are not missing; numbers may lie outside the training range.

        Levels that the model has not seen tell it nothing: they count as hidden, with a warning.

        Args:
            data: A table in the user's form.
            table: The fitted table.
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
        plain = table.form.plain(data).reset_index(drop=True)
        cells, exact = {}, {}
        unseen = np.zeros(len(data), dtype=bool)
        for key in plain.columns:
            profile = table.profiles[key]
            missing = plain[key].isna().to_numpy()
            cells[key], present = _present_cells(profile, plain[key])
            unseen |= ~missing & ~present
            is_value = missing_is_known and profile.has_missing
            exact[key] = present | missing if is_value else present
        index = pd.RangeIndex(len(data))
        return cls(
            pd.DataFrame(cells, index=index),
            pd.DataFrame(exact, index=index, dtype=bool),
            {},
            unseen,
        )

    def rows(self, positions: npt.NDArray[np.int64]) -> Known:
        """Some rows, with a new RangeIndex."""
        return Known(
            self.cells.iloc[positions].reset_index(drop=True),
            self.exact.iloc[positions].reset_index(drop=True),
            {key: [entries[row] for row in positions] for key, entries in self.partial.items()},
            self.unseen[positions],
        )

    def with_values(
        self, table: FittedTable, key: str, values: Sequence[Any], rows: npt.NDArray[np.bool_]
    ) -> Known:
        """The same with the values of a column known in some rows.

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
        return dataclasses.replace(self, cells=cells, exact=exact, partial=partial)


def _check_unique(key: str, values: pd.Series) -> None:
    repeated = values[values.duplicated() & values.notna()]
    if len(repeated):
        raise ValueError(
            f"Unable to sample any rows for the given conditions: column '{key}' is a key, and "
            f'{item(repeated.iloc[0])!r} is asked for in more than one row. Keys must be unique.'
        )


def _present_cells(
    profile: ColumnProfile, values: pd.Series
) -> tuple[pd.Series, npt.NDArray[np.bool_]]:
    """A column with gaps as the model's column has it, and which of its cells tell something."""
    present = values.notna().to_numpy()
    if profile.role is Role.GENERATED:
        return values, present
    is_number = pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool
    if profile.role is Role.NUMBER and is_number:
        check_finite(profile, values[present])
        return values, present
    if profile.role is Role.DATE and values.dtype == profile.dtype != object:
        return values, present
    listed = values.tolist()
    distinct: dict[Hashable, Any] = {}
    for value in listed:
        if not is_missing(value):
            distinct.setdefault(level_key(value), value)
    unseen = {}
    if profile.role is Role.DISCRETE:
        unseen = {key: value for key, value in distinct.items() if key not in profile.levels}
    read = [key for key in distinct if key not in unseen]
    checked = plain_values(profile.with_any_value(), [distinct[key] for key in read])
    plain = dict(zip(read, checked, strict=True))
    keys = [None if is_missing(value) else level_key(value) for value in listed]
    present = np.array([key in plain for key in keys], dtype=bool)
    if unseen:
        warnings.warn(
            f"Column '{profile.column.name}' has values that the training data had not: "
            f'{list(unseen.values())[:_NAMED]}. The model takes these cells for unknown.',
            stacklevel=6,
        )
    return profile.typed([plain.get(key) for key in keys], values.index), present
