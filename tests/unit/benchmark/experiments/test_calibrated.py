"""One network with and without the correction of drawn shares."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import calibrated

from .conftest import TINY


def test_one_network_is_compared_before_and_after(
    tmp_path: Path,
    on_one: Callable[..., str],
    called: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = []
    monkeypatch.setattr(calibrated, 'calibrate', lambda network, number: numbers.append(number))
    printed = on_one('calibration', '--settings', f'small:{TINY},epochs=1')
    assert len(called) == 1
    assert len(numbers) == 1
    assert 'as trained' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'calibration.csv').set_index('setting')
    assert list(rows.index) == ['as trained', 'calibrated']
    # Nothing was corrected, and the random numbers are the same.
    scores = rows[['any_order', 'shape_error', 'xgb_c2st']]
    assert scores.loc['as trained'].equals(scores.loc['calibrated'])
