"""What is known, half way between the user's columns and the model's.

The cells that a user knows belong to the table before constraints. The model works on the table
after them, where columns may have been replaced by others. A draft starts with the former; each
constraint changes it, and it ends with the latter. What the model cannot be told of is *loose*:
it is checked on the finished rows.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.core.restrictions import Restriction

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclasses.dataclass
class WholeRows:
    """Rows whose columns of a constraint are all known.

    Attributes:
        rows: ``(rows of the draft,)``, True = the constraint has transformed the row.
        made: For each new column its values, and in which rows they are known.
    """

    rows: Flags
    made: dict[str, tuple[npt.NDArray[Any], Flags]]


class Draft:
    """Known cells, changed by one constraint after the other.

    Args:
        table: The fitted table.
        known: What is known of each row.
        fill: Whether every cell that is not known is to get a value and not stay missing.

    Attributes:
        cells: Values of the known columns in plain form, RangeIndex.
        exact: For each of them ``(rows,)``, True = the value is known.
        beyond: For user's columns the rows in which training has not seen the known value.
        restrictions: Restrictions of the model's columns, row by row.
        partial: For a user's column each row's restriction, as in :class:`Known`.
        task: What the known cells are for.
        lenient: Rows whose cells may break a constraint, and are left for the check at the end.
        stands_for: For a user's column the one that a constraint has put in its place, with the
            same values.
        loose: For a user's column the rows in which the model is not told of its cell.
    """

    def __init__(self, table: FittedTable, known: Known, *, fill: bool) -> None:
        self.table = table
        self.model, _ = table.trained
        self.fill = fill
        self.num_rows = len(known.cells)
        self.cells = known.cells.copy(deep=False)
        self.exact: dict[str, Flags] = {
            key: known.exact[key].to_numpy(dtype=bool) for key in known.exact
        }
        self.partial = known.partial
        self.task = known.task
        drawn = [np.asarray(rows) for rows in known.drawn.values()]
        self.lenient = np.logical_or.reduce([np.full(self.num_rows, fill), *drawn])
        self.stands_for: dict[str, str] = {}
        self.beyond: dict[str, Flags] = {key: cells.rows for key, cells in known.beyond.items()}
        self.restrictions: dict[str, list[Restriction | None]] = {}
        self.loose: dict[str, Flags] = {}

    def none(self) -> Flags:
        """``(rows,)``, all False."""
        return np.zeros(self.num_rows, dtype=bool)

    def add(self, name: str, values: npt.NDArray[Any], rows: Flags) -> None:
        """Add known ``values``, in ``rows``, of a column after constraints."""
        if name in self.exact:
            merged = self.cells[name].to_numpy(dtype=object, copy=True)
            merged[rows] = values[rows]
            values, rows_known = merged, self.exact[name] | rows
        else:
            rows_known = rows
        cells = pd.Series(values, index=self.cells.index, dtype=object)
        self.cells[name] = cells.infer_objects() if rows_known.all() else cells
        self.exact[name] = rows_known

    def drop(self, name: str) -> None:
        """Forget a column that a constraint took away."""
        del self.exact[name], self.cells[name]
        self.beyond.pop(name, None)

    def shown(self, name: str) -> tuple[pd.Series, Flags]:
        """A known column as the model may see it, and in which rows it may.

        In place of a value that training has not seen it is the nearest end of the range, or
        nothing.
        """
        cells, rows = self.cells[name], self.exact[name]
        if name not in self.beyond:
            return cells, rows
        profile, beyond = self.table.profiles[name], self.beyond[name]
        if profile.role is Role.DISCRETE or not profile.has_values:
            return cells, rows & ~beyond
        return profile.nearest(cells), rows & ~(beyond & cells.isna().to_numpy())

    def restrictions_of(self, name: str) -> list[Restriction | None]:
        """The restrictions of a column of the model, to be changed in place."""
        return self.restrictions.setdefault(name, [None] * self.num_rows)

    def keeps_order(self, name: str) -> bool:
        """Whether a column of the model has its numbers in the order of the column before it."""
        transformer = private_names.outputs(self.table.host)[name][1]
        return transformer is None or private_names.keeps_order(transformer)

    def numbers(self, name: str) -> Floats:
        """Known values of a user's column of numbers or dates, NaN in the other rows."""
        if name not in self.exact:
            return np.full(self.num_rows, np.nan)
        known = self.cells[name].where(self.exact[name])
        return self.table.profiles[name].comparable(known).to_numpy(dtype=np.float64)

    def restricts(self, name: str) -> bool:
        """Whether ranges of a column after constraints are ranges of the model's column."""
        return name in self.model.column_names and self.keeps_order(name)

    def has_levels(self, name: str) -> bool:
        """Whether the model has the levels of a column after constraints, not what encodes them."""
        transformer = private_names.outputs(self.table.host).get(name, (name, None))[1]
        return name in self.model.column_names and transformer is None

    def mark_loose(self, key: str, rows: Flags) -> None:
        """The model is not told of a user's column in these rows."""
        self.loose[key] = self.loose.get(key, self.none()) | rows

    def mark_told(self, key: str, rows: Flags) -> None:
        """The model is told of a user's column in these rows after all."""
        self.loose[key] = self.loose.get(key, self.none()) & ~rows
