"""The picture of quality against time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.experiments import time_quality
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL


def run(label: str, seconds: float | None, error: float, table: str = 'adult') -> dict[str, Any]:
    return {
        'table': table,
        'synthesizer': label,
        'fit_seconds': seconds,
        'shape_error': error,
        'trend_error': error,
        'xgb_c2st': 1 - error,
    }


def test_the_picture_has_means_over_seeds_floors_and_published_numbers() -> None:
    rows = [
        run('tabdar 1 min', 62.0, 0.02),
        run('tabdar 1 min', 64.0, 0.04),
        run('tabdar 5 min', 301.0, 0.01),
        run('ctgan', 900.0, 0.1),
        run('tabdar 1 min', 61.0, 0.02, table='mine'),
        run('rows from a file', None, 0.1),
        {'table': 'adult', 'synthesizer': FLOOR_LABEL, 'shape_error': 0.005},
    ]
    figure = time_quality.plot(pd.DataFrame(rows))
    ours = [trace for trace in figure.data if trace.name == 'tabdar']
    assert len(ours) == 6  # two tables, three scores
    assert any(list(trace.x) == [63, 301] and list(trace.y) == [3, 1] for trace in ours)
    levels = {(trace.name, trace.y[0]) for trace in figure.data if trace.line.dash != 'solid'}
    assert {('floor', 0.5), ('TabPC, published', 0.58)} <= levels
    names = {trace.name for trace in figure.data} - {name for name, _ in levels}
    assert names == {'tabdar', 'ctgan'}
