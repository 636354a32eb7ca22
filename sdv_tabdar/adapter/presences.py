"""Whether cells of columns that are invented anew are there, which the model learns.

Of what such a column holds nothing is learnt, and RDT leaves cells of it missing wherever chance
has it. But who has an e-mail address depends on the row. So the processed table has one more column
for each of them that has both, which says where it is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.adapter import private_names

THERE = 'there'
"""The one level that the model has for cells that are not missing."""


def presence_names(synth: Any) -> dict[str, str]:
    """What the column of the processed table is called that says where a cell is missing.

    Args:
        synth: The synthesizer, whose transformers are fitted.

    Returns:
        By SDV's label, for each column whose values are invented and which is no key.
    """
    columns = private_names.original_table(synth).columns
    taken = {*columns, *private_names.outputs(synth)}
    names: dict[str, str] = {}
    for key in columns:
        if key in private_names.keys(synth) or not private_names.may_have_gaps(synth, key):
            continue
        name, number = f'{key} (missing)', 1
        while name in taken:
            number += 1
            name = f'{key} (missing, {number})'
        taken.add(name)
        names[key] = name
    return names


def with_presences(
    processed: pd.DataFrame, rows: pd.DataFrame, names: Mapping[str, str]
) -> pd.DataFrame:
    """The processed table with a column of truth values for each of some, True = missing.

    Args:
        processed: The processed table; it is not changed.
        rows: What it was made of, row by row.
        names: By SDV's label what such columns are called.
    """
    if not names:
        return processed
    found = processed.copy(deep=False)
    for key, name in names.items():
        found[name] = rows[key].isna().to_numpy()
    return found


def in_model(missing: pd.Series) -> pd.Series:
    """Such a column as the model has it: a level, or missing, as a cell of any other column is."""
    cells = pd.Series(THERE, index=missing.index, name=missing.name, dtype=object)
    return cells.mask(missing.to_numpy(dtype=bool), None)
