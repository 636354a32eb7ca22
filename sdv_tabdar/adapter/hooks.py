"""What SDV's pipeline calls: one class that overrides SDV's private hooks.

SDV takes and gives ``{table: DataFrame}``, writes into the frame it is given while it works, and
restores only some dtypes. So SDV only ever sees a copy in plain form, and rows leave in the form
of the table that ``fit`` was given. Its rejection sampling for conditions gives way to a model
that completes rows of which any cells are known.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import tqdm
from rdt.transformers import FloatFormatter, UnixTimestampEncoder

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import missing_operation
from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.complete import Completer, NothingMetError
from sdv_tabdar.adapter.compositions import composed
from sdv_tabdar.adapter.exact import in_users_form
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import others_turn
from sdv_tabdar.adapter.handed_back import handed_back
from sdv_tabdar.adapter.known import READ, Known, Task, warn_of_unseen
from sdv_tabdar.adapter.made_columns import columns_with_own_values
from sdv_tabdar.adapter.new_keys import refuse_repeated_keys, with_new_keys, with_taken_keys
from sdv_tabdar.adapter.old_files import STATE_VERSION, refuse_old_files, wrong_format
from sdv_tabdar.adapter.one_at_a_time import one_at_a_time
from sdv_tabdar.adapter.parameters import configs
from sdv_tabdar.adapter.presences import presence_names, with_presences
from sdv_tabdar.adapter.processed import ProcessedFormat, declared_orders
from sdv_tabdar.adapter.rows_on_disk import append_csv
from sdv_tabdar.adapter.streamed import Streamed
from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.config import (
    ModelConfig,
    SamplingConfig,
    TrainingConfig,
)
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.presets import with_former_settings

_logger = logging.getLogger(__name__)

refuse_old_files()


class SDVHooks(private_names.BaseSingleTableSynthesizer):
    """An SDV synthesizer whose table is a :class:`FittedTable`.

    Attributes:
        _fitted_table: What is known of the table; None before one was seen.
        _training_options: What one call of ``fit`` asks of training.
        _blocks: How the rows of one call that draws are cut.
        _streamed: The table that one call of ``fit`` learns, where it is not in memory.
    """

    _fitted_table: FittedTable | None = None
    _training_options: Mapping[str, Any] = types.MappingProxyType({})
    _blocks: Blocks = Blocks()
    _streamed: Streamed | None = None

    _model_sdtype_transformers = {  # noqa: RUF012 - SDV's name for a constant of the class
        # The model encodes values itself, with missing ones among them.
        'categorical': None,
        'boolean': None,
        'ordinal': None,
        # Missing cells pass through both ways. By default SDV would fill them with the mean and
        # put new ones at random places.
        'numerical': FloatFormatter(missing_value_replacement=None, missing_value_generation=None),
        'datetime': UnixTimestampEncoder(
            missing_value_replacement=None, missing_value_generation=None
        ),
    }

    @property
    def _model(self) -> TabDAR | None:
        """What SDV seeds and asks whether there is anything to sample."""
        return None if self._fitted_table is None else self._fitted_table.model

    def __getstate__(self) -> dict[str, Any]:
        """Of this package's, plain objects and the model."""
        with one_at_a_time(self):
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
        self.__dict__.update(with_former_settings(state))
        table = state['_fitted_table']
        self._fitted_table = None if table is None else FittedTable.from_state(table, self)

    def own_state(self) -> dict[str, Any]:
        """What this package keeps beside SDV, as plain objects and the model."""
        table = self._fitted_table
        return {
            'gives_frames': self._gives_frames,
            'advised': list(self._advised),
            'table': None if table is None else table.to_state(),
        }

    def restore_own_state(self, state: Mapping[str, Any]) -> None:
        """Take over what :meth:`own_state` wrote of another."""
        table = state['table']
        self._gives_frames = state['gives_frames']
        self._advised = tuple(state['advised'])
        self._fitted_table = None if table is None else FittedTable.from_state(table, self)

    # SDV's hooks.

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        """The processed table, made in little memory, and which invented cells are missing."""
        processed = private_names.preprocess_table(self, table_data)
        names = self._presences_of(table_data)
        if names:
            _logger.info('Whether cells of %s are missing is learnt.', list(names))
        return with_presences(processed, table_data, names)

    def _presence_names(self) -> Mapping[str, str]:
        """What columns of the processed table may say which invented cells are missing."""
        goes_on = self._training_options.get('before') is not None
        return self._table.presences if goes_on else presence_names(self)

    def _presences_of(self, table: pd.DataFrame, fewest: int = 1) -> dict[str, str]:
        """Those of these names that a training table has a use for.

        Args:
            table: The table after constraints.
            fewest: How many of its rows at least must have a value in a column.
        """
        goes_on = self._training_options.get('before') is not None
        return {
            key: name
            for key, name in self._presence_names().items()
            if key in table and (goes_on or fewest <= table[key].count() < len(table))
        }

    def _fit(self, processed_data: pd.DataFrame) -> None:
        """Train the model on SDV's processed table."""
        processed = ProcessedFormat.learn(
            processed_data, self, self._table.form.zones, self._presence_names()
        )
        model, training, sampling = self._configs()
        network = TabDAR(
            model,
            training,
            sampling,
            device='auto' if self.enable_gpu else 'cpu',
            random_state=None if self.random_state is None else int(self.random_state),
            verbose=self.verbose,
        )
        presences = {name: name for name in processed.presences.values()}
        told = columns_with_own_values(self._table) | presences
        known_clocks = self._known_clock_times()
        with self._rows_to_learn(processed_data, processed) as rows, others_turn():
            dates = [form.key for form in self._table.form.columns if form.sdtype == 'datetime']
            network.fit(
                rows,
                processed.kinds,
                told=told,
                dates={name for name, own in told.items() if own in dates},
                replaced=self._replaced_cells(processed_data),
                orders=declared_orders(self, self._table.form),
                clock_times={name for name, own in told.items() if own in known_clocks},
                **self._training_options,
            )
        clocks = {told[name] for name in network.clock_times & told.keys()}
        table = self._table.with_clock_times(clocks)
        self._fitted_table = dataclasses.replace(table, processed=processed, model=network)

    def _replaced_cells(self, processed: pd.DataFrame) -> pd.DataFrame | None:
        """Which cells of the processed table stand for others; here there are none."""
        return None

    def _known_clock_times(self) -> Collection[str]:
        """Columns that hold clock times, whether or not the processed table shows it; here none."""
        return ()

    def _configs(self) -> tuple[ModelConfig, TrainingConfig, SamplingConfig]:
        """What training is to use of the arguments of the constructor."""
        return configs(vars(self))

    @contextlib.contextmanager
    def _rows_to_learn(
        self, processed_data: pd.DataFrame, processed: ProcessedFormat
    ) -> Iterator[Table]:
        """The table as the model learns it: in memory, or in files."""
        if self._streamed is None:
            yield processed.to_model(processed_data)
            return
        with self._streamed.stored(self, self._table.form, processed) as table:
            yield table

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        """Draw processed rows, all with the same known cells if ``conditions`` gives any."""
        model, _ = self._table.trained
        known = pd.DataFrame(index=pd.RangeIndex(num_rows))
        for name, value in (conditions or {}).items():
            known[name] = pd.Series([value] * num_rows, dtype=object)
        bar = tqdm.tqdm(total=num_rows, desc='Drawing rows', leave=False, disable=not self.verbose)
        try:
            with bar, others_turn():
                completed = model.complete(known, progress=bar.update)
        except NotImplementedError as error:
            raise missing_operation(error) from error
        return handed_back(self._table, completed.rows)

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
        with private_names.gaps_laid(self, self._table.presences):
            rows, _ = super()._sample_rows(
                num_rows, conditions, transformed_conditions, float_rtol, None, keep_extra_columns
            )
        form = self._table.form
        made = composed(self._table.compositions, form.as_learnt(rows), {})
        restored = form.restore(made)
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
        known = self._known(frames)
        warn_of_unseen(self._table, known, Task.SAMPLE)
        for frame, read in zip(frames, known, strict=True):
            frame.attrs[READ] = read

    def _known(self, frames: Sequence[pd.DataFrame]) -> list[Known]:
        """What all conditions of a call say, read before or now."""
        table = self._table
        known = [frame.attrs.get(READ) or Known.from_conditions(frame, table) for frame in frames]
        refuse_repeated_keys(table, known)
        return with_taken_keys(table, known)

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
        known = conditions.attrs.pop(READ, None) or self._known([conditions])[0]
        private_names.seed_sampling(self)
        parts: list[pd.DataFrame] = []
        unmet = None
        stay = set(known.cells.columns) - set(private_names.keys(table.host))
        for block in self._blocks.cut(len(conditions)):
            of_block = known.rows(np.arange(block.start, block.stop))
            chunks = Completer(table).chunks(
                of_block,
                max_tries=max_tries_per_batch,
                batch_size=batch_size,
                progress=None if progress_bar is None else progress_bar.update,
            )
            try:
                for rows in chunks:
                    places = block.start + rows.index.to_numpy()
                    counted = self._blocks.counted(table, rows, stay)
                    keyed = with_new_keys(table, counted, of_block, self._blocks)
                    given = conditions.iloc[places].set_axis(rows.index)
                    restored = in_users_form(table, keyed, known.rows(places), given)
                    restored.index = conditions.index[places]
                    if output_file_path and len(restored):
                        append_csv(output_file_path, restored)
                    if len(restored):
                        parts.append(restored)
            except NothingMetError as error:
                unmet = unmet or error
        if unmet is not None and not parts:
            raise ValueError(str(unmet)) from None  # the class that SDV raises
        if not parts:
            return table.form.empty()
        found = pd.concat(parts)
        # The same labels, with what pandas knows of their order, such as the steps of dates.
        same = found.index.equals(conditions.index)
        return found.set_axis(conditions.index) if same else found

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

    @property
    def _table(self) -> FittedTable:
        assert self._fitted_table is not None, 'a table was seen'
        return self._fitted_table
