"""What SDV's pipeline calls: one class that overrides SDV's private hooks.

SDV takes and gives ``{table: DataFrame}``, writes into the frame it is given while it works, and
restores only some dtypes. So SDV only ever sees a copy in plain form, and rows leave in the form
of the table that ``fit`` was given. Its rejection sampling for conditions gives way to a model
that completes rows of which any cells are known.
"""

from __future__ import annotations

import contextlib
import dataclasses
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import tqdm
from sdv.single_table.utils import (
    check_num_rows,
    handle_sampling_error,
    validate_folder_path_with_table_names,
)

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.advice import advice
from sdv_tabdar.adapter.complete import Completer, missing_operation
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import others_turn, untouched_random_states
from sdv_tabdar.adapter.known import READ, Known, Task, warn_of_unseen
from sdv_tabdar.adapter.old_files import STATE_VERSION, refuse_old_files, wrong_format
from sdv_tabdar.adapter.parameters import check_seed, configs
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.rows_on_disk import TableFile, append_csv, batches
from sdv_tabdar.adapter.tables import (
    PlainTables,
    Tables,
    check_finite,
    plain_tables,
    quiet_about_plain_dates,
    single_table,
)
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.training.history import Callback

refuse_old_files()

_ADVICE = 'The table can be learnt as it is, but you may want to know:'


