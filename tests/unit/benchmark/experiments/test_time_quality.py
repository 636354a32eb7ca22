"""The picture of quality against time."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

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
    tree = ElementTree.fromstring(time_quality.plot(pd.DataFrame(rows)))
    found = [text for text in tree.itertext() if text.strip()]
    assert 'tabdar 1 min: 3 after 63 s' in found
    assert 'floor 0.5' in found
    assert 'TabPC, published 0.58' in found
    assert 'mine: Shape error, % ' in found
    assert {'1 min', '5 min', '15 min'} <= set(found)
    # One run of ours on the other table joins nothing.
    assert len(tree.findall('.//{*}path')) == 3
    assert 'rows from a file' not in found
