"""The synthesizer's calls with protection: what SDV and the model see is the protected table."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.calls import Calls
from sdv_tabdar.adapter.sources import Source
from sdv_tabdar.adapter.streamed import Streamed
from sdv_tabdar.adapter.tables import PlainTables, plain_tables
from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.privacy.described import LEVELS
from sdv_tabdar.privacy.numbers import protected_numbers
from sdv_tabdar.privacy.table import protected_table
from sdv_tabdar.privacy.threshold import Tail, Threshold, generator_of

_REMARK = 'Values that few rows share are protected (protect_values), but you may want to know:'


class ProtectedCalls(Calls):
    """A synthesizer that takes rare values out of a table before anything is learnt from it.

    Attributes:
        protect_values: Whether it does, or how many rows must share a value.
        rare_token: What takes the place of rare levels in columns of text; None for other levels.
        _replaced: Which cells of the last table were replaced; it is not saved.
        _protected_clocks: Its columns that were clock times before; likewise.
    """

    # Of synthesizers that were pickled before there was protection.
    protect_values: bool | int = False
    rare_token: str | None = None
    max_atoms: int
    max_categories: int
    _replaced: pd.DataFrame | None = None
    _protected_clocks: Collection[str] = ()

    def __getstate__(self) -> dict[str, Any]:
        """As without protection; which cells were replaced is nobody else's business."""
        state = super().__getstate__()
        state.pop('_replaced', None)
        state.pop('_protected_clocks', None)
        return state

    def _check_going_on(self) -> None:
        """As without protection, and from what was not protected.

        Raises:
            SynthesizerInputError: If training with protection is to go on from one without.
        """
        super()._check_going_on()
        if self.protect_values and not self._table.protected:
            raise SynthesizerInputError(
                'What was fitted before was not protected (protect_values), and what is '
                "learnt from it holds rare values. Fit anew, without 'warm_start'."
            )

    def _surveyed(self, source: Source, scratch_folder: Path) -> Streamed:
        """As without protection, which needs the whole table in memory.

        Raises:
            SynthesizerInputError: If there is to be protection.
        """
        if self.protect_values:
            raise SynthesizerInputError(
                f'Rare values can be protected (protect_values) in tables in memory only, and '
                f'{source.name} is read by batch. Give a frame of pandas, of fewer rows if need '
                'be, or protect_values=False.'
            )
        return super()._surveyed(source, scratch_folder)

    def _learnt(self, data: Any) -> PlainTables:
        """The protected table in plain form, after its form has been learnt from it.

        Raises:
            InvalidDataError: If the table is not valid, or too little of it would be left.
            SynthesizerInputError: If a transformer keeps values that cannot be protected.
        """
        self._replaced, self._protected_clocks = None, ()
        if not self.protect_values:
            return self._learnt_as(data, protected=False)
        plain = plain_tables(self, data)
        self._leave_related(plain, is_protected=True)
        with warnings.catch_warnings(), private_names.described(self, self._without_orders()):
            warnings.simplefilter('ignore')  # they come again, of the protected table
            super().auto_assign_transformers(plain)  # SDV validates, and fits the constraints
        self._refuse_pseudonyms()
        found = protected_table(
            self,
            self._table_in(data),
            plain.form,
            Threshold.of(self.protect_values),
            token=self.rare_token,
            max_atoms=self.max_atoms,
            max_categories=self.max_categories,
        )
        self._replaced, self._protected_clocks = found.replaced, found.clock_times
        private_names.describe_anew(self, found.entries)
        if found.remarks:
            text = '\n'.join(f'- {remark}' for remark in found.remarks)
            warnings.warn(f'{_REMARK}\n{text}', stacklevel=3)
        return self._learnt_as(self._like(data, found.frame), protected=True)

    def _learnt_as(self, data: Any, *, protected: bool) -> PlainTables:
        plain = super()._learnt(data)
        self._fitted_table = dataclasses.replace(self._table, protected=protected)
        return plain

    def _without_orders(self) -> dict[str, dict[str, Any]]:
        """Descriptions of ordinal columns without their levels.

        Protection may have taken levels out of them in an earlier call. Levels that are not rare
        are held against them once the table is protected.
        """
        entries = private_names.original_table(self).columns
        return {
            key: {name: value for name, value in entry.items() if name != LEVELS}
            for key, entry in entries.items()
            if entry.get('sdtype') == 'ordinal' and entry.get(LEVELS)
        }

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        """As without protection, once the numbers that constraints have made are protected too."""
        if not self.protect_values:
            return super()._preprocess(table_data)
        own = set(private_names.original_table(self).columns)
        own -= private_names.replaced_columns(self)
        made = {
            name: self._protected(table_data[name])
            for name in table_data
            if name not in own and pd.api.types.is_float_dtype(table_data[name].dtype)
        }
        processed = super()._preprocess(with_columns(table_data, made))
        if self._replaced is not None:  # a primary key has become the index
            rows = self._replaced.reindex(table_data.index, fill_value=False)
            self._replaced = rows.set_axis(processed.index)
        return processed

    def _presences_of(self, table: pd.DataFrame, fewest: int = 1) -> dict[str, str]:
        """As without protection, but for columns of which a few rows alone have a value."""
        return super()._presences_of(
            table, Threshold.of(self.protect_values).rows if self.protect_values else fewest
        )

    def _replaced_cells(self, processed: pd.DataFrame) -> pd.DataFrame | None:
        """Which cells were replaced, in columns and rows that the processed table still has."""
        if not self._table.protected:
            return None
        shape = {'index': processed.index, 'columns': processed.columns}
        if self._replaced is None:
            return pd.DataFrame(False, **shape)
        return self._replaced.reindex(**shape, fill_value=False)

    def _known_clock_times(self) -> Collection[str]:
        """Those of the table before few rows' values were taken out, which may leave too few."""
        return self._protected_clocks

    def _protected(self, values: pd.Series) -> pd.Series:
        numbers = values.to_numpy(dtype=np.float64)
        threshold = Threshold.of(self.protect_values)
        tail = Tail.drawn(threshold, generator_of(np.sort(numbers).tobytes()))
        found = protected_numbers(
            numbers,
            threshold,
            tail,
            max_atoms=self.max_atoms,
            max_categories=self.max_categories,
            rounded=lambda bound: bound,
        )
        return pd.Series(found, index=values.index, name=values.name)

    def _refuse_pseudonyms(self) -> None:
        for name in private_names.pseudonyms(self):
            raise SynthesizerInputError(
                f"The PseudoAnonymizedFaker of column '{name}' keeps every real value beside its "
                'pseudonym, which protect_values cannot change. Use an AnonymizedFaker '
                '(update_transformers), or protect_values=False.'
            )
