"""Questions about frames: encoded for the network, asked, and written in the frame's values again.

What each answer means is said in :class:`~sdv_tabdar.core.model.TabDAR`, whose methods have the
same names.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.inference.aggregates import Aggregating
from sdv_tabdar.core.inference.arithmetic import Arithmetic
from sdv_tabdar.core.inference.bands import lead_into_ranges
from sdv_tabdar.core.inference.broken import num_broken, out_of_order
from sdv_tabdar.core.inference.calendars import Calendars
from sdv_tabdar.core.inference.choices import Choosing
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.inference.completed_rows import CompletedRows
from sdv_tabdar.core.inference.consequences import Consequences
from sdv_tabdar.core.inference.dependencies import Following, followed
from sdv_tabdar.core.inference.echoes.reader import EchoReader
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.inference.frames import (
    known_cells,
    without,
    write_back,
)
from sdv_tabdar.core.inference.inequalities import Ordering
from sdv_tabdar.core.inference.most_rows import MostRows, drawn_to_hold, likely_to_hold
from sdv_tabdar.core.inference.order import check_all_before, check_leading
from sdv_tabdar.core.inference.particles import restricted_cells
from sdv_tabdar.core.inference.predict import (
    level_probabilities,
    quantiles_of,
)
from sdv_tabdar.core.inference.products import Multiplying
from sdv_tabdar.core.inference.scoring import Floats, Marks, Progress, Scoring
from sdv_tabdar.core.inference.sums import Adding
from sdv_tabdar.core.inference.told_levels import ToldLevels, held_together
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.random import uniform_numbers

_TRIES = 2, 16  # draws, at least and at most, of a row that broke what holds in all training rows
_TOGETHER = 1024  # of such draws are made beside what was asked for, as far as there may be so many


@dataclasses.dataclass(frozen=True)
class Answers(Scoring):
    """What a trained network answers about the rows of frames."""

    def complete(
        self,
        frame: pd.DataFrame,
        observed: Marks | None,
        restrictions: Mapping[str, Sequence[Restriction | None]],
        *,
        num_copies: int,
        progress: Progress | None,
    ) -> CompletedRows:
        """The rows with all their cells, see ``TabDAR.complete``.

        Where numbers told a level otherwise than it had been drawn, the rest is drawn beside it
        again, and so is what numbers that add up or multiply have left out of order. In place of
        rows in which what was given, or asked for, and what was drawn beside it do not go together,
        several are drawn again, and the first one is taken that breaks least.
        """
        known = known_cells(frame, observed, restrictions)
        given = self.encoder.by_position(frame, known)
        if not self.network.fixed_order:  # which has to know the first columns, and no others
            says = Consequences.of(self.encoder, frame, known, restrictions)
            frame, restrictions = says.whole, says.narrowed()
            known = says.marks(frame)
        found = self._completed(frame, known, restrictions, num_copies, progress)
        if not self.network.fixed_order:
            told = self.encoder.by_position(frame, known)
            found = self._beside_retold(found, told, restrictions)
            found = self._back_in_order(found, told, restrictions)
        broken = num_broken(self.encoder, found.rows, given, restrictions)
        rows = np.flatnonzero(broken)
        if not len(rows):
            return found
        is_free = not (given.any() or restrictions)
        tries = _TRIES[0] if is_free else int(np.clip(_TOGETHER // len(rows), *_TRIES))
        copies = np.repeat(rows, tries)
        asked = {
            name: [entries[row] for row in copies.tolist()]
            for name, entries in restrictions.items()
        }
        again = self._completed(frame.iloc[copies], known[copies], asked, 1, None)
        if not self.network.fixed_order:
            marks = self.encoder.by_position(frame.iloc[copies], known[copies])
            again = self._back_in_order(again, marks, asked)
        left = num_broken(self.encoder, again.rows, given[copies], asked).reshape(-1, tries)
        best, is_better = left.argmin(axis=1), left.min(axis=1) < broken[rows]
        chosen = (np.arange(len(rows)) * tries + best)[is_better]
        return found.replaced(rows[is_better], again, chosen)

    def _beside_retold(
        self,
        found: CompletedRows,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> CompletedRows:
        """Rows with cells ``(B, C)`` that were known, the others drawn beside levels as told."""
        rows, schema = np.flatnonzero(found.retold.any(axis=1)), self.encoder.schema
        kept = held_together(self.encoder, np.flatnonzero(found.retold.any(axis=0)).tolist())
        if not len(rows) or len(kept) == len(schema.names):
            return found
        known = known[rows]
        known[:, [*kept]] = True
        asked = {
            name: [entries[row] for row in rows.tolist()]
            for name, entries in restrictions.items()
            if schema.position(name) not in kept
        }
        frame = found.rows[list(schema.names)].iloc[rows]
        again = self._completed(frame, known, asked, 1, None)
        return found.replaced(rows, again, np.arange(len(rows)))

    def _back_in_order(
        self,
        found: CompletedRows,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> CompletedRows:
        """Rows with cells ``(B, C)`` that were known, others drawn again that are out of order."""
        cells = out_of_order(self.encoder, found.rows, known)
        rows, names = np.flatnonzero(cells.any(axis=1)), list(self.encoder.schema.names)
        if not len(rows):
            return found
        cells = cells[rows]
        asked = {
            name: [
                entries[row] if is_free else None
                for row, is_free in zip(rows.tolist(), cells[:, names.index(name)], strict=True)
            ]
            for name, entries in restrictions.items()
            if cells[:, names.index(name)].any()
        }
        again = self._completed(found.rows[names].iloc[rows], ~cells, asked, 1, None)
        return found.replaced(rows, again, np.arange(len(rows)))

    def _completed(
        self,
        frame: pd.DataFrame,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
        num_copies: int,
        progress: Progress | None,
    ) -> CompletedRows:
        """The rows with all their cells, beside known ones ``(B, len(frame.columns))``."""
        reader = EchoReader(self.encoder, self.network, self.config, self._uniforms)
        read = reader.read(frame, known, restrictions)
        table, pieces = read.table, read.pieces
        if self.network.fixed_order:
            # a single particle weighs nothing that comes before a restricted cell
            weighed = pieces if self.config.num_particles > 1 else {}
            restricted = restricted_cells(table.observed.shape, weighed)
            check_leading(self.encoder.schema.names, table.observed, restricted)
        completion = complete(
            self.network,
            table,
            config=self.config,
            generator=self.generator,
            restrictions=pieces,
            num_copies=1 if read.is_changed else num_copies,  # copies are no longer the same
            progress=progress,
        )
        asked = (self.encoder, self.network, self.config, self.generator, read)
        following = Following(*asked)
        drawn = following.followed(reader.mended(read, completion.table))
        held = following.columns & {at for pair in self.encoder.inequalities for at in pair}
        settled = Ordering(*asked, drawn, held).ordered() if held else drawn  # beside these first
        ordering = Ordering(*asked, settled)
        completed = following.followed_since(drawn, ordering.ordered())
        filled = self.encoder.decode(completed, generator=self.generator)
        self.encoder.enforce(filled, read.restrictions, generator=self.generator)
        write_back(filled, frame, known)
        given = self.encoder.by_position(frame, known)
        levels = ToldLevels(self.encoder, given, read.restrictions)
        led = Calendars(levels).lead(filled) | lead_into_ranges(levels, filled)
        ordering.clip(filled)
        told = given | read.told | following.told(completed) | led
        agrees = functools.partial(following.agree, completed)
        holds = drawn_to_hold(self.encoder, filled, self._uniforms)
        arithmetic = MostRows(
            self.encoder,
            holds,
            lambda encoder: Arithmetic(
                Multiplying(encoder, given, told, read.restrictions, agrees),
                Adding.of(encoder, given, told, read, completed),
                Aggregating(encoder, given, told, read.restrictions),
                Choosing(encoder, given, told, read.restrictions),
            ),
        )
        arithmetic.settle(filled)
        reader.join(filled, completed, given)
        arithmetic.settle(filled)  # where what follows from another number had not
        if following.follow_again(completed, filled):
            told[:, [*following.columns]] = True
            arithmetic.settle(filled)
        retold = levels.tell(filled)
        return CompletedRows(filled, completion.effective_sample_size.numpy(), retold)

    def must_be_missing(self, frame: pd.DataFrame, observed: Marks | None) -> Marks:
        """Which hidden cells cannot but be missing, see ``TabDAR.must_be_missing``."""
        table = self.encoder.encode(frame, known_cells(frame, observed, {}))
        found = np.zeros(table.codes.shape, dtype=bool)
        for position, column in enumerate(self.encoder.schema.columns):
            left = self.network.possible.beside(position, table.codes, table.observed, slice(None))
            if column.missing is not None and left is not None:
                is_only = left[:, column.missing] & (left.sum(dim=1) == 1)
                found[:, position] = (is_only & ~table.observed[:, position]).numpy()
        return found

    def followed(self, frame: pd.DataFrame, free: Marks) -> pd.DataFrame:
        """Averaged rows whose levels follow from each other, see ``TabDAR.followed``."""
        rows = followed(self.encoder, frame, free)
        levels = ToldLevels(self.encoder, ~free, {})
        led = Calendars(levels).lead(rows) | lead_into_ranges(levels, rows)
        if self._settle_votes(rows, free, led):
            rows = followed(self.encoder, rows, free)
        if self.encoder.mostly:  # of a mean the most likely
            MostRows(
                self.encoder,
                likely_to_hold(self.encoder, rows),
                lambda encoder: Arithmetic.of_finished(encoder, ~free, ~free | led, {}),
            ).settle(rows)
        levels.tell(rows)
        return rows

    def _settle_votes(self, rows: pd.DataFrame, free: Marks, led: Marks) -> bool:
        """Make averaged rows hold where numbers were voted for, or led; whether there are such.

        What is made of a date with a month of its own, and whole years, are made of other means.
        """
        encoder, told = self.encoder, ~free | led
        voted = {at for one in encoder.told_by_numbers for at in one.sources}
        voted |= encoder.relations.times_between
        made = {at for one in encoder.multiplied for at in one.columns}
        if not led.any() and not voted & made.union(*(one.columns for one in encoder.aggregates)):
            return False
        for rate in encoder.rates:  # of a mean of levels there is none
            codec, name = encoder.codecs[rate.level], encoder.schema.names[rate.level]
            if isinstance(codec, NumericalCodec):
                rows[name] = np.where(
                    free[:, rate.level], codec.contained(rows[name].to_numpy()), rows[name]
                )
        Arithmetic.of_finished(encoder, ~free, told, {}).settle(rows)
        return True

    def predict_proba(
        self, frame: pd.DataFrame, observed: Marks | None, column: str
    ) -> pd.DataFrame:
        """Probabilities of the levels of a column, see ``TabDAR.predict_proba``."""
        levels = pd.Index(self.encoder.codec(column).levels, dtype=object, tupleize_cols=False)
        says, read, position = self._others(frame, observed, column)
        found = level_probabilities(self.encoder, self.network, read.table, position, self.config)
        left = says.left(position) * found
        some = left.sum(axis=1) > 0
        found[some] = left[some] / left[some].sum(axis=1, keepdims=True)
        is_said, cells = says.said(position)
        for row in np.flatnonzero(is_said).tolist():
            found[row] = [level is cells[row] or level == cells[row] for level in levels]
        return pd.DataFrame(found, index=frame.index, columns=levels)

    def predict_quantiles(
        self, frame: pd.DataFrame, observed: Marks | None, column: str, quantiles: Sequence[float]
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers, see ``TabDAR.predict_quantiles``."""
        _ = self.encoder.codec(column).limits  # an error if the values are no numbers
        outside = [level for level in quantiles if not 0 <= level <= 1]
        if outside:
            raise ValueError(f'quantiles must lie in [0, 1], however: {outside}.')
        says, read, position = self._others(frame, observed, column)
        found = self._quantiles(read, position, np.array(quantiles, dtype=np.float64))
        is_said, cells = says.said(position)
        found[is_said] = cells[is_said, None]
        return pd.DataFrame(found, index=frame.index, columns=list(quantiles))

    def _quantiles(self, read: ReadRows, position: int, shares: Floats) -> Floats:
        """Quantiles ``(B, len(shares))`` of a column of read rows; NaN if it has no numbers."""
        if np.isnan(self.encoder.codecs[position].limits[0]):
            return np.full((len(read.numbers), len(shares)), np.nan)
        echoed = self._echoed(read, position)
        found = quantiles_of(
            self.encoder, self.network, read.table, position, shares, self.config, echoed
        )
        for echo in self.encoder.echoes:
            if echo.always and echo.position == position:  # it has no numbers of its own
                is_rising = echo.line.slope > 0
                own = self._quantiles(read, echo.source, shares if is_rising else 1 - shares)
                found = np.where(np.isnan(own), found, echo.line.of(own))
        is_told = read.table.observed[:, position].numpy()
        found[is_told] = read.numbers[is_told, position, None]
        return found

    def _others(
        self, frame: pd.DataFrame, observed: Marks | None, column: str
    ) -> tuple[Consequences, ReadRows, int]:
        """What the other columns of a frame say, these, and the position of the predicted one."""
        position = self.encoder.schema.position(column)
        others, known = without(frame, observed, column)
        nothing = np.zeros_like(known)
        is_fixed = self.network.fixed_order
        says = Consequences.of(self.encoder, others, nothing if is_fixed else known, {}, position)
        if not is_fixed:
            whole = says.whole
            others, known = without(whole, says.marks(whole), column)
        read = EchoReader(self.encoder, self.network, self.config).read(others, known, {})
        if self.network.fixed_order:
            check_all_before(self.encoder.schema.names, read.table.observed, position)
        return says, read, position

    def _uniforms(self, count: int) -> Floats:
        return uniform_numbers(count, generator=self.generator)

    def _echoed(self, read: ReadRows, position: int) -> Floats | None:
        """The numbers ``(B,)`` that an echo of a column stands for, NaN where it cannot."""
        low, high = self.encoder.codecs[position].limits
        for echo in self.encoder.echoes:
            if echo.position == position:
                numbers = echo.line.of(read.numbers[:, echo.source])
                return np.where((numbers >= low) & (numbers <= high), numbers, np.nan)
        return None
