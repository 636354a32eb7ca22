"""The same answers where columns are clock times: asked, and told, as hhmm."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.clock_times import ClockTimes
from sdv_tabdar.core.inference.answers import Answers
from sdv_tabdar.core.inference.completed_rows import CompletedRows
from sdv_tabdar.core.inference.frames import known_cells, write_back
from sdv_tabdar.core.inference.scoring import Floats, Marks, Progress
from sdv_tabdar.core.restrictions import Restriction


@dataclasses.dataclass(frozen=True)
class Clocked(Answers):
    """Answers of a network that has learnt minutes, about frames of clock times.

    Attributes:
        clock_times: The columns that hold them.
    """

    clock_times: ClockTimes

    def complete(
        self,
        frame: pd.DataFrame,
        observed: Marks | None,
        restrictions: Mapping[str, Sequence[Restriction | None]],
        *,
        num_copies: int,
        progress: Progress | None,
    ) -> CompletedRows:
        """The rows with all their cells; what was given comes back, clock time or not."""
        known = known_cells(frame, observed, restrictions)
        found = super().complete(
            self.clock_times.in_minutes(frame, known),
            observed,
            self.clock_times.restricted(restrictions),
            num_copies=num_copies,
            progress=progress,
        )
        rows = self.clock_times.written(found.rows)
        own = [name in self.clock_times.names for name in frame.columns]
        write_back(rows, frame.loc[:, own], known[:, own])
        return dataclasses.replace(found, rows=rows)

    def must_be_missing(self, frame: pd.DataFrame, observed: Marks | None) -> Marks:
        """As in :class:`Answers`."""
        return super().must_be_missing(self._in_minutes(frame, observed), observed)

    def followed(self, frame: pd.DataFrame, free: Marks) -> pd.DataFrame:
        """As in :class:`Answers`."""
        rows = super().followed(self.clock_times.in_minutes(frame), free)
        return self.clock_times.written(rows)

    def predict_proba(
        self, frame: pd.DataFrame, observed: Marks | None, column: str
    ) -> pd.DataFrame:
        """As in :class:`Answers`."""
        return super().predict_proba(self._in_minutes(frame, observed), observed, column)

    def predict_quantiles(
        self, frame: pd.DataFrame, observed: Marks | None, column: str, quantiles: Sequence[float]
    ) -> pd.DataFrame:
        """As in :class:`Answers`."""
        asked = self._in_minutes(frame, observed)
        found = super().predict_quantiles(asked, observed, column, quantiles)
        return found.apply(lambda minutes: self.clock_times.clocks(column, minutes))

    def log_likelihood(
        self,
        frame: pd.DataFrame,
        observed: Marks | None,
        *,
        num_orders: int,
        by_column: bool,
        steps: Mapping[str, float],
        progress: Progress | None,
    ) -> Floats:
        """As in :class:`Answers`; what is no clock time has none."""
        known = known_cells(frame, observed, {})
        found = super().log_likelihood(
            self.clock_times.in_minutes(frame, known),
            observed,
            num_orders=num_orders,
            by_column=by_column,
            steps=steps,
            progress=progress,
        )
        strange = self.encoder.by_position(frame, self.clock_times.strange(frame, known))
        found[strange if by_column else strange.any(axis=1)] = -np.inf
        return found

    def log_density(self, frame: pd.DataFrame, observed: Marks | None, column: str) -> Floats:
        """As in :class:`Answers`; what is no clock time has none."""
        known = known_cells(frame, observed, {})
        found = super().log_density(self.clock_times.in_minutes(frame, known), observed, column)
        strange = self.clock_times.strange(frame, known)[:, frame.columns.get_loc(column)]
        return np.where(strange, -np.inf, found)

    def _in_minutes(self, frame: pd.DataFrame, observed: Marks | None) -> pd.DataFrame:
        return self.clock_times.in_minutes(frame, known_cells(frame, observed, {}))
