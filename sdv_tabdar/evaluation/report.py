"""What `evaluate` returns: scores with floors, as a tidy frame, as JSON and as a page."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.page import render_page
from sdv_tabdar.evaluation.registry import MEANINGS

RECORDED_VERSIONS = ('sdmetrics', 'xgboost', 'scikit-learn', 'pandas', 'numpy')


@dataclass(frozen=True)
class Report:
    """The scores of a synthetic table and what a page about it shows.

    Attributes:
        title: The heading.
        scores: Numbers by key.
        floors: What two disjoint sets of real rows score, by key, scaled to the tables' sizes.
        notes: Why a metric was left out or has no value.
        tables: Breakdowns: 'columns' (shape), 'pairs' (trend), 'importance' (XGB-C2ST).
        figures: What the page draws, already binned, so that a report holds no rows of the real
            table; the most suspicious synthetic rows are the exception.
        lower_is_better: Keys that are errors only because of the data (the RMSE of a target).
        seconds: Time that each metric took, without its floor.
        facts: Numbers of rows and columns, target, seed.
    """

    title: str
    scores: dict[str, float]
    floors: dict[str, float]
    notes: dict[str, str]
    tables: dict[str, pd.DataFrame] = field(repr=False)
    figures: dict[str, Any] = field(repr=False)
    lower_is_better: frozenset[str] = frozenset()
    seconds: dict[str, float] = field(default_factory=dict, repr=False)
    facts: dict[str, Any] = field(default_factory=dict)

    def goal(self, key: str) -> str:
        """'higher', 'lower' or 'floor' (neither: the floor is ideal); '' for a mere fact."""
        if key in self.lower_is_better:
            return 'lower'
        return MEANINGS[key].goal if key in MEANINGS else ''

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
        """Everything but the figures as JSON (null for NaN), written to `path` if one is given."""
        content = {
            'title': self.title,
            'facts': self.facts,
            'scores': self.scores,
            'floors': self.floors,
            'notes': self.notes,
            'seconds': self.seconds,
            'versions': {name: version(name) for name in _installed()},
            **{name: table.to_dict('records') for name, table in self.tables.items()},
        }
        text = json.dumps(_plain(content), indent=2, allow_nan=False) + '\n'
        if path is not None:
            Path(path).write_text(text, encoding='utf-8')
        return text

    def to_html(self, path: str | Path | None = None) -> str:
        """One self-contained page that works offline, written to `path` if one is given."""
        text = render_page(self)
        if path is not None:
            Path(path).write_text(text, encoding='utf-8')
        return text


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
