"""Generated tables of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

TABLE = 'generated'
FEW_LEVELS = 8
NUMBER, CATEGORY, LEVELS = 'number', 'category', 'levels'


def make_table(rows: int, columns: int, levels: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Numbers and categories in turns, all related to one hidden number.

    Args:
        rows: How many.
        columns: How many, besides the one of many levels.
        levels: If given, a column ``'levels'`` of texts comes first, in which each of so many
            levels occurs at least once.
        seed: The same seed makes the same table.

    Raises:
        ValueError: If there are more levels than rows.
    """
    if levels is not None and levels > rows:
        raise ValueError(
            f'Each of the {levels:,} levels must occur, which {rows:,} rows have no room for. Ask '
            'for more rows or fewer levels.'
        )
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=rows)
    found: dict[str, Any] = {}
    if levels is not None:
        codes = np.arange(rows) % levels
        codes[levels:] = generator.integers(0, levels, rows - levels)
        found[LEVELS] = pd.Series(np.char.add('level ', codes.astype(str)), dtype=object)
    for number in range(columns):
        noisy = hidden + generator.normal(size=rows)
        if number % 2:
            edges = np.linspace(-2, 2, FEW_LEVELS - 1)
            names = np.array([f'kind {level}' for level in range(FEW_LEVELS)], dtype=object)
            found[f'{CATEGORY}_{number}'] = names[np.searchsorted(edges, noisy)]
        else:
            found[f'{NUMBER}_{number}'] = noisy
    return pd.DataFrame(found)


def metadata_of(table: pd.DataFrame) -> Metadata:
    """SDV metadata of a generated table."""
    columns = {
        name: {'sdtype': 'numerical' if name.startswith(NUMBER) else 'categorical'}
        for name in table.columns
    }
    return Metadata.load_from_dict({'tables': {TABLE: {'columns': columns}}})


def unique_numbers(rows: int, seed: int = 0) -> pd.DataFrame:
    """A number of many digits that is another one in each row, and a category that follows it.

    Args:
        rows: How many.
        seed: The same seed makes the same table.
    """
    generator = np.random.default_rng(seed)
    amount = np.exp(generator.normal(size=rows))
    level = np.digitize(amount * np.exp(0.5 * generator.normal(size=rows)), [0.5, 1.0, 2.0])
    return pd.DataFrame(
        {f'{NUMBER}_unique': amount, f'{CATEGORY}_1': np.array(['a', 'b', 'c', 'd'])[level]}
    )


def tied_numbers(rows: int, seed: int = 0) -> pd.DataFrame:
    """Two numbers of which one is almost the other: x is standard normal, y = x + .02 e.

    Args:
        rows: How many.
        seed: The same seed makes the same table.
    """
    generator = np.random.default_rng(seed)
    x = generator.normal(size=rows)
    y = x + 0.02 * generator.normal(size=rows)
    return pd.DataFrame({f'{NUMBER}_x': x, f'{NUMBER}_y': y})
