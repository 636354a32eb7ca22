"""Gaps of a table filled from a model's draws."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.complete import Completer
from sdv_tabdar.adapter.compositions import composed
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.formats import with_categories
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.new_keys import with_new_keys, with_taken_keys
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.core.codecs.values import with_columns

_TRIES = 5  # draws for rows that break a constraint
_TRIES_WITHOUT = 3  # the same where columns of a constraint are left out
_CHUNK_DRAWS = 50_000  # rows drawn together

Integers = npt.NDArray[np.int64]


def impute(
    table: FittedTable,
    data: pd.DataFrame,
    num_draws: int,
    num_samples: int,
    batch_size: int | None,
    blocks: Blocks,
    *,
    keep_structural: bool,
) -> list[Any]:
    """Tables with their gaps filled; see the synthesizer's method of the same name."""
    imputer = Imputer(table, data, blocks, keep_structural=keep_structural)
    if num_draws > 1 or num_samples == 1:
        return imputer.draws(num_draws, _TRIES, batch_size)
    return [imputer.expectation(num_samples, _TRIES, batch_size)]


class Imputer:
    """Fills the gaps of one table.

    Args:
        table: The fitted table.
        data: The table with gaps, in the user's form; any of the columns, any index.
        blocks: How its rows are cut.
        keep_structural: Whether gaps stay that training rows have beside such known cells.

    Raises:
        ValueError: If the table has a column that the training table had not, or a known cell
            that its column cannot hold.
    """

    def __init__(
        self, table: FittedTable, data: pd.DataFrame, blocks: Blocks, *, keep_structural: bool
    ) -> None:
        self.table = table
        self.keep_structural = keep_structural
        self.data = data
        self.blocks = blocks
        (self.known,) = with_taken_keys(table, [Known.from_gaps(data, table, Task.IMPUTE)])
        warn_of_unseen(table, [self.known], Task.IMPUTE)
        columns = [key for key in self.known.exact if table.profiles[key].has_values]
        complete = self.known.exact[columns].to_numpy().all(axis=1)
        for told in self.known.drawn.values():
            complete &= ~told  # a gap that other cells of its row fill
        self.impossible: dict[str, set[int]] = {}  # rows whose gap in a column nothing can fill
        # Rows whose gap in a column of invented values stays.
        self.rightly: dict[str, set[int]] = {}
        self.absent = [name for name in table.form.names if str(name) not in self.known.cells]
        if self.absent:
            complete[:] = False
        self.rows = np.flatnonzero(~complete)
        self.broken = np.zeros(len(data), dtype=bool)  # rows that no draw can help
        if private_names.has_constraints(table.host):
            cells, exact = self.known.cells, self.known.exact
            self.broken = private_names.broken_rows(table.host, cells, exact)
        self._warn_about_empty_columns()

    def expectation(self, num_samples: int, max_tries: int, batch_size: int | None) -> pd.DataFrame:
        """The table filled with the mean or the vote of ``num_samples`` draws."""
        return self._filled(self._chunks(num_samples, max_tries, batch_size, averaged=True)[0])

    def draws(self, num_draws: int, max_tries: int, batch_size: int | None) -> list[pd.DataFrame]:
        """The table filled ``num_draws`` times, each time with a draw."""
        drawn = self._chunks(num_draws, max_tries, batch_size, averaged=False)
        return [self._filled(rows) for rows in drawn]

    def _chunks(
        self, num_draws: int, max_tries: int, batch_size: int | None, *, averaged: bool
    ) -> list[pd.DataFrame]:
        """For each result the finished rows that have gaps, under their positions."""
        results: list[list[pd.DataFrame]] = [[] for _ in range(1 if averaged else num_draws)]
        for block in self.blocks.cut(len(self.data)):
            rows = self.rows[(self.rows >= block.start) & (self.rows < block.stop)]
            rows = rows[~self.broken[rows]]
            if not len(rows):
                continue
            found = self._completed(rows, num_draws, max_tries, batch_size, averaged=averaged)
            for result, part in zip(results, found, strict=True):
                counted = self.blocks.counted(self.table, part, before=block.start)
                whole = self._with_generated(counted)
                result.append(with_new_keys(self.table, whole, self.known, self.blocks))
        self._warn_about_gaps()
        return [pd.concat(parts) if parts else self.table.form.empty() for parts in results]

    def _completed(
        self,
        rows: Integers,
        num_draws: int,
        max_tries: int,
        batch_size: int | None,
        *,
        averaged: bool,
    ) -> list[pd.DataFrame]:
        """For each result the finished rows of some that have gaps, under their positions."""

        def completed(known: Known, max_tries: int) -> list[pd.DataFrame]:
            completer = Completer(self.table)
            if averaged:
                return [completer.expected_rows(known, num_draws, max_tries)]
            return completer.drawn_rows(known, num_draws, max_tries)

        size = batch_size or max(1, _CHUNK_DRAWS // num_draws)
        results: list[list[pd.DataFrame]] = [[] for _ in range(1 if averaged else num_draws)]
        for start in range(0, len(rows), size):
            positions = rows[start : start + size]
            known = self.known.rows(positions)
            if self.keep_structural:
                known = _with_structural_gaps(self.table, known)
                self._note_rightly(positions, known)
            parts = completed(known, max_tries)
            for part in parts:
                part.index = pd.Index(positions[part.index.to_numpy()])
            unmet = self._unmet(positions, parts)
            for groups in self._tries_without() if len(unmet) else []:
                tried, freed, left_out = self._without(unmet, groups)
                if not len(tried):
                    continue
                for place, part in enumerate(completed(freed, _TRIES_WITHOUT)):
                    emptied = self._emptied(part, left_out)
                    emptied.index = pd.Index(tried[part.index.to_numpy()])
                    new = emptied[~emptied.index.isin(parts[place].index)]
                    self._note_impossible(new.index, left_out.set_axis(tried))
                    parts[place] = pd.concat([parts[place], new])
                unmet = self._unmet(positions, parts)
            for result, part in zip(results, parts, strict=True):
                result.append(part.sort_index())
        return [pd.concat(parts) for parts in results]

    def _unmet(self, positions: Integers, parts: Sequence[pd.DataFrame]) -> Integers:
        """The rows that one of the results lacks."""
        met = [np.isin(positions, part.index.to_numpy()) for part in parts]
        return positions[~np.logical_and.reduce(met)]

    def _tries_without(self) -> list[list[set[str]]]:
        """Groups of columns to leave out where no draw is met: those of each constraint, then all.

        Constraints that share a column make one group.
        """
        groups: list[set[str]] = []
        for names in private_names.constraint_groups(self.table.host):
            apart = [group for group in groups if not group & names]
            groups = [*apart, names.union(*(group for group in groups if group & names))]
        return [*([names] for names in groups), *([groups] if len(groups) > 1 else [])]

    def _without(
        self, positions: Integers, groups: Sequence[set[str]]
    ) -> tuple[Integers, Known, pd.DataFrame]:
        """What is known besides some columns, where of these some are known and others are not.

        Returns:
            The rows in which it is so, what is known of them, and which cells are left out.
        """
        known = self.known.rows(positions)
        left_out = pd.DataFrame(False, index=known.exact.index, columns=list(self.table.profiles))
        for names in groups:
            given = known.exact[[name for name in known.exact if name in names]].sum(axis=1)
            left_out.loc[(given > 0) & (given < len(names)), list(names)] = True
        exact = known.exact & ~left_out[known.exact.columns]
        chosen = np.flatnonzero(left_out.any(axis=1))
        freed = dataclasses.replace(known, exact=exact).rows(chosen)
        return positions[chosen], freed, left_out.iloc[chosen].reset_index(drop=True)

    def _emptied(self, rows: pd.DataFrame, left_out: pd.DataFrame) -> pd.DataFrame:
        """Rows without what was drawn in cells that are left out."""
        emptied = {}
        for name in left_out.columns[left_out.any()]:
            values = rows[name].to_numpy(dtype=object, copy=True)
            values[left_out.loc[rows.index, name].to_numpy()] = None
            emptied[name] = self.table.profiles[name].typed(list(values), rows.index)
        return with_columns(rows, emptied)

    def _note_rightly(self, positions: Integers, known: Known) -> None:
        """Keep in mind which gaps of columns whose values are invented are to stay."""
        for name in self.table.presences.keys() & {*known.exact}:
            stays = known.exact[name] & known.cells[name].isna()
            self.rightly.setdefault(name, set()).update(positions[stays.to_numpy()].tolist())

    def _note_impossible(self, rows: pd.Index, left_out: pd.DataFrame) -> None:
        for name in left_out.columns[left_out.any()]:
            exact = self.known.exact.get(name)
            empty = [row for row in rows if exact is None or not exact.iloc[row]]
            found = {row for row in empty if left_out.loc[row, name]}
            if found:
                self.impossible.setdefault(name, set()).update(found)

    def _filled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The user's table with its gaps taken from finished rows."""
        stays = {key: asked[rows.index] for key, asked in self.known.asked.items()}
        made = composed(self.table.compositions, self.table.form.as_learnt(rows), stays)
        restored = self.table.form.restore(made)
        left = np.setdiff1d(self.rows, rows.index.to_numpy())
        if len(left):
            first = self.data.index[left[0]]
            if private_names.has_constraints(self.table.host):
                reason = 'none of the draws met the constraints together with the known cells'
                way = 'Look for known cells in them that break a constraint.'
            else:
                reason = 'none of the draws had a value for each of their gaps'
                way = 'Empty some of their known cells, or look at the transformers of the columns.'
            warnings.warn(
                f'{len(left)} rows stay as they are, because {reason} (first: {first!r}). {way}',
                stacklevel=5,
            )
        trained = {column.name: column.dtype for column in self.table.form.columns}
        replaced = self.table.replaced
        filled = {}
        for name in [*self.data.columns, *self.absent]:
            drawn = restored[_label(restored, name)]
            dtype = drawn.dtype
            if isinstance(dtype, pd.SparseDtype):
                drawn = drawn.sparse.to_dense()  # pandas warns of gaps in one of truth values
            source = drawn.reindex(pd.RangeIndex(len(self.data)))
            if name in self.data.columns:
                cells = drawn.astype(object).reindex(source.index)  # whole numbers as such
                given = self.data[name]
                if str(name) in replaced:
                    given = _without_categories(given)
                filled_dtype = source.dtype if drawn.dtype == dtype else dtype
                filled[name] = _merged(given, cells, filled_dtype, trained[name])
            else:
                filled[name] = _as_dtype(source.set_axis(self.data.index), dtype)
        columns = pd.Index(list(filled), tupleize_cols=False, name=self.data.columns.name)
        frame = pd.DataFrame(filled, index=self.data.index, columns=columns)
        return frame if self.absent else frame.set_axis(self.data.columns, axis=1)

    def _with_generated(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Values where generators left cells missing as often as training had missing ones."""
        rows = rows.copy(deep=False)
        for key, profile in self.table.profiles.items():
            if profile.role is not Role.GENERATED or not profile.has_values or key not in rows:
                continue
            gaps = rows[key].isna().to_numpy() & ~rows.index.isin(self.rightly.get(key, ()))
            if gaps.any():
                fresh = private_names.generate_columns(self.table.host, [key], int(gaps.sum()))
                values = rows[key].to_numpy(dtype=object, copy=True)
                values[gaps] = fresh[key].to_numpy(dtype=object)
                rows[key] = profile.typed(list(values), rows.index)
        return rows

    def _warn_about_gaps(self) -> None:
        """Say which cells nothing can fill, and what can be done."""
        if not self.impossible:
            return
        ways = 'Change or empty known cells of the columns of that constraint'
        if any(names & set(self.impossible) for names in self._in_order()):
            ways += (
                ', or, for columns in order, fit with enforce_min_max_values=False to go beyond '
                'the range of the training data'
            )
        counts = ', '.join(
            f"{len(rows)} in column '{self.table.profiles[name].column.name}'"
            for name, rows in sorted(self.impossible.items())
        )
        first = min(min(rows) for rows in self.impossible.values())
        warnings.warn(
            f'Cells stay missing, because no value was found that meets their constraint together '
            f'with the known cells: {counts} (first row: {self.data.index[first]!r}). {ways}.',
            stacklevel=6,
        )

    def _in_order(self) -> list[set[str]]:
        """The columns of constraints on their order, where these end with the training range."""
        every = [set(names) for names, _ in private_names.orders(self.table.host)]
        profiles = self.table.profiles
        return [names for names in every if not any(profiles[name].extrapolates for name in names)]

    def _warn_about_empty_columns(self) -> None:
        profiles = self.table.profiles.values()
        empty = [
            profile.column.name
            for profile in profiles
            if not profile.has_values and ('empty', profile.column.key) not in self.table.said
        ]
        if empty and len(self.rows):
            self.table.said.update(('empty', str(name)) for name in empty)
            warnings.warn(
                f'The columns {empty} had only missing values in training and stay empty.',
                stacklevel=5,
            )


def _with_structural_gaps(table: FittedTable, known: Known) -> Known:
    """What is known, with gaps that structural zeros say are rightly there: they are missing."""
    model, _ = table.trained
    request = Request.translate(table, known)
    missing = model.must_be_missing(request.frame, request.observed)
    exact = known.exact.copy()
    for name, rows in zip(model.column_names, missing.T, strict=True):
        profile = request.profiles.get(name)
        if profile is not None and profile.column.key in exact:
            exact[profile.column.key] |= rows
    return dataclasses.replace(known, exact=exact)


def _label(frame: pd.DataFrame, name: Hashable) -> Hashable:
    """The label of ``name`` in a frame whose labels may be text where it is not."""
    return name if name in frame.columns else next(c for c in frame.columns if str(c) == str(name))


def _merged(given: pd.Series, filled: pd.Series, filled_dtype: Any, trained: Any) -> pd.Series:
    """``given`` with its gaps taken from objects, row by row in order.

    Pandas holds whole numbers, and ones and zeros that stand for True and False, with gaps as
    floats. Without gaps they are of the dtype ``trained`` again, if the training column had such a
    one. Where all cells are filled, they are of
    ``filled_dtype``.
    """
    gaps = given.isna().to_numpy()
    if not gaps.any():
        return given
    values = given.astype(object).to_numpy(dtype=object, copy=True)
    found = gaps & filled.notna().to_numpy()  # what stays missing is marked as it was
    values[found] = filled.to_numpy()[found]
    merged = pd.Series(values, index=given.index, name=given.name, dtype=object)
    is_back = _is_whole if pd.api.types.is_integer_dtype(trained) else None
    if pd.api.types.is_bool_dtype(trained) and not isinstance(trained, pd.CategoricalDtype):
        is_back = _is_truth_value
    if given.dtype == np.float64 and is_back is not None:
        all_back = not merged.isna().any() and all(map(is_back, values))
        dtype = trained if all_back else given.dtype
        if all_back and is_back is _is_truth_value:
            merged = merged.map(bool)  # pandas' nullable dtype takes no numbers
    else:
        dtype = filled_dtype if gaps.all() else given.dtype
    return _as_dtype(merged, dtype)


def _without_categories(values: pd.Series) -> pd.Series:
    """Values as objects in place of categories, to which each block would add other ones."""
    return values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number; what is generated for numbers may be text."""
    return bool(pd.api.types.is_number(value)) and float(value).is_integer()


def _is_truth_value(value: Any) -> bool:
    """Whether a value is True or False, or the number of one."""
    return bool(pd.api.types.is_number(value)) and value in (0, 1)


def _as_dtype(values: pd.Series, dtype: Any) -> pd.Series:
    """Values in ``dtype`` if it can hold them."""
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = with_categories(dtype, values)
    try:
        return values.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return values
