"""What `evaluate` returns: its data as a tidy frame, as JSON and as a page."""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any, overload

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.report.data import ReportData
from sdv_tabdar.evaluation.report.page import render_frame, render_page
from sdv_tabdar.paths import check_file, writing

RECORDED_VERSIONS = ('sdmetrics', 'xgboost', 'scikit-learn', 'pandas', 'numpy')


class Report(ReportData):
    """The scores of a synthetic table, as a tidy frame, as JSON and as a page."""

    def to_frame(self) -> pd.DataFrame:
        """All numbers, one per row.

        Returns:
            Columns: metric, level ('table', 'column' or 'pair'), detail (the column, or the two
            columns joined by ' x '), score, floor (NaN where there is none), goal.
        """
        rows: list[dict[str, object]] = [
            {
                'metric': key,
                'level': 'table',
                'detail': '',
                'score': value,
                'floor': self.floors.get(key, math.nan),
                'goal': self.goal(key),
            }
            for key, value in self.scores.items()
        ]
        rows.extend(
            _detail('shape_error', 'column', str(row['column']), row['score'])
            for row in self.tables.get('columns', pd.DataFrame()).to_dict('records')
        )
        rows.extend(
            _detail('trend_error', 'pair', f'{row["column_1"]} x {row["column_2"]}', row['score'])
            for row in self.tables.get('pairs', pd.DataFrame()).to_dict('records')
        )
        return pd.DataFrame(rows, columns=['metric', 'level', 'detail', 'score', 'floor', 'goal'])

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything but the figures as JSON (null for NaN), written to `path` if one is given.

        Raises:
            OSError: If the file cannot be written.
        """
        content = {
            'title': self.title,
            'facts': self.facts,
            'scores': self.scores,
            'floors': self.floors,
            'notes': self.notes,
            'reasons': self.reasons,
            'seconds': self.seconds,
            'versions': {name: version(name) for name in _installed()},
            **{name: table.to_dict('records') for name, table in self.tables.items()},
        }
        text = json.dumps(_plain(content), indent=2, allow_nan=False) + '\n'
        if path is not None:
            _write(path, text)
        return text

    @overload
    def to_html(self, path: None = None) -> str: ...

    @overload
    def to_html(self, path: str | Path) -> Path: ...

    def to_html(self, path: str | Path | None = None) -> str | Path:
        """One self-contained page that works offline.

        Args:
            path: The file to write; None to have the page itself.

        Returns:
            The path of the file, or the page as a string where no path is given.

        Raises:
            OSError: If the file cannot be written.
        """
        text = render_page(self)
        if path is None:
            return text
        # Half a pair of UTF-16 in a name or a cell has no place in a file.
        return _write(path, text, errors='replace')

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that a notebook's styles and its do not mix."""
        return render_frame(self)


def _write(path: str | Path, text: str, errors: str | None = None) -> Path:
    """Write text to a file; its path."""
    file = check_file(path, replaced=False)
    with writing(file):
        file.write_text(text, encoding='utf-8', errors=errors)
    return file


def _detail(metric: str, level: str, detail: str, similarity: float) -> dict[str, object]:
    """A row of the frame for one column or pair."""
    return {
        'metric': metric,
        'level': level,
        'detail': detail,
        'score': 1 - similarity,
        'floor': math.nan,
        'goal': 'lower',
    }


def _installed() -> list[str]:
    """The packages whose version belongs to the numbers (xgboost has two distributions)."""
    found = []
    for name in (*RECORDED_VERSIONS, 'xgboost-cpu'):
        try:
            version(name)
        except ModuleNotFoundError:
            continue
        found.append(name)
    return found


def _plain(value: Any) -> Any:
    """Python's own types, None for what JSON has no number for."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
