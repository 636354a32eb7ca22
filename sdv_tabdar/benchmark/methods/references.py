"""Rows of which it is known how good they are: a yardstick must put them where they belong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.spec import Request
from sdv_tabdar.evaluation.shuffling import shuffled

Draw = Callable[[pd.DataFrame, int, np.random.Generator], pd.DataFrame]


class Reference:
    """Rows made of those it is fitted on, or of others.

    Args:
        draw: From rows, a number and a source of randomness to so many rows.
        seed: Decides which.
        rows: In place of the rows it is fitted on.
    """

    # There is nothing to learn.
    timed = False

    def __init__(self, draw: Draw, seed: int, rows: pd.DataFrame | None = None) -> None:
        self._draw = draw
        self._seed = seed
        self._rows = rows

    def fit(self, data: pd.DataFrame) -> None:
        """Take the rows."""
        if self._rows is None:
            self._rows = data

    def sample(self, num_rows: int) -> pd.DataFrame:
        """So many rows, or all that there are."""
        assert self._rows is not None, 'fit comes first'
        return self._draw(self._rows, num_rows, np.random.default_rng(self._seed))


def real(request: Request) -> Reference:
    """Real rows that are neither trained on nor compared with.

    Raises:
        ValueError: If the table has none.
    """
    if request.dataset.fresh is None:
        raise ValueError(
            f"The table '{request.dataset.name}' has no rows left that could stand in for "
            "synthetic ones; the command 'yardsticks' makes a part of them."
        )
    return Reference(_some, request.seed, request.dataset.fresh)


def copy(request: Request) -> Reference:
    """Training rows, each at most once."""
    return Reference(_some, request.seed)


def independent(request: Request) -> Reference:
    """Training rows whose columns are shuffled, each by itself."""
    return Reference(shuffled, request.seed)


def _some(rows: pd.DataFrame, count: int, generator: np.random.Generator) -> pd.DataFrame:
    return rows.iloc[generator.permutation(len(rows))[:count]].reset_index(drop=True)
