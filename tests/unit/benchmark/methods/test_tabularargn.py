"""TabularARGN runs in another Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.argn_script import points_of_bins
from sdv_tabdar.benchmark.methods.synthesizers import build

from .test_outside import FAKE_PYTHON, asked, fake_python


def test_a_kept_model_is_asked_for_masses(prepared: Path, tmp_path: Path) -> None:
    line = 'if [ "$3" = log_mass ]; then printf "log_mass\\n-1.5\\n" > log_mass.csv; fi\n'
    request = asked(prepared, 'tabularargn', fake_python(tmp_path, FAKE_PYTHON + line))
    made: Any = build(request)
    made.fit(request.dataset.train)
    made.save(tmp_path / 'kept')
    other: Any = build(request)
    other.load(tmp_path / 'kept')
    assert other.log_mass(request.dataset.test.head(1), {'number': 0.1}).tolist() == [-1.5]


def test_grid_points_that_share_a_code_are_counted() -> None:
    known = {'bins': [0.0, 1.0, 3.0, 4.0], 'codes': {'<<UNK>>': 0, '<<MIN>>': 1}}
    column = pd.Series([0.0, 0.5, 1.0, 2.5, 4.0, 9.0, np.nan])
    assert points_of_bins(column, known, 0.5).tolist() == [1, 2, 4, 4, 2, 2, 1]
