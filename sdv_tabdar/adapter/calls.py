"""What the synthesizer's public methods are made of: one class above SDV's hooks.

SDV's public methods call each other with tables in plain form (``PlainTables``). What a user gives
is put into it here, and rows leave in the user's form.
"""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import tqdm
from sdv.errors import NotFittedError, SamplingError
from sdv.single_table.utils import (
    check_num_rows,
    handle_sampling_error,
    validate_folder_path_with_table_names,
)

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.advice import advice
from sdv_tabdar.adapter.blocks import Blocks, check_place, columns_given
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.formats import unique_names
from sdv_tabdar.adapter.global_generators import untouched_random_states
from sdv_tabdar.adapter.going_on import with_room
from sdv_tabdar.adapter.hooks import SDVHooks
from sdv_tabdar.adapter.one_at_a_time import one_at_a_time
from sdv_tabdar.adapter.parameters import (
    check_metadata,
    check_parameters,
    check_seed,
    check_training,
)
from sdv_tabdar.adapter.rows_on_disk import STREAMED_ROWS, TableFile, batches
from sdv_tabdar.adapter.sources import Source, source_of
from sdv_tabdar.adapter.streamed import Streamed, scratch
from sdv_tabdar.adapter.tables import (
    PlainTables,
    Tables,
    check_finite,
    plain_tables,
    quiet_about_plain_dates,
    single_table,
)
from sdv_tabdar.core.training.history import Callback

# Arguments of the constructor that SDV's has, too.
_OF_SDV = ('metadata', 'enforce_min_max_values', 'enforce_rounding', 'locales')
OUTDATED = (
    'Transformers or constraints of this synthesizer have changed since it was fitted (preprocess, '
    'update_transformers, add_constraints). Call fit again, or fit_processed_data with what '
    'preprocess returned. To go on with what was learnt, copy a synthesizer before such a change '
    '(copy.deepcopy).'
)
_ADVICE = 'The table can be learnt as it is, but you may want to know:'


