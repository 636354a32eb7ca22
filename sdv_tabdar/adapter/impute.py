"""Gaps of a table filled from a model's draws."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.complete import Completer
from sdv_tabdar.adapter.formats import TableFormat, is_missing
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import ColumnFacts, Role, level_key

_CHUNK_DRAWS = 50_000  # rows drawn together


class Imputer:
    """Fills the gaps of one table.

    Args:
        completer: Draws rows of the fitted synthesizer.
        form: Form of the training table.
        data: The table with gaps, in the user's form; any of the columns, any index.

    Raises:
        ValueError: If the table has a column that the training table had not, or a known cell
            that its column cannot hold.
    """

    def __init__(self, completer: Completer, form: TableFormat, data: pd.DataFrame) -> None:
        self.completer = completer
        self.form = form
        self.data = data
        self.known = known_cells(form, completer.facts, data)[0]
        columns = [key for key in self.known.exact if completer.facts[key].has_values]
        complete = self.known.exact[columns].to_numpy().all(axis=1)
        self.absent = [name for name in form.names if str(name) not in self.known.cells.columns]
        if self.absent:
            complete[:] = False
        # Cells that hold a level unknown to the model are hidden, but are no gaps.
        self.rows = np.flatnonzero(~complete)
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
        size = batch_size or max(1, _CHUNK_DRAWS // num_draws)
        results: list[list[pd.DataFrame]] = [[] for _ in range(1 if averaged else num_draws)]
        for start in range(0, len(self.rows), size):
            positions = self.rows[start : start + size]
            chunk = self.known.rows(positions)
            if averaged:
                parts = [self.completer.expected_rows(chunk, num_draws, max_tries)]
            else:
                parts = self.completer.drawn_rows(chunk, num_draws, max_tries)
            for result, part in zip(results, parts, strict=True):
                part.index = pd.Index(positions[part.index.to_numpy()])
                result.append(part)
        return [pd.concat(parts) if parts else self.known.cells.iloc[:0] for parts in results]

    def _filled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The user's table with its gaps taken from finished rows."""
        rows = self._with_new_keys(rows)
        restored = self.form.restore(rows)
        left = np.setdiff1d(self.rows, rows.index.to_numpy())
        if len(left):
            warnings.warn(
                f'{len(left)} rows stay as they are, because none of the draws met the '
                f'constraints together with the known cells (first: {self.data.index[left[0]]!r}).',
                stacklevel=4,
            )
        filled = {}
        for name in [*self.data.columns, *self.absent]:
            source = restored[_label(restored, name)]
            source = source.reindex(pd.RangeIndex(len(self.data)))
            if name in self.data.columns:
                filled[name] = _merged(self.data[name], source)
            else:
                dtype = restored[_label(restored, name)].dtype
                filled[name] = _as_dtype(source.set_axis(self.data.index), dtype)
        columns = pd.Index(list(filled), tupleize_cols=False)
        return pd.DataFrame(filled, index=self.data.index, columns=columns)

    def _with_new_keys(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Generated keys that do not repeat those that are known."""
        for key in private_names.keys(self.completer.synth):
            if key not in rows.columns or not len(rows):
                continue
            used: set[Any] = set()
            if key in self.known.cells:
                used = set(self.known.cells[key][self.known.exact[key]])
            generated = np.ones(len(rows), dtype=bool)
            if key in self.known.exact:
                generated = ~self.known.exact[key].to_numpy()[rows.index.to_numpy()]
            values = rows[key].to_numpy(dtype=object, copy=True)
            clashes = generated & np.array([value in used for value in values])
            while clashes.any():
                fresh = private_names.generate_columns(
                    self.completer.synth, [key], int(clashes.sum())
                )
                values[clashes] = fresh[key].to_numpy(dtype=object)
                clashes = generated & np.array([value in used for value in values])
            rows = rows.assign(**{key: self.completer.facts[key].typed(list(values), rows.index)})
        return rows

    def _warn_about_empty_columns(self) -> None:
        facts = self.completer.facts
        empty = [column.name for column in self.form.columns if not facts[column.key].has_values]
        if empty and len(self.rows):
            warnings.warn(
                f'The columns {empty} had only missing values in training and stay empty.',
                stacklevel=4,
            )


def known_cells(
    form: TableFormat, facts: Mapping[str, ColumnFacts], data: pd.DataFrame
) -> tuple[Known, npt.NDArray[np.bool_]]:
    """The cells of a table that are not missing; numbers may lie outside the training range.

    Levels that the model has not seen tell it nothing: they count as hidden, with a warning.

    Returns:
        The cells, and ``(rows,)`` which rows have such levels.

    Raises:
        ValueError: If a column was not in the training table, or a number or a date cannot be
            read as one.
    """
    unknown = [name for name in data.columns if str(name) not in facts]
    if unknown:
        raise ValueError(
            f'The columns {unknown} were not in the training table. Its columns are {form.names}.'
        )
    plain = form.plain(data).reset_index(drop=True)
    cells, exact = {}, {}
    unseen = np.zeros(len(data), dtype=bool)
    for key in plain.columns:
        cells[key], exact[key] = _known_column(facts[key], plain[key])
        unseen |= plain[key].notna().to_numpy() & ~exact[key]
    index = pd.RangeIndex(len(data))
    known = Known(pd.DataFrame(cells, index=index), pd.DataFrame(exact, index=index, dtype=bool))
    return known, unseen


def _known_column(facts: ColumnFacts, values: pd.Series) -> tuple[pd.Series, npt.NDArray[np.bool_]]:
    present = values.notna().to_numpy()
    if facts.role is Role.GENERATED:
        return values, present
    is_number = pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool
    if facts.role is Role.NUMBER and is_number:
        facts.check_numbers(values[present])
        return values, present
    if facts.role is Role.DATE and values.dtype == facts.dtype != object:
        return values, present
    listed = values.tolist()
    distinct: dict[Hashable, Any] = {}
    for value in listed:
        if not is_missing(value):
            distinct.setdefault(level_key(value), value)
    unseen = {}
    if facts.role is Role.DISCRETE:
        unseen = {key: value for key, value in distinct.items() if key not in facts.levels}
    read = [key for key in distinct if key not in unseen]
    checked = facts.with_any_value().check_all([distinct[key] for key in read])
    plain = dict(zip(read, checked, strict=True))
    keys = [None if is_missing(value) else level_key(value) for value in listed]
    present = np.array([key in plain for key in keys], dtype=bool)
    if unseen:
        warnings.warn(
            f"Column '{facts.column.name}' has values that the training data had not: "
            f'{list(unseen.values())[:10]}. The model takes these cells for unknown.',
            stacklevel=6,
        )
    return facts.typed([plain.get(key) for key in keys], values.index), present


def _label(frame: pd.DataFrame, name: Hashable) -> Hashable:
    """The label of ``name`` in a frame whose labels may be text where it is not."""
    return name if name in frame.columns else next(c for c in frame.columns if str(c) == str(name))


def _merged(given: pd.Series, filled: pd.Series) -> pd.Series:
    """``given`` with its gaps taken from ``filled``, row by row in order."""
    gaps = given.isna().to_numpy()
    if not gaps.any():
        return given
    values = given.astype(object).to_numpy(dtype=object, copy=True)
    values[gaps] = filled.astype(object).to_numpy()[gaps]
    merged = pd.Series(values, index=given.index, name=given.name, dtype=object)
    return _as_dtype(merged, filled.dtype if gaps.all() else given.dtype)


def _as_dtype(values: pd.Series, dtype: Any) -> pd.Series:
    """Values in ``dtype`` if it can hold them."""
    if isinstance(dtype, pd.CategoricalDtype):
        new = pd.Index(values.dropna().unique()).difference(dtype.categories, sort=False)
        dtype = pd.CategoricalDtype([*dtype.categories, *new]) if len(new) else dtype
    try:
        return values.astype(dtype)
    except (TypeError, ValueError):
        return values
