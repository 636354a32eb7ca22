"""Published numbers, as printed by their authors, for the tables that are printed beside ours.

They are in ``published.json``, each table with its source. Nobody's numbers there were computed by
this package, and the protocols differ in details (hardware, splits, seeds). What could not be read
in a source is not there: the TabDAR paper's times and its numbers for each single table of data are
among that; in place of the latter there are those of public result files. A number is a mean, or a
pair of mean and standard deviation, or null for a dash.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name('published.json')


@dataclasses.dataclass(frozen=True)
class Published:
    """A published table.

    Attributes:
        source: Where it was printed.
        remark: What a reader should know before comparing, one sentence.
        columns: The keys of its columns.
        rows: One number a column for each method or setting, as printed; None where there is none.
    """

    source: str
    remark: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str | None, ...]]

    def number(self, row: str, column: str) -> str | None:
        """The number of a method or setting as printed; None if there is none."""
        if row not in self.rows or column not in self.columns:
            return None
        return self.rows[row][self.columns.index(column)]


def method_names() -> dict[str, str]:
    """What the papers call the methods that can be run here, by their kind."""
    return dict(_content()['names'])


def published_table(name: str) -> Published:
    """A table of the TabDAR paper, or of times."""
    table = _content()['tables'][name]
    rows = {row: tuple(map(_printed, numbers)) for row, numbers in table['rows'].items()}
    return Published(table['source'], table['remark'], tuple(table['columns']), rows)


def best_source() -> str:
    """Where the numbers of :func:`best_published` come from."""
    return str(_content()['best']['source'])


def best_published(table: str, key: str) -> tuple[str, float] | None:
    """The method with the best published number of a table of data, and the number.

    Args:
        table: The table of data.
        key: 'shape_error', 'trend_error' or 'xgb_c2st'.

    Returns:
        None if none is known.
    """
    best = _content()['best']
    if key not in best['columns']:
        return None
    place = best['columns'].index(key)
    found = [
        (method, float(rows[table][place]))
        for method, rows in best['rows'].items()
        if table in rows
    ]
    pick = max if key == 'xgb_c2st' else min
    return pick(found, key=lambda pair: pair[1], default=None)


def _printed(number: float | list[float] | None) -> str | None:
    if number is None:
        return None
    return ' ± '.join(f'{part:g}' for part in (number if isinstance(number, list) else [number]))


@functools.cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding='utf-8'))
    return found