class Calls(SDVHooks):
    """A synthesizer that takes tables in the user's form and gives rows in it.

    Attributes:
        _gives_frames: Whether results are bare frames, as what ``fit`` was given.
        _advised: What was said of training tables.
        _outdated: Whether transformers or constraints have changed since it was fitted.
    """

    _gives_frames: bool = False
    _advised: tuple[str, ...] = ()
    _outdated: bool = False

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Keep the arguments of a synthesizer's constructor.

        Args:
            parameters: The local names of that constructor.

        Raises:
            SynthesizerInputError: If an argument is not allowed.
        """
        given = {
            name: value for name, value in parameters.items() if name not in ('self', '__class__')
        }
        check_metadata(given['metadata'])
        super().__init__(**{name: given[name] for name in _OF_SDV})
        # SDV's get_parameters reads each argument from the attribute of its name.
        for name, value in given.items():
            if name != 'metadata':
                setattr(self, name, value)
        check_parameters(given)

    # Tables on their way in.

    @contextlib.contextmanager
    def _transaction(self, *, roll_back: bool = False) -> Iterator[None]:
        """Leave the global random states alone, and this synthesizer too if what is within fails.

        Args:
            roll_back: Whether to put the synthesizer back in any case.
        """
        with (
            one_at_a_time(self),
            untouched_random_states(),
            private_names.unchanged(self, if_it_works=roll_back),
        ):
            yield

    @contextlib.contextmanager
    def _preparing(self, *, same_if_alike: bool = False) -> Iterator[None]:
        """Change transformers or constraints for the next fit; those of the last one are gone.

        Args:
            same_if_alike: Whether they are the same again if the table is as the one of that fit.
        """
        with self._transaction():
            before = self._fitted_table
            yield
            is_same = same_if_alike and self._fitted_table == before
            self._outdated |= private_names.is_fitted(self) and not is_same

    @contextlib.contextmanager
    def _training(
        self,
        on_epoch_end: Callback | None,
        checkpoint_path: str | Path | None,
        warm_start: bool,
    ) -> Iterator[None]:
        """Within it, training calls back and keeps checkpoints; SDV calls ``_fit`` without.

        Raises:
            SynthesizerInputError: If a call back, a checkpoint or a warm start is not possible.
        """
        check_training(on_epoch_end, checkpoint_path, warm_start)
        goes_on = warm_start and private_names.is_fitted(self)
        if goes_on:
            self._check_going_on()
        self._training_options = {
            'callbacks': () if on_epoch_end is None else (on_epoch_end,),
            'checkpoint_path': checkpoint_path,
            'before': self._model if goes_on else None,
        }
        try:
            yield
        finally:
            del self._training_options

    def _check_going_on(self) -> None:
        """Refuse to go on from what was fitted before; here nothing is refused.

        Raises:
            SynthesizerInputError: If what is promised now was not kept then.
        """

    @contextlib.contextmanager
    def _in_memory(self, data: Any, scratch_folder: str | Path | None) -> Iterator[Any]:
        """The table to fit; of one that is not in memory a summary, which SDV takes for it.

        Raises:
            InvalidDataError: If such a table cannot be read.
            SynthesizerInputError: If there is no folder to keep its rows in.
        """
        folder, source = scratch(scratch_folder), source_of(data)
        if source is None:
            yield data
            return
        self._streamed = self._surveyed(source, folder)
        summary = self._streamed.summary
        try:
            yield summary.frame
        finally:
            del self._streamed
        private_names.learn_counts(self, summary.num_rows, summary.missing)
        self._fitted_table = dataclasses.replace(self._table, num_rows=summary.num_rows)

    def _surveyed(self, source: Source, scratch_folder: Path) -> Streamed:
        """A table that is not in memory, after a first pass over it."""
        return Streamed.surveyed(self, source, scratch_folder, verbose=self.verbose)

    def _learnt(self, data: Any) -> PlainTables:
        """The table in plain form, after its form has been learnt from it."""
        if self._training_options.get('before') is not None:
            data = self._like(data, with_room(self._table_in(data), self._table))
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
        private_names.unbind_totals(self)
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
        """What a user has made of the processed table, to be learnt from anew.

        Raises:
            sdv.errors.NotFittedError: If no table was preprocessed.
        """
        if not private_names.is_preprocessed(self):
            raise NotFittedError(
                "There is nothing to turn synthetic rows back with. Call 'preprocess' on this "
                "synthesizer before 'fit_processed_data', or 'fit' alone."
            )
        name = private_names.table_name(self)
        frame = single_table(processed_data, name)
        self._gives_frames = isinstance(processed_data, pd.DataFrame)
        private_names.forget_sampling_state(self)
        return PlainTables({name: frame})

    def _table_in(self, data: Any) -> pd.DataFrame:
        """The one table of a frame or a dictionary."""
        frame = single_table(data, private_names.table_name(self))
        unique_names(frame)
        return frame

    # Drawing.

    def _table_to_sample(self) -> FittedTable:
        """The fitted table.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted, or its transformers
                or constraints have changed since.
        """
        self._validate_fit_before_sample()
        if self._outdated:
            raise SamplingError(OUTDATED)
        return self._table

    @contextlib.contextmanager
    def _drawing(
        self, seed: int | None = None, first_row: int = 0, known: pd.DataFrame | None = None
    ) -> Iterator[Blocks]:
        """Draw from the model, from a seed or from where the last call stopped.

        Args:
            seed: The seed of the call.
            first_row: The first of the rows of that seed that are meant.
            known: What is known of these rows.

        Raises:
            ValueError: If ``seed`` is none, or no block begins at ``first_row``.
        """
        check_seed(seed)
        given = set() if known is None else columns_given(known)
        check_place(self, seed, first_row, given)
        with contextlib.ExitStack() as stack:
            stack.enter_context(one_at_a_time(self))
            stack.enter_context(untouched_random_states(seed))
            sampling = None
            if seed is not None:
                sampling = stack.enter_context(
                    private_names.seeded_sampling(self, int(seed), given)
                )
            private_names.seed_sampling(self)
            self._blocks = Blocks(sampling, int(seed or 0), int(first_row))
            stack.callback(delattr, self, '_blocks')
            yield self._blocks

    def _sampled(
        self,
        num_rows: int,
        table_name: str,
        max_tries_per_batch: int,
        batch_size: int | None,
        file: TableFile | None,
        return_rows: bool,
        conditions: pd.DataFrame | None = None,
    ) -> pd.DataFrame:
        """Synthetic rows, each batch written as soon as it is drawn; none if not to be returned.

        Each row meets its condition if there are any.
        """
        if not return_rows:
            batch_size = batch_size or STREAMED_ROWS
        if num_rows is None:
            super().sample(num_rows)  # refuses it in SDV's words
        self._validate_table_name(table_name)
        self._check_input_metadata_updated()
        sizes = list(batches(num_rows, batch_size))
        drawn = []
        asked = met = 0
        bar = self._bar('Sampling rows', num_rows, is_needed=len(sizes) > 1)
        with bar, file or contextlib.nullcontext():
            for size in sizes:
                if conditions is None:
                    path = None if file is None else file.path
                    batch = self._sampled_freely(size, max_tries_per_batch, path, bar)
                else:
                    part = conditions.iloc[asked : asked + size].reset_index(drop=True)
                    batch = self._sample_with_conditions(part, max_tries_per_batch, None, bar)
                    asked += size
                met += len(batch)
                if file is not None:
                    file.write(batch)
                if return_rows:
                    drawn.append(batch)
        check_num_rows(met, asked, True, max_tries_per_batch)
        private_names.log_sample(self, met, len(self._table.form.columns))
        return pd.concat(drawn, ignore_index=True) if drawn else self._table.form.empty()

    def _sampled_freely(
        self, num_rows: int, max_tries_per_batch: int, path: str | None, bar: Any
    ) -> pd.DataFrame:
        """Rows without conditions, block by block; what goes wrong names the file of the others."""
        parts = []
        constrained = private_names.has_constraints(self)
        try:
            for rows in self._blocks.cut(num_rows):
                part = self._sample_with_progress_bar(
                    rows.stop - rows.start, max_tries_per_batch, show_progress_bar=constrained
                )
                if constrained:
                    part = self._blocks.recounted(self._table, part)
                bar.update(len(part))
                parts.append(part)
        except (Exception, KeyboardInterrupt) as error:
            handle_sampling_error(path, error.__cause__ or error)
        return pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]

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
            with self._bar('Sampling rows', num_rows) as bar:
                parts.extend(
                    self._sample_with_conditions(frame, max_tries_per_batch, batch_size, bar, path)
                    for frame in conditions
                )
            check_num_rows(sum(map(len, parts)), num_rows, True, max_tries_per_batch)
        except (Exception, KeyboardInterrupt) as error:
            handle_sampling_error(path, error)
        private_names.log_sample(self, sum(map(len, parts)), len(self._table.form.columns))
        return parts

    def _by_block(
        self,
        data: pd.DataFrame,
        answer: Callable[[pd.DataFrame], pd.DataFrame],
        seed: int | None,
        first_row: int,
    ) -> pd.DataFrame:
        """What is answered about the rows of a table, block by block."""
        with self._drawing(seed, first_row, self._table.form.empty()) as blocks:
            parts = [answer(data.iloc[rows]) for rows in blocks.cut(len(data))]
        return pd.concat(parts) if len(parts) > 1 else parts[0]

    def _bar(self, what: str, num_rows: int, *, is_needed: bool = True) -> Any:
        """A progress bar over rows, shown only where the user wants to see them."""
        return tqdm.tqdm(total=num_rows, desc=what, disable=not (self.verbose and is_needed))

    # Tables on their way out.

    def _as_given(self, tables: Tables) -> Any:
        """A frame if ``fit`` was given one, else a plain dictionary."""
        return next(iter(tables.values())) if self._gives_frames else dict(tables)

    def _restored(self, rows: pd.DataFrame) -> Any:
        """Rows in the user's form again, after parts were put together."""
        return self._as_given({private_names.table_name(self): self._table.form.restore(rows)})

    def _like(self, data: Any, rows: pd.DataFrame) -> Any:
        """A frame if ``data`` is one, else a dictionary as ``data`` is."""
        return rows if isinstance(data, pd.DataFrame) else {private_names.table_name(self): rows}

    def _state_text(self) -> str:
        """Whether the synthesizer is fitted, and on what."""
        table = self._fitted_table
        if table is None or not private_names.is_fitted(self):
            return 'not fitted'
        return f'fitted on {table.num_rows:,} rows of {len(table.form.columns)} columns'
