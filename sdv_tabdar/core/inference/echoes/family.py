"""Columns of one source: which of their known numbers follow from which number of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.echoes.cells import Rows


@dataclasses.dataclass(frozen=True)
class Family:
    """A hidden source and the known numbers of the columns that may follow from it, in N rows.

    Attributes:
        source: The source's position.
        echoes: The E columns.
        own: ``(N, E)``, their numbers; NaN for those that are not read.
    """

    source: int
    echoes: Sequence[Echo]
    own: Floats

    def rows(self, index: Rows) -> Family:
        """The same in some of the rows."""
        return dataclasses.replace(self, own=self.own[index])

    def told(self) -> Floats:
        """The numbers ``(N, E)`` that the source has if a column follows from it; NaN for none."""
        told = [echo.line.back(self.own[:, place]) for place, echo in enumerate(self.echoes)]
        return np.stack(told, axis=1)

    def distinct(self, told: Floats) -> Floats:
        """What is :meth:`told`, each number once; NaN where no number leads to the column's."""
        found = told.copy()
        for place, echo in enumerate(self.echoes):
            own, line = self.own[:, place], echo.line
            found[~line.holds(own, told[:, place]), place] = np.nan
            for earlier in range(place):
                found[line.holds(own, told[:, earlier]), place] = np.nan
        return found

    def follows(self, values: Floats) -> Marks:
        """Which numbers ``(N, E)`` follow from the source's ``(N,)``; none where that is NaN."""
        marks = [
            echo.line.holds(self.own[:, place], values) for place, echo in enumerate(self.echoes)
        ]
        return np.stack(marks, axis=1)

    def log_stretches(self, values: Floats) -> Floats:
        """Log of dy / dx ``(N,)`` for the first column that follows from the source's number.

        0 where none does.
        """
        follows, found = self.follows(values), np.zeros(len(values))
        for place, echo in reversed(list(enumerate(self.echoes))):
            found[follows[:, place]] = echo.line.log_stretch
        return found
