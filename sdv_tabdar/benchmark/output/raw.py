"""The raw rows of an experiment: ``NAME.csv``, and in ``NAME.json`` the options that made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.files import read_json, write_json

# Whatever they look like, these are names.
NAMES = ('table', 'synthesizer', 'method', 'given', 'column', 'task')


def save(
    out: Path, name: str, rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> None:
    """Write rows and options into a run directory."""
    out.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(list(rows)).to_csv(out / f'{name}.csv', index=False)
    write_json(options, out / f'{name}.json')


def load(out: Path, name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The rows and the options that :func:`save` wrote; empty cells are NaN.

    Raises:
        FileNotFoundError: If there are none.
    """
    options = read_json(out / f'{name}.json')
    if options is None:
        raise FileNotFoundError(f"There are no rows of '{name}' in '{out}'.")
    return read(out / f'{name}.csv'), options


def read(path: Path) -> pd.DataFrame:
    """The rows of a CSV file of :func:`save`; empty cells are NaN."""
    return pd.read_csv(
        path,
        dtype=dict.fromkeys(NAMES, str),
        keep_default_na=False,
        na_values=[''],
        float_precision='round_trip',
    )


def names(out: Path) -> list[str]:
    """The experiments whose rows a run directory has, in alphabetical order."""
    found = sorted(path.stem for path in out.glob('*.csv'))
    return [name for name in found if (out / f'{name}.json').is_file()]
