"""How likely a model finds given rows, in the user's columns."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import others_turn
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.request import Request

UNSEEN = ('impossible', 'skip', 'rare')
"""What a value that training has not seen may count as; the first one by default."""

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


class Scores:
    """Log-likelihoods of the rows of one table.

    Args:
        table: The fitted table; it has a model.
        data: Rows in the user's form.
        unseen: One of :data:`UNSEEN`.
        steps: By column of numbers, the distance of neighbouring values, see the synthesizer.
        blocks: How the rows are cut.
    """

    def __init__(
        self,
        table: FittedTable,
        data: pd.DataFrame,
        unseen: str,
        steps: Mapping[str, float],
        blocks: Blocks,
    ) -> None:
        if not isinstance(steps, Mapping):
            raise TypeError(
                f"Parameter 'steps' must be a dictionary like {{'age': 1}}, however: {steps!r}."
            )
        self.table = table
        self.steps = {str(name): step for name, step in steps.items()}
        self.blocks = blocks
        self.model, _ = table.trained
        self._check_steps()
        self.data = data
        self.unseen = unseen
        known = Known.from_gaps(data, table, Task.LIKELIHOOD, missing_is_known=True)
        self._made = known.made_texts(table)
        known = known.without(self._made)
        if unseen == UNSEEN[0]:
            warn_of_unseen(table, [known], Task.LIKELIHOOD)
        self._new: dict[str, Marks] = {}  # by user's or model's column, which values are unseen
        for key, beyond in known.beyond.items():
            self._mark(key, beyond.rows)
        exact = known.exact.copy()
        for key, rows in self._new.items():
            exact[key] &= ~rows
        self.known = dataclasses.replace(known, exact=exact)
        self.broken = np.zeros(len(data), dtype=bool)
        if private_names.has_constraints(table.host):
            self.broken = private_names.broken_rows(table.host, known.cells, known.exact)

    def of_rows(self, num_orders: int, progress: Callable[[int], Any] | None) -> pd.Series:
        """The log-likelihood of each row."""
        rows, found, _ = self._asked(num_orders, progress, by_column=False)
        total = np.full(len(self.data), -np.inf)
        total[rows] = found
        for name, marked in self._new.items():
            total[marked] += self._log_unseen(name)
        return pd.Series(total, index=self.data.index, name='log_likelihood')

    def of_cells(self, num_orders: int, progress: Callable[[int], Any] | None) -> pd.DataFrame:
        """The part of each column in it; NaN for cells that do not count."""
        rows, found, observed = self._asked(num_orders, progress, by_column=True)
        columns: dict[str, Floats] = {}
        names = self.model.column_names
        for name in [*self.known.cells.columns, *names]:
            marked = self._new.get(name, np.zeros(len(self.data), dtype=bool))
            cells = np.full(len(self.data), np.nan)
            if name in names:
                place = names.index(name)
                cells[rows] = np.where(observed[:, place], found[:, place], np.nan)
            cells[self._made.get(name, False)] = 0.0
            if self.unseen != 'skip':
                cells[marked] = self._log_unseen(name)
            is_empty = not len(self.data) and name in names and name in self.known.cells
            if is_empty or not np.isnan(cells).all() or name in self._new:
                cells[self.broken] = -np.inf
                columns[name] = cells
        profiles = self.table.profiles
        labels = [profiles[name].column.name if name in profiles else name for name in columns]
        frame = pd.DataFrame(columns, index=self.data.index)
        return frame.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)

    def _asked(
        self, num_orders: int, progress: Callable[[int], Any] | None, *, by_column: bool
    ) -> tuple[npt.NDArray[np.int64], Floats, Marks]:
        """The rows that break no constraint, what the model says of them, and of which cells.

        Cells are ``(rows, columns of the model)``.
        """
        rows = np.flatnonzero(~self.broken)
        names = list(self.model.column_names)
        observed = np.zeros((len(rows), len(names)), dtype=bool)
        if not len(rows):
            return rows, np.zeros(observed.shape if by_column else 0), observed
        request = Request.translate(self.table, self.known.rows(rows))
        outside = self.model.excluded(request.frame, request.observed)
        for place, name in enumerate(request.frame.columns):
            marked = np.zeros(len(self.data), dtype=bool)
            marked[rows] = outside[:, place]
            self._mark(str(name), marked)
        told = request.observed & ~outside
        observed[:, [names.index(name) for name in request.frame.columns]] = told
        found = []
        for block in self.blocks.cut(len(self.data)):
            chosen = np.flatnonzero((rows >= block.start) & (rows < block.stop))
            part = request.frame.iloc[chosen].reset_index(drop=True)
            with others_turn():
                found.append(
                    self.model.log_likelihood(
                        part,
                        told[chosen],
                        num_orders=num_orders,
                        by_column=by_column,
                        steps=self.steps,
                        progress=progress,
                    )
                )
        return rows, np.concatenate(found), observed

    def _check_steps(self) -> None:
        """Refuse steps of columns that are not the model's own."""
        for name in self.steps:
            if name not in self.model.column_names:
                raise ValueError(
                    f"steps names '{name}', which is no column that the model holds as it is. "
                    f'These are: {", ".join(map(repr, self.model.column_names))}.'
                )

    def _mark(self, name: str, rows: Marks) -> None:
        if rows.any():
            self._new[name] = rows | self._new.get(name, False)

    def _log_unseen(self, name: str) -> float:
        """What a value that training has not seen adds to the log-likelihood of its row."""
        if self.unseen != 'rare':
            return -math.inf if self.unseen == 'impossible' else 0.0
        if name in self.model.column_names:
            return self.model.log_unseen(name)
        profile = self.table.profiles[name]
        width = profile.high - profile.low
        return -math.log1p(self.table.num_rows) - (math.log(width) if width > 0 else 0.0)
