"""Rows with all their cells, as they leave :mod:`.answers`."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Codes, frame_of


@dataclasses.dataclass(frozen=True)
class CompletedRows:
    """What ``Answers.complete`` returns.

    Attributes:
        rows: The completed rows.
        effective_sample_size: For each row with several restricted cells, how many independent
            draws its particles were worth; NaN for the other rows, which are exact.
        retold: ``(B, C)``, levels that were drawn otherwise than numbers then told them.
    """

    rows: pd.DataFrame
    effective_sample_size: npt.NDArray[np.float32]
    retold: Marks

    def replaced(self, rows: Codes, others: CompletedRows, chosen: Codes) -> CompletedRows:
        """The same with N of other rows in place of N of these."""
        columns = {name: self.rows[name].to_numpy(copy=True) for name in self.rows}
        for name, cells in columns.items():
            cells[rows] = others.rows[name].to_numpy()[chosen]
        sizes = self.effective_sample_size.copy()
        sizes[rows] = others.effective_sample_size[chosen]
        retold = self.retold.copy()
        retold[rows] = others.retold[chosen]
        return CompletedRows(frame_of(columns, len(self.rows)), sizes, retold)
