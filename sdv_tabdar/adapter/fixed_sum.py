"""A constraint of this package's own: parts that add up."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.cag import SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_tabdar.adapter import checked, private_names
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.private_names import saved_constraints
from sdv_tabdar.core.codecs.values import with_columns

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_MOST_DECIMALS = 9
_SLACK = 1e-9  # of unrounded numbers, relative to the total
_UNROUNDED = 99  # decimals
_SHOWN = 5  # rows in a message


class FixedSum(SingleTableProgrammableConstraint):
    """Parts that add up to a column, or to a number, in every row.

    With ``total_column`` the total is not learnt: it follows from the parts. With ``total`` the
    parts are drawn in the proportions that the model gives them and made to add up. Either way the
    sum is exact to the last decimal that the columns have (largest remainder). Rows in which a
    part or the total is missing need not add up; a total is missing where a part is.

    Args:
        part_columns (list[str]): The parts, at least two numerical columns.
        total_column (str): The numerical column that they add up to.
        total (float): The number that they add up to, such as 100 for percentages. One of
            ``total_column`` and ``total`` must be given.
        table_name (str): Name of the table; there is only one.

    Raises:
        ValueError: If an argument is not allowed.
    """

    def __init__(
        self,
        part_columns: list[str],
        total_column: str | None = None,
        total: float | None = None,
        table_name: str | None = None,
    ) -> None:
        listed = isinstance(part_columns, (list, tuple)) and all(
            isinstance(name, str) for name in part_columns
        )
        if not listed or len(set(part_columns)) != len(part_columns) or len(part_columns) < 2:
            raise ValueError(
                "Parameter 'part_columns' must be a list of at least two different columns, "
                f'however: {part_columns!r}.'
            )
        if (total_column is None) == (total is None):
            raise ValueError(
                "Give either 'total_column', the column that the parts add up to, or 'total', the "
                f'number, however: total_column={total_column!r}, total={total!r}.'
            )
        if total_column is not None and (
            not isinstance(total_column, str) or total_column in part_columns
        ):
            raise ValueError(
                "Parameter 'total_column' must be the name of a column that is not among the "
                f'parts, however: {total_column!r}.'
            )
        is_number = isinstance(total, numbers.Real) and not isinstance(total, bool)
        if total is not None and not (is_number and math.isfinite(total)):
            raise ValueError(f"Parameter 'total' must be a finite number, however: {total!r}.")
        self.part_columns = list(part_columns)
        self.total_column = total_column
        self.total = total
        self.table_name = table_name
        self._decimals: Mapping[str, int] = {}
        self._lowest: Floats = np.full(len(part_columns), -np.inf)

    def __repr__(self) -> str:
        what = f'total_column={self.total_column!r}' if self.total_column else f'total={self.total}'
        return f'FixedSum({self.part_columns!r}, {what})'

    @property
    def column_names(self) -> list[str]:
        """The columns that it is about."""
        return [*self.part_columns, *([self.total_column] if self.total_column else [])]

    def validate(self, metadata: Metadata) -> None:
        """Refuse metadata without these columns, or in which they are no numbers.

        Raises:
            sdv.errors.SynthesizerInputError: If they are such. SDV would go on from another error
                of its own, and draw rows until some happen to add up.
        """
        (table,) = metadata.tables.values()
        for name in self.column_names:
            sdtype = table.columns.get(name, {}).get('sdtype')
            if sdtype is None:
                raise SynthesizerInputError(
                    f"FixedSum is about a column '{name}' that is not there. The columns are "
                    f'{list(table.columns)}. If another constraint replaces it, give FixedSum '
                    'before that one.'
                )
            if sdtype != 'numerical':
                raise SynthesizerInputError(
                    f"FixedSum needs numerical columns, however: column '{name}' has the sdtype "
                    f"'{sdtype}'."
                )

    def validate_input_data(self, data: pd.DataFrame) -> None:
        """Refuse rows that do not add up.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: If there are some; it shows the first of them.
        """
        valid = self.is_valid(data).to_numpy()
        if not valid.all():
            rows = data.loc[~valid, self.column_names].head(_SHOWN)
            what = self.total if self.total_column is None else f"'{self.total_column}'"
            more = int((~valid).sum()) - len(rows)
            raise private_names.ConstraintNotMetError(
                f'Data is not valid for the FixedSum constraint: {self.part_columns} do not add '
                f'up to {what} in {int((~valid).sum())} rows:\n{rows}'
                + (f'\n+{more} more' if more > 0 else '')
            )

    def fit(self, data: pd.DataFrame, metadata: Metadata) -> None:
        """Learn how many decimals the columns have, and which parts are never negative."""
        self._decimals = self._decimals_in(data)
        lowest = self._parts(data).min(axis=0, initial=np.inf, where=~np.isnan(self._parts(data)))
        self._lowest = np.where(lowest >= 0, 0.0, -np.inf)

    def get_updated_metadata(self, metadata: Metadata) -> Metadata:
        """The metadata without the total."""
        if self.total_column is None:
            return metadata
        content = metadata.to_dict()
        for table in content['tables'].values():
            del table['columns'][self.total_column]
            table['column_relationships'] = [
                relation
                for relation in table.get('column_relationships', [])
                if self.total_column not in relation['column_names']
            ]
        return Metadata.load_from_dict(content)

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        """The table without the total."""
        return data if self.total_column is None else data.drop(columns=self.total_column)

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        """The table with the total, or with parts that add up."""
        parts = self._parts(transformed_data)
        if self.total_column is not None:
            return with_columns(transformed_data, {self.total_column: self.added(parts)})
        totals = np.full(len(parts), float(self.total or 0.0))
        settled = self.settled(parts, np.zeros(parts.shape, dtype=bool), totals)
        return with_columns(
            transformed_data,
            {name: settled[:, place] for place, name in enumerate(self.part_columns)},
        )

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        """Which rows add up; those with a missing cell do."""
        learnt = self._decimals_in(synthetic_data)
        decimals = {name: max(learnt[name], self._decimals.get(name, 0)) for name in learnt}
        if self.total_column is None:
            totals = np.full(len(synthetic_data), float(self.total or 0.0))
            finest = max(decimals.values(), default=0)
        else:
            totals = _floats(synthetic_data[self.total_column])
            finest = decimals[self.total_column]
        slack = _SLACK * np.maximum(np.abs(totals), 1.0)
        if finest < _UNROUNDED:
            slack = slack + 0.5 * 10.0**-finest
        misses = np.abs(self._parts(synthetic_data).sum(axis=1) - totals) > slack
        return pd.Series(~misses, index=synthetic_data.index)

    def added(self, parts: Floats) -> Floats:
        """Sums ``(rows,)`` of parts ``(rows, parts)``, exact in decimals; NaN where one is."""
        finest = self._finest(self.part_columns)
        if finest == _UNROUNDED:
            return np.asarray(parts.sum(axis=1))
        scale = 10.0**finest
        sums = np.rint(parts * scale).sum(axis=1) / scale
        column = self._decimals.get(self.total_column or '', _UNROUNDED)
        return np.asarray(sums if column == _UNROUNDED else np.round(sums, column))

    def settled(self, parts: Floats, fixed: Flags, totals: Floats) -> Floats:
        """Parts that add up: the free ones are moved in proportion to their size, then rounded.

        Args:
            parts: ``(rows, parts)``; rows with NaN stay as they are.
            fixed: ``(rows, parts)``, True = the part may not change.
            totals: ``(rows,)``, what to add up to; NaN leaves the row as it is.
        """
        free = ~fixed
        changed = ~np.isnan(parts).any(axis=1) & np.isfinite(totals) & free.any(axis=1)
        found = parts.copy()
        if not changed.any():
            return found
        rows, free, totals = parts[changed], free[changed], totals[changed]
        moved = _moved(rows, free, totals)
        decimals = np.array([self._decimals.get(name, _UNROUNDED) for name in self.part_columns])
        finest = np.where(free, decimals, -1).max(axis=1)
        for number in np.unique(finest[finest < _UNROUNDED]).tolist():
            some = finest == number
            moved[some] = _rounded(moved[some], free[some], totals[some], decimals, number)
        # What no column's decimals can hold, because a fixed part has more of them.
        lack = totals - moved.sum(axis=1)
        odd = np.flatnonzero(np.abs(lack) > _SLACK * np.maximum(np.abs(totals), 1.0))
        largest = np.where(free, np.abs(moved), -1.0).argmax(axis=1)
        moved[odd, largest[odd]] += lack[odd]
        found[changed] = moved
        return found

    def is_possible(self, parts: Floats, free: Flags) -> Flags:
        """``(rows,)``: no free part is negative that never was."""
        return np.asarray(~(free & (parts < self._lowest)).any(axis=1))

    @property
    def lowest(self) -> Floats:
        """``(parts,)``: 0 for parts that are never negative, else minus infinity."""
        return self._lowest

    def _finest(self, names: list[str]) -> int:
        return max(self._decimals.get(name, _UNROUNDED) for name in names)

    def _parts(self, data: pd.DataFrame) -> Floats:
        return np.stack([_floats(data[name]) for name in self.part_columns], axis=1)

    def _decimals_in(self, data: pd.DataFrame) -> dict[str, int]:
        return {name: _decimals_of(_floats(data[name])) for name in self.column_names}


def _check_saved(entry: Any, place: str) -> None:
    """Refuse a saved FixedSum whose parts do not fit together."""
    parts, lowest = entry['arguments']['part_columns'], entry['learnt']['_lowest']
    names = [*parts, entry['arguments']['total_column']]
    if len(set(names)) < len(names):
        raise Unfit(f'{place}.arguments', f'must name distinct columns, however: {names[:5]}.')
    if len(lowest) != len(parts) or not np.isin(lowest, [0.0, -np.inf]).all():
        raise Unfit(f'{place}.learnt._lowest', f'must be 0 or -inf for each of {parts[:5]}.')


saved_constraints.register(
    'FixedSum',
    saved_constraints.OwnKind(
        FixedSum,
        arguments={
            'part_columns': checked.items(checked.text),
            'total_column': checked.optional(checked.text),
            'total': checked.optional(checked.number()),
            'table_name': checked.optional(checked.text),
        },
        learnt={
            '_decimals': checked.entries(checked.whole(0, _UNROUNDED)),
            '_lowest': checked.array('f8', (None,)),
        },
        check=_check_saved,
    ),
)
FixedSum.__module__ = 'sdv_tabdar'  # where a saved synthesizer looks for it


def _moved(rows: Floats, free: Flags, totals: Floats) -> Floats:
    """Free parts moved in proportion to their size, evenly if all are 0, so that they add up."""
    sizes = np.where(free, np.abs(rows), 0.0)
    sizes[sizes.sum(axis=1) == 0] = 1.0
    sizes = np.where(free, sizes, 0.0)
    lack = totals - rows.sum(axis=1)
    return np.asarray(rows + lack[:, None] * sizes / sizes.sum(axis=1, keepdims=True))


def _rounded(rows: Floats, free: Flags, totals: Floats, decimals: Any, finest: int) -> Floats:
    """Free parts in the decimals of their columns; the finest ones by largest remainder."""
    coarse = free & (decimals < finest)
    rows = rows.copy()
    for place in np.flatnonzero(coarse.any(axis=0)).tolist():
        some = coarse[:, place]
        rows[some, place] = np.round(rows[some, place], int(decimals[place]))
    fine = free & (decimals == finest)
    rows = _moved(rows, fine, totals)
    scale = 10.0**finest
    units = np.where(fine, rows, 0.0) * scale
    whole = np.floor(units + 1e-6)
    rest = np.rint((totals - np.where(fine, 0.0, rows).sum(axis=1)) * scale)
    lack = rest - whole.sum(axis=1)
    remainders = np.where(fine, units - whole, -np.inf)
    ranks = (-remainders).argsort(axis=1, kind='stable').argsort(axis=1, kind='stable')
    whole += fine & (ranks < lack[:, None])
    return np.where(fine, whole / scale, rows)


def _floats(values: pd.Series) -> Floats:
    return pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)


def _decimals_of(values: Floats) -> int:
    """How many decimals all numbers have at most; :data:`_UNROUNDED` if too many."""
    present = values[np.isfinite(values)]
    for decimals in range(_MOST_DECIMALS + 1):
        if np.array_equal(np.round(present, decimals), present):
            return decimals
    return _UNROUNDED
