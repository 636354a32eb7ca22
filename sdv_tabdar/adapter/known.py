"""What is known of each row, in the terms of the model.

The cells that a user knows belong to the table before constraints. The model works on the table
after them, where columns may have been replaced by others and transformed. :func:`translate`
carries over what can be; what cannot is left *loose*: it is checked on the finished rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdt.transformers import LabelEncoder

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.constraints import ConstraintTranslator
from sdv_tabdar.adapter.profile import Allowed, ColumnFacts, Role
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction

_HALF = 0.499  # of a rounding unit: whatever is drawn inside rounds to a value in the range

Limits = dict[str, list[Allowed | None]]


@dataclasses.dataclass
class Known:
    """Known cells of a table in the user's columns, plain form, SDV's labels.

    Attributes:
        cells: Values; whatever stands in a cell that is not ``exact`` means nothing.
        exact: True = the value is known (a missing value then means 'known to be missing').
        partial: For a column, what each row's cell may be; None for no condition.
    """

    cells: pd.DataFrame
    exact: pd.DataFrame
    partial: Limits = dataclasses.field(default_factory=dict)

    def rows(self, positions: npt.NDArray[np.int64]) -> Known:
        """Some rows, with a new RangeIndex."""
        return Known(
            self.cells.iloc[positions].reset_index(drop=True),
            self.exact.iloc[positions].reset_index(drop=True),
            {key: [limits[row] for row in positions] for key, limits in self.partial.items()},
        )


@dataclasses.dataclass
class Request:
    """What the model is asked to complete.

    Attributes:
        frame: Known cells in the model's columns, RangeIndex.
        observed: ``(rows, columns of frame)``, True = the cell is known.
        restrictions: The model's restrictions, column by column and row by row.
        loose: User's columns with cells that the model is not told of, and in which rows.
    """

    frame: pd.DataFrame
    observed: npt.NDArray[np.bool_]
    restrictions: dict[str, list[Restriction | None]]
    loose: dict[str, npt.NDArray[np.bool_]]

    def repeated(self, times: int) -> Request:
        """Each row ``times`` times in a row."""
        rows = np.repeat(np.arange(len(self.frame)), times)
        return Request(
            self.frame.iloc[rows].reset_index(drop=True),
            self.observed[rows],
            {name: [entries[row] for row in rows] for name, entries in self.restrictions.items()},
            {key: marked[rows] for key, marked in self.loose.items()},
        )


def translate(
    synth: Any,
    model: TabDAR,
    facts: Mapping[str, ColumnFacts],
    known: Known,
    *,
    rewritten: Sequence[Sequence[str]],
    fill: bool = False,
    bounded: bool = False,
) -> Request:
    """Put what is known in the terms of the model.

    Args:
        synth: The fitted synthesizer.
        model: Its model.
        facts: What training saw of each of the user's columns.
        known: What is known.
        rewritten: For each constraint the columns it keeps with other values.
        fill: Whether every cell that is not known is to get a value and not stay missing.
        bounded: Whether to spend time on bounds that known columns of an Inequality or Range set
            to unknown ones.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If known cells break a constraint.
    """
    translator = _Translator(synth, model, facts, known)
    for step in private_names.constraint_steps(synth, rewritten):
        translator.apply_constraint(step, fill=fill, bounded=bounded)
    translator.apply_transformers()
    translator.apply_partial()
    if fill:
        translator.forbid_missing()
    return translator.request()


class _Translator(ConstraintTranslator):
    """State of one translation; the methods are called in the order of :func:`translate`."""

    def __init__(
        self, synth: Any, model: TabDAR, facts: Mapping[str, ColumnFacts], known: Known
    ) -> None:
        super().__init__(synth, model, facts, known.cells, known.exact)
        self.known = known
        self.columns: dict[str, pd.Series] = {}
        self.observed: dict[str, npt.NDArray[np.bool_]] = {}

    def request(self) -> Request:
        """The result."""
        names = list(self.columns)
        observed = np.zeros((self.num_rows, len(names)), dtype=bool)
        for position, name in enumerate(names):
            observed[:, position] = self.observed[name]
        frame = pd.DataFrame(self.columns, index=pd.RangeIndex(self.num_rows))
        loose = {key: rows for key, rows in self.loose.items() if rows.any()}
        return Request(frame, observed, self.restrictions, loose)

    def apply_transformers(self) -> None:
        """Transform known cells to the columns of the model."""
        modelled = set(self.model.column_names)
        outputs = private_names.outputs(self.synth)
        for field, names in self._fields().items():
            sources = list(field) if isinstance(field, tuple) else [str(field)]
            targets = [name for name in names if name in modelled]
            if not targets or any(source not in self.exact for source in sources):
                continue
            rows = np.logical_and.reduce([self.exact[source] for source in sources])
            if not rows.any():
                continue
            cells = self.cells.loc[rows, sources]
            transformer = outputs[names[0]][1]
            transformed = private_names.transform_cells(cells.infer_objects(), transformer)
            null = cells.isna().any(axis=1).to_numpy()
            places = np.flatnonzero(rows)
            for name in targets:
                values = np.full(self.num_rows, None, dtype=object)
                values[places] = transformed[name].astype(object).to_numpy()
                told = rows.copy()
                if len(names) == 1 and not transformed[name].isna()[null].all():
                    # A transformer that writes a number for a missing cell says nothing of it.
                    told[places[null]] = self.facts_of(sources[0]) is Role.DISCRETE
                self.columns[name] = pd.Series(values, dtype=object)
                self.observed[name] = told

    def facts_of(self, key: str) -> Role | None:
        """Role of a column; None for one that a constraint made."""
        return self.facts[key].role if key in self.facts else None

    def apply_partial(self) -> None:
        """Turn conditions that are no values into restrictions, where the model can take them."""
        names = self._fields()
        for key, limits in self.known.partial.items():
            targets = names.get(key, [])
            rows = np.array([limit is not None for limit in limits])
            if len(targets) != 1 or targets[0] not in self.model.column_names:
                self._mark_loose(key, rows)
                continue
            restrictions = self._restrictions_of(targets[0])
            cache: dict[Allowed, Restriction | None] = {}
            for row in np.flatnonzero(rows):
                limit = limits[row]
                assert limit is not None
                if limit not in cache:
                    cache[limit] = self._restriction(key, targets[0], limit)
                restrictions[row] = cache[limit]
            told = np.array([entry is not None for entry in restrictions])
            self._mark_loose(key, rows & ~told)

    def _restriction(self, key: str, target: str, limit: Allowed) -> Restriction | None:
        """The model's form of a condition; None if the column's transformer hides its meaning."""
        facts = self.facts[key]
        transformer = private_names.outputs(self.synth)[target][1]
        if facts.role is Role.DISCRETE:
            if isinstance(transformer, LabelEncoder) and limit.values is not None:
                levels = pd.DataFrame({key: list(limit.values)}, dtype=object)
                codes = private_names.transform_cells(levels, transformer)
                return Members(tuple(codes[target])) if not transformer.add_noise else None
            if transformer is not None:
                return None
            return NotMissing() if limit.values is None else Members(limit.values)
        if transformer is not None and not private_names.keeps_order(transformer):
            return None
        if limit.values is not None:
            plain = pd.Series(list(limit.values), dtype=object)
            numbers = facts.comparable(plain.dropna())
            missing = (None,) if None in limit.values else ()
            return Members((*(float(number) for number in numbers), *missing))
        if limit.low is None and limit.high is None:
            return NotMissing()
        slack = _HALF * facts.unit
        low = None if limit.low is None else limit.low - slack
        high = None if limit.high is None else limit.high + slack
        return Interval(low, high)

    def forbid_missing(self) -> None:
        """Leave no hidden cell missing."""
        fields = private_names.outputs(self.synth)
        for name in self.model.column_names:
            if not self.model.can_be_missing(name):
                continue
            key = str(fields[name][0]) if name in fields else name
            if key in self.facts and not self.facts[key].has_values:
                continue
            restrictions = self._restrictions_of(name)
            seen = self.observed.get(name, np.zeros(self.num_rows, dtype=bool))
            if key not in self.facts and not self._has_values(name):
                continue
            self.restrictions[name] = [
                NotMissing() if entry is None and not seen[row] else entry
                for row, entry in enumerate(restrictions)
            ]
        for name in (name for name in self.model.column_names if name.endswith('.is_null')):
            if name in fields and name not in self.facts:
                hidden = ~self.observed.get(name, np.zeros(self.num_rows, dtype=bool))
                values = np.where(hidden, 0.0, self.columns.get(name, pd.Series(0.0)))
                self.columns[name] = pd.Series(values, dtype=object)
                self.observed[name] = np.ones(self.num_rows, dtype=bool)

    def _has_values(self, name: str) -> bool:
        """Whether training saw anything but missing cells in a column of the model."""
        try:
            return any(level is not None for level in self.model.levels(name))
        except ValueError:  # numerical
            return not np.isnan(self.model.limits(name)[0])

    def _fields(self) -> dict[Any, list[str]]:
        """Output columns of each field."""
        fields: dict[Any, list[str]] = {}
        for name, (field, _) in private_names.outputs(self.synth).items():
            fields.setdefault(field, []).append(name)
        return fields
