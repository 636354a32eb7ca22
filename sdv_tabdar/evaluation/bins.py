"""Numbers cut into bins of equal width, also where floats lie no denser than the edges would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Bins:
    """Edges of bins of equal width over the range of a column.

    Attributes:
        edges: Float64 (bins + 1,), ascending, of shifted and scaled numbers.
        low: What is subtracted from a number before it is compared with the edges.
        width: What it is divided by then.
    """

    edges: np.ndarray
    low: float = 0.0
    width: float = 1.0

    @classmethod
    def over(cls, values: pd.Series, count: int = 10) -> Bins:
        """The bins of NumPy, over [0, 1] where nothing is present.

        Around 1e18, as dates are in nanoseconds, floats are 128 apart. Edges closer than that are
        not to be had, not even those around a constant, so that such a column is first moved to 0
        and brought to a width of 1.

        Args:
            values: Numbers (rows,), NaN where missing.
            count: How many bins.
        """
        known = values.dropna().to_numpy(dtype=np.float64)
        try:
            return cls(np.histogram_bin_edges(known, count))
        except ValueError:
            low = float(known.min())
            width = float(known.max()) - low or 1.0
            return cls(np.histogram_bin_edges((known - low) / width, count), low, width)

    def place(self, values: pd.Series) -> pd.Series:
        """Numbers as they are to be compared with the edges."""
        return (values - self.low) / self.width

    def codes(self, values: pd.Series) -> np.ndarray:
        """The bin of each number (rows,): 0 below the first edge, `count + 1` from the last on.

        A missing number falls behind the last edge, as in SDMetrics.
        """
        return np.digitize(self.place(values), self.edges)