class SDVHooks(private_names.BaseSingleTableSynthesizer):
    """An SDV synthesizer whose table is a :class:`FittedTable`.

    Attributes:
        _fitted_table: What is known of the table; None before one was seen.
        _gives_frames: Whether results are bare frames, as what ``fit`` was given.
        _advised: What was said of training tables.
        _training_options: What one call of ``fit`` asks of training.
    """

    _fitted_table: FittedTable | None = None
    _gives_frames: bool = False
    _advised: tuple[str, ...] = ()
    _training_options: Mapping[str, Any] = types.MappingProxyType({})

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

    @contextlib.contextmanager
    def _training(
        self, on_epoch_end: Callback | None, checkpoint_path: str | Path | None
    ) -> Iterator[None]:
        """Within it, training calls back and keeps checkpoints; SDV calls ``_fit`` without."""
        self._training_options = {
            'callbacks': () if on_epoch_end is None else (on_epoch_end,),
            'checkpoint_path': checkpoint_path,
        }
        try:
            yield
        finally:
            del self._training_options

    def _fit(self, processed_data: pd.DataFrame) -> None:
        """Train the model on SDV's processed table."""
        processed = ProcessedFormat.learn(processed_data, self, self._table.form.zones)
        model, training, sampling = configs(vars(self))
        network = TabDAR(
            model,
            training,
            sampling,
            device='auto' if self.enable_gpu else 'cpu',
            random_state=None if self.random_state is None else int(self.random_state),
            verbose=self.verbose,
        )
        with others_turn():
            network.fit(
                processed.to_model(processed_data), processed.kinds, **self._training_options
            )
        self._fitted_table = dataclasses.replace(self._table, processed=processed, model=network)

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        """Draw processed rows, all with the same known cells if ``conditions`` gives any."""
        model, processed = self._table.trained
        known = pd.DataFrame(index=pd.RangeIndex(num_rows))
        for name, value in (conditions or {}).items():
            known[name] = pd.Series([value] * num_rows, dtype=object)
        bar = tqdm.tqdm(total=num_rows, desc='Drawing rows', leave=False, disable=not self.verbose)
        try:
            with bar, others_turn():
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

    def _read_conditions(self, frames: Sequence[pd.DataFrame]) -> None:
        """Read all conditions of a call; what was read stays with SDV's frames."""
        known = [
            frame.attrs.get(READ) or Known.from_conditions(frame, self._table) for frame in frames
        ]
        warn_of_unseen(self._table, known, Task.SAMPLE)
        for frame, read in zip(frames, known, strict=True):
            frame.attrs[READ] = read

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
        known = conditions.attrs.pop(READ, None) or Known.from_conditions(conditions, table)
        private_names.seed_sampling(self)
        chunks = Completer(table).chunks(
            known,
            max_tries=max_tries_per_batch,
            batch_size=batch_size,
            progress=None if progress_bar is None else progress_bar.update,
        )
        parts = []
        for rows in chunks:
            given = conditions.iloc[rows.index.to_numpy()].set_axis(rows.index)
            restored = table.form.restore(rows, given)
            restored.index = conditions.index[rows.index.to_numpy()]
            if output_file_path and len(restored):
                append_csv(output_file_path, restored)
            if len(restored):
                parts.append(restored)
        return pd.concat(parts) if parts else table.form.empty()

    def _sample_with_progress_bar(
        self,
        num_rows: int,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_file_path: str | None = None,
        show_progress_bar: bool = True,
    ) -> pd.DataFrame:
        """SDV's draw of rows; its bar, too, is shown only where it is asked for."""
        return super()._sample_with_progress_bar(
            num_rows,
            max_tries_per_batch,
            batch_size,
            output_file_path,
            show_progress_bar=show_progress_bar and self.verbose,
        )

    def _sample_conditions(
        self,
        conditions: Sequence[pd.DataFrame],
        max_tries_per_batch: int,
        batch_size: int | None,
        output_folder_path: str | None,
    ) -> list[pd.DataFrame]:
        """Rows for each frame of conditions.

        What SDV's two public methods do around ``_sample_with_conditions``, without the bar that
        they show in any case.
        """
        name = private_names.table_name(self)
        (path,) = validate_folder_path_with_table_names(output_folder_path, [name])
        for frame in conditions:
            self._validate_conditions_unseen_columns(frame)
        self._read_conditions(conditions)
        num_rows = sum(map(len, conditions))
        parts: list[pd.DataFrame] = []
        try:
            with tqdm.tqdm(total=num_rows, desc='Sampling rows', disable=not self.verbose) as bar:
                parts.extend(
                    self._sample_with_conditions(frame, max_tries_per_batch, batch_size, bar, path)
                    for frame in conditions
                )
            check_num_rows(sum(map(len, parts)), num_rows, True, max_tries_per_batch)
        except (Exception, KeyboardInterrupt) as error:
            handle_sampling_error(path, error)
        return parts

    # SDV's public methods call each other with tables in plain form; what a user gives is put
    # into it here.

    def _learnt(self, data: Any) -> PlainTables:
        """The table in plain form, after its form has been learnt from it."""
        plain = plain_tables(self, data)
        before = self._fitted_table or FittedTable(self, plain.form)
        self._fitted_table = dataclasses.replace(before, form=plain.form)
        self._gives_frames = isinstance(data, pd.DataFrame)
        return plain

    def _preprocess_plain(self, plain: PlainTables, *, stacklevel: int) -> PlainTables:
        """SDV's ``preprocess``, after which transformers are fitted and columns can be profiled.

        Args:
            plain: The training table.
            stacklevel: How far away the user's call is.
        """
        processed = PlainTables(super().preprocess(plain))
        table = plain[private_names.table_name(self)]
        self._fitted_table = self._table.with_profiles(
            table,
            rounds=self.enforce_rounding,
            extrapolates=not self.enforce_min_max_values,
        )
        self._advise(table, stacklevel + 1)
        return processed

    def _advise(self, plain: pd.DataFrame, stacklevel: int) -> None:
        """Say what a user would want to know of the training table, unless it was said before."""
        found = advice(plain, self._table.profiles, private_names.constrained_columns(self))
        lines = [line for line in found if line not in self._advised]
        self._advised = (*self._advised, *lines)
        if lines:
            text = '\n'.join(f'- {line}' for line in lines)
            warnings.warn(f'{_ADVICE}\n{text}', stacklevel=stacklevel + 1)

    def _validate_plain(self, plain: PlainTables) -> None:
        """SDV's ``validate``, with a check of its own before it.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: With the rows as the user has them.
        """
        original = private_names.original_table(self)
        table = plain[private_names.table_name(self)]
        check_finite(table, original.columns)
        entries = plain.form.plain_entries(original.columns)
        try:
            with quiet_about_plain_dates(plain.form), private_names.described(self, entries):
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
        conditions: pd.DataFrame | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Batches of synthetic rows, written as soon as they are drawn.

        Each meets its conditions if there are any.
        """
        name = main_table_name or private_names.table_name(self)
        sizes = [num_rows] if num_rows is None else list(batches(num_rows, batch_size))
        bar = tqdm.tqdm(
            total=num_rows, desc='Sampling rows', disable=not self.verbose or len(sizes) < 2
        )
        asked = met = 0
        with bar, file or contextlib.nullcontext():
            for size in sizes:
                if conditions is None:
                    tables = super().sample(size, name, max_tries_per_batch)
                    (batch,) = tables.values()
                else:
                    part = conditions.iloc[asked : asked + size].reset_index(drop=True)
                    batch = self._sample_with_conditions(part, max_tries_per_batch, None)
                    asked, met = asked + size, met + len(batch)
                if file is not None:
                    file.write(batch)
                bar.update(len(batch))
                yield batch
        check_num_rows(met, asked, True, max_tries_per_batch)

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

    def _restored(self, rows: pd.DataFrame) -> Any:
        """Rows in the user's form again, after parts were put together."""
        return self._as_given({private_names.table_name(self): self._table.form.restore(rows)})

    @contextlib.contextmanager
    def _drawing(self, seed: int | None = None) -> Iterator[None]:
        """Draw from the model, from a seed or from where the last call stopped.

        Raises:
            ValueError: If ``seed`` is none.
        """
        check_seed(seed)
        from_seed: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if seed is not None:
            from_seed = private_names.seeded_sampling(self, int(seed))
        with untouched_random_states(seed), from_seed:
            private_names.seed_sampling(self)
            yield
