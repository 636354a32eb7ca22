"""The grid of a column's numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.data.grid import grid_steps


def test_steps_are_the_greatest_that_fit() -> None:
    rows = pd.DataFrame(
        {
            'whole': [3.0, 5.0, 8.0, np.nan],
            'tens': [15, 25, 95, 15],
            'cents': [0.25, 1.5, 99.99, 7.0],
            'constant': [4.2] * 4,
            'free': np.sqrt([2.0, 3.0, 5.0, 7.0]),
        }
    )
    steps = grid_steps(rows, list(rows))
    assert steps['whole'] == 1
    assert steps['tens'] == 10
    assert steps['cents'] == 0.01
    assert steps['constant'] == 0.1
    assert 0 < steps['free'] <= 1e-5
