"""How rows go out: what the public methods that draw rows or answer about rows are made of.

Rows leave SDV's pipeline in plain form (``PlainTables``) and are put into the user's here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd
import tqdm
from sdv.errors import SamplingError
from sdv.single_table.utils import (
    check_num_rows,
    handle_sampling_error,
    validate_folder_path_with_table_names,
)

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.blocks import Blocks, check_place, columns_given
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import untouched_random_states
from sdv_tabdar.adapter.learning import Learning
from sdv_tabdar.adapter.one_at_a_time import one_at_a_time
from sdv_tabdar.adapter.parameters import (
    check_seed,
)
from sdv_tabdar.adapter.rows_on_disk import STREAMED_ROWS, TableFile, batches
from sdv_tabdar.adapter.tables import (
    Tables,
)

OUTDATED = (
    'Transformers or constraints of this synthesizer have changed since it was fitted (preprocess, '
    'update_transformers, add_constraints). Call fit again, or fit_processed_data with what '
    'preprocess returned. To go on with what was learnt, copy a synthesizer before such a change '
    '(copy.deepcopy).'
)


class Calls(Learning):
    """A synthesizer that takes tables in the user's form and gives rows in it."""

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
            stack.enter_context(private_names.whole_numbers_go_on(self))
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

    def _state_text(self) -> str:
        """Whether the synthesizer is fitted, and on what."""
        table = self._fitted_table
        if table is None or not private_names.is_fitted(self):
            return 'not fitted'
        return f'fitted on {table.num_rows:,} rows of {len(table.form.columns)} columns'
