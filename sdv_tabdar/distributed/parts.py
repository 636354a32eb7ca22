"""What a worker does for a part of the rows, in frames of pandas, whichever engine has sent it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd
import torch

from sdv_tabdar.distributed.shipped import Shipped

ROWS_OF_PARTITION = 16 * 16_384
PARTITION = 2**33  # rows for which there is a place in a partition of somebody's frame
_PROBED_ROWS = 256
_TYPES = {'boolean': 'boolean', 'integer': 'Int64', 'floating': 'float64', 'decimal': 'float64'}


def checked_seed(seed: int | None) -> int:
    """The seed, or a new one: what is lazy may be computed twice and must not change."""
    return secrets.randbits(62) if seed is None else seed


def partition_starts(num_rows: int, rows_per_partition: int, block: int) -> range:
    """The first row of each partition.

    Raises:
        ValueError: If a number is none, or partitions are not made of whole blocks.
    """
    for name, value in (('num_rows', num_rows), ('rows_per_partition', rows_per_partition)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(
                f"Parameter '{name}' must be a whole number of at least 1, however: {value!r}."
            )
    if rows_per_partition % block:
        raise ValueError(
            f"Parameter 'rows_per_partition' must be a multiple of the {block:,} rows of a block, "
            f'however: {rows_per_partition!r}.'
        )
    return range(0, num_rows, rows_per_partition)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Within it a task computes in its own thread, of which its worker has several."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def probe(shipped: Shipped, seed: int) -> pd.DataFrame:
    """Some rows with the types that all rows are to have.

    Object columns get a type of their own where their values have one.

    Raises:
        ValueError: If rows cannot be drawn in several places.
    """
    synthesizer = shipped.synthesizer
    _frame(synthesizer.sample(1, seed=seed, first_row=synthesizer.BLOCK_ROWS))
    rows = _frame(synthesizer.sample(_PROBED_ROWS, seed=seed))
    found = {
        name: _TYPES[kind]
        for name in rows
        if rows[name].dtype == object
        and (kind := pd.api.types.infer_dtype(rows[name], skipna=True)) in _TYPES
    }
    return rows.astype(found)


def drawn(
    shipped: Shipped, first_row: int, num_rows: int, seed: int, dtypes: Mapping[Hashable, Any]
) -> pd.DataFrame:
    """Rows of a seed, with their numbers as index."""
    rows = _frame(shipped.synthesizer.sample(num_rows, seed=seed, first_row=first_row))
    rows.index = pd.RangeIndex(first_row, first_row + len(rows))
    return _typed(rows, dtypes)


def imputed(
    shipped: Shipped, part: pd.DataFrame, first_row: int, num_samples: int, seed: int
) -> pd.DataFrame:
    """A part of a frame with its gaps filled, of the same types.

    Args:
        shipped: The synthesizer.
        part: The rows.
        first_row: The place of the first one, see :data:`PARTITION`.
        num_samples: As in ``impute``.
        seed: As in ``impute``.

    Raises:
        ValueError: If a key is missing.
    """
    gaps = part.isna().any(axis=1).to_numpy()
    if not gaps.any():
        return part
    synthesizer = shipped.synthesizer
    for name in _keys(synthesizer):
        if name in part and part[name].isna().any():
            raise ValueError(
                f"Column '{name}' is a key, and {int(part[name].isna().sum())} rows of a partition "
                'have none. A new one could repeat that of another partition: leave the column '
                "out, or fill the table in memory by the synthesizer's method."
            )
    found = synthesizer.impute(part[gaps], num_samples=num_samples, seed=seed, first_row=first_row)
    filled = part.copy()
    for name in part:
        values = _typed(found[[name]], {name: part[name].dtype})[name]
        if values.dtype != filled[name].dtype:  # new categories
            filled[name] = filled[name].astype(values.dtype)
        filled.loc[gaps, name] = values.to_numpy() if values.dtype == object else values.array
    return filled


def probabilities(
    shipped: Shipped,
    part: pd.DataFrame,
    first_row: int,
    column: Hashable,
    num_samples: int,
    seed: int,
) -> pd.DataFrame:
    """Probabilities of the levels of a column in a part of a frame, as in ``predict_proba``."""
    found: pd.DataFrame = shipped.synthesizer.predict_proba(
        part, column, num_samples, seed=seed, first_row=first_row
    )
    return found


def scores(
    shipped: Shipped, part: pd.DataFrame, first_row: int, num_orders: int, unseen: str, seed: int
) -> pd.Series:
    """Log-likelihoods of a part of a frame, as in ``log_likelihood``."""
    found: pd.Series = shipped.synthesizer.log_likelihood(
        part, num_orders, unseen=unseen, seed=seed, first_row=first_row
    )
    return found


def _frame(rows: Any) -> pd.DataFrame:
    """The one table of what a synthesizer returns."""
    return rows if isinstance(rows, pd.DataFrame) else next(iter(rows.values()))


def _typed(rows: pd.DataFrame, dtypes: Mapping[Hashable, Any]) -> pd.DataFrame:
    """Rows in given types; categories that the type has not stay."""
    others = {
        name: dtype
        for name, dtype in dtypes.items()
        if rows[name].dtype != dtype and not isinstance(dtype, pd.CategoricalDtype)
    }
    return rows.astype(others) if others else rows


def _keys(synthesizer: Any) -> list[str]:
    """The names of the table's keys."""
    (table,) = synthesizer.get_metadata().tables.values()
    keys = [table.primary_key, *table.alternate_keys]
    flat = [name for key in keys for name in (key if isinstance(key, (list, tuple)) else [key])]
    return [name for name in flat if name is not None]
