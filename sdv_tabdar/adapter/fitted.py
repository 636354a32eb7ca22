"""All that a fitted synthesizer knows of its table, as one object."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.compositions import Composition, find_compositions
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.profile import ColumnProfile, Role, role_of
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.core.model import TabDAR

_LOOKED_AT = 100  # training rows in which to see what constraints do


@dataclasses.dataclass(frozen=True)
class FittedTable:
    """What a synthesizer knows of the table it was fitted on.

    It grows in the order in which SDV fits: the form is there before the profiles, and these
    before the model.

    Attributes:
        host: The synthesizer, whose transformers and constraints carry rows both ways.
        form: The form that the user has the table in.
        profiles: What training saw of each of the user's columns, by SDV's label.
        rewritten: For each constraint the columns that it keeps with other values.
        processed: The form of the table that the model has learnt; None without a model.
        model: The trained model; None before training, and if all columns are generated.
        num_rows: Rows of the training table.
        spent: What the model has cost of a privacy budget, see ``privacy/budget.py``; None if it
            was not learnt under one.
        protected: Whether rare values were taken out before anything was learnt.
        compositions: Its texts that other columns make.
        said: What users have been told once and need not be told again; it is not saved.
    """

    host: Any
    form: TableFormat
    profiles: Mapping[str, ColumnProfile] = dataclasses.field(default_factory=dict)
    rewritten: Sequence[Sequence[str]] = ()
    processed: ProcessedFormat | None = None
    model: TabDAR | None = None
    num_rows: int = 0
    spent: Mapping[str, Any] | None = None
    protected: bool = False
    compositions: tuple[Composition, ...] = ()
    said: set[tuple[str, str]] = dataclasses.field(default_factory=set, compare=False)

    def with_profiles(
        self, plain: pd.DataFrame, *, rounds: bool, extrapolates: bool
    ) -> FittedTable:
        """The same with the columns of the plain training table, once transformers are assigned.

        Args:
            plain: The training table in plain form.
            rounds: Whether numbers are rounded as in training.
            extrapolates: Whether conditions may lie outside the range of training.
        """
        form = self.form.without_categories({key: plain[key].dtype for key in self.replaced})
        profiles = {}
        for column in form.columns:
            generated = private_names.is_generated(self.host, column.key)
            profiles[column.key] = ColumnProfile.learn(
                plain[column.key],
                column,
                role_of(column.sdtype, generated=generated),
                rounds=rounds,
                extrapolates=extrapolates,
            )
        rewritten = private_names.rewritten_columns(self.host, plain.head(_LOOKED_AT))
        table = dataclasses.replace(
            self,
            form=form,
            profiles=profiles,
            rewritten=rewritten,
            num_rows=len(plain),
            said=set(),
        )
        return table.with_clock_times({key for key, own in self.profiles.items() if own.is_clock})

    def with_clock_times(self, keys: Collection[str]) -> FittedTable:
        """The same, of which the model reads the numbers of some columns as clock times."""
        profiles = {
            key: dataclasses.replace(profile, is_clock=key in keys)
            for key, profile in self.profiles.items()
        }
        return dataclasses.replace(self, profiles=profiles)

    def with_compositions(self, plain: pd.DataFrame) -> FittedTable:
        """The same with the texts that others make in the plain training table.

        Keys are none, as each is another one, and what constraints are about is left to these.
        Personal data are only made of such: of what is learnt they would be those of people.
        """
        taken = {*private_names.keys(self.host), *private_names.constrained_columns(self.host)}
        results = {key for key in self.profiles if key not in taken}
        invented = {key for key, own in self.profiles.items() if own.role is Role.GENERATED}
        found = tuple(
            one
            for one in find_compositions(plain, results)
            if one.key not in invented or invented.issuperset(one.parts)
        )
        return dataclasses.replace(self, compositions=found)

    def in_date_units(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows whose dates, where constraints made them, are in the units of their columns.

        SDV adds differences to dates as they are drawn, down to nanoseconds.

        Args:
            rows: Rows in plain form that meet the constraints.

        Returns:
            Rounded rows; those that rounding has put out of order are left out.
        """
        rounded = self.with_rounded_dates(rows)
        return rows if rounded is rows else rounded[private_names.valid_rows(self.host, rounded)]

    def with_rounded_dates(self, rows: pd.DataFrame) -> pd.DataFrame:
        """As :meth:`in_date_units`, all rows, whether or not they meet the constraints."""
        replaced = private_names.modified_columns(self.host)
        rounded = {}
        for key, profile in self.profiles.items():
            is_made = profile.date_unit and key in rows and key not in replaced
            if is_made and pd.api.types.is_datetime64_any_dtype(rows[key].dtype):
                dates = profile.rounded_dates(rows[key])
                ends = profile.plain_of(profile.rounded(np.array([profile.low, profile.high])))
                dates = dates if profile.extrapolates else dates.clip(*ends)
                if not dates.equals(rows[key]):
                    rounded[key] = dates
        if not rounded:
            return rows
        return with_columns(rows, rounded)

    @property
    def replaced(self) -> set[str]:
        """SDV's labels of columns of which no real value comes out: invented ones, pseudonyms."""
        keys = [column.key for column in self.form.columns]
        invented = {key for key in keys if private_names.is_generated(self.host, key)}
        return invented | set(private_names.pseudonyms(self.host))

    @property
    def presences(self) -> Mapping[str, str]:
        """See :attr:`ProcessedFormat.presences`; empty without a model."""
        return {} if self.processed is None else self.processed.presences

    @property
    def trained(self) -> tuple[TabDAR, ProcessedFormat]:
        """The model and the form of its rows, where there is a model."""
        assert self.model is not None, 'all columns are generated'
        assert self.processed is not None, 'a model comes with the form of its rows'
        return self.model, self.processed

    def to_state(self) -> dict[str, Any]:
        """What is to be saved, as plain objects; the host, which saves it, is left out."""
        return {
            'form': self.form.to_state(),
            'profiles': {key: profile.to_state() for key, profile in self.profiles.items()},
            'rewritten': [list(names) for names in self.rewritten],
            'processed': None if self.processed is None else self.processed.to_state(),
            'model': self.model,
            'num_rows': self.num_rows,
            'spent': self.spent,
            'protected': self.protected,
            'compositions': [one.to_state() for one in self.compositions],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], host: Any) -> FittedTable:
        """The table that :meth:`to_state` wrote.

        Args:
            state: What was saved.
            host: The synthesizer that it was saved with.
        """
        form = TableFormat.from_state(state['form']).without_categories(
            {  # which older files have
                key: profile['dtype']
                for key, profile in state['profiles'].items()
                if Role(profile['role']) is Role.GENERATED
            }
        )
        columns = {column.key: column for column in form.columns}
        processed = state['processed']
        return cls(
            host,
            form,
            {
                key: ColumnProfile.from_state(profile, columns[key])
                for key, profile in state['profiles'].items()
            },
            state['rewritten'],
            None if processed is None else ProcessedFormat.from_state(processed),
            state['model'],
            state['num_rows'],
            state.get('spent'),
            state.get('protected', False),
            tuple(map(Composition.from_state, state.get('compositions', ()))),
        )
