"""The second pass over a table that is not in memory: every row, as the model is to learn it."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tqdm
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.batches import Keys, plain_batch, processed_batch
from sdv_tabdar.adapter.presences import with_presences
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.sources import Source
from sdv_tabdar.adapter.survey import Summary, Survey
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.core.codecs.stored import StoredTable, bytes_needed

_GIB = 2**30
_KEY_BYTES = 8

_logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Streamed:
    """A table that is not in memory, after the first pass.

    Attributes:
        source: Where its rows come from.
        summary: What the first pass has found.
        scratch_folder: Where the second pass writes.
        verbose: Whether to show progress bars.
    """

    source: Source
    summary: Summary
    scratch_folder: Path
    verbose: bool = False

    @classmethod
    def surveyed(
        cls, synth: Any, source: Source, scratch_folder: Path, *, verbose: bool
    ) -> Streamed:
        """Go through a table for the first time.

        Raises:
            InvalidDataError: If it has no rows, cannot be read or has too many levels.
        """
        name = private_names.table_name(synth)
        survey = Survey(
            name,
            private_names.original_table(synth).columns,
            private_names.fixed_combinations(synth),
            private_names.mapped_columns(synth),
        )
        with _timed(source, 'First'), _bar('First pass', None, verbose) as bar:
            for batch in source.batches():
                survey.add(batch)
                bar.update(len(batch))
        return cls(source, survey.summary(), scratch_folder, verbose)

    @contextlib.contextmanager
    def stored(
        self, synth: Any, form: TableFormat, processed: ProcessedFormat
    ) -> Iterator[StoredTable]:
        """Go through the table for the second time: check its rows, and keep them in files.

        Args:
            synth: The synthesizer; its constraints and transformers are fitted to the summary.
            form: The form of the user's table.
            processed: That of the table of the model.

        Raises:
            InvalidDataError: If rows do not match the metadata, or are not those of the first pass.
            ConstraintNotMetError: If rows break a constraint; it names them.
            SynthesizerInputError: If there is not enough room on the disk.
        """
        keys = private_names.unique_columns(synth)
        self._check_room(processed, len(keys))
        with StoredTable(self.scratch_folder, processed.kinds) as table:
            self._store(synth, form, processed, table, keys)
            if len(table) != self.summary.num_rows:
                raise InvalidDataError(
                    [
                        f'{self.source.name[0].upper()}{self.source.name[1:]} had '
                        f'{self.summary.num_rows:,} rows when it was read for the first time, and '
                        f'{len(table):,} the second time. It must not change while it is learnt.'
                    ]
                )
            _learn_limits(synth, table)
            yield table

    def _store(
        self,
        synth: Any,
        form: TableFormat,
        processed: ProcessedFormat,
        table: StoredTable,
        keys: list[list[str]],
    ) -> None:
        """Check and keep all rows."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(_timed(self.source, 'Second'))
            bar = stack.enter_context(_bar('Second pass', self.summary.num_rows, self.verbose))
            seen = [stack.enter_context(Keys(names, self.scratch_folder)) for names in keys]
            for batch in self.source.batches():
                plain = plain_batch(synth, form, self.summary.typed(batch))
                for key in seen:
                    key.add(plain)
                rows = processed_batch(synth, form, plain)
                rows = with_presences(rows, plain, processed.presences)
                table.append(processed.to_model(rows[list(processed.kinds)]))
                bar.update(len(batch))
            errors = [
                f'The key {key.columns} has values that several rows share. Leave these rows out, '
                'or describe the column as one that is no key.'
                for key in seen
                if key.repeated()
            ]
        if errors:
            raise InvalidDataError(errors)

    def _check_room(self, processed: ProcessedFormat, num_keys: int) -> None:
        needed = bytes_needed(self.summary.num_rows, processed.kinds)
        needed += num_keys * _KEY_BYTES * self.summary.num_rows
        free = shutil.disk_usage(self.scratch_folder).free
        text = f'{needed / _GIB:.1f} GiB for {self.summary.num_rows:,} rows'
        _logger.info("The folder '%s' is to hold %s.", self.scratch_folder, text)
        if needed > free:
            raise SynthesizerInputError(
                f"The folder '{self.scratch_folder}' has {free / _GIB:.1f} GiB free, but while "
                f'this table is learnt it must hold {text}. Give another folder as '
                'scratch_folder, or make room.'
            )


def scratch(folder: Any) -> Path:
    """The folder for files of one call: as given, or the system's.

    Raises:
        SynthesizerInputError: If it is no folder.
    """
    path = Path(tempfile.gettempdir() if folder is None else str(folder))
    if not path.is_dir():
        raise SynthesizerInputError(
            f"Parameter 'scratch_folder' must be a folder that exists, however: '{path}'. Make "
            'it first, or leave it out.'
        )
    return path


def _learn_limits(synth: Any, table: StoredTable) -> None:
    """Let transformers know the ends of columns that constraints have made, of all rows."""
    own = private_names.original_table(synth).columns
    made = {name: table.limits(name) for name in table.numbers if name not in own}
    private_names.set_limits(synth, made)


@contextlib.contextmanager
def _timed(source: Source, which: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    _logger.info('%s pass over %s: %.1f seconds.', which, source.name, seconds)


def _bar(what: str, total: int | None, verbose: bool) -> Any:
    return tqdm.tqdm(desc=what, total=total, unit=' rows', disable=not verbose)
