"""How many rows show that a relation between columns holds, and not by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

FEWEST_ROWS = 20
"""Rows with all cells of a relation that show it, where each of them would break it if a part were
that of another row; fewer are as they are by chance."""


def varies(values: npt.NDArray[Any]) -> bool:
    """Whether enough values ``(rows,)``, but for gaps, are others than those of another row."""
    present = values[~pd.isna(values)]
    others = np.roll(present, len(present) // 2)
    return int((present != others).sum()) >= FEWEST_ROWS
