"""Keys where some rows of a call have one: given ones stay, and the others repeat none of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.values import item
from sdv_tabdar.core.codecs.values import with_columns


def with_taken_keys(table: FittedTable, parts: Sequence[Known]) -> list[Known]:
    """What is known of the parts of one call, each with the keys that all of them give."""
    taken = {
        key: frozenset(value for known in parts for value in _given(known, key))
        for key in private_names.keys(table.host)
    }
    return [dataclasses.replace(known, taken=taken) for known in parts]


def refuse_repeated_keys(table: FittedTable, parts: Sequence[Known]) -> None:
    """Refuse conditions that ask for the same key twice.

    Raises:
        ValueError: If they do.
    """
    for key in private_names.keys(table.host):
        values = pd.Series([value for known in parts for value in _given(known, key)], dtype=object)
        repeated = values[values.duplicated()]
        if len(repeated):
            raise ValueError(
                f"Unable to sample any rows for the given conditions: column '{key}' is a key, and "
                f'{item(repeated.iloc[0])!r} is asked for in more than one row. Keys must be '
                'unique.'
            )


def with_new_keys(
    table: FittedTable, rows: pd.DataFrame, known: Known, blocks: Blocks
) -> pd.DataFrame:
    """Rows with keys of which none is missing and none but a given one is one of those given.

    Args:
        table: The fitted table.
        rows: Rows in plain form under their places in ``known``.
        known: What is known, and which keys are taken.
        blocks: How the rows of the call are cut.
    """
    made = {}
    for key in [key for key in private_names.keys(table.host) if key in rows and len(rows)]:
        values = rows[key].to_numpy(dtype=object, copy=True)
        given = np.zeros(len(rows), dtype=bool)
        if key in known.exact:
            given = known.exact[key].to_numpy()[rows.index.to_numpy()]
            values[given] = known.cells[key].to_numpy(dtype=object)[rows.index.to_numpy()][given]
        taken = known.taken.get(key, frozenset())
        clashes = ~given & np.array([value in taken for value in values])
        while clashes.any():
            values[clashes] = blocks.fresh(table, key, int(clashes.sum()))
            clashes = ~given & np.array([value in taken for value in values])
        made[key] = table.profiles[key].typed(list(values), rows.index)
    return with_columns(rows, made)


def _given(known: Known, key: str) -> list[Any]:
    """The keys that are given in some known cells."""
    return known.cells[key][known.exact[key]].tolist() if key in known.cells else []
