"""What SDV's pipeline calls: one class that overrides SDV's private hooks.

SDV takes and gives ``{table: DataFrame}``, writes into the frame it is given while it works, and
restores only some dtypes. So SDV only ever sees a copy in plain form, and rows leave in the form
of the table that ``fit`` was given. Its rejection sampling for conditions gives way to a model
that completes rows of which any cells are known.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import tqdm
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.complete import Completer, missing_operation
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.old_files import STATE_VERSION, refuse_old_files, wrong_format
from sdv_tabdar.adapter.parameters import configs
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.rows_on_disk import TableFile, append_csv, batches
from sdv_tabdar.adapter.tables import (
    PlainTables,
    Tables,
    check_finite,
    condition_frames,
    plain_tables,
    quiet_about_plain_dates,
    single_table,
)
from sdv_tabdar.core.model import TabDAR

_READ = 'sdv_tabdar_read'  # what was read of a frame of conditions, among its attributes

refuse_old_files()


class SDVHooks(private_names.BaseSingleTableSynthesizer):
    """An SDV synthesizer whose table is a :class:`FittedTable`.

    Attributes:
        _fitted_table: What is known of the table; None before one was seen.
        _gives_frames: Whether results are bare frames, as what ``fit`` was given.
    """

    _fitted_table: FittedTable | None = None
    _gives_frames: bool = False

    @property
    def _model(self) -> TabDAR | None:
        """What SDV seeds and asks whether there is anything to sample."""
        return None if self._fitted_table is None else self._fitted_table.model

    def __getstate__(self) -> dict[str, Any]:
        """Of this package's, plain objects and the model."""
        table = self._fitted_table
        return {
            **self.__dict__,
            '_fitted_table': None if table is None else table.to_state(),
            '_state_version': STATE_VERSION,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Rebuild what :meth:`__getstate__` wrote.

        Raises:
            VersionError: If it was written in another format.
        """
        if state.get('_state_version') != STATE_VERSION:
            raise wrong_format(state.get('_state_version'))
        self.__dict__.update(state)
        table = state['_fitted_table']
        self._fitted_table = None if table is None else FittedTable.from_state(table, self)

    # SDV's hooks.

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        """The processed table, made in little memory."""
        return private_names.preprocess_table(self, table_data)

    def _fit(self, processed_data: pd.DataFrame) -> None:
        """Train the model on SDV's processed table."""
        processed = ProcessedFormat.learn(processed_data, self)
        model, training, sampling = configs(vars(self))
        network = TabDAR(
            model,
            training,
            sampling,
            device='auto' if self.enable_gpu else 'cpu',
            random_state=None if self.random_state is None else int(self.random_state),
            verbose=self.verbose,
        )
        network.fit(processed.to_model(processed_data), processed.kinds)
        self._fitted_table = dataclasses.replace(self._table, processed=processed, model=network)

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        """Draw processed rows, all with the same known cells if ``conditions`` gives any."""
        model, processed = self._table.trained
        known = pd.DataFrame(index=pd.RangeIndex(num_rows))
        for name, value in (conditions or {}).items():
            known[name] = pd.Series([value] * num_rows, dtype=object)
        bar = tqdm.tqdm(total=num_rows, desc='Drawing rows', leave=False, disable=not self.verbose)
        try:
            with bar:
                completed = model.complete(known, progress=bar.update)
        except NotImplementedError as error:
            raise missing_operation(error) from error
        return processed.from_model(completed.rows)

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
        restored = self._table.form.restore(rows)
        extra = [name for name in rows if name not in self._table.profiles]
        if keep_extra_columns and extra:
            restored = pd.concat([restored, rows[extra]], axis=1)
        if previous_rows is not None and len(previous_rows):
            restored = pd.concat([previous_rows, restored], ignore_index=True)
        return restored, len(restored)

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Rows of the table before constraints, with dates in the units of their columns."""
        return self._table.in_date_units(super().reverse_transform_constraints(sampled))

    @staticmethod
    def _make_condition_dfs(
        conditions: Sequence[Condition | DataFrameCondition],
    ) -> list[pd.DataFrame]:
        """SDV's frames, one for each set of columns, with cells exactly as they were given."""
        return condition_frames(conditions)

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        """SDV's check of the columns, and then of the values."""
        super()._validate_conditions(conditions)
        self._read_conditions(conditions)

    def _validate_known_columns(self, conditions: pd.DataFrame) -> None:
        """As :meth:`_validate_conditions`, for the one frame of known columns."""
        super()._validate_known_columns(conditions)
        self._read_conditions([conditions])

    def _read_conditions(self, frames: Sequence[pd.DataFrame]) -> None:
        """Read all conditions of a call; what was read stays with SDV's frames."""
        known = [Known.from_conditions(frame, self._table) for frame in frames]
        warn_of_unseen(self._table, known, Task.SAMPLE)
        for frame, read in zip(frames, known, strict=True):
            frame.attrs[_READ] = read

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: str | None = None,
        keep_extra_columns: bool = False,
    ) -> pd.DataFrame:
        """Rows for SDV's frame of conditions, all through the model together.

        SDV's own method makes a call of the model for each distinct row and then filters.
        ``keep_extra_columns`` is for SDV's multi-table models, which cannot use this one.
        """
        table = self._table
        known = conditions.attrs.pop(_READ, None) or Known.from_conditions(conditions, table)
        private_names.seed_sampling(self)
        chunks = Completer(table).chunks(
            known,
            max_tries=max_tries_per_batch,
            batch_size=batch_size,
            progress=None if progress_bar is None else progress_bar.update,
        )
        parts = []
        for rows in chunks:
            restored = table.form.restore(rows)
            restored.index = conditions.index[rows.index.to_numpy()]
            if output_file_path and len(restored):
                append_csv(output_file_path, restored)
            if len(restored):
                parts.append(restored)
        return pd.concat(parts) if parts else table.form.empty()

    # SDV's public methods call each other with tables in plain form; what a user gives is put
    # into it here.

    def _learnt(self, data: Any) -> PlainTables:
        """The table in plain form, after its form has been learnt from it."""
        plain = plain_tables(self, data)
        before = self._fitted_table or FittedTable(self, plain.form)
        self._fitted_table = dataclasses.replace(before, form=plain.form)
        self._gives_frames = isinstance(data, pd.DataFrame)
        return plain

    def _preprocess_plain(self, plain: PlainTables) -> PlainTables:
        """SDV's ``preprocess``, after which transformers are fitted and columns can be profiled."""
        processed = PlainTables(super().preprocess(plain))
        self._fitted_table = self._table.with_profiles(
            plain[private_names.table_name(self)],
            rounds=self.enforce_rounding,
            extrapolates=not self.enforce_min_max_values,
        )
        return processed

    def _validate_plain(self, plain: PlainTables) -> None:
        """SDV's ``validate``, with a check of its own before it.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: With the rows as the user has them.
        """
        table = plain[private_names.table_name(self)]
        check_finite(table, private_names.original_table(self).columns)
        try:
            with quiet_about_plain_dates(plain.form):
                super().validate(plain)
        except private_names.ConstraintNotMetError as error:
            message = private_names.order_message(self, table, plain.form.restore)
            if message is None:
                raise
            raise private_names.ConstraintNotMetError(message) from error

    def _processed_tables(self, processed_data: Any) -> PlainTables:
        """What a user has made of the processed table, to be learnt from anew."""
        name = private_names.table_name(self)
        frame = single_table(processed_data, name)
        self._gives_frames = isinstance(processed_data, pd.DataFrame)
        private_names.forget_sampling_state(self)
        return PlainTables({name: frame})

    def _sampled_batches(
        self,
        num_rows: int,
        main_table_name: str | None,
        max_tries_per_batch: int,
        batch_size: int | None,
        file: TableFile | None,
    ) -> Iterator[pd.DataFrame]:
        """Batches of synthetic rows, written as soon as they are drawn."""
        name = main_table_name or private_names.table_name(self)
        sizes = [num_rows] if num_rows is None else list(batches(num_rows, batch_size))
        bar = tqdm.tqdm(total=num_rows, desc='Sampling rows', disable=len(sizes) < 2)
        with bar, file or contextlib.nullcontext():
            for size in sizes:
                with private_names.untouched_random_states():
                    tables = super().sample(size, name, max_tries_per_batch)
                (batch,) = tables.values()
                if file is not None:
                    file.write(batch)
                bar.update(len(batch))
                yield batch

    @property
    def _table(self) -> FittedTable:
        assert self._fitted_table is not None, 'a table was seen'
        return self._fitted_table

    def _table_to_sample(self) -> FittedTable:
        """The fitted table.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
        """
        self._validate_fit_before_sample()
        return self._table

    def _table_in(self, data: Any) -> pd.DataFrame:
        """The one table of a frame or a dictionary."""
        return single_table(data, private_names.table_name(self))

    def _as_given(self, tables: Tables) -> Any:
        """A frame if ``fit`` was given one, else a plain dictionary."""
        return next(iter(tables.values())) if self._gives_frames else dict(tables)

    def _restored(self, tables: Tables) -> Any:
        """Tables in the user's form again, after SDV has put parts together."""
        restored = {name: self._table.form.restore(table) for name, table in tables.items()}
        return self._as_given(restored)

    @contextlib.contextmanager
    def _drawing(self) -> Iterator[None]:
        """Draw from the model outside SDV's sampling methods: seeded as they are, once."""
        with private_names.untouched_random_states():
            private_names.seed_sampling(self)
            yield
