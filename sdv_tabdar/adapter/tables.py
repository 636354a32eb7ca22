"""What goes into an SDV synthesizer and what comes out, in the form that the user has it.

SDV takes and gives ``{table: DataFrame}``, writes into the frame it is given while it works, and
restores only some dtypes. :class:`TableSynthesizer` takes a frame or a dictionary, works on a
copy in plain form, and gives back what ``fit`` was given.
"""

from __future__ import annotations

import contextlib
import numbers
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import tqdm
from sdv.errors import InvalidDataError, InvalidDataTypeError, NotFittedError, SynthesizerInputError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.formats import TableFormat
from sdv_tabdar.adapter.profile import ColumnFacts, role_of
from sdv_tabdar.adapter.rows_on_disk import STREAMED_ROWS, TableFile, batches

Tables = Mapping[str, pd.DataFrame]
_LOOKED_AT = 100  # training rows in which to see what constraints do


class PlainTables(dict[str, pd.DataFrame]):
    """One table that is already in plain form: SDV's methods call each other with these.

    Attributes:
        form: The form that the user has the table in.
    """

    form: TableFormat


class TableSynthesizer(private_names.BaseSingleTableSynthesizer):
    """An SDV synthesizer that takes and gives tables in the user's form.

    Attributes:
        _format: Form of the training table; None before it was seen.
        _facts: What training saw of each column, by SDV's label.
        _rewritten: For each constraint the columns it keeps with other values.
        _gives_frames: Whether results are bare frames.
    """

    _format: TableFormat | None = None
    _facts: Mapping[str, ColumnFacts]
    _rewritten: Sequence[Sequence[str]] = ()
    _gives_frames: bool = False

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints to the synthesizer.

        Args:
            constraints: Constraints of ``sdv.cag``.
        """
        super().add_constraints(constraints)
        private_names.apply_default_transformers(self)

    def fit(self, data: pd.DataFrame | Tables) -> None:
        """Learn a table.

        Args:
            data: The table, or a dictionary with the table under its name. It is not changed,
                not even if fitting fails or is interrupted. The sampling methods return a frame
                or a dictionary, as given here.

        Raises:
            sdv.errors.InvalidDataError: If the data do not match the metadata, hold infinite
                numbers or have no rows.
            sdv.errors.InvalidDataTypeError: If there is more than one table.
            FloatingPointError: If the training loss stops being finite.
        """
        plain = self._learnt(data)
        with private_names.untouched_random_states():
            super().fit(plain)

    def preprocess(self, data: pd.DataFrame | Tables) -> Any:
        """Transform a table into what the model learns, for :meth:`fit_processed_data`.

        Args:
            data: As in :meth:`fit`.

        Returns:
            The processed table, as a frame or a dictionary like ``data``.
        """
        if isinstance(data, PlainTables):
            processed = PlainTables(super().preprocess(data))
            self._learn_facts(data[private_names.table_name(self)])
            return processed
        with private_names.untouched_random_states():
            processed = self.preprocess(self._learnt(data))
        return self._as_given({name: table.copy() for name, table in processed.items()})

    def fit_processed_data(self, processed_data: pd.DataFrame | Tables) -> None:
        """Learn a table that :meth:`preprocess` returned.

        Args:
            processed_data: The processed table, or a dictionary with it under its name.

        Raises:
            sdv.errors.NotFittedError: If :meth:`preprocess` has not run.
        """
        if isinstance(processed_data, PlainTables):
            super().fit_processed_data(processed_data)
            return
        if not private_names.is_preprocessed(self):
            raise NotFittedError(
                "There is nothing to turn synthetic rows back with. Call 'preprocess' on this "
                "synthesizer before 'fit_processed_data', or 'fit' alone."
            )
        frame = self._single_table(processed_data)
        self._gives_frames = isinstance(processed_data, pd.DataFrame)
        private_names.forget_sampling_state(self)
        with private_names.untouched_random_states():
            super().fit_processed_data(PlainTables({private_names.table_name(self): frame}))

    def validate(self, data: pd.DataFrame | Tables) -> None:
        """Check a table against the metadata and the constraints.

        Args:
            data: As in :meth:`fit`.

        Raises:
            sdv.errors.InvalidDataError: If the data do not match the metadata, hold infinite
                numbers or have no rows.
        """
        if isinstance(data, PlainTables):
            self._check_finite(data[private_names.table_name(self)])
            with warnings.catch_warnings():
                for column in data.form.columns:
                    if column.is_text:  # SDV sees dates and says that it cannot check the text
                        message = f"The datetime format for column '{column.key}'"
                        warnings.filterwarnings('ignore', message=re.escape(message))
                super().validate(data)
            return
        with private_names.untouched_random_states():
            self.validate(self._plain_tables(*self._form_of(data)))

    def auto_assign_transformers(self, data: pd.DataFrame | Tables) -> None:
        """Choose transformers for a table, so that they can be looked at and updated.

        Args:
            data: As in :meth:`fit`.
        """
        plain = self._learnt(data)
        with private_names.untouched_random_states():
            super().auto_assign_transformers(plain)

    def validate_constraints(self, synthetic_data: pd.DataFrame) -> None:
        """Check rows against the constraints.

        Args:
            synthetic_data: The rows.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: If a row breaks a constraint.
        """
        plain = synthetic_data if self._format is None else self._format.plain(synthetic_data)
        super().validate_constraints(plain)

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        output_format: str = 'csv',
        return_rows: bool = True,
    ) -> Any:
        """Draw synthetic rows.

        Args:
            num_rows: How many.
            main_table_name: Name of the table; there is only one.
            max_tries_per_batch: How often to draw again for rows that break a constraint.
            batch_size: Rows to draw, and to write, at a time; None for all, or for 100,000 if
                they are not returned.
            output_folder_path: Folder in which to write ``<table>.csv`` as rows are drawn.
            output_format: ``'csv'`` or ``'parquet'``.
            return_rows: False for rows that are written only, in the memory of one batch.

        Returns:
            The rows: a frame if ``fit`` was given one, else a dictionary. No rows if
            ``return_rows`` is False.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If ``num_rows`` or ``batch_size`` is not a whole number in range, or the
                rows are neither to be written nor to be returned.
            AssertionError: If the file exists.
        """
        self._validate_fit_before_sample()
        if num_rows is not None:
            check_count('num_rows', num_rows, 0)
        check_count('batch_size', batch_size, 1)
        if not return_rows and not output_folder_path:
            raise ValueError(
                "Rows that are not returned must be written: give 'output_folder_path'."
            )
        file = None
        if output_folder_path:
            file = TableFile(output_folder_path, private_names.table_name(self), output_format)
        if not return_rows:
            batch_size = batch_size or STREAMED_ROWS
        name = main_table_name or private_names.table_name(self)
        drawn = self._batches(num_rows, name, max_tries_per_batch, batch_size, file)
        rows = [batch for batch in drawn if return_rows]
        assert self._format is not None
        table = pd.concat(rows, ignore_index=True) if rows else self._format.empty()
        return self._as_given({name: table})

    def _batches(
        self,
        num_rows: int,
        main_table_name: str,
        max_tries_per_batch: int,
        batch_size: int | None,
        file: TableFile | None,
    ) -> Iterator[pd.DataFrame]:
        """Batches of synthetic rows, written as soon as they are drawn."""
        sizes = [num_rows] if num_rows is None else list(batches(num_rows, batch_size))
        bar = tqdm.tqdm(total=num_rows, desc='Sampling rows', disable=len(sizes) < 2)
        with bar, file or contextlib.nullcontext():
            for size in sizes:
                with private_names.untouched_random_states():
                    tables = super().sample(size, main_table_name, max_tries_per_batch)
                (batch,) = tables.values()
                if file is not None:
                    file.write(batch)
                bar.update(len(batch))
                yield batch

    def _sample_rows(
        self,
        num_rows: int,
        conditions: Any = None,
        transformed_conditions: Any = None,
        float_rtol: float = 0.1,
        previous_rows: pd.DataFrame | None = None,
        keep_extra_columns: bool = False,
    ) -> tuple[pd.DataFrame, int]:
        """SDV's one draw of rows, written in the user's form before anything is done with them."""
        rows, _ = super()._sample_rows(
            num_rows, conditions, transformed_conditions, float_rtol, None, keep_extra_columns
        )
        assert self._format is not None
        restored = self._format.restore(rows)
        extra = [name for name in rows if name not in self._facts]
        if keep_extra_columns and extra:
            restored = pd.concat([restored, rows[extra]], axis=1)
        if previous_rows is not None and len(previous_rows):
            restored = pd.concat([previous_rows, restored], ignore_index=True)
        return restored, len(restored)

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        return private_names.preprocess_table(self, table_data)

    def _learnt(self, data: pd.DataFrame | Tables) -> PlainTables:
        """The table in plain form, after its form has been learnt from it."""
        self._format, frame = self._form_of(data)
        self._gives_frames = isinstance(data, pd.DataFrame)
        return self._plain_tables(self._format, frame)

    def _plain_tables(self, form: TableFormat, frame: pd.DataFrame) -> PlainTables:
        # SDV only reads the table, but a user's own constraint may write into it.
        plain = form.plain(frame, copy=private_names.has_constraints(self))
        tables = PlainTables({private_names.table_name(self): plain})
        tables.form = form
        return tables

    def _form_of(self, data: pd.DataFrame | Tables) -> tuple[TableFormat, pd.DataFrame]:
        frame = self._single_table(data)
        if not len(frame):
            name = private_names.table_name(self)
            raise InvalidDataError([f"Table '{name}' has no rows. There must be at least one."])
        return TableFormat.learn(frame, private_names.original_table(self).columns), frame

    def _learn_facts(self, plain: pd.DataFrame) -> None:
        """What training saw of each column, once transformers are assigned."""
        assert self._format is not None
        facts = {}
        for column in self._format.columns:
            generated = private_names.is_generated(self, column.key)
            facts[column.key] = ColumnFacts.learn(
                plain[column.key],
                column,
                role_of(column.sdtype, generated=generated),
                rounds=self.enforce_rounding,
                extrapolates=not self.enforce_min_max_values,
            )
        self._facts = facts
        self._rewritten = private_names.rewritten_columns(self, plain.head(_LOOKED_AT))

    def _single_table(self, data: Any) -> pd.DataFrame:
        """The one table of ``data``, checked for its type and name."""
        if isinstance(data, pd.DataFrame):
            return data
        name = private_names.table_name(self)
        if not isinstance(data, Mapping):
            raise InvalidDataTypeError(
                f"The data must be a DataFrame or {{'{name}': DataFrame}}, however: "
                f'{type(data).__name__}.'
            )
        if list(data) != [name]:
            raise InvalidDataTypeError(
                f'The data must be a dictionary with exactly one table, named {name!r} as in the '
                f'metadata, however: tables {list(data)}.'
            )
        if not isinstance(data[name], pd.DataFrame):
            raise InvalidDataTypeError(
                f"Table '{name}' must be a DataFrame, however: {type(data[name]).__name__}."
            )
        return data[name]

    def _check_finite(self, plain: pd.DataFrame) -> None:
        errors = []
        for key, entry in private_names.original_table(self).columns.items():
            if entry.get('sdtype') != 'numerical' or key not in plain.columns:
                continue
            values = plain[key]
            if not pd.api.types.is_float_dtype(values.dtype):
                continue
            infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
            if infinite.any():
                errors.append(
                    f"Column '{key}' has {int(infinite.sum())} infinite values (first in row "
                    f'{values.index[int(infinite.argmax())]!r}). Numbers must be finite; replace '
                    'them or leave the cells empty.'
                )
        if errors:
            raise InvalidDataError(errors)

    def _as_given(self, tables: Tables) -> Any:
        """A frame if ``fit`` was given one, else a plain dictionary."""
        return next(iter(tables.values())) if self._gives_frames else dict(tables)


def check_count(name: str, value: Any, minimum: int) -> None:
    """Refuse a count that is no whole number or too small; None passes.

    Raises:
        ValueError: If it is.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < minimum:
        raise ValueError(
            f"Parameter '{name}' must be a whole number of at least {minimum}, however: {value!r}."
        )


def check_bool(name: str, value: Any) -> None:
    """Refuse anything but True and False.

    Raises:
        SynthesizerInputError: In SDV's words.
    """
    if not isinstance(value, bool):
        raise SynthesizerInputError(
            f"Invalid value '{value}' for parameter '{name}'. Please provide True or False."
        )
