"""Rows whose columns are those of a table, without what holds between them."""

from __future__ import annotations

import numpy as np
import pandas as pd


def shuffled(rows: pd.DataFrame, count: int, generator: np.random.Generator) -> pd.DataFrame:
    """So many rows that have the cells of each column in an order of its own.

    Args:
        rows: The table, of one row at least.
        count: How many; where there are not so many cells, each comes again once all were there.
        generator: Decides the orders.
    """
    rounds = -(-count // len(rows))
    cells = {}
    for name, column in rows.items():
        orders = [generator.permutation(len(rows)) for _ in range(rounds)]
        cells[name] = column.array[np.concatenate(orders)[:count]]
    return pd.DataFrame(cells)
