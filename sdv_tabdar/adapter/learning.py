"""How a table comes in: from a user's call to what SDV validates, transforms and learns.

SDV's public methods call each other with tables in plain form (``PlainTables``). What a user gives
is put into it here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import NotFittedError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.advice import advice
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import untouched_random_states
from sdv_tabdar.adapter.going_on import with_room
from sdv_tabdar.adapter.hooks import SDVHooks
from sdv_tabdar.adapter.one_at_a_time import one_at_a_time
from sdv_tabdar.adapter.parameters import check_metadata, check_parameters, check_training
from sdv_tabdar.adapter.processed import check_processed
from sdv_tabdar.adapter.related_orders import related_orders
from sdv_tabdar.adapter.sdtypes import sdtypes_named
from sdv_tabdar.adapter.sources import Source, source_of
from sdv_tabdar.adapter.streamed import Streamed, scratch
from sdv_tabdar.adapter.table_format import unique_names
from sdv_tabdar.adapter.tables import (
    PlainTables,
    check_finite,
    check_no_containers,
    plain_tables,
    quiet_about_plain_dates,
    single_table,
)
from sdv_tabdar.core.training.history import Callback

_logger = logging.getLogger(__name__)

# Arguments of the constructor that SDV's has, too.
_OF_SDV = ('metadata', 'enforce_min_max_values', 'enforce_rounding', 'locales')
_ADVICE = 'The table can be learnt as it is, but you may want to know:'


class Learning(SDVHooks):
    """A synthesizer that takes tables in the user's form.

    Attributes:
        _gives_frames: Whether results are bare frames, as what ``fit`` was given.
        _advised: Digests of what was said of training tables, which may quote them.
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
            InvalidMetadataError: If SDV does not take the metadata.
        """
        given = {
            name: value for name, value in parameters.items() if name not in ('self', '__class__')
        }
        check_metadata(given['metadata'])
        with sdtypes_named(given['metadata']):
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
        before = private_names.limits_kept(self) if goes_on else {}
        try:
            yield
            private_names.widen_limits(self, before)  # else what is there now would be cut to them
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
        self._leave_related(plain)
        before = self._fitted_table or FittedTable(self, plain.form)
        self._fitted_table = dataclasses.replace(before, form=plain.form)
        self._gives_frames = isinstance(data, pd.DataFrame)
        return plain

    def _leave_related(self, plain: PlainTables, *, is_protected: bool = False) -> None:
        """Learn columns in order as they are, if they stand in relations that constraints hide.

        Columns that have transformers stay what they are.

        Args:
            plain: The training table.
            is_protected: Whether values will be taken out of it.
        """
        if private_names.outputs(self):
            return
        table, (model, *_) = plain[private_names.table_name(self)], self._configs()
        found = related_orders(self, table, plain.form, model, is_protected=is_protected)
        for constraint in found:
            if private_names.leave_columns(self, constraint):
                _logger.info(
                    'Columns %s are learnt as they are, in their order, since they stand in other '
                    'relations.',
                    list(private_names.ordered_names(constraint)),
                )

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
        model, *_ = self._configs()
        if 'dependencies' in model.kept_relations and self._streamed is None:
            self._fitted_table = self._table.with_compositions(table)
            for one in self._table.compositions:
                _logger.info(
                    f"'{one.key}' is {one.written()} in all rows, and will be in drawn ones."
                )
        self._advise(table, stacklevel + 1)
        return processed

    def _advise(self, plain: pd.DataFrame, stacklevel: int) -> None:
        """Say what a user would want to know of the training table, unless it was said before."""
        model, *_ = self._configs()
        found = advice(
            plain,
            self._table.profiles,
            private_names.constrained_columns(self),
            kept=model.kept_relations,
            plain_ids=private_names.plain_ids(self),
            summed=private_names.unchanged_numbers(self) if 'sums' in model.kept_relations else (),
        )
        told = {*self._advised}  # of models of former versions the lines themselves
        lines = [line for line in found if not {line, _digest(line)} & told]
        self._advised = (*self._advised, *map(_digest, lines))
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
        check_no_containers(table, original.columns)
        entries = plain.form.plain_entries(original.columns)
        try:
            with (
                quiet_about_plain_dates(plain.form),
                private_names.described(self, entries),
                private_names.quick_dates(),
            ):
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
            InvalidDataError: If rows could not be turned back from it.
        """
        if not private_names.is_preprocessed(self):
            raise NotFittedError(
                "There is nothing to turn synthetic rows back with. Call 'preprocess' on this "
                "synthesizer before 'fit_processed_data', or 'fit' alone."
            )
        name = private_names.table_name(self)
        frame = single_table(processed_data, name)
        check_processed(frame, private_names.outputs(self))
        self._gives_frames = isinstance(processed_data, pd.DataFrame)
        private_names.forget_sampling_state(self)
        return PlainTables({name: frame})

    def _table_in(self, data: Any) -> pd.DataFrame:
        """The one table of a frame or a dictionary."""
        frame = single_table(data, private_names.table_name(self))
        unique_names(frame)
        return frame

    def _like(self, data: Any, rows: pd.DataFrame) -> Any:
        """A frame if ``data`` is one, else a dictionary as ``data`` is."""
        return rows if isinstance(data, pd.DataFrame) else {private_names.table_name(self): rows}


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()
