"""Known cells carried through SDV's constraints.

A constraint replaces columns of the table by others. Where all of its columns are known it says
itself what becomes of them; where only some are, what they tell of the new columns is worked out
here for the constraints that SDV comes with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.formats import is_missing
from sdv_tabdar.adapter.profile import ColumnFacts
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, Restriction

Flags = npt.NDArray[np.bool_]


class ConstraintTranslator:
    """Known cells, changed by one constraint after the other.

    Args:
        synth: The fitted synthesizer.
        model: Its model.
        facts: What training saw of each of the user's columns.
        cells: Values of the known columns in plain form, RangeIndex.
        exact: For each of them ``(rows,)``, True = the value is known.

    Attributes:
        restrictions: Restrictions of the model's columns, row by row.
        loose: For a user's column the rows in which the model is not told of its cell.
    """

    def __init__(
        self,
        synth: Any,
        model: TabDAR,
        facts: Mapping[str, ColumnFacts],
        cells: pd.DataFrame,
        exact: pd.DataFrame,
    ) -> None:
        self.synth = synth
        self.model = model
        self.facts = facts
        self.num_rows = len(cells)
        self.cells = cells.copy(deep=False)
        self.exact: dict[str, Flags] = {key: exact[key].to_numpy(dtype=bool) for key in exact}
        self.restrictions: dict[str, list[Restriction | None]] = {}
        self.loose: dict[str, Flags] = {}

    def apply_constraint(
        self, step: private_names.ConstraintStep, *, fill: bool, bounded: bool
    ) -> None:
        """Replace known columns that a constraint takes away."""
        given = [name for name in step.dropped if name in self.exact]
        full = np.zeros(self.num_rows, dtype=bool)
        made: dict[str, tuple[npt.NDArray[Any], Flags]] = {}
        if step.dropped and len(given) == len(step.dropped):
            full = np.logical_and.reduce([self.exact[name] for name in given])
            full, made = self._transform_full_rows(step, full, fill=fill)
        for name in given:
            self._mark_loose(name, self.exact[name] & ~full)
        self._tell_low(step, full)
        self._tell_order(step, full, bounded=bounded)
        self._tell_combinations(step, full, fill=fill)
        self._tell_nulls(step, full, fill=fill)
        for name in given:
            del self.exact[name], self.cells[name]
        for name, (values, told) in made.items():
            self._add(name, values, told)

    def _transform_full_rows(
        self, step: private_names.ConstraintStep, full: Flags, *, fill: bool
    ) -> tuple[Flags, dict[str, tuple[npt.NDArray[Any], Flags]]]:
        """Put rows whose columns are all known through the constraint.

        Returns:
            Which rows went through, and for each new column its values and where they are known.
        """
        if not full.any():
            return full, {}
        rows = self.cells[full]
        try:
            if fill:  # rows that break the constraint are left for the end
                full = full.copy()
                full[full] = np.asarray(step.constraint.is_valid(rows), dtype=bool)
                rows = self.cells[full]
            transformed = step.constraint.transform(rows)
        except private_names.ConstraintNotMetError as error:
            raise private_names.ConstraintNotMetError(
                'Unable to sample any rows for the given conditions: they break a constraint. '
                f'{error}'
            ) from error
        except Exception:
            # A user's own constraint may need columns that are not known.
            return np.zeros_like(full), {}
        self._check_combinations(step, rows, transformed)
        has_null = rows[list(step.dropped)].isna().any(axis=1).to_numpy()
        places = np.flatnonzero(full)
        made = {}
        for name, sdtype in step.added.items():
            if name == step.nulls:
                continue
            values = np.full(self.num_rows, None, dtype=object)
            values[places] = transformed[name].astype(object).to_numpy()
            # The constraint fills numbers next to nulls with means, which nobody knows to be so.
            told = full.copy()
            if sdtype in ('numerical', 'datetime'):
                told[places[has_null]] = False
            made[name] = values, told
        return full, made

    def _add(self, name: str, values: npt.NDArray[Any], rows: Flags) -> None:
        """Know ``values`` in ``rows`` of a column after constraints, beside what is known."""
        if name in self.exact:
            merged = self.cells[name].to_numpy(dtype=object, copy=True)
            merged[rows] = values[rows]
            values, rows_known = merged, self.exact[name] | rows
        else:
            rows_known = rows
        cells = pd.Series(values, index=self.cells.index, dtype=object)
        self.cells[name] = cells.infer_objects() if rows_known.all() else cells
        self.exact[name] = rows_known

    def _tell_low(self, step: private_names.ConstraintStep, full: Flags) -> None:
        """The low column of an Inequality or Range lives on under another name."""
        if step.low is None or step.low[0] not in self.exact:
            return
        low, renamed = step.low
        values = self.cells[low].to_numpy(dtype=object)
        told = self.exact[low] & ~self.cells[low].isna().to_numpy()
        self._add(renamed, values, told)
        self._unmark_loose(low, self.exact[low] & ~full)

    def _tell_order(
        self, step: private_names.ConstraintStep, full: Flags, *, bounded: bool
    ) -> None:
        """What some columns of an Inequality or Range say of the others.

        A difference of two known columns is known; with ``bounded``, an unknown column between
        or below known ones is kept from passing them, which costs the model a call for each
        distinct bound.
        """
        if step.low is None or any(name not in self.facts for name in step.dropped):
            return
        unknown = np.full(self.num_rows, np.nan)
        values = dict.fromkeys(step.dropped, unknown)
        for name in step.dropped:
            if name in self.exact:
                numbers = self.facts[name].comparable(self.cells[name].where(self.exact[name]))
                values[name] = numbers.to_numpy(dtype=np.float64)
        chained = ~np.isnan(values[step.low[0]])  # every column so far is known
        for place, (lower, upper, name) in enumerate(step.differences):
            difference = _log1p(values[upper] - values[lower])
            told = np.isfinite(difference) & ~full
            self._add(name, difference.astype(object), told)
            chained = chained & told
            if upper in self.exact:
                self._unmark_loose(upper, chained)
            above = [values[column] for column in step.dropped[place + 2 :]]
            if bounded and above:
                highest = np.fmin.reduce(above)
                self._bound(name, _log1p(highest - values[lower]), np.isnan(values[upper]))
        if bounded:
            others = np.fmin.reduce([values[name] for name in step.dropped[1:]])
            self._bound(step.low[1], others, np.isnan(values[step.low[0]]))

    def _bound(self, name: str, highest: npt.NDArray[np.float64], rows: Flags) -> None:
        """Keep a column of the model at or below a number in some rows."""
        if name not in self.model.column_names:
            return
        transformer = private_names.outputs(self.synth)[name][1]
        if transformer is not None and not private_names.keeps_order(transformer):
            return
        least = self.model.limits(name)[0]
        restrictions = self._restrictions_of(name)
        for row in np.flatnonzero(rows & np.isfinite(highest) & (highest >= least)):
            restrictions[row] = Interval(None, float(highest[row]))

    def _check_combinations(
        self, step: private_names.ConstraintStep, rows: pd.DataFrame, transformed: pd.DataFrame
    ) -> None:
        """Refuse combinations that training has not seen, of which the constraint says nothing."""
        if private_names.combinations(step) is None:
            return
        names, joint = private_names.combination_columns(step)
        unseen = transformed[joint].isna().to_numpy()
        if unseen.any():
            values = rows.loc[unseen, names].iloc[0].to_dict()
            raise private_names.ConstraintNotMetError(_no_combination(values))

    def _tell_combinations(
        self, step: private_names.ConstraintStep, full: Flags, *, fill: bool
    ) -> None:
        """Known members of a FixedCombinations leave some of its labels possible."""
        labels = private_names.combinations(step)
        if labels is None:
            return
        names, joint = private_names.combination_columns(step)
        given = [name for name in names if name in self.exact]
        restrictions = self._restrictions_of(joint)
        cache: dict[tuple[Any, ...], Members | None] = {}
        for row in range(self.num_rows):
            known = {
                names.index(name): self.cells[name].iloc[row]
                for name in given
                if self.exact[name][row]
            }
            if full[row] or not known:
                continue
            key = tuple((place, type(value), value) for place, value in known.items())
            if key not in cache:
                fitting = tuple(
                    label
                    for label, values in labels.items()
                    if all(_same(values[place], value) for place, value in known.items())
                )
                cache[key] = Members(fitting) if fitting else None
            if cache[key] is None and not fill:
                values = {names[place]: value for place, value in known.items()}
                raise private_names.ConstraintNotMetError(_no_combination(values))
            restrictions[row] = cache[key]
        for name in given:
            self._unmark_loose(name, self.exact[name] & ~full)

    def _tell_nulls(self, step: private_names.ConstraintStep, full: Flags, *, fill: bool) -> None:
        """Which of a constraint's columns are null has a column of its own."""
        if step.nulls is None:
            return
        patterns = [level for level in self.model.levels(step.nulls) if level is not None]
        given = [name for name in step.dropped if name in self.exact]
        if not patterns:  # no nulls in training, and SDV left the column empty
            self._add(step.nulls, np.full(self.num_rows, None, dtype=object), full | fill)
            return
        is_null = {name: self.cells[name].isna().to_numpy() & self.exact[name] for name in given}
        values = np.full(self.num_rows, None, dtype=object)
        told = full | fill
        restrictions = self._restrictions_of(step.nulls)
        for row in range(self.num_rows):
            nulls = [name for name in step.dropped if name in given and is_null[name][row]]
            values[row] = ', '.join(nulls) if nulls else private_names.NO_NULLS
            others = {name for name in given if self.exact[name][row]} - set(nulls)
            if told[row] or not (nulls or others):
                continue
            fitting = tuple(p for p in patterns if _pattern_fits(p, nulls, others))
            restrictions[row] = Members(fitting) if fitting else None
        unseen = told & ~np.isin(values.astype(str), [str(pattern) for pattern in patterns])
        self._add(step.nulls, values, told & ~unseen)

    def _restrictions_of(self, name: str) -> list[Restriction | None]:
        return self.restrictions.setdefault(name, [None] * self.num_rows)

    def _mark_loose(self, key: str, rows: Flags) -> None:
        self.loose[key] = self.loose.get(key, np.zeros(self.num_rows, dtype=bool)) | rows

    def _unmark_loose(self, key: str, rows: Flags) -> None:
        self.loose[key] = self.loose.get(key, np.zeros(self.num_rows, dtype=bool)) & ~rows


def _same(left: Any, right: Any) -> bool:
    if is_missing(left) or is_missing(right):
        return is_missing(left) and is_missing(right)
    return bool(left == right)


def _log1p(difference: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """As SDV writes differences; NaN where the upper column is below the lower one."""
    with np.errstate(invalid='ignore', divide='ignore'):
        return np.where(difference < 0, np.nan, np.log(difference + 1))


def _no_combination(values: Mapping[str, Any]) -> str:
    return (
        'Unable to sample any rows for the given conditions: no row of the training data combines '
        f'{dict(values)}, and a FixedCombinations constraint allows no others.'
    )


def _pattern_fits(pattern: Any, nulls: list[str], others: set[str]) -> bool:
    """Whether a null pattern has the columns known to be null and none known not to be."""
    names = set() if pattern == private_names.NO_NULLS else set(str(pattern).split(', '))
    return names.issuperset(nulls) and names.isdisjoint(others)
