"""What the model is asked because of what is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdt.transformers import LabelEncoder

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.conditioning import refusal
from sdv_tabdar.adapter.constraints import apply_constraint, check_orders
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task
from sdv_tabdar.adapter.made_columns import made_columns
from sdv_tabdar.adapter.presences import in_model
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.core.restrictions import Members, NothingAllowedError, NotMissing, Restriction

Fields = dict[Any, list[str]]


@dataclasses.dataclass(frozen=True)
class Request:
    """What the model is asked to complete.

    Attributes:
        frame: Known cells in the model's columns, RangeIndex.
        observed: ``(rows, columns of frame)``, True = the cell is known.
        restrictions: The model's restrictions, column by column and row by row.
        loose: User's columns with cells that the model is not told of, and in which rows.
        task: What the answer is for, in messages.
        profiles: By the model's columns that hold the values of a single user's column, what
            training saw of that.
        table: The fitted table.
    """

    frame: pd.DataFrame
    observed: npt.NDArray[np.bool_]
    restrictions: dict[str, list[Restriction | None]]
    loose: dict[str, npt.NDArray[np.bool_]]
    task: Task
    profiles: Mapping[str, ColumnProfile]
    table: FittedTable

    @classmethod
    def translate(cls, table: FittedTable, known: Known, *, fill: bool = False) -> Request:
        """Put what is known in the terms of the model.

        Args:
            table: The fitted table; it has a model.
            known: What is known.
            fill: Whether every cell that is not known is to get a value and not stay missing.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: If known cells break a constraint.
        """
        draft = Draft(table, known, fill=fill)
        check_orders(draft)
        for step in private_names.constraint_steps(table.host, table.rewritten):
            apply_constraint(draft, step)
        fields = _fields(table)
        columns, observed = _transform(draft, fields)
        _tell_presences(draft, columns, observed)
        _restrict(draft, known, fields)
        if fill:
            _forbid_missing(draft, columns, observed)
        marks = np.zeros((draft.num_rows, len(columns)), dtype=bool)
        for position, name in enumerate(columns):
            marks[:, position] = observed[name]
        frame = pd.DataFrame(columns, index=pd.RangeIndex(draft.num_rows))
        loose = {key: rows for key, rows in draft.loose.items() if rows.any()}
        profiles = _profiles(draft, fields)
        return cls(frame, marks, draft.restrictions, loose, known.task, profiles, table)

    def repeated(self, times: int) -> Request:
        """Each row ``times`` times in a row."""
        return self.rows(np.repeat(np.arange(len(self.frame)), times))

    def rows(self, rows: npt.NDArray[np.int64]) -> Request:
        """Some rows, with a new RangeIndex."""
        return dataclasses.replace(
            self,
            frame=self.frame.iloc[rows].reset_index(drop=True),
            observed=self.observed[rows],
            restrictions={
                name: [entries[row] for row in rows] for name, entries in self.restrictions.items()
            },
            loose={key: marked[rows] for key, marked in self.loose.items()},
        )

    def refusal(self, error: NothingAllowedError) -> str:
        """Why the model cannot meet a restriction, in the terms of the user's column."""
        profile = self.profiles.get(error.column)
        words = made_columns(self.table)
        if profile is None and error.column in words:
            return (
                f'{error.restriction} cannot be met, because no value that {words[error.column]} '
                'has in the training data is allowed by it.'
            )
        if profile is None:
            return str(error)
        reason = 'no value of the training data is allowed by it'
        return refusal(profile, error.restriction, reason)


def _fields(table: FittedTable) -> Fields:
    """The model's columns that are made of each field; a tuple is a field of several columns."""
    fields: Fields = {}
    for name, (field, _) in private_names.outputs(table.host).items():
        fields.setdefault(field, []).append(name)
    return {**fields, **{key: [name] for key, name in table.presences.items()}}


def _profiles(draft: Draft, fields: Fields) -> dict[str, ColumnProfile]:
    """See :attr:`Request.profiles`."""
    return {
        target: profile
        for key, profile in draft.table.profiles.items()
        for target in fields.get(draft.stands_for.get(key, key), [])
    }


