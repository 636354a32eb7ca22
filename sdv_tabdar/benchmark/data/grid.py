"""The grid on which the numbers of a table lie, so that likelihoods of different models compare.

A density depends on units, and on what a model takes for continuous. The mass of all numbers that
round to a value does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

MOST_DIGITS = 9
"""Decimals after which numbers are taken for rounded there."""


def grid_steps(rows: pd.DataFrame, numbers: Sequence[str]) -> dict[str, float]:
    """The distance of neighbouring grid points of each column of numbers.

    It is the greatest of which all differences of the column's values are multiples.

    Args:
        rows: All rows of the table, whoever learns from them.
        numbers: The columns.
    """
    return {name: _step(rows[name].dropna().to_numpy(dtype=float)) for name in numbers}


def _step(values: np.ndarray) -> float:
    distinct = np.unique(values)
    scale = 1
    for digits in range(MOST_DIGITS + 1):
        scale = 10**digits
        if np.allclose(distinct * scale, np.round(distinct * scale), rtol=0, atol=1e-4):
            break
    whole = np.round(distinct * scale).astype(np.int64)
    common = math.gcd(*np.diff(whole).tolist()) if len(whole) > 1 else 0
    return (common or 1) / scale
