"""From known cells to finished rows: drawn, and drawn again as long as some are not met."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.averages import averaged_rows
from sdv_tabdar.adapter.candidates import Candidates, needs_draws
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.lower_ends import LEAST_CANDIDATES
from sdv_tabdar.adapter.room import rows_without_room
from sdv_tabdar.adapter.unmet import why_unmet

_TRIED_ROWS = 4096  # candidates drawn together for rows that are hard to meet
_FRUITLESS_ROWS = 4096  # candidates of which none was met, after which trying ends ...
_USUAL_TRIES = 100  # ... unless more tries than these are asked for
_FILLED_ROWS = 512  # the same for gaps, where known cells may rule out every candidate


class NothingMetError(ValueError):
    """No draw has met what was asked."""


class Completer:
    """Completes rows of one fitted synthesizer.

    Args:
        table: The fitted table.
    """

    def __init__(self, table: FittedTable) -> None:
        self.table = table
        self.candidates = Candidates(table)

    def chunks(
        self,
        known: Known,
        *,
        max_tries: int,
        batch_size: int | None = None,
        fill: bool = False,
        progress: Callable[[int], Any] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Finished rows, a chunk at a time.

        Args:
            known: What is known of each row.
            max_tries: How often to draw for rows that have not been met.
            batch_size: Rows of a chunk; None for all at once.
            fill: Whether cells that are not known must get a value. Known cells that the model
                cannot be told of are then written back without drawing for them.
            progress: Called with the number of rows that were finished.

        Yields:
            Rows in plain form, each under its position in ``known``; rows that could not be met
            are left out.

        Raises:
            ValueError: If the model cannot meet a condition, or no row could be met; it then says
                how often each condition and constraint was met.
            SamplingError: If torch lacks an operation on this device.
        """
        num_rows = len(known.cells)
        size = batch_size or max(num_rows, 1)
        num_met = 0
        for start in range(0, num_rows, size):
            positions = np.arange(start, min(start + size, num_rows))
            chunk = known.rows(positions)
            rows = self._met_rows(chunk, max_tries=max_tries, fill=fill, progress=progress)
            rows = _under(positions, rows)
            num_met += len(rows)
            yield rows
        if num_rows and not num_met and not fill:
            raise NothingMetError(why_unmet(self.candidates, known, max_tries))

    def expected_rows(self, known: Known, num_samples: int, max_tries: int) -> pd.DataFrame:
        """Rows whose unknown cells are the mean or the vote of draws.

        The mean is taken of numbers and dates as the model has them, so that what constraints
        and rounding make of it is taken of the mean. Rows of which the average breaks a
        constraint are drawn instead.

        Args:
            known: What is known of each row.
            num_samples: Draws for each row.
            max_tries: How often to draw for rows that break a constraint.

        Returns:
            Rows in plain form under their positions; rows that could not be met are left out.
        """
        if self.table.model is None:
            return self._met_rows(known, max_tries=max_tries, fill=True, progress=None)
        averaged = averaged_rows(self.candidates, known, num_samples)
        finished = self.candidates.finished(averaged, known, fill=True)
        left = np.setdiff1d(np.arange(len(known.cells)), finished.index.to_numpy())
        if not len(left):
            return finished
        again = self._met_rows(known.rows(left), max_tries=max_tries, fill=True, progress=None)
        again = _under(left, again)
        parts = [part for part in (finished, again) if len(part)]
        return pd.concat(parts).sort_index() if parts else finished

    def drawn_rows(self, known: Known, num_draws: int, max_tries: int) -> list[pd.DataFrame]:
        """``num_draws`` completions of the same rows, drawn together; as :meth:`expected_rows`."""
        num_rows = len(known.cells)
        every = np.tile(np.arange(num_rows), num_draws)
        rows = self._met_rows(known.rows(every), max_tries=max_tries, fill=True, progress=None)
        numbers = rows.index.to_numpy()
        parts = []
        for draw in range(num_draws):
            part = rows[numbers // max(num_rows, 1) == draw]
            part.index = pd.Index(part.index.to_numpy() % max(num_rows, 1))
            parts.append(part)
        return parts

    def _met_rows(
        self,
        known: Known,
        *,
        max_tries: int,
        fill: bool,
        progress: Callable[[int], Any] | None,
    ) -> pd.DataFrame:
        """Finished rows under their positions, drawn again as long as some are not met."""
        todo = np.arange(len(known.cells))
        met: list[pd.DataFrame] = []

        def note(rows: pd.DataFrame) -> None:
            met.append(rows)
            if progress is not None and len(rows):
                progress(len(rows))

        fruitless, most_fruitless = 0, _FRUITLESS_ROWS * max(max_tries / _USUAL_TRIES, 1)
        if needs_draws(self.table, known).any():  # several draws for each candidate
            most_fruitless /= LEAST_CANDIDATES
        for attempt in range(max(max_tries, 1)):
            most = _FILLED_ROWS if fill else _TRIED_ROWS
            left = math.ceil((most_fruitless - fruitless) / len(todo))
            copies = 1 if attempt == 0 else max(1, min(most // len(todo), 10**attempt, left))
            candidates = np.repeat(todo, copies)
            rows = self.candidates.draw(known.rows(candidates), fill=fill)
            rows = _under(candidates, rows)
            rows = rows[~rows.index.duplicated()]
            note(rows)
            todo = np.setdiff1d(todo, rows.index.to_numpy())
            if attempt == 0 and len(todo):
                draft = Draft(self.table, known.rows(todo), fill=fill)
                todo = todo[~rows_without_room(draft)]
            fruitless = 0 if len(rows) else fruitless + len(candidates)
            if not len(todo) or fruitless >= most_fruitless:
                break
        if len(todo) and private_names.orders(self.table.host):
            note(_under(todo, self.candidates.steered(known.rows(todo), fill=fill)))
        parts = [rows for rows in met if len(rows)] or met[:1]
        return pd.concat(parts).sort_index() if len(parts) > 1 else parts[0]


def _under(positions: npt.NDArray[np.int64], rows: pd.DataFrame) -> pd.DataFrame:
    """Rows that are under their places in ``positions``, under these."""
    rows.index = pd.Index(positions[rows.index.to_numpy()])
    return rows