def _transform(
    draft: Draft, fields: Fields
) -> tuple[dict[str, pd.Series], dict[str, npt.NDArray[np.bool_]]]:
    """Known cells as the transformers write them: values, and in which rows they are known."""
    columns: dict[str, pd.Series] = {}
    observed: dict[str, npt.NDArray[np.bool_]] = {}
    modelled = set(draft.model.column_names)
    outputs = private_names.outputs(draft.table.host)
    for field, names in fields.items():
        sources = list(field) if isinstance(field, tuple) else [str(field)]
        targets = [name for name in names if name in modelled]
        if not targets or any(source not in draft.exact for source in sources):
            continue
        if field in draft.table.presences:
            continue  # of its values the model knows none
        shown = {source: draft.shown(source) for source in sources}
        rows = np.logical_and.reduce([told for _, told in shown.values()])
        if not rows.any():
            continue
        cells = pd.DataFrame({source: values[rows] for source, (values, _) in shown.items()})
        transformer = outputs[names[0]][1]
        transformed = private_names.transform_cells(cells.infer_objects(), transformer)
        null = cells.isna().any(axis=1).to_numpy()
        places = np.flatnonzero(rows)
        for name in targets:
            values = np.full(draft.num_rows, None, dtype=object)
            values[places] = transformed[name].astype(object).to_numpy()
            told = rows.copy()
            if len(names) == 1 and not transformed[name].isna()[null].all():
                # A transformer that writes a number for a missing cell says nothing of it.
                profile = draft.table.profiles.get(sources[0])
                told[places[null]] = profile is not None and profile.role is Role.DISCRETE
            columns[name] = pd.Series(values, dtype=object)
            observed[name] = told
    return columns, observed


def _tell_presences(
    draft: Draft, columns: dict[str, pd.Series], observed: dict[str, npt.NDArray[np.bool_]]
) -> None:
    """Tell the model which known cells of invented columns are there, and which are missing."""
    for key, name in draft.table.presences.items():
        if draft.exact.get(key, draft.none()).any():
            columns[name] = in_model(draft.cells[key].isna())
            observed[name] = draft.exact[key]


def _restrict(draft: Draft, known: Known, fields: Fields) -> None:
    """Tell the model of cells that are known in part, where it can be told."""
    rewritten = {key for keys in draft.table.rewritten for key in keys}
    for key, wanted in known.partial.items():
        targets = fields.get(draft.stands_for.get(key, key), [])
        rows = np.array([entry is not None for entry in wanted])
        is_same = len(targets) == 1 and targets[0] in draft.model.column_names
        if not is_same or key in rewritten:  # a constraint of the user's own has other values
            draft.mark_loose(key, rows)
            continue
        distinct = dict.fromkeys(entry for entry in wanted if entry is not None)
        told = _told(draft.table, key, targets[0], list(distinct))
        restrictions = draft.restrictions_of(targets[0])
        for row, entry in enumerate(wanted):
            if entry is not None:
                restrictions[row] = told[entry]
        draft.mark_loose(key, rows & np.array([entry is None for entry in restrictions]))


def _told(
    table: FittedTable, key: str, target: str, wanted: Sequence[Restriction]
) -> dict[Restriction, Restriction | None]:
    """Restrictions for the model's column; None where the transformer hides their meaning."""
    transformer = private_names.outputs(table.host).get(target, (key, None))[1]
    is_discrete = table.profiles[key].role is Role.DISCRETE
    if transformer is None or (not is_discrete and private_names.keeps_order(transformer)):
        return {entry: entry for entry in wanted}
    is_code = isinstance(transformer, LabelEncoder) and not transformer.add_noise
    told: dict[Restriction, Restriction | None] = dict.fromkeys(wanted)
    for entry in wanted:
        if is_discrete and is_code and isinstance(entry, Members):
            levels = pd.DataFrame({key: list(entry.values)}, dtype=object)
            codes = private_names.transform_cells(levels, transformer)
            told[entry] = Members(tuple(codes[target]), asked=entry.asked)
    return told


def _forbid_missing(
    draft: Draft, columns: dict[str, pd.Series], observed: dict[str, npt.NDArray[np.bool_]]
) -> None:
    """Leave no hidden cell missing."""
    model, profiles = draft.model, draft.table.profiles
    fields = private_names.outputs(draft.table.host)
    invented = {*draft.table.presences.values()}  # filled in any case, with what says nothing
    for name in model.column_names:
        if name in invented or not model.can_be_missing(name):
            continue
        key = str(fields[name][0]) if name in fields else name
        if key in profiles and not profiles[key].has_values:
            continue
        restrictions = draft.restrictions_of(name)
        if key not in profiles and not _has_values(draft, name):
            continue
        seen = observed.get(name, draft.none())
        draft.restrictions[name] = [
            NotMissing() if entry is None and not seen[row] else entry
            for row, entry in enumerate(restrictions)
        ]
    for name in (name for name in model.column_names if name.endswith('.is_null')):
        if name in fields and name not in profiles:
            hidden = ~observed.get(name, draft.none())
            values = np.where(hidden, 0.0, columns.get(name, pd.Series(0.0)))
            columns[name] = pd.Series(values, dtype=object)
            observed[name] = np.ones(draft.num_rows, dtype=bool)


def _has_values(draft: Draft, name: str) -> bool:
    """Whether training saw anything but missing cells in a column of the model."""
    try:
        return any(level is not None for level in draft.model.levels(name))
    except ValueError:  # numerical
        return not np.isnan(draft.model.limits(name)[0])
