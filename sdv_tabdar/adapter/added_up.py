"""Finished rows whose sums the model keeps, made to add up beside cells that it was not shown.

The model is shown the nearest number that it has seen in place of one beyond its range, and the
mean of draws is rounded column by column: such rows nearly add up, and so would be left.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.core.codecs.values import with_columns


def added_up(table: FittedTable, rows: pd.DataFrame, known: Known) -> pd.DataFrame:
    """Finished rows that add up, where known cells leave room for it.

    Args:
        table: The fitted table.
        rows: Rows in plain form with the known cells, under their positions.
        known: What is known.
    """
    keys = [] if table.model is None else table.model.summed_columns
    keys = [key for key in keys if key in rows and table.profiles[key].role is Role.NUMBER]
    if not keys:
        return rows
    assert table.model is not None
    positions = rows.index.to_numpy()
    numbers = {key: table.profiles[key].comparable(rows[key]).to_numpy() for key in keys}
    exact = np.zeros((len(rows), len(keys)), dtype=bool)
    for place, key in enumerate(keys):
        if key in known.exact:
            exact[:, place] = known.exact[key].to_numpy()[positions]
    found = pd.DataFrame(numbers)
    restrictions = {
        key: [known.partial[key][position] for position in positions]
        for key in keys
        if key in known.partial
    }
    table.model.add_up(found, exact, restrictions)
    made = {
        key: table.profiles[key].typed(table.profiles[key].plain_of(found[key]), rows.index)
        for key in keys
        if not np.array_equal(found[key].to_numpy(), numbers[key], equal_nan=True)
    }
    return with_columns(rows, made) if made else rows
